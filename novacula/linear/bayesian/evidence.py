"""Both precisions by type II maximum likelihood: those under which the rows were most probable.

    w ~ N(m₀, (αΛ₀)⁻¹),  y ~ N(b + Xw, σ²),  r = ασ²

For a given ratio r the best σ² is E/n, where E is what misfit and penalty come to at the posterior mean, and n the
rows less one for a flat intercept. So the evidence is a function of r alone. In the directions in which Λ₀⁻¹ᐟ²SΛ₀⁻¹ᐟ²
is diagonal, with values λ and Xᵀy along them c, it costs d steps:

    ln p(y) = ½ (Σ ln r/(λ + r) − n ln 2πE/n − n) + const,   E = yᵀy − Σ c²/(λ + r)

Its derivative by ln r vanishes where α = γ/Δ and σ² = misfit/(n − γ): MacKay's equations, with γ = Σ λ/(λ + r) and
Δ = (m − m₀)ᵀΛ₀(m − m₀). They may have several solutions, so a grid finds the best, and Newton's steps its digits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from scipy import linalg

from novacula.errors import DataError
from novacula.learner.iterate import ROUNDING, Monitor, Outcome, Run, iterate
from novacula.learner.trace import FitPath, PathRecorder
from novacula.linear.bayesian.posterior import EXACT
from novacula.linear.bayesian.prior import WeightPrior
from novacula.linear.solve import EPS, NormalEquations
from novacula.state import State, record
from novacula.table.chunk import Floats

WIDEST, NARROWEST, TRIED = 1e-15, 1e10, 200
"""Ratios that are tried, over the largest value: from where a prior is nothing to where it is all."""
SOLVABLE = 1e-9
"""The least that a direction may have of the largest for the posterior to be solved from sums."""
LEAST, LARGEST = 1e-90, 1e100
"""What rows may say of a direction: cubes of it, and of shares of it, must neither vanish nor overflow."""


@dataclass(frozen=True)
class EvidenceProfile:
    """The evidence as a function of the ratio r, with the best noise variance for each."""

    values: Floats  # (d,), λ
    along: Floats  # (d,), c²
    total: float  # yᵀy about the prior mean's plane
    count: float  # n
    constant: float  # what the intercept adds

    @classmethod
    def of(cls, system: NormalEquations, prior: WeightPrior) -> Self:
        """Turn the sums so that they are diagonal; the prior must be definite."""
        lower = linalg.cholesky(prior.precision, lower=True)
        half = _solve_lower(lower, system.gram)
        values, vectors = np.linalg.eigh(_solve_lower(lower, half.T))
        gap = system.cross[:, 0] - system.gram @ prior.mean
        along = (vectors.T @ _solve_lower(lower, gap[:, None])[:, 0]) ** 2
        informed = values > len(values) * EPS * values.max()
        squares = float(system.squares[-1])
        total = squares - float(prior.mean @ (system.cross[:, 0] + gap))
        if not (total > 0.0 and values.max() < LARGEST):
            raise DataError("the sums of the rows overflow beside prior_precision and prior_mean: scale the columns")
        if 0.0 < values.max() < LEAST:
            raise DataError("the sums of the rows vanish beside prior_precision: multiply the columns by some unit")
        if EXACT * total < np.finfo(float).tiny:
            what = f"the squares of the target sum to {total:.3g}, too little to tell its noise from"
            raise DataError(f"{what}: multiply the target by some unit")
        pivot = 0.0 if math.isinf(prior.intercept) else -math.log(system.weight + prior.intercept)
        proper = 0.0 < prior.intercept < math.inf
        return cls(
            np.where(informed, values, 0.0),
            np.where(informed, along, 0.0),
            total + EXACT * squares,  # keeps E positive where a plane meets every target
            system.weight - int(prior.intercept == 0.0),
            0.5 * (pivot + (math.log(prior.intercept) if proper else 0.0)),
        )

    def noise(self, ratio: Any) -> Any:
        """The best noise variance, E/n, of one ratio or of each; E is positive, whatever rounding leaves of it."""
        energy = self.total - (self.along / self._sums(ratio)).sum(axis=-1)
        return np.maximum(energy, EXACT * self.total) / self.count

    def determined(self, ratio: Any) -> Any:
        """γ, the number of weights that the rows rather than the prior determine."""
        return (self.values / self._sums(ratio)).sum(axis=-1)

    def log_evidence(self, ratio: float) -> float:
        """ln p(y) at the best noise variance."""
        narrowed = float(np.log1p(self.values / ratio).sum())
        return self.constant - 0.5 * (narrowed + self.count * (math.log(2.0 * math.pi * self.noise(ratio)) + 1.0))

    def slope(self, ratio: Any) -> Any:
        """The derivative of the evidence by ln r, of one ratio or of each."""
        return 0.5 * (self.determined(ratio) - self.count * self._pull(ratio))

    def bend(self, ratio: float) -> float:
        """The second derivative."""
        sums, pull = self._sums(ratio), self._pull(ratio)
        bend = 2.0 * ratio**2 * (self.along / sums**3).sum() / (self.count * self.noise(ratio))
        spread = (self.values * ratio / sums**2).sum()
        return float(-0.5 * (spread + self.count * (pull - bend - pull**2)))

    def _sums(self, ratio: Any) -> Floats:
        """λ + r, of each ratio a row."""
        return np.add.outer(ratio, self.values)

    def _pull(self, ratio: Any) -> Any:
        """∂ ln E / ∂ ln r."""
        return ratio * (self.along / self._sums(ratio) ** 2).sum(axis=-1) / (self.count * self.noise(ratio))


def _solve_lower(lower: Floats, right: Floats) -> Floats:
    """L⁻¹R by BLAS: LAPACK's `trtrs` wakes threads for the smallest system, and waits for them where others work."""
    return np.asarray(linalg.blas.dtrsm(1.0, lower, right, lower=1))


@dataclass(frozen=True)
class Search:
    """A logarithm of the ratio, and the bracket in which the evidence has its maximum."""

    place: float
    low: float
    high: float


@dataclass(frozen=True)
class EvidenceTrace:
    """The way of the search: logarithms of the ratio with their brackets, three numbers for each step."""

    state: ClassVar[State] = {"path": record(FitPath, m=3)}

    path: FitPath

    @staticmethod
    def recorder() -> PathRecorder:
        """What notes it while the search runs."""
        return PathRecorder(lambda search: np.array([search.place, search.low, search.high]))


def maximise_evidence(
    profile: EvidenceProfile, max_iter: int, tol: float, monitor: Monitor[Search] | None = None
) -> tuple[float, Run[Search]]:
    """The ratio of greatest evidence, and how it was found; STALLED where the evidence grows without end."""
    top = profile.values.max()
    if top == 0.0:  # no column varies: nothing is said of the weights, and α stays 1
        ratio = profile.noise(1.0)
        place = Search(math.log(ratio), -math.inf, math.inf)
        if monitor is not None:
            monitor(0, profile.log_evidence(ratio), place)
        return ratio, Run(place, (profile.log_evidence(ratio),), Outcome.CONVERGED)
    lowest = WIDEST if profile.values.min() > SOLVABLE * top else SOLVABLE
    start = best_bracket(profile, np.linspace(math.log(lowest * top), math.log(NARROWEST * top), TRIED))

    def step(search: Search) -> tuple[Search | Outcome, float]:
        return newton_step(profile, search, tol), profile.log_evidence(math.exp(search.place))

    run = iterate(step, start, max_iter=max_iter, tol=None, direction="up", monotone=True, monitor=monitor)
    return math.exp(run.params.place), run


def best_bracket(profile: EvidenceProfile, places: Floats) -> Search:
    """Between neighbours of a grid where the slope turns from up to down; an end where it never does."""
    rises = profile.slope(np.exp(places)) > 0.0
    searches = [
        Search((places[i] + places[i + 1]) / 2.0, places[i], places[i + 1])
        for i in np.flatnonzero(rises[:-1] & ~rises[1:])
    ]
    if rises[-1]:
        searches.append(Search(places[-1], places[-1], places[-1]))
    if not rises[0]:
        searches.append(Search(places[0], places[0], places[0]))
    return max(searches, key=lambda search: profile.log_evidence(math.exp(search.place)))


def newton_step(profile: EvidenceProfile, search: Search, tol: float) -> Search | Outcome:
    """Newton's step for the slope, halved where it leaves the bracket; and halved until the evidence does not fall."""
    if search.low == search.high:
        return Outcome.STALLED
    ratio = math.exp(search.place)
    slope, bend = float(profile.slope(ratio)), profile.bend(ratio)
    low, high = (search.place, search.high) if slope > 0.0 else (search.low, search.place)
    following = search.place - slope / bend if bend < 0.0 else math.inf
    if not low <= following <= high:
        following = (low + high) / 2.0
    reached = profile.log_evidence(ratio)
    while profile.log_evidence(math.exp(following)) < reached - ROUNDING * abs(reached):
        following = (search.place + following) / 2.0
    if abs(following - search.place) <= tol:
        return Outcome.CONVERGED
    return Search(following, low, high)
