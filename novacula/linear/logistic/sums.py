"""Loss, gradient and Hessian as sums over rows: all that fitting a logistic model needs of the data.

With margins m = Wz of a row z (its columns about a centre, then 1), class t and weight s:

    cross-entropy   −s log p(t)     gradient s (p − t) z     Hessian s p_k (δ_kl − p_l) z zᵀ
    squared         ½ s (t − o)²    gradient −s (t − o) o (1 − o) z
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from scipy import special

from novacula.linear.logistic.columns import blocks_of
from novacula.statistics.base import Statistic, require_same_layout
from novacula.table.chunk import Chunk, Codes, Floats

Loss: TypeAlias = Literal["cross_entropy", "squared"]


@dataclass(frozen=True, slots=True, eq=False)
class LogisticSums(Statistic):
    """Loss, gradient and Hessian at some W: 1 + P + P² numbers for P parameters, or 1 + P without Hessian."""

    loss: float
    gradient: Floats  # (planes, q)
    hessian: Floats  # (planes · c, planes · c) of the c requested columns, plane by plane

    @classmethod
    def zero(cls, planes: int, q: int, curved: int = 0) -> Self:
        """No rows, for q columns of which the Hessian has `curved`."""
        return cls(0.0, np.zeros((planes, q)), np.zeros((planes * curved,) * 2))

    @classmethod
    def observe(
        cls, chunk: Chunk, w: Floats, frame: Frame, loss: Loss = "cross_entropy", curved: Codes | None = None
    ) -> Self:
        """Add up the rows of a chunk at W (planes, q), with the Hessian of these columns."""
        columns = np.empty(0, np.int32) if curved is None else curved
        planes, q = w.shape
        total = cls.zero(planes, q, len(columns))
        value, gradient, hessian = 0.0, total.gradient, total.hessian
        # Without Hessian nothing of a sparse block is made dense, so it need not be cut to fit the cache.
        chunk = chunk.counted()
        pieces = blocks_of(chunk) if chunk.sparse is None or len(columns) else [chunk]
        space = np.empty((len(pieces[0]), chunk.numeric.shape[1] + frame.intercept))
        for piece in pieces:
            rows = LogisticRows.of(piece, frame, space)
            with np.errstate(invalid="ignore", over="ignore"):  # infinite values are for the learner to report
                part, residual, root = _losses(rows, w, loss)
                value += part
                gradient += rows.gather(residual)
                if len(columns):
                    hessian += _curvature(rows.dense_columns(columns), root, rows.weight)
        return cls(value, gradient, hessian)

    def __add__(self, other: Self) -> Self:
        shapes = [(sums.gradient.shape, sums.hessian.shape) for sums in (self, other)]
        require_same_layout(self, *shapes)
        return type(self)(self.loss + other.loss, self.gradient + other.gradient, self.hessian + other.hessian)


@dataclass(frozen=True, slots=True)
class Frame:
    """How rows are read: dense columns about a centre, a column of ones or none, a factor for each class."""

    centre: Floats  # (d,), zero for sparse columns, which would not stay sparse
    intercept: bool
    factor: Floats  # (K,)


@dataclass(frozen=True, slots=True)
class LogisticRows:
    """A block of rows: dense columns about the centre with the ones, sparse columns, classes, weights."""

    dense: Floats  # (n, numeric columns + intercept)
    sparse: Any  # CSR (n, width) or None
    places: slice  # of the sparse columns among all q
    code: Codes  # (n,)
    weight: Floats  # (n,)

    @classmethod
    def of(cls, chunk: Chunk, frame: Frame, space: Floats) -> Self:
        """Take the rows of a chunk, whose columns are the numeric, the sparse and then that of the intercept.

        `space` holds the dense columns: one for all blocks, since fresh memory costs as much as the numbers in it.
        """
        from novacula.linear.logistic._kernels import centre_rows

        n, numeric = chunk.numeric.shape
        dense = space[:n]
        centre_rows(chunk.numeric, frame.centre[:numeric], dense)
        code: Any = chunk.target
        width = 0 if chunk.sparse is None else chunk.sparse.shape[1]
        return cls(dense, chunk.sparse, slice(numeric, numeric + width), code, chunk.weight * frame.factor[code])

    def margins(self, w: Floats) -> Floats:
        """Z Wᵀ: (n, planes)."""
        if self.sparse is None:
            return np.asarray(self.dense @ w.T)
        return np.asarray(self.dense @ np.delete(w, self.places, axis=1).T + self.sparse @ w[:, self.places].T)

    def gather(self, residual: Floats) -> Floats:
        """Give residualᵀ Z: (planes, q)."""
        dense = residual.T @ self.dense
        if self.sparse is None:
            return dense
        first = self.places.start
        return np.concatenate([dense[:, :first], (self.sparse.T @ residual).T, dense[:, first:]], axis=1)

    def dense_columns(self, columns: Codes) -> Floats:
        """The chosen columns of Z as a dense array (n, c)."""
        if self.sparse is None:
            return self.dense if len(columns) == self.dense.shape[1] else self.dense.take(columns, axis=1)
        first, stop = self.places.start, self.places.stop
        inside = (columns >= first) & (columns < stop)
        block = np.empty((len(self.code), len(columns)))
        block[:, inside] = self.sparse[:, columns[inside] - first].toarray()
        outside = columns[~inside]
        block[:, ~inside] = self.dense[:, np.where(outside < first, outside, outside - (stop - first))]
        return block


def _losses(rows: LogisticRows, w: Floats, loss: Loss) -> tuple[float, Floats, Floats]:
    """The sum of losses, residuals (n, planes), and what the curvature is made of.

    That is √(s p(1 − p)) for one plane (n, 1), and the probabilities for several (n, planes).
    """
    from novacula.linear.logistic._kernels import logistic_losses, softmax_losses

    margin = rows.margins(w)
    if loss == "squared":
        return _squared_losses(margin, rows)
    other = np.empty_like(margin)
    if len(w) == 1:
        return logistic_losses(margin[:, 0], rows.code, rows.weight, other[:, 0]), margin, other
    value = softmax_losses(margin, rows.code, rows.weight, other)
    return value, other, margin


def _squared_losses(margin: Floats, rows: LogisticRows) -> tuple[float, Floats, Floats]:
    """The same for squared errors of o = σ(m); the curvature is Gauss and Newton's."""
    o = special.expit(margin[:, 0])
    slope, miss = o * special.expit(-margin[:, 0]), o - rows.code
    residual, root = rows.weight * miss * slope, np.sqrt(rows.weight) * slope
    return 0.5 * float(rows.weight @ miss**2), residual[:, None], root[:, None]


def _curvature(z: Floats, root: Floats, weight: Floats) -> Floats:
    """The Hessian of a block: (planes · c, planes · c); the columns z are used up."""
    planes, c = root.shape[1], z.shape[1]
    if planes == 1:
        from novacula.linear.logistic._kernels import scale_rows

        scale_rows(z, root[:, 0])
        return np.asarray(z.T @ z)  # of one array with itself: BLAS does half the work
    hessian = np.empty((planes, c, planes, c))
    for k in range(planes):
        for m in range(k + 1):
            share = weight * root[:, k] * (float(k == m) - root[:, m])
            hessian[k, :, m] = (z * share[:, None]).T @ z
            hessian[m, :, k] = hessian[k, :, m].T
    return hessian.reshape(planes * c, planes * c)
