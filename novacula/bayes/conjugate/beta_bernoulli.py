"""A coin with an unknown probability θ of 1: Beta prior, Bernoulli data.

    θ ~ Beta(a, b)        θ | k ones, l zeros ~ Beta(a + k, b + l)        P(data) = B(a + k, b + l) / B(a, b)

a and b count as ones and zeros seen before.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from scipy import special, stats

from novacula.arguments import as_numbers, nonnegative_number, positive_number
from novacula.bayes.conjugate.base import ConjugateModel, densities_figure, interval, require_data, require_mode
from novacula.bayes.probabilities import as_weights
from novacula.errors import DataError, ParameterError
from novacula.learner.figure import Figure
from novacula.learner.worded_step import WordedStep as Step
from novacula.learner.work import Work


@dataclass(frozen=True)
class BetaBernoulli(ConjugateModel):
    """What is believed of the probability of 1, with prior Beta(a, b), after some zeros and ones.

    >>> coin = BetaBernoulli(1, 1).update([1, 1, 0, 1])
    >>> coin.mean, coin.map, coin.predictive.pmf(1).item(), round(coin.evidence, 6)
    (0.666666..., 0.75, 0.666666..., 0.05)
    >>> [round(end, 4) for end in coin.credible_interval(0.95)]
    [0.2836, 0.9473]
    """

    a: float = 1.0
    b: float = 1.0
    ones: float = 0.0
    zeros: float = 0.0

    def __post_init__(self) -> None:
        positive_number(self.a, "a")
        positive_number(self.b, "b")
        nonnegative_number(self.ones, "ones")
        nonnegative_number(self.zeros, "zeros")

    def update(self, data: Any, weight: Any = None) -> Self:
        """The model after more data: a sequence of 0 and 1, or of false and true."""
        values = as_numbers(data, "data")
        if values.ndim != 1 or not values.size:
            raise DataError(f"data have shape {values.shape}; give a flat list of at least one 0 or 1")
        if (strange := np.flatnonzero((values != 0) & (values != 1))).size:
            raise DataError(f"data have {values[strange[0]]:g} in place {strange[0]}; they must be 0 and 1")
        weights = as_weights(weight, len(values))
        ones = float(weights[values == 1].sum())
        return replace(self, ones=self.ones + ones, zeros=self.zeros + float(weights[values == 0].sum()))

    @property
    def parameters(self) -> dict[str, float]:
        """The posterior's a and b."""
        return {"a": self.a + self.ones, "b": self.b + self.zeros}

    @property
    def prior(self) -> Any:
        """Beta(a, b)."""
        return stats.beta(self.a, self.b)

    @property
    def posterior(self) -> Any:
        """Beta(a + ones, b + zeros)."""
        return stats.beta(**self.parameters)

    @property
    def mean(self) -> float:
        """(a + ones) / (a + b + n)."""
        a, b = self.parameters.values()
        return a / (a + b)

    @property
    def map(self) -> float:
        """(a + ones − 1) / (a + b + n − 2), or an end where the density grows towards one."""
        a, b = self.parameters.values()
        require_mode(not (a < 1 and b < 1), f"Beta({a:g}, {b:g}) grows towards both ends")
        require_mode(not (a == 1 and b == 1), "Beta(1, 1) is flat")
        if a <= 1 or b <= 1:
            return float(a > b)
        return (a - 1.0) / (a + b - 2.0)

    @property
    def ml(self) -> float:
        """ones / n."""
        require_data(self.ones + self.zeros, "estimate by maximum likelihood")
        return self.ones / (self.ones + self.zeros)

    @property
    def predictive(self) -> Any:
        """Bernoulli with the posterior mean."""
        return stats.bernoulli(self.mean)

    @property
    def log_evidence(self) -> float:
        """ln B(a + ones, b + zeros) − ln B(a, b)."""
        return float(special.betaln(*self.parameters.values()) - special.betaln(self.a, self.b))

    def credible_interval(self, level: float = 0.95, kind: str = "equal-tailed") -> tuple[float, float]:
        """Where θ lies with probability `level`."""
        a, b = self.parameters.values()
        if kind == "hpd" and a < 1 and b < 1:
            raise ParameterError(f"Beta({a:g}, {b:g}) grows towards both ends, so no one interval is densest")
        return interval(self.posterior, level, kind)

    def plot(self) -> Figure:
        """The densities of θ before and after."""
        n = self.ones + self.zeros
        title = f"The probability of 1, before and after {self.ones:g} ones in {n:g}"
        return densities_figure(self.prior, self.posterior, title, "θ", (0.0, 1.0))

    def work(self) -> Work:
        """Derive the posterior, its mean, and the evidence."""
        a, b = self.parameters.values()
        gammas = {"A": math.lgamma(a), "B": math.lgamma(b), "AB": math.lgamma(a + b)}
        before = {"A0": math.lgamma(self.a), "B0": math.lgamma(self.b), "AB0": math.lgamma(self.a + self.b)}
        labels = dict.fromkeys(("A", "B", "AB"), "ln Γ of the posterior's parameters") | dict.fromkeys(
            ("A0", "B0", "AB0"), "ln Γ of the prior's"
        )
        steps = [
            Step("Ones", "a' = a + k", "a + k", {"a": self.a, "k": self.ones}, a, ("parameters", "a")),
            Step("Zeros", "b' = b + l", "b + l", {"b": self.b, "l": self.zeros}, b, ("parameters", "b")),
            Step(
                "Mean",
                "E(θ) = a' / (a' + b')",
                "a / (a + b)",
                {"a": a, "b": b},
                self.mean,
                ("mean",),
                figure=self.plot(),
            ),
            Step(
                "Evidence",
                "ln P(D) = ln B(a', b') − ln B(a, b), with ln B(a, b) = ln Γ(a) + ln Γ(b) − ln Γ(a + b)",
                "A + B - AB - (A0 + B0 - AB0)",
                gammas | before,
                self.log_evidence,
                ("log_evidence",),
                labels,
            ),
        ]
        return Work("Beta prior, Bernoulli data", steps)
