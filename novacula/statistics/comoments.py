"""Centred cross-products of columns and targets: what least squares, ridge and principal components need.

For Z = [X, y] with weights w the statistic holds Σw, the mean m and the scatter Σ w (z − m)(z − m)ᵀ. Each
block of rows is centred by its own mean before BLAS multiplies it, and blocks join by Chan's formula:

    scatter = scatter_A + scatter_B + a·b/(a+b) · gap gapᵀ      gap = mean_B − mean_A

Where no column of X lies further from zero than it spreads, Σ(x − m)(x − m)ᵀ is Σxxᵀ − n·mmᵀ at the price of one bit,
and X need not be copied.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Self

import numpy as np

from novacula.statistics.base import Statistic, require_same_layout
from novacula.table.chunk import Chunk, Floats

BLOCK = 4096
"""Rows centred and multiplied at once: enough for BLAS to run at full speed, few enough to stay in cache."""
SAMPLE = 64
"""Rows of a block that are looked at before it is multiplied without being centred."""


@dataclass(frozen=True, slots=True, eq=False)
class CoMoments(Statistic):
    """Weight, mean and scatter of [X, y]: 1 + p + p² numbers for p = d + k columns, whatever the rows.

    X are the numeric and then the sparse columns (`Chunk.dense`), y the k targets. A value that is missing or
    infinite makes the mean of its column not finite, for the learner to report.
    """

    weight: float
    mean: Floats  # (p,)
    scatter: Floats  # (p, p)

    @classmethod
    def zero(cls, n_columns: int) -> Self:
        """No rows, for p columns: features and targets together."""
        return cls(0.0, np.zeros(n_columns), np.zeros((n_columns, n_columns)))

    @classmethod
    def observe(cls, chunk: Chunk) -> Self:
        """The joint moments of features and targets."""
        pieces = (chunk.rows(start, start + BLOCK) for start in range(0, max(len(chunk), 1), BLOCK))
        return reduce(add, (cls._block(*counted_rows(piece)) for piece in pieces))

    @classmethod
    def _block(cls, x: Floats, y: Floats, weight: Floats) -> Self:
        total = float(weight.sum())
        if total == 0.0:
            return cls.zero(x.shape[1] + y.shape[1])
        with np.errstate(invalid="ignore", over="ignore"):  # infinite values are for the learner to report
            mean = np.concatenate([weight @ x, weight @ y]) / total
            even = bool(np.all(weight == 1.0))
            if even and (scatter := scatter_about_zero(x, y, mean)) is not None:
                return cls(total, mean, scatter)
            z = deviations(x, y, mean)
            if not even:
                z *= np.sqrt(weight)[:, None]
            return cls(total, mean, z.T @ z)  # of one array with itself: BLAS does half the work

    def __add__(self, other: Self) -> Self:
        require_same_layout(self, self.mean.shape, other.mean.shape)
        if other.weight == 0.0:
            return self
        if self.weight == 0.0:
            return other
        weight = self.weight + other.weight
        share = other.weight / weight
        with np.errstate(invalid="ignore", over="ignore"):
            gap = other.mean - self.mean
            lever = np.sqrt(self.weight * share) * gap
            scatter = np.outer(lever, lever)  # of one vector with itself: symmetric to the bit
            scatter += self.scatter
            scatter += other.scatter
            return type(self)(weight, self.mean + share * gap, scatter)

    def xx(self, n_features: int) -> Floats:
        """Scatter of the features: (d, d), a view."""
        return self.scatter[:n_features, :n_features]

    def xy(self, n_features: int) -> Floats:
        """Scatter of features with targets: (d, k), a view."""
        return self.scatter[:n_features, n_features:]

    def yy(self, n_features: int) -> Floats:
        """Scatter of the targets: (k, k), a view."""
        return self.scatter[n_features:, n_features:]


def counted_rows(chunk: Chunk) -> tuple[Floats, Floats, Floats]:
    """Features (n, d), targets (n, k) and weights (n,) of the rows that have weight."""
    x = chunk.dense()
    y = np.empty((len(x), 0)) if chunk.target is None else np.asarray(chunk.target, np.float64)
    if y.ndim == 1:
        y = y[:, None]
    counted = chunk.weight > 0.0
    if counted.all():
        return x, y, chunk.weight
    return x[counted], y[counted], chunk.weight[counted]


def scatter_about_zero(x: Floats, y: Floats, mean: Floats) -> Floats | None:
    """The scatter of [X, y] (p, p) with y alone centred; None if a column of X is further from 0 than it spreads."""
    n, d = x.shape
    about = n * mean[:d] ** 2
    if not np.all(about <= 2.0 * n * x[:SAMPLE].var(axis=0)):  # a guess, which spares the products
        return None
    scatter = np.empty((len(mean), len(mean)))
    xx = x.T @ x  # of one array with itself: BLAS does half the work
    if not np.all(2.0 * about <= xx.diagonal()):
        return None
    lever = np.sqrt(n) * mean[:d]
    scatter[:d, :d] = xx
    scatter[:d, :d] -= np.outer(lever, lever)  # symmetric to the bit
    centred = y - mean[d:]
    scatter[:d, d:] = x.T @ centred
    scatter[d:, :d] = scatter[:d, d:].T
    scatter[d:, d:] = centred.T @ centred
    return scatter


def deviations(x: Floats, y: Floats, centre: Floats) -> Floats:
    """[X, y] − centre, in one new array."""
    d = x.shape[1]
    z = np.empty((len(x), len(centre)))
    np.subtract(x, centre[:d], out=z[:, :d])
    np.subtract(y, centre[d:], out=z[:, d:])
    return z
