"""Of which table and question a run folder is: another table's run is not overwritten, another question's is said.

A table is the same if it is read from the same files, or has as many rows, and most of its numbers have the same range.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from novacula.cli.output import say
from novacula.cli.runs import NUMBERS, taken
from novacula.errors import ParameterError
from novacula.table.files import is_pipe
from novacula.words import listed
from novacula.writing import replace_file

if TYPE_CHECKING:
    from novacula.table import Table

ABOUT = "table.json"
"""What a run folder says of itself, from the moment in which a study begins to write there."""


_PIPE = "a pipe"
_NUMBERS = "numeric"  # whose ranges differ between tables, where categories may be the same


@dataclass(frozen=True)
class RunOf:
    """A table as it was read, and what was asked of it."""

    files: list[str]
    rows: int
    columns: dict[str, str]  # what each holds, in words
    asked: dict[str, Any]

    @classmethod
    def of(cls, files: Sequence[str], table: Table, asked: Mapping[str, Any]) -> RunOf:
        """What a run is of that begins now."""
        schema = table.schema
        columns = {
            column.name: f"{column.kind}, {column.missing} missing, {column.describe()}"
            for column in schema
            if column.kind != "ignored"
        }
        said = {name: value for name, value in asked.items() if value not in (None, (), [], {}, False)}
        return cls(
            list(map(_place, files)), schema.n_rows or len(table), columns, json.loads(json.dumps(said, default=str))
        )

    @classmethod
    def read(cls, folder: Path) -> RunOf | None:
        """What the run of a folder is of; None if it does not say."""
        try:
            held = json.loads((folder / ABOUT).read_bytes())
        except (OSError, ValueError, RecursionError):
            return None
        files, rows = taken(held, "files", list), taken(held, "rows", int)
        columns, asked = taken(held, "columns", dict), taken(held, "asked", dict)
        if files is None or rows is None or columns is None or asked is None:
            return None
        return cls(files, rows, columns, asked)

    def is_of_table_of(self, other: RunOf) -> bool:
        """Whether another run is of the same table."""
        if self.files == other.files and _PIPE not in self.files:
            return True
        common = self.columns.keys() & other.columns.keys()
        telling = {name for name in common if self.columns[name].startswith(_NUMBERS)} or common
        alike = sum(self.columns[name] == other.columns[name] for name in telling)
        return self.rows == other.rows and len(telling) > 0 and 2 * alike >= len(telling)

    def differences(self, other: RunOf) -> list[str]:
        """The settings in which another run differs."""
        names = sorted(self.asked.keys() | other.asked.keys())
        return [name.replace("_", "-") for name in names if self.asked.get(name) != other.asked.get(name)]


def _place(file: str) -> str:
    """Where a file is, whoever asks from which folder; data sets and globs stay as they are."""
    if file == "-" or is_pipe(file):
        return _PIPE
    return os.path.abspath(file) if os.path.exists(file) else file


def take_folder(wanted: Path | None, run: RunOf) -> Path:
    """Make a folder that of a run, and give it; one of another table is refused, or passed by if nobody named one."""
    folder = _free_folder(run) if wanted is None else wanted
    folder.mkdir(parents=True, exist_ok=True)
    held = RunOf.read(folder)
    replaced = "report, model and numbers are replaced"
    if held is not None and not held.is_of_table_of(run):
        what = f"{folder} holds the run of another table, {listed(held.files, 3)}"
        raise ParameterError(f"{what}: name another folder with --out, or remove that one")
    if held is None and (folder / NUMBERS).exists():
        say(f"note: {folder} holds an earlier run, which does not say of which table: {replaced}")
    elif held is not None and (other := held.differences(run)):
        say(f"note: {folder} holds a run of this table with another {listed(other, 6)}: {replaced}")
    replace_file(folder / ABOUT, json.dumps(asdict(run), ensure_ascii=False, indent=1).encode())
    return folder


def _free_folder(run: RunOf) -> Path:
    """The first of run, run-2, run-3, … that does not hold the run of another table."""
    folders = map(Path, chain(["run"], (f"run-{k}" for k in count(2))))
    folder = next(one for one in folders if (held := RunOf.read(one)) is None or held.is_of_table_of(run))
    if folder != Path("run"):
        say(f"note: run holds the run of another table, so this one is in {folder}")
    return folder
