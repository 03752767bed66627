"""Tables as the command line names them: a file, several, a glob, or a data set of the library."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from novacula.table import Schema, Table


def read_table(names: Sequence[str], target: str | None, drop: Sequence[str] = (), weight: str | None = None) -> Table:
    """The table, its target named and some of its columns left out."""
    from novacula import datasets
    from novacula.errors import ParameterError
    from novacula.table import read

    if len(names) == 1 and names[0] in datasets.names() and not Path(names[0]).exists():
        if weight is not None:
            raise ParameterError(f"{names[0]} names its own weight: --weight is for files")
        table = datasets.load(names[0])
        table = table if target is None else table.with_target(target)
    else:
        table = read(list(names), target, weight=weight)
    return table.drop(list(drop)) if drop else table


def one_row(table: Table, row: int, schema: Schema) -> Table:
    """A row, counted from 1, as a model with this schema takes it."""
    from novacula.errors import ParameterError

    if not 1 <= row <= len(table):
        raise ParameterError(f"there is no row {row}: {table.source.name} has {len(table)} rows, counted from 1")
    return table.conform(schema, "ignore").take([row - 1])


def first_rows(table: Table, rows: int, schema: Schema) -> Table:
    """The first rows, as a model with this schema takes them; a number that is none is left to the work to refuse."""
    return table.conform(schema, "ignore").take(list(range(min(max(rows, 1), len(table)))))


def named_values(settings: Sequence[str]) -> dict[str, Any]:
    """`name=value` pairs; each value is read as JSON, or else as a word."""
    import json

    from novacula.errors import ParameterError

    values: dict[str, Any] = {}
    for setting in settings:
        name, equals, word = setting.partition("=")
        if not equals or not name:
            raise ParameterError(f"{setting!r} sets nothing: write --set name=value")
        try:
            values[name] = json.loads(word)
        except ValueError:
            values[name] = {"None": None, "True": True, "False": False}.get(word, word)
    return values
