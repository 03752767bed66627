"""What a fit knows of classes and columns before it begins: one pass, of a size that does not grow with d².

Blocks A and B with weights a and b join by Chan's formula, so that a mean of 1e8 costs no digits:

    mean = mean_A + b/(a+b) · gap      ssd = ssd_A + ssd_B + a·b/(a+b) · gap²      gap = mean_B − mean_A
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Any, ClassVar, Self

import numpy as np

from novacula.linear.solve import EPS, NOISE
from novacula.statistics.base import Statistic, class_codes, require_same_layout, weighted_counts
from novacula.table.chunk import Chunk, Floats

BLOCK = 1 << 19
"""Numbers of a block of rows, 4 MB: many, since threads wait for each other between the steps of a block."""


@dataclass(frozen=True, slots=True, eq=False)
class ClassColumns(Statistic):
    """Weight of each class, mean and squared deviations of each column: K + 2d numbers, for any number of rows.

    A value that is missing or infinite makes the deviations of its column not finite, for the learner to report.
    """

    shows: ClassVar[frozenset[str]] = frozenset({"missing", "infinite"})

    weight: Floats  # (K,)
    mean: Floats  # (d,)
    ssd: Floats  # (d,), Σ w (x − mean)²

    @classmethod
    def zero(cls, n_classes: int, n_columns: int) -> Self:
        """No rows."""
        return cls(np.zeros(n_classes), np.zeros(n_columns), np.zeros(n_columns))

    @classmethod
    def observe(cls, chunk: Chunk, n_classes: int) -> Self:
        """Count the classes and measure the columns of a chunk, without making sparse ones dense."""
        weight = weighted_counts(class_codes(chunk, n_classes), chunk.weight, n_classes)
        blocks = [_dense_moments(piece) for piece in blocks_of(chunk.counted())]
        _, mean, ssd = reduce(_joined, blocks)
        if chunk.sparse is not None:
            more = _sparse_moments(chunk.counted())
            mean, ssd = (np.append(one, other) for one, other in zip((mean, ssd), more, strict=True))
        return cls(weight, mean, ssd)

    def __add__(self, other: Self) -> Self:
        require_same_layout(self, (self.weight.shape, self.mean.shape), (other.weight.shape, other.mean.shape))
        mine, theirs = ((float(s.weight.sum()), s.mean, s.ssd) for s in (self, other))
        _, mean, ssd = _joined(mine, theirs)
        return type(self)(self.weight + other.weight, mean, ssd)

    @property
    def varies(self) -> Any:
        """The columns whose values differ by more than their rounding (d,)."""
        total = float(self.weight.sum())
        return self.ssd > (NOISE * EPS) ** 2 * (self.ssd + total * self.mean**2)


def blocks_of(chunk: Chunk) -> list[Chunk]:
    """The rows of a chunk in blocks that fit the cache as dense numbers; one that is empty where there is none."""
    width = chunk.numeric.shape[1] + (0 if chunk.sparse is None else chunk.sparse.shape[1])
    step = max(64, BLOCK // max(width, 1))
    return [chunk.rows(start, min(start + step, len(chunk))) for start in range(0, max(len(chunk), 1), step)]


def _dense_moments(chunk: Chunk) -> tuple[float, Floats, Floats]:
    total, x = float(chunk.weight.sum()), chunk.numeric
    if total == 0.0:
        return 0.0, np.zeros(x.shape[1]), np.zeros(x.shape[1])
    with np.errstate(invalid="ignore", over="ignore"):  # infinite values are for the learner to report
        mean = chunk.weight @ x / total
        squares = x - mean
        squares *= squares
        return total, mean, chunk.weight @ squares


def _sparse_moments(chunk: Chunk) -> tuple[Floats, Floats]:
    total, x = float(chunk.weight.sum()), chunk.sparse
    if total == 0.0:
        return np.zeros(x.shape[1]), np.zeros(x.shape[1])
    with np.errstate(invalid="ignore", over="ignore"):
        mean = x.T @ chunk.weight / total
        squares = x.multiply(x).T @ chunk.weight
        return mean, np.maximum(squares - total * mean**2, 0.0)


def _joined(one: tuple[float, Floats, Floats], other: tuple[float, Floats, Floats]) -> tuple[float, Floats, Floats]:
    (a, mean, ssd), (b, other_mean, other_ssd) = one, other
    if b == 0.0:
        return one
    if a == 0.0:
        return other
    share = b / (a + b)
    with np.errstate(invalid="ignore", over="ignore"):
        gap = other_mean - mean
        return a + b, mean + share * gap, ssd + other_ssd + a * share * gap**2
