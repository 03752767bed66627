"""The parameters of a hidden Markov model: where it starts, where it goes, and what it shows.

P(z₁ = i) = πᵢ      P(zₜ₊₁ = j | zₜ = i) = Aᵢⱼ      p(xₜ | zₜ = k), the emission
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, Self, TypeVar

import numpy as np

from novacula.errors import ParameterError
from novacula.table import Column
from novacula.table.chunk import Floats

SAMPLE = 4096
"""Steps from which clusters are made."""
TOLERANCE = 1e-6
"""What given probabilities may miss of 1, for the sake of decimals."""


@dataclass(frozen=True, slots=True, eq=False)
class Forecast:
    """What comes next: one row per step ahead.

    `states` (steps, K) are probabilities. Of symbols `probability` (steps, symbols) is given, of numbers `mean`
    (steps, d) and `covariance` (steps, d, d).
    """

    states: Floats
    probability: Floats | None = None
    mean: Floats | None = None
    covariance: Floats | None = None


class Emission(ABC):
    """What each of K states shows: p(x | k), and the expected sums from which it is solved."""

    @property
    @abstractmethod
    def n_states(self) -> int:
        """K."""

    @abstractmethod
    def log_likelihood(self, values: Any) -> Floats:
        """ln p(x | k) of observations (P, d) by state: (P, K); what is missing is integrated out."""

    @abstractmethod
    def expect(self, values: Any, visits: Floats) -> Any:
        """Expected sums, which can be added, of observations (P, d) seen `visits` (P, K) times in each state."""

    def summary(self, sums: Any) -> Any:
        """The sums as a solver takes them."""
        return sums

    @abstractmethod
    def forecast(self, states: Floats) -> Forecast:
        """What is seen, given probabilities of states (steps, K)."""

    @abstractmethod
    def draw(self, path: Any, rng: np.random.Generator) -> Any:
        """An observation for each state of a path: (n, d)."""

    @abstractmethod
    def numbers(self) -> Floats:
        """Its parameters as one row."""

    @abstractmethod
    def with_numbers(self, numbers: Floats) -> Self:
        """An emission of the same kind and size with other parameters."""

    @property
    @abstractmethod
    def n_sums(self) -> int:
        """How many numbers its expected sums are."""

    def sum_numbers(self, sums: Any) -> Floats:
        """Expected sums, or what `summary` made of them, as one row."""
        return np.ravel(sums)


E = TypeVar("E", bound=Emission)


class EmissionSolver(ABC, Generic[E]):
    """The M-step of an emission: the parameters that expected sums and the prior prefer."""

    @abstractmethod
    def solve(self, sums: Any) -> E:
        """The most probable emission."""

    @abstractmethod
    def log_prior(self, emission: E) -> float:
        """The log prior density, up to a constant; 0 where there is no prior."""

    @abstractmethod
    def n_parameters(self, n_states: int) -> int:
        """How many parameters can be chosen."""


class StepOverview(ABC):
    """What one pass over all steps gives: enough to start from, and to say what is usual."""

    @abstractmethod
    def start(self, how: str, n_states: int, seed: int) -> Emission:
        """An emission by "kmeans", states that are clusters, or at "random"."""

    @abstractmethod
    def blank(self, n_states: int) -> Emission:
        """An emission that is the same in every state."""

    @abstractmethod
    def solver(self, m: float, start: Emission) -> EmissionSolver[Any]:
        """The M-step with a prior of m; what the start rules out stays ruled out."""


@dataclass(frozen=True, slots=True, eq=False)
class Parameters:
    """Start (K,), transition (K, K) and emission."""

    start: Floats
    transition: Floats
    emission: Any

    @property
    def n_states(self) -> int:
        """K."""
        return len(self.start)


def sampled(n: int, seed: int) -> Any:
    """Places of at most `SAMPLE` of n steps."""
    return np.arange(n) if n <= SAMPLE else np.sort(np.random.default_rng(seed).choice(n, SAMPLE, replace=False))


def numeric_columns(names: Sequence[str] | None, width: int, of: str) -> tuple[Column, ...]:
    """Columns of numbers for parameters of this width, called x0, x1, … unless names are given."""
    labels = [f"x{j}" for j in range(width)] if names is None else list(names)
    if len(labels) != width:
        raise ParameterError(f"columns has {len(labels)} names, but {of} has {width} columns")
    return tuple(Column(name, "numeric") for name in labels)


def distribution(probabilities: Any, shape: tuple[int, ...], name: str) -> Floats:
    """Probabilities that were given, checked; each row is made to add up to 1 exactly."""
    try:
        values = np.array(probabilities, np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"{name} is {probabilities!r}; it must hold numbers") from None
    if values.shape != shape:
        raise ParameterError(f"{name} has shape {values.shape}, but {shape} is needed")
    if not (values >= 0.0).all():
        raise ParameterError(f"{name} holds {values[~(values >= 0.0)][0]:g}, which is not a probability")
    total = values.sum(axis=-1, keepdims=True)
    if (np.abs(total - 1.0) > TOLERANCE).any():
        raise ParameterError(
            f"{name} holds probabilities that add up to {total[np.abs(total - 1.0) > TOLERANCE][0]:g}, not 1"
        )
    return np.ascontiguousarray(values / total)


def shares(counts: Floats, allowed: Any, m: float) -> Floats:
    """(N + m) / Σ(N + m) over what is allowed, by row; a row without any counts is divided evenly."""
    weights = np.where(allowed, counts + m, 0.0)
    total = weights.sum(axis=-1, keepdims=True)
    even = allowed / allowed.sum(axis=-1, keepdims=True)
    return np.where(total > 0.0, np.divide(weights, total, out=np.zeros_like(weights), where=total > 0.0), even)


def log_pseudo(probability: Floats, allowed: Any, m: float) -> float:
    """m Σ ln θ, the log density of Dirichlet priors up to a constant."""
    return float(m * np.log(probability[allowed]).sum()) if m else 0.0


def stationary(transition: Floats) -> Floats:
    """The π (K,) with π = πA; of several, the one of least norm."""
    k = len(transition)
    system = np.vstack([transition.T - np.eye(k), np.ones((1, k))])
    found = np.linalg.lstsq(system, np.append(np.zeros(k), 1.0))[0]
    found = np.where(found > k * np.finfo(float).eps, found, 0.0)  # less is rounding
    return np.asarray(found / found.sum())
