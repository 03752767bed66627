"""Expectation-maximization: the likelihood of data of which a part was never seen, climbed step by step.

    E   Q(h′|h) = E[ln p(D|h′) | h, the observed data]       M   h ← argmax over h′ of Q(h′|h)

The E-step gives expected sufficient statistics of the complete data, which is a pass over the rows, and the
log-likelihood of the parameters it was given. The M-step solves for new parameters as if nothing were missing.
The log-likelihood cannot fall (Dempster, Laird and Rubin, 1977). If it does, a step is wrong, and the run says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, Generic, TypeVar

from novacula.errors import DataError, InputTypeError, ParameterError
from novacula.learner.em.derivation import climb_figure, derive_climb, derive_rise
from novacula.learner.em.path import KeptStates
from novacula.learner.figure import Figure
from novacula.learner.iterate import Outcome, StoppingRule, iterate
from novacula.learner.showing import ShowsWork, WorkOptions
from novacula.learner.work import Work
from novacula.state import State, number, text, whole
from novacula.table.recording import recorded
from novacula.words import quoted

P = TypeVar("P")
S = TypeVar("S")

NOISE = 1e-10
"""What a log-likelihood may lose to rounding besides a share of its size, which says nothing where it is about 0."""


@dataclass(frozen=True)
class Restart:
    """How one start ended: its objective, −∞ where there is none, the updates made, and why it stopped."""

    state: ClassVar[State] = {"objective": number(finite=False), "n_iter": whole(), "sentence": text()}

    objective: float
    n_iter: int
    sentence: str


@dataclass(frozen=True)
class EMState(Generic[P, S]):
    """Where a climb stood after so many iterations: parameters, and what they were solved from, None at the start."""

    iteration: int
    params: P
    statistics: S | None = None


@dataclass(frozen=True)
class EMResult(ShowsWork, Generic[P, S]):
    """The best of all starts: `history` is its objective from the start on, the last entry that of `params`.

    `statistics` are those that `params` were solved from, so that m_step(statistics) is params; None where no step
    was made. `path` holds the first 20 states of the climb and the last 5.
    """

    params: P
    statistics: S | None
    log_likelihood: float
    history: tuple[float, ...]
    outcome: Outcome
    restarts: tuple[Restart, ...]
    best: int
    path: tuple[EMState[P, S], ...] = ()
    q: Callable[[S, P], float] | None = None

    @property
    def q_history(self) -> dict[int, tuple[float, float]]:
        """By iteration of the path, Q(h | h) of what went in and Q(h′ | h) of what came out; empty without `q`."""
        if self.q is None:
            return {}
        found = dict[int, tuple[float, float]]()
        for before, after in pairwise(self.path):
            if after.iteration == before.iteration + 1 and after.statistics is not None:
                old, new = (float(self.q(after.statistics, state.params)) for state in (before, after))
                found[after.iteration] = old, new
        return found

    def plot(self) -> Figure:
        """The objective against the iterations."""
        return climb_figure(self)

    @property
    def converged(self) -> bool:
        """Whether it ended as it should."""
        return self.outcome is Outcome.CONVERGED

    @property
    def n_iter(self) -> int:
        """Updates that led from the start to the params."""
        return self.restarts[self.best].n_iter

    @property
    def sentence(self) -> str:
        """Why it stopped, in words."""
        return self.restarts[self.best].sentence

    def _derive(self, options: WorkOptions) -> Work:
        return derive_climb(self)

    def _derive_iteration(self, iteration: int, options: WorkOptions) -> Work:
        return derive_rise(self, iteration)


def expectation_maximization(
    e_step: Callable[[P], tuple[S, float]],
    m_step: Callable[[S], P],
    init: P | Callable[[int], P],
    *,
    n_init: int = 1,
    tol: float = 1e-6,
    atol: float = 0.0,
    max_iter: int = 100,
    log_prior: Callable[[P], float] | None = None,
    monitor: Callable[[int, float, P], bool | None] | None = None,
    q: Callable[[S, P], float] | None = None,
) -> EMResult[P, S]:
    """Climb from each start until the objective settles, and keep the best end.

    Parameters
    ----------
    e_step : params → (expected sufficient statistics, log-likelihood of the params)
    m_step : statistics → params that maximize the expected log-likelihood, plus the log prior if there is one
    init : the start, or a function that gives the start number 0, 1, … n_init − 1
    n_init : how many starts
    tol, atol : it has settled when |new − old| ≤ tol · max(|new|, |old|) + atol
    max_iter : updates from one start, at most
    log_prior : params → log prior density; the objective is then the log posterior
    monitor : sees (iteration, objective, params), and ends the climb from this start by returning True
    q : (statistics of h, params h′) → Q(h′|h), the expected log-likelihood of the complete data, which the work then
        shows; without a log prior it rises by no more than the log-likelihood does

    A start that raises a `DataError` is reported among the `restarts`; if every start does, the first error is raised.

    Examples
    --------
    Two coins, one of them drawn for each five sets of ten tosses, but nobody noted which (Do and Batzoglou, 2008):

    >>> import numpy as np
    >>> heads = np.array([5, 9, 8, 4, 7])
    >>> def e_step(theta):
    ...     joint = 0.5 * theta**heads[:, None] * (1 - theta) ** (10 - heads[:, None])
    ...     share = joint / joint.sum(axis=1, keepdims=True)
    ...     return (heads @ share, (10 - heads) @ share), np.log(joint.sum(axis=1)).sum()
    >>> result = expectation_maximization(e_step, lambda s: s[0] / (s[0] + s[1]), np.array([0.6, 0.5]))
    >>> result.params.round(2).tolist(), result.sentence
    ([0.8, 0.52], 'It converged after 9 iterations.')
    """
    if n_init < 1:
        raise ParameterError(f"n_init is {n_init!r}; there must be at least one start")
    if n_init > 1 and not callable(init):
        raise ParameterError(f"n_init is {n_init!r}, but init is one start: give a function of the start's number")
    climb = _Climb(e_step, m_step, StoppingRule(tol, atol, "up", False), max_iter, log_prior, monitor)
    restarts: list[Restart] = []
    best: dict[str, Any] = {}
    errors: list[DataError] = []
    for i in range(n_init):
        try:
            run, path = climb.from_start(init(i) if callable(init) else init)
        except DataError as error:
            errors.append(error)
            restarts.append(Restart(-math.inf, 0, str(error)))
            continue
        objective = run.history[-1] if run.history else -math.inf
        restarts.append(Restart(objective, run.n_iter, run.sentence))
        if not best or objective > restarts[best["best"]].objective:
            best = {"best": i, "history": run.history, "outcome": run.outcome, "state": run.params, "path": path}
    if not best:
        raise errors[0]
    state = best.pop("state")
    prior = 0.0 if log_prior is None else float(log_prior(state.params))
    log_likelihood = restarts[best["best"]].objective - prior
    return EMResult(state.params, state.statistics, log_likelihood, restarts=tuple(restarts), q=q, **best)


@dataclass(frozen=True)
class _Climb(Generic[P, S]):
    """What all starts share."""

    e_step: Callable[[P], tuple[S, float]]
    m_step: Callable[[S], P]
    rule: StoppingRule
    max_iter: int
    log_prior: Callable[[P], float] | None
    monitor: Callable[[int, float, P], bool | None] | None

    def from_start(self, start: P) -> tuple[Any, tuple[EMState[P, S], ...]]:
        """A run of `iterate`, which refuses every fall: so the step itself must say when it has settled; its path."""
        before: list[float] = []
        path = KeptStates[EMState[P, S]]()

        def step(state: EMState[P, S]) -> tuple[EMState[P, S] | Outcome, float]:
            found = recorded(self.e_step, (state.params,), lambda: self.e_step(state.params))
            if not isinstance(found, tuple) or len(found) != 2:
                raise InputTypeError(
                    f"e_step gave {quoted(found)}; it must give a pair, the statistics and the log-likelihood"
                )
            statistics, objective = found
            objective = float(objective)
            if self.log_prior is not None:
                objective += float(self.log_prior(state.params))
            settled = bool(before) and self.rule.settled((before[-1], objective))
            before[:] = [objective]
            if settled:
                return Outcome.CONVERGED, objective
            if not math.isfinite(objective):  # nothing can be solved from it, and `iterate` will refuse it
                return Outcome.DIVERGED, objective
            return EMState(state.iteration + 1, self.m_step(statistics), statistics), objective

        def watch(iteration: int, objective: float, state: EMState[P, S]) -> bool | None:
            path.append(state)
            return None if self.monitor is None else self.monitor(iteration, objective, state.params)

        begun: EMState[P, S] = EMState(0, start)
        run = iterate(
            step,
            begun,
            max_iter=self.max_iter,
            tol=None,
            direction="up",
            monotone=True,
            noise=NOISE,
            monitor=watch,
        )
        return run, path.states()
