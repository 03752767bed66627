"""Rows whose columns are made of other columns as they are read: a table seen through a function.

    chunk ──function──▶ numbers (rows, columns)        target and weight stay as they are

Nothing is held but the function, so a table larger than memory stays one, and on a cluster the numbers are made where
the rows are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from typing import Any, TypeAlias
from uuid import uuid4

import numpy as np

from novacula.errors import SchemaError
from novacula.table.chunk import Chunk, Floats
from novacula.table.schema import Column, Schema
from novacula.table.source import Partition, Source, Unseen

Expansion: TypeAlias = Callable[[Chunk], Floats]
"""From the chunk of n rows to numbers (n, p); it must be possible to pickle it, and it sees one chunk at a time."""


class ExpandedSource(Source):
    """Another source's rows; the columns are what a function makes of them."""

    def __init__(self, source: Source, schema: Schema, expansion: Expansion, names: Sequence[str]) -> None:
        self.inner, self.schema, self.expansion, self.names = source, schema, expansion, tuple(names)
        self.name, self.is_text = source.name, source.is_text
        self._token = uuid4().hex
        taken = [name for name in self.names if name in schema.roles]
        if taken:
            raise SchemaError(
                f"{source.name} has a target or a weight {taken[0]!r}, which a new column would be called"
            )

    def layout(self) -> Schema:
        """The schema of the rows as they come out."""
        roles = tuple(self.schema[name] for name in self.schema.roles)
        made = tuple(Column(name, "numeric", missing=0) for name in self.names)
        return replace(self.schema, columns=(*made, *roles))

    def arrow_schema(self) -> Any:
        """Numbers, and target and weight as they are stored."""
        import pyarrow as pa

        stored = self.inner.arrow_schema()
        roles = [stored.field(name) for name in self.schema.roles if name in stored.names]
        return pa.schema([*(pa.field(name, pa.float64()) for name in self.names), *roles])

    def declared(self) -> dict[str, tuple[Any, ...]]:
        """Categories of the target that the source itself states."""
        return {name: known for name, known in self.inner.declared().items() if name in self.schema.roles}

    def count_rows(self) -> int | None:
        """As many as there are in the other source."""
        return self.inner.count_rows()

    def partitions(self) -> Sequence[ExpandedPartition]:
        """Those of the other source."""
        return [ExpandedPartition(part, self, self._token) for part in self.inner.partitions()]


class ExpandedPartition(Partition):
    """A partition of the other source, seen through the function."""

    def __init__(self, inner: Partition, source: ExpandedSource, token: str) -> None:
        self.inner = inner
        self.schema, self.expansion, self.names = source.schema, source.expansion, source.names
        self.name, self.key = inner.name, f"{inner.key}-{token}"

    def chunks(self, schema: Schema, unseen: Unseen) -> Iterator[Chunk]:
        """Give the numbers as chunks, with the target and the weight that are asked for."""
        kept = self._places(schema)
        for chunk in self.inner.chunks(self._inner_schema(schema), unseen):
            yield Chunk(
                self.numbers(chunk, kept), np.empty((len(chunk), 0), np.int32), chunk.weight, target=chunk.target
            )

    def numbers(self, chunk: Chunk, kept: list[int] | None = None) -> Floats:
        """What the function makes of a chunk, all columns or some."""
        made = np.asarray(self.expansion(replace(chunk, target=None)), np.float64)
        if made.shape != (len(chunk), len(self.names)):
            raise SchemaError(
                f"the expansion gave shape {made.shape} for {len(chunk)} rows, and {len(self.names)} columns were named"
            )
        return np.ascontiguousarray(made if kept is None else made[:, kept])

    def _places(self, schema: Schema) -> list[int] | None:
        """Which of the numbers are asked for, None for all of them in order."""
        other = [column for column in schema.features if column.kind != "numeric"]
        if other:
            raise SchemaError(f"column {other[0].name!r} is made by an expansion: it is numeric, not {other[0].kind}")
        place = {name: j for j, name in enumerate(self.names)}
        places = [place[column.name] for column in schema.of_kind("numeric")]
        return None if places == list(range(len(self.names))) else places

    def _inner_schema(self, schema: Schema) -> Schema:
        """The columns that the function is made for, and the roles that are asked for."""
        roles = tuple(schema[name] for name in schema.roles)
        return replace(self.schema, columns=(*self.schema.features, *roles), target=schema.target, weight=schema.weight)

    def batches(self, names: Sequence[str], schema: Schema | None = None) -> Iterator[Any]:
        """Give columns as record batches: numbers chunk by chunk; beside stored ones the partition as one batch."""
        made, stored = [n for n in names if n in self.names], [n for n in names if n not in self.names]
        if not made:
            yield from self.inner.batches(stored, schema)
        elif not stored:
            yield from self._made(made)
        else:
            yield self._joined(names, made, stored, schema)

    def _made(self, names: list[str]) -> Iterator[Any]:
        import pyarrow as pa

        layout = replace(self.schema, columns=self.schema.features, target=(), weight=None)
        kept = [self.names.index(name) for name in names]
        for chunk in self.inner.chunks(layout, "ignore"):
            columns = self.numbers(chunk, kept).T
            yield pa.record_batch([pa.array(np.ascontiguousarray(column)) for column in columns], names=names)

    def _joined(self, names: Sequence[str], made: list[str], stored: list[str], schema: Schema | None) -> Any:
        import pyarrow as pa

        left = pa.Table.from_batches(self._made(made))
        right = pa.concat_tables(
            [pa.Table.from_batches([batch]) for batch in self.inner.batches(stored, schema)],
            promote_options="permissive",
        )
        columns = {name: (left if name in made else right)[name].combine_chunks() for name in names}
        return pa.record_batch(list(columns.values()), names=list(columns))

    def seem_numeric(self, names: Sequence[str], markers: Sequence[str], target: Sequence[str]) -> set[str]:
        """Ask the other source of its own columns."""
        return self.inner.seem_numeric([name for name in names if name not in self.names], markers, target)

    def detached(self) -> ExpandedPartition:
        """Give the partition with its own rows only, and the function."""
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
        """The row's own name."""
        return self.inner.row_name(row)
