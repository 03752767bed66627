"""Sources that are in memory: arrays, sparse matrices and Arrow tables, with target and weight beside them.

Row blocks of a C-ordered float64 array are views: nothing is copied on the way to a kernel.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count
from typing import Any

import numpy as np

from novacula.errors import DataError, SchemaError
from novacula.table.chunk import MISSING, UNSEEN, Chunk, Codes, Floats, sparse_rows
from novacula.table.schema import Column, Schema
from novacula.table.source import CHUNK_BYTES, Partition, Source, Unseen, rows_per_chunk

BLOCK = "features"
"""The name of the one column that stands for a sparse block."""

_serial = count()


class MemorySource(Source):
    """Rows in memory; `target` and `weight`, where given, stand beside the columns rather than among them."""

    def __init__(self, n_rows: int, target: Floats | Codes | None, weight: Floats | None, name: str) -> None:
        self.n_rows = n_rows
        self.target = target
        self.weight = weight
        self.name = name
        self.key = f"{name}-{next(_serial)}"

    @property
    @abstractmethod
    def rows_per_chunk(self) -> int:
        """Rows of a block."""

    @abstractmethod
    def block(self, start: int, stop: int, schema: Schema, unseen: Unseen) -> Chunk:
        """Rows start to stop as a chunk."""

    @abstractmethod
    def rows(self, start: int, stop: int) -> MemorySource:
        """Rows start to stop as a source of their own."""

    @abstractmethod
    def batch(self, start: int, stop: int, names: Sequence[str]) -> Any:
        """Rows start to stop of the named columns as an Arrow record batch."""

    def partitions(self) -> Sequence[MemoryPartition]:
        """Blocks of equal length; an empty table has one, which is empty."""
        starts = range(0, max(self.n_rows, 1), self.rows_per_chunk)
        return [MemoryPartition(self, start, min(start + self.rows_per_chunk, self.n_rows)) for start in starts]

    def count_rows(self) -> int:
        """Rows held."""
        return self.n_rows

    def beside(self, chunk: Chunk, start: int, stop: int) -> Chunk:
        """Put target and weight into a chunk."""
        target = chunk.target if self.target is None else self.target[start:stop]
        weight = chunk.weight if self.weight is None else self.weight[start:stop]
        return replace(chunk, target=target, weight=weight)


class MemoryPartition(Partition):
    """A block of rows of a source in memory."""

    def __init__(self, source: MemorySource, start: int, stop: int) -> None:
        self.source = source
        self.start = start
        self.stop = stop
        self.name = source.name
        self.key = f"{source.key}-{start}"

    def chunks(self, schema: Schema, unseen: Unseen) -> Iterator[Chunk]:
        """Give the block as one chunk."""
        yield self.source.block(self.start, self.stop, schema, unseen)

    def batches(self, names: Sequence[str], raw: bool = False) -> Iterator[Any]:  # noqa: ARG002  (rows in memory have types)
        """Give the block as one record batch."""
        yield self.source.batch(self.start, self.stop, names)

    def detached(self) -> MemoryPartition:
        """Give the block with its own rows only, under the same key."""
        part = MemoryPartition(self.source.rows(self.start, self.stop), 0, self.stop - self.start)
        part.key = self.key
        return part


class ArraySource(MemorySource):
    """A NumPy array (n, d) of numbers; its columns are called x0, x1, … unless names are given."""

    def __init__(
        self,
        array: Any,
        target: Floats | Codes | None = None,
        weight: Floats | None = None,
        names: Sequence[str] | None = None,
        name: str = "the array",
    ) -> None:
        super().__init__(len(array), target, weight, name)
        self.array = array
        self.names = tuple(names) if names is not None else tuple(f"x{j}" for j in range(array.shape[1]))
        if len(self.names) != array.shape[1]:
            raise SchemaError(f"{len(self.names)} names were given for {array.shape[1]} columns")

    @property
    def rows_per_chunk(self) -> int:
        """Rows of about CHUNK_BYTES, as float64."""
        return rows_per_chunk(8 * self.array.shape[1])

    def arrow_schema(self) -> Any:
        """Every column has the array's type."""
        import pyarrow as pa

        return pa.schema([(name, pa.from_numpy_dtype(self.array.dtype)) for name in self.names])

    def rows(self, start: int, stop: int) -> ArraySource:
        """Rows start to stop as a source."""
        part = slice(start, stop)
        target, weight = (None if a is None else a[part] for a in (self.target, self.weight))
        return ArraySource(self.array[part], target, weight, self.names, self.name)

    def batch(self, start: int, stop: int, names: Sequence[str]) -> Any:
        """Rows as Arrow columns."""
        import pyarrow as pa

        place = {name: j for j, name in enumerate(self.names)}
        columns = [pa.array(np.ascontiguousarray(self.array[start:stop, place[name]])) for name in names]
        return pa.record_batch(columns, names=list(names))

    def block(self, start: int, stop: int, schema: Schema, unseen: Unseen) -> Chunk:
        """Rows as a chunk; a view where the array already is one."""
        rows = self.array[start:stop]
        place = {name: j for j, name in enumerate(self.names)}
        numeric = [place[c.name] for c in schema.of_kind("numeric")]
        coded = schema.of_kind("categorical")
        plain = rows if numeric == list(range(len(self.names))) else rows[:, numeric]
        codes = np.empty((len(rows), len(coded)), np.int32)
        for j, column in enumerate(coded):
            codes[:, j] = self._codes(rows[:, place[column.name]], column, unseen, start)
        inner = [place[name] for name in schema.target if name in place]
        chunk = Chunk(
            np.ascontiguousarray(plain, np.float64),
            codes,
            np.ones(len(rows)) if schema.weight is None else self._weight(rows[:, place[schema.weight]], start),
            target=self._target(rows, inner, schema, start) if inner else None,
        )
        return self.beside(chunk, start, stop)

    def _target(self, rows: Any, inner: list[int], schema: Schema, start: int) -> Floats | Codes:
        column = schema.target_columns[0]
        if len(inner) == 1 and column.kind == "categorical":
            return self._codes(rows[:, inner[0]], column, "error", start)
        values = np.ascontiguousarray(rows[:, inner], np.float64)
        gone = np.isnan(values).any(axis=1)
        if gone.any():
            raise DataError(f"row {start + int(np.argmax(gone)) + 1} of {self.name} has no value for the target")
        return values[:, 0] if len(inner) == 1 else values

    def _weight(self, values: Any, start: int) -> Floats:
        wrong = ~((values >= 0) & (values < np.inf))
        if wrong.any():
            row = start + int(np.argmax(wrong)) + 1
            raise DataError(f"row {row} of {self.name} has a weight that is negative, infinite or missing")
        return np.ascontiguousarray(values, np.float64)

    def _codes(self, values: Any, column: Column, unseen: Unseen, start: int) -> Codes:
        codes = codes_of_numbers(values, column.categories)
        if unseen == "error" and (codes == UNSEEN).any():
            row = int(np.argmax(codes == UNSEEN))
            raise DataError(
                f"row {start + row + 1} of {self.name} holds {values[row]!r} in column {column.name!r}, which is none "
                f"of its {len(column.categories)} categories"
            )
        return codes


class SparseSource(MemorySource):
    """A SciPy CSR matrix as one block of numeric columns."""

    def __init__(
        self,
        matrix: Any,
        target: Floats | Codes | None = None,
        weight: Floats | None = None,
        name: str = "the sparse matrix",
    ) -> None:
        super().__init__(matrix.shape[0], target, weight, name)
        self.matrix = matrix

    @property
    def rows_per_chunk(self) -> int:
        """Rows such that a block outweighs the dense sums per column that are made of it."""
        n, width = self.matrix.shape
        row_bytes = 12 * max(self.matrix.nnz // max(n, 1), 1)
        return max(64, max(CHUNK_BYTES, 512 * width) // row_bytes)

    def arrow_schema(self) -> Any:
        """There are no Arrow columns in a sparse block."""
        import pyarrow as pa

        return pa.schema([])

    def blocks(self) -> tuple[Column, ...]:
        """The whole matrix is one block."""
        return (Column(BLOCK, "sparse", missing=0, width=self.matrix.shape[1]),)

    def rows(self, start: int, stop: int) -> SparseSource:
        """Rows start to stop as a source."""
        target, weight = (None if a is None else a[start:stop] for a in (self.target, self.weight))
        return SparseSource(sparse_rows(self.matrix, start, stop), target, weight, self.name)

    def batch(self, start: int, stop: int, names: Sequence[str]) -> Any:
        """Refuse: sparse columns have no Arrow form."""
        raise SchemaError(f"{self.name} is sparse: its columns cannot be taken out one by one")

    def block(self, start: int, stop: int, schema: Schema, unseen: Unseen) -> Chunk:  # noqa: ARG002  (no categories)
        """Rows as a chunk whose data are views."""
        n = stop - start
        chunk = Chunk(
            np.empty((n, 0)), np.empty((n, 0), np.int32), np.ones(n), sparse_rows(self.matrix, start, stop)
        )
        return self.beside(chunk, start, stop)


def codes_of_numbers(values: Any, categories: Sequence[Any]) -> Codes:
    """Code of each number: its place among the categories, MISSING for NaN, UNSEEN for any other."""
    known = np.asarray(categories)
    if len(known) == 0:
        return np.where(_is_nan(values), np.int32(MISSING), np.int32(UNSEEN)).astype(np.int32)
    low, high = known.min(), known.max()
    if values.dtype.kind in "iub" and known.dtype.kind in "iub" and int(high) - int(low) < 1 << 16:
        of_value = np.full(int(high) - int(low) + 3, UNSEEN, np.int32)  # one slot on each side for what lies outside
        of_value[known.astype(np.int64) - int(low) + 1] = np.arange(len(known))
        return of_value[np.clip(values.astype(np.int64) - (int(low) - 1), 0, len(of_value) - 1)]
    order = np.argsort(known, kind="stable")
    at = order[np.minimum(np.searchsorted(known, values, sorter=order), len(known) - 1)]
    codes = np.where(known[at] == values, at, UNSEEN)
    return np.where(_is_nan(values), MISSING, codes).astype(np.int32)


def _is_nan(values: Any) -> Any:
    return np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), bool)
