"""What principal components need of rows that are too many, or too sparse, to hold: spread, scatter and products.

Sparse rows are never made dense where that can be helped. Their mean is subtracted in thought,

    Σ w (x − μ)(x − μ)ᵀ = Σ w xxᵀ − N μμᵀ

which costs digits only if the mean of a column is large against its deviation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from novacula.statistics import CoMoments, Statistic
from novacula.statistics.base import require_same_layout
from novacula.statistics.comoments import counted_rows
from novacula.table.admission import showing
from novacula.table.chunk import Chunk, Floats, without_duplicates

DENSITY = 0.1
"""The share of stored entries above which dense products are faster."""
CANCELS = 1e4
"""How many times its squared deviation may be the squared mean of a column: then twelve digits are left."""


@showing("missing", "infinite")
def observe_scatter(chunk: Chunk) -> CoMoments:
    """Weight, mean and scatter of the features, by sparse products where that is faster and as exact."""
    block = chunk.sparse
    if block is None or chunk.numeric.shape[1] or block.nnz > DENSITY * block.shape[0] * block.shape[1]:
        return CoMoments.observe(chunk)
    spread = FeatureSpread.observe(chunk)
    if not np.all(spread.weight * spread.mean**2 <= CANCELS * spread.ssd):  # nor where something is not finite
        return CoMoments.observe(chunk)
    x, weight = sparse_rows_of(chunk)
    lever = np.sqrt(spread.weight) * spread.mean
    scatter = (x.T @ x.multiply(weight[:, None]).tocsr()).toarray() - np.outer(lever, lever)
    return CoMoments(spread.weight, spread.mean, (scatter + scatter.T) / 2.0)


@dataclass(frozen=True, slots=True, eq=False)
class FeatureSpread(Statistic):
    """Weight, and mean and squared deviations of each column: 1 + 2d numbers, for any number of rows.

    The columns are the numeric ones, then those of the sparse block. A value that is not finite makes the mean of
    its column so.
    """

    shows: ClassVar[frozenset[str]] = frozenset({"missing", "infinite"})

    weight: float
    mean: Floats  # (d,)
    ssd: Floats  # (d,), Σ w (x − mean)²

    @classmethod
    def zero(cls, n_columns: int) -> Self:
        """No rows."""
        return cls(0.0, *np.zeros((2, n_columns)))

    @classmethod
    def observe(cls, chunk: Chunk) -> Self:
        """The spread of every feature."""
        weight = chunk.weight[chunk.weight > 0.0]
        total = float(weight.sum())
        if total == 0.0:
            return cls.zero(chunk.numeric.shape[1] + (0 if chunk.sparse is None else chunk.sparse.shape[1]))
        with np.errstate(invalid="ignore", over="ignore"):  # for the learner to report
            parts = [_dense_spread(chunk.numeric[chunk.weight > 0.0], weight)]
            if chunk.sparse is not None:
                parts.append(_sparse_spread(*sparse_rows_of(chunk)))
        mean, ssd = np.concatenate(parts, axis=1)
        return cls(total, mean, ssd)

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
            ssd = self.ssd + other.ssd + self.weight * share * gap**2
            return type(self)(weight, self.mean + share * gap, ssd)


def _dense_spread(x: Floats, weight: Floats) -> Floats:
    mean = weight @ x / weight.sum()
    return np.stack([mean, weight @ (x - mean) ** 2])


def _sparse_spread(x: Any, weight: Floats) -> Floats:
    """Entries that are not stored deviate by the mean: nothing cancels."""
    total = weight.sum()
    mean = x.T @ weight / total
    deviation, stored = x.copy(), x.copy()
    deviation.data = (x.data - mean[x.indices]) ** 2
    stored.data = np.ones_like(x.data)
    return np.stack([mean, deviation.T @ weight + (total - stored.T @ weight) * mean**2])


def sparse_rows_of(chunk: Chunk) -> tuple[Any, Floats]:
    """The sparse block and weights of the rows that have weight, no position stored twice."""
    counted = np.flatnonzero(chunk.weight > 0.0)
    block = chunk.sparse if len(counted) == len(chunk) else chunk.sparse[counted]
    return without_duplicates(block), chunk.weight[counted]


@dataclass(frozen=True, slots=True, eq=False)
class ScatterProduct(Statistic):
    """Σ w (x − μ)(x − μ)ᵀQ for given μ and Q (d, l): d·l numbers, for any number of rows."""

    product: Floats  # (d, l)

    @classmethod
    def zero(cls, n_columns: int, n_directions: int) -> Self:
        """No rows."""
        return cls(np.zeros((n_columns, n_directions)))

    @classmethod
    def observe(cls, chunk: Chunk, mean: Floats, directions: Floats) -> Self:
        """The product of the rows' scatter about μ with Q."""
        if chunk.sparse is not None and chunk.numeric.shape[1] == 0:
            x, weight = sparse_rows_of(chunk)
            image = (x @ directions - mean @ directions) * weight[:, None]
            return cls(np.asarray(x.T @ image) - np.outer(mean, image.sum(axis=0)))
        x, _, weight = counted_rows(chunk)
        z = x - mean
        return cls(z.T @ ((z @ directions) * weight[:, None]))

    def __add__(self, other: Self) -> Self:
        require_same_layout(self, self.product.shape, other.product.shape)
        return type(self)(self.product + other.product)
