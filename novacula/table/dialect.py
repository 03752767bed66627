"""How a delimited text file is written, and what its first lines say: delimiter and names."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Self

from novacula.advice import option
from novacula.errors import DataError, ParameterError
from novacula.table.blanks import BLANK, squeezed
from novacula.table.delimiter import found_delimiter, named_delimiter
from novacula.table.files import unpacked_name
from novacula.table.header import blank_columns, is_title, names_columns, row_name_column
from novacula.table.names import repeated
from novacula.table.orange import OrangeColumn, described_by_letters, described_by_rows
from novacula.table.records import RecordSyntax, line_ends
from novacula.table.textfile import TextFile

_BOM = b"\xef\xbb\xbf"
_SAMPLE_BYTES = 1 << 16
_SAMPLE_LINES = 20
_SAMPLE_RECORDS = 100
_NAMED = 12  # columns whose names a message may hold


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a text file is written; `names` replace those of the header, or serve where there is none."""

    delimiter: str | None = None  # None: found out from the first lines
    quote: str | None = '"'
    encoding: str | None = None  # None: found out from the first bytes
    header: bool | None = None  # None: found out from the first records, and none if names are given
    names: tuple[str, ...] = ()
    skip: int = 0  # lines before the header
    decimal: str | None = None  # what ends the whole part of a number; None: found out from the values
    dropped: tuple[str, ...] = ()  # columns that are left out, of which several may have one name

    def __post_init__(self) -> None:
        for name in ("delimiter", "quote"):
            mark = getattr(self, name)
            if mark is not None and (len(mark) != 1 or not mark.isascii() or mark in "\r\n"):
                raise ParameterError(f"{name} is {mark!r}; it must be one ASCII character")
        if self.decimal not in (None, ".", ","):
            raise ParameterError(f"decimal is {self.decimal!r}; it must be '.' or ','")
        if self.skip < 0:
            raise ParameterError(f"skip is {self.skip}; it must be the number of lines to leave out")

    @property
    def syntax(self) -> RecordSyntax:
        """What ends fields and records."""
        delimiter = "," if self.delimiter is None else self.delimiter
        return RecordSyntax(delimiter.encode(), None if self.quote is None else self.quote.encode())

    def fields(self, record: str) -> list[str]:
        """The fields of one record."""
        return next(csv.reader(io.StringIO(self._one_blank(record), newline=""), **self.csv_options()), [])

    def records(self, data: bytes, codec: str, ended: bool) -> list[list[str]]:
        """The first whole records of some bytes, at most a hundred; blank lines are none."""
        text = io.StringIO(self._one_blank(data.decode(codec, "replace").replace("\0", "")), newline="")
        try:
            found = list(islice(filter(None, csv.reader(text, **self.csv_options())), _SAMPLE_RECORDS + 1))
        except csv.Error:
            return []
        return found[:_SAMPLE_RECORDS] if ended and len(found) <= _SAMPLE_RECORDS else found[:-1]

    def _one_blank(self, text: str) -> str:
        """Text with one delimiter between two fields."""
        return squeezed(text.encode("utf-8", "replace")).decode() if self.delimiter == BLANK else text

    def end_of_records(self, text: TextFile, start: int, count: int) -> int:
        """How many bytes some records take."""
        data, end = text.read(start, size=_SAMPLE_BYTES), 0
        for _ in range(count):
            end += self.syntax.first_end(data[end:])
        return end

    def csv_options(self) -> dict[str, Any]:
        """The same for Python's reader."""
        quoting = {"quoting": csv.QUOTE_NONE} if self.quote is None else {"quotechar": self.quote}
        return {"delimiter": self.delimiter or ",", **quoting}

    def sniffed(self, text: TextFile) -> Self:
        """The dialect with its delimiter: the one that the first lines of a file name, or show."""
        if self.delimiter is not None:
            return self
        if unpacked_name(text.path).endswith((".tsv", ".tab")):
            return replace(self, delimiter="\t")
        data, ended = text.beginning(_SAMPLE_BYTES)
        sample = data.decode(text.codec, "replace").replace("\0", "").removeprefix("\ufeff")
        lines = io.StringIO(sample, newline="").readlines()
        if lines and (named := named_delimiter(lines[0])) is not None:
            return replace(self, delimiter=named)
        lines = [line for line in lines[self.skip : None if ended else -1] if line.strip()][:_SAMPLE_LINES]
        return replace(self, delimiter=found_delimiter(lines, self.csv_options()))


@dataclass(frozen=True, slots=True)
class Head:
    """What the first lines of a file say: the names of the columns, and the offset where the rows begin."""

    names: tuple[str, ...]
    start: int
    has_header: bool = True
    row_names: str | None = None  # the column that has names of rows
    blank: tuple[str, ...] = ()  # columns at the end that have neither a name nor a value
    doubles: tuple[str, ...] = ()  # what columns are called that are left out, after the first one of their name
    above: int = 0  # lines that seem to stand above the names, as a title does
    orange: tuple[OrangeColumn, ...] = ()

    @classmethod
    def of(cls, text: TextFile, dialect: Dialect) -> Self:
        """Read the first lines of a file, however long they are."""
        size, ended = _SAMPLE_BYTES, False
        while not ended:
            data, ended = text.beginning(size)
            start = _first_record(data, dialect.skip)
            end = start + dialect.syntax.first_end(data[start:])
            if end > start or ended:
                break
            size *= 4
        if b"\0" in data[:end]:
            raise DataError(
                f"{text.path} holds zero bytes: it is not text, unless you say {option('encoding', 'utf-16')}"
            )
        record = data[start:end] if end > start else data[start:]
        if not record.strip():
            raise DataError(f"{text.path} is empty: it has no line of data or names")
        try:
            fields = [field.strip() for field in dialect.fields(record.decode(text.codec))]
        except (UnicodeError, csv.Error) as error:
            raise text.unreadable(error) from error
        others = dialect.records(data[start + len(record) :], text.codec, ended)
        head = cls._described(text, dialect, fields, start, len(record), others)
        return replace(head, above=_lines_above(data[start:], [len(fields), *map(len, others)]))

    @classmethod
    def _described(
        cls, text: TextFile, dialect: Dialect, fields: list[str], start: int, length: int, others: list[list[str]]
    ) -> Self:
        """What the fields of the first record are, seen beside the next ones."""
        has_header = dialect.header if dialect.header is not None else not dialect.names
        if dialect.header is None and not dialect.names:
            has_header = names_columns(fields, others)
        if dialect.names or not has_header:
            names = _names(text.path, dialect, len(fields))
            return cls(names, start + length if has_header else start, has_header)
        if text.file.path.lower().endswith(".tab") and (orange := _orange(fields, others)) is not None:
            columns, below = orange
            after = start + length + dialect.end_of_records(text, start + length, below)
            return cls(sound_names(text.path, [column.name for column in columns]), after, orange=tuple(columns))
        if dialect.header is None and is_title(fields, others):
            said = f"say {option('skip', dialect.skip + 1)} to leave it out, or {option('header', True)} if it is none"
            raise DataError(f"the first line of {text.path} seems to be a title: {said}")
        blank = tuple(f"column {j + 1}" for j in blank_columns(fields, others))
        if blank:
            fields, others = fields[: len(others[0]) - len(blank)], [record[: -len(blank)] for record in others]
        found, has_row_names = row_name_column(fields, others)
        apart = told_apart(found, dialect.dropped)
        doubles = tuple(name for name, old in zip(apart, found, strict=True) if name != old)
        names = sound_names(text.path, [*apart, *blank])
        row_names = names[0] if has_row_names else None
        return cls(names, start + length, row_names=row_names, blank=blank, doubles=doubles)


def _orange(fields: list[str], others: list[list[str]]) -> tuple[list[OrangeColumn], int] | None:
    """The columns as Orange describes them, and how many records that takes below the names."""
    if (columns := described_by_letters(fields)) is not None:
        return columns, 0
    columns = described_by_rows(fields, *others[:2]) if len(others) > 1 else None
    return None if columns is None else (columns, 2)


def _first_record(data: bytes, skip: int) -> int:
    """The offset of the first line that is not blank, after those to be skipped."""
    start = len(_BOM) if data.startswith(_BOM) else 0
    if named_delimiter(data[start : (end := next(line_ends(data, start), start))].decode("latin-1")) is not None:
        start = end
    for end in line_ends(data, start):
        if skip <= 0 and data[start:end].strip():
            break
        start, skip = end, skip - 1
    return start if skip <= 0 else len(data)


def _lines_above(data: bytes, widths: Sequence[int]) -> int:
    """How many lines stand above the first of the records that all are wider than the first one, if there are any."""
    narrow = next((len(widths) - i for i, width in enumerate(reversed(widths)) if width != widths[-1]), 0)
    if not narrow or widths[0] >= widths[-1] or narrow > _SAMPLE_LINES:
        return 0
    filled = (number for number, line in enumerate(data.splitlines()) if line.strip())
    return next(islice(filled, narrow, None), 0)


def _names(path: str, dialect: Dialect, width: int) -> tuple[str, ...]:
    """The names that were given, or x0, x1, …"""
    if dialect.names and len(dialect.names) != width:
        raise DataError(f"{len(dialect.names)} names were given for the {width} columns of {path}")
    return sound_names(path, dialect.names or [f"x{j}" for j in range(width)])


def told_apart(names: Sequence[str], dropped: Sequence[str]) -> list[str]:
    """Names of columns; those that are left out get one of their own where it stands before.

    >>> told_apart(["a", "a", "b"], ["a"]), told_apart(["a", "a"], [])
    (['a', 'a 2', 'b'], ['a', 'a'])
    """
    apart: list[str] = []
    for j, name in enumerate(names, start=1):
        apart.append(f"{name} {j}" if name in dropped and name in apart else name)
    return apart


def sound_names(path: str, names: Sequence[str]) -> tuple[str, ...]:
    """Names of which none is empty, and none stands twice."""
    if "" in names:
        raise DataError(f"{path} has no name for column {list(names).index('') + 1}: {_advice_on_names(names)}")
    if len(set(names)) != len(names):
        raise DataError(f"{path} has two columns called {repeated(names)!r}: {_advice_on_names(names)}")
    return tuple(names)


def _advice_on_names(names: Sequence[str]) -> str:
    """How all columns get a name of their own."""
    taken: list[str] = []
    for j, name in enumerate(names, start=1):
        taken.append(name if name and name not in taken else f"{name or 'column'} {j}")
    said = option("names", taken) if len(taken) <= _NAMED else option("names")
    return f"say {said} and {option('header', True)}"
