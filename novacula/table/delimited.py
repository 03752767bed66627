"""CSV and its kin: files cut after whole records into ranges of bytes, each parsed by Arrow on its own.

Columns that the schema knows to be numeric are parsed as numbers, and categories as a dictionary. Where a
value turns out not to be a number, the rest of the range comes as text, so that whoever asked can name the
row and the value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv

from novacula.errors import DataError
from novacula.table.arrow import READ_ERRORS, matrix_of
from novacula.table.dialect import Dialect, Head
from novacula.table.encode import ArrowPartition
from novacula.table.files import name_of, same_columns
from novacula.table.schema import Schema
from novacula.table.source import Source
from novacula.table.textfile import TextFile

_SAMPLE_BYTES = 1 << 18
_STREAM_BYTES = 16 << 20  # parsed at a time where a file cannot be cut


class DelimitedSource(Source):
    """Delimited text files of one form, read one after the other."""

    is_text: ClassVar[bool] = True

    def __init__(self, paths: Sequence[str], dialect: Dialect) -> None:
        self.name = name_of(paths)
        texts = [TextFile(path, dialect.encoding) for path in paths]
        dialect = dialect.sniffed(texts[0])
        heads = [Head.of(text, dialect) for text in texts]
        same_columns(paths, [head.names for head in heads])
        self.names = heads[0].names
        self._parts = [
            RangePartition(text, head, start, stop, dialect)
            for text, head in zip(texts, heads, strict=True)
            for start, stop in text.ranges(head.start, dialect.syntax)
        ]

    def arrow_schema(self) -> Any:
        """All columns are text until the schema pass has said more."""
        return pa.schema([(name, pa.string()) for name in self.names])

    def partitions(self) -> Sequence[RangePartition]:
        """Ranges of bytes of each file, in order."""
        return self._parts


class RangePartition(ArrowPartition):
    """Whole records of a delimited file, from one byte to another."""

    def __init__(self, text: TextFile, head: Head, start: int, stop: int | None, dialect: Dialect) -> None:
        self.text, self.head, self.start, self.stop, self.dialect = text, head, start, stop, dialect
        self.name = text.path if start == head.start else f"{text.path} (from byte {start})"
        form = f"{dialect.delimiter}{dialect.quote}{text.encoding}"
        self.key = f"{text.file.token}-{start}-{stop}-{form}"

    def batches(self, names: Sequence[str], schema: Schema | None = None) -> Iterator[Any]:
        """Parse the range; without a schema every column is text."""
        wanted = list(names) or [self.head.names[0]]  # rows are counted even if no column is asked for
        types = {name: _parsed_as(name, schema) for name in wanted}
        markers = () if schema is None else schema.missing
        given = 0
        try:
            for batch in self._parse(wanted, types, markers):
                _refuse_nan(batch)
                given += batch.num_rows
                yield batch
        except _NotANumber:
            for batch in self._parse(wanted, dict.fromkeys(wanted, pa.string()), ()):
                skipped = min(given, batch.num_rows)
                given -= skipped
                yield batch.slice(skipped)

    def seem_numeric(self, names: Sequence[str], markers: Sequence[str]) -> set[str]:
        """What Arrow takes the first records for."""
        if not names:
            return set()
        stop = self.stop
        if stop is not None and stop - self.start > _SAMPLE_BYTES:
            with self.text.open(self.start, self.start + _SAMPLE_BYTES) as stream:
                end = self.dialect.syntax.last_end(stream.read())
            stop = self.start + end if end else stop
        sample = RangePartition(self.text, self.head, self.start, stop, self.dialect)
        for batch in sample._parse(names, {}, markers):
            tests = (pa.types.is_integer, pa.types.is_floating)
            return {field.name for field in batch.schema if any(test(field.type) for test in tests)}
        return set()

    def row_name(self, row: int) -> str:
        """Count rows from the first one of the file, whose earlier ranges are parsed for it."""
        return f"row {self._rows_before() + row + 1} of {self.text.path}"

    def _rows_before(self) -> int:
        rows = 0
        for start, stop in self.text.ranges(self.head.start, self.dialect.syntax):
            if start >= self.start:
                break
            part = RangePartition(self.text, self.head, start, stop, self.dialect)
            rows += sum(batch.num_rows for batch in part.batches([]))
        return rows

    def _parse(self, names: Sequence[str], types: Mapping[str, Any], markers: Sequence[str]) -> Iterator[Any]:
        ragged: list[Any] = []
        quote = self.dialect.quote

        def stop_at(row: Any) -> str:
            ragged.append(row)
            return "error"

        try:
            with self.text.open(self.start, self.stop) as stream:
                size = _STREAM_BYTES if self.stop is None else self.stop - self.start
                read = pacsv.ReadOptions(
                    use_threads=False,
                    block_size=size + 1,  # in one piece: a record may be as long as the range
                    encoding=self.text.codec,
                    column_names=list(self.head.names),
                )
                parse = pacsv.ParseOptions(
                    delimiter=self.dialect.delimiter,
                    quote_char=quote or False,
                    newlines_in_values=quote is not None,
                    invalid_row_handler=stop_at,
                )
                convert = pacsv.ConvertOptions(
                    column_types=types,
                    include_columns=names,
                    strings_can_be_null=False,
                    null_values=[space + marker for marker in markers for space in ("", " ")],
                )
                yield from pacsv.open_csv(stream, read, parse, convert)
        except READ_ERRORS as error:
            if "Empty CSV file" not in str(error):
                raise self._explained(error, ragged) from error

    def _explained(self, error: BaseException, ragged: Sequence[Any]) -> Exception:
        if ragged:
            row = ragged[0]
            return DataError(
                f"{self.row_name(row.number - 1)} has {row.actual_columns} values where there are "
                f"{row.expected_columns} columns: {row.text[:60]!r}"
            )
        return _NotANumber() if "conversion error to double" in str(error) else self.text.unreadable(error)


class _NotANumber(Exception):  # noqa: N818  (never leaves this module)
    """A column that should be numbers holds something else."""


def _refuse_nan(batch: Any) -> None:
    """Arrow takes "nan" for a number, but it is a word: what stands for a missing value is for the schema to say."""
    numbers = [column for column in batch.columns if pa.types.is_float64(column.type)]
    matrix = matrix_of(numbers)
    if matrix is not None and np.isnan(matrix).sum() != sum(column.null_count for column in numbers):
        raise _NotANumber


def _parsed_as(name: str, schema: Schema | None) -> Any:
    """The Arrow type to parse a column as: numbers only where all markers are those that the parser knows."""
    kind = None if schema is None else schema[name].kind
    if schema is not None and kind == "numeric" and schema.markers(name) == schema.missing:
        return pa.float64()
    return pa.dictionary(pa.int32(), pa.string()) if kind == "categorical" else pa.string()
