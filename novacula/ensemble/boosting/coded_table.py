"""The rows of a fit as boosting needs them: codes, target, weight and key, in memory or in files without a name.

A table that is not in the memory of this process is read twice: for its bins, and to write its codes. The files are
gone with the fit, and the system keeps as much of them in memory as there is room. From a cluster the rows come home as
codes, which its workers make.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from tempfile import TemporaryFile
from typing import Any

import numpy as np
import numpy.typing as npt

from novacula.ensemble.binned import CODED_ROWS, BinnedColumns, CodeMatrix
from novacula.ensemble.coded_records import coded_records
from novacula.ensemble.row_keys import Keys, row_keys
from novacula.table import Chunk, Table
from novacula.table.chunk import Floats
from novacula.table.parallel import ThreadPool
from novacula.tree.attributes import Attribute

ROWS_AT_ONCE = 1 << 15
"""Rows of a block of arithmetic: few enough that its arrays stay in the cache."""


@dataclass(frozen=True, eq=False)
class CodedTable:
    """n rows that have weight."""

    binned: BinnedColumns
    codes: CodeMatrix  # (n, F)
    target: Floats  # (n,)
    weight: Floats  # (n,)
    keys: Keys  # (n,)
    on_disk: bool

    def __len__(self) -> int:
        return len(self.weight)

    def blocks(self) -> list[slice]:
        """Stretches of rows for arithmetic."""
        return [slice(start, start + ROWS_AT_ONCE) for start in range(0, len(self), ROWS_AT_ONCE)]

    def scratch(self, shape: tuple[int, ...], dtype: Any = np.float64) -> npt.NDArray[Any]:
        """An array of the fit that is about as long as the table, where the table is."""
        if not self.on_disk or not np.prod(shape):
            return np.zeros(shape, dtype)
        with TemporaryFile() as file:
            file.truncate(int(np.prod(shape)) * np.dtype(dtype).itemsize)
            return np.asarray(np.memmap(file, dtype, "r+", shape=shape))

    def columns(self) -> CodeMatrix:
        """The codes once more, column by column (F, n): rows are parted by one of them."""
        columns: CodeMatrix = self.scratch(self.codes.shape[::-1], self.codes.dtype)
        for rows in self.blocks():
            columns[:, rows] = self.codes[rows].T
        return columns


def coded_table(
    table: Table, attributes: Sequence[Attribute], max_bins: int, factor: Floats | None, pool: ThreadPool
) -> CodedTable:
    """Bins and codes of a table; factor (classes,) is by how much the rows of each class count more."""
    binned = BinnedColumns.of(table, attributes, max_bins)
    if not table.runner.is_local:
        return _brought_home(table, binned, factor)
    if not table.is_local:
        return _written(table, binned, factor)
    chunk = _counted(table.to_chunk(), factor)
    codes = np.empty((len(chunk), len(attributes)), binned.dtype)
    keys = np.empty(len(chunk), np.uint64)

    def fill(start: int) -> None:
        rows = slice(start, start + CODED_ROWS)
        part = chunk.rows(start, start + CODED_ROWS)
        binned.fill(part, codes[rows])
        keys[rows] = row_keys(part)

    pool.each(fill, range(0, len(chunk), CODED_ROWS))
    return CodedTable(binned, codes, _targets(chunk), chunk.weight, keys, on_disk=False)


def _counted(chunk: Chunk, factor: Floats | None) -> Chunk:
    """The rows of a chunk that count, with the weight they have."""
    if factor is None:
        return chunk.counted()
    weight = chunk.weight * factor[np.asarray(chunk.target)]
    return Chunk(chunk.numeric, chunk.codes, weight, target=chunk.target).counted()


def _targets(chunk: Chunk) -> Floats:
    return np.asarray(chunk.target, np.float64).reshape(len(chunk))


def _brought_home(table: Table, binned: BinnedColumns, factor: Floats | None) -> CodedTable:
    """The same of rows that workers hold."""
    rows = table.map(coded_records, binned)
    if factor is not None:
        rows["weight"] *= factor[rows["target"].astype(np.intp)]
    rows = rows[rows["weight"] > 0.0]
    codes, target, weight, keys = (np.ascontiguousarray(rows[name]) for name in ("codes", "target", "weight", "key"))
    return CodedTable(binned, codes, target, weight, keys, on_disk=False)


def _written(table: Table, binned: BinnedColumns, factor: Floats | None) -> CodedTable:
    """The same, chunk by chunk to files."""
    with TemporaryFile() as codes, TemporaryFile() as target, TemporaryFile() as weight, TemporaryFile() as keys:
        n = 0
        with closing(table.chunks()) as chunks:
            for given in chunks:
                chunk = _counted(given, factor)
                for file, array in (
                    (codes, binned.codes(chunk)),
                    (target, _targets(chunk)),
                    (weight, chunk.weight),
                    (keys, row_keys(chunk)),
                ):
                    file.write(np.ascontiguousarray(array).data)
                n += len(chunk)
        return CodedTable(
            binned,
            _mapped(codes, binned.dtype, (n, len(binned.attributes))),
            _mapped(target, np.float64, (n,)),
            _mapped(weight, np.float64, (n,)),
            _mapped(keys, np.uint64, (n,)),
            on_disk=True,
        )


def _mapped(file: Any, dtype: Any, shape: tuple[int, ...]) -> npt.NDArray[Any]:
    file.flush()
    return np.asarray(np.memmap(file, dtype, "r", shape=shape))
