"""Rows that have a target: a table without the rows whose target is missing.

A fit refuses a row without a target, since it may be missing by mistake. A study of a table leaves such rows out, and
says how many.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from novacula.advice import option
from novacula.errors import DataError
from novacula.table.arrow import codes_of, numbers_of
from novacula.table.chunk import MISSING
from novacula.table.encode import ArrowPartition
from novacula.table.frames import FrameSource
from novacula.table.memory import MemorySource
from novacula.table.notes import ReadingNote
from novacula.table.schema import Column, Kind, Schema
from novacula.table.source import Partition, Source, TextHabits

MOST_COUNTED = 10_000_000
"""Rows that are left, up to which it is known which they are."""

if TYPE_CHECKING:
    from novacula.table.table import Table


def labelled(table: Table, most: float) -> Table:
    """The rows of a table whose target is there; the table itself if all are."""
    schema = table.layout
    stored = set(table.source.arrow_schema().names)
    targets = [column for column in schema.target_columns if column.name in stored]
    if not targets or schema.of_kind("sparse") or all(column.missing == 0 for column in targets):
        return table
    counts = [_count(part, targets, schema) for part in table.source.partitions()]
    rows, gone = sum(n for n, _ in counts), sum(missing for _, missing in counts)
    if not gone:
        return table
    names = " or ".join(repr(column.name) for column in targets)
    if gone == rows:
        raise DataError(f"no row of {table.source.name} has a value for the target {names}")
    if gone > most * rows:
        ask = f"say {option('unlabelled', True)} if they are to be left out, or name another target"
        raise DataError(f"{gone:,} of the {rows:,} rows of {table.source.name} have no value for {names}: {ask}")
    whole = replace(schema.uncounted(), n_rows=rows - gone)
    note = ReadingNote(f"{gone:,} of {rows:,} rows have no value for the target {names} and are left out")
    layout = replace(whole, notes=(*schema.notes, note))
    streaming = LabelledSource(table.source, tuple(targets), schema, rows - gone)
    source = _in_memory(streaming, table.source) if isinstance(table.source, MemorySource) else streaming
    return type(table)(source, layout, unseen=table.unseen, runner=table.runner, progress=table.progress)


def row_numbers(table: Table) -> Any:
    """The number of each row in what was read, from 1; None where rows were left out of too many to count them.

    >>> import novacula as nv, pyarrow as pa
    >>> table = nv.read(pa.table({"x": [1.0, 2.0, 3.0], "y": ["a", None, "b"]}), "y")
    >>> row_numbers(table).tolist(), row_numbers(table.labelled()).tolist()
    ([1, 2, 3], [1, 3])
    """
    left = table.source.rows_left()
    return np.arange(1, len(table) + 1) if left is None else left + 1 if len(left) == len(table) else None


def _in_memory(source: LabelledSource, inner: MemorySource) -> FrameSource:
    names = inner.arrow_schema().names
    batches = [batch for part in source.partitions() for batch in part.batches(names)]
    held = FrameSource(pa.Table.from_batches(batches).combine_chunks(), name=inner.name)
    held.is_text = inner.is_text
    held.left = source.rows_left()
    return held


def _count(part: Partition, targets: Sequence[Column], schema: Schema) -> tuple[int, int]:
    """Rows, and those without a target."""
    rows = gone = 0
    for batch in part.batches([column.name for column in targets], schema):
        rows += batch.num_rows
        gone += int((~_has_target(batch, targets, schema)).sum())
    return rows, gone


def _has_target(batch: Any, targets: Sequence[Column], schema: Schema) -> Any:
    """Flags of the rows in which all targets are there."""
    known = np.ones(batch.num_rows, bool)
    for column in targets:
        values, markers = batch.column(column.name), schema.markers(column.name)
        if column.kind == "numeric":
            numbers, words = numbers_of(values, markers, column.spelling)
            known &= ~np.isnan(numbers) if words is None else ~np.isnan(numbers) | words
        else:
            known &= codes_of(values, column.categories, markers) != MISSING
    return known


class LabelledSource(Source):
    """Another source's rows, without those that have no target."""

    def __init__(self, inner: Source, targets: tuple[Column, ...], schema: Schema, n_rows: int) -> None:
        self.inner, self.targets, self.schema, self.n_rows = inner, targets, schema, n_rows
        self.name, self.is_text, self.kept = inner.name, inner.is_text, inner.kept

    @property
    def habits(self) -> TextHabits:
        """Those of the other source."""
        return self.inner.habits

    def arrow_schema(self) -> Any:
        """That of the other source."""
        return self.inner.arrow_schema()

    def kinds(self) -> dict[str, Kind | None]:
        """Those of the other source."""
        return self.inner.kinds()

    def declared(self) -> dict[str, tuple[Any, ...]]:
        """Those of the other source."""
        return self.inner.declared()

    def own_target(self) -> tuple[str, ...]:
        """That of the other source."""
        return self.inner.own_target()

    def count_rows(self) -> int:
        """Rows that are left."""
        return self.n_rows

    def rows_left(self) -> Any:
        """The places of the rows in the other source; none where they are too many to be held."""
        if self.n_rows > MOST_COUNTED:
            return np.empty(0, np.intp)
        known = [
            _has_target(batch, self.targets, self.schema)
            for part in self.inner.partitions()
            for batch in part.batches([column.name for column in self.targets], self.schema)
        ]
        return np.flatnonzero(np.concatenate(known))

    def partitions(self) -> Sequence[LabelledPartition]:
        """Those of the other source."""
        return [LabelledPartition(part, self.targets, self.schema) for part in self.inner.partitions()]


class LabelledPartition(ArrowPartition):
    """A partition of another source, without rows that have no target."""

    def __init__(self, inner: Partition, targets: tuple[Column, ...], schema: Schema) -> None:
        self.inner, self.targets, self.schema = inner, targets, schema
        self.name, self.key = inner.name, f"{inner.key}-labelled-{'-'.join(column.name for column in targets)}"

    def batches(self, names: Sequence[str], schema: Schema | None = None) -> Iterator[Any]:
        """Give the named columns of the rows that are left."""
        asked = list(dict.fromkeys((*names, *(column.name for column in self.targets))))
        for batch in self.inner.batches(asked, schema):
            known = _has_target(batch, self.targets, self.schema)
            left = batch if known.all() else batch.filter(pa.array(known))
            yield left.select(list(names)) if names else left

    def seem_numeric(self, names: Sequence[str], markers: Sequence[str], target: Sequence[str]) -> set[str]:
        """As in the other source."""
        return self.inner.seem_numeric(names, markers, target)

    def detached(self) -> LabelledPartition:
        """Give the partition with its own rows only."""
        part = copy(self)
        part.inner = self.inner.detached()
        return part

    @property
    def awaited(self) -> Any:
        """What the other partition waits for."""
        return self.inner.awaited

    def receive(self, computed: Any) -> None:
        """Hand on what it came to."""
        self.inner.receive(computed)

    def row_name(self, row: int) -> str:
        """Name a row by its place in the other source."""
        before = seen = 0
        for batch in self.inner.batches([column.name for column in self.targets], self.schema):
            places = np.flatnonzero(_has_target(batch, self.targets, self.schema))
            if row < seen + len(places):
                return self.inner.row_name(before + int(places[row - seen]))
            before, seen = before + batch.num_rows, seen + len(places)
        return self.inner.row_name(before)
