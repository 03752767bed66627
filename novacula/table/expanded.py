"""Rows whose columns are made of other columns as they are read: a table seen through a function.

    chunk ──function──▶ numbers (rows, columns)        target and weight stay as they are

Nothing is held but the function, so a table larger than memory stays one, and on a cluster the numbers are made where
the rows are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias
from uuid import uuid4

import numpy as np

from novacula.errors import SchemaError
from novacula.table.chunk import Chunk, Floats
from novacula.table.schema import Column, Schema
from novacula.table.source import Partition, Source, Unseen

if TYPE_CHECKING:
    from novacula.table.chunk_source import ChunkSource

Expansion: TypeAlias = Callable[[Chunk], "Floats | Chunk"]
"""From the chunk of n rows, without their target, to numbers (n, p) or to a chunk of other columns; it must be possible
to pickle it, and it sees one chunk at a time."""


class ExpandedSource(Source):
    """Another source's rows; the columns are what a function makes of them.

    `classes`, where given, are those of the target that are kept; rows of others must have no weight. `then` changes
    target and weight of what was made.
    """

    def __init__(
        self,
        source: Source,
        schema: Schema,
        expansion: Expansion,
        columns: Sequence[str | Column],
        classes: Sequence[Any] | None = None,
        then: Callable[[Chunk], Chunk] | None = None,
    ) -> None:
        self.inner, self.schema, self.expansion, self.then = source, schema, expansion, then
        self.columns = tuple(Column(c, "numeric", missing=0) if isinstance(c, str) else c for c in columns)
        self.classes = None if classes is None else tuple(classes)
        self.names = tuple(column.name for column in self.columns)
        self.name, self.is_text = source.name, source.is_text
        self._token = uuid4().hex
        taken = [name for name in self.names if name in schema.roles]
        if taken:
            raise SchemaError(
                f"{source.name} has a target or a weight {taken[0]!r}, which a new column would be called"
            )

    def layout(self) -> Schema:
        """The schema of the rows as they come out."""
        roles = {name: self.schema[name] for name in self.schema.roles}
        if self.classes is not None:
            [target] = self.schema.target_columns
            roles[target.name] = replace(target, categories=self.classes, declared=True)
        return replace(self.schema, columns=(*self.columns, *roles.values()), missing=(), missing_by_column={})

    def blocks(self) -> tuple[Column, ...]:
        """Sparse blocks among what is made."""
        return tuple(column for column in self.columns if column.kind == "sparse")

    def arrow_schema(self) -> Any:
        """Numbers, and target and weight as they are stored."""
        import pyarrow as pa

        stored = self.inner.arrow_schema()
        roles = [stored.field(name) for name in self.schema.roles if name in stored.names]
        types = {"numeric": pa.float64(), "text": pa.string(), "categorical": pa.dictionary(pa.int32(), pa.string())}
        made = [pa.field(column.name, types[column.kind]) for column in self.columns if column.kind in types]
        return pa.schema([*made, *roles])

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
        self.schema, self.expansion, self.columns = source.schema, source.expansion, source.columns
        self.then = source.then
        self.names, self.layout, self.classes = source.names, source.layout(), source.classes
        self.name, self.key = inner.name, f"{inner.key}-{token}"

    def chunks(self, schema: Schema, unseen: Unseen) -> Iterator[Chunk]:
        """Give what is made as chunks, with the target and the weight that are asked for."""
        as_made = [_form(column) for column in schema.features] == [_form(column) for column in self.columns]
        for chunk in self.inner.chunks(self._inner_schema(schema), unseen):
            made = self.made(chunk)
            yield made if as_made else self._as_source(made, schema).chunk(0, len(made), schema, unseen)

    def made(self, chunk: Chunk) -> Chunk:
        """What the function makes of a chunk, with target and weight."""
        made = self._with_columns(chunk)
        return made if self.then is None else self.then(made)

    def _with_columns(self, chunk: Chunk) -> Chunk:
        made = self.expansion(replace(chunk, target=None))
        target = chunk.target if self.classes is None else self._kept_class_codes(chunk.target)
        if isinstance(made, Chunk):
            return replace(made, weight=chunk.weight, target=target)
        numbers = np.asarray(made, np.float64)
        if numbers.shape != (len(chunk), len(self.names)):
            raise SchemaError(
                f"the expansion gave shape {numbers.shape} for {len(chunk)} rows, and {len(self.names)} columns were "
                "named"
            )
        return Chunk(np.ascontiguousarray(numbers), np.empty((len(chunk), 0), np.int32), chunk.weight, target=target)

    def _kept_class_codes(self, target: Any) -> Any:
        """Codes of the classes that are kept; of the others, whose rows count for nothing, the first."""
        if target is None:
            return None
        [column] = self.schema.target_columns
        place = {label: code for code, label in enumerate(self.classes or ())}
        return np.array([place.get(label, 0) for label in column.categories], np.int32)[target]

    def _as_source(self, made: Chunk, schema: Schema) -> ChunkSource:
        """A chunk as a source, from which columns can be taken."""
        from novacula.table.chunk_source import ChunkSource

        roles = tuple(self.layout[name] for name in schema.roles)
        own = replace(self.layout, columns=(*self.columns, *roles), target=schema.target, weight=schema.weight)
        return ChunkSource(made, own, self.name)

    def _inner_schema(self, schema: Schema) -> Schema:
        """The columns that the function is made for, and the roles that are asked for."""
        roles = tuple((schema if self.classes is None else self.schema)[name] for name in schema.roles)
        return replace(self.schema, columns=(*self.schema.features, *roles), target=schema.target, weight=schema.weight)

    def batches(self, names: Sequence[str], schema: Schema | None = None) -> Iterator[Any]:
        """Give columns as record batches: numbers chunk by chunk; with stored columns, the partition as one batch."""
        made, stored = [n for n in names if n in self.names], [n for n in names if n not in self.names]
        if not made:
            yield from self.inner.batches(stored, schema)
        elif not stored:
            yield from self._made(made)
        else:
            yield self._joined(names, made, stored, schema)

    def _made(self, names: list[str]) -> Iterator[Any]:
        bare = replace(self.schema, columns=self.schema.features, target=(), weight=None)
        for chunk in self.inner.chunks(bare, "ignore"):
            yield self._as_source(self.made(chunk), bare).batch(0, len(chunk), names)

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


def _form(column: Column) -> tuple[Any, ...]:
    """What must agree for a chunk to be laid out as it is asked for."""
    return column.name, column.kind, column.categories, column.width
