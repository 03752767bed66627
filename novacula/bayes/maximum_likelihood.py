"""Estimates by maximum likelihood whose works go the same four steps: likelihood, logarithm, derivative, zero.

    θ_ML = argmax over θ of P(D | θ)

Shares of two values, a line with normal noise, which is the line of least squares, and among given probabilities those
of the smallest cross-entropy. A Gaussian has `gaussian_ml`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from novacula.arguments import as_numbers, require_finite
from novacula.bayes.conjugate.numbers import as_data
from novacula.bayes.derivation.maximum_likelihood import derive_cross_entropy, derive_line, derive_shares
from novacula.bayes.probabilities import as_weights
from novacula.errors import DataError, InputTypeError
from novacula.learner.showing import ShowsWork, WorkOptions
from novacula.learner.work import Work
from novacula.table.chunk import Floats
from novacula.words import listed, quoted


@dataclass(frozen=True, eq=False)
class ShareEstimate(ShowsWork):
    """The share of the first of two values; of pairs, also that of the first second value beside each first one."""

    values: tuple[Any, Any]
    second: tuple[Any, ...]  # two values, or none
    counts: Floats  # (2,), or (2, 2)

    @property
    def totals(self) -> Floats:
        """How often each of the first two values was seen (2,)."""
        return self.counts if self.counts.ndim == 1 else self.counts.sum(axis=1)

    @property
    def theta(self) -> float:
        """θ = c / N: the share of the first value."""
        return float(self.totals[0] / self.totals.sum())

    @property
    def thetas(self) -> tuple[float, ...]:
        """θ₁ and θ₂: the share of the first second value, beside each first one; none without pairs."""
        return tuple((self.counts[:, 0] / self.totals).tolist()) if self.second else ()

    @property
    def log_likelihood(self) -> float:
        """ln P(D | θ) at the estimates."""
        tables = [self.totals, *self.counts] if self.second else [self.totals]
        return float(sum(n * np.log(n / table.sum()) for table in tables for n in table if n > 0))

    def _derive(self, options: WorkOptions) -> Work:
        return derive_shares(self)


def bernoulli_ml(data: Any, weight: Any = None) -> ShareEstimate:
    """The probability of one of two values under which data are most probable, θ = c / N; of pairs, θ, θ₁ and θ₂.

    Parameters
    ----------
    data : a sequence of values, or of pairs of them; or a mapping of these to how often each was seen. The value that
        comes first is the one whose probability is estimated
    weight : how often each datum was seen, if data are a sequence

    >>> bernoulli_ml({"cherry": 3, "lime": 1}).theta
    0.75
    >>> candies = {("cherry", "red"): 6, ("cherry", "green"): 2, ("lime", "red"): 1, ("lime", "green"): 3}
    >>> wrappers = bernoulli_ml(candies)
    >>> round(wrappers.theta, 4), wrappers.thetas
    (0.6667, (0.75, 0.25))
    """
    if isinstance(data, Mapping):
        if weight is not None:
            raise InputTypeError("a mapping says how often each datum was seen, so it takes no weight")
        data, weight = list(data), list(data.values())
    if isinstance(data, (str, bytes)) or not hasattr(data, "__iter__"):
        raise InputTypeError(f"data are a sequence of observations, not {quoted(data)}")
    data = [tuple(x) if isinstance(x, (list, tuple, np.ndarray)) else (x,) for x in data]
    weights = as_weights(weight, len(data))
    if not data or not weights.sum() > 0:
        raise DataError("there are no data; give at least one observation")
    if len({len(x) for x in data}) > 1 or len(data[0]) > 2:
        raise DataError("data are values or pairs of values, all of one kind")
    sides = [_two_values([x[k] for x in data], k, len(data[0])) for k in range(len(data[0]))]
    counts = np.zeros([2] * len(sides))
    for x, w in zip(data, weights.tolist(), strict=True):
        counts[tuple(side.index(value) for side, value in zip(sides, x, strict=True))] += w
    if len(sides) == 2 and not counts.sum(axis=1).all():
        empty = sides[0][int(np.argmin(counts.sum(axis=1)))]
        raise DataError(f"{quoted(empty)} was never seen, so there is no share beside it")
    return ShareEstimate(sides[0], sides[1] if len(sides) > 1 else (), counts)


def _two_values(values: list[Any], k: int, n_sides: int) -> tuple[Any, Any]:
    found = list(dict.fromkeys(values))
    if len(found) != 2:
        where = f" in place {k + 1} of the pairs" if n_sides > 1 else ""
        raise DataError(f"there are {len(found)} values{where}, {listed(found)}; two are needed")
    return found[0], found[1]


@dataclass(frozen=True, eq=False)
class LineEstimate(ShowsWork):
    """A line with normal noise: y = θ₁x + θ₂, and σ."""

    x: Floats
    y: Floats
    slope: float
    intercept: float
    sigma: float

    @property
    def thetas(self) -> tuple[float, float]:
        """θ₁ and θ₂."""
        return self.slope, self.intercept

    @property
    def log_likelihood(self) -> float:
        """ln P(D | θ) at the estimates."""
        return float(-len(self.x) / 2.0 * (np.log(2.0 * np.pi * self.sigma**2) + 1.0))

    def _derive(self, options: WorkOptions) -> Work:
        return derive_line(self)


def line_ml(x: Any, y: Any) -> LineEstimate:
    """The line y = θ₁x + θ₂ with normal noise under which data are most probable: the line of least squares.

    >>> line = line_ml([0, 1, 2, 3], [1.0, 2.5, 5.5, 7.0])
    >>> round(line.slope, 6), round(line.intercept, 6), round(line.sigma, 6)
    (2.1, 0.85, 0.33541)
    """
    places, values = as_data(x), as_data(y)
    if len(places) != len(values):
        raise DataError(f"there are {len(places)} numbers in x and {len(values)} in y; give as many")
    spread = places - places.mean()
    if not spread @ spread > 0:
        raise DataError("all x are one number, and a line through one place has no slope")
    slope = float(spread @ (values - values.mean()) / (spread @ spread))
    intercept = float(values.mean() - slope * places.mean())
    left = values - slope * places - intercept
    sigma = float(np.sqrt(left @ left / len(left)))
    if not sigma > 1e-12 * float(np.abs(values).max()):
        raise DataError("all points lie on a line, and the likelihood has no largest value as σ goes to 0")
    return LineEstimate(places, values, slope, intercept, sigma)


@dataclass(frozen=True, eq=False)
class CrossEntropyEstimate(ShowsWork):
    """Among hypotheses that give probabilities, the one of the smallest cross-entropy with the targets."""

    names: tuple[Any, ...]
    probabilities: Floats  # (H, n)
    targets: Floats  # (n,)

    @property
    def log_likelihoods(self) -> dict[Any, float]:
        """ln P(D | h) by name."""
        logs = np.log(self.probabilities) @ self.targets + np.log1p(-self.probabilities) @ (1.0 - self.targets)
        return dict(zip(self.names, logs.tolist(), strict=True))

    @property
    def cross_entropies(self) -> dict[Any, float]:
        """−Σ (t ln h(x) + (1 − t) ln(1 − h(x))) by name."""
        return {name: -log for name, log in self.log_likelihoods.items()}

    @property
    def best(self) -> Any:
        """The name of the likeliest."""
        return max(self.names, key=self.log_likelihoods.__getitem__)

    def _derive(self, options: WorkOptions) -> Work:
        return derive_cross_entropy(self)


def cross_entropy_ml(probabilities: Any, targets: Any) -> CrossEntropyEstimate:
    """The likeliest of hypotheses that give the probability h(x) of t = 1: that of the smallest cross-entropy.

    Parameters
    ----------
    probabilities : what a hypothesis gives for each row, above 0 and below 1; or a mapping of names to these
    targets : t of each row, from 0 to 1

    >>> found = cross_entropy_ml({"h1": [0.9, 0.2, 0.6], "h2": [0.7, 0.4, 0.5]}, [1, 0, 1])
    >>> found.best, round(found.cross_entropies["h1"], 6)
    ('h1', 0.83933)
    """
    t = as_data(targets)
    if (t < 0).any() or (t > 1).any():
        raise DataError(f"targets go from {t.min():g} to {t.max():g}; they must be from 0 to 1")
    given = probabilities if isinstance(probabilities, Mapping) else {"h": probabilities}
    if not given:
        raise DataError("there are no hypotheses; give the probabilities of at least one")
    rows = []
    for name, values in given.items():
        h = as_numbers(values, f"the probabilities of {quoted(name)}")
        if h.shape != t.shape:
            raise DataError(f"{quoted(name)} has probabilities of shape {h.shape} for {len(t)} targets")
        require_finite(h, f"the probabilities of {quoted(name)}")
        if not ((h > 0) & (h < 1)).all():
            raise DataError(f"{quoted(name)} has {h.min():g} to {h.max():g}; probabilities must be above 0 and below 1")
        rows.append(h)
    return CrossEntropyEstimate(tuple(given), np.array(rows), t)
