"""What conjugate models share: chained updates, evidence, intervals, and a picture of before and after.

A model is a frozen record of its prior and of what the data said, as sufficient statistics. `update` gives another one.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from scipy import optimize

from novacula.arguments import one_of, positive_number
from novacula.bayes.density_figures import peaks
from novacula.errors import DataError, ParameterError
from novacula.learner.figure import Figure, curve_figure
from novacula.learner.showing import ShowsWork, WorkOptions
from novacula.learner.work import Work
from novacula.table.chunk import Floats

KINDS = ("equal-tailed", "hpd")
_PLACES = 301  # points of a curve
_TAIL = 5e-4  # of each side of a density, left out of its picture


class ConjugateModel(ShowsWork, ABC):
    """A prior with data: a subclass has `update`, `posterior` and the like in closed form."""

    @abstractmethod
    def update(self, data: Any, weight: Any = None) -> Self:
        """The model after more data; `weight` says how often each datum was seen."""

    @property
    @abstractmethod
    def parameters(self) -> Mapping[str, Any]:
        """The parameters of the posterior, by the names that those of the prior have."""

    @property
    @abstractmethod
    def prior(self) -> Any:
        """The distribution of the unknown before the data, as a frozen SciPy distribution."""

    @property
    @abstractmethod
    def posterior(self) -> Any:
        """The distribution of the unknown after the data, as a frozen SciPy distribution."""

    @property
    @abstractmethod
    def mean(self) -> Any:
        """The posterior mean of the unknown."""

    @property
    @abstractmethod
    def map(self) -> Any:
        """The most probable value of the unknown."""

    @property
    @abstractmethod
    def ml(self) -> Any:
        """The value under which the data are most probable, regardless of the prior."""

    @property
    @abstractmethod
    def predictive(self) -> Any:
        """The distribution of the next datum."""

    @property
    @abstractmethod
    def log_evidence(self) -> float:
        """ln P(data), of all data since the prior, in the order in which they came."""

    @property
    def evidence(self) -> float:
        """P(data); it may underflow where `log_evidence` does not."""
        return math.exp(self.log_evidence)

    @abstractmethod
    def credible_interval(self, level: float = 0.95, kind: str = "equal-tailed") -> Any:
        """Where the unknown lies with probability `level`: equal tails, or the shortest ("hpd")."""

    @abstractmethod
    def plot(self) -> Figure:
        """What is believed before and after the data."""

    @abstractmethod
    def _derive(self, options: WorkOptions) -> Work:
        """The posterior."""

    @abstractmethod
    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        """The probabilities of data to come."""


def interval(distribution: Any, level: float, kind: str) -> tuple[float, float]:
    """Where a frozen distribution of one number has probability `level`."""
    level = positive_number(level, "level", below=1.0)
    if one_of(kind, "kind", KINDS) == "equal-tailed":
        low, high = distribution.ppf([(1.0 - level) / 2.0, (1.0 + level) / 2.0])
        return float(low), float(high)

    def width(tail: float) -> float:
        return float(distribution.ppf(tail + level) - distribution.ppf(tail))

    # The best tail is found by its square root, since it may be very small; the shortest interval may end at the edge.
    most = 1.0 - level
    found = optimize.minimize_scalar(
        lambda r: width(r * r), bounds=(0.0, math.sqrt(most)), options={"xatol": 1e-12}, method="bounded"
    )
    tail = min((0.0, found.x**2, most), key=width)
    return float(distribution.ppf(tail)), float(distribution.ppf(tail + level))


def require_data(weight: float, what: str) -> None:
    """Refuse to estimate from nothing."""
    if not weight > 0:
        raise DataError(f"there are no data, so there is no {what}; update first")


def require_mode(exists: bool, why: str) -> None:
    """Refuse a mode where the density has none inside."""
    if not exists:
        raise ParameterError(f"the posterior has no single mode: {why}; use mean, or a stronger prior")


def densities_figure(
    before: Any, after: Any, title: str, xlabel: str, ends: tuple[float, float] | None = None
) -> Figure:
    """The densities of one number before and after the data; `ends`: where it can be, else where the two are."""
    if ends is None:
        low = min(before.ppf(_TAIL), after.ppf(_TAIL))
        high = max(before.ppf(1.0 - _TAIL), after.ppf(1.0 - _TAIL))
        spread = after.ppf(1.0 - _TAIL) - after.ppf(_TAIL)
        # A prior that is far wider would leave the posterior a spike.
        low, high = max(low, after.ppf(0.5) - 5.0 * spread), min(high, after.ppf(0.5) + 5.0 * spread)
    else:
        low, high = ends
    x: Floats = low + (high - low) * (np.arange(_PLACES) + 0.5) / _PLACES  # a density may be infinite at its ends
    curves = {"prior": before.pdf(x), "posterior": after.pdf(x)}
    return curve_figure(x, curves, title=title, xlabel=xlabel, ylabel="density", alt=peaks(xlabel, x, curves))
