"""Tables as the command line names them: a file, several, a glob, or a data set of the library."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from novacula.cli.output import say

if TYPE_CHECKING:
    from novacula.cli.reading import ReadingOptions
    from novacula.table import Schema, Table


STDIN = "/dev/stdin"
"""What - stands for."""


def read_table(
    names: Sequence[str],
    target: str | None,
    reading: ReadingOptions,
    weight: str | None = None,
    only: Schema | None = None,
) -> Table:
    """The table with its target named; of columns that a model with the schema `only` lacks, nothing is found out."""
    from novacula import datasets
    from novacula.errors import DataWarning
    from novacula.table import read

    if len(names) == 1 and names[0] in datasets.names() and not Path(names[0]).exists():
        return _data_set(names[0], target, reading, weight)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # what it says is among the notes
        paths = [STDIN if name == "-" else name for name in names]
        return read(paths, target, weight=weight, only=only, **reading.for_reading())


def say_notes(table: Table) -> None:
    """Say what reading decided on its own."""
    for note in table.notes:
        say(f"note: {note}")


def _data_set(name: str, target: str | None, reading: ReadingOptions, weight: str | None) -> Table:
    """A data set of the library, which says itself how it is read."""
    from novacula import datasets
    from novacula.errors import ParameterError
    from novacula.table import read

    asked = reading.for_reading()
    of_files = [option for option in asked if option not in ("types", "drop", "keep")]
    if weight is not None or of_files:
        option = "weight" if weight is not None else "no-header" if asked.get("header") is False else of_files[0]
        raise ParameterError(f"--{option} is for files, and {name} is a data set of the library")
    return read(datasets.load(name), target, types=asked.get("types"), drop=asked.get("drop"))


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
