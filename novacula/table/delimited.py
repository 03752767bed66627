"""CSV and its kin: files cut after whole records into ranges of bytes, each parsed on its own.

Columns that the schema knows to be numeric are parsed as numbers, and categories as a dictionary. Large files are
taken for plain text first, and parsed by Arrow where they are not. Rows are held for the next pass while there is room
for them. Where a value turns out not to be a number, the
rest of the range comes as text, so that whoever asked can name the row and the value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import pyarrow as pa

from novacula.advice import option
from novacula.errors import DataError
from novacula.table.blanks import BLANK, BlankSqueezer
from novacula.table.dialect import Dialect, Head
from novacula.table.encode import ArrowPartition
from novacula.table.files import name_of, same_columns
from novacula.table.notes import ReadingNote
from novacula.table.parse_cache import ParseCache, ParsedForm
from novacula.table.parser import NotANumber, RaggedRow, RecordTooLong, ZeroByte, parse
from novacula.table.plain import NotPlain, may_be_plain, parse_plain
from novacula.table.schema import Kind, Schema
from novacula.table.source import Source, TextHabits
from novacula.table.textfile import READ_ERRORS, TextFile, encoding_notes, errors_of

COLUMN_BYTES = 1 << 10
"""Bytes of a range for each column, at least: each costs some time, however short it is."""
PLAIN_BYTES = 8 << 20
"""Bytes of a file from which it pays to load the compiled parser."""

_BLOCK_BYTES = 1 << 20  # parsed at a time by Arrow: what stays in the cache
_PLAIN_BLOCK_BYTES = 1 << 24  # and by the compiled parser: large arrays come in large pages of memory
_BLOCK_LIMIT = 1 << 30
_SAMPLE_BYTES = 1 << 18
_LEFT_OUT = ("meta", "ignore", "weight")  # roles of Orange that no learner sees
_LABELS = 100  # values of a target in a sample, up to which they are taken for labels


class DelimitedSource(Source):
    """Delimited text files of one form, read one after the other."""

    is_text = True

    def __init__(
        self, paths: Sequence[str], dialect: Dialect, encodings: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        self.name = name_of(paths)
        texts = [TextFile(path, dialect.encoding or encodings.get(path)) for path in paths]
        stated, dialect = dialect, dialect.sniffed(texts[0])
        first = Head.of(texts[0], dialect)
        known = replace(dialect, header=first.has_header)
        heads = [first, *(Head.of(text, known) for text in texts[1:])]
        same_columns(paths, [head.names for head in heads])
        self.names, self._head, self._dialect = first.names, first, dialect
        self.doubles = first.doubles
        self.notes = (*encoding_notes(texts, dialect.encoding), *_head_notes(first, paths[0], dialect, stated))
        cache = ParseCache()
        self._parts = [
            part
            for text, head in zip(texts, heads, strict=True)
            for part in RangePartition(text, head, head.start, None, dialect, cache).cut()
        ]

    @property
    def habits(self) -> TextHabits:
        """Files with ; come from where a comma ends the whole part of a number."""
        return TextHabits(True, self._dialect.decimal, "," if self._dialect.delimiter == ";" else ".")

    def arrow_schema(self) -> Any:
        """All columns are text until the schema pass has said more."""
        return pa.schema([(name, pa.string()) for name in self.names])

    def kinds(self) -> dict[str, Kind | None]:
        """Names of rows say nothing of other rows; Orange says what its columns are."""
        kinds: dict[str, Kind | None] = dict.fromkeys(self.names)
        for column in self._head.orange:
            left_out = column.role in _LEFT_OUT and column.name not in self.kept
            kinds[column.name] = "ignored" if left_out else column.kind
        unread = (*self._head.blank, *filter(None, [self._head.row_names]))
        return kinds | {name: "ignored" for name in unread if name not in self.kept}

    def declared(self) -> dict[str, tuple[Any, ...]]:
        """The values that Orange names."""
        return {column.name: column.values for column in self._head.orange if column.values}

    def own_target(self) -> tuple[str, ...]:
        """The class that Orange names."""
        return tuple(column.name for column in self._head.orange if column.role == "class")

    def partitions(self) -> Sequence[RangePartition]:
        """Ranges of bytes of each file, in order."""
        return self._parts


class RangePartition(ArrowPartition):
    """Whole records of a delimited file, from one byte to another, or to the end."""

    def __init__(
        self, text: TextFile, head: Head, start: int, stop: int | None, dialect: Dialect, cache: ParseCache
    ) -> None:
        self.text, self.head, self.start, self.stop, self.dialect, self.cache = text, head, start, stop, dialect, cache
        self.name = text.path if start == head.start else f"{text.path} (from byte {start})"
        form = f"{dialect.delimiter}{dialect.quote}{text.encoding}"
        self.key = f"{text.file.token}-{start}-{stop}-{form}"

    def _range(self, start: int, stop: int | None) -> RangePartition:
        return RangePartition(self.text, self.head, start, stop, self.dialect, self.cache)

    def cut(self) -> Iterator[RangePartition]:
        """The ranges into which the whole file is cut."""
        for start, stop in self.text.ranges(self.head.start, self.dialect.syntax, self._at_least(0)):
            yield self._range(start, stop)

    def _at_least(self, size: int) -> int:
        return max(size, COLUMN_BYTES * len(self.head.names))

    def batches(self, names: Sequence[str], schema: Schema | None = None) -> Iterator[Any]:
        """Parse the range, or give what was held of it; without a schema every column is text, and nothing is held."""
        wanted = list(names) or [self.head.names[0]]  # rows are counted even if no column is asked for
        form = ParsedForm({name: _parsed_as(name, schema) for name in wanted}, () if schema is None else schema.missing)
        if schema is None:
            yield from self._parsed(form, plain=False)
            return
        self.text.file.require()
        held = self.cache.find(self.key, form)
        if held is not None:
            yield from held
            return
        plain = self.text.file.size >= PLAIN_BYTES and may_be_plain(form.markers, self.dialect, self.text.codec)
        yield from self.cache.keep(self.key, form, self._parsed(form, plain))

    def _parsed(self, form: ParsedForm, plain: bool) -> Iterator[Any]:
        """Parse the range, first as plain text if it may be; after a value that is not a number, all are text."""
        types, markers = form
        wanted = list(types)
        block = self._at_least(_BLOCK_BYTES)
        given = 0
        while True:
            again = given  # rows that an earlier attempt has given
            try:
                parsed = self._parse_plain(types, markers) if plain else self._parse(wanted, types, markers, block)
                for batch in parsed:
                    skipped = min(again, batch.num_rows)
                    again -= skipped
                    given += batch.num_rows - skipped
                    yield batch.slice(skipped)
                return
            except NotPlain:
                plain = False
            except NotANumber:
                types, markers = dict.fromkeys(wanted, pa.string()), ()
            except RecordTooLong:
                block *= 32

    def _parse(
        self, wanted: Sequence[str], types: Mapping[str, Any], markers: Sequence[str], block: int
    ) -> Iterator[Any]:
        if block > _BLOCK_LIMIT:
            raise DataError(f"{self.name} holds a record of more than {_BLOCK_LIMIT >> 30} GB: is a quote not closed?")
        try:
            change = BlankSqueezer(self.dialect.syntax) if self.dialect.delimiter == BLANK else None
            with self.text.open_utf8(self.start, self.stop, change) as stream, errors_of(stream):
                yield from parse(
                    stream,
                    self.head.names,
                    types,
                    wanted=wanted,
                    markers=markers,
                    dialect=self.dialect,
                    block=block,
                )
        except RaggedRow as error:
            raise DataError(f"{self.row_name(error.number - 1)} has {error.description}: {self._advice()}") from error
        except ZeroByte as error:
            where = f"{self.row_name(error.row)} holds a zero byte in column {error.column!r}"
            raise DataError(f"{where}: the file is damaged there, or is not text") from error
        except READ_ERRORS as error:
            raise self.text.unreadable(error) from error

    def _advice(self) -> str:
        """What to do about a row of another width."""
        if self.head.above:
            return f"say {option('skip', self.dialect.skip + self.head.above)} to leave out what stands above the names"
        quoting = "put quotes around a value that holds" if self.dialect.quote else "leave out"
        return f"give it as many, or {quoting} a {self.dialect.delimiter!r}"

    def _parse_plain(self, types: Mapping[str, Any], markers: Sequence[str]) -> Iterator[Any]:
        block = self._at_least(_PLAIN_BLOCK_BYTES)
        try:
            with self.text.open(self.start, self.stop) as stream:
                yield from parse_plain(
                    stream, self.head.names, types, markers=markers, dialect=self.dialect, block=block
                )
        except READ_ERRORS as error:
            raise self.text.unreadable(error) from error

    def seem_numeric(self, names: Sequence[str], markers: Sequence[str], target: Sequence[str]) -> set[str]:
        """What Arrow takes the first records for, but for targets that seem to be labels: of these words are asked."""
        stop, size = self.stop, self._at_least(_SAMPLE_BYTES)
        if stop is not None and stop - self.start > size:
            with self.text.open(self.start, self.start + size) as stream:
                end = self.dialect.syntax.last_end(stream.read())
            stop = self.start + end if end else stop
        sample = self._range(self.start, stop)._parse(names, {}, markers, size) if names else iter(())
        try:
            batch = next(sample)
        except (StopIteration, RecordTooLong):
            return set()
        tests = (pa.types.is_integer, pa.types.is_floating)
        numeric = {field.name for field in batch.schema if any(test(field.type) for test in tests)}
        labels = {name for name in numeric & set(target) if len(batch.column(name).unique()) <= _LABELS}
        return numeric - labels

    def row_name(self, row: int) -> str:
        """Count rows from the first one of the file; its earlier ranges are parsed for that."""
        before = 0
        for part in self.cut():
            if part.start >= self.start:
                break
            before += sum(batch.num_rows for batch in part.batches([]))
        return f"row {before + row + 1} of {self.text.path}"


def _head_notes(head: Head, path: str, dialect: Dialect, stated: Dialect) -> Iterator[ReadingNote]:
    """What was decided by the first records of a file."""
    if dialect.delimiter == BLANK and stated.delimiter is None:
        said = f"say {option('delimiter', ',')} if each line is one value"
        yield ReadingNote(f"the fields of {path} are those between blanks: {said}")
    if not head.has_header and dialect.header is None and not dialect.names:
        first, last = head.names[0], head.names[-1]
        names = f"{first} to {last}" if first != last else first
        said = f"say {option('header', True)} if it holds names, or name them with {option('names')}"
        yield ReadingNote(f"the first record of {path} is data, so that the columns are called {names}: {said}")
    if head.row_names is not None:
        said = f"say {option('keep', [head.row_names])} to keep it"
        yield ReadingNote(f"column 1 of {path} holds names of rows and is left out: {said}", head.row_names)
    for name in head.blank:
        what = "has neither a name nor a value in the first lines, and is left out"
        yield ReadingNote(f"{name} of {path} {what}: say {option('keep', [name])} to keep it", name)
    for column in head.orange:
        if column.role in _LEFT_OUT:
            said = f"say {option('keep', [column.name])} to keep it"
            yield ReadingNote(f"column {column.name!r} is marked {column.role!r} and is left out: {said}", column.name)


def _parsed_as(name: str, schema: Schema | None) -> Any:
    """The Arrow type to parse a column as: numbers only where all markers are those that the parser knows."""
    kind = None if schema is None else schema[name].kind
    spelled = schema is not None and schema[name].spelling is not None
    if schema is not None and kind == "numeric" and not spelled and schema.markers(name) == schema.missing:
        return pa.float64()
    return pa.dictionary(pa.int32(), pa.string()) if kind == "categorical" or spelled else pa.string()
