"""Which table of a database is meant."""

from __future__ import annotations

from collections.abc import Sequence

from novacula.errors import DataError
from novacula.table.files import PART, DataFile
from novacula.table.names import did_you_mean
from novacula.table.notes import ReadingNote
from novacula.words import listed


def chosen_table(file: DataFile, names: Sequence[str]) -> tuple[str, tuple[ReadingNote, ...]]:
    """The table that is named behind the path, or the only one."""
    if not names:
        raise DataError(f"{file.path} holds no table")
    if file.part is not None:
        if file.part not in names:
            raise DataError(f"{file.path} holds no table {file.part!r}{did_you_mean(file.part, names, 'tables')}")
        return file.part, ()
    if len(names) > 1:
        raise DataError(
            f"{file.path} holds {len(names)} tables ({listed(names, 12)}): name one of them, as in "
            f"{f'{file.path}{PART}{names[0]}'!r}"
        )
    return names[0], (ReadingNote(f"{file.path} is read from its only table, {names[0]!r}"),)


def quoted_name(name: str) -> str:
    """A name as SQL has it, whatever is in it.

    >>> quoted_name('a"; DROP TABLE b')
    '"a""; DROP TABLE b"'
    """
    return '"' + name.replace('"', '""') + '"'
