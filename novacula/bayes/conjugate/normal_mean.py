"""Numbers about an unknown mean μ with a known spread σ: normal prior, normal data.

    μ ~ N(μ₀, τ₀²)        1/τ² = 1/τ₀² + n/σ²        μ | data ~ N(τ²·(μ₀/τ₀² + n·x̄/σ²), τ²)

Precisions add, and the mean is that of prior and data, each by its precision.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from scipy import stats

from novacula.arguments import as_point, positive_number
from novacula.bayes.conjugate.base import densities_figure, interval, require_data
from novacula.bayes.conjugate.derivation.numbers import derive_next_normal, derive_normal_mean
from novacula.bayes.conjugate.numbers import OfNumbers, as_data
from novacula.learner.figure import Figure
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Work


@dataclass(frozen=True, eq=False, repr=False)
class NormalMean(OfNumbers):
    """What is believed of a mean, with prior N(mu0, tau0²), after numbers of known standard deviation sigma.

    >>> length = NormalMean(mu0=0.0, tau0=2.0, sigma=1.0).update([1.0, 2.0, 3.0])
    >>> round(length.mean, 6), length.posterior.std().item(), length.predictive.std().item()
    (1.846154, 0.55470..., 1.14354...)
    """

    mu0: float
    tau0: float
    sigma: float

    def __post_init__(self) -> None:
        as_point([self.mu0], "mu0")
        positive_number(self.tau0, "tau0")
        positive_number(self.sigma, "sigma")

    @property
    def parameters(self) -> dict[str, float]:
        """The posterior's mean and standard deviation, as mu0 and tau0."""
        reach = math.sqrt(self.n) * self.tau0
        total = math.hypot(self.sigma, reach)
        share = (reach / total) ** 2  # of the data in the mean
        return {"mu0": self.mu0 + share * (self.data_mean - self.mu0), "tau0": self.tau0 * (self.sigma / total)}

    @property
    def prior(self) -> Any:
        """N(mu0, tau0²)."""
        return stats.norm(self.mu0, self.tau0)

    @property
    def posterior(self) -> Any:
        """The normal distribution of the mean after the data."""
        return stats.norm(*self.parameters.values())

    @property
    def mean(self) -> float:
        """The posterior mean, which is the most probable value too."""
        return self.parameters["mu0"]

    @property
    def map(self) -> float:
        """The most probable value, which is the posterior mean too."""
        return self.mean

    @property
    def ml(self) -> float:
        """The mean of the data."""
        require_data(self.n, "mean of them")
        return self.data_mean

    @property
    def predictive(self) -> Any:
        """N(mean, τ² + σ²)."""
        return stats.norm(self.mean, math.hypot(self.parameters["tau0"], self.sigma))

    @property
    def log_evidence(self) -> float:
        """The log-density of the data: that of their mean about mu0, times that of the data about their mean."""
        n = self.n
        if not n:
            return 0.0
        of_mean = stats.norm.logpdf(self.ml, self.mu0, math.hypot(self.tau0, self.sigma / math.sqrt(n)))
        spread = self.data_ssd / self.sigma**2 + (n - 1.0) * math.log(2.0 * math.pi * self.sigma**2)
        return float(of_mean) - (spread + math.log(n)) / 2.0

    def credible_interval(self, level: float = 0.95, kind: str = "equal-tailed") -> tuple[float, float]:
        """Where the mean lies with probability `level`; the interval of equal tails is the shortest too."""
        return interval(self.posterior, level, kind)

    def plot(self) -> Figure:
        """The densities of the mean before and after."""
        title = f"The mean, before and after {self.n:g} numbers"
        return densities_figure(self.prior, self.posterior, title, "μ")

    def _derive(self, options: WorkOptions) -> Work:
        """The posterior and the evidence."""
        return derive_normal_mean(self)

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        """The next datum, for each that is given."""
        return derive_next_normal(self, as_data(X).tolist(), options)
