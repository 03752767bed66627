"""Derivatives by central differences, for functions that come without, and to check those that come with.

    f'(x) ≈ (8 (f(x+h) − f(x−h)) − (f(x+2h) − f(x−2h))) / 12h        with h = ε^(1/5) · max(1, |x|)

Five points leave an error of h⁴, so h can be large and rounding, ε/h, small: about 12 digits where two points
give 10. The price is four evaluations per coordinate.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from novacula.arguments import Floats, as_numbers, as_point, positive_number, read_only
from novacula.errors import ParameterError
from novacula.learner.showing import ShowsWork, WorkOptions
from novacula.learner.work import Work
from novacula.optimize.derivation.checks import derive_gradient_check

STEP = float(np.finfo(np.float64).eps ** 0.2)
SHRINK = (1.0, 1e-2, 1e-4)
"""Shorter steps are tried where the function is not defined around a point, as the logarithm near 0."""
NEGLIGIBLE = 1e-3
"""An entry below this share of the largest one is judged by that share: its own digits are rounding."""


def central_differences(function: Callable[[Floats], Any], x: Floats) -> Floats:
    """The derivative of a function at x (d,): shape (d,) for one number, (m, d) for m numbers.

    >>> central_differences(lambda x: x[0] ** 2 * x[1], np.array([3.0, 2.0])).round(9)
    array([12.,  9.])
    """
    return np.stack([along_axis(function, x, j) for j in range(len(x))], axis=-1)


def along_axis(function: Callable[[Floats], Any], x: Floats, j: int) -> Floats:
    """The derivative to the j-th coordinate; not finite if the function is not, however close to x."""
    return five_points(function, x, j).slope


@dataclass(frozen=True, eq=False)
class FivePoints:
    """What a function gives around a point along one axis, h apart."""

    h: float
    values: Floats  # (4, …): at x + h, x − h, x + 2h, x − 2h

    @property
    def slope(self) -> Floats:
        """The derivative there."""
        ahead, behind, far_ahead, far_behind = self.values
        return np.asarray((8 * (ahead - behind) - (far_ahead - far_behind)) / (12 * self.h))


def five_points(function: Callable[[Floats], Any], x: Floats, j: int) -> FivePoints:
    """The values around x along the j-th axis, closer where the function is not defined further away."""
    for shrink in SHRINK:
        h = STEP * shrink * max(1.0, abs(x[j]))
        h = float((x[j] + h) - x[j])  # what the sum really adds
        points = FivePoints(h, np.array([moved(function, x, j, reach) for reach in (h, -h, 2 * h, -2 * h)]))
        with np.errstate(all="ignore"):
            if np.isfinite(points.slope).all():
                break
    return points


def moved(function: Callable[[Floats], Any], x: Floats, j: int, reach: float) -> Floats:
    """What the function gives at a point that is moved along one axis."""
    place = x.copy()
    place[j] += reach
    with np.errstate(all="ignore"):
        return np.asarray(function(read_only(place)), np.float64)


@dataclass(frozen=True)
class GradientCheck(ShowsWork):
    """A derivative compared with its central differences: the worst entry, and how far off it is."""

    worst: tuple[int, ...]  # (coordinate,) of a gradient; (row, coordinate) of a Jacobian or Hessian
    error: float  # |given − differences| there, relative to the larger of them
    given: Floats = field(repr=False)
    differences: Floats = field(repr=False)
    tol: float
    floor: float = field(repr=False)  # what entries are at least taken for, when errors are made relative
    points: FivePoints = field(repr=False)  # around x, along the coordinate that is worst

    @property
    def passed(self) -> bool:
        """Whether all entries agree within the tolerance."""
        return self.error <= self.tol

    def _derive(self, options: WorkOptions) -> Work:
        return derive_gradient_check(self)

    def __str__(self) -> str:
        verdict = "agrees with" if self.passed else "differs from"
        place = self.worst[0] if len(self.worst) == 1 else self.worst
        return (
            f"The derivative {verdict} central differences: worst at {place}, "
            f"given {self.given[self.worst]:.9g}, differences {self.differences[self.worst]:.9g}, "
            f"relative error {self.error:.2g} (tolerance {self.tol:g})."
        )


def check_gradient(
    function: Callable[[Floats], Any],
    derivative: Callable[[Floats], Any],
    x: npt.ArrayLike,
    *,
    tol: float = 1e-6,
) -> GradientCheck:
    """Compare a derivative at x with central differences of its function.

    A function that gives one number is checked against its gradient (d,), one that gives m numbers against its
    Jacobian (m, d). A Hessian is the Jacobian of the gradient: `check_gradient(gradient, hessian, x)`.

    >>> import numpy as np
    >>> check = check_gradient(lambda x: x[0] ** 2 * x[1], lambda x: [2 * x[0] * x[1], x[0]], [3.0, 2.0])
    >>> print(check)
    The derivative differs from central differences: worst at 1, given 3, differences 9, relative error 0.67
    (tolerance 1e-06).
    """
    tol, point = positive_number(tol, "tol"), as_point(x, "x")
    values = as_numbers(function(point), "what the function gives")
    claimed = as_numbers(derivative(point), "what the derivative gives")
    measured = central_differences(function, point)
    if claimed.shape != measured.shape:
        raise ParameterError(
            f"the derivative has shape {claimed.shape}; a function that gives shape {values.shape} "
            f"at a point of {len(point)} coordinates has a derivative of shape {measured.shape}"
        )
    for what, array in (("function", values), ("derivative", claimed), ("function around it", measured)):
        if not np.isfinite(array).all():
            raise ParameterError(f"the {what} is not finite at x; check it at a point where it is defined")
    size = np.maximum(np.abs(claimed), np.abs(measured))
    floor = max(NEGLIGIBLE * size.max(), 1e-6 * np.abs(values).max(), np.finfo(float).tiny)
    errors = np.abs(claimed - measured) / np.maximum(size, floor)
    worst = tuple(int(i) for i in np.unravel_index(int(errors.argmax()), errors.shape))
    around = five_points(function, point, worst[-1])
    return GradientCheck(worst, float(errors[worst]), claimed, measured, tol, float(floor), around)
