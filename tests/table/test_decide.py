"""From profiles to kinds: thresholds and their edges."""

import pyarrow as pa
import pytest

from novacula.errors import DataError, SchemaError
from novacula.table.decide import MAX_CATEGORIES, MAX_MIXED, decide
from novacula.table.profile import ColumnProfiles
from novacula.table.schema import Column, Schema


def settle(values, asked=None, textual=True, cap=MAX_CATEGORIES, column=None):
    schema = Schema((Column("c", "ignored"),), missing=("", "?"))
    found = ColumnProfiles.zero((), {"c": cap}).observe(pa.record_batch({"c": pa.array(values)}), schema)
    profile = found.columns()["c"]
    return decide(column or Column("c", "ignored"), profile, asked, textual, lambda: "'x' in row 7 of f")


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
    with pytest.raises(DataError) as caught:
        settle([*numbered(MAX_MIXED), "x"])
    assert str(caught.value) == (
        "column 'c' holds 100 numbers and 1 other value, the first being 'x' in row 7 of f: name it in missing=, or "
        "say types={'c': 'categorical'} or 'text'"
    )
    assert settle([*numbered(300), *(f"w{i}" for i in range(300))]).kind == "categorical"


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
