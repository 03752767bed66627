"""A posterior of one or two numbers on a grid, for priors and likelihoods of any form.

    p(θ | D) ∝ f(θ) · Π p(d | θ)

The range of θ is cut into equal cells, and the density is taken at the middle of each: no density is evaluated at an
end, where it may be infinite. Where the posterior is narrow, a finer grid is laid over what counts of it.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Self, TypeAlias

import numpy as np

from novacula.arguments import as_matrix, as_numbers, positive_number, whole_number
from novacula.bayes.density_figures import density_figure, map_figure
from novacula.bayes.derivation.grid import derive_grid, derive_next_datum
from novacula.bayes.grid import PosteriorGrid, as_bounds
from novacula.bayes.probabilities import as_weights, log_sum, logarithm
from novacula.errors import DataError, DataWarning, InputTypeError, ParameterError, warn_user
from novacula.learner.figure import Figure
from novacula.learner.showing import ShowsWork, WorkOptions
from novacula.learner.work import Work
from novacula.table.chunk import Floats
from novacula.words import counted, quoted

Density: TypeAlias = Callable[..., Any]

POINTS = (2000, 300)
"""Cells an axis, for one and for two numbers."""
_EDGE = 1e-3  # share of the largest density that may stand at an end of the grid


class GridPosterior(ShowsWork):
    """What is believed of one or two numbers θ, with any prior density and any likelihood.

    Parameters
    ----------
    f : callable
        The prior density `f(θ)`, or `f(θ₁, θ₂)`, up to a constant factor. It is called with arrays.
    likelihood : callable
        `likelihood(θ, datum)`, or `likelihood(θ₁, θ₂, datum)`: the probability or density of one datum, for arrays θ.
    bounds : pair, or two pairs
        Where θ is looked for: (low, high), or one such pair for each of two numbers.
    points : int, default=None
        Cells an axis: by default 2000 for one number, 300 for each of two.
    log : bool, default=False
        Whether both functions give natural logarithms.
    closed : bool, default=False
        Whether θ can be nowhere but within the bounds, such as a probability between 0 and 1. Otherwise a posterior
        that has not died away at an end of the grid is warned of.

    Examples
    --------
    >>> coin = GridPosterior(lambda θ: θ * (1 - θ), lambda θ, x: θ if x else 1 - θ, (0, 1), closed=True)
    >>> after = coin.update([1, 1, 0, 1])
    >>> round(after.mean, 6), round(after.map, 6), round(after.predictive(1), 6)
    (0.625, 0.666667, 0.625)
    """

    def __init__(
        self,
        f: Density,
        likelihood: Density,
        bounds: Sequence[Any],
        points: int | None = None,
        log: bool = False,
        closed: bool = False,
    ) -> None:
        for name, function in (("f", f), ("likelihood", likelihood)):
            if not callable(function):
                raise InputTypeError(f"{name} is {quoted(function)}; it must be a function")
        self.f, self.likelihood, self.log, self.closed = f, likelihood, log, closed
        ends = as_bounds(bounds)
        cells = POINTS[len(ends) - 1] if points is None else whole_number(points, "points", least=10)
        self.coarse = PosteriorGrid(ends, cells)
        self.before: GridPosterior | None = None  # what was believed before the last update
        self.data: tuple[Any, ...] = ()
        self.weight = np.empty(0)
        prior = self._log_prior(self.coarse)
        if log_sum(prior) == -math.inf:
            raise ParameterError("f is 0 everywhere within the bounds; widen them or correct f")
        self.log_constant = log_sum(prior) + self.coarse.log_cell  # ∫ f, so that f need not be normalised
        self.log_joint = prior - self.log_constant  # on the coarse grid

    @classmethod
    def of_unit(
        cls,
        X: Any,
        t: Any,
        alpha: float = 0.1,
        bounds: Sequence[Any] = ((-10, 10), (-10, 10)),
        points: int | None = None,
    ) -> Self:
        """What is believed of the two weights of a sigmoid unit, P(t = 1 | x, w) = 1 / (1 + e^−(w₁x₁ + w₂x₂)).

        Before the examples (X with two columns, t of 0 and 1) each weight is normal, of variance 1 / alpha.

        >>> GridPosterior.of_unit([[1, 0], [0, 1]], [1, 0], points=100).mean.round(2).tolist()
        [2.19, -2.19]
        """
        rows, labels = as_matrix(X, "X", 2), as_numbers(t, "t").reshape(-1)
        if len(rows) != len(labels):
            raise DataError(
                f"there are {counted(len(rows), 'row')} in X and {counted(len(labels), 'label')} in t; give as many"
            )
        strange = np.flatnonzero(~np.isin(labels, (0, 1)))
        if len(strange):
            raise DataError(f"t has {labels[strange[0]]:g} in place {strange[0] + 1}; labels are 0 and 1")
        strength = positive_number(alpha, "alpha")
        empty = cls(
            lambda first, second: -0.5 * strength * (first**2 + second**2),
            lambda first, second, row: -np.logaddexp(0.0, -row[2] * (first * row[0] + second * row[1])),
            bounds,
            points,
            log=True,
            closed=True,
        )
        return empty.update(np.column_stack([rows, 2.0 * labels - 1.0]).tolist())

    def update(self, data: Any, weight: Any = None) -> Self:
        """The posterior after more data, a sequence; `weight` says how often each datum was seen."""
        if isinstance(data, str) or not hasattr(data, "__iter__"):
            raise InputTypeError(f"data are a sequence of observations: put {quoted(data)} in a list")
        new = list(data)
        if not new:
            raise DataError("there are no data; give at least one observation")
        weights = as_weights(weight, len(new))
        after = copy.copy(self)
        for derived in ("_fine", "probabilities"):
            vars(after).pop(derived, None)
        after.before = self
        after.data, after.weight = (*self.data, *new), np.concatenate([self.weight, weights])
        after.log_joint = self.log_joint + self._log_likelihood(self.coarse, new, weights)
        if log_sum(after.log_joint) == -math.inf:
            raise DataError("no θ within the bounds explains the data: the posterior is 0 everywhere")
        if not self.closed:
            warn_of_edges(after.coarse, after.log_joint)
        return after

    @cached_property
    def _fine(self) -> tuple[PosteriorGrid, Floats]:
        """A grid on which the posterior is not narrow, and the log of its density times p(D) there."""
        grid, logs = self.coarse, self.log_joint
        while (finer := grid.around(logs)) != grid:
            grid, logs = finer, self._log_joint(finer)
        return grid, logs

    # --- what is believed --------------------------------------------------------------------------------------------

    @property
    def grid(self) -> PosteriorGrid:
        """The cells on which the posterior is held."""
        return self._fine[0]

    @cached_property
    def probabilities(self) -> Floats:
        """The probability of each cell: (points,), or (points, points)."""
        return np.asarray(np.exp(self._fine[1] - log_sum(self._fine[1])))

    @property
    def density(self) -> Floats:
        """The posterior density at the middle of each cell."""
        return np.asarray(self.probabilities / math.exp(self.grid.log_cell))

    @property
    def log_prior(self) -> Floats:
        """ln p(θ) at the middle of each cell, with f normalised over the bounds."""
        return self._log_prior(self.grid) - self.log_constant

    @property
    def log_likelihood(self) -> Floats:
        """ln P(D | θ) at the middle of each cell."""
        return self._log_likelihood(self.grid, self.data, self.weight)

    def log_likelihood_of(self, x: Any) -> Floats:
        """ln p(x | θ) of one datum at the middle of each cell."""
        return self._log_likelihood(self.grid, [x], np.ones(1))

    def prior_at(self, point: Sequence[float]) -> float:
        """f at one point, as it is given."""
        value = float(np.ravel(self.f(*(np.array([x]) for x in point)))[0])
        return math.exp(value) if self.log else value

    def log_likelihoods_at(self, point: Sequence[float]) -> Floats:
        """ln p(d | θ) of each datum at one point."""
        at = [np.array([x]) for x in point]
        values = np.array([np.ravel(self.likelihood(*at, datum))[0] for datum in self.data], np.float64)
        return values if self.log else logarithm(values)

    @property
    def log_evidence(self) -> float:
        """ln p(D) = ln ∫ f(θ) · Π p(d | θ) dθ, with f normalised over the bounds."""
        return log_sum(self._fine[1]) + self.grid.log_cell

    @property
    def evidence(self) -> float:
        """p(D); it may underflow where `log_evidence` does not."""
        return math.exp(self.log_evidence)

    @property
    def mean(self) -> Any:
        """The posterior mean of θ."""
        return self._shaped([float(axis @ share) for axis, share in self._marginals])

    @property
    def std(self) -> Any:
        """The posterior standard deviation of θ."""
        return self._shaped([math.sqrt((axis - axis @ share) ** 2 @ share) for axis, share in self._marginals])

    @property
    def map(self) -> Any:
        """The most probable θ, looked for once more in the cells about the highest."""
        close = self.grid.near(self.grid.peak(self._fine[1]))
        return self._shaped(close.peak(self._log_joint(close)))

    def spikes(self, least: float = 0.01) -> list[tuple[Any, float]]:
        """Where the density is higher than all around, with its height there, the highest first.

        `least` is the share of the largest height from which a spike counts; a plateau is one spike.
        """
        found = self.grid.tops(self.density, positive_number(least, "least"))
        return [(self._shaped(place), height) for place, height in found]

    def credible_interval(self, level: float = 0.95) -> Any:
        """Where θ lies with probability `level`, with equal tails: (low, high), or of each number on its own (2, 2)."""
        tail = (1.0 - positive_number(level, "level", below=1.0)) / 2.0
        found = []
        for (low, high), (_, share) in zip(self.grid.bounds, self._marginals, strict=True):
            edges, below = np.linspace(low, high, self.grid.points + 1), np.concatenate([[0.0], np.cumsum(share)])
            found.append(np.interp([tail, 1.0 - tail], below / below[-1], edges))
        return tuple(found[0].tolist()) if len(found) == 1 else np.array(found)

    def predictive(self, x: Any) -> float:
        """The probability or density of one datum to come: ∫ p(x | θ) · p(θ | D) dθ."""
        return math.exp(log_sum(self.log_likelihood_of(x) + logarithm(self.probabilities)))

    # --- to see ------------------------------------------------------------------------------------------------------

    def plot(self) -> Figure:
        """The densities before and after, or for two numbers a map of the posterior."""
        if self.grid.n_dimensions == 2:
            return map_figure(self.grid, self.density, len(self.data))
        return density_figure(self.grid.axes[0], np.exp(self.log_prior), self.density, len(self.data))

    def _derive(self, options: WorkOptions) -> Work:
        """Bayes' theorem at a cell, the evidence, the mean and the spread."""
        return derive_grid(self)

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        """What is predicted for a datum."""
        return derive_next_datum(self, X)

    def __repr__(self) -> str:
        where = " × ".join(f"[{low:g}, {high:g}]" for low, high in self.coarse.bounds)
        return f"<GridPosterior on {where}, {self.coarse.points} cells per axis, {len(self.data)} data>"

    # --- how ---------------------------------------------------------------------------------------------------------

    @property
    def _marginals(self) -> list[tuple[Floats, Floats]]:
        """For each number its places, and the probability of each."""
        return list(zip(self.grid.axes, self.grid.marginals(self.probabilities), strict=True))

    def _shaped(self, values: list[float]) -> Any:
        return values[0] if len(values) == 1 else np.array(values)

    def _log_joint(self, grid: PosteriorGrid) -> Floats:
        return self._log_prior(grid) - self.log_constant + self._log_likelihood(grid, self.data, self.weight)

    def _log_prior(self, grid: PosteriorGrid) -> Floats:
        return self._logs(grid, self.f, (), "f")

    def _log_likelihood(self, grid: PosteriorGrid, data: Sequence[Any], weight: Floats) -> Floats:
        """Σ ln p(d | θ) on a grid."""
        total = np.zeros(grid.shape)
        for i, (x, w) in enumerate(zip(data, weight.tolist(), strict=True)):
            if w > 0:
                total += w * self._logs(grid, self.likelihood, (x,), f"the likelihood of datum {i + 1}, {quoted(x)},")
        return total

    def _logs(self, grid: PosteriorGrid, function: Density, datum: tuple[Any, ...], what: str) -> Floats:
        """What a function of θ and perhaps of a datum gives, as logarithms on a grid."""
        try:
            given = np.asarray(function(*grid.mesh, *datum), np.float64)
        except (TypeError, ValueError) as error:
            raise InputTypeError(
                f"{what} fails for θ as an array ({error}); write it with NumPy's functions"
            ) from error
        if given.shape not in ((), grid.shape):
            raise ParameterError(f"{what} gave shape {given.shape} for θ of shape {grid.shape}; it must work on arrays")
        if np.isnan(given).any() or (given == np.inf).any() or (not self.log and (given < 0).any()):
            raise ParameterError(f"{what} is negative, infinite or NaN within the bounds; narrow them or correct it")
        return np.broadcast_to(given if self.log else logarithm(given), grid.shape)


def warn_of_edges(grid: PosteriorGrid, log_joint: Floats) -> None:
    """Warn where the posterior is not small at an end of the grid."""
    masses = np.exp(log_joint - log_joint.max())
    for k, share in enumerate(grid.marginals(masses)):
        for end, value in zip(grid.bounds[k], (share[0], share[-1]), strict=True):
            if value > _EDGE * share.max():
                which = f" of number {k + 1}" if grid.n_dimensions == 2 else ""
                warn_user(
                    f"the posterior has not died away at {end:g}, an end of the grid{which}, where it is "
                    f"{value / share.max():.2g} of its largest: widen the bounds, or say closed=True if θ "
                    f"cannot be beyond them",
                    DataWarning,
                )
