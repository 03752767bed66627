"""Programs that trees were turned into are run: SQL by SQLite, Python as it is."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

from novacula.export.formats.sql import quoted
from novacula.tree.export import NamedTree


def run_sql(
    statement: str, named: NamedTree, rows: list[dict[str, Any]], table: str | Sequence[str] = "data"
) -> tuple[list[str], list[tuple[Any, ...]]]:
    """The columns and records that a statement which keeps `the key` gives, in the order of the rows."""
    names = [attribute.name for attribute in named.attributes]
    source = table if isinstance(table, str) else table[-1]
    with sqlite3.connect(":memory:") as connection:
        connection.setlimit(sqlite3.SQLITE_LIMIT_EXPR_DEPTH, 150)  # databases have some limit, SQLite 1000
        columns = ", ".join(map(quoted, ["the key", *names]))
        connection.execute(f"CREATE TABLE {quoted(source)} ({columns})")
        marks = ", ".join("?" * (1 + len(names)))
        values = [(i, *(row.get(name) for name in names)) for i, row in enumerate(rows)]
        connection.executemany(f"INSERT INTO {quoted(source)} VALUES ({marks})", values)
        found = connection.execute(statement)
        names = [column[0] for column in found.description]
        records = sorted(found.fetchall())
    assert [record[0] for record in records] == list(range(len(rows)))
    return names[1:], [record[1:] for record in records]


def run_python(source: str, rows: list[dict[str, Any]], function: str = "predict") -> list[Any]:
    """What a function of a source gives for each row."""
    space: dict[str, Any] = {}
    exec(source, space)
    return [space[function](row) for row in rows]
