"""Values as numbers and codes, one rule for all."""

import numpy as np
import pyarrow as pa
import pytest

from novacula.table.arrow import (
    as_floats,
    as_words,
    codes_of,
    matrix_of,
    number_markers,
    numbers_of,
    read_numbers,
)

MARKERS = ("", "NA", "?")
WORDS = ["1", " 2.5 ", "NA", None, "x", "", "+3", "-inf", "nan", "1e3", "0x10", "１"]
NUMBERS = [1, 2.5, np.nan, np.nan, np.nan, np.nan, 3, -np.inf, np.nan, 1000, np.nan, np.nan]
WRONG = [4, 8, 10, 11]


@pytest.mark.parametrize(
    "make",
    [
        lambda words: pa.array(words, pa.string()),
        lambda words: pa.array(words, pa.large_string()),
        lambda words: pa.array(words, pa.string_view()),
        lambda words: pa.array(words).dictionary_encode(),
        lambda words: pa.array(["junk", *words])[1:],
    ],
)
def test_words_as_numbers(make):
    numbers, wrong = numbers_of(make(WORDS), MARKERS)
    np.testing.assert_array_equal(numbers, NUMBERS)
    assert np.flatnonzero(wrong).tolist() == WRONG


def test_numbers_without_any_word():
    numbers, wrong = read_numbers(pa.array(["1", "?", None]), MARKERS)
    np.testing.assert_array_equal(numbers, [1, np.nan, np.nan])
    assert wrong is None


def test_numbers_of_typed_arrays():
    for values in (np.array([1, -999, 3]), pa.array([1, -999, 3]), pa.array([1, -999, 3]).dictionary_encode()):
        numbers, wrong = numbers_of(values, (*MARKERS, "-999"))
        np.testing.assert_array_equal(numbers, [1, np.nan, 3])
        assert wrong is None


def test_markers_that_are_numbers():
    assert number_markers(("NA", "-999", "nan", "1e3", "")) == (-999.0, 1000.0)


def test_large_integers_become_the_nearest_number():
    assert as_floats(pa.array([2**63 - 1, None])).tolist()[0] == float(2**63 - 1)


def test_matrix():
    plain = [pa.array([1, None], pa.int8()), pa.array([2**40 + 1, 3]), pa.array([0.5, None], pa.float32())]
    matrix = matrix_of(plain)
    assert matrix.flags.c_contiguous
    np.testing.assert_array_equal(matrix, [[1, 2**40 + 1, 0.5], [np.nan, 3, np.nan]])
    assert matrix_of([*plain, pa.array(["a", "b"])]) is None
    assert matrix_of([]) is None
    assert matrix_of([pa.array([], pa.float64())]).shape == (0, 1)


@pytest.mark.parametrize("rows", [8191, 8192, 20_001])
def test_tall_matrix(rows):
    """Long columns of doubles are turned by a kernel, from where their rows begin; others by Arrow."""
    numbers = np.random.default_rng(0).normal(size=(3, rows + 5))
    numbers[:, 7] = np.nan, np.inf, -0.0
    columns = [pa.array(numbers[0])[5:], pa.array(numbers[1])[:-5], pa.chunked_array([numbers[2]]).chunk(0)[2:-3]]
    expected = np.column_stack([numbers[0, 5:], numbers[1, :-5], numbers[2, 2:-3]])
    matrix = matrix_of(columns)
    assert matrix.flags.c_contiguous
    np.testing.assert_array_equal(matrix, expected)
    missing = pa.array(expected[:, 0], mask=np.arange(rows) == 3)
    expected[3, 0] = np.nan
    np.testing.assert_array_equal(matrix_of([missing, *columns[1:]]), expected)
    odd = pa.Array.from_buffers(pa.float64(), rows, [None, pa.py_buffer(b"?" + numbers[2].tobytes())[1:]])
    np.testing.assert_array_equal(matrix_of([odd, columns[1]]), np.column_stack([numbers[2, :rows], expected[:, 1]]))
    with pytest.raises(ValueError, match="same length"):
        matrix_of([columns[0], columns[1][1:]])
    whole = pa.array(np.arange(rows))
    np.testing.assert_array_equal(matrix_of([whole, columns[1]]), np.column_stack([np.arange(rows), expected[:, 1]]))


@pytest.mark.parametrize(
    ("values", "categories", "codes"),
    [
        (pa.array(["b", "a ", "?", "c", None]), ("a", "b"), [1, 0, -1, -2, -1]),
        (pa.array(["b", "a", "?"]).dictionary_encode(), ("a", "b"), [1, 0, -1]),
        (pa.array(["1", "1.0", "02", "x", "NA"]), (1, 2), [0, 0, 1, -2, -1]),
        (pa.array(["1.5", "2"]), (2.0, 1.5), [1, 0]),
        (pa.array(["True", "false", "TRUE", "yes"]), (False, True), [1, 0, 1, -2]),
        (pa.array([1, 2, None, 3]), (2, 1), [1, 0, -1, -2]),
        (pa.array([1.0, np.nan, 2.5]), (1, 2), [0, -1, -2]),
        (pa.array([True, None, False]), (False, True), [1, -1, 0]),
        (pa.array([1, 0, 2]), (False, True), [1, 0, -2]),
        (pa.array([True, False]), (0, 1), [1, 0]),
        (pa.array([1, 2, 3]), ("1", "2"), [0, 1, -2]),
        (pa.array([1.0, np.nan, 2.5]), ("1", "2.5"), [0, -1, 1]),
        (pa.array(["1", "x", "2"]), (1, "x"), [0, 1, -2]),
        (pa.array([], pa.string()), ("a",), []),
        (pa.array(["a"]), (), [-2]),
        (pa.array([1]), (), [-2]),
        (pa.nulls(2), ("a",), [-1, -1]),
        (np.array([3, 1, 2]), (1, 3), [1, 0, -2]),
        (np.array([0.5, np.nan]), (0.5,), [0, -1]),
        (np.array([True, False]), (False, True), [1, 0]),
        (np.array([300, -5], np.int16), (0, 255), [-2, -2]),
        (np.array([2**63 + 5], np.uint64), (5, 6), [-2]),
        (pa.array(["a", "b"]).dictionary_encode().take(pa.array([1, 0, 1])), ("a", "b"), [1, 0, 1]),
        (pa.DictionaryArray.from_arrays(pa.array([0, 1, None]), pa.array([None, "a"])), ("a",), [-1, 0, -1]),
    ],
)
def test_codes(values, categories, codes):
    found = codes_of(values, categories, MARKERS)
    assert found.dtype == np.int32
    assert found.tolist() == codes


def test_a_number_that_marks_has_no_code():
    markers = (*MARKERS, "9")
    for values in (np.array([1, 9]), pa.array([1, 9]), pa.array(["1", "9"]), pa.array(["1", "9.0"])):
        assert codes_of(values, (1,), markers).tolist() == [0, -1]


def test_words_of_values():
    values = pa.array([1.0, 2.5, None, np.nan], from_pandas=False)
    assert as_words(values).to_pylist() == ["1", "2.5", None, None]
    assert as_words(np.array([True, False])).to_pylist() == ["True", "False"]
