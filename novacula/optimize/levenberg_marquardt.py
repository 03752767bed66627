"""Levenberg–Marquardt: nonlinear least squares, ½ Σ rᵢ(x)².

    (JᵀJ + μ D²) δ = −Jᵀr        x ← x + δ

With a small μ it is the Gauss–Newton step, with a large one a short step of descent. The gain ratio, what the step
won over what the linear model promised, decides: a step that won nothing is refused and μ grows, a good one lowers
μ (Nielsen's rule). D holds the largest column norms of J so far, so the units of variables do not matter (Moré).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from novacula.arguments import (
    Floats,
    as_numbers,
    as_point,
    positive_number,
    read_only,
)
from novacula.errors import ParameterError
from novacula.learner.iterate import Outcome
from novacula.optimize.differences import central_differences
from novacula.optimize.objective import CountedObjective, DescentPoint, Function
from novacula.optimize.result import Result
from novacula.optimize.trace import Halt, follow

ROUNDING = 1e-14
"""The share of a sum of squares below which a gain cannot be seen in it."""
REFUSALS = 80
"""Refused steps in a row, after which μ has grown beyond all measure."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Damped(DescentPoint):
    """A point with residuals (m,), their Jacobian (m, d), the scale D (d,) and the damping μ."""

    residuals: Floats
    jacobian: Floats
    scale: Floats
    damping: float

    def is_settled(self, tol: float) -> bool:
        """Whether the gradient vanishes, or the residuals are orthogonal to all columns of the Jacobian."""
        size = float(np.linalg.norm(self.residuals))
        cosines = np.abs(self.gradient) <= tol * np.linalg.norm(self.jacobian, axis=0) * size
        return super().is_settled(tol) or bool(cosines.all())


@dataclass(frozen=True, eq=False)
class DampedSystem:
    """J D⁻¹ = U S Vᵀ, which gives the step for any damping, δ = −D⁻¹ V (S² + μ)⁻¹ S Uᵀr.

    It costs min(m, d)² · max(m, d), and squares no J, which would lose half the digits.
    """

    singular: Floats  # (k,), those above rounding
    turned: Floats  # (k,), Uᵀr
    directions: Floats  # (k, d), Vᵀ D⁻¹

    @classmethod
    def at(cls, point: Damped) -> Self:
        """The system of a point."""
        left, singular, right = np.linalg.svd(point.jacobian / point.scale, full_matrices=False)
        kept = singular > np.finfo(float).eps * max(point.jacobian.shape) * singular.max()
        return cls(singular[kept], point.residuals @ left[:, kept], right[kept] / point.scale)

    def move(self, damping: float) -> Floats:
        """The step δ."""
        return -(self.turned * self.singular / (self.singular**2 + damping)) @ self.directions


class Residuals:
    """The residuals and their Jacobian as functions of x, checked and counted."""

    def __init__(self, residuals: Function, jacobian: Function | None, x0: Floats) -> None:
        self.residuals, self.jacobian = residuals, jacobian
        self.objective = CountedObjective(self.half_square, size=len(x0))
        self.n_residuals = len(np.atleast_1d(np.asarray(residuals(x0))))

    def half_square(self, x: Floats) -> float:
        """The objective."""
        r = self.at(x)
        return float(r @ r) / 2

    def at(self, x: Floats) -> Floats:
        """The residuals at x."""
        with np.errstate(all="ignore"):
            r = np.atleast_1d(as_numbers(self.residuals(x), "what residuals gives"))
        if r.shape != (self.n_residuals,):
            raise ParameterError(f"residuals gave shape {r.shape}, and at the start {self.n_residuals} numbers")
        return r

    def point(self, x: Floats, before: Damped | None, damping: float, step: float = 0.0) -> Damped:
        """The point at x, where the residuals are finite."""
        self.objective.n_gradients += 1
        r, J = self.at(x), self.derivative(x)
        norms = np.hypot.reduce(J, axis=0)  # which does not overflow on the way
        scale = np.maximum(norms, before.scale) if before is not None else np.where(norms > 0, norms, 1.0)
        return Damped(x, float(r @ r) / 2, J.T @ r, step, residuals=r, jacobian=J, scale=scale, damping=damping)

    def derivative(self, x: Floats) -> Floats:
        """The Jacobian at x, shape (m, d)."""
        if self.jacobian is None:
            J = central_differences(self.at, x)
            self.objective.n_values += 4 * len(x)
        else:
            J = as_numbers(self.jacobian(x), "what jacobian gives")
        if J.shape != (self.n_residuals, len(x)):
            raise ParameterError(f"jacobian has shape {J.shape}; it must have shape ({self.n_residuals}, {len(x)})")
        if not np.isfinite(J).all():
            i, j = np.argwhere(~np.isfinite(J))[0].tolist()
            raise ParameterError(
                f"jacobian is {J[i, j]} in row {i + 1}, column {j + 1}, where residuals are finite: correct it"
            )
        return J


def levenberg_marquardt(
    residuals: Function,
    jacobian: Function | None,
    x0: npt.ArrayLike,
    *,
    damping: float = 1e-3,
    tol: float = 1e-8,
    max_iter: int = 1000,
    keep_path: bool = True,
) -> Result:
    """Minimise half the sum of squared residuals from x0.

    `residuals(x)` gives m numbers, `jacobian(x)` their derivatives (m, d); None stands for central differences of
    four evaluations per coordinate. `value` is ½ Σ r², and `steps` are the lengths of the steps. It has converged
    when ‖Jᵀr‖ ≤ tol · max(1, ½ Σ r²), or when the residuals are orthogonal to every column of J up to a cosine of
    tol. A Jacobian without full rank does no harm: the damping makes each step unique.

    >>> found = levenberg_marquardt(lambda x: [10 * (x[1] - x[0] ** 2), 1 - x[0]], None, [-1.2, 1.0])
    >>> found.x.round(9), found.converged
    (array([1., 1.]), True)
    """
    start = as_point(x0)
    problem = Residuals(residuals, jacobian, start)
    problem.objective.start(start)
    return follow(
        "Levenberg–Marquardt",
        problem.objective,
        lambda point: damped_step(problem, point),
        problem.point(start, None, positive_number(damping, "damping")),
        tol=tol,
        max_iter=max_iter,
        keep_path=keep_path,
    )


def damped_step(problem: Residuals, point: Damped) -> Damped | Halt:
    """Raise the damping until a step wins something, and take it."""
    system, damping, growth = DampedSystem.at(point), point.damping, 2.0
    for _ in range(REFUSALS):
        move = system.move(damping)
        place = read_only(point.x + move)
        if (place == point.x).all():
            break
        value = problem.objective.value(place)
        promised = -float(move @ point.gradient) - float(np.sum((point.jacobian @ move) ** 2)) / 2
        gain = (point.value - value) / promised if promised > 0 and math.isfinite(value) else -1.0
        if gain > 0:
            damping *= max(1 / 3, 1 - (2 * min(gain, 2.0) - 1) ** 3)
            return problem.point(place, point, damping, float(np.linalg.norm(move)))
        damping, growth = damping * growth, growth * 2
    if -float(system.move(0.0) @ point.gradient) / 2 <= ROUNDING * point.value:
        return Halt(Outcome.CONVERGED, "It converged: what the best step promises is less than rounding of the sum.")
    return Halt(
        Outcome.STALLED,
        f"It stalled: no step lowers the sum of squares, though Jᵀr has length {point.norm:.3g}: "
        "its digits are used up, or the Jacobian is wrong (see check_gradient).",
    )
