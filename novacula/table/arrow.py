"""Arrow columns to chunks: the one place where a value becomes a number or a code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from novacula.errors import DataError
from novacula.table.chunk import MISSING, UNSEEN, Chunk, Codes, Floats, Texts
from novacula.table.schema import Column, Schema
from novacula.table.source import Partition, Unseen, rows_per_chunk

_BLOCK = 4096  # rows copied at a time, so that turning columns into rows stays in the cache


class ArrowPartition(Partition):
    """A partition whose rows come as Arrow record batches."""

    def chunks(self, schema: Schema, unseen: Unseen) -> Iterator[Chunk]:
        """Turn each record batch into chunks."""
        roles = (*schema.target, *(() if schema.weight is None else (schema.weight,)))
        names = [*(column.name for column in schema.features), *roles]
        row = 0
        for batch in self.batches(names):
            step = rows_per_chunk(8 * len(names))
            for start in range(0, batch.num_rows, step):
                piece = batch.slice(start, step)
                yield to_chunk(piece, schema, unseen, Place(self, row + start))
            row += batch.num_rows


class Place:
    """Where a batch stands, for messages: a partition and the number of rows before the batch."""

    def __init__(self, partition: Partition, row: int) -> None:
        self.partition = partition
        self.row = row

    def name(self, flags: Any) -> str:
        """Name the first row that is flagged, counted from 1."""
        return f"row {self.row + int(np.argmax(flags)) + 1} of {self.partition.name}"


def to_chunk(batch: Any, schema: Schema, unseen: Unseen, place: Place) -> Chunk:
    """Lay out a record batch by a schema."""
    n = batch.num_rows
    take = {name: column for name, column in zip(batch.schema.names, batch.columns, strict=True)}
    numeric = [_numbers(take[c.name], schema, c, place) for c in schema.of_kind("numeric")]
    codes = [_codes(take[c.name], schema, c, unseen, place) for c in schema.of_kind("categorical")]
    text = tuple(_texts(take[c.name], schema.markers(c.name)) for c in schema.of_kind("text"))
    return Chunk(
        side_by_side(numeric, n, np.dtype(np.float64)),
        side_by_side(codes, n, np.dtype(np.int32)),
        np.ones(n) if schema.weight is None else _weights(take[schema.weight], schema, place),
        None,
        text,
        _target([take[name] for name in schema.target], schema, place),
    )


def side_by_side(columns: Sequence[Any], n: int, dtype: np.dtype[Any]) -> Any:
    """Columns as the columns of one C-ordered array."""
    out = np.empty((n, len(columns)), dtype)
    for start in range(0, n, _BLOCK):
        rows = slice(start, start + _BLOCK)
        for j, column in enumerate(columns):
            out[rows, j] = column[rows]
    return out


def _target(columns: Sequence[Any], schema: Schema, place: Place) -> Floats | Codes | None:
    if not columns:
        return None
    parts = []
    for column, values in zip(schema.target_columns, columns, strict=True):
        if column.kind == "categorical":
            part: Any = _codes(values, schema, column, "error", place)
            gone = part < 0
        elif column.kind == "numeric":
            part = _numbers(values, schema, column, place)
            gone = np.isnan(part)
        else:
            raise DataError(f"the target {column.name!r} is a {column.kind} column: say types={{{column.name!r}: …}}")
        if gone.any():
            raise DataError(f"{place.name(gone)} has no value for the target {column.name!r}")
        parts.append(part)
    return parts[0] if len(parts) == 1 else np.column_stack(parts).astype(np.float64)


def _weights(values: Any, schema: Schema, place: Place) -> Floats:
    weight = _numbers(values, schema, schema[str(schema.weight)], place)
    wrong = ~((weight >= 0) & (weight < np.inf))
    if wrong.any():
        raise DataError(f"{place.name(wrong)} has a weight that is negative, infinite or missing")
    return np.ascontiguousarray(weight)


def plain(values: Any) -> Any:
    """A chunked or dictionary array as one array of its values."""
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    return values.dictionary_decode() if pa.types.is_dictionary(values.type) else values


def is_textual(kind: Any) -> bool:
    """Whether an Arrow type holds strings."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def trimmed(values: Any) -> Any:
    """Strings without the white space around them."""
    return pc.utf8_trim_whitespace(values.cast(pa.string()))


def is_marker(values: Any, markers: Sequence[str]) -> Any:
    """Flags of the strings that stand for a missing value, or are null."""
    return pc.or_(pc.is_in(values, value_set=pa.array(markers, pa.string())), pc.is_null(values))


def as_floats(values: Any) -> Floats:
    """Numbers, truth values and times as float64, null as NaN (times: seconds since 1970)."""
    kind = values.type
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        values = values.cast(pa.timestamp("us")).cast(pa.int64()).cast(pa.float64(), safe=False)
        return np.asarray(values.to_numpy(zero_copy_only=False), np.float64) / 1e6
    if pa.types.is_boolean(kind):
        values = values.cast(pa.uint8())
    out = values.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    return np.asarray(out, np.float64)


def _numbers(values: Any, schema: Schema, column: Column, place: Place) -> Floats:
    values = plain(values)
    if is_textual(values.type):
        text = trimmed(values)
        text = pc.if_else(is_marker(text, schema.markers(column.name)), pa.scalar(None, pa.string()), text)
        try:
            values = text.cast(pa.float64())
        except pa.ArrowInvalid:
            bad = np.array([not _is_number(value) for value in text.to_pylist()])
            value = text[int(np.argmax(bad))].as_py()
            raise DataError(
                f"{place.name(bad)} holds {value!r} in the numeric column {column.name!r}: name it in missing=, or say "
                f"types={{{column.name!r}: 'categorical'}}"
            ) from None
    try:
        return as_floats(values)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise DataError(
            f"column {column.name!r} of {place.partition.name} holds {values.type}, which is not a number"
        ) from None


def _is_number(value: str | None) -> bool:
    try:
        return value is None or float(value) == float(value) or True
    except ValueError:
        return False


def _texts(values: Any, markers: Sequence[str]) -> Texts:
    text = plain(values).cast(pa.string())
    out = np.asarray(text.to_numpy(zero_copy_only=False), dtype=object)
    out[np.asarray(is_marker(text, markers))] = None
    return out


def _codes(values: Any, schema: Schema, column: Column, unseen: Unseen, place: Place) -> Codes:
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if pa.types.is_dictionary(values.type):
        of_entry = np.append(_codes_of(values.dictionary, schema, column), np.int32(MISSING))
        codes = of_entry[np.asarray(values.indices.cast(pa.int64()).fill_null(-1))]
    else:
        codes = _codes_of(values, schema, column)
    if unseen == "error":
        new = codes == UNSEEN
        if new.any():
            value = plain(values)[int(np.argmax(new))].as_py()
            raise DataError(
                f"{place.name(new)} holds {value!r} in column {column.name!r}, which is none of its "
                f"{len(column.categories)} categories"
            )
    return np.ascontiguousarray(codes, np.int32)


def _codes_of(values: Any, schema: Schema, column: Column) -> Codes:
    """Code of each value: its place among the categories, MISSING or UNSEEN."""
    categories: Any = pa.array([])
    if column.categories:
        categories = pa.array(list(column.categories))
    words = is_textual(values.type)
    missing = pc.is_null(values, nan_is_null=not words)
    if words:
        values = trimmed(values)
        missing = is_marker(values, schema.markers(column.name))
    if is_textual(categories.type):
        values = values if words else as_words(values)
    elif words and pa.types.is_boolean(categories.type):
        values, categories = pc.utf8_lower(values), pa.array([str(c).lower() for c in column.categories])
    elif words:
        values = _read_numbers(values)
        categories = categories.cast(pa.float64())
    else:
        values, categories = pa.array(as_floats(values)), pa.array(as_floats(categories))
    found = pc.index_in(values, value_set=categories.cast(values.type)).fill_null(UNSEEN)
    return np.where(np.asarray(missing), np.int32(MISSING), np.asarray(found)).astype(np.int32)


def as_words(values: Any) -> Any:
    """Values of any plain type as the strings that name them."""
    return pa.array([None if v is None else str(v) for v in values.to_pylist()], pa.string())


def _read_numbers(words: Any) -> Any:
    """Strings as numbers, null where they are none."""
    try:
        return words.cast(pa.float64())
    except pa.ArrowInvalid:
        pairs = [(word, _is_number(word)) for word in words.to_pylist()]
        return pa.array([float(word) if fits and word is not None else None for word, fits in pairs], pa.float64())
