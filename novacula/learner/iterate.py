"""The one loop of all iterative learners: params out, a step back, the objective judged, the end explained.

A step maps params to better params and gives the objective of the params it was given, since the pass over
the data that serves the update gives that for free. So the history starts with the objective of the start,
and the params that are returned are those of its last entry. EM, Newton, Lloyd, a level of a tree: steps.

    >>> def newton(x):  # for √2, with |x² − 2| as the objective
    ...     return (x + 2 / x) / 2, abs(x * x - 2)
    >>> run = iterate(newton, 1.0, tol=0, atol=1e-9, max_iter=20)
    >>> print(f"{run.params:.9f}", run.sentence)
    1.414213562 It converged after 5 iterations.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Generic, Literal, TypeAlias, TypeVar, get_args

from novacula.errors import ParameterError, warn_user

P = TypeVar("P")
Direction: TypeAlias = Literal["down", "up"]

ROUNDING = 1e-10
"""What a monotone objective may lose to rounding, as a share of its size."""


class Outcome(Enum):
    """How an iteration ended; the value is the sentence that says so."""

    CONVERGED = "It converged after {iterations}."
    MAX_ITER = (
        "It stopped after {iterations}, as many as max_iter allows, before it converged: "
        "raise max_iter, or tol if that precision is not needed."
    )
    OUT_OF_TIME = (
        "It stopped after {iterations}, when its time_budget was spent, before it converged: "
        "raise time_budget, or tol if that precision is not needed."
    )
    DIVERGED = (
        "It diverged: after {iterations} the objective became {refused:g}, and the parameters before that "
        "were kept: lower the step size, or bring the columns to one scale."
    )
    STALLED = "It stalled after {iterations}: no step from there improves the objective."
    WORSENED = (
        "It stopped after {iterations}, since the next one made the objective worse, from {objective:g} to "
        "{refused:g}, which must not happen; the parameters before that were kept."
    )
    STOPPED = "The monitor stopped it after {iterations}."


Step: TypeAlias = Callable[[P], "tuple[P | Outcome, float]"]
Monitor: TypeAlias = Callable[[int, float, P], "bool | None"]


@dataclass(frozen=True)
class Run(Generic[P]):
    """What came of it: `params` belong to the last entry of `history`; `refused` would have been the next."""

    params: P
    history: tuple[float, ...]
    outcome: Outcome
    refused: float = math.nan
    count: int | None = None

    @property
    def n_iter(self) -> int:
        """Updates that led from the start to the params; `count` where a step makes several."""
        return max(len(self.history) - 1, 0) if self.count is None else self.count

    @property
    def converged(self) -> bool:
        """Whether it ended as it should."""
        return self.outcome is Outcome.CONVERGED

    @property
    def sentence(self) -> str:
        """How it ended, in words."""
        iterations = f"{self.n_iter} iteration{'' if self.n_iter == 1 else 's'}"
        objective = self.history[-1] if self.history else math.nan
        return self.outcome.value.format(iterations=iterations, objective=objective, refused=self.refused)


def iterate(
    step: Step[P],
    params: P,
    *,
    max_iter: float,
    tol: float | None,
    atol: float = 0.0,
    direction: Direction = "down",
    monotone: bool = False,
    noise: float = 0.0,
    monitor: Monitor[P] | None = None,
    deadline: float = math.inf,
    count: Callable[[P], int] | None = None,
) -> Run[P]:
    """Step from params to params until the objective settles, and say how it ended.

    `step(params)` gives the next params and the objective of the params it was given. In place of next params
    it may give an `Outcome`: CONVERGED when it finds nothing left to do, STALLED when it finds no way on.

    The objective has settled when |new − old| ≤ tol · max(|new|, |old|) + atol: relative to its own size, so
    that neither its unit nor the number of rows decides when to stop. With tol None only the step decides.
    `monotone` says that in theory the objective cannot get worse, so the run ends if it does by more than
    rounding: a share of its size, and `noise` where its own unit says what is nothing. `monitor(iteration,
    objective, params)` sees each accepted objective, that of the start as iteration 0, and ends the run by
    returning True. `max_iter` may be infinite, and `deadline` is a time of `time.monotonic`. Where one step makes
    several iterations, `count(params)` says how many led to the params, and max_iter is compared with that.
    """
    rule = StoppingRule(tol, atol, direction, monotone, noise)
    if max_iter < 0:
        raise ParameterError(f"max_iter is {max_iter!r}; it must not be negative")
    last_good, history = params, list[float]()

    def ended(at: P, outcome: Outcome, refused: float = math.nan) -> Run[P]:
        return Run(at, tuple(history), outcome, refused, None if count is None else count(at))

    while True:
        following, objective = step(params)
        objective = float(objective)
        fault = rule.fault(history, objective)
        if fault is not None:
            return ended(last_good, fault, objective)
        last_good = params
        history.append(objective)
        stopped = monitor is not None and bool(monitor(len(history) - 1, objective, params))
        if isinstance(following, Outcome):
            return ended(params, following)
        if rule.settled(history):
            return ended(params, Outcome.CONVERGED)
        n_iter = len(history) - 1 if count is None else count(params)
        limit = Outcome.STOPPED if stopped else reached_limit(n_iter, max_iter, deadline)
        if limit is not None:
            return ended(params, limit)
        params = following


def reached_limit(n_iter: int, max_iter: float, deadline: float) -> Outcome | None:
    """Which limit a run has reached, if it has reached one."""
    if n_iter >= max_iter:
        return Outcome.MAX_ITER
    return Outcome.OUT_OF_TIME if deadline < math.inf and time.monotonic() >= deadline else None


@dataclass(frozen=True)
class StoppingRule:
    """When an objective has settled, and when it is refused."""

    tol: float | None
    atol: float
    direction: Direction
    monotone: bool
    noise: float = 0.0

    def __post_init__(self) -> None:
        for name, value in (("tol", self.tol), ("atol", self.atol)):
            if value is not None and not 0 <= value < math.inf:
                raise ParameterError(f"{name} is {value!r}; it must be a number that is not negative")
        if self.direction not in get_args(Direction):
            raise ParameterError(f"direction is {self.direction!r}; an objective goes 'down' or 'up'")

    def settled(self, history: Sequence[float]) -> bool:
        """Say whether the last objective is as good as the one before."""
        if self.tol is None or len(history) < 2:
            return False
        old, new = history[-2:]
        return abs(new - old) <= self.tol * max(abs(new), abs(old)) + self.atol

    def fault(self, history: Sequence[float], new: float) -> Outcome | None:
        """Say why a new objective cannot be accepted, if it cannot."""
        if not math.isfinite(new):
            return Outcome.DIVERGED
        if not self.monotone or not history or self.settled((history[-1], new)):
            return None
        old = history[-1]
        loss = new - old if self.direction == "down" else old - new
        return Outcome.WORSENED if loss > ROUNDING * max(abs(new), abs(old)) + self.noise else None


def warn_unless_converged(run: Run[P], learner: str) -> None:
    """Say in a `ConvergenceWarning` how a run fell short; a run that a monitor stopped is not worth a warning."""
    if run.outcome in (Outcome.CONVERGED, Outcome.STOPPED):
        return
    from sklearn.exceptions import ConvergenceWarning

    warn_user(f"{learner}: {run.sentence}", ConvergenceWarning)
