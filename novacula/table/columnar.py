"""Parquet and Arrow IPC files: a partition is a run of row groups or record batches, read in its turn."""

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
        return [RowGroups(f.file, run, sum(f.rows[: run.start])) for f in self._footers for run in f.runs()]

    def count_rows(self) -> int:
        """Rows by the files' footers."""
        return sum(sum(footer.rows) for footer in self._footers)


class RowGroups(ArrowPartition):
    """Neighbouring row groups of a Parquet file."""

    def __init__(self, file: DataFile, groups: range, first_row: int) -> None:
        self.file, self.groups, self.first_row = file, groups, first_row
        self.name = f"{file.path} ({_numbered('row group', groups)})"
        self.key = f"{file.token}-{groups.start}-{groups.stop}"

    def batches(self, names: Sequence[str], schema: Schema | None = None) -> Iterator[Any]:
        """Decode a few thousand rows at a time; words that are to be categories stay dictionaries."""
        import pyarrow.parquet as pq

        coded = [name for name in names if schema is not None and schema[name].kind == "categorical"]
        try:
            with pq.ParquetFile(
                self.file.require(),
                read_dictionary=coded,
                buffer_size=_BUFFER_BYTES,
                pre_buffer=False,
                page_checksum_verification=True,
            ) as file:
                size = rows_per_chunk(8 * max(len(names), 1))
                yield from file.iter_batches(size, list(self.groups), list(names), use_threads=False)
        except READ_ERRORS as error:
            raise DataError(f"{self.name} cannot be read: {first_line(error)}") from error

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
        """Give the named columns, mapped into memory."""
        for batch in self._read(self.run):
            yield batch.select(list(names))

    def _read(self, run: range) -> Iterator[Any]:
        try:
            with pa.memory_map(self.file.require()) as file:
                if self.is_stream:
                    yield from pa.ipc.open_stream(file)
                    return
                reader = pa.ipc.open_file(file)
                for index in run:
                    yield reader.get_batch(index)
        except READ_ERRORS as error:
            raise DataError(f"{self.name} cannot be read: {first_line(error)}") from error

    def row_name(self, row: int) -> str:
        """Count rows from the first one of the file."""
        before = 0 if self.is_stream else sum(len(batch) for batch in self._read(range(self.run.start)))
        return f"row {before + row + 1} of {self.file.path}"


def _numbered(thing: str, run: range) -> str:
    return f"{thing} {run.start}" if len(run) < 2 else f"{thing}s {run.start} to {run.stop - 1}"


def _parquet_footer(path: str) -> Footer:
    import pyarrow.parquet as pq

    file = DataFile.at(path)
    try:
        with pq.ParquetFile(path) as parquet:
            groups = [parquet.metadata.row_group(i) for i in range(parquet.num_row_groups)]
            sizes, rows = [group.total_byte_size for group in groups], [group.num_rows for group in groups]
            return Footer(file, parquet.schema_arrow, sizes, rows)
    except READ_ERRORS as error:
        raise DataError(f"{path} is not a Parquet file that can be read: {first_line(error)}") from error


def _ipc_footer(path: str) -> tuple[Footer, bool]:
    """The footer, and whether the file is a stream, whose one run is all of it."""
    file = DataFile.at(path)
    try:
        with pa.memory_map(path) as mapped:
            if mapped.read(6) != b"ARROW1":
                mapped.seek(0)
                return Footer(file, pa.ipc.open_stream(mapped).schema, [file.size], []), True
            mapped.seek(0)
            reader = pa.ipc.open_file(mapped)
            count = reader.num_record_batches
            return Footer(file, reader.schema, [file.size // max(count, 1)] * count, []), False
    except READ_ERRORS as error:
        raise DataError(f"{path} is not an Arrow file that can be read: {first_line(error)}") from error


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
