"""The evidence of a Gaussian process: the probability density of the targets, with the function integrated out.

    ln p(y) = −½ yᵀC⁻¹y − ½ ln|C| − (n/2) ln 2π        C = K + σ²W⁻¹
    ∂/∂ln θ = ½ αᵀ(∂C/∂ln θ)α − ½ tr(C⁻¹ ∂C/∂ln θ)     α = C⁻¹y

A row of weight w is w rows with one target. Their mean has noise σ²/w, and what is left of their density does not
depend on the function: −½[(w − 1) ln 2πσ² + ln w]. Without noise repetitions tell nothing, and each row counts once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from novacula.kernel.algebra import Kernel, gram
from novacula.kernel.algebra.rows import Rows
from novacula.kernel.process.cholesky import few_threads, lower_factor, lower_inverse, solved
from novacula.table.chunk import Floats

LOG_2PI = math.log(2.0 * math.pi)


@dataclass(frozen=True, eq=False)
class Conditioned:
    """A kernel and noise with the targets taken into account: L with C = LLᵀ, and α = C⁻¹y."""

    kernel: Kernel
    noise: float
    factor: Floats  # (n, n)
    dual: Floats  # (n, k)
    log_likelihood: float


@dataclass(frozen=True, eq=False)
class Evidence:
    """Rows (n, d), their weights (n,) and targets (n, k); the k targets share a kernel and are independent."""

    rows: Rows
    weight: Floats
    target: Floats
    jitter: float = 0.0

    @property
    def size(self) -> float:
        """How many numbers the targets are: the rows by their weights, times k."""
        return float(self.weight.sum()) * self.target.shape[1]

    def covariance(self, kernel: Kernel, noise: float, jitter: float | None = None) -> Floats:
        """C (n, n)."""
        matrix = gram(kernel, self.rows)
        matrix[np.diag_indices_from(matrix)] += noise / self.weight + (self.jitter if jitter is None else jitter)
        return matrix

    def at(self, kernel: Kernel, noise: float) -> Conditioned | None:
        """The process given the targets; None where C is not positive definite to rounding."""
        with few_threads(len(self.weight)):
            matrix = self.covariance(kernel, noise)
            factor = lower_factor(matrix) if np.isfinite(matrix).all() else None
            if factor is None:
                return None
            dual = solved(factor, self.target)
        return Conditioned(kernel, noise, factor, dual, sum(self.terms(factor, dual, noise)))

    def terms(self, factor: Floats, dual: Floats, noise: float) -> tuple[float, float, float, float]:
        """Fit, complexity, constant and repetitions, whose sum is ln p(y)."""
        n, k = self.target.shape
        fit = -0.5 * float(np.einsum("nk,nk->", self.target, dual))
        complexity = -k * float(np.log(np.diagonal(factor)).sum())
        repeated = 0.0
        if noise > 0.0:
            more = float((self.weight - 1.0).sum()) * (LOG_2PI + math.log(noise))
            repeated = -0.5 * k * (more + float(np.log(self.weight).sum()))
        return fit, complexity, -0.5 * k * n * LOG_2PI, repeated

    def gradient(self, point: Conditioned) -> Floats:
        """By the logarithms of the kernel's free parameters and, last, of the noise."""
        with few_threads(len(self.weight)):
            return self._gradient(point, lower_inverse(point.factor))

    def _gradient(self, point: Conditioned, inverse: Floats) -> Floats:
        k = self.target.shape[1]
        own = np.diagonal(inverse)
        slopes = []
        for change in point.kernel.gradients(self.rows):  # symmetric, as is C⁻¹, of which one half is there
            trace = 2.0 * np.vdot(inverse.T, change) - own @ np.diagonal(change)
            slopes.append(0.5 * (np.einsum("nk,nk->", point.dual, change @ point.dual) - k * trace))
        spread = point.noise / self.weight
        noise = 0.5 * (spread @ np.square(point.dual).sum(axis=1) - k * (spread @ own))
        more = -0.5 * k * float((self.weight - 1.0).sum()) if point.noise > 0.0 else 0.0
        return np.array([*slopes, noise + more])
