"""Sheets of workbooks: rows of cells, of which the first that holds anything names the columns.

Columns of numbers, dates or truth values are taken as they are stored; text is read as text of CSV files is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from novacula.advice import option
from novacula.errors import DataError, ParameterError
from novacula.table.columns_of_values import StoredType, arrow_column, spelled
from novacula.table.dialect import Dialect, sound_names, told_apart
from novacula.table.files import DataFile, name_of, same_columns
from novacula.table.frames import FrameSource
from novacula.table.header import names_columns, row_name_column
from novacula.table.notes import ReadingNote
from novacula.table.schema import Kind
from novacula.table.source import TextHabits
from novacula.words import listed

MOST_CELLS = 50_000_000
"""Of a sheet, which is held in memory."""
_SAMPLE = 100  # rows by which a header is known


class Sheet(NamedTuple):
    """The cells of a sheet, and what there is to say of them."""

    rows: list[list[Any]]  # None where a cell is empty
    names: list[str]  # of all sheets of the workbook
    name: str
    n_errors: int = 0  # cells such as #DIV/0!, which are empty here


ReadSheet = Callable[[DataFile, "str | int | None"], Sheet]


class SheetSource(FrameSource):
    """The rows of a sheet, in memory."""

    is_text = True

    def __init__(self, table: Any, name: str, row_names: str | None, decimal: str | None) -> None:
        super().__init__(table, name=name)
        self.row_names, self.decimal = row_names, decimal

    @property
    def habits(self) -> TextHabits:
        """As in CSV files."""
        return TextHabits(True, self.decimal)

    def kinds(self) -> dict[str, Kind | None]:
        """Names of rows say nothing of other rows."""
        kinds = super().kinds()
        if self.row_names is not None and self.row_names not in self.kept:
            kinds[self.row_names] = "ignored"
        return kinds


def open_sheets(paths: Sequence[str], read_sheet: ReadSheet, dialect: Dialect, sheet: str | int | None) -> SheetSource:
    """A sheet of each of some workbooks, under each other."""
    tables, notes, row_names = [], list[ReadingNote](), None
    for path in paths:
        found = read_sheet(DataFile.at(path), sheet)
        table, row_names, said = _table(found, path, dialect)
        tables.append(table)
        notes += said if path == paths[0] else []
        if sheet is None and len(found.names) > 1 and path == paths[0]:
            others = listed((name for name in found.names if name != found.name), 6)
            said_sheet = option("sheet", found.names[1])
            notes.append(
                ReadingNote(f"{path} is read from its sheet {found.name!r}; others are {others}: say {said_sheet}")
            )
    same_columns(paths, [table.column_names for table in tables])
    source = SheetSource(_joined(tables), name_of(paths), row_names, dialect.decimal)
    source.notes = tuple(notes)
    return source


def _joined(tables: Sequence[Any]) -> Any:
    try:
        return pa.concat_tables(tables, promote_options="permissive") if len(tables) > 1 else tables[0]
    except pa.ArrowException as error:
        raise DataError(f"the files hold the same columns in other types ({error}): read them one by one") from error


def chosen_sheet(names: Sequence[str], wanted: str | int | None, path: str) -> str:
    """The name of a sheet by its name or its number from 1."""
    if not names:
        raise DataError(f"{path} has no sheet")
    if wanted is None:
        return names[0]
    if str(wanted) in names:
        return str(wanted)
    if isinstance(wanted, int) or wanted.isdigit():
        if 1 <= int(wanted) <= len(names):
            return names[int(wanted) - 1]
        raise ParameterError(f"{path} has no sheet {wanted}: it has {len(names)}, {listed(names, 8)}")
    raise ParameterError(f"{path} has no sheet {wanted!r}: it has {listed(names, 8)}")


def _table(sheet: Sheet, path: str, dialect: Dialect) -> tuple[Any, str | None, list[ReadingNote]]:
    """The rows of a sheet as an Arrow table, its column of row names, and notes."""
    rows = [row for row in sheet.rows[dialect.skip :] if any(cell is not None for cell in row)]
    if not rows:
        raise DataError(f"sheet {sheet.name!r} of {path} is empty")
    rows = _trimmed(rows)
    texts = [["" if cell is None else spelled(cell).strip() for cell in row] for row in rows[: _SAMPLE + 1]]
    has_header = dialect.header
    if has_header is None:
        has_header = not dialect.names and _is_header(rows[0], texts)
    width, notes, doubles, row_names = len(rows[0]), list[ReadingNote](), list[str](), None
    if dialect.names:
        if len(dialect.names) != width:
            raise DataError(f"{len(dialect.names)} names were given for the {width} columns of {path}")
        names = sound_names(path, dialect.names)
    elif has_header:
        found, has_row_names = row_name_column(texts[0], texts[1:])
        names = sound_names(path, told_apart(found, dialect.dropped))
        doubles = [name for name in names if name not in found]
        row_names = names[0] if has_row_names else None
    else:
        names = tuple(f"x{j}" for j in range(width))
        said = f"say {option('header', True)} if it holds names"
        notes.append(ReadingNote(f"the first row of {path} is data, so that the columns are called x0, x1, …: {said}"))
    if row_names is not None:
        said = f"say {option('keep', [row_names])} to keep it"
        notes.append(ReadingNote(f"column 1 of {path} holds names of rows and is left out: {said}", row_names))
    if sheet.n_errors:
        notes.append(
            ReadingNote(f"{sheet.n_errors:,} cells of {path} hold errors such as #DIV/0!, and count as missing")
        )
    body = rows[1:] if has_header else rows
    columns = map(_column, zip(*body, strict=True)) if body else [pa.nulls(0)] * width
    return pa.table(dict(zip(names, columns, strict=True))).drop_columns(doubles), row_names, notes


def _is_header(first: Sequence[Any], texts: Sequence[Sequence[str]]) -> bool:
    """Names are text; a row of text is one where the rows below it look otherwise, as in CSV files."""
    numbers = [cell for cell in first if cell is not None and not isinstance(cell, str)]
    return names_columns(texts[0], texts[1:]) if numbers or len(texts) > 1 else True


def _column(cells: Sequence[Any]) -> Any:
    kind = StoredType.EMPTY
    for cell in cells:
        kind |= StoredType.of(cell)
    return arrow_column(cells, kind)


def _trimmed(rows: list[list[Any]]) -> list[list[Any]]:
    """Rows of one width, without the empty columns to the left and to the right of all that is there."""
    filled = [[j for j, cell in enumerate(row) if cell is not None] for row in rows]
    first, last = min(places[0] for places in filled), max(places[-1] for places in filled) + 1
    if (last - first) * len(rows) > MOST_CELLS:
        raise DataError(
            f"a sheet of {len(rows):,} rows and {last - first:,} columns is too large to be held: save it as CSV"
        )
    return [[*row[first:last], *[None] * (last - max(len(row), first))] for row in rows]
