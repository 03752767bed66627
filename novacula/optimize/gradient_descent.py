"""Gradient descent: against the gradient, step by step.

    d ← −∇f(x) + β d        x ← x + η d

β is the momentum. With a fixed η it converges on a quadratic if η < 2(1 + β)/λ, where λ is the largest eigenvalue
of the Hessian; beyond, it diverges. A line search finds a new η in each step.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from novacula.arguments import Floats, as_point, nonnegative_number, one_of, positive_number, read_only, whole_number
from novacula.learner.iterate import Outcome
from novacula.optimize.line_search import EXACT, Ray, StepTrial, backtrack, is_endless, step_by_curvature, strong_wolfe
from novacula.optimize.objective import CountedObjective, DescentPoint, Function
from novacula.optimize.result import Result
from novacula.optimize.trace import Halt, follow

PRODUCTS = 50
"""Gradients, at most, that the largest curvature may cost where a run has diverged."""
ROUNDING = 1e-10
"""The share of a product that is left where it adds no direction."""
GROWTH = 1e6
"""A gradient that is this many times that of the start, at a worse value, will not come back."""


def gradient_descent(
    f: Function,
    gradient: Function | None,
    x0: npt.ArrayLike,
    *,
    hessian: Any = None,
    step: float | str = "backtracking",
    momentum: float = 0.0,
    ascent: bool = False,
    tol: float = 1e-8,
    max_iter: int = 10_000,
    keep_path: bool = True,
) -> Result:
    """Minimise f from x0 along its negative gradient, or climb it with `ascent=True`.

    `step` is the factor η, or how it is found in each step: "backtracking", "wolfe", or "exact", the minimum along
    the ray: at once for a quadratic, by a search to eight digits of the slope otherwise. A Hessian serves "exact"
    only; it is a matrix or a function of x that gives one, or anything that `@` multiplies with a vector. Without
    a gradient (None) central differences of four evaluations per coordinate serve. It has converged when
    ‖∇f‖ ≤ tol · max(1, |f|). `keep_path=False` stores no iterates.

    >>> found = gradient_descent(lambda x: x @ x, lambda x: 2 * x, [3.0, 4.0], step=0.5)
    >>> print(found)
    Gradient descent
    iteration  x[0]  x[1]  value  step  ‖gradient‖
    ─────────  ────  ────  ─────  ────  ──────────
    0             3     4     25                10
    1             0     0      0   0.5           0
    It converged after 1 iteration.
    Evaluations: 2 of f, 2 gradients.
    """
    momentum, tol = nonnegative_number(momentum, "momentum", below=1), nonnegative_number(tol, "tol")
    start = as_point(x0)
    objective = CountedObjective(f, gradient, hessian, size=len(start), sign=-1.0 if ascent else 1.0)
    origin = objective.start(start)
    if isinstance(step, str):
        advance = searching(objective, one_of(step, "step", tuple(SEARCHES)), momentum)
    else:
        advance = striding(objective, origin, positive_number(step, "step"), momentum)
    name = "Gradient ascent" if ascent else "Gradient descent"
    limit = whole_number(max_iter, "max_iter", 0)
    result = follow(name, objective, advance, origin, tol=tol, max_iter=limit, keep_path=keep_path)
    result = replace(result, momentum=momentum)
    if result.converged or result.n_iter < limit or objective.sign * result.value <= origin.value:
        return result
    return replace(result, reason=f"{result.reason} It ended at a worse value than it started from: lower step.")


def momentum_direction(point: DescentPoint, momentum: float) -> Floats:
    """The direction: against the gradient, with a share of the last direction."""
    return -point.gradient if point.direction is None else momentum * point.direction - point.gradient


# --- a fixed step -------------------------------------------------------------------------------------------


def striding(
    objective: CountedObjective, origin: DescentPoint, step: float, momentum: float
) -> Callable[[DescentPoint], DescentPoint | Halt]:
    """Advance by a fixed factor of the direction."""

    def advance(point: DescentPoint) -> DescentPoint | Halt:
        direction = momentum_direction(point, momentum)
        place = read_only(point.x + step * direction)
        following = objective.at(place, step=step, direction=direction)
        grown = following.value > origin.value and following.norm > GROWTH * origin.norm
        if grown or not math.isfinite(following.value):
            return Halt(Outcome.DIVERGED, why_diverged(objective, point, following, momentum))
        return following

    return advance


def why_diverged(objective: CountedObjective, before: DescentPoint, after: DescentPoint, momentum: float) -> str:
    """Say what became of the value, and which steps would have been short enough."""
    value = objective.sign * after.value
    if after.value == -math.inf:
        return f"It diverged: f became {value:g}; it seems to have no bound in this direction."
    curvature = largest_curvature(objective, before, after)
    if not curvature > 0:
        return f"It diverged: f became {value:g}; lower step, which is {after.step:g}."
    return (
        f"It diverged: f became {value:g}. The step of {after.step:g} is too long where the curvature is "
        f"{curvature:.4g}: choose it below {2 * (1 + momentum) / curvature:.4g}."
    )


def largest_curvature(objective: CountedObjective, before: DescentPoint, after: DescentPoint) -> float:
    """The largest curvature of f about a point, by Lanczos's method from the last step.

    A difference of gradients is the Hessian's product with a step. Repeated products, made orthogonal to each other,
    span a space that soon holds the direction that is curved most, even where the last step was almost at right angles
    to it.
    """
    move = after.x - before.x
    length = float(np.linalg.norm(move))
    directions, products = [move / length], [(after.gradient - before.gradient) / length]
    while len(directions) < min(PRODUCTS, len(move)) and np.isfinite(products[-1]).all():
        basis = np.array(directions)
        rest = products[-1] - basis.T @ (basis @ products[-1])
        if np.linalg.norm(rest) <= ROUNDING * np.linalg.norm(products[-1]):
            break  # the space holds its own products: there is nothing left to find in it
        rest -= basis.T @ (basis @ rest)  # again, since rounding leaves a little of the others in it
        directions.append(rest / float(np.linalg.norm(rest)))
        there = objective.at(read_only(before.x + length * directions[-1]))
        products.append((there.gradient - before.gradient) / length)
    if not np.isfinite(products[-1]).all():
        del directions[-1], products[-1]
    within = np.array(directions) @ np.array(products).T
    return float(np.linalg.eigvalsh((within + within.T) / 2)[-1]) if directions else math.nan


# --- a searched step ----------------------------------------------------------------------------------------


def by_backtracking(ray: Ray, last: float) -> StepTrial | None:
    """Try twice the last step, so that steps can grow again."""
    return backtrack(ray, 2 * last)


def by_exact_search(ray: Ray, last: float) -> StepTrial | None:
    """Go to the minimum of the parabola, and on from there if f is not one."""
    first = step_by_curvature(ray.objective, ray.origin.point, ray.direction, last)
    return strong_wolfe(ray, first, c2=EXACT)


SEARCHES: dict[str, Callable[[Ray, float], StepTrial | None]] = {
    "exact": by_exact_search,
    "backtracking": by_backtracking,
    "wolfe": strong_wolfe,
}


def searching(
    objective: CountedObjective, method: str, momentum: float
) -> Callable[[DescentPoint], DescentPoint | Halt]:
    """Advance by a line search; a direction that memory has turned uphill is forgotten."""

    def advance(point: DescentPoint) -> DescentPoint | Halt:
        direction = momentum_direction(point, momentum)
        if point.gradient @ direction >= 0:
            direction = -point.gradient
        ray = Ray(objective, point, direction)
        found = SEARCHES[method](ray, point.step or 1 / max(1.0, float(np.linalg.norm(direction))))
        return arrival(ray, found)

    return advance


def arrival(ray: Ray, trial: StepTrial | None) -> DescentPoint | Halt:
    """The point that a search found, or why there is none."""
    before = ray.origin.point
    if trial is None or is_idle(ray, trial):
        return Halt(
            Outcome.STALLED,
            f"It stalled: no step along the direction improves f, though the gradient has length {before.norm:.3g}: "
            "the digits of f are used up, or the gradient is wrong (see check_gradient).",
        )
    if is_endless(trial, ray):
        return Halt(Outcome.DIVERGED, "It diverged: f goes on without end along a direction; it seems to be unbounded.")
    return trial.point


def is_idle(ray: Ray, trial: StepTrial) -> bool:
    """Whether a step changed the value by rounding only, and left the gradient as long as it was."""
    return trial.value >= ray.origin.value - ray.slack and trial.point.norm >= ray.origin.point.norm
