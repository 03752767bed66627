"""How much one column says of another, as numbers made of sums alone.

    R² = B / (B + W)        of the squares about the mean, B are explained and W are left
    F  = (B / a) / (W / b)  with a and b degrees of freedom
    I  = Σ p_kc ln(p_kc / (p_k p_c))                    mutual information, in nats
    gain = H(target) − Σ_c p_c H(target | c)            the same in bits, for categories or for the best threshold
    V² = χ² / (N · min(r − 1, c − 1))                   Cramér's V

A column that does not vary says nothing: its score is 0 and its p-value 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy import special

from novacula.projection.pairs import PairMoments
from novacula.projection.rows import STILL
from novacula.table.chunk import Floats


@dataclass(frozen=True)
class Variation:
    """Squares explained and left, with their degrees of freedom: by a line, or by the means of groups."""

    explained: float
    left: float
    freedom: float
    left_freedom: float

    @classmethod
    def of_pair(cls, pairs: PairMoments, j: int) -> Self:
        """Of the target, by a line through column j."""
        weight, xx, xy, yy = (float(part[j]) for part in (pairs.weight, pairs.xx, pairs.xy, pairs.yy))
        moves = xx > weight * (STILL * pairs.x[j]) ** 2 and yy > weight * (STILL * pairs.y[j]) ** 2
        root = xy / math.sqrt(xx) if moves else 0.0  # xy² would overflow where R² does not
        explained = min(root * root, yy)
        return cls(explained, yy - explained if moves else 0.0, 1.0, weight - 2.0)

    @classmethod
    def of_groups(cls, weight: Floats, mean: Floats, ssd: Floats) -> Self:
        """Of numbers, by the means of their groups: weight, mean and squares of each (g,)."""
        held = weight > 0.0
        weight, mean, left = weight[held], mean[held], float(ssd[held].sum())
        total = float(weight.sum())
        centre = float(weight @ mean) / total if total else 0.0
        explained = float(weight @ (mean - centre) ** 2)
        if explained + left <= total * (STILL * centre * STILL * centre):
            explained = left = 0.0
        return cls(explained, left, len(weight) - 1.0, total - len(weight))

    @property
    def is_finite(self) -> bool:
        """Whether no square has overflowed."""
        return bool(np.isfinite(self.explained + self.left))

    @property
    def correlation(self) -> float:
        """√R²: |r| for a line, the correlation ratio η for groups."""
        whole = self.explained + self.left
        return float(np.sqrt(self.explained / whole)) if whole > 0.0 else 0.0

    @property
    def f(self) -> float:
        """The mean square explained over the mean square left; infinite where nothing is left."""
        if self.explained == 0.0 or self.freedom <= 0.0 or self.left_freedom <= 0.0:
            return 0.0
        left = self.left / self.left_freedom
        return float(np.inf) if left == 0.0 else self.explained / self.freedom / left

    @property
    def p_value(self) -> float:
        """How often F is as large where nothing is explained and errors are normal."""
        if self.f == 0.0:
            return 1.0
        return float(special.fdtrc(self.freedom, self.left_freedom, self.f)) if np.isfinite(self.f) else 0.0


@dataclass(frozen=True)
class Crossing:
    """Counts of target (rows) by category or bin (columns), those without weight left out."""

    counts: Floats  # (K, c)

    @classmethod
    def of(cls, counts: Floats) -> Self:
        """Leave out what does not occur."""
        return cls(counts[counts.sum(axis=1) > 0.0][:, counts.sum(axis=0) > 0.0])

    @property
    def total(self) -> float:
        """N: the weight of all."""
        return float(self.counts.sum())

    @property
    def freedom(self) -> float:
        """(r − 1)(c − 1)."""
        return float(max(self.counts.shape[0] - 1, 0) * max(self.counts.shape[1] - 1, 0))

    @property
    def expected(self) -> Floats:
        """The counts if target and column had nothing to do with each other."""
        return np.outer(self.counts.sum(axis=1), self.counts.sum(axis=0)) / max(self.total, np.finfo(float).tiny)

    @property
    def information(self) -> float:
        """Mutual information in nats; rounding never makes it negative."""
        if self.freedom == 0.0:
            return 0.0
        return max(float(special.rel_entr(self.counts, self.expected).sum()) / self.total, 0.0)

    @property
    def information_p_value(self) -> float:
        """By the G-test: 2·N·I is χ² distributed where there is no association."""
        return self._tail(2.0 * self.total * self.information)

    @property
    def chi_square(self) -> float:
        """Σ (count − expected)² / expected."""
        return float(((self.counts - self.expected) ** 2 / self.expected).sum()) if self.freedom else 0.0

    @property
    def cramers_v(self) -> float:
        """√(χ² / (N · min(r − 1, c − 1)))."""
        if not self.freedom:
            return 0.0
        return float(np.sqrt(self.chi_square / (self.total * (min(self.counts.shape) - 1))))

    @property
    def chi_square_p_value(self) -> float:
        """By Pearson's test."""
        return self._tail(self.chi_square)

    @property
    def gain(self) -> float:
        """Mutual information in bits: what a split into the columns gains."""
        return self.information / float(np.log(2.0))

    def _tail(self, statistic: float) -> float:
        return float(special.chdtrc(self.freedom, statistic)) if self.freedom else 1.0


def best_cut(counts: Floats) -> int:
    """Where to cut rising bins (K, m) in two for the largest gain: columns before it go left; ties go to the first."""
    left = np.cumsum(counts, axis=1)[:, :-1]
    right = counts.sum(axis=1, keepdims=True) - left
    entropy = _weighted_entropy(left) + _weighted_entropy(right)
    return int(np.argmin(entropy)) + 1


def _weighted_entropy(counts: Floats) -> Floats:
    """N·H of each column (m,), in nats."""
    return np.asarray(special.entr(counts).sum(axis=0) - special.entr(counts.sum(axis=0)))
