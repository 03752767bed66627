"""L-BFGS: Newton's direction with a Hessian made up from the last changes of x and of the gradient.

    d = −B∇f        B from pairs (s, y), s = x₊ − x and y = ∇f₊ − ∇f, by the two loops of Nocedal (1980)

It holds a few vectors and no matrix, and near a minimum its steps are nearly Newton's.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from novacula.arguments import Floats, as_point, whole_number
from novacula.optimize.gradient_descent import arrival
from novacula.optimize.line_search import Ray, strong_wolfe
from novacula.optimize.objective import CountedObjective, DescentPoint, Function
from novacula.optimize.result import Result
from novacula.optimize.trace import Halt, follow

FLAT = 1e-12
"""A pair whose cosine is below this is rounding, or bends the wrong way."""
MEMORY = 10
"""Changes that are remembered, unless others are asked for."""


class StepMemory:
    """The last pairs of changes, and what they make of a gradient."""

    def __init__(self, size: int) -> None:
        self.pairs = deque[tuple[Floats, Floats, float]](maxlen=size)

    def remember(self, s: Floats, y: Floats) -> bool:
        """Keep a pair, and say so, unless rounding or a function that is not convex there makes it useless."""
        sy = float(s @ y)
        if not sy > FLAT * np.sqrt(float(s @ s) * float(y @ y)):
            return False
        self.pairs.append((s, y, sy))
        return True

    def product(self, gradient: Floats, middle: Callable[[Floats], Floats]) -> Floats:
        """B times the gradient, by the two loops; `middle` multiplies by the matrix that B starts from."""
        q, shares = gradient.copy(), list[float]()
        for s, y, sy in reversed(self.pairs):
            shares.append(float(s @ q) / sy)
            q -= shares[-1] * y
        found = middle(q)
        for (s, y, sy), share in zip(self.pairs, reversed(shares), strict=True):
            found += (share - float(y @ found) / sy) * s
        return found

    def scaled(self, q: Floats) -> Floats:
        """The usual start of B: the identity, times sᵀy / yᵀy of the last pair."""
        if not self.pairs:
            return q.copy()
        _, y, sy = self.pairs[-1]
        return q * (sy / float(y @ y))


def downhill(steps: StepMemory, gradient: Floats) -> Floats:
    """The direction that the last changes make of a gradient; they are forgotten if it does not go down."""
    direction = -steps.product(gradient, steps.scaled)
    if not gradient @ direction < 0:  # the pairs are used up by rounding
        steps.pairs.clear()
        direction = -gradient
    return direction


def lbfgs(
    f: Function,
    gradient: Function | None,
    x0: npt.ArrayLike,
    *,
    memory: int = MEMORY,
    tol: float = 1e-8,
    max_iter: int = 10_000,
    keep_path: bool = True,
) -> Result:
    """Minimise f from x0 with a Hessian known from the last `memory` steps.

    Each step meets the strong Wolfe conditions, so that every pair of changes is a good one. Without a gradient
    (None) central differences of four evaluations per coordinate serve. It has converged when
    ‖∇f‖ ≤ tol · max(1, |f|). `keep_path=False` stores no iterates.

    >>> H = np.diag([1.0, 10.0, 100.0])
    >>> found = lbfgs(lambda x: x @ H @ x / 2, lambda x: H @ x, [1.0, 1.0, 1.0])
    >>> found.converged, bool(np.abs(found.x).max() < 1e-8)
    (True, True)
    """
    start = as_point(x0)
    objective, steps = CountedObjective(f, gradient, size=len(start)), StepMemory(whole_number(memory, "memory", 1))

    def advance(point: DescentPoint) -> DescentPoint | Halt:
        direction = downhill(steps, point.gradient)
        first = 1.0 if steps.pairs else 1 / max(1.0, point.norm)
        ray = Ray(objective, point, direction)
        reached = arrival(ray, strong_wolfe(ray, first))
        if not isinstance(reached, Halt):
            steps.remember(reached.x - point.x, reached.gradient - point.gradient)
        return reached

    return follow(
        "L-BFGS",
        objective,
        advance,
        objective.start(start),
        tol=tol,
        max_iter=max_iter,
        keep_path=keep_path,
    )
