"""How a delimited text file is written, and what its first lines say: delimiter and names."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from novacula.errors import DataError, ParameterError
from novacula.table.files import unpacked_name
from novacula.table.names import repeated
from novacula.table.records import RecordSyntax, line_ends
from novacula.table.textfile import TextFile

_DELIMITERS = (",", "\t", ";", "|")
_BOM = b"\xef\xbb\xbf"
_SAMPLE_BYTES = 1 << 16
_SAMPLE_LINES = 20


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a text file is written; `names` replace those of the header, or serve where there is none."""

    delimiter: str | None = None  # None: found out from the first lines
    quote: str | None = '"'
    encoding: str = "utf-8"
    header: bool | None = None  # None: there is one unless names are given
    names: tuple[str, ...] = ()
    skip: int = 0  # lines before the header

    def __post_init__(self) -> None:
        for option in ("delimiter", "quote"):
            mark = getattr(self, option)
            if mark is not None and (len(mark) != 1 or not mark.isascii() or mark in "\r\n"):
                raise ParameterError(f"{option} is {mark!r}; it must be one ASCII character")
        if self.skip < 0:
            raise ParameterError(f"skip is {self.skip}; it must be the number of lines to leave out")

    @property
    def has_header(self) -> bool:
        """Whether the first record names the columns."""
        return not self.names if self.header is None else self.header

    @property
    def syntax(self) -> RecordSyntax:
        """What ends fields and records."""
        delimiter = "," if self.delimiter is None else self.delimiter
        return RecordSyntax(delimiter.encode(), None if self.quote is None else self.quote.encode())

    def fields(self, record: str) -> list[str]:
        """The fields of one record."""
        return next(csv.reader(io.StringIO(record, newline=""), **self.csv_options()), [])

    def csv_options(self) -> dict[str, Any]:
        """The same for Python's reader."""
        quoting = {"quoting": csv.QUOTE_NONE} if self.quote is None else {"quotechar": self.quote}
        return {"delimiter": self.delimiter or ",", **quoting}

    def sniffed(self, text: TextFile) -> Self:
        """The dialect with its delimiter: the one that stands equally often in the first lines of a file."""
        if self.delimiter is not None:
            return self
        if unpacked_name(text.path).endswith((".tsv", ".tab")):
            return replace(self, delimiter="\t")
        data, ended = text.beginning(_SAMPLE_BYTES)
        sample = data.decode(text.codec, "replace").replace("\0", "")
        lines = io.StringIO(sample, newline="").readlines()
        lines = [line for line in lines[self.skip : None if ended else -1] if line.strip()][:_SAMPLE_LINES]
        for delimiter in _DELIMITERS:
            candidate = replace(self, delimiter=delimiter)
            records = list(csv.reader(lines, **candidate.csv_options()))
            widths = set(map(len, records[:-1] or records))  # the last one may be cut off
            if len(widths) == 1 and widths.pop() > 1:
                return candidate
        return replace(self, delimiter=max(_DELIMITERS, key=lines[0].count) if lines else ",")


@dataclass(frozen=True, slots=True)
class Head:
    """What the first lines of a file say: the names of the columns, and the offset where the rows begin."""

    names: tuple[str, ...]
    start: int

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
            raise DataError(f"{text.path} holds zero bytes: it is not text, unless you say encoding='utf-16'")
        record = data[start:end] if end > start else data[start:]
        if not record.strip():
            raise DataError(f"{text.path} is empty: it has no line of data or names")
        try:
            fields = dialect.fields(record.decode(text.codec))
        except (UnicodeError, csv.Error) as error:
            raise text.unreadable(error) from error
        names = _names(text.path, dialect, fields)
        return cls(names, start + len(record) if dialect.has_header else start)


def _first_record(data: bytes, skip: int) -> int:
    """The offset of the first line that is not blank, after those to be skipped."""
    start = len(_BOM) if data.startswith(_BOM) else 0
    for end in line_ends(data, start):
        if skip <= 0 and data[start:end].strip():
            break
        start, skip = end, skip - 1
    return start if skip <= 0 else len(data)


def _names(path: str, dialect: Dialect, fields: Sequence[str]) -> tuple[str, ...]:
    names = dialect.names
    if not names:
        found = fields if dialect.has_header else [f"x{j}" for j in range(len(fields))]
        names = tuple(name.strip() for name in found)
    if len(names) != len(fields):
        raise DataError(f"{len(names)} names were given for the {len(fields)} columns of {path}")
    if "" in names:
        at = names.index("") + 1
        raise DataError(f"{path} has no name for column {at}: give names=[…] and header=True")
    if len(set(names)) != len(names):
        twice = repeated(names)
        raise DataError(f"{path} has two columns called {twice!r}: give names=[…] and header=True")
    return names
