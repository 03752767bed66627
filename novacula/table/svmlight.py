"""svmlight (libsvm) files: a label and index:value pairs a line, as one sparse block of columns."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import Any

import numpy as np
import pyarrow as pa

from novacula.errors import DataError, SchemaError
from novacula.table.chunk import Chunk
from novacula.table.delimited import Dialect, record_ranges
from novacula.table.memory import BLOCK, codes_of_numbers
from novacula.table.parallel import map_ordered
from novacula.table.schema import Column, Schema
from novacula.table.source import Partition, Source, Unseen

TARGET = "target"


class SvmlightSource(Source):
    """svmlight files; a pass on opening finds the number of columns and whether indices start at 0 or 1."""

    def __init__(self, paths: Sequence[str], n_features: int | None = None) -> None:
        self.paths = tuple(paths)
        self.name = paths[0] if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more"
        plain = Dialect(delimiter=" ", quote=None)
        ranges = [(path, cut) for path in paths for cut in record_ranges(path, plain)]
        probes = [SvmlightPartition(path, start, stop, None, False) for path, (start, stop) in ranges]
        seen = list(map_ordered(_survey, probes))
        if not sum(rows for rows, _, _ in seen):
            raise DataError(f"{self.name} is empty: it has no line of data")
        from_one = min(low for _, low, _ in seen) > 0
        found = max(high for _, _, high in seen) + (0 if from_one else 1)
        if n_features is not None and n_features < found:
            raise DataError(f"{self.name} has {found} columns, which is more than n_features={n_features}")
        self.width = n_features or found
        self.n_rows = sum(rows for rows, _, _ in seen)
        self._ranges, self._from_one = ranges, from_one

    def arrow_schema(self) -> Any:
        """The label is the only column that stands on its own."""
        return pa.schema([(TARGET, pa.float64())])

    def blocks(self) -> tuple[Column, ...]:
        """The features are one block."""
        return (Column(BLOCK, "sparse", missing=0, width=self.width),)

    def partitions(self) -> Sequence[SvmlightPartition]:
        """Ranges of bytes of each file."""
        return [
            SvmlightPartition(path, start, stop, self.width, self._from_one) for path, (start, stop) in self._ranges
        ]

    def count_rows(self) -> int:
        """Rows counted on opening."""
        return self.n_rows


class SvmlightPartition(Partition):
    """Whole lines of an svmlight file, from one byte to another."""

    def __init__(self, path: str, start: int, stop: int, width: int | None, from_one: bool) -> None:
        status = os.stat(path)
        self.path, self.start, self.stop, self.width, self.from_one = path, start, stop, width, from_one
        self.name = path if start == 0 else f"{path} (from byte {start})"
        self.key = f"{path}-{status.st_mtime_ns}-{status.st_size}-{start}-{stop}-{width}"

    def parse(self) -> tuple[Any, Any]:
        """Give the matrix and the labels; without a width, indices are taken as they stand."""
        from sklearn.datasets import load_svmlight_file

        with open(self.path, "rb") as file:
            file.seek(self.start)
            lines = file.read(self.stop - self.start)
        shift = 1 if self.from_one and self.width is not None else 0
        try:
            matrix, labels = load_svmlight_file(
                BytesIO(lines), n_features=None if self.width is None else self.width + shift, zero_based=True
            )
        except (ValueError, OverflowError) as error:
            raise self._diagnose(error) from error
        return (matrix[:, shift:] if shift else matrix), labels

    def _diagnose(self, error: Exception) -> DataError:
        with open(self.path, encoding="utf-8", errors="replace") as file:
            for number, line in enumerate(file, start=1):
                fields = line.split("#", 1)[0].split()
                try:
                    float(fields[0]) if fields else 0.0
                    pairs = [field.split(":") for field in fields[1:]]
                    if any(int(index) < 0 or float(value) != float(value) for index, value in pairs):
                        raise ValueError("an index is negative or a value is NaN")
                except ValueError as wrong:
                    return DataError(f"{self.path}, line {number}: {wrong}")
        return DataError(f"{self.path} cannot be parsed: {error}")

    def batches(self, names: Sequence[str], raw: bool = False) -> Iterator[Any]:  # noqa: ARG002  (labels are numbers)
        """Give the label column, the only one that stands on its own."""
        if list(names) != [TARGET]:
            raise SchemaError(f"{self.name} is sparse: its columns cannot be taken out one by one")
        yield pa.record_batch([pa.array(self.parse()[1])], names=[TARGET])

    def chunks(self, schema: Schema, unseen: Unseen) -> Iterator[Chunk]:  # noqa: ARG002  (no categories but the target's)
        """Give the lines as one chunk."""
        matrix, labels = self.parse()
        n = len(labels)
        target = None
        if schema.target:
            column = schema.target_columns[0]
            target = codes_of_numbers(labels, column.categories) if column.kind == "categorical" else labels
        yield Chunk(np.empty((n, 0)), np.empty((n, 0), np.int32), np.ones(n), matrix, target=target)


def _survey(partition: SvmlightPartition) -> tuple[int, int, int]:
    """Rows, smallest index and largest index."""
    matrix, labels = partition.parse()
    if matrix.nnz == 0:
        return len(labels), 1, 0
    return len(labels), int(matrix.indices.min()), int(matrix.indices.max())
