"""The evidence of a Gaussian process: the probability density of the targets, with the function integrated out.

    ln p(y) = −½ yᵀC⁻¹y − ½ ln|C| − (n/2) ln 2π        C = K + σ²W⁻¹
    ∂/∂ln θ = ½ αᵀ(∂C/∂ln θ)α − ½ tr(C⁻¹ ∂C/∂ln θ)     α = C⁻¹y

A row of weight w is w rows with one target. Their mean has noise σ²/w, and what is left of their density does not
depend on the function: −½[(w − 1) ln 2πσ² + ln w]. Without noise repetitions add
no information, and each row counts once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from novacula.kernel.algebra import Kernel, gram
from novacula.kernel.algebra.gram import Place, blocks
from novacula.kernel.algebra.rows import Rows
from novacula.kernel.process.cholesky import few_threads, lower_factor, lower_inverse, solved
from novacula.table.chunk import Floats
from novacula.table.parallel import map_ordered

LOG_2PI = math.log(2.0 * math.pi)


@dataclass(frozen=True, eq=False)
class ConditionedProcess:
    """A kernel and noise with the targets taken into account: C = LLᵀ and α = C⁻¹y."""

    kernel: Kernel
    noise: float
    factor: Floats  # (n, n): L, in the lower half
    dual: Floats  # (n, k)
    log_likelihood: float


@dataclass(frozen=True, eq=False)
class ProcessEvidence:
    """Rows (n, d), their weights (n,) and targets (n, k); the k targets share a kernel and are independent."""

    rows: Rows
    weight: Floats
    target: Floats
    jitter: float = 0.0

    @property
    def size(self) -> float:
        """How many numbers the targets are: the rows by their weights, and no fewer than there are rows, times k."""
        return max(float(self.weight.sum()), len(self.weight)) * self.target.shape[1]

    def covariance(self, kernel: Kernel, noise: float, jitter: float | None = None) -> Floats:
        """C (n, n)."""
        matrix = gram(kernel, self.rows)
        matrix[np.diag_indices_from(matrix)] += noise / self.weight + (self.jitter if jitter is None else jitter)
        return matrix

    def at(self, kernel: Kernel, noise: float) -> ConditionedProcess | None:
        """The process given the targets; None where C is not positive definite to rounding."""
        with few_threads(len(self.weight)):
            matrix = self.covariance(kernel, noise)
            factor = lower_factor(matrix) if np.isfinite(matrix).all() else None
            if factor is None:
                return None
            dual = solved(factor, self.target)
        return ConditionedProcess(kernel, noise, factor, dual, sum(self.terms(factor, dual, noise)))

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

    def gradient(self, point: ConditionedProcess) -> Floats:
        """By the logarithms of the kernel's free parameters and, last, of the noise."""
        with few_threads(len(self.weight)):
            return self._gradient(point, lower_inverse(point.factor))

    def _gradient(self, point: ConditionedProcess, inverse: Floats) -> Floats:
        k = self.target.shape[1]
        spread = point.noise / self.weight
        noise = 0.5 * (spread @ np.square(point.dual).sum(axis=1) - k * (spread @ np.diagonal(inverse)))
        more = -0.5 * k * float((self.weight - 1.0).sum()) if point.noise > 0.0 else 0.0
        return np.array([*self._slopes(point, inverse.T), noise + more])

    def _slopes(self, point: ConditionedProcess, inverse: Floats) -> Floats:
        """½ Σ (ααᵀ − kC⁻¹)ᵢⱼ ∂Cᵢⱼ for each parameter, by blocks, of a C⁻¹ of which the upper half is there.

        Both factors are symmetric, so what is above the diagonal counts twice.
        """
        n, k = self.target.shape

        def of_block(place: Place) -> Floats:
            rows, columns = place
            pull = point.dual[rows] @ point.dual[columns].T
            pull -= k * inverse[place]
            if rows == columns:
                pull = np.triu(pull)
                pull[np.diag_indices_from(pull)] *= 0.5
            with np.errstate(over="ignore", invalid="ignore"):  # a slope that is not finite is the search's to find
                changes = point.kernel.gradients(self.rows[rows], self.rows[columns])
                return np.array([np.vdot(pull, change) for change in changes])

        return np.sum(list(map_ordered(of_block, blocks(point.kernel, n, n, upper=True))), axis=0)
