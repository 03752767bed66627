"""Where k-means starts, for any order and any cuts of the rows.

One pass measures the columns, and refuses what has no clusters. Another draws a coreset: the winners of a race in which
a row runs by its weight-free share of the rows and of their spread (Bachem, Lucic and Krause, 2018). A row that got in
with probability p stands for 1/p rows of its weight, so sums over the coreset are right on average. Up to `CAPACITY`
distinct rows the coreset is all of them. Seeds are drawn from it by k-means++ (Arthur and Vassilvitskii, 2007), each
the best of a few candidates.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from novacula.errors import DataError, overflow
from novacula.mixture.gaussian.start import as_means, seeds
from novacula.mixture.lloyd.assignment import EPS, Space
from novacula.mixture.lloyd.least_rows import LeastRows, rates
from novacula.mixture.lloyd.rows import LloydRows
from novacula.mixture.lloyd.sums import ClusterSums
from novacula.statistics import ClassMoments
from novacula.table.chunk import Floats

CAPACITY = 4096
"""Rows of a coreset, or for many clusters 32 a cluster."""


@dataclass(frozen=True, slots=True, eq=False)
class ClusterOverview:
    """What one pass over the rows gives: their weight, the mean and variance of columns, and how to see them."""

    total: float
    mean: Floats  # (d,)
    variance: Floats  # (d,)
    rounding: Floats  # (d,): what a column's mean may be off by rounding
    space: Space

    @classmethod
    def of(cls, rows: LloydRows, names: tuple[str, ...]) -> Self:
        """Look at the rows."""
        moments = rows.reduce(ClassMoments.observe)
        total = float(moments.weight[0, 0])
        if not np.isfinite(moments.ssd).all():
            raise overflow(names[int(np.argmin(np.isfinite(moments.ssd[0])))])
        low, high, mean = moments.low[0], moments.high[0], moments.mean[0]
        space = Space.of(low, high, mean)
        size = np.maximum(np.abs(low - space.origin), np.abs(high - space.origin))
        return cls(total, mean, moments.ssd[0] / total, 4.0 * EPS * size, space)


@dataclass(frozen=True, slots=True, eq=False)
class Coreset:
    """Distinct rows in a fixed order, and how many rows each stands for."""

    rows: Floats  # (m, d), as offsets from the origin
    weight: Floats  # (m,)

    @classmethod
    def of(cls, rows: LloydRows, overview: ClusterOverview, n_clusters: int, seed: int) -> Self:
        """Draw it, and refuse fewer distinct rows than clusters."""
        spread = float(overview.variance.sum())
        spread = spread if spread > 0.0 else 1.0
        capacity = max(CAPACITY, 32 * n_clusters) + 1
        finishers = rows.reduce(LeastRows.observe_race, overview.mean, spread, seed, capacity)
        if len(finishers) < n_clusters:
            raise too_few(n_clusters, len(finishers))
        chosen, weight = finishers.rows, finishers.weight
        if len(finishers) == capacity:  # there were more: the last key is the time at which the race was over
            chosen = finishers.rows[:-1]
            inside = -np.expm1(-finishers.key[-1] * rates(chosen, overview.mean, spread))
            weight = finishers.weight[:-1] / inside
        order = np.argsort(finishers.tag[: len(chosen)])
        return cls(chosen[order] - overview.space.origin, weight[order])


def too_few(n_clusters: int, n_rows: int) -> DataError:
    """The error for fewer distinct rows than clusters."""
    return DataError(
        f"n_clusters is {n_clusters}, but there are only n_samples={n_rows} distinct rows that count, and each cluster "
        "needs one of its own: lower n_clusters"
    )


class LloydStarts:
    """The starts of one fit: the coreset is drawn once, when it is needed."""

    def __init__(self, rows: LloydRows, overview: ClusterOverview, init: Any, n_clusters: int, seed: int) -> None:
        self.rows, self.overview, self.init, self.n_clusters, self.seed = rows, overview, init, n_clusters, seed
        self._coreset: Coreset | None = None

    def offsets(self, number: int) -> Floats:
        """The centres of a start, as offsets from the origin: (K, d)."""
        origin, k = self.overview.space.origin, self.n_clusters
        if not isinstance(self.init, str):
            return as_means(self.init, k, len(origin)) - origin
        rng = np.random.default_rng([self.seed, number])
        if self.init == "random_partition":
            parts = self.rows.reduce(ClusterSums.observe_partition, self.overview.space, k, int(rng.integers(2**31)))
            return np.where(parts.weight[:, None] > 0.0, parts.means(), self.overview.mean - origin)
        coreset = self.coreset
        if self.init == "random":
            chosen = rng.choice(len(coreset.rows), k, replace=False, p=coreset.weight / coreset.weight.sum())
            return coreset.rows[chosen]
        return seeds(coreset.rows, coreset.weight, k, rng)

    @property
    def coreset(self) -> Coreset:
        """The rows that seeds are drawn from."""
        if self._coreset is None:
            self._coreset = Coreset.of(self.rows, self.overview, self.n_clusters, self.seed)
        return self._coreset
