"""Rows that are equal, kept once: the distinct rows of codes with their weights.

EM goes over the data again and again, and all it needs of equal rows is their weight.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from novacula.graph.learning.family_counts import FamilyCounts, FamilyLayout
from novacula.graph.variables import Cells
from novacula.statistics.base import Statistic, require_same_layout, weighted_counts
from novacula.table.chunk import Chunk, Codes, Floats

LARGEST = 2**62
"""Keys of rows stay below this."""


@dataclass(frozen=True, slots=True, eq=False)
class Patterns(Statistic):
    """Distinct rows and their weights, in a fixed order: (D + 1) numbers for each of them."""

    codes: Codes  # (P, D)
    weight: Floats  # (P,)

    @classmethod
    def zero(cls, n_columns: int) -> Self:
        """No rows."""
        return cls(np.empty((0, n_columns), np.int32), np.empty(0))

    @classmethod
    def of_rows(cls, codes: Codes, weight: Floats) -> Self:
        """Group equal rows; those that miss the same cells follow each other, since inference in them is alike."""
        counted = weight > 0.0
        if not counted.all():
            codes, weight = codes[counted], weight[counted]
        _, first, place = np.unique(_row_keys(codes), return_index=True, return_inverse=True)
        return cls(np.ascontiguousarray(codes[first]), weighted_counts(place, weight, len(first)))

    def __add__(self, other: Self) -> Self:
        require_same_layout(self, self.codes.shape[1], other.codes.shape[1])
        if len(other.weight) == 0:
            return self
        if len(self.weight) == 0:
            return other
        return self.of_rows(np.concatenate([self.codes, other.codes]), np.concatenate([self.weight, other.weight]))

    def blocks(self, size: int) -> list[tuple[Codes, Floats]]:
        """The patterns in pieces of equal length."""
        starts = range(0, len(self.weight), size)
        return [(self.codes[start : start + size], self.weight[start : start + size]) for start in starts]


@dataclass(frozen=True, slots=True, eq=False)
class Split(Statistic):
    """Rows that know every cell, as counts of families, and the others as patterns."""

    whole: FamilyCounts
    patterns: Patterns

    @classmethod
    def observe(cls, chunk: Chunk, cells: Cells, layout: FamilyLayout) -> Self:
        """Part the rows of a chunk."""
        codes = cells.codes(chunk)
        empty = (codes < 0).any(axis=1)
        # An unseen category counts as missing: one code for both.
        rest = Patterns.of_rows(np.maximum(codes[empty], -1), chunk.weight[empty])
        return cls(FamilyCounts.observe(chunk, cells, layout, whole=True), rest)

    def __add__(self, other: Self) -> Self:
        return type(self)(self.whole + other.whole, self.patterns + other.patterns)


def _row_keys(codes: Codes) -> npt.NDArray[np.int64]:
    """A number for each row, equal for equal rows: the digits of which cells are empty, and then of the codes."""
    key, size = np.zeros(len(codes), np.int64), 1
    for column in (*(codes < 0).T, *(codes + 1).T):
        base = int(column.max(initial=0)) + 1
        if size > LARGEST // base:
            known, key = np.unique(key, return_inverse=True)
            size = len(known)
        key, size = key * base + column, size * base
    return key
