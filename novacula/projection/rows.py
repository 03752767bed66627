"""All rows at once about their mean: dense, or sparse with the mean subtracted in thought."""

from __future__ import annotations

from collections import deque
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np
import numpy.typing as npt

from novacula.statistics.comoments import counted_rows
from novacula.table.chunk import Chunk, Floats
from novacula.table.parallel import map_ordered

EPS = float(np.finfo(np.float64).eps)
STILL = 256.0 * EPS
"""The share of its mean that a column must vary by, to be more than the rounding of that mean in a sum of many rows."""
COLUMNS = 512
"""Columns that are centred at once."""


class CentredRows(Protocol):
    """Z = √w (x − μ), (n, d), as far as principal components need it."""

    @property
    def weight(self) -> float:
        """N = Σ w."""

    @property
    def mean(self) -> Floats:
        """μ (d,)."""

    def dense(self) -> Floats:
        """Z itself."""

    def gram(self) -> Floats:
        """ZZᵀ (n, n)."""

    def mapped(self, vectors: Floats) -> Floats:
        """AᵀZ (k, d) for vectors A (n, k)."""


@dataclass(frozen=True)
class DenseRows:
    """Rows with their mean taken out."""

    weight: float
    mean: Floats
    z: Floats

    @classmethod
    def of(cls, chunk: Chunk) -> Self:
        """The rows that have weight; a value that is not finite makes the mean of its column so."""
        x, _, weight = counted_rows(chunk)
        total, root = float(weight.sum()), np.sqrt(weight)[:, None]
        mean, z = np.zeros(x.shape[1]), np.empty(x.shape)

        def centre(start: int) -> None:
            """Some columns: about the first row, lest digits be lost where the mean is large, then about the mean."""
            columns = slice(start, start + COLUMNS)
            with np.errstate(invalid="ignore", over="ignore", divide="ignore"):  # for the learner to report
                part = np.subtract(x[:, columns], x[:1, columns], out=z[:, columns])
                gap = weight @ part / total
                part -= gap
                mean[columns] = x[:1, columns].sum(axis=0) + gap
                part *= root
                squares = np.einsum("ij,ij->j", part, part)
                part[:, still_columns(total, mean[columns], squares)] = 0.0

        with closing(map_ordered(centre, range(0, x.shape[1], COLUMNS))) as done:
            deque(done, maxlen=0)
        return cls(total, mean, z)

    def dense(self) -> Floats:
        """The rows as they are."""
        return self.z

    def gram(self) -> Floats:
        """By BLAS, which does half the work for an array with itself."""
        return np.asarray(self.z @ self.z.T)

    def mapped(self, vectors: Floats) -> Floats:
        """By BLAS."""
        return np.asarray(vectors.T @ self.z)


@dataclass(frozen=True)
class SparseRows:
    """Z = X − rμᵀ for sparse X = √w x and r = √w: nothing is made dense but what is requested."""

    weight: float
    mean: Floats
    x: Any  # CSR (n, d)
    root: Floats  # (n,)

    @classmethod
    def of(cls, chunk: Chunk) -> Self:
        """The rows of a sparse block that have weight."""
        from scipy.sparse import diags_array

        counted = np.flatnonzero(chunk.weight > 0.0)
        rows, weight = chunk.sparse[counted], chunk.weight[counted]
        total, root = float(weight.sum()), np.sqrt(weight)
        with np.errstate(invalid="ignore", over="ignore"):
            mean = rows.T @ weight / total
        return cls(total, mean, (diags_array(root) @ rows).tocsr(), root)

    def dense(self) -> Floats:
        """The rows with their zeros."""
        return np.asarray(self.x.toarray() - np.outer(self.root, self.mean))

    def gram(self) -> Floats:
        """XXᵀ − (Xμ)rᵀ − r(Xμ)ᵀ + μᵀμ rrᵀ."""
        crossed = np.outer(self.x @ self.mean, self.root)
        gram = (self.x @ self.x.T).toarray() - crossed - crossed.T
        return np.asarray(gram + (self.mean @ self.mean) * np.outer(self.root, self.root))

    def mapped(self, vectors: Floats) -> Floats:
        """AᵀX − (Aᵀr)μᵀ."""
        return np.asarray((self.x.T @ vectors).T - np.outer(vectors.T @ self.root, self.mean))


def centred_rows(chunk: Chunk) -> CentredRows:
    """The rows of a chunk that have weight, about their mean."""
    if chunk.sparse is not None and chunk.numeric.shape[1] == 0:
        return SparseRows.of(chunk)
    return DenseRows.of(chunk)


def still_columns(weight: float, mean: Floats, squares: Floats) -> npt.NDArray[np.bool_]:
    """Columns (d,) whose Σ w (x − μ)² is no more than the rounding of μ makes."""
    return np.asarray(squares <= weight * (STILL * mean) ** 2)
