"""Workbooks of Excel, by openpyxl: values as they were last computed, dates as dates."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from novacula.errors import DataError, ParameterError
from novacula.table.archive import ZIP_ERRORS, open_archive
from novacula.table.files import DataFile, first_line
from novacula.table.sheets import MOST_CELLS, Sheet, chosen_sheet

_ERRORS = ("#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A", "#GETTING_DATA", "#SPILL!", "#CALC!")

_FAILURES = (
    *(*ZIP_ERRORS, KeyError, IndexError, ValueError, TypeError, AttributeError, OverflowError),
    *(SyntaxError, AssertionError, OSError, EOFError),
)
"""What openpyxl raises for workbooks that are not as they should be."""


def read_workbook(file: DataFile, wanted: str | int | None) -> Sheet:
    """The cells of a sheet."""
    try:
        from openpyxl import load_workbook
        from openpyxl.utils.exceptions import InvalidFileException
    except ImportError:
        raise DataError(
            f"{file.path} is read by openpyxl, which is not installed: pip install 'novacula[excel]'"
        ) from None
    with file.open() as opened:
        open_archive(opened, file.size, file.path)  # refuses what unpacks to very much
        try:
            book = load_workbook(opened, read_only=True, data_only=True, keep_links=False)
            name = chosen_sheet(book.sheetnames, wanted, file.path)
            return _cells(book[name], list(book.sheetnames), name, file.path)
        except (DataError, ParameterError):
            raise
        except (InvalidFileException, *_FAILURES) as error:
            raise DataError(f"{file.path} is not a workbook that can be read: {first_line(error)}") from error


def _cells(sheet: Any, names: list[str], name: str, path: str) -> Sheet:
    if not hasattr(sheet, "iter_rows"):
        raise DataError(f"sheet {name!r} of {path} holds a chart and no cells")
    sheet.reset_dimensions()  # what the file says of its size may be wrong
    rows, held, n_errors = [], 0, 0
    for row in sheet.iter_rows(values_only=True):
        cells = list(row)
        while cells and cells[-1] is None:
            cells.pop()
        held += len(cells) + 1
        if held > MOST_CELLS:
            raise DataError(f"{path} is too large to be held: save it as CSV")
        for j, cell in enumerate(cells):
            if isinstance(cell, str):
                is_error = cell in _ERRORS
                n_errors += is_error
                cells[j] = None if is_error or not cell.strip() else cell
            elif isinstance(cell, timedelta):
                cells[j] = cell.total_seconds()
        rows.append(cells)
    return Sheet(rows, names, name, n_errors)
