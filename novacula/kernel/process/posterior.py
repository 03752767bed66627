"""Functions given rows: the normal distribution that is left of a Gaussian process once targets are known.

mean(x) = Σ αᵢ k(x, xᵢ)        cov(x, x') = k(x, x') − v(x)ᵀv(x'),  Lv(x) = k(X, x)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import linalg

from novacula.kernel.algebra import Kernel, gram
from novacula.kernel.algebra.rows import Rows
from novacula.kernel.process.cholesky import few_threads, inverse_diagonal
from novacula.table.chunk import Floats


class ProcessLeaveOneOut(NamedTuple):
    """What the other rows say of each row's target: the mean, and the standard deviation with the noise."""

    mean: Floats  # (n,) or (n, k)
    std: Floats


@dataclass(frozen=True, eq=False)
class ProcessPosterior:
    """A process given rows (n, d): L, in the lower half of (n, n), and α (n, k)."""

    kernel: Kernel
    rows: Rows
    factor: Floats
    dual: Floats

    def means(self, queries: Rows) -> Floats:
        """The mean of the function at each query (m, k)."""
        return np.asarray(self.kernel.block(queries, self.rows) @ self.dual)

    def means_and_variances(self, queries: Rows) -> Floats:
        """The means and, last, the variance of the function (m, k + 1)."""
        across = self.kernel.block(queries, self.rows)
        explained = self.whitened(across)
        # What is known may exceed what there was to know by rounding.
        variance = np.maximum(self.kernel.diagonal(queries) - np.einsum("nm,nm->m", explained, explained), 0.0)
        return np.column_stack([across @ self.dual, variance])

    def covariance(self, queries: Rows) -> Floats:
        """The covariance of the function between queries (m, m)."""
        explained = self.whitened(gram(self.kernel, queries, self.rows))
        return np.asarray(gram(self.kernel, queries) - explained.T @ explained)

    def whitened(self, across: Floats) -> Floats:
        """v with Lv = k(X, x), a column a query (n, m)."""
        return np.asarray(linalg.solve_triangular(self.factor, across.T, lower=True, check_finite=False))


def left_out(factor: Floats, dual: Floats, target: Floats, weight: Floats, noise: float) -> tuple[Floats, Floats]:
    """Means (n, k) and variances (n,) of each target given all others: y − [C⁻¹y]ᵢ / [C⁻¹]ᵢᵢ and 1 / [C⁻¹]ᵢᵢ.

    Of a row of weight w > 1 one of its w repetitions is left out. In the matrix of all repetitions its entry of C⁻¹y is
    α/w and that of the diagonal (w − 1)/(wσ²) + [C⁻¹]ᵢᵢ/w². A row of w ≤ 1 is left out as a whole.
    """
    own = inverse_diagonal(factor)
    if not noise > 0.0:  # repetitions add no information then, and C is that of the rows
        return target - dual / own[:, None], 1.0 / own
    light = weight <= 1.0
    many = np.where(light, 1.0, weight)
    precision = (many - 1.0) / (many * noise) + own / many**2
    variance = 1.0 / precision + np.where(light, noise - noise / weight, 0.0)
    return target - dual / many[:, None] / precision[:, None], variance


def draws(mean: Floats, covariance: Floats, n: int, rng: np.random.RandomState) -> Floats:
    """n functions at m places (m, k, n): the mean (m, k) plus a root of the covariance times normal numbers."""
    with few_threads(len(covariance)):
        values, vectors = linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 0.0))  # rounding leaves some slightly negative
    m, k = mean.shape
    return np.asarray(mean[:, :, None] + np.einsum("mr,rkn->mkn", root, rng.standard_normal((m, k, n))))
