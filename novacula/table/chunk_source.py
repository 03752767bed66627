"""Rows that are laid out already, as a source: what a fold, a sample or a prepared table is.

Words were turned into codes once; to take other rows of them, or to learn from them again, costs no more than an index.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from novacula.errors import DataError
from novacula.table.chunk import MISSING, UNSEEN, Chunk, Codes
from novacula.table.memory import MemoryPartition, MemorySource
from novacula.table.schema import Column, Schema
from novacula.table.source import Unseen, rows_per_chunk


class ChunkSource(MemorySource):
    """A chunk, and the schema by which it is laid out."""

    def __init__(self, chunk: Chunk, schema: Schema, name: str = "the rows") -> None:
        super().__init__(len(chunk), chunk.target, chunk.weight, name)
        self.held = replace(chunk, target=None)
        self.schema = schema
        self._asked: tuple[Schema, bool] | None = None
        self._place = {
            column.name: j
            for kind in ("numeric", "categorical", "text")
            for j, column in enumerate(schema.of_kind(kind))
        }

    @property
    def rows_per_chunk(self) -> int:
        """Rows of about CHUNK_BYTES, at eight bytes per value."""
        return rows_per_chunk(8 * max(len(self._place), 1))

    def arrow_schema(self) -> Any:
        """Numbers, words and dictionaries, as the schema says; a sparse block has no Arrow form."""
        import pyarrow as pa

        names = [name for name in self.schema.names if name in self._place or name in self.schema.roles]
        return pa.schema([(name, self._column(name, slice(0, 0)).type) for name in names])

    def blocks(self) -> tuple[Column, ...]:
        """The sparse block, if there is one."""
        return self.schema.of_kind("sparse")

    def declared(self) -> dict[str, tuple[Any, ...]]:
        """The categories, in the order of their codes."""
        return {column.name: column.categories for column in self.schema if column.kind == "categorical"}

    def keep(self, start: int, stop: int) -> None:
        """Keep a view of the rows."""
        self.held = self.held.rows(start, stop)

    def chunk(self, start: int, stop: int, schema: Schema, unseen: Unseen) -> Chunk:
        """Rows as a chunk; laid out again if roles or kinds differ from those that are held."""
        if self._holds(schema):
            return super().chunk(start, stop, schema, unseen)
        from novacula.table.encode import Place, encode_batch

        batch = self.batch(start, stop, [*(column.name for column in schema.features), *schema.roles])
        chunk = encode_batch(batch, schema, unseen, Place(MemoryPartition(self, start, stop)))
        if schema.weight is not None or self.weight is None:
            return chunk
        return replace(chunk, weight=self.weight[start:stop])

    def _holds(self, schema: Schema) -> bool:
        """Whether columns are asked for as they are held; kept, since all blocks of a pass ask for it."""
        if self._asked is None or self._asked[0] is not schema:
            self._asked = (schema, self._same_kinds(schema) and self._same_target(schema))
        return self._asked[1]

    def _same_kinds(self, schema: Schema) -> bool:
        """Whether all columns are of the kinds that are held; the codes of categories are translated."""
        held = self.schema
        return all(
            c.kind == "sparse" or (c.name in self._place and c.kind == held[c.name].kind) for c in schema.features
        )

    def _same_target(self, schema: Schema) -> bool:
        if not schema.target:
            return True
        pairs = zip(schema.target_columns, self.schema.target_columns, strict=False)
        return schema.target == self.schema.target and all(
            (one.kind, one.categories) == (other.kind, other.categories) for one, other in pairs
        )

    def batch(self, start: int, stop: int, names: Sequence[str]) -> Any:
        """Rows of the named columns as one record batch."""
        import pyarrow as pa

        rows = slice(start, stop)
        return pa.record_batch([self._column(name, rows) for name in names], names=list(names))

    def block(self, start: int, stop: int, schema: Schema, unseen: Unseen) -> Chunk:
        """Rows as a chunk of some of the columns, in the codes of the schema that is asked for."""
        rows = self.held.rows(start, stop)
        coded = [self._coded(rows, column, unseen, start, stop) for column in schema.of_kind("categorical")]
        return Chunk(
            _some(rows.numeric, [self._place[c.name] for c in schema.of_kind("numeric")]),
            np.column_stack(coded) if coded else np.empty((len(rows), 0), np.int32),
            rows.weight,
            rows.sparse if schema.of_kind("sparse") else None,
            tuple(rows.text[self._place[c.name]] for c in schema.of_kind("text")),
        )

    def _coded(self, rows: Chunk, column: Column, unseen: Unseen, start: int, stop: int) -> Codes:
        """The codes of a column, translated where its categories are not those that are held."""
        own, codes = self.schema[column.name], rows.codes[:, self._place[column.name]]
        if own.categories != column.categories:
            place = {category: code for code, category in enumerate(column.categories)}
            table = np.array([*(place.get(c, UNSEEN) for c in own.categories), UNSEEN, MISSING], np.int32)
            codes = table[codes]  # MISSING is −1 and UNSEEN is −2: the last and the last but one
        if unseen == "error" and (new := codes == UNSEEN).any():
            row = MemoryPartition(self, start, stop).row_name(int(np.argmax(new)))
            raise DataError(f"{row} holds a category in column {column.name!r} that is none of those known")
        return codes

    def _column(self, name: str, rows: slice) -> Any:
        """A column as Arrow holds it: numbers, words, or codes with their dictionary."""
        import pyarrow as pa

        column, values = self.schema[name], self._values(name)[rows]
        if column.kind == "numeric":
            return pa.array(values, from_pandas=True)
        if column.kind == "text":
            return pa.array(values, pa.string())
        return pa.DictionaryArray.from_arrays(
            pa.array(values, mask=values < 0), pa.array(list(column.categories)), ordered=column.declared
        )

    def _values(self, name: str) -> Any:
        """Numbers, codes or words of a column in any role."""
        if name == self.schema.weight:
            return self.weight
        if name in self.schema.target:
            assert self.target is not None  # noqa: S101  (a chunk whose schema names a target has one)
            return self.target if self.target.ndim == 1 else self.target[:, self.schema.target.index(name)]
        kind, j = self.schema[name].kind, self._place[name]
        if kind == "text":
            return self.held.text[j]
        return self.held.numeric[:, j] if kind == "numeric" else self.held.codes[:, j]


def _some(matrix: Any, places: list[int]) -> Any:
    """Some columns of a matrix; the matrix itself where they are all of them in order."""
    return matrix if places == list(range(matrix.shape[1])) else np.ascontiguousarray(matrix[:, places])
