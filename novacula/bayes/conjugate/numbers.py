"""Numbers that were observed: how many, their mean and squared deviations, and the Gaussian that fits them best."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields, replace
from typing import Any, Self

import numpy as np

from novacula.arguments import as_numbers, require_finite
from novacula.bayes.conjugate.base import ConjugateModel
from novacula.bayes.conjugate.derivation.numbers import derive_gaussian
from novacula.bayes.probabilities import as_weights
from novacula.errors import DataError, ParameterError
from novacula.learner.showing import ShowsWork, WorkOptions
from novacula.learner.work import Work
from novacula.statistics import ClassMoments
from novacula.table import Chunk
from novacula.table.chunk import Floats

NOTHING = ClassMoments.zero(1, 1)
"""The moments of no numbers."""


def as_data(data: Any) -> Floats:
    """A flat sequence of finite numbers, of which there is at least one."""
    numbers = as_numbers(data, "data")
    if numbers.ndim != 1 or not numbers.size:
        raise DataError(f"data have shape {numbers.shape}; give a flat list of at least one number")
    require_finite(numbers, "data")
    return numbers


def moments_of(data: Any, weight: Any) -> ClassMoments:
    """The moments of a flat sequence of finite numbers."""
    numbers = as_data(data)
    weights = as_weights(weight, len(numbers))
    if not weights.sum() > 0:
        raise DataError("the weights sum to zero: no datum counts")
    return ClassMoments.observe(Chunk(numbers[:, None], np.empty((len(numbers), 0), np.int32), weights))


@dataclass(frozen=True, eq=False, repr=False)
class OfNumbers(ConjugateModel):
    """A model that needs of numbers only how many they are, their mean and their squared deviations."""

    moments: ClassMoments = field(default=NOTHING, kw_only=True)

    def update(self, data: Any, weight: Any = None) -> Self:
        """The model after more numbers."""
        return replace(self, moments=self.moments + moments_of(data, weight))

    @property
    def n(self) -> float:
        """How many numbers were seen."""
        return float(self.moments.weight.item())

    @property
    def data_mean(self) -> float:
        """Their mean, x̄."""
        return float(self.moments.mean.item())

    @property
    def data_ssd(self) -> float:
        """Their squared deviations, Σ(x − x̄)²."""
        return float(self.moments.ssd.item())

    def __repr__(self) -> str:
        given = ", ".join(f"{entry.name}={getattr(self, entry.name):g}" for entry in fields(self) if not entry.kw_only)
        return f"<{type(self).__name__}({given}) after {self.n:g} numbers>"


KEPT = 20
"""Data that a derivation shows one by one."""


@dataclass(frozen=True, eq=False)
class GaussianTrace:
    """The first data, and what the others add to their sum and to their squared deviations: 43 numbers at most."""

    first: Floats  # (KEPT,) at most
    weight: Floats  # of each
    rest_sum: float
    rest_squares: float
    n: float  # the weight of all


@dataclass(frozen=True)
class GaussianEstimate(ShowsWork):
    """A Gaussian by maximum likelihood."""

    mean: float
    std: float
    log_likelihood: float
    trace_: GaussianTrace = field(repr=False, compare=False)

    def _derive(self, options: WorkOptions) -> Work:
        """From the likelihood to its largest value."""
        return derive_gaussian(self)

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        raise ParameterError("an estimate by maximum likelihood derives itself, not rows; ask its work without any")


def gaussian_ml(data: Any, weight: Any = None) -> GaussianEstimate:
    """The Gaussian under which numbers are most probable: μ = Σx / N, σ = √(Σ(x − μ)² / N); its work derives both.

    >>> gaussian_ml([1.0, 2.0, 4.0, 5.0])
    GaussianEstimate(mean=3.0, std=1.5811388300841898, log_likelihood=-7.508...)
    """
    moments = moments_of(data, weight)
    n, mean, ssd = moments.weight.item(), moments.mean.item(), moments.ssd.item()
    if not ssd > 0:
        raise DataError("all data are one number, and the likelihood has no largest value as σ goes to 0")
    variance = ssd / n
    log_likelihood = -n / 2.0 * (math.log(2.0 * math.pi * variance) + 1.0)
    x, w = as_data(data), as_weights(weight, len(as_data(data)))
    rest, of_rest = x[KEPT:], w[KEPT:]
    trace = GaussianTrace(x[:KEPT], w[:KEPT], float(of_rest @ rest), float(of_rest @ (rest - mean) ** 2), n)
    return GaussianEstimate(mean, math.sqrt(variance), log_likelihood, trace)
