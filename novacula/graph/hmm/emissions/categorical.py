"""Symbols: P(x = v | state k) = (N_kv + m) / Σᵥ(N_kv + m), N_kv the expected number of times that k shows v.

Of several columns each is a symbol of its own, and given the state they are independent. Their symbols are side by
side: column c has those from offsets[c] to offsets[c + 1].
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from novacula.graph.hmm.parameters import Emission, EmissionSolver, Forecast, StepOverview, log_pseudo, shares
from novacula.statistics.base import weighted_counts
from novacula.table.chunk import Codes, Floats

FAINT = 0.05
"""What a start gives to a symbol at least, as a count and as a factor."""


@dataclass(frozen=True, slots=True, eq=False)
class CategoricalEmission(Emission):
    """The probability of each symbol in each state."""

    probability: Floats  # (K, M)
    offsets: Any  # (columns + 1,)

    @property
    def n_states(self) -> int:
        """Rows of the table."""
        return len(self.probability)

    def log_likelihood(self, values: Codes) -> Floats:
        """Sum over columns; a missing symbol adds nothing."""
        with np.errstate(divide="ignore"):
            logs = np.log(self.probability.T)
        logs = np.ascontiguousarray(np.vstack([logs, np.zeros((1, self.n_states))]))
        total = np.zeros((len(values), self.n_states))
        for symbol, begin in zip(values.T, self.offsets[:-1], strict=True):
            total += logs[np.where(symbol < 0, len(logs) - 1, symbol + begin)]
        return total

    def expect(self, values: Codes, visits: Floats) -> Floats:
        """Expected numbers of each symbol in each state (K, M)."""
        counts = np.zeros_like(self.probability)
        for symbol, begin, end in zip(values.T, self.offsets[:-1], self.offsets[1:], strict=True):
            known = symbol >= 0
            for k in range(self.n_states):
                counts[k, begin:end] += weighted_counts(symbol[known], visits[known, k], end - begin)
        return counts

    def forecast(self, states: Floats) -> Forecast:
        """The probability of each symbol."""
        return Forecast(states, probability=states @ self.probability)

    def draw(self, path: Any, rng: np.random.Generator) -> Codes:
        """A symbol in each column, by its code."""
        out = np.empty((len(path), len(self.offsets) - 1), np.int32)
        for c, (begin, end) in enumerate(zip(self.offsets[:-1], self.offsets[1:], strict=True)):
            reach = np.cumsum(self.probability[:, begin:end], axis=1)
            ticket = rng.random(len(path)) * reach[path, -1]
            out[:, c] = (reach[path] <= ticket[:, None]).sum(axis=1)
        return out

    def numbers(self) -> Floats:
        """The table."""
        return self.probability.ravel()

    def with_numbers(self, numbers: Floats) -> Self:
        """Another table."""
        return type(self)(numbers.reshape(self.probability.shape), self.offsets)

    @property
    def n_sums(self) -> int:
        """Counts of the table."""
        return self.probability.size


@dataclass(frozen=True, slots=True, eq=False)
class CategoricalSolver(EmissionSolver[CategoricalEmission]):
    """Shares of expected counts, with m more for every symbol that is allowed in a state."""

    allowed: Any  # (K, M), which symbols a state may show
    offsets: Any  # (columns + 1,)
    m: float

    def solve(self, sums: Floats) -> CategoricalEmission:
        """Shares by column."""
        columns = [slice(a, b) for a, b in zip(self.offsets[:-1], self.offsets[1:], strict=True)]
        parts = [shares(sums[:, own], self.allowed[:, own], self.m) for own in columns]
        return CategoricalEmission(np.ascontiguousarray(np.hstack(parts)), self.offsets)

    def log_prior(self, emission: CategoricalEmission) -> float:
        """m Σ ln p."""
        return log_pseudo(emission.probability, self.allowed, self.m)

    def n_parameters(self, n_states: int) -> int:
        """Probabilities that are allowed, less one per state and column."""
        return int(self.allowed.sum()) - n_states * (len(self.offsets) - 1)


@dataclass(frozen=True, slots=True, eq=False)
class CategoricalOverview(StepOverview):
    """How often each symbol is seen."""

    count: Floats  # (M,)
    offsets: Any  # (columns + 1,)

    @classmethod
    def of(cls, values: Codes, weight: Floats, offsets: Any) -> Self:
        """Count the symbols of all steps (n, d)."""
        blank = CategoricalEmission(np.ones((1, offsets[-1])), offsets)
        return cls(blank.expect(values, weight[:, None])[0], offsets)

    def start(self, how: str, n_states: int, seed: int) -> CategoricalEmission:
        """The frequencies of all steps, each multiplied by a random number; no symbol gets 0, which EM cannot leave."""
        noise = np.random.default_rng(seed).gamma(1.0, size=(n_states, len(self.count))) + FAINT
        return self._solved((self.count + FAINT) * noise)

    def blank(self, n_states: int) -> CategoricalEmission:
        """Every state as all steps are."""
        return self._solved(np.tile(self.count, (n_states, 1)))

    def solver(self, m: float, start: Emission) -> CategoricalSolver:
        """A prior on every symbol to which the start gives a chance."""
        assert isinstance(start, CategoricalEmission)  # noqa: S101  (symbols start from probabilities of symbols)
        return CategoricalSolver(start.probability > 0.0, self.offsets, m)

    def _solved(self, counts: Floats) -> CategoricalEmission:
        return CategoricalSolver(np.ones(counts.shape, bool), self.offsets, 0.0).solve(counts)
