"""Sheets of OpenDocument (.ods): a zip archive whose content.xml holds cells with their types."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any
from xml.etree import ElementTree

from novacula.errors import DataError
from novacula.table.archive import ZIP_ERRORS, open_archive
from novacula.table.files import DataFile, first_line
from novacula.table.sheets import MOST_CELLS, Sheet, chosen_sheet

_SPACES = {
    "table": "urn:oasis:names:tc:opendocument:xmlns:table:1.0",
    "office": "urn:oasis:names:tc:opendocument:xmlns:office:1.0",
    "text": "urn:oasis:names:tc:opendocument:xmlns:text:1.0",
}
_COLUMNS = 16_384  # of a sheet, at most
_DURATION = re.compile(r"(-?)PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:[.,]\d+)?)S)?")


def _tag(name: str) -> str:
    space, _, local = name.partition(":")
    return f"{{{_SPACES[space]}}}{local}"


_SHEET, _ROW, _CELL = _tag("table:table"), _tag("table:table-row"), _tag("table:table-cell")
_COVERED, _PARAGRAPH, _SPACE = _tag("table:covered-table-cell"), _tag("text:p"), _tag("text:s")
_NAME, _ROWS, _TIMES = _tag("table:name"), _tag("table:number-rows-repeated"), _tag("table:number-columns-repeated")
_TYPE, _COUNT = _tag("office:value-type"), _tag("text:c")
_ANNOTATION = _tag("office:annotation")


def read_document(file: DataFile, wanted: str | int | None) -> Sheet:
    """The cells of a sheet."""
    with file.open() as opened, open_archive(opened, file.size, file.path) as archive:
        try:
            with archive.open("content.xml") as content:
                names = [sheet.get(_NAME, "") for _, sheet in _started(content) if sheet.tag == _SHEET]
            name = chosen_sheet(names, wanted, file.path)
            with archive.open("content.xml") as content:
                return Sheet(list(_rows(content, names.index(name), file.path)), names, name)
        except (KeyError, ElementTree.ParseError, OSError, EOFError, *ZIP_ERRORS) as error:
            raise DataError(
                f"{file.path} is not a sheet of OpenDocument that can be read: {first_line(error)}"
            ) from error


def _started(content: Any) -> Iterator[tuple[str, Any]]:
    return ElementTree.iterparse(content, events=("start",))  # noqa: S314  (expat bounds what entities expand to)


def _rows(content: Any, wanted: int, path: str) -> Iterator[list[Any]]:
    """The rows of one of the sheets; empty rows at the end may be said to be a million, and are not made."""
    place, blank, held = -1, 0, 0
    for event, element in ElementTree.iterparse(content, events=("start", "end")):  # noqa: S314
        if element.tag == _SHEET:
            if event == "start":
                place += 1
            elif place == wanted:
                return
            else:
                element.clear()
        elif element.tag == _ROW and event == "end" and place == wanted:
            cells, times = _cells(element), _repeated(element, _ROWS)
            element.clear()
            if not cells:
                blank += times
                continue
            held += (len(cells) + 1) * times
            if held > MOST_CELLS:
                raise DataError(f"{path} is too large to be held: save it as CSV")
            if blank:
                yield []
            blank = 0
            for _ in range(times):
                yield list(cells)


def _cells(row: Any) -> list[Any]:
    cells: list[Any] = []
    empty = 0
    for cell in row:
        if cell.tag not in (_CELL, _COVERED):
            continue
        value, times = _value(cell), _repeated(cell, _TIMES)
        if value is None:
            empty += times
            continue
        if len(cells) + empty + times > _COLUMNS:
            break
        cells += [None] * empty + [value] * times
        empty = 0
    return cells


def _repeated(element: Any, attribute: str) -> int:
    times = element.get(attribute, "1")
    return max(int(times), 1) if times.isdigit() and len(times) < 10 else 1


def _value(cell: Any) -> Any:
    """The value of a cell by its type; text where there is none."""
    kind = cell.get(_TYPE)
    stated = cell.get(_tag("office:value")) if kind in ("float", "percentage", "currency") else None
    try:
        if stated is not None:
            number = float(stated)
            return int(number) if kind == "float" and number.is_integer() and abs(number) < 1 << 53 else number
        if kind == "boolean":
            return cell.get(_tag("office:boolean-value")) == "true"
        if kind == "date":
            return datetime.fromisoformat(cell.get(_tag("office:date-value"), "")[:26])
        if kind == "time" and (match := _DURATION.fullmatch(cell.get(_tag("office:time-value"), ""))):
            parts = [float((part or "0").replace(",", ".")) for part in match.groups()[1:]]
            return (-1.0 if match[1] else 1.0) * (parts[0] * 3600 + parts[1] * 60 + parts[2])
    except ValueError:
        pass  # what cannot be read by its type is read as it is shown
    text = "\n".join(map(_text, (part for part in cell if part.tag == _PARAGRAPH)))
    return text if text.strip() else None


def _text(element: Any) -> str:
    """The text of a paragraph, with the spaces that XML would lose."""
    parts = [element.text or ""]
    for child in element:
        if child.tag == _SPACE:
            count = child.get(_COUNT, "1")
            parts.append(" " * (min(int(count), 1000) if count.isdigit() else 1))
        elif child.tag != _ANNOTATION:
            parts.append(_text(child))
        parts.append(child.tail or "")
    return "".join(parts)
