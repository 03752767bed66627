"""Conjugate gradients: each direction keeps what the ones before have won.

    d ← −g + β d        β = max(0, gᵀ(g − g₋) / g₋ᵀg₋)        (Polak and Ribière)

On a quadratic of n variables with exact steps it ends after n of them, since each is conjugate to all before. It
holds a few vectors and no matrix, so it serves problems of very many variables.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from novacula.arguments import Floats, as_point
from novacula.optimize.gradient_descent import arrival
from novacula.optimize.line_search import Ray, step_by_curvature, strong_wolfe
from novacula.optimize.objective import CountedObjective, DescentPoint, Function
from novacula.optimize.result import Result
from novacula.optimize.trace import Halt, follow

SLOPE = 0.1
"""The c₂ of the line search: conjugacy asks for steps that are nearly exact."""
LOST = 0.2
"""Gradients in a row whose cosine is larger are no longer orthogonal, and the memory is dropped (Powell)."""


@dataclass(frozen=True, eq=False)
class ConjugatePoint(DescentPoint):
    """A point that remembers the gradient before."""

    before: Floats | None = None


def conjugate_gradient(
    f: Function,
    gradient: Function | None,
    x0: npt.ArrayLike,
    *,
    hessian: Any = None,
    tol: float = 1e-8,
    max_iter: int = 10_000,
    keep_path: bool = True,
) -> Result:
    """Minimise f from x0 along conjugate directions, with restarts.

    The first step tried along a direction is that of a quadratic: from pᵀHp if a Hessian is given (a matrix, a
    function of x, or anything that `@` multiplies with a vector), else from one more gradient. The strong Wolfe
    conditions decide. Without a gradient (None) central differences of four evaluations per coordinate serve. It
    has converged when ‖∇f‖ ≤ tol · max(1, |f|). `keep_path=False` stores no iterates.

    >>> H = np.diag([1.0, 10.0, 100.0])
    >>> found = conjugate_gradient(lambda x: x @ H @ x / 2, lambda x: H @ x, [1.0, 1.0, 1.0])
    >>> found.n_iter, found.reason
    (3, 'It converged after 3 iterations.')
    """
    start = as_point(x0)
    objective = CountedObjective(f, gradient, hessian, size=len(start))

    def advance(point: ConjugatePoint) -> ConjugatePoint | Halt:
        direction = conjugate_direction(point)
        probe = point.step or 1 / max(1.0, float(np.linalg.norm(direction)))
        first = step_by_curvature(objective, point, direction, probe)
        ray = Ray(objective, point, direction)
        reached = arrival(ray, strong_wolfe(ray, first, c2=SLOPE))
        return reached if isinstance(reached, Halt) else remember(reached, point.gradient)

    return follow(
        "Conjugate gradients",
        objective,
        advance,
        remember(objective.start(start), None),
        tol=tol,
        max_iter=max_iter,
        keep_path=keep_path,
    )


def remember(point: DescentPoint, before: Floats | None) -> ConjugatePoint:
    """The point, with the gradient of the one before it."""
    return ConjugatePoint(point.x, point.value, point.gradient, point.step, point.direction, before=before)


def conjugate_direction(point: ConjugatePoint) -> Floats:
    """The next direction; plain descent at the start, and where conjugacy is lost or would lead uphill."""
    g, before, last = point.gradient, point.before, point.direction
    if before is None or last is None or abs(g @ before) > LOST * (g @ g):
        return -g
    beta = max(0.0, float(g @ (g - before)) / float(before @ before))
    direction = beta * last - g
    return direction if g @ direction < 0 else -g
