"""Where EM starts: from rows spread over the data, regardless of their order and of how they are cut.

One pass keeps the moments of each column and a sample of distinct rows, chosen by keys mixed from what they hold.
Up to `CAPACITY` distinct rows the sample is all of them. In it rows are in units of the columns' deviations, and a
missing value stands at its column's mean. Seeds are drawn by k-means++ (Arthur and Vassilvitskii, 2007): the next one
with a probability in proportion to its squared distance from those before. A few steps of Lloyd's follow.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np

from novacula.errors import DataError, ParameterError, overflow
from novacula.mixture.gaussian.covariance import CovarianceFamily
from novacula.mixture.gaussian.density import GaussianComponents
from novacula.mixture.gaussian.rows import MixtureRows
from novacula.mixture.gaussian.sums import Moments
from novacula.statistics import Bundle, ClassMoments
from novacula.statistics.base import Statistic, require_same_layout
from novacula.table.chunk import Chunk, Floats
from novacula.table.row_keys import Keys, row_keys

CAPACITY = 4096
LLOYD_STEPS = 20


@dataclass(frozen=True, slots=True, eq=False)
class RowSample(Statistic):
    """Distinct rows of the least keys, each with its whole weight: 1 + capacity·(d + 2) numbers at most.

    A row that is among the least of all is among the least of every part that holds it, so its weight is complete.
    """

    capacity: int
    total: float
    key: Keys  # (m,), rising
    rows: Floats  # (m, d)
    weight: Floats  # (m,)

    @classmethod
    def zero(cls, n_columns: int, capacity: int = CAPACITY) -> Self:
        """No rows."""
        return cls(capacity, 0.0, np.zeros(0, np.uint64), np.zeros((0, n_columns)), np.zeros(0))

    @classmethod
    def observe(cls, chunk: Chunk, seed: int, capacity: int = CAPACITY) -> Self:
        """The sample of a chunk's rows that have weight."""
        key, counted = row_keys(chunk, seed), chunk.weight > 0.0
        return cls._least(capacity, key[counted], chunk.numeric[counted], chunk.weight[counted])

    @classmethod
    def _least(cls, capacity: int, key: Keys, rows: Floats, weight: Floats) -> Self:
        distinct, first, place = np.unique(key, return_index=True, return_inverse=True)
        weights = np.bincount(place, weight, len(distinct)).astype(np.float64, copy=False)
        kept = slice(0, capacity)
        return cls(capacity, float(weight.sum()), distinct[kept], rows[first[kept]], weights[kept])

    def __add__(self, other: Self) -> Self:
        require_same_layout(self, (self.capacity, self.rows.shape[1]), (other.capacity, other.rows.shape[1]))
        both = self._least(
            self.capacity,
            np.concatenate([self.key, other.key]),
            np.concatenate([self.rows, other.rows]),
            np.concatenate([self.weight, other.weight]),
        )
        return type(self)(self.capacity, self.total + other.total, both.key, both.rows, both.weight)


@dataclass(frozen=True, slots=True, eq=False)
class MixtureOverview:
    """What one pass over the rows gives: their weight, the columns' means and variances, and a sample."""

    total: float
    mean: Floats  # (d,)
    variance: Floats  # (d,), 1 for a column that does not vary
    sample: Floats  # (m, d), in units of deviations about the mean
    weight: Floats  # (m,)

    @classmethod
    def of(cls, rows: MixtureRows, n_components: int, seed: int, names: tuple[str, ...]) -> Self:
        """Read the rows, and refuse what no mixture can be made of."""
        capacity = max(CAPACITY, 16 * n_components)
        observers = ClassMoments.observe, partial(RowSample.observe, seed=seed, capacity=capacity)
        moments: Any
        sample: Any
        moments, sample = rows.reduce(Bundle.observe, observers).parts
        for name, low, high, ssd in zip(names, moments.low[0], moments.high[0], moments.ssd[0], strict=True):
            if low == np.inf and high == -np.inf:
                raise DataError(f"column {name!r} has no value in any row that counts: drop it")
            if not np.isfinite(ssd):
                raise overflow(name)
        if len(sample.key) < n_components:
            raise DataError(
                f"n_components is {n_components}, but n_samples counts only {len(sample.key)} distinct rows: "
                "each component needs one of its own"
            )
        mean, variance = moments.mean[0], moments.ssd[0] / moments.weight[0]
        varies = variance > (np.finfo(float).eps * np.abs(mean)) ** 2  # less is the rounding of a constant
        variance = np.where(varies, variance, 1.0)
        units = np.nan_to_num((sample.rows - mean) / np.sqrt(variance), nan=0.0)
        return cls(sample.total, mean, variance, units, sample.weight)

    # --- starts -----------------------------------------------------------------------------------------------

    def start(self, init: Any, n_components: int, family: CovarianceFamily, seed: int) -> GaussianComponents:
        """Components by "k-means++", by "random" rows, or about given means (K, d)."""
        if not isinstance(init, str):
            return self._about(as_means(init, n_components, len(self.mean)), family)
        rng = np.random.default_rng(seed)
        if init == "random":
            if n_components > len(self.sample):
                few = f"there are n_samples={len(self.sample)} distinct rows for {n_components} starts"
                raise DataError(f"{few}: give more rows, or ask for fewer components or states")
            chosen = rng.choice(len(self.sample), n_components, replace=False)
            return self._about(self.mean + self.sample[chosen] * np.sqrt(self.variance), family)
        centres = lloyd(self.sample, self.weight, seeds(self.sample, self.weight, n_components, rng))
        return self._clusters(nearest(self.sample, centres), centres, family)

    def _about(self, means: Floats, family: CovarianceFamily) -> GaussianComponents:
        """Equal components with the columns' variances."""
        k = len(means)
        return self._solved(np.full(k, 1.0 / k), means, np.diag(self.variance), family)

    def _clusters(self, label: Any, centres: Floats, family: CovarianceFamily) -> GaussianComponents:
        """One component per cluster, by its share of the rows; all have the covariance within clusters.

        One of their own would be a spike at a cluster of one row, which EM cannot leave.
        """
        share = np.bincount(label, self.weight, len(centres)) / self.weight.sum()
        gap = (self.sample - centres[label]) * np.sqrt(self.variance)
        within = (gap * (self.weight / self.weight.sum())[:, None]).T @ gap
        return self._solved(share, self.mean + centres * np.sqrt(self.variance), within, family)

    def _solved(self, share: Floats, means: Floats, covariance: Floats, family: CovarianceFamily) -> GaussianComponents:
        each = np.diagonal(covariance)[None] if family.diagonal else covariance
        moments = Moments(share, means, np.tile(each, (len(means), 1, 1)))
        return GaussianComponents(share, means, family.solve(moments))


def as_means(init: Any, n_components: int, n_columns: int) -> Floats:
    """Means that were given, checked."""
    try:
        means = np.array(init, np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"init is {init!r}; it must hold numbers, one row per component") from None
    if means.shape != (n_components, n_columns):
        raise ParameterError(
            f"init has shape {means.shape}, but {n_components} components of {n_columns} columns need "
            f"{(n_components, n_columns)}"
        )
    if not np.isfinite(means).all():
        raise ParameterError("init holds a mean that is not finite")
    return means


def seeds(x: Floats, weight: Floats, n_clusters: int, rng: np.random.Generator) -> Floats:
    """K-means++: of a few candidates for each centre (n_clusters, d), the one that leaves least."""
    trials = 2 + int(np.log(n_clusters))
    chosen = [drawn(weight, 1, rng)[0]]
    distance = squares(x, x[chosen])[:, 0]
    for _ in range(1, n_clusters):
        mass = weight * distance
        candidates = drawn(mass if mass.sum() > 0.0 else weight, trials, rng)
        left = np.minimum(distance[:, None], squares(x, x[candidates]))
        best = int(np.argmin(weight @ left))
        chosen.append(candidates[best])
        distance = left[:, best]
    return x[chosen]


def drawn(mass: Floats, n: int, rng: np.random.Generator) -> Any:
    """Places drawn with a probability in proportion to their mass."""
    reach = np.cumsum(mass)
    return np.searchsorted(reach, rng.random(n) * reach[-1], side="right").clip(max=len(mass) - 1)


def lloyd(x: Floats, weight: Floats, centres: Floats) -> Floats:
    """A few steps towards the centres of clusters; a cluster without rows keeps its centre."""
    before = None
    for _ in range(LLOYD_STEPS):
        label = nearest(x, centres)
        if before is not None and np.array_equal(label, before):
            break
        before = label
        held = np.bincount(label, weight, len(centres))
        totals = np.stack([np.bincount(label, weight * column, len(centres)) for column in x.T], axis=1)
        centres = np.where(held[:, None] > 0.0, totals / np.maximum(held, np.finfo(float).tiny)[:, None], centres)
    return centres


def nearest(x: Floats, centres: Floats) -> Any:
    """The centre nearest to each row."""
    return np.argmin(squares(x, centres), axis=1)


def squares(x: Floats, centres: Floats) -> Floats:
    """Squared distances (n, K), column by column so that no difference cancels."""
    total = np.zeros((len(x), len(centres)))
    for column, centre in zip(x.T, centres.T, strict=True):
        total += (column[:, None] - centre) ** 2
    return total
