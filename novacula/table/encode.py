"""Columns to chunks: the one place where rows take the layout of a schema, and where they are refused.

Columns may be Arrow or NumPy arrays. What cannot be laid out is named: the row, the column and the value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow as pa

from novacula.advice import advice_on_words, option
from novacula.errors import DataError, SchemaError
from novacula.table.arrow import codes_of, is_marker, matrix_of, number_markers, numbers_of, trimmed
from novacula.table.chunk import UNSEEN, Chunk, Codes, Floats, Texts
from novacula.table.dates import moments_of
from novacula.table.schema import Column, Schema
from novacula.table.source import Partition, Unseen, kind_of_type, rows_per_chunk

_BLOCK = 4096  # rows copied at a time, so that turning columns into rows stays in the cache
_TURNED = 1 << 14  # rows turned at a time by the kernel
_APART = 80  # bytes between columns: those that begin a power of two apart crowd into few lines of the cache
_CLOSE = 1 << 16  # whole numbers within a range of this size are looked up in a table

LIGHTEST, HEAVIEST = 1e-100, 1e100
"""What weights may sum to: within it their squares, and their products with squares of columns, can be made."""
MANY = 1 << 18
"""Cells that are worth a kernel."""


class ArrowPartition(Partition):
    """A partition whose rows come as Arrow record batches."""

    def chunks(self, schema: Schema, unseen: Unseen) -> Iterator[Chunk]:
        """Turn each record batch into chunks."""
        names = [*(column.name for column in schema.features), *schema.roles]
        step = rows_per_chunk(8 * len(names))
        row = 0
        for batch in self.batches(names, schema):
            for start in range(0, batch.num_rows, step):
                yield encode_batch(batch.slice(start, step), schema, unseen, Place(self, row + start))
            row += batch.num_rows


class Place:
    """Where a batch stands, for messages: a partition and the number of its rows before the batch."""

    def __init__(self, partition: Partition, row: int = 0) -> None:
        self.partition = partition
        self.row = row

    def name(self, flags: Any) -> str:
        """Name the first row that is flagged."""
        return self.row_name(int(np.argmax(flags)))

    def row_name(self, row: int) -> str:
        """Name a row of the batch."""
        return self.partition.row_name(self.row + row)


def encode_batch(
    batch: Any, schema: Schema, unseen: Unseen, place: Place, coded: Mapping[str, Any] = MappingProxyType({})
) -> Chunk:
    """Lay out a record batch by a schema; of some columns the codes may be known already."""
    columns = dict(zip(batch.schema.names, batch.columns, strict=True))
    n = batch.num_rows
    return Chunk(
        _encode_numbers(columns, n, schema, place),
        encode_categories(columns, n, schema, unseen, place, coded),
        encode_weight(columns, n, schema, place),
        None,
        tuple(_texts(columns[c.name], schema.markers(c.name)) for c in schema.of_kind("text")),
        encode_target(columns, schema, place),
    )


def _encode_numbers(columns: Mapping[str, Any], n: int, schema: Schema, place: Place) -> Floats:
    """The numeric features side by side."""
    numeric = schema.of_kind("numeric")
    marked = any(number_markers(markers) for markers in {schema.markers(c.name) for c in numeric})
    matrix = None if marked else matrix_of([columns[c.name] for c in numeric])
    if matrix is not None:
        return matrix
    return side_by_side([_numbers(columns[c.name], c, schema, place) for c in numeric], n, np.float64)


def encode_categories(
    columns: Mapping[str, Any],
    n: int,
    schema: Schema,
    unseen: Unseen,
    place: Place,
    coded: Mapping[str, Any] = MappingProxyType({}),
) -> Codes:
    """The codes of the categorical features side by side."""
    parts = [
        coded[c.name] if c.name in coded else _codes(columns[c.name], c, schema, unseen, place)
        for c in schema.of_kind("categorical")
    ]
    if n * len(parts) >= MANY and all(part.dtype == np.int8 for part in parts):
        return _turned(parts, n)
    return side_by_side(parts, n, np.int32)


def _turned(columns: Sequence[Any], n: int) -> Codes:
    """Columns of codes of one byte side by side: `side_by_side` takes twice the time for twelve columns and more."""
    from novacula.table._kernels import turn

    codes = np.empty((n, len(columns)), np.int32)
    block = np.empty((len(columns), _TURNED + _APART), np.int8)
    for start in range(0, n, _TURNED):
        rows = codes[start : start + _TURNED]
        for line, column in zip(block, columns, strict=True):
            line[: len(rows)] = column[start : start + _TURNED]
        turn(block, rows)
    return codes


class WholeCodes:
    """The codes of columns of whole numbers that lie close together: one table for all cells of many rows.

    The table is empty where the categories of every column follow each other without a gap, and are their own codes.
    """

    def __init__(self, columns: Sequence[Column]) -> None:
        categories = [np.array(column.categories, np.int64) for column in columns]
        self.low = np.array([values.min() for values in categories])
        self.start = np.cumsum([0, *(np.ptp(values) + 1 for values in categories)])
        gapless = all((np.diff(values) == 1).all() for values in categories)
        self.table = np.full(0 if gapless else self.start[-1], UNSEEN, np.int32)
        if not gapless:
            for values, place in zip(categories, self.start[:-1] - self.low, strict=True):
                self.table[values + place] = np.arange(len(values), dtype=np.int32)

    @classmethod
    def of(cls, columns: Sequence[Column], schema: Schema, array: Any) -> WholeCodes | None:
        """The table of these columns of an array; None if it does not serve all of them, or few cells."""
        serves = columns and array.size >= MANY and np.can_cast(array.dtype, np.int64)
        return cls(columns) if serves and all(_is_close(column, schema) for column in columns) else None

    def look_up(self, rows: Any, unseen: Unseen) -> Codes | None:
        """The codes of rows (n, d), UNSEEN for all other numbers; None if there are others, and they are refused."""
        from novacula.table._kernels import look_up

        codes = np.empty(rows.shape, np.int32)
        known = look_up(np.ascontiguousarray(rows, np.int64), self.low, self.start, self.table, codes)
        return codes if known or unseen != "error" else None


def _is_close(column: Column, schema: Schema) -> bool:
    """Whether the categories are whole numbers within a short range, and no number marks a missing value."""
    values = [value for value in column.categories if isinstance(value, int)]
    if not values or len(values) < len(column.categories) or number_markers(schema.markers(column.name)):
        return False
    low, high = min(values), max(values)
    return high - low < _CLOSE and low >= -(1 << 63) and high < 1 << 63  # what int64 holds


def encode_weight(columns: Mapping[str, Any], n: int, schema: Schema, place: Place) -> Floats:
    """The weight of each row, 1 where the schema names no column for it."""
    if schema.weight is None:
        return np.ones(n)
    weight = _numbers(columns[schema.weight], schema[schema.weight], schema, place)
    require_weights(weight, place.row_name, f"column {schema.weight!r}")
    return np.ascontiguousarray(weight)


def require_weights(weight: Floats, row_name: Callable[[int], str], where: str) -> None:
    """Refuse weights that are missing, negative or infinite, with the row."""
    wrong = ~((weight >= 0) & (weight < np.inf))
    if wrong.any():
        row = int(np.argmax(wrong))
        what = "no weight (NaN)" if np.isnan(weight[row]) else f"the weight {weight[row]:g}"
        raise DataError(f"{row_name(row)} has {what} in {where}: weights are finite, and 0 or more")


def require_total_weight(total: float, where: str) -> None:
    """Refuse weights that sum to nothing, or to so much or so little that products with them are lost."""
    if not total > 0.0:
        raise DataError(f"the weights of {where} sum to zero: no row counts")
    if not LIGHTEST <= total <= HEAVIEST:
        size = "large" if total > 1.0 else "small"
        advice = "multiply all of them by one number, so that they sum to about the number of rows"
        raise DataError(f"the weights of {where} sum to {total:.3g}, too {size} to calculate with: {advice}")


def encode_target(columns: Mapping[str, Any], schema: Schema, place: Place) -> Floats | Codes | None:
    """The target: codes of one categorical column, or one or several columns of numbers."""
    if not schema.target:
        return None
    parts = [_target(columns[column.name], column, schema, place) for column in schema.target_columns]
    return np.ascontiguousarray(parts[0]) if len(parts) == 1 else np.column_stack(parts)


def _target(values: Any, column: Column, schema: Schema, place: Place) -> Any:
    if column.kind == "categorical" and len(schema.target) == 1:
        part: Any = _codes(values, column, schema, "error", place)
        gone = part < 0
    elif column.kind == "numeric":
        part = _numbers(values, column, schema, place)
        gone = np.isnan(part)
    else:
        among = "" if len(schema.target) == 1 else " one of several targets and"
        advice = f"say {option('types', {column.name: 'numeric'})}, or name another target"
        raise SchemaError(f"the target {column.name!r} is{among} {column.kind}: {advice}")
    if gone.any():
        raise refused_target("missing", column.name, place.name(gone))
    return part


def refused_target(what: str, name: str, row: str, value: float = np.inf) -> DataError:
    """The error of a target that is missing or infinite."""
    if what == "missing":
        return DataError(f"{row} has no value for the target {name!r}: fill it in or leave the row out")
    return DataError(f"the target {name!r} is infinite ({value:g}) in {row}: replace the value or leave the row out")


def _numbers(values: Any, column: Column, schema: Schema, place: Place) -> Floats:
    try:
        numbers, words = numbers_of(values, schema.markers(column.name), column.spelling)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, ValueError, TypeError) as error:
        kind = values.dtype if isinstance(values, np.ndarray) else values.type
        where = place.partition.name
        raise DataError(f"column {column.name!r} of {where} holds {kind}, which is not a number") from error
    if words is not None:
        value = values[int(np.argmax(words))].as_py()
        where = f"the {'column of dates' if column.is_time else 'numeric column'} {column.name!r}"
        raise DataError(
            f"{place.name(words)} holds {value!r} in {where}: {advice_on_words(column.name, value.strip())}"
        )
    return numbers


def _codes(values: Any, column: Column, schema: Schema, unseen: Unseen, place: Place) -> Codes:
    codes = codes_of(values, column.categories, schema.markers(column.name))
    if unseen == "error" and (new := codes == UNSEEN).any():
        value = values[int(np.argmax(new))]
        value = value.item() if isinstance(value, np.generic) else value.as_py()
        raise DataError(
            f"{place.name(new)} holds {value!r} in column {column.name!r}, which is none of its "
            f"{len(column.categories)} categories"
        )
    return codes


def _texts(values: Any, markers: Sequence[str]) -> Texts:
    words = values.cast(pa.string())
    texts = np.array(words.to_numpy(zero_copy_only=False), dtype=object)
    texts[np.asarray(is_marker(trimmed(words), markers))] = None
    return texts


def tidy_batch(batch: Any, schema: Schema, unseen: Unseen, place: Place) -> Any:
    """A record batch in which text has become what the schema says: numbers, categories or null."""
    columns = dict(zip(batch.schema.names, batch.columns, strict=True))
    return pa.record_batch(
        {name: _tidy(values, schema[name], schema, unseen, place) for name, values in columns.items()}
    )


def _tidy(values: Any, column: Column, schema: Schema, unseen: Unseen, place: Place) -> Any:
    if column.kind == "categorical":
        codes = _codes(values, column, schema, unseen, place)
        return pa.DictionaryArray.from_arrays(
            pa.array(codes, mask=codes < 0), pa.array(list(column.categories)), ordered=column.declared
        )
    if column.kind == "text":
        return pa.array(_texts(values, schema.markers(column.name)), pa.string())
    if column.kind == "numeric" and kind_of_type(values.type) != "numeric":
        numbers = _numbers(values, column, schema, place)
        return moments_of(numbers) if column.is_time else pa.array(numbers, from_pandas=True)
    return values


def side_by_side(columns: Sequence[Any], n: int, dtype: Any) -> Any:
    """Arrays as the columns of one C-ordered array."""
    out = np.empty((n, len(columns)), dtype)
    for start in range(0, n, _BLOCK):
        rows = slice(start, start + _BLOCK)
        for j, column in enumerate(columns):
            out[rows, j] = column[rows]
    return out
