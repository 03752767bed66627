"""Numbers of which neither mean μ nor variance σ² is known: normal-inverse-gamma prior, normal data.

    σ² ~ InvGamma(α₀, β₀), μ | σ² ~ N(μ₀, σ²/κ₀)

    κ = κ₀ + n, μ' = (κ₀μ₀ + n·x̄)/κ, α = α₀ + n/2, β = β₀ + ½Σ(x − x̄)² + κ₀·n·(x̄ − μ₀)²/(2κ)

By itself, μ has Student's t distribution, and so has the next number.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special, stats

from novacula.arguments import as_point, positive_number
from novacula.bayes.conjugate.base import densities_figure, interval, require_data
from novacula.bayes.conjugate.derivation.numbers import derive_inverse_gamma, derive_next_student
from novacula.bayes.conjugate.numbers import OfNumbers, as_data
from novacula.errors import ParameterError
from novacula.learner.figure import Figure
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Work
from novacula.table.chunk import Floats


@dataclass(frozen=True, eq=False, repr=False)
class NormalInverseGamma(OfNumbers):
    """What is believed of mean and variance together; estimates are pairs (mean, variance).

    >>> heights = NormalInverseGamma(mu0=0.0, kappa0=1.0, alpha0=2.0, beta0=2.0).update([1.0, 2.0, 3.0])
    >>> {name: round(value, 6) for name, value in heights.parameters.items()}
    {'mu0': 1.5, 'kappa0': 4.0, 'alpha0': 3.5, 'beta0': 4.5}
    >>> heights.mean, heights.predictive.std().item()
    ((1.5, 1.8), 1.5)
    """

    mu0: float
    kappa0: float
    alpha0: float
    beta0: float

    def __post_init__(self) -> None:
        as_point([self.mu0], "mu0")
        for name in ("kappa0", "alpha0", "beta0"):
            positive_number(getattr(self, name), name)

    @property
    def parameters(self) -> dict[str, float]:
        """The posterior's μ, κ, α and β, by the prior's names."""
        gap, kappa = self.data_mean - self.mu0, self.kappa0 + self.n
        lost = self.kappa0 * self.n / kappa * gap**2
        return {
            "mu0": self.mu0 + self.n / kappa * gap,
            "kappa0": kappa,
            "alpha0": self.alpha0 + self.n / 2.0,
            "beta0": self.beta0 + (self.data_ssd + lost) / 2.0,
        }

    @property
    def prior(self) -> Any:
        """The distribution of (μ, σ²) before the data."""
        return stats.normal_inverse_gamma(self.mu0, self.kappa0, self.alpha0, self.beta0)

    @property
    def posterior(self) -> Any:
        """The distribution of (μ, σ²) after the data."""
        return stats.normal_inverse_gamma(*self.parameters.values())

    @property
    def mean_distribution(self) -> Any:
        """μ on its own: Student's t with 2α degrees of freedom."""
        return _student(self.parameters, 0.0)

    @property
    def variance_distribution(self) -> Any:
        """σ² on its own: inverse gamma."""
        return stats.invgamma(self.parameters["alpha0"], scale=self.parameters["beta0"])

    @property
    def mean(self) -> tuple[float, float]:
        """The posterior means of μ and of σ², β / (α − 1)."""
        p = self.parameters
        if not p["alpha0"] > 1:
            raise ParameterError(f"the variance has no mean as α = {p['alpha0']:g}; it needs α above 1, or more data")
        return p["mu0"], p["beta0"] / (p["alpha0"] - 1.0)

    @property
    def map(self) -> tuple[float, float]:
        """The most probable pair: μ', and β / (α + 3/2)."""
        p = self.parameters
        return p["mu0"], p["beta0"] / (p["alpha0"] + 1.5)

    @property
    def ml(self) -> tuple[float, float]:
        """Mean and variance of the data, Σ(x − x̄)² / n."""
        require_data(self.n, "estimate by maximum likelihood")
        return self.data_mean, self.data_ssd / self.n

    @property
    def predictive(self) -> Any:
        """The next number: Student's t with 2α degrees of freedom."""
        return _student(self.parameters, 1.0)

    @property
    def log_evidence(self) -> float:
        """ln Γ(α)/Γ(α₀) + α₀ ln β₀ − α ln β + ½ ln κ₀/κ − n/2 · ln 2π."""
        p = self.parameters
        return float(
            special.gammaln(p["alpha0"])
            - special.gammaln(self.alpha0)
            + self.alpha0 * math.log(self.beta0)
            - p["alpha0"] * math.log(p["beta0"])
            + math.log(self.kappa0 / p["kappa0"]) / 2.0
            - self.n / 2.0 * math.log(2.0 * math.pi)
        )

    def credible_interval(self, level: float = 0.95, kind: str = "equal-tailed") -> Floats:
        """Where μ and where σ² lies with probability `level`, each on its own (2, 2)."""
        return np.array([interval(d, level, kind) for d in (self.mean_distribution, self.variance_distribution)])

    def plot(self) -> Figure:
        """The densities of μ before and after."""
        before = type(self)(self.mu0, self.kappa0, self.alpha0, self.beta0).mean_distribution
        return densities_figure(before, self.mean_distribution, f"The mean, before and after {self.n:g} numbers", "μ")

    def _derive(self, options: WorkOptions) -> Work:
        """The posterior and the evidence."""
        return derive_inverse_gamma(self)

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        """The next datum, for each that is given."""
        return derive_next_student(self, as_data(X).tolist(), options)


def _student(p: Mapping[str, float], spread: float) -> Any:
    """Student's t of the mean (spread 0), or of the next number about it (spread 1)."""
    scale = math.sqrt(p["beta0"] / p["alpha0"] * (spread + 1.0 / p["kappa0"]))
    return stats.t(2.0 * p["alpha0"], p["mu0"], scale)
