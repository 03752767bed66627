"""A Gram matrix of features about their mean, and its leading eigenvectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy import linalg

from novacula.errors import DataError
from novacula.kernel.process.cholesky import few_threads
from novacula.table.chunk import Floats

NOTHING = 1e-12
"""Eigenvalues up to this share of the largest are rounding."""
NEGATIVE = 1e-6
"""A negative eigenvalue of this share of the largest is more than rounding."""


@dataclass(frozen=True, eq=False)
class Centre:
    """The mean of features by their products: with each row (n,), and with itself; π (n,) are shares of weight."""

    share: Floats
    mean: Floats  # m = Kπ
    square: float  # t = πᵀKπ

    @classmethod
    def of(cls, matrix: Floats, weight: Floats) -> tuple[Self, Floats]:
        """The centre of a Gram matrix, and W^½ K̃ W^½ in its memory."""
        share = weight / weight.sum()
        mean = matrix @ share
        square = float(share @ mean)
        root = np.sqrt(weight)
        matrix -= mean
        matrix -= (mean - square)[:, None]
        matrix *= root
        matrix *= root[:, None]
        return cls(share, mean, square), matrix

    def coefficients(self, raw: Floats) -> dict[str, Floats]:
        """From Σ cᵢ k̃(x, xᵢ) with c (n, k) to the same sum with k(x, xᵢ) itself, and what is taken from it."""
        whole = raw.sum(axis=0)
        return {
            "coef": raw - self.share[:, None] * whole,
            "offset": self.mean @ raw - self.square * whole,
        }


def leading(matrix: Floats, most: int | None) -> tuple[Floats, Floats]:
    """The largest eigenvalues (k,) above rounding in falling order, up to a number of them, and unit vectors (n, k)."""
    n = len(matrix)
    if not np.isfinite(matrix).all():
        raise OverflowError("the kernel matrix of the rows is not finite")
    few = None if most is None or most >= n else (n - most, n - 1)
    with few_threads(n):
        values, vectors = linalg.eigh(matrix, overwrite_a=True, subset_by_index=few, check_finite=False)
    top = max(float(values[-1]), 0.0)
    if values[0] < -NEGATIVE * max(top, -float(values[0])):
        raise DataError(
            "the kernel matrix of the rows has negative eigenvalues, so it has no features: check the kernel with "
            "kernel.check(X)"
        )
    k = int((values > NOTHING * top).sum()) if top > 0.0 else 0
    order = np.arange(len(values) - 1, len(values) - 1 - k, -1)
    return values[order], vectors[:, order]
