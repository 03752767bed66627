"""Tables of SQLite databases, read as a stream: a column may hold anything, so one look at all types comes first."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

from novacula.errors import DataError
from novacula.table.columns_of_values import StoredType, arrow_column, arrow_type
from novacula.table.databases import chosen_table, quoted_name
from novacula.table.encode import ArrowPartition
from novacula.table.files import DataFile, first_line
from novacula.table.parse_cache import ParseCache, ParsedForm
from novacula.table.schema import Schema
from novacula.table.source import Source

_ROWS = 20_000  # a batch
_COUNTED = 400  # columns of which types are counted at once
_TYPES = {
    "integer": StoredType.WHOLE,
    "real": StoredType.NUMBER,
    "text": StoredType.TEXT,
    "blob": StoredType.LIST,
}


class SqliteSource(Source):
    """A table or a view."""

    is_text = True

    def __init__(self, path: str) -> None:
        file = DataFile.at(path)
        with _connected(file) as database:
            listed = _rows(database, "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name")
            names = [name for (name,) in listed if not str(name).startswith("sqlite_")]
            self.table, self.notes = chosen_table(file, names)
            self.stored = _stored_types(database, self.table)
            [(self.n_rows,)] = _rows(database, f"SELECT count(*) FROM {quoted_name(self.table)}")  # noqa: S608
        self.name = f"{file.path}::{self.table}"
        self._part = SqlitePartition(file, self.table, self.stored, ParseCache())

    def arrow_schema(self) -> Any:
        """What all values of each column are."""
        return pa.schema([(name, _arrow_type(kind)) for name, kind in self.stored.items()])

    def partitions(self) -> Sequence[SqlitePartition]:
        """The table is one."""
        return [self._part]

    def count_rows(self) -> int:
        """Rows counted on opening."""
        return self.n_rows


class SqlitePartition(ArrowPartition):
    """All rows of a table."""

    def __init__(self, file: DataFile, table: str, stored: dict[str, StoredType], cache: ParseCache) -> None:
        self.file, self.table, self.stored, self.cache = file, table, stored, cache
        self.name = f"{file.path}::{table}"
        self.key = f"{file.token}-{table}"

    def batches(self, names: Sequence[str], schema: Schema | None = None) -> Iterator[Any]:
        """Give the named columns."""
        wanted = list(names) or [next(iter(self.stored))]
        form = ParsedForm({name: _arrow_type(self.stored[name]) for name in wanted}, ())
        self.file.require()
        held = self.cache.find(self.key, form)
        yield from held if held is not None else self.cache.keep(self.key, form, self._read(wanted))

    def _read(self, names: Sequence[str]) -> Iterator[Any]:
        columns = ", ".join(map(quoted_name, names))
        with _connected(self.file) as database:
            cursor = database.execute(f"SELECT {columns} FROM {quoted_name(self.table)}")  # noqa: S608
            while rows := cursor.fetchmany(_ROWS):
                columns_of_rows = zip(names, zip(*rows, strict=True), strict=True)
                arrays = [arrow_column(values, self.stored[name]) for name, values in columns_of_rows]
                yield pa.record_batch(arrays, names=list(names))


def _arrow_type(kind: StoredType) -> Any:
    return pa.binary() if StoredType.LIST in kind else arrow_type(kind)


@contextmanager
def _connected(file: DataFile) -> Iterator[sqlite3.Connection]:
    """A connection that can only read."""
    uri = f"{Path(file.path).absolute().as_uri()}?mode=ro"
    try:
        with closing(sqlite3.connect(uri, uri=True)) as database:
            database.text_factory = lambda data: data.decode("utf-8", "replace")
            database.execute("PRAGMA trusted_schema = OFF")
            database.execute("PRAGMA query_only = ON")
            yield database
    except (sqlite3.Error, OverflowError, UnicodeError) as error:
        raise DataError(f"{file.path} is not a database that can be read: {first_line(error)}") from error


def _rows(database: sqlite3.Connection, query: str) -> list[tuple[Any, ...]]:
    with closing(database.execute(query)) as cursor:
        return cursor.fetchall()


def _stored_types(database: sqlite3.Connection, table: str) -> dict[str, StoredType]:
    """What the values of each column are, by one pass over the table for some hundred columns."""
    described = _rows(database, f"SELECT name FROM pragma_table_info({_literal(table)})")  # noqa: S608
    names = [str(name) for (name,) in described]
    stored = dict.fromkeys(names, StoredType.EMPTY)
    for start in range(0, len(names), _COUNTED):
        some = names[start : start + _COUNTED]
        counts = [f"max(typeof({quoted_name(name)}) = '{kind}')" for name in some for kind in _TYPES]
        [found] = _rows(database, f"SELECT {', '.join(counts)} FROM {quoted_name(table)}")  # noqa: S608
        for j, name in enumerate(some):
            for kind, holds in zip(_TYPES.values(), found[len(_TYPES) * j :], strict=False):
                stored[name] |= kind if holds else StoredType.EMPTY
    return stored


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
