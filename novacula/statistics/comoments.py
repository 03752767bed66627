"""Centred cross-products of columns and targets: what least squares, ridge and principal components need.

For Z = [X, y] with weights w the statistic holds Σw, the mean m and the scatter Σ w (z − m)(z − m)ᵀ. A chunk is
gone through once, about the mean c of its first rows and beside a column of ones, so that one product of BLAS gives

    Σ w (z − c)(z − c)ᵀ = scatter + Σw · gap gapᵀ      and      Σ w (z − c) = Σw · gap      with gap = m − c

The gap takes at most one bit of the scatter, or else the chunk is gone through again about its own mean. Chunks join
by Chan's formula:

    scatter = scatter_A + scatter_B + a·b/(a+b) · gap gapᵀ      gap = mean_B − mean_A
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from novacula.state import State, floats, number
from novacula.statistics.base import Statistic, require_same_layout
from novacula.table.chunk import Chunk, Floats

BLOCK = 4096
"""Rows centred and multiplied at once: enough for BLAS to run at full speed, few enough to stay in cache."""
SAMPLE = 64
"""Rows whose mean is the first centre."""
LANES = 4
"""BLAS is faster where the columns are a multiple of this."""


@dataclass(frozen=True, slots=True, eq=False)
class CoMoments(Statistic):
    """Weight, mean and scatter of [X, y]: 1 + p + p² numbers for p = d + k columns.

    X are the numeric and then the sparse columns (`Chunk.dense`), y the k targets. A value that is missing or
    infinite makes the mean of its column not finite, for the learner to report.
    """

    propagates: ClassVar[frozenset[str]] = frozenset({"missing", "infinite"})

    state: ClassVar[State] = {
        "weight": number(least=0.0),
        "mean": floats("columns"),
        "scatter": floats("columns", "columns"),
    }

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
        chunk = chunk.counted()
        centre, total = mean_of_first(chunk), float(chunk.weight.sum())
        if total == 0.0:
            return cls.zero(len(centre))
        with np.errstate(invalid="ignore", over="ignore"):  # infinite values are for the learner to report
            products, sums = products_about(chunk, centre)
            if np.any(2.0 * sums**2 > total * products.diagonal()):
                centre = centre + sums / total
                products, sums = products_about(chunk, centre)
            lever = sums / np.sqrt(total)
            products -= np.outer(lever, lever)  # symmetric to the bit
            return cls(total, centre + sums / total, products)

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
    chunk = chunk.counted()
    return chunk.dense(), targets(chunk), chunk.weight


def targets(chunk: Chunk) -> Floats:
    """The targets of all rows (n, k)."""
    if chunk.target is None:
        return np.empty((len(chunk), 0))
    y = np.asarray(chunk.target, np.float64)
    return y if y.ndim == 2 else y[:, None]


def mean_of_first(chunk: Chunk) -> Floats:
    """The mean of [X, y] over the first rows that count (p,), exact where they are all equal; 0 of no rows."""
    rows = chunk.rows(0, SAMPLE)
    first = np.column_stack([rows.dense(), targets(rows)])
    if not len(first):
        return np.zeros(first.shape[1])
    with np.errstate(invalid="ignore", over="ignore"):
        return np.asarray(first[0] + rows.weight @ (first - first[0]) / rows.weight.sum())


def products_about(chunk: Chunk, centre: Floats) -> tuple[Floats, Floats]:
    """Σ w (z − c)(z − c)ᵀ (p, p) and Σ w (z − c) (p,) of z = [X, y], for rows that have weight."""
    p, even = len(centre), bool(np.all(chunk.weight == 1.0))
    desk = np.empty((min(BLOCK, len(chunk)), -(-(p + 1) // LANES) * LANES))
    desk[:, p], desk[:, p + 1 :] = 1.0, 0.0
    total, product = np.zeros((2, desk.shape[1], desk.shape[1]))
    for start in range(0, len(chunk), BLOCK):
        block = chunk.rows(start, start + BLOCK)
        z = deviations(block.dense(), targets(block), centre, desk[: len(block)])
        if not even:
            root = np.sqrt(block.weight)
            z[:, :p] *= root[:, None]
            z[:, p] = root
        total += np.matmul(z.T, z, out=product)  # of one array with itself: BLAS does half the work
    return total[:p, :p].copy(), total[:p, p].copy()


def deviations(x: Floats, y: Floats, centre: Floats, out: Floats | None = None) -> Floats:
    """[X, y] − centre (n, p), in a new array or in the first columns of one that is given."""
    d, p = x.shape[1], len(centre)
    z = np.empty((len(x), p)) if out is None else out
    np.subtract(x, centre[:d], out=z[:, :d])
    np.subtract(y, centre[d:], out=z[:, d:p])
    return z
