"""Rows that are equal, kept once: the distinct rows of codes with their weights.

EM reads the data again and again, and all it needs of equal rows is their weight. Where there are few distinct rows
they are kept, up to a bound that does not depend on the rows; where there are more, every step of EM is a pass.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from novacula.graph.learning.family_counts import FamilyCounts
from novacula.graph.learning.family_layout import FamilyLayout
from novacula.graph.variables import Cells
from novacula.statistics.base import Statistic, require_same_layout, weighted_counts
from novacula.table.chunk import Chunk, Codes, Floats

LARGEST = 2**62
"""Keys of rows stay below this."""
MOST_CELLS = 2**24
"""Cells of distinct rows that are kept: 64 MB, and their weights."""


@dataclass(frozen=True, slots=True, eq=False)
class Patterns(Statistic):
    """Distinct rows and their weights, in a fixed order: at most `most` cells, and no row once there would be more."""

    codes: Codes  # (P, D)
    weight: Floats  # (P,)
    most: int
    too_many: bool  # more cells than `most` were seen, so that none is kept

    @classmethod
    def zero(cls, n_columns: int, most: int = MOST_CELLS) -> Self:
        """No rows."""
        return cls(np.empty((0, n_columns), np.int32), np.empty(0), most, too_many=False)

    @classmethod
    def of_rows(cls, codes: Codes, weight: Floats, most: int = MOST_CELLS) -> Self:
        """Group equal rows."""
        codes, weight = distinct_rows(codes, weight)
        if codes.size > most:
            return cls(codes[:0].copy(), weight[:0].copy(), most, too_many=True)
        return cls(codes, weight, most, too_many=False)

    def __add__(self, other: Self) -> Self:
        # The union of two sets of rows is never smaller than either, so that the order of sums does not matter.
        require_same_layout(self, (self.codes.shape[1], self.most), (other.codes.shape[1], other.most))
        if self.too_many or (len(other.weight) == 0 and not other.too_many):
            return self
        if other.too_many or len(self.weight) == 0:
            return other
        codes, weight = np.concatenate([self.codes, other.codes]), np.concatenate([self.weight, other.weight])
        return self.of_rows(codes, weight, self.most)

    def blocks(self, size: int) -> list[tuple[Codes, Floats]]:
        """The patterns in pieces of equal length."""
        starts = range(0, len(self.weight), size)
        return [(self.codes[start : start + size], self.weight[start : start + size]) for start in starts]


@dataclass(frozen=True, slots=True, eq=False)
class SortedRows(Statistic):
    """Rows that know every cell, as counts of families, and the others as patterns: as large as tables and bound."""

    whole: FamilyCounts
    patterns: Patterns

    @classmethod
    def observe(cls, chunk: Chunk, cells: Cells, layout: FamilyLayout, most: int = MOST_CELLS) -> Self:
        """Divide the rows of a chunk."""
        codes = cells.codes(chunk)
        empty = (codes < 0).any(axis=1)
        rest = Patterns.of_rows(codes[empty], chunk.weight[empty], most)
        return cls(FamilyCounts.observe(chunk, cells, layout, whole=True), rest)

    def __add__(self, other: Self) -> Self:
        return type(self)(self.whole + other.whole, self.patterns + other.patterns)


def distinct_rows(codes: Codes, weight: Floats) -> tuple[Codes, Floats]:
    """Each row of codes once, with the weight of all rows that equal it; rows of weight 0 are left out.

    Rows that miss the same cells follow each other, since inference in them is alike. A category that was not seen at
    fit counts as missing.
    """
    counted = weight > 0.0
    if not counted.all():
        codes, weight = codes[counted], weight[counted]
    codes = np.maximum(codes, -1)
    _, first, place = np.unique(_row_keys(codes), return_index=True, return_inverse=True)
    return np.ascontiguousarray(codes[first]), weighted_counts(place, weight, len(first))


def _row_keys(codes: Codes) -> npt.NDArray[np.int64]:
    """A number for each row, equal for equal rows: the digits of which cells are empty, and then of the codes."""
    key, size = np.zeros(len(codes), np.int64), 1
    for column in (*(codes < 0).T, *(codes + 1).T):
        base = int(column.max(initial=0)) + 1
        if size > LARGEST // base:
            distinct, key = np.unique(key, return_inverse=True)
            size = len(distinct)
        key, size = key * base + column, size * base
    return key
