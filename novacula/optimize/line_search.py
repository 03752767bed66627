"""How far to go along a direction p: φ(t) = f(x + tp) is minimised just well enough.

    sufficient decrease (Armijo)   φ(t) ≤ φ(0) + c₁ t φ'(0)
    curvature (strong Wolfe)       |φ'(t)| ≤ c₂ |φ'(0)|

Backtracking shortens t until the first holds. The Wolfe search brackets a t for which both hold and closes in on
it by cubic interpolation; with a tiny c₂ it is an exact search. (Nocedal and Wright, Numerical Optimization, ch. 3.)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from novacula.arguments import Floats, as_point, as_vector, one_of, positive_number, read_only, whole_number
from novacula.errors import ParameterError
from novacula.learner.showing import ShowsWork, WorkOptions
from novacula.learner.work import Work
from novacula.optimize.derivation.search import derive_line_search
from novacula.optimize.objective import CountedObjective, DescentPoint, Function

ROUNDING = 8 * float(np.finfo(np.float64).eps)
"""Differences of values below this share of their size say nothing; there the slopes decide."""
LONGEST = 1e15
"""A descent that has not ended after this many times the first step is taken to have no end."""
EDGE = 1e-6
"""How far trials keep off the ends of a bracket, as a share of it."""
EXACT = 1e-8
"""The c₂ of a search that finds the minimum along the line as well as slopes can show."""


@dataclass(frozen=True, eq=False)
class StepTrial:
    """A step t along the ray with φ(t), φ'(t) and the point it leads to."""

    step: float
    value: float
    slope: float
    point: DescentPoint


@dataclass(frozen=True, eq=False)
class LineSearch(ShowsWork):
    """What a line search found: the step and the value there, and in words which conditions it meets.

    A step of 0 says that no step was found; `x` is then the start. `slopes` are φ′ at 0 and at the step, `limits` the
    c₁ and c₂ of the conditions, c₂ None where it is not asked for.
    """

    step: float
    value: float
    x: Floats
    n_evaluations: int
    converged: bool
    reason: str
    start: Floats
    direction: Floats
    start_value: float
    start_gradient: Floats
    slopes: tuple[float, float]
    limits: tuple[float, float | None]

    def _derive(self, options: WorkOptions) -> Work:
        return derive_line_search(self)

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        raise ParameterError("the work of a line search takes no rows X")


class Ray:
    """f along the half-line from a point in a direction, which must lead downhill."""

    def __init__(self, objective: CountedObjective, origin: DescentPoint, direction: Floats) -> None:
        self.objective, self.direction = objective, direction
        slope = float(origin.gradient @ direction)
        if not slope < 0:
            raise ParameterError(
                f"the direction does not descend: the slope gradientᵀdirection is {slope:g}, and must be below 0; "
                "turn the direction round, or check the gradient with check_gradient"
            )
        self.origin = StepTrial(0.0, origin.value, slope, origin)
        self.slack = ROUNDING * abs(origin.value)

    def at(self, step: float) -> StepTrial:
        """The trial of a step."""
        point = self.objective.at(self.place(step), step=step, direction=self.direction)
        value = point.value if math.isfinite(point.value) or point.value < 0 else math.inf
        return StepTrial(step, value, float(point.gradient @ self.direction), point)

    def place(self, step: float) -> Floats:
        """The end of a step."""
        return read_only(self.origin.point.x + step * self.direction)

    def decreases(self, step: float, value: float, c1: float) -> bool:
        """Armijo's condition, up to rounding."""
        return value <= self.origin.value + c1 * step * self.origin.slope + self.slack


def backtrack(ray: Ray, step: float, c1: float = 1e-4, shrink: float = 0.5, max_iter: int = 60) -> StepTrial | None:
    """The first of step, step·shrink, step·shrink², … that decreases f sufficiently; None if none does."""
    for _ in range(max_iter):
        value = ray.objective.value(ray.place(step))
        if math.isfinite(value) and ray.decreases(step, value, c1):
            point = ray.objective.at(ray.place(step), value, step=step, direction=ray.direction)
            return StepTrial(step, value, float(point.gradient @ ray.direction), point)
        step *= shrink
    return None


def strong_wolfe(ray: Ray, step: float, c1: float = 1e-4, c2: float = 0.9, max_iter: int = 60) -> StepTrial | None:
    """A step that meets both conditions; failing that the best with sufficient decrease, or None.

    A trial with value −∞ or a step beyond `LONGEST` says that f falls without end along the ray.
    """
    before, longest = ray.origin, LONGEST * max(step, 1.0)
    for _ in range(max_iter):
        trial = ray.at(step)
        if trial.value == -math.inf or trial.step > longest:
            return trial
        if not ray.decreases(step, trial.value, c1) or trial.value > before.value + ray.slack:
            return zoom(ray, before, trial, c1, c2, max_iter)
        if abs(trial.slope) <= -c2 * ray.origin.slope:
            return trial
        if trial.slope > 0:
            return zoom(ray, trial, before, c1, c2, max_iter)
        before, step = trial, min(max(2 * step, extrapolated(before, trial)), 10 * step)
    return before


def zoom(ray: Ray, low: StepTrial, high: StepTrial, c1: float, c2: float, max_iter: int) -> StepTrial | None:
    """Close in on a good step between two; `low` is the better of them, and f falls from it towards `high`."""
    for i in range(max_iter):
        # Every third cut is in the middle, so that the bracket shrinks no matter what interpolation does.
        step = interpolated(low, high, ray.slack) if i % 3 < 2 else (low.step + high.step) / 2
        if step in (low.step, high.step):
            break
        trial = ray.at(step)
        if not ray.decreases(step, trial.value, c1) or trial.value > low.value + ray.slack:
            high = trial
            continue
        if abs(trial.slope) <= -c2 * ray.origin.slope:
            return trial
        if trial.slope * (high.step - low.step) >= 0:
            high = low
        low = trial
    return low if low.step > 0 else None


def interpolated(low: StepTrial, high: StepTrial, slack: float) -> float:
    """The minimiser of the cubic through values and slopes of two trials, kept off the ends of the bracket."""
    a, width, middle = low.step, high.step - low.step, (low.step + high.step) / 2
    if not math.isfinite(high.value) or not math.isfinite(high.slope):
        return middle
    if abs(high.value - low.value) <= 1e4 * slack:  # values are rounding: the secant of the slopes
        best = a - low.slope * width / (high.slope - low.slope) if high.slope != low.slope else middle
    else:
        bend = low.slope + high.slope - 3 * (high.value - low.value) / width
        inside = bend * bend - low.slope * high.slope
        root = math.copysign(math.sqrt(max(inside, 0.0)), width)
        under = high.slope - low.slope + 2 * root
        best = high.step - width * (high.slope + root - bend) / under if inside >= 0 and under else middle
    share = (best - a) / width
    return a + min(max(share, EDGE), 1 - EDGE) * width if math.isfinite(share) and 0 <= share <= 1 else middle


def extrapolated(before: StepTrial, trial: StepTrial) -> float:
    """Where the secant of the slopes at two trials meets 0; infinite if the slopes do not rise."""
    rise = trial.slope - before.slope
    return trial.step - trial.slope * (trial.step - before.step) / rise if rise > 0 else math.inf


def step_by_curvature(objective: CountedObjective, point: DescentPoint, direction: Floats, probe: float) -> float:
    """The step to the minimum of a quadratic: t = −gᵀp / pᵀHp; the probe itself where f does not curve upwards.

    Without a Hessian pᵀHp is the difference of the slopes at 0 and at the probe, which for a quadratic is exact.
    """
    slope = float(point.gradient @ direction)
    if objective.given_hessian is not None:
        curvature = float(direction @ (objective.hessian(point.x) @ direction))
    else:
        there = read_only(point.x + probe * direction)
        curvature = (float(objective.gradient(there) @ direction) - slope) / probe
    return -slope / curvature if curvature > 0 and math.isfinite(-slope / curvature) else probe


def line_search(
    f: Function,
    gradient: Function | None,
    x: npt.ArrayLike,
    direction: npt.ArrayLike,
    *,
    method: str = "wolfe",
    step: float = 1.0,
    c1: float = 1e-4,
    c2: float = 0.9,
    shrink: float = 0.5,
    max_iter: int = 60,
) -> LineSearch:
    """Find a step along a direction of descent: `method` is "wolfe" (strong) or "armijo" (backtracking).

    `step` is tried first. The Wolfe search also lengthens it; backtracking multiplies it by `shrink` until f
    decreases sufficiently. Without a gradient (None) central differences of four evaluations per coordinate serve.

    >>> found = line_search(lambda x: x[0] ** 2, lambda x: 2 * x, x=[1.0], direction=[-2.0])
    >>> found.step, found.value, found.reason
    (0.5, 0.0, 'The step meets the strong Wolfe conditions.')
    """
    one_of(method, "method", ("wolfe", "armijo"))
    c2 = positive_number(c2, "c2", below=1)
    c1, step = positive_number(c1, "c1", below=c2 if method == "wolfe" else 1), positive_number(step, "step")
    shrink, max_iter = positive_number(shrink, "shrink", below=1), whole_number(max_iter, "max_iter", 1)
    start = as_point(x, "x")
    objective = CountedObjective(f, gradient, size=len(start))
    origin = objective.start(start)
    ray = Ray(objective, origin, as_vector(direction, "direction", len(start)))
    search = partial(strong_wolfe, c2=c2) if method == "wolfe" else partial(backtrack, shrink=shrink)
    found = search(ray, step, c1=c1, max_iter=max_iter)
    if found is None:
        trial, converged = ray.origin, False
        reason = "No step along the direction decreases f: check the gradient with check_gradient, or stop here."
    else:
        trial, (converged, reason) = found, verdict(ray, found, method, c2)
    return LineSearch(
        trial.step,
        trial.value,
        trial.point.x,
        objective.n_values,
        converged,
        reason,
        start,
        ray.direction,
        origin.value,
        origin.gradient,
        (ray.origin.slope, trial.slope),
        (c1, c2 if method == "wolfe" else None),
    )


def verdict(ray: Ray, trial: StepTrial, method: str, c2: float) -> tuple[bool, str]:
    """Whether a step is as good as requested, and the sentence that says so."""
    if method == "armijo":
        return True, "The step decreases f sufficiently."
    if abs(trial.slope) <= -c2 * ray.origin.slope:
        return True, "The step meets the strong Wolfe conditions."
    if is_endless(trial, ray):
        return False, "f falls without end along the direction: it seems to be unbounded below."
    return False, "The step decreases f sufficiently, but no step was found where the slope is small enough, too."


def is_endless(trial: StepTrial, ray: Ray) -> bool:
    """Whether a search went on and on because f keeps falling."""
    return trial.value == -math.inf or (trial.step > LONGEST and trial.slope < 0 and trial.value < ray.origin.value)
