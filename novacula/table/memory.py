"""Sources in memory: arrays, sparse matrices and Arrow tables, with target and weight next to them.

Row blocks of a C-ordered float64 array are views: nothing is copied on the way to a kernel.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Self
from uuid import uuid4

import numpy as np

from novacula.errors import SchemaError
from novacula.table.chunk import Chunk, Codes, Floats, sparse_rows
from novacula.table.schema import Column, Schema
from novacula.table.source import CHUNK_BYTES, DOUBLE, Partition, Source, Unseen, rows_per_chunk

if TYPE_CHECKING:
    from novacula.table.encode import WholeCodes

BLOCK = "features"
"""The name of the one column that stands for a sparse block."""


class ArrayPlan(NamedTuple):
    """How rows of an array become a chunk by a schema; places are None where they are all columns in order."""

    numeric: list[int] | None
    marked: list[tuple[tuple[float, ...], Any]]  # markers with the columns in which they are missing
    coded: list[int] | None
    codes: WholeCodes | None  # None where categories are found column by column


class MemorySource(Source):
    """Rows in memory; `target` and `weight`, where given, are separate from the columns."""

    first_row = 0  # where these rows begin in those they were taken from, for messages
    left: Any = None  # the places of its rows in what was read, where some were left out
    _inner: tuple[Schema, Schema] | None = None

    def __init__(self, n_rows: int, target: Floats | Codes | None, weight: Floats | None, name: str) -> None:
        self.n_rows = n_rows
        self.target = target
        self.weight = weight
        self.name = name
        self.key = f"{name}-{uuid4().hex}"

    @property
    @abstractmethod
    def rows_per_chunk(self) -> int:
        """Rows of a block."""

    @abstractmethod
    def block(self, start: int, stop: int, schema: Schema, unseen: Unseen) -> Chunk:
        """Rows start to stop as a chunk, without target and weight."""

    @abstractmethod
    def batch(self, start: int, stop: int, names: Sequence[str]) -> Any:
        """Rows start to stop of the named columns as an Arrow record batch."""

    def whole_numbers(self, start: int, stop: int, names: Sequence[str]) -> Any:
        """Rows start to stop of the named columns as an array of whole numbers; None where they are none."""
        return None

    @abstractmethod
    def keep(self, start: int, stop: int) -> None:
        """Let go of all columns' other rows."""

    def rows(self, start: int, stop: int) -> Self:
        """Rows start to stop as a source of their own."""
        part = copy(self)
        part.n_rows, part.first_row = stop - start, self.first_row + start
        part.target = None if self.target is None else self.target[start:stop]
        part.weight = None if self.weight is None else self.weight[start:stop]
        part.left = None if self.left is None else self.left[start:stop]
        part.keep(start, stop)
        return part

    def rows_left(self) -> Any:
        """The places of its rows in what was read, where some were left out; None: all are there."""
        return self.left

    def partitions(self) -> Sequence[MemoryPartition]:
        """Blocks of equal length; an empty table has one, which is empty."""
        step = self.rows_per_chunk
        starts = range(0, max(self.n_rows, 1), step)
        return [MemoryPartition(self, start, min(start + step, self.n_rows)) for start in starts]

    def count_rows(self) -> int:
        """Rows held."""
        return self.n_rows

    def chunk(self, start: int, stop: int, schema: Schema, unseen: Unseen) -> Chunk:
        """Rows as a chunk, with the target, if the schema names one, and the weight."""
        chunk = self.block(start, stop, self._columns_of(schema), unseen)
        target = self.target[start:stop] if self.target is not None and schema.target else chunk.target
        weight = chunk.weight if self.weight is None else self.weight[start:stop]
        return replace(chunk, target=target, weight=weight)

    def _columns_of(self, schema: Schema) -> Schema:
        """The schema without separate target and weight; kept, since every block of a pass needs it."""
        if self._inner is None or self._inner[0] is not schema:
            separate = [] if self.target is None else list(schema.target)
            if self.weight is not None and schema.weight is not None:
                separate.append(schema.weight)
            self._inner = (schema, schema.drop(separate) if separate else schema)
        return self._inner[1]


class MemoryPartition(Partition):
    """A block of rows of a source in memory."""

    is_one_chunk = True

    def __init__(self, source: MemorySource, start: int, stop: int) -> None:
        self.source = source
        self.start = start
        self.stop = stop
        self.name = source.name
        self.key = f"{source.key}-{start}"

    def chunks(self, schema: Schema, unseen: Unseen) -> Iterator[Chunk]:
        """Give the block as one chunk."""
        yield self.source.chunk(self.start, self.stop, schema, unseen)

    def batches(self, names: Sequence[str], schema: Schema | None = None) -> Iterator[Any]:
        """Give the block as one record batch."""
        yield self.source.batch(self.start, self.stop, names)

    def whole_numbers(self, names: Sequence[str]) -> Any:
        """Give the block as it lies in memory."""
        return self.source.whole_numbers(self.start, self.stop, names)

    def detached(self) -> MemoryPartition:
        """Give the block with its own rows only, under the same key."""
        part = MemoryPartition(self.source.rows(self.start, self.stop), 0, self.stop - self.start)
        part.key = self.key
        return part

    def row_name(self, row: int) -> str:
        """Count rows from the first one of all, those included that were left out."""
        place, left = self.start + row, self.source.left
        number = self.source.first_row + place if left is None or place >= len(left) else left[place]
        return f"row {number + 1} of {self.name}"


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
        self._place = {name: j for j, name in enumerate(self.names)}
        self._plan: tuple[Schema, ArrayPlan] | None = None

    @property
    def rows_per_chunk(self) -> int:
        """Rows of about CHUNK_BYTES, as float64."""
        return rows_per_chunk(8 * self.array.shape[1])

    def arrow_schema(self) -> Any:
        """Every column has the array's type."""
        return self._stored

    @cached_property
    def _stored(self) -> Any:
        import pyarrow as pa

        stored = pa.from_numpy_dtype(self.array.dtype)
        return pa.schema([(name, stored) for name in self.names])

    def rounding(self, names: Sequence[str]) -> list[float]:
        """Every column has the array's."""
        short = self.array.dtype.kind == "f" and self.array.itemsize < 8
        return [float(np.finfo(self.array.dtype).eps) if short else DOUBLE] * len(names)

    def keep(self, start: int, stop: int) -> None:
        """Keep a view of the rows; the plan, which is quickly made again, does not travel with them."""
        self.array, self._plan = self.array[start:stop], None

    def batch(self, start: int, stop: int, names: Sequence[str]) -> Any:
        """Rows as Arrow columns."""
        import pyarrow as pa

        columns = self.array[start:stop].T
        arrays = [pa.array(np.ascontiguousarray(columns[self._place[name]])) for name in names]
        return pa.record_batch(arrays, names=list(names))

    def whole_numbers(self, start: int, stop: int, names: Sequence[str]) -> Any:
        """Rows that int64 holds; a view where all columns are asked for."""
        if not np.can_cast(self.array.dtype, np.int64) or self.array.dtype == bool:
            return None
        places = [self._place[name] for name in names]
        return _chosen(self.array[start:stop], None if places == list(range(len(self.names))) else places)

    def block(self, start: int, stop: int, schema: Schema, unseen: Unseen) -> Chunk:
        """Rows as a chunk; a view where the array already is one."""
        from novacula.table.encode import Place, encode_categories, encode_target, encode_weight

        rows, n, plan = self.array[start:stop], stop - start, self._plan_of(schema)
        named = (*(c.name for c in schema.of_kind("categorical")), *schema.roles)
        columns = {name: rows[:, self._place[name]] for name in named}
        place = Place(MemoryPartition(self, start, stop))
        codes = None if plan.codes is None else plan.codes.look_up(_chosen(rows, plan.coded), unseen)
        if codes is None:  # column by column; what is refused is named
            codes = encode_categories(columns, n, schema, unseen, place)
        return Chunk(
            _numbers(rows, plan),
            codes,
            encode_weight(columns, n, schema, place),
            target=encode_target(columns, schema, place),
        )

    def _plan_of(self, schema: Schema) -> ArrayPlan:
        """Kept, since all blocks of a pass ask for it."""
        if self._plan is None or self._plan[0] is not schema:
            self._plan = (schema, self._planned(schema))
        return self._plan[1]

    def _planned(self, schema: Schema) -> ArrayPlan:
        from novacula.table.arrow import number_markers
        from novacula.table.encode import WholeCodes

        numeric, coded = schema.of_kind("numeric"), schema.of_kind("categorical")
        marked = schema.missing or schema.missing_by_column
        own = [schema.markers(column.name) for column in numeric] if marked else []
        held = [(number_markers(markers), np.array([other == markers for other in own])) for markers in set(own)]
        return ArrayPlan(
            self._places(numeric),
            [(markers, owned) for markers, owned in held if markers],
            self._places(coded),
            WholeCodes.of(coded, schema, self.array),
        )

    def _places(self, columns: Sequence[Column]) -> list[int] | None:
        chosen = [self._place[column.name] for column in columns]
        return None if chosen == list(range(len(self.names))) else chosen


def _chosen(rows: Any, places: list[int] | None) -> Any:
    return rows if places is None else rows[:, places]


def _numbers(rows: Any, plan: ArrayPlan) -> Floats:
    """The numeric columns; a view where the rows are nothing else already."""
    numbers = np.ascontiguousarray(_chosen(rows, plan.numeric), np.float64)
    for markers, owned in plan.marked:
        numbers = np.where(np.isin(numbers, markers) & owned, np.nan, numbers)
    return numbers


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

    def keep(self, start: int, stop: int) -> None:
        """Keep a view of the rows."""
        self.matrix = sparse_rows(self.matrix, start, stop)

    def batch(self, start: int, stop: int, names: Sequence[str]) -> Any:
        """Refuse: sparse columns have no Arrow form."""
        raise SchemaError(f"{self.name} is sparse: its columns cannot be taken out one by one")

    def block(self, start: int, stop: int, schema: Schema, unseen: Unseen) -> Chunk:
        """Rows as a chunk whose data are views."""
        n, rows = stop - start, sparse_rows(self.matrix, start, stop)
        return Chunk(np.empty((n, 0)), np.empty((n, 0), np.int32), np.ones(n), rows)
