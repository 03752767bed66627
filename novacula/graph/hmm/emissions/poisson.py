"""Counts: P(x | state k) = λₖˣ e^(−λₖ) / x!, with λₖ = (Σγx + m·λ₀) / (Σγ + m), λ₀ the rate of all steps.

Of several columns each has a rate of its own, and given the state they are independent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.special import gammaln, xlogy

from novacula.graph.hmm.parameters import Emission, EmissionSolver, Forecast, StepOverview, sampled
from novacula.mixture.gaussian.start import drawn, lloyd, seeds
from novacula.table.chunk import Floats

LEAST = 1e-3
"""The least rate of a start, as a share of the rate of all."""


@dataclass(frozen=True, slots=True, eq=False)
class PoissonEmission(Emission):
    """A rate for each state and column."""

    rate: Floats  # (K, d)

    @property
    def n_states(self) -> int:
        """Rows of the table of rates."""
        return len(self.rate)

    def log_likelihood(self, values: Floats) -> Floats:
        """Sum over columns; a missing count adds nothing."""
        known = ~np.isnan(values)
        x = np.where(known, values, 0.0)
        return np.column_stack([_log_poisson(x, rate, known) for rate in self.rate])

    def expect(self, values: Floats, visits: Floats) -> Floats:
        """Expected steps with a known count, and the sum of counts, by state and column: (2, K, d)."""
        known = ~np.isnan(values)
        return np.stack([visits.T @ known.astype(np.float64), visits.T @ np.where(known, values, 0.0)])

    def forecast(self, states: Floats) -> Forecast:
        """Mean and covariance of a mixture of rates."""
        mean = states @ self.rate
        second = np.einsum("sk,ki,kj->sij", states, self.rate, self.rate)
        own = mean[:, :, None] * np.eye(mean.shape[1])
        return Forecast(states, mean=mean, covariance=second + own - mean[:, :, None] * mean[:, None])

    def draw(self, path: Any, rng: np.random.Generator) -> Floats:
        """Counts at the rates of the states."""
        return rng.poisson(self.rate[path]).astype(np.float64)

    def numbers(self) -> Floats:
        """The rates."""
        return self.rate.ravel()

    def with_numbers(self, numbers: Floats) -> Self:
        """Other rates."""
        return type(self)(numbers.reshape(self.rate.shape))

    @property
    def n_sums(self) -> int:
        """Steps and sums of counts."""
        return 2 * self.rate.size


@dataclass(frozen=True, slots=True, eq=False)
class PoissonSolver(EmissionSolver[PoissonEmission]):
    """Mean counts, with m steps more at the rate of all."""

    overall: Floats  # (d,)
    m: float

    def solve(self, sums: Floats) -> PoissonEmission:
        """Rates; a state without any step has that of all."""
        steps, total = sums[0] + self.m, sums[1] + self.m * self.overall
        even = np.tile(self.overall, (len(total), 1))
        return PoissonEmission(np.divide(total, steps, out=even, where=steps > 0.0))

    def log_prior(self, emission: PoissonEmission) -> float:
        """m Σ (λ₀ ln λ − λ)."""
        return float(self.m * (xlogy(self.overall, emission.rate) - emission.rate).sum()) if self.m else 0.0

    def n_parameters(self, n_states: int) -> int:
        """A rate for each state and column."""
        return n_states * len(self.overall)


@dataclass(frozen=True, slots=True, eq=False)
class PoissonOverview(StepOverview):
    """The rate of each column, and a sample of steps as 2√x, which has about the same variance at every rate."""

    rate: Floats  # (d,)
    sample: Floats  # (m, d)
    weight: Floats  # (m,)

    @classmethod
    def of(cls, values: Floats, weight: Floats, seed: int) -> Self:
        """Look at all steps (n, d); a missing count stands at the rate of all."""
        known = ~np.isnan(values)
        rate = weight @ np.where(known, values, 0.0) / (weight @ known)
        rows = sampled(len(values), seed)
        return cls(rate, 2.0 * np.sqrt(np.where(known[rows], values[rows], rate)), weight[rows])

    def start(self, how: str, n_states: int, seed: int) -> PoissonEmission:
        """Clusters of steps, or random steps halfway to the rate of all; no rate is 0, which EM could not leave."""
        rng = np.random.default_rng(seed)
        if how == "kmeans":
            centres = lloyd(self.sample, self.weight, seeds(self.sample, self.weight, n_states, rng))
        else:
            centres = 0.5 * (self.sample[drawn(self.weight, n_states, rng)] + 2.0 * np.sqrt(self.rate))
        return PoissonEmission(np.maximum((0.5 * centres) ** 2, LEAST * np.maximum(self.rate, 1.0)))

    def blank(self, n_states: int) -> PoissonEmission:
        """Every state at the rate of all."""
        return PoissonEmission(np.tile(self.rate, (n_states, 1)))

    def solver(self, m: float, start: Emission) -> PoissonSolver:
        """A prior at the rate of all."""
        return PoissonSolver(self.rate, m)


def _log_poisson(x: Floats, rate: Floats, known: Any) -> Floats:
    """ln P of rows x (P, d) at rates (d,), over the columns that are known."""
    return np.asarray(np.where(known, xlogy(x, rate) - rate - gammaln(x + 1.0), 0.0).sum(axis=1))
