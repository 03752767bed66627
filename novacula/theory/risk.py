"""Structural risk: of nested hypothesis spaces, the one whose empirical error plus bound is least.

    error(h) ≤ error_D(h) + ε(H, n, δ)        with probability at least 1 − δ

A larger space fits the examples better, and its bound is larger. By the size of the space ε is
√((ln|H| + ln(1/δ)) / (2n)) (Hoeffding); by its VC dimension d it is √((d (ln(2n/d) + 1) + ln(4/δ)) / n) (Vapnik).
With k spaces each bound is taken at δ/k, so that all of them hold together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from novacula.arguments import as_numbers, proportion, whole_number
from novacula.errors import ParameterError
from novacula.learner.figure import INK, LINES, Figure, curve_figure
from novacula.learner.showing import ShowsWork, WorkOptions
from novacula.learner.work import Work
from novacula.theory.bounds import pac_error
from novacula.theory.derivation.risk import derive_parts, derive_risk
from novacula.words import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class StructuralRisk(ShowsWork):
    """Nested spaces with their errors on the examples and their bounds, and which was chosen."""

    measure: str  # "size(H)" or "VC(H)"
    capacities: tuple[int, ...]
    empirical: tuple[float, ...]
    bounds: tuple[float, ...]
    n: int
    delta: float  # of each space

    @property
    def risks(self) -> tuple[float, ...]:
        """Empirical error and bound together, for each space."""
        return tuple(error + bound for error, bound in zip(self.empirical, self.bounds, strict=True))

    @property
    def chosen(self) -> int:
        """The number of the space with the least sum, from 1; ties go to the smallest."""
        return 1 + min(range(len(self.risks)), key=self.risks.__getitem__)

    def plot(self) -> Figure:
        """Draw error, bound and their sum over the spaces."""
        places = list(range(1, len(self.risks) + 1))
        curves = {"error on the examples": self.empirical, "bound": self.bounds, "together": self.risks}
        alt = (
            f"Error on the examples, bound and their sum for {len(places)} nested spaces; "
            f"the sum is least for space {self.chosen}."
        )
        where = "space, from the smallest"
        drawn = curve_figure(places, curves, title="Structural risk", xlabel=where, ylabel="error", alt=alt)

        def draw(axes: Axes) -> None:
            drawn.draw(axes)
            axes.set_xticks(places)
            axes.axvline(self.chosen, color=INK, linewidth=0.8, linestyle=LINES[3])
            least = (self.chosen, self.risks[self.chosen - 1])
            axes.annotate(f"chosen: space {self.chosen}", least, (6, 8), textcoords="offset points")

        return replace(drawn, draw=draw)

    def _derive(self, options: WorkOptions) -> Work:
        return derive_risk(self)


def structural_risk(
    empirical: Sequence[float],
    n: int,
    *,
    hypotheses: Sequence[int] | None = None,
    vc: Sequence[int] | None = None,
    delta: float = 0.05,
) -> StructuralRisk:
    """Choose among nested spaces by empirical error plus bound.

    `empirical` are the errors on n examples of the best hypothesis of each space, from the smallest space on, of
    which either `hypotheses`, the sizes, or `vc`, the VC dimensions, are given.

    >>> structural_risk([0.35, 0.2, 0.04, 0.03, 0.02], 1000, vc=[1, 2, 4, 16, 64]).chosen
    3
    """
    n, share = whole_number(n, "n", 1), float(proportion(delta, "delta"))
    errors = as_numbers(empirical, "the empirical errors")
    if (hypotheses is None) == (vc is None):
        raise ParameterError("give either hypotheses, the sizes of the spaces, or vc, their VC dimensions")
    measure, given = ("size(H)", hypotheses) if hypotheses is not None else ("VC(H)", vc)
    sizes = [whole_number(size, "a size of a space", 1) for size in given or ()]
    if errors.ndim != 1:
        raise ParameterError(f"the empirical errors have shape {errors.shape}; give one number a space")
    if len(errors) != len(sizes) or not len(sizes):
        verb = "does" if len(sizes) == 1 else "do"
        raise ParameterError(f"{counted(len(sizes), 'space')} {verb} not fit {counted(len(errors), 'empirical error')}")
    if not ((errors >= 0) & (errors <= 1)).all():
        raise ParameterError("empirical errors are shares of examples, from 0 to 1")
    if any(later < earlier for earlier, later in pairwise(sizes)):
        raise ParameterError("the spaces are nested: none is smaller than the one before")
    if any(later > earlier for earlier, later in pairwise(errors.tolist())):
        raise ParameterError("the spaces are nested: the best of a larger one has no larger error on the examples")
    part = share / len(sizes)
    if measure == "VC(H)" and sizes[-1] > n:
        raise ParameterError(f"a VC dimension of {sizes[-1]} is above the {n} examples, for which there is no bound")
    bounds = [_vapnik(size, n, part) if measure == "VC(H)" else _hoeffding(size, n, part) for size in sizes]
    return StructuralRisk(measure, tuple(sizes), tuple(errors.tolist()), tuple(bounds), n, part)


def _hoeffding(size: int, n: int, delta: float) -> float:
    return float(pac_error(n, size, delta, consistent=False))


def _vapnik(d: int, n: int, delta: float) -> float:
    return math.sqrt((d * (math.log(2 * n / d) + 1) + math.log(4 / delta)) / n)


@dataclass(frozen=True)
class ErrorParts(ShowsWork):
    """Why a hypothesis errs: noise, what its space cannot express, and what the examples did not tell."""

    error: float
    best_in_space: float
    noise: float

    @property
    def approximation(self) -> float:
        """By how much the best hypothesis of the space is worse than the best of all."""
        return self.best_in_space - self.noise

    @property
    def estimation(self) -> float:
        """By how much the hypothesis is worse than the best of its space."""
        return self.error - self.best_in_space

    def _derive(self, options: WorkOptions) -> Work:
        return derive_parts(self)


def error_parts(error: float, best_in_space: float, noise: float = 0.0) -> ErrorParts:
    """Take an error apart: noise, approximation error and estimation error.

    `error` is that of the hypothesis on all instances, `best_in_space` the least of its hypothesis space, and `noise`
    the least of all functions.

    >>> parts = error_parts(0.25, best_in_space=0.125)
    >>> parts.approximation, parts.estimation
    (0.125, 0.125)
    """
    values: dict[str, Any] = {"noise": noise, "best_in_space": best_in_space, "error": error}
    for name, value in values.items():
        if isinstance(value, (bool, str)) or not 0 <= value <= 1:
            raise ParameterError(f"{name} is {value!r}; it must be a share of instances, from 0 to 1")
    if not noise <= best_in_space <= error:
        raise ParameterError("no hypothesis is better than the best of its space, and none than the noise")
    return ErrorParts(float(error), float(best_in_space), float(noise))
