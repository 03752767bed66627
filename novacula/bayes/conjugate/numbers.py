"""Numbers that were observed: how many, their mean and squared deviations, and the Gaussian that fits them best."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields, replace
from typing import Any, Self

import numpy as np

from novacula.arguments import as_numbers, require_finite
from novacula.bayes.conjugate.base import ConjugateModel
from novacula.bayes.probabilities import as_weights
from novacula.errors import DataError
from novacula.statistics import ClassMoments
from novacula.table import Chunk

NOTHING = ClassMoments.zero(1, 1)
"""The moments of no numbers."""


def moments_of(data: Any, weight: Any) -> ClassMoments:
    """The moments of a flat sequence of finite numbers, of which there is at least one."""
    numbers = as_numbers(data, "data")
    if numbers.ndim != 1 or not numbers.size:
        raise DataError(f"data have shape {numbers.shape}; give a flat list of at least one number")
    require_finite(numbers, "data")
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


@dataclass(frozen=True)
class GaussianEstimate:
    """A Gaussian by maximum likelihood."""

    mean: float
    std: float
    log_likelihood: float


def gaussian_ml(data: Any, weight: Any = None) -> GaussianEstimate:
    """The Gaussian under which numbers are most probable: μ = Σx / N, σ = √(Σ(x − μ)² / N).

    >>> gaussian_ml([1.0, 2.0, 4.0, 5.0])
    GaussianEstimate(mean=3.0, std=1.5811388300841898, log_likelihood=-7.508...)
    """
    moments = moments_of(data, weight)
    n, ssd = moments.weight.item(), moments.ssd.item()
    if not ssd > 0:
        raise DataError("all data are one number, and the likelihood has no largest value as σ goes to 0")
    variance = ssd / n
    return GaussianEstimate(
        moments.mean.item(), math.sqrt(variance), -n / 2.0 * (math.log(2.0 * math.pi * variance) + 1.0)
    )
