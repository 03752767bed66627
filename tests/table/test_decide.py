"""From profiles to kinds: thresholds and their edges."""

import pyarrow as pa
import pytest

from novacula.errors import DataError, SchemaError
from novacula.table.decide import FEW_MIXED, MAX_CATEGORIES, MAX_MIXED, OddValue, Wanted, decide, decision_note
from novacula.table.profile import ColumnProfiles
from novacula.table.schema import Column, Schema
from novacula.table.source import TextHabits


def settle(values, asked=None, textual=True, cap=MAX_CATEGORIES, column=None, habits=None, noted=False):
    schema = Schema((Column("c", "ignored"),), missing=("", "?"))
    found = ColumnProfiles.zero((), {"c": cap}).observe(pa.record_batch({"c": pa.array(values)}), schema)
    profile = found.columns()["c"]
    wanted, habits = asked if isinstance(asked, Wanted) else Wanted(asked), habits or TextHabits(textual)
    find = {None: OddValue("x", "row 7 of f")}.__getitem__
    settled = decide(column or Column("c", "ignored"), profile, wanted, habits, find)
    note = decision_note(settled, profile, wanted, habits, find)
    return (settled, note) if noted else settled


def numbered(count):
    return [str(i) for i in range(count)]


def test_numbers_are_numeric_however_few():
    column = settle(["0", "1", "?", "1"])
    assert (column.kind, column.missing, column.low, column.high, column.note) == ("numeric", 1, 0, 1, "")


def test_nothing_is_numeric():
    assert settle(["", "?"]).note == "no values"
    assert settle(["", "?"]).kind == "numeric"


def test_one_value():
    assert settle(["5", "5"]).note == "one value only"
    assert settle(["a", "a"]).note == "one value only"


def test_words_are_categories_in_order():
    column = settle(["b", "a", "B"])
    assert (column.kind, column.categories, column.declared) == ("categorical", ("B", "a", "b"), False)
    assert (column.low, column.high) == (None, None)


def test_names_are_categories_and_sentences_are_text():
    names = [f"name{i}" for i in range(500)]
    sentences = [f"this is sentence {i}" for i in range(500)]
    assert settle(names).kind == "categorical"
    assert settle(sentences).kind == "text"
    assert settle(sentences[:5] * 100).kind == "categorical"  # few of them, said again and again
    assert settle(sentences[:20]).kind == "categorical"
    assert settle(sentences[:21]).kind == "text"


def test_too_many_words_are_text():
    assert settle([f"w{i}" for i in range(MAX_CATEGORIES)]).kind == "categorical"
    assert settle([f"w{i}" for i in range(MAX_CATEGORIES + 1)]).kind == "text"


def test_numbers_with_a_few_words():
    assert settle([*numbered(MAX_MIXED - 1), "x"]).kind == "categorical"
    column, note = settle([*numbered(MAX_MIXED), "x"], noted=True)
    assert (column.kind, len(column.categories)) == ("categorical", MAX_MIXED + 1)
    assert note.sentence == (
        "column 'c' holds 20 numbers and 1 other value, the first being 'x' in row 7 of f; it is read as categories: "
        "if such values are missing ones, say missing=[..., 'x']"
    )
    column, note = settle([*numbered(300), *(f"w{i}" for i in range(300))], noted=True)
    assert (column.kind, note) == ("categorical", None)
    assert settle([*numbered(MAX_MIXED - 1), "x"] * 2, noted=True)[1] is None
    assert settle([*numbered(FEW_MIXED - 1), "x"], noted=True)[1] is None
    column, note = settle([*numbered(300), *["x", "y"]], cap=100, noted=True)
    assert (column.kind, note.sentence[:49]) == ("text", "column 'c' holds 300 numbers and 2 other values, ")


def test_what_is_asked_for_is_given():
    assert settle(["1", "2"], "categorical").categories == (1, 2)
    assert settle(["1", "2.5"], "categorical").categories == (1.0, 2.5)
    assert settle(["1", "02"], "categorical").categories == ("02", "1")
    assert settle(["0", "0.5", "-0.5"], "categorical").categories == (-0.5, 0.0, 0.5)
    assert settle([3, 1], "categorical", textual=False).categories == (1, 3)
    assert settle([True, False], "categorical", textual=False).categories == (False, True)
    assert settle(["1", "2"], "text").kind == "text"


def test_declared_categories_stay():
    declared = Column("c", "categorical", ("z", "a"), declared=True)
    assert settle(["a"], "categorical", column=declared).categories == ("z", "a")


def test_what_is_asked_for_but_not_there():
    with pytest.raises(
        DataError, match=r"the numeric column 'c' holds 2 other values, the first being 'x' in row 7 of f: "
    ):
        settle(["1", "x", "y"], "numeric")
    with pytest.raises(SchemaError, match="column 'c' has more than 3 distinct values, too many for categories"):
        settle(["a", "b", "c", "d"], "categorical", cap=3)
    with pytest.raises(SchemaError, match="has inf as a category"):
        settle(["1", "inf"], "categorical")
