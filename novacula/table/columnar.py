"""Parquet and Arrow IPC files: a partition is a run of row groups or record batches, read in its turn.

A file is not trusted. Arrow takes the offsets and codes of a record batch for granted and would follow them out of the
file, so every batch is validated in full before anything looks at its values; for numbers that costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from novacula.errors import DataError
from novacula.table.arrow import READ_ERRORS
from novacula.table.encode import ArrowPartition
from novacula.table.files import DataFile, first_line, name_of, same_columns
from novacula.table.schema import Schema
from novacula.table.source import Source, is_textual, rows_per_chunk

RUN_BYTES = 8 << 20
"""Neighbouring row groups or record batches that are smaller than this together share a partition."""

_BUFFER_BYTES = 1 << 18  # read of a column at a time; Arrow would read whole row groups
_BUFFERED = 8 << 20  # bytes of a file from which that pays; a buffer is as long as a page claims to be, right or wrong
_NO_CODES = "DictAccumulator"  # in what Arrow says of encodings whose words it cannot decode as a dictionary
_PAGE_BYTES = 16  # of a Parquet page with its header, at least
_PAGE_ROWS = 1 << 31  # of a Parquet page, at most
_STRING_BYTES, _CONTAINER_ITEMS = 100_000_000, 1_000_000  # of a footer or the header of a page: Arrow's own limits
_ROWS_OF_NOTHING = 1 << 24  # of a batch whose columns take no bytes, so that any number could be written


@dataclass(frozen=True, slots=True)
class Footer:
    """What the end of a file says of its rows."""

    file: DataFile
    schema: Any  # of Arrow
    sizes: Sequence[int]  # bytes of each row group or record batch
    rows: Sequence[int]  # of each row group; empty where they are not known

    def runs(self) -> Iterator[range]:
        """Neighbours that share a partition; a file without rows has one that is empty."""
        start = held = 0
        for i, size in enumerate(self.sizes):
            held += size
            if held >= RUN_BYTES:
                yield range(start, i + 1)
                start, held = i + 1, 0
        if start < len(self.sizes) or not self.sizes:
            yield range(start, len(self.sizes))


class ParquetSource(Source):
    """Parquet files of one schema."""

    def __init__(self, paths: Sequence[str]) -> None:
        self.name = name_of(paths)
        self._footers = [_parquet_footer(path) for path in paths]
        self._schema = common_schema(self._footers)

    def arrow_schema(self) -> Any:
        """The schema that the files share."""
        return self._schema

    def partitions(self) -> Sequence[RowGroups]:
        """Runs of row groups of each file."""
        return [
            RowGroups(f.file, run, sum(f.rows[: run.start]), sum(f.rows[run.start : run.stop]))
            for f in self._footers
            for run in f.runs()
        ]

    def count_rows(self) -> int:
        """Rows by the files' footers."""
        return sum(sum(footer.rows) for footer in self._footers)


class RowGroups(ArrowPartition):
    """Neighbouring row groups of a Parquet file."""

    def __init__(self, file: DataFile, groups: range, first_row: int, n_rows: int) -> None:
        self.file, self.groups, self.first_row, self.n_rows = file, groups, first_row, n_rows
        self.name = f"{file.path} ({_numbered('row group', groups)})"
        self.key = f"{file.token}-{groups.start}-{groups.stop}"

    def batches(self, names: Sequence[str], schema: Schema | None = None) -> Iterator[Any]:
        """Decode a few thousand rows at a time; words that are to be categories stay dictionaries where they can."""
        coded = [name for name in names if schema is not None and schema[name].kind == "categorical"]
        rows = 0
        try:
            try:
                for batch in self._decoded(names, coded):
                    yield batch
                    rows += batch.num_rows
            except OSError as error:
                if _NO_CODES not in str(error):
                    raise
                for batch in _behind(rows, self._decoded(names, [])):
                    yield batch
                    rows += batch.num_rows
        except READ_ERRORS as error:
            raise DataError(f"{self.name} cannot be read: {first_line(error)}") from error
        if rows != self.n_rows:
            raise DataError(f"{self.name} is damaged: it holds {rows:,} rows, and its footer says {self.n_rows:,}")

    def _decoded(self, names: Sequence[str], coded: Sequence[str]) -> Iterator[Any]:
        self.file.require()
        size = rows_per_chunk(8 * max(len(names), 1))
        buffer = _BUFFER_BYTES if self.file.size > _BUFFERED else 0
        with _open_parquet(self.file, read_dictionary=coded, buffer_size=buffer, pre_buffer=False) as file:
            for batch in file.iter_batches(size, list(self.groups), list(names), use_threads=False):
                batch.validate(full=True)
                yield batch

    def row_name(self, row: int) -> str:
        """Count rows from the first one of the file."""
        return f"row {self.first_row + row + 1} of {self.file.path}"


class ArrowFileSource(Source):
    """Arrow IPC (Feather) files of one schema."""

    def __init__(self, paths: Sequence[str]) -> None:
        self.name = name_of(paths)
        self._footers = [_ipc_footer(path) for path in paths]
        self._schema = common_schema([footer for footer, _ in self._footers])

    def arrow_schema(self) -> Any:
        """The schema that the files share."""
        return self._schema

    def partitions(self) -> Sequence[RecordBatches]:
        """Runs of record batches of each file; a stream, which has no index, is one partition."""
        return [
            RecordBatches(footer.file, run, is_stream) for footer, is_stream in self._footers for run in footer.runs()
        ]


class RecordBatches(ArrowPartition):
    """Neighbouring record batches of an Arrow file, or a whole Arrow stream."""

    def __init__(self, file: DataFile, run: range, is_stream: bool) -> None:
        self.file, self.run, self.is_stream = file, run, is_stream
        self.name = file.path if is_stream else f"{file.path} ({_numbered('batch', run)})"
        self.key = f"{file.token}-{run.start}-{run.stop}"

    def batches(self, names: Sequence[str], schema: Schema | None = None) -> Iterator[Any]:
        """Give the named columns, mapped into memory, as many rows at a time as a chunk has."""
        size = rows_per_chunk(8 * max(len(names), 1))
        for batch in self._read(self.run):
            columns = batch.select(list(names))
            self._validate(columns)
            for start in range(0, columns.num_rows, size):
                yield columns.slice(start, size)

    def _read(self, run: range) -> Iterator[Any]:
        try:
            self.file.require()
            with mapped(self.file) as file:
                if self.is_stream:
                    yield from pa.ipc.open_stream(file)
                    return
                reader = pa.ipc.open_file(file)
                for index in run:
                    yield reader.get_batch(index)
        except READ_ERRORS as error:
            raise DataError(f"{self.name} cannot be read: {first_line(error)}") from error

    def _validate(self, batch: Any) -> None:
        """Refuse columns that lead out of the file, or out of their dictionaries, or are not what they say."""
        try:
            batch.validate(full=True)
        except READ_ERRORS as error:
            raise DataError(f"{self.name} is damaged: {first_line(error)}") from error
        empty = all(map(pa.types.is_null, batch.schema.types))
        if empty and batch.num_rows > max(_ROWS_OF_NOTHING, 8 * self.file.size):
            raise DataError(f"{self.name} is damaged: it claims {batch.num_rows:,} rows that hold nothing")

    def row_name(self, row: int) -> str:
        """Count rows from the first one of the file."""
        before = 0 if self.is_stream else sum(len(batch) for batch in self._read(range(self.run.start)))
        return f"row {before + row + 1} of {self.file.path}"


def _behind(rows: int, batches: Iterator[Any]) -> Iterator[Any]:
    """The rows behind the first ones."""
    for batch in batches:
        skipped = min(rows, batch.num_rows)
        rows -= skipped
        if skipped < batch.num_rows:
            yield batch.slice(skipped)


def _numbered(thing: str, run: range) -> str:
    return f"{thing} {run.start}" if len(run) < 2 else f"{thing}s {run.start} to {run.stop - 1}"


def _open_parquet(file: DataFile, **options: Any) -> Any:
    """A Parquet file whose strings and lists are no longer than it is."""
    import pyarrow.parquet as pq

    return pq.ParquetFile(
        pa.PythonFile(file.open(), "r") if file.is_remote else file.path,
        page_checksum_verification=True,
        thrift_string_size_limit=min(max(file.size, 1), _STRING_BYTES),
        thrift_container_size_limit=min(max(file.size, 1), _CONTAINER_ITEMS),
        **options,
    )


def _parquet_footer(path: str) -> Footer:
    file = DataFile.at(path)
    try:
        with _open_parquet(file) as parquet:
            groups = [parquet.metadata.row_group(i) for i in range(parquet.num_row_groups)]
            sizes, rows = [group.total_byte_size for group in groups], [group.num_rows for group in groups]
            footer = Footer(file, _spelled(parquet.schema_arrow), sizes, rows)
    except READ_ERRORS as error:
        raise DataError(f"{path} is not a Parquet file that can be read: {first_line(error)}") from error
    if min(rows, default=0) < 0 or sum(rows) > _PAGE_ROWS * (file.size // _PAGE_BYTES):
        raise DataError(f"{path} is damaged: {file.size:,} bytes cannot hold the {sum(rows):,} rows of its footer")
    return footer


def mapped(file: DataFile) -> Any:
    """The bytes of a file, mapped into memory where it is on this machine."""
    return pa.PythonFile(file.open(), "r") if file.is_remote else pa.memory_map(file.path)


def _ipc_footer(path: str) -> tuple[Footer, bool]:
    """The footer, and whether the file is a stream, whose one run is all of it."""
    file = DataFile.at(path)
    try:
        with mapped(file) as content:
            if content.read(6) != b"ARROW1":
                content.seek(0)
                return Footer(file, _spelled(pa.ipc.open_stream(content).schema), [file.size], []), True
            content.seek(0)
            reader = pa.ipc.open_file(content)
            count = reader.num_record_batches
            return Footer(file, _spelled(reader.schema), [file.size // max(count, 1)] * count, []), False
    except READ_ERRORS as error:
        raise DataError(f"{path} is not an Arrow file that can be read: {first_line(error)}") from error


def _spelled(schema: Any) -> Any:
    """A schema whose names are text, which Arrow finds out only when it is asked for them."""
    return schema if schema.names else pa.schema([])


def common_schema(footers: Sequence[Footer]) -> Any:
    """The columns that all files share, each with the first type that is one."""
    paths = [footer.file.path for footer in footers]
    same_columns(paths, [footer.schema.names for footer in footers])
    fields = {field.name: (field, paths[0]) for field in footers[0].schema}
    for path, footer in zip(paths[1:], footers[1:], strict=True):
        for field in footer.schema:
            known, home = fields[field.name]
            if pa.types.is_null(known.type):  # a file in which the column has no values
                fields[field.name] = field, path
            elif not pa.types.is_null(field.type) and _family(field.type) != _family(known.type):
                raise DataError(
                    f"{path} stores column {field.name!r} as {field.type}, but {home} as {known.type}: write them alike"
                )
    return pa.schema([field for field, _ in fields.values()]) if len(footers) > 1 else footers[0].schema


def _family(stored: Any) -> str:
    """Types of one family give the same values."""
    if pa.types.is_dictionary(stored):
        stored = stored.value_type
    if is_textual(stored):
        return "text"
    plain = (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal)
    return "number" if any(test(stored) for test in plain) else str(stored)
