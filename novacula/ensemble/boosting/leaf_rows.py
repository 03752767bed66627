"""Rows leaf by leaf: those of a leaf side by side, their sums by code, and how a test parts them.

Sums are of whole numbers, so that neither the order of the rows nor how they are shared by threads shows in them.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from novacula.ensemble.binned import BinnedColumns, CodeMatrix
from novacula.table.parallel import ThreadPool
from novacula.tree.structure import Integers

ROW_NUMBER = np.int32
SMALL = 200_000
"""Codes that one thread counts sooner than two agree who counts which."""
MANY_FEATURES = 64
"""Features from which threads share features rather than rows: their sums would take long to add."""

Lanes = npt.NDArray[np.int32]
Sums = npt.NDArray[np.int64]


def stretches(start: int, stop: int, n: int) -> list[tuple[int, int]]:
    """Whole numbers from start to stop, cut into n stretches of about equal length.

    >>> stretches(0, 5, 2)
    [(0, 2), (2, 5)]
    """
    cuts = [start + (stop - start) * i // n for i in range(n + 1)]
    return list(pairwise(cuts))


class LeafRows:
    """The rows of a tree under growth, in an order in which every leaf is a stretch."""

    def __init__(
        self,
        codes: CodeMatrix,
        columns: CodeMatrix,
        binned: BinnedColumns,
        lanes: Lanes,
        pool: ThreadPool,
        free: list[Sums],
    ) -> None:
        from novacula.ensemble.boosting import _kernels

        is_bytes = codes.dtype == np.uint8
        self._count = _kernels.count_bytes if is_bytes else _kernels.count_words
        self._part = _kernels.part_bytes if is_bytes else _kernels.part_words
        self.codes, self.columns, self.lanes, self.pool = codes, columns, lanes, pool
        self.offsets, self.n_features = binned.offsets, codes.shape[1]
        self.n_cells = int(self.offsets[-1])
        self._free = free
        self.rows = np.arange(len(codes), dtype=ROW_NUMBER)
        self._spare = np.empty_like(self.rows)

    def _blocks(self, start: int, stop: int) -> list[tuple[int, int]]:
        """Stretches of rows, one for each thread where there are many."""
        shared = self.pool.workers > 1 and (stop - start) * self.n_features > SMALL
        return stretches(start, stop, self.pool.workers) if shared else [(start, stop)]

    def sums(self, start: int, stop: int) -> Sums:
        """The sums (cells, 3) of a stretch of rows by feature and code."""
        blocks = self._blocks(start, stop)
        if len(blocks) > 1 and self.n_features >= MANY_FEATURES:
            return self._sums_by_features(start, stop)

        def count(block: tuple[int, int]) -> Sums:
            sums = self._room()
            rows = self.rows[block[0] : block[1]]
            self._count(self.codes, self.lanes, rows, self.offsets, 0, self.n_features, sums)
            return sums

        if len(blocks) == 1:
            return count(blocks[0])
        first, *others = self.pool.each(count, blocks)
        for other in others:
            first += other
            self.release(other)
        return first

    def _room(self) -> Sums:
        """An array for sums, where there were others before if possible."""
        try:
            return self._free.pop()
        except IndexError:
            return np.empty((self.n_cells, 3), np.int64)

    def release(self, sums: Sums | None) -> None:
        """Take back sums that are not needed any more."""
        if sums is not None:
            self._free.append(sums)

    def _sums_by_features(self, start: int, stop: int) -> Sums:
        sums = self._room()

        def count(features: tuple[int, int]) -> None:
            self._count(self.codes, self.lanes, self.rows[start:stop], self.offsets, *features, sums)

        self.pool.each(count, stretches(0, self.n_features, self.pool.workers))
        return sums

    def total(self, sums: Sums) -> Integers:
        """The sums (3,) of all rows, out of those by code."""
        if self.n_features:
            return sums[: self.offsets[1]].sum(axis=0)
        return self.lanes.sum(axis=0, dtype=np.int64)

    def part(self, start: int, stop: int, feature: int, branches: npt.NDArray[np.uint8]) -> int:
        """Put the rows of branch 0 before those of branch 1, and say where these begin; branches (codes,) by code."""

        column = self.columns[feature]

        def part(block: tuple[int, int]) -> int:
            ends = slice(*block)
            return int(self._part(column, branches, self.rows[ends], self._spare[ends]))

        blocks = self._blocks(start, stop)
        if len(blocks) == 1:
            return start + part(blocks[0])
        ahead = self.pool.each(part, blocks)
        pairs = list(zip(blocks, ahead, strict=True))
        parts: list[Any] = [self.rows[a : a + k] for (a, _), k in pairs]
        parts += [self.rows[a + k : b] for (a, b), k in pairs]
        np.concatenate(parts, out=self._spare[start:stop])
        self.rows[start:stop] = self._spare[start:stop]
        return start + sum(ahead)
