"""Columns to chunks: layout by a schema, and messages that name row, column and value."""

import numpy as np
import pyarrow as pa
import pytest

from novacula.errors import DataError, SchemaError
from novacula.table import Column, Schema
from novacula.table.encode import Place, encode_batch, side_by_side, tidy_batch
from novacula.table.memory import ArraySource

SCHEMA = Schema(
    (
        Column("n", "numeric"),
        Column("k", "categorical", ("b", "a")),
        Column("t", "text"),
        Column("y", "categorical", (False, True)),
        Column("m", "numeric"),
        Column("w", "numeric"),
        Column("odd", "ignored"),
    ),
    target=("y",),
    weight="w",
    missing=("?",),
)
GOOD = {
    "w": ["1", "0.5"],
    "m": [1, None],
    "y": ["true", "FALSE"],
    "k": ["a", "? "],
    "n": ["2.5", "?"],
    "t": [" two words ", " ? "],
}


class Nowhere(ArraySource):
    """Something for rows to be a part of."""

    def __init__(self):
        super().__init__(np.empty((2, 1)), name="nowhere")


def encode(schema=SCHEMA, unseen="error", **changes):
    batch = pa.record_batch(GOOD | changes)
    return encode_batch(batch, schema, unseen, Place(Nowhere().partitions()[0], 10))


def test_columns_by_kind_in_the_order_of_the_schema():
    chunk = encode()
    np.testing.assert_array_equal(chunk.numeric, [[2.5, 1], [np.nan, np.nan]])
    np.testing.assert_array_equal(chunk.codes, [[1], [-1]])
    assert [column.tolist() for column in chunk.text] == [[" two words ", None]]
    np.testing.assert_array_equal(chunk.target, [1, 0])
    np.testing.assert_array_equal(chunk.weight, [1, 0.5])
    assert chunk.numeric.flags.c_contiguous
    assert chunk.codes.flags.c_contiguous
    assert (chunk.numeric.dtype, chunk.codes.dtype, chunk.target.dtype) == (np.float64, np.int32, np.int32)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"n": ["1", "x"]}, "row 12 of nowhere holds 'x' in the numeric column 'n': say missing="),
        ({"k": ["a", "c"]}, "row 12 of nowhere holds 'c' in column 'k', which is none of its 2 categories"),
        ({"k": [1, 2]}, "row 11 of nowhere holds 1 in column 'k'"),
        ({"y": ["true", "?"]}, "row 12 of nowhere has no value for the target 'y'"),
        ({"y": ["true", "maybe"]}, "row 12 of nowhere holds 'maybe' in column 'y'"),
        ({"w": ["1", "-2"]}, "row 12 of nowhere has the weight -2 in column 'w': weights are finite, and 0 or more"),
        ({"w": ["?", "1"]}, r"row 11 of nowhere has no weight \(NaN\) in column 'w'"),
        ({"m": [[1], [2]]}, "column 'm' of nowhere holds list<.*>, which is not a number"),
    ],
)
def test_what_cannot_be_laid_out_is_named(changes, message):
    with pytest.raises(DataError, match=message):
        encode(**changes)


def test_unseen_categories_may_be_let_through_but_not_in_the_target():
    assert encode(unseen="ignore", k=["c", "a"]).codes[:, 0].tolist() == [-2, 1]
    with pytest.raises(DataError, match="row 11 of nowhere holds 'maybe' in column 'y'"):
        encode(unseen="ignore", y=["maybe", "true"])


@pytest.mark.parametrize("kind", ["text", "ignored"])
def test_targets_of_no_use(kind):
    schema = SCHEMA.with_columns([Column("y", kind)])
    with pytest.raises(SchemaError, match=f"the target 'y' is {kind}: say types="):
        encode(schema)


def test_without_any_feature():
    chunk = encode(SCHEMA.select([]).with_target(None).drop(["y", "w"]))
    assert (chunk.numeric.shape, chunk.codes.shape, chunk.text, chunk.target) == ((2, 0), (2, 0), (), None)
    assert chunk.weight.tolist() == [1, 1]


def test_tidy():
    batch = pa.record_batch(GOOD | {"odd": [[1], [2]]})
    tidy = tidy_batch(batch, SCHEMA, "error", Place(Nowhere().partitions()[0]))
    assert tidy.to_pydict() == {
        "w": [1.0, 0.5],
        "m": [1, None],
        "y": [True, False],
        "k": ["a", None],
        "n": [2.5, None],
        "t": [" two words ", None],
        "odd": [[1], [2]],
    }
    assert tidy.column("k").dictionary.to_pylist() == ["b", "a"]


@pytest.mark.parametrize("n", [0, 1, 4096, 10_000])
def test_side_by_side(n):
    columns = [np.arange(n), np.arange(n) * 2.0]
    out = side_by_side(columns, n, np.float64)
    np.testing.assert_array_equal(out, np.column_stack(columns))
    assert out.flags.c_contiguous
    assert side_by_side([], n, np.int32).shape == (n, 0)
