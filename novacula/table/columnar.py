"""Parquet and Arrow IPC files: a partition is a row group or a record batch, read when it is its turn."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from novacula.errors import DataError
from novacula.table.arrow import ArrowPartition
from novacula.table.source import Source, rows_per_chunk

_ERRORS = (pa.ArrowInvalid, pa.ArrowKeyError, pa.ArrowTypeError, OSError)


class ParquetSource(Source):
    """Parquet files of one schema."""

    def __init__(self, paths: Sequence[str]) -> None:
        self.paths = tuple(paths)
        self.name = paths[0] if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more"
        self._files = [_describe_parquet(path) for path in paths]
        self._schema = same_columns(self.paths, [schema for schema, _ in self._files])

    def arrow_schema(self) -> Any:
        """The first file's schema."""
        return self._schema

    def partitions(self) -> Sequence[RowGroup]:
        """The row groups of each file; a file without any gives one that is empty."""
        return [
            RowGroup(path, group, _token(path))
            for path, (_, rows) in zip(self.paths, self._files, strict=True)
            for group in range(max(len(rows), 1))
        ]

    def count_rows(self) -> int:
        """Rows by the files' footers."""
        return sum(sum(rows) for _, rows in self._files)


class RowGroup(ArrowPartition):
    """A row group of a Parquet file."""

    def __init__(self, path: str, group: int, token: str) -> None:
        self.path = path
        self.group = group
        self.name = f"{path} (row group {group})"
        self.key = f"{token}-{group}"

    def batches(self, names: Sequence[str], raw: bool = False) -> Iterator[Any]:  # noqa: ARG002  (columns have types)
        """Decode the row group a few thousand rows at a time."""
        import pyarrow.parquet as pq

        try:
            with pq.ParquetFile(self.path) as file:
                groups = [self.group] if file.num_row_groups else []
                size = rows_per_chunk(8 * max(len(names), 1))
                yield from file.iter_batches(size, row_groups=groups, columns=list(names), use_threads=False)
        except _ERRORS as error:
            raise DataError(f"{self.name} cannot be read: {first_line(error)}") from error


class ArrowFileSource(Source):
    """Arrow IPC (Feather) files of one schema."""

    def __init__(self, paths: Sequence[str]) -> None:
        self.paths = tuple(paths)
        self.name = paths[0] if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more"
        self._files = [_describe_ipc(path) for path in paths]
        self._schema = same_columns(self.paths, [schema for schema, _ in self._files])

    def arrow_schema(self) -> Any:
        """The first file's schema."""
        return self._schema

    def partitions(self) -> Sequence[RecordBatchPartition]:
        """The record batches of each file; a stream, which has no index, is one partition."""
        return [
            RecordBatchPartition(path, index, _token(path))
            for path, (_, count) in zip(self.paths, self._files, strict=True)
            for index in ([None] if count is None else range(max(count, 1)))
        ]


class RecordBatchPartition(ArrowPartition):
    """One record batch of an Arrow file, or a whole Arrow stream."""

    def __init__(self, path: str, index: int | None, token: str) -> None:
        self.path = path
        self.index = index
        self.name = path if index is None else f"{path} (batch {index})"
        self.key = f"{token}-{index}"

    def batches(self, names: Sequence[str], raw: bool = False) -> Iterator[Any]:  # noqa: ARG002  (columns have types)
        """Map the file into memory and give the named columns."""
        try:
            with pa.memory_map(self.path) as file:
                if self.index is None:
                    for batch in pa.ipc.open_stream(file):
                        yield batch.select(list(names))
                else:
                    reader = pa.ipc.open_file(file)
                    if reader.num_record_batches:
                        yield reader.get_batch(self.index).select(list(names))
        except _ERRORS as error:
            raise DataError(f"{self.name} cannot be read: {first_line(error)}") from error


def _describe_parquet(path: str) -> tuple[Any, list[int]]:
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            meta = file.metadata
            return file.schema_arrow, [meta.row_group(i).num_rows for i in range(meta.num_row_groups)]
    except _ERRORS as error:
        raise DataError(f"{path} is not a Parquet file that can be read: {first_line(error)}") from error


def _describe_ipc(path: str) -> tuple[Any, int | None]:
    try:
        with pa.memory_map(path) as file:
            if file.read(6) == b"ARROW1":
                file.seek(0)
                reader = pa.ipc.open_file(file)
                return reader.schema, reader.num_record_batches
            file.seek(0)
            return pa.ipc.open_stream(file).schema, None
    except _ERRORS as error:
        raise DataError(f"{path} is not an Arrow file that can be read: {first_line(error)}") from error


def same_columns(paths: Sequence[str], schemas: Sequence[Any]) -> Any:
    """The schema that all files share, or an error that names the file and column where they part."""
    first = schemas[0]
    for path, other in zip(paths, schemas, strict=True):
        for field in first:
            if field.name not in other.names:
                raise DataError(f"{path} has no column {field.name!r}, which {paths[0]} has")
        extra = [name for name in other.names if name not in first.names]
        if extra:
            raise DataError(f"{path} has a column {extra[0]!r}, which {paths[0]} has not")
    return first


def first_line(error: BaseException) -> str:
    """The first line of an error's message."""
    return (str(error) or type(error).__name__).splitlines()[0]


def _token(path: str) -> str:
    status = os.stat(path)
    return f"{path}-{status.st_mtime_ns}-{status.st_size}"
