"""A coin with an unknown probability θ of 1: Beta prior, Bernoulli data.

    θ ~ Beta(a, b)        θ | k ones, l zeros ~ Beta(a + k, b + l)        P(data) = B(a + k, b + l) / B(a, b)

a and b count as ones and zeros seen before.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from scipy import special, stats

from novacula.arguments import as_numbers, nonnegative_number, positive_number
from novacula.bayes.conjugate.base import ConjugateModel, densities_figure, interval, require_data, require_mode
from novacula.bayes.conjugate.derivation.categories import derive_beta, derive_next_flip
from novacula.bayes.probabilities import as_weights
from novacula.errors import DataError, ParameterError
from novacula.learner.figure import Figure
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Work
from novacula.table.chunk import Floats


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
        values = zeros_and_ones(data)
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

    def _derive(self, options: WorkOptions) -> Work:
        """The posterior and the evidence."""
        return derive_beta(self)

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        """The next datum, for each that is given."""
        return derive_next_flip(self, zeros_and_ones(X).tolist(), options)


def zeros_and_ones(data: Any) -> Floats:
    """Data as a flat array of at least one 0 or 1."""
    values = as_numbers(data, "data")
    if values.ndim != 1 or not values.size:
        raise DataError(f"data have shape {values.shape}; give a flat list of at least one 0 or 1")
    if (strange := np.flatnonzero((values != 0) & (values != 1))).size:
        raise DataError(f"data have {values[strange[0]]:g} in place {strange[0] + 1}; they must be 0 and 1")
    return values
