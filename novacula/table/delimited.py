"""CSV and its kin: files cut at record boundaries into ranges of bytes, each parsed by Arrow on its own.

A newline ends a record when the quotes before it are even in number, so the cuts are right inside quoted text too.
A cut depends on the bytes of the file alone.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.csv as pacsv

from novacula.errors import DataError
from novacula.table.arrow import ArrowPartition
from novacula.table.schema import Schema
from novacula.table.source import Source

RANGE_BYTES = 16 << 20
"""Bytes of a file that one partition covers."""
_BLOCK_BYTES = 4 << 20
_COMPRESSED = (".gz", ".bz2", ".zst", ".lz4", ".xz")


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a text file is written; `names` stand in for a header where there is none."""

    delimiter: str | None = None  # None: found out from the first lines
    quote: str | None = '"'
    encoding: str = "utf-8"
    header: bool = True
    names: tuple[str, ...] = ()
    skip: int = 0  # lines before the header


class DelimitedSource(Source):
    """Delimited text files of one form, read one after the other."""

    def __init__(self, paths: Sequence[str], dialect: Dialect) -> None:
        self.paths = tuple(paths)
        self.name = paths[0] if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more"
        first = _first_lines(paths[0], dialect)
        delimiter = dialect.delimiter or _sniff(paths[0], first)
        self.dialect = Dialect(delimiter, dialect.quote, dialect.encoding, dialect.header, dialect.names, dialect.skip)
        self.names = self._names(paths[0], first)
        for path in paths[1:]:
            names = self._names(path, _first_lines(path, dialect))
            if names != self.names:
                raise DataError(f"{path} has the columns {_few(names)}, but {paths[0]} has {_few(self.names)}")
        self._known = Known()

    def _names(self, path: str, lines: list[str]) -> tuple[str, ...]:
        records = csv.reader(lines, **_reader_options(self.dialect))
        try:
            first = next(record for record in records if record)
        except (StopIteration, csv.Error):
            raise DataError(f"{path} is empty: it has no line of data or names") from None
        names = tuple(name.strip() for name in first) if self.dialect.header else self.dialect.names
        if not names:
            names = tuple(f"x{j}" for j in range(len(first)))
        if len(names) != len(first):
            raise DataError(f"{len(names)} names were given for the {len(first)} columns of {path}")
        blank = [j for j, name in enumerate(names) if not name]
        if blank:
            raise DataError(f"{path} has no name for column {blank[0] + 1}: give names=[…]")
        seen: set[str] = set()
        for name in names:
            if name in seen:
                raise DataError(f"{path} has two columns called {name!r}: rename one, or give names=[…] and skip=1")
            seen.add(name)
        return names

    def arrow_schema(self) -> Any:
        """All columns are text until the schema pass has said more."""
        return pa.schema([(name, pa.string()) for name in self.names])

    def learn(self, schema: Schema) -> None:
        """Take note of what the schema pass found, so that later passes parse columns as what they are."""
        kinds = {column.name: column.kind for column in schema}
        self._known = Known(kinds, None if schema.missing_by_column else schema.missing)

    def partitions(self) -> Sequence[RangePartition]:
        """Ranges of bytes of each file, in order."""
        return [part for path in self.paths for part in self._cut(path)]

    def _cut(self, path: str) -> Iterator[RangePartition]:
        status = os.stat(path)
        token = f"{path}-{status.st_mtime_ns}-{status.st_size}"
        whole = path.endswith(_COMPRESSED) or "\n".encode(self.dialect.encoding) != b"\n"
        cuts = [(0, status.st_size)] if whole else list(record_ranges(path, self.dialect))
        for start, stop in cuts:
            yield RangePartition(path, start, stop, token, self.dialect, self.names, self._known)


class RangePartition(ArrowPartition):
    """Whole records of a delimited file, from one byte to another."""

    def __init__(
        self,
        path: str,
        start: int,
        stop: int,
        token: str,
        dialect: Dialect,
        names: tuple[str, ...],
        known: Known,
    ) -> None:
        self.path, self.start, self.stop = path, start, stop
        self.dialect, self.names, self.known = dialect, names, known
        self.name = path if start == 0 else f"{path} (from byte {start})"
        self.key = f"{token}-{start}-{stop}"

    def batches(self, names: Sequence[str], raw: bool = False) -> Iterator[Any]:
        """Parse the range; raw: every column as text."""
        names = list(names) or list(self.names[:1])
        text = pa.string()
        types = {name: text if raw else self.known.type_of(name) for name in names}
        try:
            yield from self._parse(names, types)
        except (pa.ArrowInvalid, pa.ArrowKeyError, UnicodeDecodeError) as error:
            numeric = any(kind == pa.float64() for kind in types.values())
            if numeric and "conversion error" in str(error):  # as text, the layout can name row and value
                yield from self._parse(names, {name: text for name in names})
            else:
                raise diagnose(self.path, self.dialect, self.names, error) from error

    def _parse(self, names: list[str], types: dict[str, Any]) -> Iterator[Any]:
        first = self.start == 0
        stream, quoted = self._open()
        read = pacsv.ReadOptions(
            use_threads=False,
            block_size=_BLOCK_BYTES,
            encoding=self.dialect.encoding,
            column_names=list(self.names),
            skip_rows=self.dialect.skip if first else 0,
            skip_rows_after_names=1 if first and self.dialect.header else 0,
        )
        parse = pacsv.ParseOptions(
            delimiter=self.dialect.delimiter, quote_char=self.dialect.quote or False, newlines_in_values=quoted
        )
        convert = pacsv.ConvertOptions(
            column_types=types, include_columns=names, strings_can_be_null=False, null_values=self.known.nulls()
        )
        with stream:
            yield from pacsv.open_csv(stream, read, parse, convert)

    def _open(self) -> tuple[Any, bool]:
        """A stream of the range, and whether it may hold quotes."""
        quote = self.dialect.quote
        if self.path.endswith(_COMPRESSED):
            return pa.input_stream(self.path), quote is not None
        with open(self.path, "rb") as file:
            file.seek(self.start)
            data = file.read(self.stop - self.start)
        return pa.BufferReader(data), quote is not None and quote.encode(self.dialect.encoding) in data


@dataclass(frozen=True, slots=True)
class Known:
    """What the schema pass found: kinds by name, and the markers of a missing number, if they are the same for all."""

    kinds: Mapping[str, str] = field(default_factory=dict)
    missing: tuple[str, ...] | None = None

    def type_of(self, name: str) -> Any:
        """The Arrow type to parse a column as."""
        kind = self.kinds.get(name)
        if kind == "categorical":
            return pa.dictionary(pa.int32(), pa.string())
        return pa.float64() if kind == "numeric" and self.missing is not None else pa.string()

    def nulls(self) -> list[str]:
        """Markers as they may stand between delimiters."""
        return [space + marker for marker in self.missing or () for space in ("", " ")]


def record_ranges(path: str, dialect: Dialect) -> Iterator[tuple[int, int]]:
    """Cut a file after whole records into ranges of about RANGE_BYTES."""
    quote = dialect.quote.encode() if dialect.quote else None
    newline = "\n".encode(dialect.encoding)
    start, held = 0, b""
    with open(path, "rb") as file:
        while block := file.read(RANGE_BYTES):
            held += block
            end = last_record_end(held, newline, quote)
            if end:
                yield start, start + end
                start, held = start + end, held[end:]
    if held or start == 0:
        yield start, start + len(held)


def last_record_end(data: bytes, newline: bytes, quote: bytes | None) -> int:
    """Where the last whole record of data ends, 0 if none does; data begin at a record."""
    end = data.rfind(newline)
    if quote is None or end < 0:
        return end + len(newline) if end >= 0 else 0
    quotes = data.count(quote, 0, end)
    while end >= 0 and quotes % 2:
        before = data.rfind(newline, 0, end)
        quotes -= data.count(quote, max(before, 0), end)
        end = before
    return end + len(newline) if end >= 0 else 0


def _first_lines(path: str, dialect: Dialect, limit: int = 1 << 16) -> list[str]:
    """The first lines, decoded; a line may be long, so at least one whole line is read."""
    with pa.input_stream(path) if path.endswith(_COMPRESSED) else open(path, "rb") as file:
        data = file.read(limit)
        while data and data.count(b"\n") <= dialect.skip + 1:
            more = file.read(len(data))
            if not more:
                break
            data += more
    if not data.strip():
        raise DataError(f"{path} is empty: it has no line of data or names")
    try:
        text = io.TextIOWrapper(io.BytesIO(data), dialect.encoding, errors="strict", newline="").read()
    except UnicodeDecodeError as error:
        if error.end < len(data) - 4:
            raise _wrong_encoding(path, data, error, dialect.encoding) from error
        text = data[: error.start].decode(dialect.encoding)
    except LookupError:
        raise DataError(f"there is no encoding called {dialect.encoding!r}") from None
    lines = text.removeprefix("\ufeff").splitlines(keepends=True)
    return lines[dialect.skip :]


def _sniff(path: str, lines: list[str]) -> str:
    """The delimiter that stands equally often in the first lines."""
    if path.split(".")[-1].lower() in ("tsv", "tab"):
        return "\t"
    sample = [line for line in lines[:50] if line.strip()][:20]
    if len(lines) <= 50 and len(sample) > 1 and not lines[-1].endswith("\n"):
        sample = sample[:-1]  # it may be cut off
    for candidate in (",", "\t", ";", "|"):
        counts = {len(record) for record in csv.reader(sample, delimiter=candidate)}
        if len(counts) == 1 and counts.pop() > 1:
            return candidate
    found = max((",", "\t", ";", "|"), key=lambda c: sample[0].count(c) if sample else 0)
    return found if sample and found in sample[0] else ","


def _reader_options(dialect: Dialect) -> dict[str, Any]:
    if dialect.quote is None:
        return {"delimiter": dialect.delimiter, "quoting": csv.QUOTE_NONE}
    return {"delimiter": dialect.delimiter, "quotechar": dialect.quote}


def _few(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:5])) + (", …" if len(names) > 5 else "")


def _wrong_encoding(path: str, data: bytes, error: UnicodeDecodeError, encoding: str) -> DataError:
    line = data.count(b"\n", 0, error.start) + 1
    return DataError(
        f"{path}, line {line}: the byte 0x{data[error.start]:02x} is not {encoding}; say encoding='latin-1' or whatever "
        f"the file was written in"
    )


def diagnose(path: str, dialect: Dialect, names: Sequence[str], error: Exception) -> DataError:
    """Read a file again, slowly, to name the row that Arrow could not take."""
    stream = pa.input_stream(path) if path.endswith(_COMPRESSED) else open(path, "rb")  # noqa: SIM115  (closed below)
    limit = csv.field_size_limit(1 << 30)
    try:
        with io.TextIOWrapper(stream, dialect.encoding, newline="") as text:
            for _ in range(dialect.skip):
                text.readline()
            reader = csv.reader(text, **_reader_options(dialect))
            for row, record in enumerate(filter(None, reader), start=0 if dialect.header else 1):
                if len(record) != len(names):
                    what = f"{len(record)} values where there are {len(names)} columns"
                    return DataError(f"{path}, row {row} (line {reader.line_num}): {what}")
    except UnicodeDecodeError:
        with open(path, "rb") as file:
            for number, line in enumerate(file, start=1):
                try:
                    line.decode(dialect.encoding)
                except UnicodeDecodeError as wrong:
                    moved = _wrong_encoding(path, line, wrong, dialect.encoding)
                    return DataError(str(moved).replace("line 1", f"line {number}", 1))
    except csv.Error as wrong:
        return DataError(f"{path} cannot be parsed: {wrong}")
    finally:
        csv.field_size_limit(limit)
    return DataError(f"{path} cannot be parsed: {str(error).splitlines()[0]}")
