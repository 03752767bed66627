"""Profiles are sums: the same however the rows are cut and ordered, and no larger for more of them."""

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novacula.table.profile import ColumnProfiles
from novacula.table.schema import Column, Schema

MARKERS = ("", "?")
CELLS = ["1", "2.5", "-3", " 7", "a", "b c", " d e f ", "?", "", "nan", "inf"]
cells = st.lists(st.none() | st.sampled_from(CELLS))


def profile(columns, numbers=(), cap=100, markers=MARKERS):
    """The profile of columns, those that are named taken for numbers."""
    schema = Schema(tuple(Column(name, "ignored") for name in columns), missing=markers)
    zero = ColumnProfiles.zero(numbers, {name: cap for name in columns if name not in numbers})
    return zero.observe(pa.record_batch(columns), schema)


def of_words(words, cap=100):
    return profile({"c": pa.array(words, pa.string())}, cap=cap)


def by_hand(words, cap=100):
    known = [word.strip() for word in words if word is not None and word.strip() not in MARKERS]
    numbers, others = [], []
    for word in known:
        try:
            number = float(word)
        except ValueError:
            number = math.nan
        numbers.append(number) if number == number else others.append(word)
    low, high = min(numbers, default=math.inf), max(numbers, default=-math.inf)
    spaces = sum(word.count(" ") for word in others)
    distinct = frozenset(known) if len(set(known)) <= cap else None
    return len(words), len(words) - len(known), len(others), spaces, low, high, distinct, cap


@settings(deadline=None)
@given(cells, st.sampled_from([2, 100]))
def test_words(words, cap):
    assert of_words(words, cap).columns()["c"][:8] == by_hand(words, cap)
    coded = pa.array(words, pa.string()).dictionary_encode()
    assert profile({"c": coded}, cap=cap).columns()["c"][:8] == by_hand(words, cap)


@settings(deadline=None)
@given(st.lists(st.tuples(*[st.none() | st.sampled_from(CELLS)] * 3)))
def test_columns_do_not_disturb_each_other(rows):
    columns = {f"c{j}": [row[j] for row in rows] for j in range(3)}
    found = profile({name: pa.array(words, pa.string()) for name, words in columns.items()}).columns()
    assert {name: each[:8] for name, each in found.items()} == {name: by_hand(words) for name, words in columns.items()}


@settings(deadline=None)
@given(cells, cells, cells)
def test_profiles_add_up(a, b, c):
    one, two, three = (of_words(part, 4) for part in (a, b, c))
    zero = ColumnProfiles.zero((), {"c": 4})
    sums = ((one + two) + three, one + (two + three), three + one + two, zero + one + two + three)
    assert all(total.columns() == of_words(a + b + c, 4).columns() for total in sums)


@pytest.mark.parametrize(
    "values",
    [
        pa.array([3, 1, None, 3]),
        pa.array([3.0, 1.0, np.nan, 3.0], from_pandas=False),
        pa.array([3, 1, None, 3]).dictionary_encode(),
        pa.array([3, 1, -9, 3]),
    ],
)
def test_typed_values(values):
    found = profile({"c": values}, markers=("-9",)).columns()["c"]
    assert found[:8] == (4, 1, 0, 0, 1.0, 3.0, {1, 3}, 100)
    assert found.numbers == 3
    assert found.as_words().words == 3
    assert found.as_words().numbers == 0


def test_small_dictionaries_of_every_index_type():
    words = [f"w{i}" for i in range(128)]
    for kind in (pa.int8(), pa.uint8(), pa.int32(), pa.uint32()):
        coded = pa.DictionaryArray.from_arrays(pa.array([127, None, 0], kind), pa.array(words))
        assert profile({"c": coded}).columns()["c"].values == {"w0", "w127"}


def test_values_beyond_the_cap_are_let_go():
    assert profile({"c": pa.array([1, 2, 3])}, cap=3).columns()["c"].values == {1, 2, 3}
    assert profile({"c": pa.array([1, 2, 3])}, cap=2).columns()["c"].values is None
    half = profile({"c": pa.array([1, 2])}, cap=3)
    assert (half + half).columns()["c"].values == {1, 2}
    assert (half + profile({"c": pa.array([3, 4])}, cap=3)).columns()["c"].values is None


def test_no_values():
    for values in (pa.nulls(3), pa.array([None] * 3, pa.float64()), pa.array(["?", None, ""])):
        found = profile({"c": values}).columns()["c"]
        assert found[:4] == (3, 3, 0, 0)
        assert found.values == frozenset()


@settings(deadline=None)
@given(st.lists(st.tuples(st.floats() | st.none(), st.floats() | st.none()), min_size=1), st.integers(0, 20))
def test_columns_of_numbers(rows, cut):
    def observe(part):
        columns = {f"c{j}": pa.array([row[j] for row in part], pa.float64(), from_pandas=False) for j in range(2)}
        return profile(columns, numbers=("c0", "c1"))

    whole, halves = observe(rows), observe(rows[:cut]) + observe(rows[cut:])
    for j in range(2):
        known = [row[j] for row in rows if row[j] is not None and row[j] == row[j]]
        low, high = min(known, default=math.inf), max(known, default=-math.inf)
        expected = (len(rows), len(rows) - len(known), 0, 0, low, high, None, 0)
        assert whole.columns()[f"c{j}"][:8] == halves.columns()[f"c{j}"][:8] == expected


def test_words_among_numbers_are_counted():
    columns = {"a": pa.array(["1", "x", "?", "y"]), "b": pa.array(["2", "3", "", None]), "c": pa.array([1, 2, 3, 4])}
    found = profile(columns, numbers=("a", "b")).columns()
    assert found["a"][:6] == (4, 1, 2, 0, 1.0, 1.0)
    assert found["b"][:6] == (4, 2, 0, 0, 2.0, 3.0)
    assert found["c"].values == {1, 2, 3, 4}
