"""Newton's method: to the minimum of the parabola that fits f at x, H d = −∇f.

Near a minimum the error squares from step to step. Where the Hessian H is not positive definite its eigenvalues
are replaced by their sizes, so that d leads downhill and away from saddle points; `Result.modified` says in which
steps. Where the gradient vanishes, H decides: a saddle point is left along its negative curvature.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from novacula.arguments import Floats, as_point, as_symmetric, read_only
from novacula.learner.iterate import Outcome
from novacula.optimize.gradient_descent import arrival
from novacula.optimize.line_search import Ray, strong_wolfe
from novacula.optimize.objective import CountedObjective, DescentPoint, Function
from novacula.optimize.result import Result
from novacula.optimize.trace import Halt, follow

SMALLEST = 1e-8
"""Eigenvalues below this share of the largest are raised to it in a step, and at its end taken for 0."""
PROBES = (1e-3, 1e-2, 0.1)
"""How far along a direction without upward curvature a lower value is looked for, relative to 1 + ‖x‖."""
NOISE = 1e-12
"""What a value must be lower by, and a curvature differ from 0 by, relative to 1 + |f|, to count."""


def newton(
    f: Function,
    gradient: Function | None,
    hessian: Any,
    x0: npt.ArrayLike,
    *,
    tol: float = 1e-8,
    max_iter: int = 200,
    keep_path: bool = True,
) -> Result:
    """Minimise f from x0 by damped Newton steps: the whole step where it meets the strong Wolfe conditions.

    `hessian` is a function of x, or a matrix if it does not change. A gradient or Hessian that is None is replaced
    by central differences, of four evaluations per coordinate. It has converged when ‖∇f‖ ≤ tol · max(1, |f|) and
    no lower value is seen along directions in which the Hessian has no positive curvature.

    >>> found = newton(lambda x: x[0] ** 4 / 4 + x[0] ** 2 / 2 - 2 * x[0],
    ...                lambda x: x**3 + x - 2, lambda x: [[3 * x[0] ** 2 + 1]], [3.0])
    >>> for error in abs(found.path[:, 0] - 1):
    ...     print(f"{error:.1e}")
    2.0e+00
    1.0e+00
    3.8e-01
    8.3e-02
    4.8e-03
    1.7e-05
    2.2e-10
    """
    start = as_point(x0)
    objective = CountedObjective(f, gradient, hessian, size=len(start))

    def curvature(point: DescentPoint) -> Floats:
        return as_symmetric(objective.hessian(point.x), "hessian", len(start))

    def advance(point: DescentPoint) -> DescentPoint | Halt:
        direction, modified = solve_newton(curvature(point), point.gradient)
        ray = Ray(objective, point, direction)
        reached = arrival(ray, strong_wolfe(ray, 1.0))
        return reached if isinstance(reached, Halt) or not modified else mark_modified(reached)

    def at_rest(point: DescentPoint) -> DescentPoint | Halt:
        return leave_or_stay(objective, point, curvature(point))

    return follow(
        "Newton's method",
        objective,
        advance,
        objective.start(start),
        tol=tol,
        max_iter=max_iter,
        keep_path=keep_path,
        at_rest=at_rest,
    )


def solve_newton(hessian: Floats, gradient: Floats) -> tuple[Floats, bool]:
    """The direction −H⁻¹g, and whether H had to be modified for it to descend."""
    try:
        direction = -cho_solve(cho_factor(hessian), gradient)
    except LinAlgError:
        direction = np.full_like(gradient, np.nan)
    if np.isfinite(direction).all() and gradient @ direction < 0:
        return direction, False
    eigenvalues, vectors = np.linalg.eigh(hessian)
    sizes = np.abs(eigenvalues)
    sizes = np.maximum(sizes, SMALLEST * sizes.max() or 1.0)
    return -vectors @ ((vectors.T @ gradient) / sizes), True


def mark_modified(point: DescentPoint) -> DescentPoint:
    """The point, with the note that its step was not Newton's own."""
    return DescentPoint(point.x, point.value, point.gradient, point.step, point.direction, modified=True)


def leave_or_stay(objective: CountedObjective, point: DescentPoint, hessian: Floats) -> DescentPoint | Halt:
    """Judge a point without slope by its curvature: a minimum, a saddle to be left, or undecided."""
    eigenvalues, vectors = np.linalg.eigh(hessian)
    least = eigenvalues[0]
    flat = max(SMALLEST * np.abs(eigenvalues).max(), NOISE * (1 + abs(point.value)))
    if least > flat:
        return Halt(Outcome.CONVERGED)
    lower = lower_along(objective, point, vectors[:, eigenvalues <= flat].T)
    if lower is not None:
        return lower
    if least < -flat:
        return Halt(
            Outcome.STALLED,
            f"It stalled at a saddle point: the smallest eigenvalue of the Hessian is {least:.3g}, but no lower value "
            "was seen along its direction.",
        )
    return Halt(
        Outcome.CONVERGED,
        f"It converged, but the Hessian is singular there (smallest eigenvalue {least:.3g}), so the second derivatives "
        "cannot show whether it is a minimum; no lower value was seen along the flat directions.",
    )


def lower_along(objective: CountedObjective, point: DescentPoint, directions: Floats) -> DescentPoint | None:
    """A point with a lower value along one of the directions (k, d), either way; None if none is seen."""
    scale, enough = 1 + float(np.linalg.norm(point.x)), NOISE * (1 + abs(point.value))
    for direction in directions:
        for step in (sign * probe * scale for probe in PROBES for sign in (1.0, -1.0)):
            place = read_only(point.x + step * direction)
            value = objective.value(place)
            if math.isfinite(value) and value < point.value - enough:
                return objective.at(place, value, step=abs(step), modified=True)
    return None
