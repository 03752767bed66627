"""Data frames of any make (pandas, polars, PyArrow, anything Narwhals knows) as a source of Arrow columns."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator, Sequence
from copy import copy
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa

from novacula.errors import DataError, InputTypeError, SchemaError
from novacula.table.arrow import codes_of, entries_of
from novacula.table.chunk import MISSING, UNSEEN, Chunk, Codes, Floats
from novacula.table.columns_of_values import StoredType, arrow_column
from novacula.table.encode import Place, encode_batch
from novacula.table.memory import MemoryPartition, MemorySource
from novacula.table.names import repeated
from novacula.table.schema import Category, Column, Schema
from novacula.table.source import Partition, Source, Unseen, rows_per_chunk

_ENCODING = threading.Lock()
"""Held while a column is turned into codes: what another thread is about to find need not be found twice."""


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
        self._coded: dict[str, tuple[Column, Any]] = {}

    @property
    def rows_per_chunk(self) -> int:
        """Rows of about CHUNK_BYTES: eight bytes a number, four a code."""
        return rows_per_chunk(sum(4 if pa.types.is_dictionary(kind) else 8 for kind in self.table.schema.types))

    def arrow_schema(self) -> Any:
        """The schema of the Arrow table."""
        return self.table.schema

    def declared(self) -> dict[str, tuple[Any, ...]]:
        """Categories in the order that an ordered dictionary states."""
        found = super().declared()
        for field in self.table.schema:
            if pa.types.is_dictionary(field.type) and field.type.ordered:
                chunks = self.table.column(field.name).unify_dictionaries().chunks
                found[field.name] = tuple(chunks[0].dictionary.to_pylist()) if chunks else ()
        return found

    def keep(self, start: int, stop: int) -> None:
        """Keep a copy of the rows: a slice would be pickled with all that it is a slice of."""
        self._coded = {}
        self.table = self.table.take(pa.array(range(start, stop), pa.int64()))

    def batch(self, start: int, stop: int, names: Sequence[str]) -> Any:
        """Rows of the named columns as one record batch."""
        part = self.table.select(list(names)).slice(start, stop - start).combine_chunks()
        batches = part.to_batches()
        return batches[0] if batches else pa.RecordBatch.from_pylist([], schema=part.schema)

    def block(self, start: int, stop: int, schema: Schema, unseen: Unseen) -> Chunk:
        """Rows as a chunk."""
        coded = {c.name: self._codes_of(c, schema)[start:stop] for c in schema.of_kind("categorical")}
        if unseen == "error":  # a category that is refused is named where it stands
            coded = {name: codes for name, codes in coded.items() if codes.min(initial=0) != UNSEEN}
        names = [*(c.name for c in schema.features if c.name not in coded), *schema.roles]
        place = Place(MemoryPartition(self, start, stop))
        return encode_batch(self.batch(start, stop, names), schema, unseen, place, coded)

    def _codes_of(self, column: Column, schema: Schema) -> Any:
        """The codes of a whole column, found once for all blocks and passes, in as few bytes as they need."""
        with _ENCODING:
            known = self._coded.get(column.name)
            if known is None or known[0] is not column:
                values = self.table.column(column.name).combine_chunks()
                known = column, _narrow_codes(values, column.categories, schema.markers(column.name))
                self._coded[column.name] = known
        return known[1]


def _narrow_codes(values: Any, categories: tuple[Category, ...], markers: tuple[str, ...]) -> Any:
    """The codes of a column in as few bytes as they need; a dictionary in the order of the categories holds them."""
    narrow = np.min_scalar_type(-max(len(categories), 2))
    if not pa.types.is_dictionary(values.type):
        return codes_of(values, categories, markers).astype(narrow, copy=False)
    codes, places = codes_of(values.dictionary, categories, markers), entries_of(values)
    if np.array_equal(codes, np.arange(len(codes))):
        return places.astype(narrow, copy=False)  # no entry is -1, which is MISSING
    return np.append(codes, MISSING).astype(narrow)[places]


def is_frame(value: Any) -> bool:
    """Whether a value is an eager data frame or an Arrow table."""
    import narwhals.stable.v2 as nw

    return bool(nw.dependencies.is_into_dataframe(value)) or isinstance(value, pa.RecordBatch)


def names_of_frame(frame: Any) -> list[str]:
    """The names of a frame's columns."""
    import narwhals.stable.v2 as nw

    if isinstance(frame, pa.RecordBatch):
        return list(frame.schema.names)
    return [str(name) for name in nw.from_native(frame, eager_only=True).columns]


def one_table(frame: Any) -> Any:
    """The frame; a record batch as an Arrow table, since others know no names of its columns."""
    return pa.Table.from_batches([frame]) if isinstance(frame, pa.RecordBatch) else frame


def _named_by_text(frame: Any) -> Any:
    """The frame; whole numbers that are names of columns, as pandas has them, as their digits."""
    names = list(getattr(frame, "columns", ()))
    numbered = [name for name in names if isinstance(name, (int, np.integer)) and not isinstance(name, bool)]
    if not numbered or not hasattr(frame, "set_axis"):
        return frame
    return frame.set_axis([str(name) if name in numbered else name for name in names], axis="columns")


def columns_of_frame(frame: Any, names: Sequence[str]) -> Any:
    """Some columns of a frame, in this order, as a frame of the same make."""
    import narwhals.stable.v2 as nw

    return nw.to_native(nw.from_native(frame, eager_only=True).select(list(names)))


def require_frame(value: Any) -> Any:
    """Give the Arrow table of a frame, or say that this is none."""
    if not is_frame(value):
        advice = "collect it first" if hasattr(value, "collect") else "give a path, an array or a data frame"
        raise InputTypeError(f"cannot read a {type(value).__name__}: {advice}")
    return arrow_table(value)


def arrow_table(frame: Any) -> Any:
    """Any eager frame as an Arrow table; dictionaries whose order the frame states are marked as ordered."""
    import narwhals.stable.v2 as nw

    frame = _named_by_text(one_table(frame))
    names = frame.column_names if isinstance(frame, pa.Table) else list(frame.columns)
    for name in names:
        if not isinstance(name, str):
            raise SchemaError(f"the column name {name!r} is not text: rename the columns by strings")
    if len(set(names)) != len(names):
        raise SchemaError(f"the column name {repeated(names)!r} stands twice: rename one of them")
    if isinstance(frame, pa.Table):
        return frame
    narwhal = nw.from_native(frame, eager_only=True)
    table = _convert(frame, narwhal)
    pandas = nw.dependencies.is_pandas_dataframe(frame)
    for j, (name, dtype) in enumerate(narwhal.schema.items()):
        # A pandas categorical lists its categories. Polars numbers those of a Categorical as they appear.
        if dtype == nw.Enum or (pandas and dtype == nw.Categorical):
            table = table.set_column(j, name, _ordered(table.column(j)))
    return table


def _ordered(column: Any) -> Any:
    """A dictionary column whose type says that the order of its entries means something."""
    column = column.unify_dictionaries()
    kind = pa.dictionary(column.type.index_type, column.type.value_type, ordered=True)
    chunks = [pa.DictionaryArray.from_arrays(c.indices, c.dictionary, ordered=True, safe=False) for c in column.chunks]
    return pa.chunked_array(chunks, kind)


_FAILURES = (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, TypeError, ValueError, OverflowError)
"""What is raised where Arrow does not know the values of a column, or they are of several types."""


def _convert(frame: Any, narwhal: Any) -> Any:
    """The whole frame at once, or column by column where one of them is of values of several types."""
    import narwhals.stable.v2 as nw

    try:
        if nw.dependencies.is_pandas_dataframe(frame):
            return _from_pandas(frame)
        if nw.Object not in narwhal.schema.values():  # which polars gives to Arrow as addresses
            return narwhal.to_arrow()
    except _FAILURES:
        pass
    return pa.table({name: _column(name, narwhal.get_column(name)) for name in narwhal.columns})


def _column(name: str, series: Any) -> Any:
    """A column of a frame of which some column is not as Arrow has it."""
    import narwhals.stable.v2 as nw

    if series.dtype == nw.Object and nw.dependencies.is_polars_series(series.to_native()):
        return _any_values(name, series.to_list())
    try:
        return series.to_arrow()
    except _FAILURES:
        return _any_values(name, series.to_list())


def _from_pandas(frame: Any) -> Any:
    """A pandas frame, as Arrow reads it; the codes of categories stay where they are, and zeros are filled in."""
    from pandas import CategoricalDtype, SparseDtype

    kinds = dict(frame.dtypes.items())
    apart = {name: _dictionary(frame[name].array) for name, kind in kinds.items() if isinstance(kind, CategoricalDtype)}
    sparse = (name for name, kind in kinds.items() if isinstance(kind, SparseDtype))
    apart |= {name: pa.array(frame[name].array.to_dense(), from_pandas=True) for name in sparse}
    rest = pa.Table.from_pandas(frame, columns=[name for name in frame if name not in apart], preserve_index=False)
    return pa.table({name: apart[name] if name in apart else rest.column(name) for name in frame})


def _dictionary(values: Any) -> Any:
    """A pandas array of categories as a dictionary; Arrow's own way there takes several passes over the codes."""
    codes = values.codes
    places = pa.array(codes, mask=codes < 0 if codes.min(initial=0) < 0 else None)
    return pa.DictionaryArray.from_arrays(places, pa.array(values.categories), ordered=bool(values.ordered), safe=False)


def _any_values(name: str, values: Sequence[Any]) -> Any:
    """Values of several types as one column, as JSON and workbooks have them: numbers among words are words."""
    plain = [_plain_value(value) for value in values]
    kind = StoredType.EMPTY
    for value in plain:
        kind |= StoredType.of(value)
        if StoredType.LIST in kind:
            what = "complex numbers" if isinstance(value, complex) else f"values of the type {type(value).__name__}"
            raise DataError(f"column {name!r} holds {what}: make them numbers or text, or leave the column out")
    return arrow_column(plain, kind)


def _plain_value(value: Any) -> Any:
    """A value of Python's own types; None where it is missing."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or type(value).__name__ in _MISSING or (isinstance(value, float) and math.isnan(value)):
        return None
    return float(value) if isinstance(value, (Decimal, Fraction)) else value


_MISSING = ("NAType", "NaTType")
"""The types of what pandas writes where there is no value."""


def object_table(array: Any) -> Any:
    """A NumPy array of objects or strings as an Arrow table with columns x0, x1, …"""
    arrays = {}
    for j, column in enumerate(array.T):
        values = column.tolist()
        try:
            arrays[f"x{j}"] = pa.array(values, from_pandas=True)
        except _FAILURES:
            arrays[f"x{j}"] = _any_values(f"x{j}", values)
    return pa.table(arrays)


class DaskSource(Source):
    """A Dask data frame: its partitions are computed when they are read, where the table runs."""

    def __init__(self, frame: Any) -> None:
        self.name = "the Dask frame"
        if any(isinstance(name, (int, np.integer)) for name in frame.columns):
            frame = frame.rename(columns=str)
        self.frame = frame
        self._template = FrameSource(arrow_table(frame._meta_nonempty))

    def arrow_schema(self) -> Any:
        """The schema of the frame's template."""
        return self._template.arrow_schema()

    def declared(self) -> dict[str, tuple[Any, ...]]:
        """Categories where Dask knows them all."""
        categorical = self.frame._meta.select_dtypes("category").columns
        unknown = {name for name in categorical if not self.frame[name].cat.known}
        return {name: held for name, held in self._template.declared().items() if name not in unknown}

    def has_rows(self) -> bool:
        """Not known until it is computed."""
        return True

    def partitions(self) -> Sequence[DaskPartition]:
        """The frame's own partitions."""
        return [DaskPartition(part, i) for i, part in enumerate(self.frame.to_delayed())]


class DaskPartition(Partition):
    """One partition of a Dask data frame, computed on the spot where it is read."""

    def __init__(self, delayed: Any, index: int) -> None:
        self.delayed = delayed
        self.name = f"partition {index} of the Dask frame"
        self.key = f"dask-{delayed.key}"

    def detached(self) -> DaskPartition:
        """Give the partition without its frame, which the cluster computes itself."""
        hollow = copy(self)
        hollow.delayed = None
        return hollow

    @property
    def awaited(self) -> Any:
        """The frame, yet to be computed."""
        return self.delayed

    def receive(self, computed: Any) -> None:
        """Take the frame."""
        self.delayed = computed

    def _parts(self) -> Sequence[MemoryPartition]:
        lazy = hasattr(self.delayed, "compute")  # a worker has it computed already
        frame = self.delayed.compute(scheduler="synchronous") if lazy else self.delayed
        return FrameSource(arrow_table(frame), name=self.name).partitions()

    def batches(self, names: Sequence[str], schema: Schema | None = None) -> Iterator[Any]:
        """Compute the partition and give it in blocks."""
        for part in self._parts():
            yield from part.batches(names, schema)

    def chunks(self, schema: Schema, unseen: Unseen) -> Iterator[Chunk]:
        """Compute the partition and give it in chunks."""
        for part in self._parts():
            yield from part.chunks(schema, unseen)
