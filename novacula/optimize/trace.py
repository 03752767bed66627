"""The loop of the optimisers: the shared driver, with the way written down and the end explained.

An optimiser is one function, `advance`: from a point to the next, or to a `Halt` that says why there is none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np

from novacula.arguments import Floats, nonnegative_number, whole_number
from novacula.learner.iterate import Outcome, iterate
from novacula.optimize.objective import CountedObjective, DescentPoint
from novacula.optimize.result import Result

P = TypeVar("P", bound=DescentPoint)


class Halt(NamedTuple):
    """Why a run cannot, or need not, go on from a point."""

    outcome: Outcome
    reason: str = ""


class Trace:
    """What is written down on the way: numbers for each iterate, and the iterates themselves if they are kept."""

    def __init__(self, keep_path: bool) -> None:
        self.keep_path = keep_path
        self.path, self.norms, self.steps = list[Floats](), list[float](), list[float]()
        self.modified, self.directions = list[int](), list[Floats]()

    def __call__(self, iteration: int, value: float, point: DescentPoint) -> None:
        """See an accepted point; the driver calls this."""
        self.norms.append(point.norm)
        self.steps.append(point.step)
        if point.modified:
            self.modified.append(iteration)
        if self.keep_path:
            self.path.append(point.x)
            self.directions.append(np.full(len(point.x), np.nan) if point.direction is None else point.direction)


def follow(
    method: str,
    objective: CountedObjective,
    advance: Callable[[P], P | Halt],
    start: P,
    *,
    tol: float,
    max_iter: int,
    keep_path: bool = True,
    at_rest: Callable[[P], P | Halt] = lambda _: Halt(Outcome.CONVERGED),
) -> Result:
    """Advance from the start until ‖∇f‖ ≤ tol · max(1, |f|), and report the whole way.

    Where the gradient vanishes `at_rest` decides whether that is the end.
    """
    tol, max_iter = nonnegative_number(tol, "tol"), whole_number(max_iter, "max_iter", 0)
    trace, ending = Trace(keep_path), list[Halt]()

    def step(point: P) -> tuple[P | Outcome, float]:
        following: P | Halt
        if point.is_settled(tol):
            following = at_rest(point)
        else:  # the driver would ask for one step more than it takes, and steps are dear
            following = advance(point) if len(trace.norms) < max_iter else Halt(Outcome.MAX_ITER)
        if isinstance(following, Halt):
            ending.append(following)
            return following.outcome, point.value
        return following, point.value

    run = iterate(step, start, max_iter=max_iter, tol=None, monitor=trace)
    return Result(
        method=method,
        x=run.params.x,
        value=objective.sign * run.params.value,
        gradient=objective.sign * run.params.gradient,
        path=np.array(trace.path) if keep_path else None,
        values=objective.sign * np.array(run.history),
        gradient_norms=np.array(trace.norms),
        steps=np.array(trace.steps),
        n_evaluations=objective.n_values,
        n_gradients=objective.n_gradients,
        n_hessians=objective.n_hessians,
        converged=run.converged,
        reason=(ending[-1].reason if ending else "") or run.sentence,
        objective=objective.f,
        modified=tuple(trace.modified),
        directions=np.array(trace.directions) if keep_path else None,
        problem=objective,
        tol=tol,
    )
