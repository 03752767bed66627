"""A die with unknown probabilities of its sides: Dirichlet prior, categorical data.

    θ ~ Dir(α)        θ | counts n ~ Dir(α + n)        P(next = k) = (α_k + n_k) / (Σα + n)

With all α = 1 the predictive is Laplace's estimate; with α = m·p it is the m-estimate of naive Bayes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from scipy import special, stats

from novacula.arguments import as_numbers, positive_number, require_finite
from novacula.bayes.conjugate.base import ConjugateModel, interval, require_data, require_mode
from novacula.bayes.conjugate.derivation.categories import derive_dirichlet, derive_next_category
from novacula.bayes.probabilities import as_weights, refuse_doubled
from novacula.errors import DataError, InputTypeError, ParameterError
from novacula.learner.figure import Figure, bar_figure
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Work
from novacula.table.chunk import Floats
from novacula.table.names import printable
from novacula.words import listed, quoted


@dataclass(frozen=True)
class DirichletCategorical(ConjugateModel):
    """What is believed of the probabilities of categories, with prior Dir(α), after some of them.

    `alpha` maps categories to numbers above 0; a sequence of numbers has the categories 0, 1, 2, …  Arrays are in the
    order of `categories`.

    >>> die = DirichletCategorical({"red": 1, "green": 1, "blue": 1}).update(["red", "red", "blue"])
    >>> die.predictive
    {'red': 0.5, 'green': 0.16666666666666666, 'blue': 0.3333333333333333}
    """

    alpha: Mapping[Any, float] | Sequence[float]
    counts: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if isinstance(self.alpha, str) or not hasattr(self.alpha, "__iter__"):
            raise InputTypeError(
                f"alpha is {quoted(self.alpha)}; give a mapping of categories to numbers, or a sequence"
            )
        pairs = self.alpha.items() if isinstance(self.alpha, Mapping) else enumerate(self.alpha)
        alpha = {category: positive_number(value, f"alpha of {quoted(category)}") for category, value in pairs}
        refuse_doubled(tuple(alpha), "categories")
        if len(alpha) < 2:
            raise ParameterError("there is one category only, whose probability is 1; give two or more")
        object.__setattr__(self, "alpha", alpha)
        object.__setattr__(self, "counts", tuple(self.counts) or (0.0,) * len(alpha))
        require_finite(counts := as_numbers(self.counts, "counts"), "counts")
        if len(counts) != len(alpha) or min(counts) < 0:
            raise ParameterError(f"counts must be {len(alpha)} numbers of at least 0, one per category")

    @property
    def categories(self) -> tuple[Any, ...]:
        """The categories in order."""
        return tuple(self.alpha)

    def update(self, data: Any, weight: Any = None) -> Self:
        """The model after more data: a sequence of categories."""
        places = self._places(data)
        counts = np.array(self.counts)
        np.add.at(counts, places, as_weights(weight, len(places)))
        return replace(self, counts=tuple(counts.tolist()))

    def _places(self, data: Any) -> list[int]:
        """Which category each datum is."""
        if isinstance(data, (str, Mapping)) or not hasattr(data, "__iter__"):
            raise InputTypeError(f"data are a sequence of categories: put {quoted(data)} in a list")
        values = list(data)
        if not values:
            raise DataError("there are no data; give at least one category")
        place = {category: k for k, category in enumerate(self.categories)}
        for i, value in enumerate(values):
            if value not in place:
                raise DataError(f"datum {i + 1} is {quoted(value)}, which is none of {listed(self.categories)}")
        return [place[value] for value in values]

    @property
    def parameters(self) -> dict[str, Floats]:
        """The posterior's α."""
        return {"alpha": self.prior_alpha + np.array(self.counts)}

    @property
    def prior_alpha(self) -> Floats:
        """The prior's α."""
        given = self.alpha  # a mapping, once it is checked
        return np.array(list(given.values() if isinstance(given, Mapping) else given), np.float64)

    @property
    def prior(self) -> Any:
        """Dir(α)."""
        return stats.dirichlet(self.prior_alpha)

    @property
    def posterior(self) -> Any:
        """Dir(α + counts)."""
        return stats.dirichlet(self.parameters["alpha"])

    @property
    def mean(self) -> Floats:
        """(α + counts) / (Σα + n)."""
        alpha = self.parameters["alpha"]
        return np.asarray(alpha / alpha.sum())

    @property
    def map(self) -> Floats:
        """(α + counts − 1) / (Σα + n − K)."""
        alpha = self.parameters["alpha"]
        require_mode(bool((alpha >= 1).all() and (alpha > 1).any()), "some α + count is below 1, or all are 1")
        return np.asarray((alpha - 1.0) / (alpha.sum() - len(alpha)))

    @property
    def ml(self) -> Floats:
        """counts / n."""
        require_data(sum(self.counts), "estimate by maximum likelihood")
        return np.array(self.counts) / sum(self.counts)

    @property
    def predictive(self) -> dict[Any, float]:
        """The probability of each category to come next."""
        return dict(zip(self.categories, self.mean.tolist(), strict=True))

    @property
    def log_evidence(self) -> float:
        """ln B(α + counts) − ln B(α), with B(α) = Π Γ(α_k) / Γ(Σα)."""
        return _log_beta(self.parameters["alpha"]) - _log_beta(self.prior_alpha)

    def credible_interval(self, level: float = 0.95, kind: str = "equal-tailed") -> Floats:
        """Where each probability lies with probability `level`, on its own (K, 2)."""
        alpha = self.parameters["alpha"]
        return np.array([interval(stats.beta(a, alpha.sum() - a), level, kind) for a in alpha.tolist()])

    def plot(self) -> Figure:
        """The posterior mean of each probability, with its interval."""
        names = [printable(str(category)) for category in self.categories]
        title = f"The probabilities after {sum(self.counts):g} data, with 95% intervals"
        return bar_figure(names, self.mean, intervals=self.credible_interval(), title=title, xlabel="θ")

    def _derive(self, options: WorkOptions) -> Work:
        """The posterior and the evidence."""
        return derive_dirichlet(self, options)

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        """The next datum, for each that is given."""
        return derive_next_category(self, self._places(X), options)


def _log_beta(alpha: Floats) -> float:
    return float(special.gammaln(alpha).sum() - special.gammaln(alpha.sum()))
