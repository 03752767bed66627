"""svmlight (libsvm) files: one label and index:value pairs per line, as one sparse block of columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import Any

import numpy as np
import pyarrow as pa

from novacula.errors import DataError, SchemaError
from novacula.table.chunk import Chunk
from novacula.table.encode import Place, encode_target
from novacula.table.files import name_of
from novacula.table.memory import BLOCK
from novacula.table.parallel import map_ordered
from novacula.table.records import RecordSyntax
from novacula.table.schema import Column, Schema
from novacula.table.source import Partition, Source, Unseen
from novacula.table.textfile import TextFile

TARGET = "target"


class SvmlightSource(Source):
    """svmlight files; a pass on opening finds the number of columns and whether indices start at 0 or 1."""

    def __init__(self, paths: Sequence[str], n_features: int | None = None) -> None:
        self.name = name_of(paths)
        texts = [TextFile(path, "utf-8") for path in paths]
        self._ranges = [(text, cut) for text in texts for cut in text.ranges(0, RecordSyntax())]
        seen = list(map_ordered(_survey, [SvmlightPartition(text, *cut) for text, cut in self._ranges]))
        self.n_rows = sum(rows for rows, _, _ in seen)
        if not self.n_rows:
            raise DataError(f"{self.name} is empty: it has no line of data")
        self.first = min(1, min(low for _, low, _ in seen))
        found = max(high for _, _, high in seen) + 1 - self.first
        if n_features is not None and n_features < found:
            raise DataError(f"{self.name} has {found} columns, which is more than n_features={n_features}")
        self.width = n_features or found

    def arrow_schema(self) -> Any:
        """The label is the only column that stands on its own."""
        return pa.schema([(TARGET, pa.float64())])

    def blocks(self) -> tuple[Column, ...]:
        """The features are one block."""
        return (Column(BLOCK, "sparse", missing=0, width=self.width),)

    def own_target(self) -> tuple[str, ...]:
        """The label."""
        return (TARGET,)

    def partitions(self) -> Sequence[SvmlightPartition]:
        """Ranges of bytes of each file."""
        return [SvmlightPartition(text, *cut, self.width, self.first) for text, cut in self._ranges]

    def count_rows(self) -> int:
        """Rows counted on opening."""
        return self.n_rows


class SvmlightPartition(Partition):
    """Whole lines of an svmlight file, from one byte to another; indices count from `first`."""

    def __init__(self, text: TextFile, start: int, stop: int | None, width: int | None = None, first: int = 0) -> None:
        self.text, self.start, self.stop, self.width, self.first = text, start, stop, width, first
        self.name = text.path if start == 0 else f"{text.path} (from byte {start})"
        self.key = f"{text.file.token}-{start}-{stop}-{width}-{first}"

    def parse(self) -> tuple[Any, Any]:
        """Give the matrix and the labels; without a width, the matrix is as wide as it must."""
        from sklearn.datasets import load_svmlight_file

        text = self.text.read(self.start, self.stop)
        lines = BytesIO(text.replace(b"\r\n", b"\n").replace(b"\r", b"\n"))  # which is all that scikit-learn knows
        try:
            matrix, labels = load_svmlight_file(lines, n_features=self.width, zero_based=self.first == 0)
        except (ValueError, OverflowError) as error:
            raise self._diagnosed(error) from error
        return matrix, labels

    def _diagnosed(self, error: Exception) -> DataError:
        """Read the file again, slowly, to name the line that could not be taken."""
        for number, line in self.text.lines():
            fields = line.split("#", 1)[0].split()
            try:
                float(fields[0]) if fields else 0.0
                indices = [int(index) for index, _ in map(_pair, fields[1:])]
                if indices != sorted(set(indices)) or min(indices, default=0) < 0:
                    raise ValueError("indices must be whole numbers that grow along the line")
            except ValueError as wrong:
                return DataError(f"{self.text.path}, line {number}: {wrong}")
        return DataError(f"{self.text.path} cannot be parsed: {error}")

    def batches(self, names: Sequence[str], schema: Schema | None = None) -> Iterator[Any]:
        """Give the label column, the only one that stands on its own."""
        if set(names) - {TARGET}:
            raise SchemaError(f"{self.name} is sparse: its columns cannot be taken out one by one")
        yield pa.record_batch([pa.array(self.parse()[1])], names=[TARGET])

    def chunks(self, schema: Schema, unseen: Unseen) -> Iterator[Chunk]:
        """Give the lines as one chunk."""
        matrix, labels = self.parse()
        n = len(labels)
        target = encode_target({TARGET: labels}, schema, Place(self))
        yield Chunk(np.empty((n, 0)), np.empty((n, 0), np.int32), np.ones(n), matrix, target=target)

    def row_name(self, row: int) -> str:
        """Count rows from the first one of the file."""
        before = 0
        if self.start:
            before = len(SvmlightPartition(self.text, 0, self.start, None, self.first).parse()[1])
        return f"row {before + row + 1} of {self.text.path}"


def _pair(field: str) -> tuple[str, float]:
    index, _, value = field.partition(":")
    return ("0" if index == "qid" else index), float(value)


def _survey(partition: SvmlightPartition) -> tuple[int, int, int]:
    """Rows, smallest index and largest index."""
    matrix, labels = partition.parse()
    if matrix.nnz == 0:
        return len(labels), 1, 0
    return len(labels), int(matrix.indices.min()), int(matrix.indices.max())
