"""Data frames of any make (pandas, polars, PyArrow, whatever Narwhals knows) as a source of Arrow columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from novacula.errors import DataError, InputTypeError, SchemaError
from novacula.table.arrow import Place, to_chunk
from novacula.table.chunk import Chunk, Codes, Floats
from novacula.table.memory import MemoryPartition, MemorySource
from novacula.table.schema import Schema
from novacula.table.source import Partition, Source, Unseen, rows_per_chunk


class FrameSource(MemorySource):
    """An Arrow table in memory."""

    def __init__(
        self,
        table: Any,
        target: Floats | Codes | None = None,
        weight: Floats | None = None,
        name: str = "the frame",
    ) -> None:
        super().__init__(table.num_rows, target, weight, name)
        self.table = table

    @property
    def rows_per_chunk(self) -> int:
        """Rows of about CHUNK_BYTES, at eight bytes a value."""
        return rows_per_chunk(8 * self.table.num_columns)

    def arrow_schema(self) -> Any:
        """The schema of the Arrow table."""
        return self.table.schema

    def declared(self) -> dict[str, tuple[Any, ...]]:
        """Categories in the order that a categorical column states."""
        found = super().declared()
        for field in self.table.schema:
            if pa.types.is_dictionary(field.type):
                chunks = self.table.column(field.name).unify_dictionaries().chunks
                found[field.name] = tuple(chunks[0].dictionary.to_pylist()) if chunks else ()
        return found

    def rows(self, start: int, stop: int) -> FrameSource:
        """Rows start to stop as a source."""
        target, weight = (None if a is None else a[start:stop] for a in (self.target, self.weight))
        return FrameSource(self.table.slice(start, stop - start), target, weight, self.name)

    def batch(self, start: int, stop: int, names: Sequence[str]) -> Any:
        """Rows of the named columns as one record batch."""
        part = self.table.select(list(names)).slice(start, stop - start).combine_chunks()
        batches = part.to_batches()
        return batches[0] if batches else pa.RecordBatch.from_pylist([], schema=part.schema)

    def block(self, start: int, stop: int, schema: Schema, unseen: Unseen) -> Chunk:
        """Rows as a chunk."""
        roles = [*schema.target, *(() if schema.weight is None else (schema.weight,))]
        names = [*(c.name for c in schema.features), *(role for role in roles if role in self.table.column_names)]
        batch = self.batch(start, stop, names)
        inner = schema if self.target is None else schema.drop(schema.target)
        place = Place(MemoryPartition(self, start, stop), start)
        return self.beside(to_chunk(batch, inner, unseen, place), start, stop)


def is_frame(value: Any) -> bool:
    """Whether a value is an eager data frame or an Arrow table."""
    import narwhals.stable.v2 as nw

    return bool(nw.dependencies.is_into_dataframe(value)) or isinstance(value, pa.RecordBatch)


def arrow_table(frame: Any) -> Any:
    """Any eager frame as an Arrow table, with names and values checked at the door."""
    import narwhals.stable.v2 as nw

    if isinstance(frame, pa.RecordBatch):
        frame = pa.Table.from_batches([frame])
    names = list(frame.columns) if not isinstance(frame, pa.Table) else frame.column_names
    for name in names:
        if not isinstance(name, str):
            raise SchemaError(f"the column name {name!r} is not text: rename the columns, e.g. df.columns.astype(str)")
    if len(set(names)) != len(names):
        twice = Counter(names).most_common(1)[0][0]
        raise SchemaError(f"the column name {twice!r} stands twice: rename one of them")
    if not isinstance(frame, pa.Table):
        frame = _convert(nw.from_native(frame, eager_only=True))
    for field in frame.schema:
        if pa.types.is_nested(field.type) or pa.types.is_binary(field.type):
            raise DataError(f"column {field.name!r} holds {field.type}, not single values: unpack or drop it")
    return frame


def _convert(frame: Any) -> Any:
    """Column by column, so that a failure names its column."""
    arrays = {}
    for name in frame.columns:
        try:
            arrays[name] = frame.get_column(name).to_arrow()
        except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as error:
            raise DataError(
                f"column {name!r} mixes types ({str(error).splitlines()[0]}): make it all numbers or all text"
            ) from error
    return pa.table(arrays)


def object_table(array: Any) -> Any:
    """A NumPy array of objects or strings as an Arrow table with columns x0, x1, …"""
    arrays = {}
    for j in range(array.shape[1]):
        values = [None if _is_missing(value) else value for value in array[:, j].tolist()]
        try:
            arrays[f"x{j}"] = pa.array(values)
        except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
            raise DataError(f"column x{j} mixes types ({error}): make it all numbers or all text") from error
    return pa.table(arrays)


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and bool(np.isnan(value)))


class DaskSource(Source):
    """A Dask data frame: its partitions are computed when they are read, where the table runs."""

    def __init__(self, frame: Any) -> None:
        self.name = "the Dask frame"
        self.frame = frame

    def arrow_schema(self) -> Any:
        """The schema of the frame's empty template."""
        return pa.Schema.from_pandas(self.frame._meta, preserve_index=False)

    def partitions(self) -> Sequence[DaskPartition]:
        """The frame's own partitions."""
        return [DaskPartition(part, i) for i, part in enumerate(self.frame.to_delayed())]


class DaskPartition(Partition):
    """One partition of a Dask data frame, computed on the spot where it is read."""

    def __init__(self, delayed: Any, index: int) -> None:
        self.delayed = delayed
        self.name = f"partition {index} of the Dask frame"
        self.key = f"dask-{delayed.key}"

    def _source(self) -> FrameSource:
        frame = self.delayed.compute(scheduler="synchronous") if hasattr(self.delayed, "compute") else self.delayed
        return FrameSource(arrow_table(frame), name=self.name)

    def batches(self, names: Sequence[str], raw: bool = False) -> Iterator[Any]:  # noqa: ARG002  (frames have types)
        """Compute the partition and give it in blocks."""
        for part in self._source().partitions():
            yield from part.batches(names)

    def chunks(self, schema: Schema, unseen: Unseen) -> Iterator[Chunk]:
        """Compute the partition and give it in chunks."""
        for part in self._source().partitions():
            yield from part.chunks(schema, unseen)


def require_frame(value: Any) -> Any:
    """Give the Arrow table of a frame, or say that this is none."""
    if not is_frame(value):
        raise InputTypeError(f"cannot read a {type(value).__name__}: give a path, an array or a data frame")
    return arrow_table(value)
