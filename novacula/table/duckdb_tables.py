"""Tables of DuckDB databases, as DuckDB gives them to Arrow where it is installed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from novacula.errors import DataError
from novacula.table.databases import chosen_table, quoted_name
from novacula.table.encode import ArrowPartition
from novacula.table.files import DataFile, first_line
from novacula.table.schema import Schema
from novacula.table.source import Source

_ROWS = 20_000  # a batch


class DuckdbSource(Source):
    """A table or a view."""

    def __init__(self, path: str) -> None:
        file = DataFile.at(path)
        with connected(file) as database:
            query = (
                "SELECT table_name FROM information_schema.tables WHERE table_catalog = current_database() "
                "AND table_schema = 'main' ORDER BY table_name"
            )
            names = [str(name) for (name,) in database.execute(query).fetchall()]
            self.table, self.notes = chosen_table(file, names)
            asked = f"SELECT * FROM {quoted_name(self.table)} LIMIT 0"  # noqa: S608
            self._schema = _reader(database.sql(asked)).schema
            [self.n_rows] = database.execute(f"SELECT count(*) FROM {quoted_name(self.table)}").fetchone()  # noqa: S608
        self.name = f"{file.path}::{self.table}"
        self._part = DuckdbPartition(file, self.table, self._schema.names)

    def arrow_schema(self) -> Any:
        """The types that the database gives to Arrow."""
        return self._schema

    def partitions(self) -> Sequence[DuckdbPartition]:
        """The table is one."""
        return [self._part]

    def count_rows(self) -> int:
        """Rows counted on opening."""
        return int(self.n_rows)


class DuckdbPartition(ArrowPartition):
    """All rows of a table."""

    def __init__(self, file: DataFile, table: str, names: Sequence[str]) -> None:
        self.file, self.table, self.names = file, table, names
        self.name = f"{file.path}::{table}"
        self.key = f"{file.token}-{table}"

    def batches(self, names: Sequence[str], schema: Schema | None = None) -> Iterator[Any]:
        """Give the named columns."""
        self.file.require()
        columns = ", ".join(map(quoted_name, list(names) or self.names[:1]))
        with connected(self.file) as database:
            asked = f"SELECT {columns} FROM {quoted_name(self.table)}"  # noqa: S608
            yield from _reader(database.sql(asked))


def _reader(rows: Any) -> Any:
    """Rows as record batches, by the name that the version of DuckDB has for it."""
    read = getattr(rows, "to_arrow_reader", None) or rows.fetch_arrow_reader
    return read(_ROWS)


@contextmanager
def connected(file: DataFile) -> Iterator[Any]:
    """A connection that can only read this one file."""
    try:
        import duckdb
    except ImportError:
        raise DataError(f"{file.path} is read by DuckDB, which is not installed: pip install duckdb") from None
    try:
        database = duckdb.connect(file.path, read_only=True, config={"enable_external_access": "false"})
        try:
            yield database
        finally:
            database.close()
    except duckdb.Error as error:
        raise DataError(f"{file.path} cannot be read: {first_line(error)}") from error
