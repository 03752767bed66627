"""The rows of the least keys, for any order and any cuts of the rows: samples, and the farthest rows.

A key is made of what a row holds, so copies of a row have one key, and their weights add up. A row that is among the
least of all is among the least of every part that holds it: so its weight is complete.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from novacula.mixture.lloyd.assignment import Assignment, Centres
from novacula.statistics.base import Statistic, require_same_layout
from novacula.table.chunk import Chunk, Floats
from novacula.table.row_keys import Keys, row_keys


@dataclass(frozen=True, slots=True, eq=False)
class LeastRows(Statistic):
    """Distinct rows of the least keys, each with its whole weight: capacity·(d + 3) numbers at most."""

    capacity: int
    key: Floats  # (m,), rising
    tag: Keys  # (m,): a second key from all that a row holds, rising where the first is the same
    rows: Floats  # (m, d)
    weight: Floats  # (m,)

    @classmethod
    def zero(cls, n_columns: int, capacity: int) -> Self:
        """No rows."""
        return cls(capacity, np.zeros(0), np.zeros(0, np.uint64), np.zeros((0, n_columns)), np.zeros(0))

    @classmethod
    def observe_race(cls, chunk: Chunk, mean: Floats, variance: float, seed: int, capacity: int) -> Self:
        """A race: the key is an exponential variable of the row's rate, drawn by what the row holds."""
        tag = row_keys(chunk, seed)
        uniform = ((tag >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53
        return cls._counted(capacity, -np.log(uniform) / rates(chunk.numeric, mean, variance), tag, chunk)

    @classmethod
    def observe_far(cls, chunk: Chunk, centres: Centres, capacity: int) -> Self:
        """The farthest from their nearest centres; of rows equally far, those that a fixed mixing puts first."""
        x = centres.space.offsets(chunk.numeric)
        square = Assignment.of(x, centres).square
        return cls._counted(capacity, -square, row_keys(chunk, 0), chunk)

    @classmethod
    def _counted(cls, capacity: int, key: Floats, tag: Keys, chunk: Chunk) -> Self:
        """The least rows of a chunk that have weight."""
        counted = chunk.weight > 0.0
        return cls._least(capacity, key[counted], tag[counted], chunk.numeric[counted], chunk.weight[counted])

    @classmethod
    def _least(cls, capacity: int, key: Floats, tag: Keys, rows: Floats, weight: Floats) -> Self:
        if not len(key):
            return cls.zero(rows.shape[1], capacity)
        order = np.lexsort((tag, key))
        new = np.append(True, (np.diff(key[order]) != 0.0) | (tag[order][1:] != tag[order][:-1]))
        first = np.flatnonzero(new)
        kept = order[first[:capacity]]
        return cls(capacity, key[kept], tag[kept], rows[kept], np.add.reduceat(weight[order], first)[:capacity])

    def __add__(self, other: Self) -> Self:
        require_same_layout(self, (self.capacity, self.rows.shape[1]), (other.capacity, other.rows.shape[1]))
        return self._least(
            self.capacity,
            np.concatenate([self.key, other.key]),
            np.concatenate([self.tag, other.tag]),
            np.concatenate([self.rows, other.rows]),
            np.concatenate([self.weight, other.weight]),
        )

    def __len__(self) -> int:
        return len(self.key)


def rates(x: Floats, mean: Floats, variance: float) -> Floats:
    """How fast rows x (n, d) run in a race: half for being there, half for their squared distance from the mean.

    `variance` is the mean of that distance, or 1 where it is 0, so that the rates of all rows have the mean 1 at most.
    """
    gap = x - mean
    with np.errstate(over="ignore"):  # a row without weight may hold anything
        return np.asarray(0.5 + 0.5 * np.einsum("ij,ij->i", gap, gap) / variance)
