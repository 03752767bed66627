"""JSON: objects line by line, which are read as a stream, or an array of objects, which is held.

Objects within objects become columns with a dot in their names. Text within JSON is read as text of CSV files is: it
may be a date, or a number in quotes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from novacula.errors import DataError
from novacula.table.columns_of_values import StoredType, arrow_column, arrow_type, require_columns
from novacula.table.dialect import Dialect
from novacula.table.encode import ArrowPartition
from novacula.table.files import name_of
from novacula.table.frames import FrameSource
from novacula.table.names import printable
from novacula.table.parallel import map_ordered
from novacula.table.parse_cache import ParseCache, ParsedForm
from novacula.table.records import RecordSyntax
from novacula.table.schema import Schema
from novacula.table.source import Source, TextHabits
from novacula.table.textfile import TextFile, encoding_notes

_ROWS = 10_000  # a batch
_DEPTH = 20  # objects within objects
_HEAD_BYTES = 1 << 16
_LINES = RecordSyntax(quote=None)
_COLUMN = re.compile(r'\{\s*"(?:[^"\\]|\\.)*"\s*:\s*[{\[]')


def open_json(paths: Sequence[str], dialect: Dialect, encodings: Mapping[str, str]) -> Source:
    """Files of JSON lines as a stream, or one that is a whole."""
    texts = [TextFile(path, dialect.encoding or encodings.get(path)) for path in paths]
    whole = [text for text in texts if not _is_lines(text)]
    if whole and len(texts) > 1:
        raise DataError(f"{whole[0].path} is one JSON value, and there are {len(texts)} files: read it alone")
    source: Source = _whole(texts[0], dialect) if whole else JsonLinesSource(texts, dialect)
    source.notes = tuple(encoding_notes(texts, dialect.encoding))
    return source


def _is_lines(text: TextFile) -> bool:
    """Whether the first line is an object by itself, and nothing that could be more."""
    head, ended = text.beginning(_HEAD_BYTES)
    content = head.decode(text.codec, "replace").lstrip("\ufeff \t\r\n")
    if not content:
        raise DataError(f"{text.path} is empty: it holds no JSON")
    line, newline, rest = content.partition("\n")
    if not content.startswith("{"):
        return False
    if not (newline or ended):  # one long line: columns as pandas writes them, or objects of many values
        return _COLUMN.match(content) is None
    try:
        first = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return bool(rest.strip()) or not _is_by_column(first)


def _whole(text: TextFile, dialect: Dialect) -> Source:
    """A file that is one value: an array of objects, or an object of columns as pandas writes it."""
    try:
        content = text.read().decode(text.codec)
    except UnicodeError as error:
        raise text.unreadable(error) from error
    value = _parsed(content, text.path)
    if isinstance(value, dict) and _is_by_column(value):
        rows = _rows_of_columns(value)
    elif isinstance(value, dict):
        rows = [value]
    else:
        rows = value
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise DataError(f"{text.path} is no table: JSON must be objects line by line, or an array of objects")
    if not rows:
        raise DataError(f"{text.path} has no rows")
    flat = [flattened(row, f"row {i} of {text.path}") for i, row in enumerate(rows, start=1)]
    stored = _ColumnTypes.of(flat).stored
    require_columns(stored, text.path)
    columns = {name: arrow_column([row.get(name) for row in flat], kind) for name, kind in stored.items()}
    source = JsonTableSource(pa.table(columns), name=text.path)
    source.decimal = dialect.decimal
    return source


class JsonTableSource(FrameSource):
    """Objects of an array, in memory; their text may be anything."""

    is_text = True
    decimal: str | None = None

    @property
    def habits(self) -> TextHabits:
        """As in CSV files."""
        return TextHabits(True, self.decimal)


def _is_by_column(value: Any) -> bool:
    """Whether an object holds columns: objects with the same keys, or arrays of one length."""
    if not isinstance(value, dict) or not value:
        return False
    columns = list(value.values())
    if all(isinstance(column, dict) and len(column) > 0 for column in columns):
        return len(columns) > 1 and all(column.keys() == columns[0].keys() for column in columns)
    return all(isinstance(column, list) and len(column) == len(columns[0]) for column in columns)


def _rows_of_columns(value: dict[str, Any]) -> list[dict[str, Any]]:
    lists = {name: list(c.values()) if isinstance(c, dict) else c for name, c in value.items()}
    return [dict(zip(lists, cells, strict=True)) for cells in zip(*lists.values(), strict=True)]


def _parsed(text: str, where: str) -> Any:
    try:
        return json.loads(text.lstrip("\ufeff"))
    except (ValueError, RecursionError) as error:
        what = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise DataError(f"{where} is not JSON that can be read: {printable(what)}") from error


def flattened(row: Any, where: str) -> dict[str, Any]:
    """An object whose values are no objects."""
    if not isinstance(row, dict):
        raise DataError(f"{where} is no object: JSON must be objects line by line, or an array of objects")
    flat: dict[str, Any] = {}
    for name, value in _parts(row, "", _DEPTH, where):
        if name in flat:
            raise DataError(f"{where} has two values called {name!r}: rename one of them")
        flat[name] = value
    return flat


def _parts(row: dict[str, Any], prefix: str, depth: int, where: str) -> Iterator[tuple[str, Any]]:
    if depth == 0:
        raise DataError(f"{where} holds objects within objects, more than {_DEPTH} deep: flatten it first")
    for name, value in row.items():
        if isinstance(value, dict) and value:
            yield from _parts(value, f"{prefix}{name}.", depth - 1, where)
        else:
            yield prefix + name, None if value == {} else value


class _ColumnTypes(NamedTuple):
    """The columns of objects in the order in which they appear, with what holds their values."""

    stored: dict[str, StoredType]
    rows: int = 0

    @classmethod
    def of(cls, rows: Sequence[Mapping[str, Any]]) -> _ColumnTypes:
        """The columns of some rows."""
        stored: dict[str, StoredType] = {}
        for row in rows:
            for name, value in row.items():
                stored[name] = stored.get(name, StoredType.EMPTY) | StoredType.of(value)
        return cls(stored, len(rows))

    def __add__(self, other: Any) -> _ColumnTypes:
        stored = dict(self.stored)
        for name, kind in other.stored.items():
            stored[name] = stored.get(name, StoredType.EMPTY) | kind
        return _ColumnTypes(stored, self.rows + other.rows)


class JsonLinesSource(Source):
    """Objects line by line; a pass on opening finds the columns and what they hold."""

    is_text = True

    def __init__(self, texts: Sequence[TextFile], dialect: Dialect) -> None:
        self.name = name_of([text.path for text in texts])
        self.decimal, cache = dialect.decimal, ParseCache()
        cuts = [(text, *cut) for text in texts for cut in text.ranges(0, _LINES)]
        bare = [JsonLinesPartition(*cut, {}, cache) for cut in cuts]
        total = _ColumnTypes({})
        for found in map_ordered(_column_types, bare):
            total = total + found
        if not total.rows:
            raise DataError(f"{self.name} has no rows")
        self.stored, self.n_rows = total.stored, total.rows
        require_columns(self.stored, self.name)
        self._parts = [JsonLinesPartition(*cut, self.stored, cache) for cut in cuts]

    @property
    def habits(self) -> TextHabits:
        """As in CSV files."""
        return TextHabits(True, self.decimal)

    def arrow_schema(self) -> Any:
        """Numbers, truth values and text, as JSON has them."""
        return pa.schema([(name, arrow_type(kind)) for name, kind in self.stored.items()])

    def partitions(self) -> Sequence[JsonLinesPartition]:
        """Ranges of bytes of each file."""
        return self._parts

    def count_rows(self) -> int:
        """Rows counted on opening."""
        return self.n_rows


class JsonLinesPartition(ArrowPartition):
    """Whole lines of a file, from one byte to another."""

    def __init__(
        self, text: TextFile, start: int, stop: int | None, stored: Mapping[str, StoredType], cache: ParseCache
    ) -> None:
        self.text, self.start, self.stop, self.stored, self.cache = text, start, stop, stored, cache
        self.name = text.path if start == 0 else f"{text.path} (from byte {start})"
        self.key = f"{text.file.token}-{start}-{stop}-{text.encoding}"

    def objects(self) -> Iterator[dict[str, Any]]:
        """The objects of the lines."""
        for number, line in self.text.lines_between(self.start, self.stop):
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                what = "nested too deeply" if isinstance(error, RecursionError) else str(error)
                raise DataError(f"{self._line(number)} is not JSON ({printable(what)})") from error
            if not isinstance(row, dict) or any(isinstance(value, dict) for value in row.values()):
                row = flattened(row, self._line(number))
            yield row

    def _line(self, number: int) -> str:
        return f"{self.text.path}, line {self.text.count_lines(self.start) + number},"

    def batches(self, names: Sequence[str], schema: Schema | None = None) -> Iterator[Any]:
        """Give the named columns."""
        wanted = {name: arrow_type(self.stored[name]) for name in names or [next(iter(self.stored))]}
        form = ParsedForm(wanted, ())
        self.text.file.require()
        held = self.cache.find(self.key, form)
        yield from held if held is not None else self.cache.keep(self.key, form, self._batches(list(wanted)))

    def _batches(self, names: Sequence[str]) -> Iterator[Any]:
        rows: list[dict[str, Any]] = []
        for row in self.objects():
            rows.append(row)
            if len(rows) == _ROWS:
                yield self._batch(rows, names)
                rows = []
        if rows:
            yield self._batch(rows, names)

    def _batch(self, rows: list[dict[str, Any]], names: Sequence[str]) -> Any:
        columns = [arrow_column([row.get(name) for row in rows], self.stored[name]) for name in names]
        return pa.record_batch(columns, names=list(names))

    def row_name(self, row: int) -> str:
        """Count rows from the first one of the file."""
        before = 0
        if self.start:
            before = sum(1 for _ in JsonLinesPartition(self.text, 0, self.start, {}, ParseCache(0)).objects())
        return f"row {before + row + 1} of {self.text.path}"


def _column_types(partition: JsonLinesPartition) -> _ColumnTypes:
    total = _ColumnTypes({})
    rows: list[dict[str, Any]] = []
    for row in partition.objects():
        rows.append(row)
        if len(rows) == _ROWS:
            total, rows = total + _ColumnTypes.of(rows), []
    return total + _ColumnTypes.of(rows)
