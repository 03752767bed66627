"""The sigmoid unit: o = σ(b + Σ wⱼxⱼ) for targets in [0, 1], taught by gradient steps of all rows.

    squared error   E = ½ Σ (t − o)²                        w ← w + η Σ (t − o) o (1 − o) x
    cross-entropy   G = Σ t ln h + (1 − t) ln(1 − h)        w ← w + η Σ (t − h) x

The first goes down E; the second goes up the likelihood G of t as the probability of 1, where the unit's output is
written h. `LogisticRegression` finds the top of G for classes, by any solver and from any table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np
from scipy import special

from novacula.arguments import as_numbers, one_of
from novacula.errors import DataError, ParameterError
from novacula.learner.iterate import Outcome, Run, iterate
from novacula.learner.showing import ShowsWork, WorkOptions
from novacula.learner.trace import FitPath, PathRecorder
from novacula.learner.work import Work
from novacula.linear.online.derivation.sigmoid_unit import derive_sigmoid, derive_sigmoid_answers, derive_sigmoid_step
from novacula.linear.online.passes import SCHEDULES, rate, warn_of_rises
from novacula.linear.online.start import first_weights
from novacula.table.chunk import Floats

LOSSES = ("cross_entropy", "squared")
TINY = float(np.finfo(float).tiny)


@dataclass(frozen=True, eq=False)
class SigmoidUnit(ShowsWork):
    """A unit that was taught: its weights, and how it came to them."""

    notations: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "mitchell": {"b": "w_0"},
        "aima": {"b": "w_0", "η": "α", "t": "y"},
    }

    coef: Floats
    """The weights (d,)."""
    intercept: float
    history: Floats = field(repr=False)
    """E or G before each step and at the end."""
    outcome: Outcome = field(repr=False)
    loss: str
    rates: Floats = field(repr=False)
    path: FitPath = field(repr=False)
    rows: Floats = field(repr=False)
    targets: Floats = field(repr=False)
    names: tuple[str, ...] = field(repr=False)
    has_bias: bool = field(repr=False)

    @property
    def n_iter(self) -> int:
        """Steps that were made."""
        return len(self.history) - 1

    @property
    def converged(self) -> bool:
        """Whether a step changed nothing any more."""
        return self.outcome is Outcome.CONVERGED

    def predict(self, X: Any) -> Floats:
        """The output for each row of X."""
        rows = _numbers(X, "X", 2)
        if rows.shape[1] != len(self.coef):
            raise DataError(f"X has {rows.shape[1]} columns, and the unit has weights for {len(self.coef)}")
        return np.asarray(special.expit(rows @ self.coef + self.intercept))

    def _derive(self, options: WorkOptions) -> Work:
        return derive_sigmoid(self, options)

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        return derive_sigmoid_answers(self, _numbers(X, "X", 2), options)

    def _derive_iteration(self, iteration: int, options: WorkOptions) -> Work:
        return derive_sigmoid_step(self, iteration, options)


def sigmoid_unit(
    X: Any,
    t: Any,
    *,
    loss: Literal["cross_entropy", "squared"] = "cross_entropy",
    eta0: float = 0.1,
    schedule: str = "constant",
    start_weights: Any = "zeros",
    fit_intercept: bool = True,
    max_iter: int = 100,
    tol: float = 1e-10,
    random_state: Any = None,
    names: Sequence[str] | None = None,
) -> SigmoidUnit:
    """Teach a sigmoid unit rows X (n, d) with targets t (n,) from 0 to 1, step by step.

    Parameters
    ----------
    loss : "squared" goes down ½Σ(t − o)², "cross_entropy" up the likelihood
    eta0, schedule : the rate of step k = 0, 1, …: η, by "decay" η/√(1 + k), by "robbins_monro" η/(1 + k/100)
    start_weights : "zeros", "random" (from −0.05 to 0.05), or the bias first and then one per column
    max_iter, tol : steps at most; it ends earlier when a step changes no weight by more than tol of the largest
    names : those of the columns

    >>> unit = sigmoid_unit([[0.0], [1.0], [2.0]], [0.1, 0.5, 0.9], eta0=1.0, max_iter=1000)
    >>> unit.converged, unit.predict([[0], [1], [2]]).round(6).tolist()
    (True, [0.1, 0.5, 0.9])
    """
    rows, targets = _numbers(X, "X", 2), _numbers(t, "t", 1)
    one_of(loss, "loss", LOSSES)
    one_of(schedule, "schedule", tuple(SCHEDULES))
    if len(targets) != len(rows) or not len(rows):
        raise DataError(f"X has {len(rows)} rows and t has {len(targets)} targets; give as many of both, and some")
    if not ((targets >= 0.0) & (targets <= 1.0)).all():
        outside = targets[(targets < 0.0) | (targets > 1.0)][0]
        raise DataError(f"t holds {outside:g}; targets of a sigmoid unit are from 0 to 1")
    if not eta0 > 0.0 or max_iter < 0 or not tol >= 0.0:
        raise ParameterError("eta0 must be above 0, and max_iter and tol must not be negative")
    columns = tuple(names) if names is not None else tuple(f"x{j}" for j in range(rows.shape[1]))
    if len(columns) != rows.shape[1]:
        raise ParameterError(f"names are {len(columns)}, and X has {rows.shape[1]} columns")
    start = first_weights(start_weights, 1, rows.shape[1], fit_intercept, random_state)[0]
    recorder = PathRecorder()
    teaching = _Teaching(rows, targets, loss, eta0, schedule, fit_intercept, tol)
    run: Run[tuple[int, Floats]] = iterate(
        teaching.step,
        (0, start),
        max_iter=max_iter,
        tol=None,
        monitor=lambda i, value, at: recorder(i, value, at[1]),
    )
    _, w = run.params
    losses = [value if loss == "squared" else -value for value in run.history]
    warn_of_rises(losses, "sigmoid_unit", eta0, 4.0 / max(float((rows**2).sum()) + len(rows) * fit_intercept, TINY))
    rates = np.array([rate(eta0, schedule, k) for k in range(len(run.history))])
    return SigmoidUnit(
        w[:-1], float(w[-1]), np.array(run.history), run.outcome, loss, rates, recorder.kept(), rows, targets, columns,
        fit_intercept,
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class _Teaching:
    """The gradient steps of all rows."""

    rows: Floats
    targets: Floats
    loss: str
    eta: float
    schedule: str
    bias: bool
    tol: float

    def step(self, at: tuple[int, Floats]) -> tuple[tuple[int, Floats] | Outcome, float]:
        """One step from weights (d + 1,), and the objective there."""
        number, w = at
        net = self.rows @ w[:-1] + w[-1]
        o = special.expit(net)
        gap = self.targets - o
        if self.loss == "squared":
            value, pull = 0.5 * float(gap @ gap), gap * o * (1.0 - o)
        else:
            value = float(self.targets @ special.log_expit(net) + (1.0 - self.targets) @ special.log_expit(-net))
            pull = gap
        move = rate(self.eta, self.schedule, number) * np.append(pull @ self.rows, pull.sum() if self.bias else 0.0)
        if np.abs(move).max() <= self.tol * max(1.0, float(np.abs(w).max())):
            return Outcome.CONVERGED, value
        return (number + 1, w + move), value


def _numbers(values: Any, name: str, dimensions: int) -> Floats:
    array = as_numbers(values, name, DataError)
    if array.ndim != dimensions:
        raise DataError(f"{name} has {array.ndim} dimensions; it must have {dimensions}")
    if not np.isfinite(array).all():
        raise DataError(f"{name} holds a missing or infinite value: leave such rows out")
    return array
