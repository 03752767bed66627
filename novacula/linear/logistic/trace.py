"""What a logistic fit keeps for its work: the first rows, and for each step that is kept what the other rows add.

So a sum over all rows is shown as the terms of the first rows and one number, which is no difference from the result:
where all rows are kept, it is zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from scipy import special

from novacula.learner.first_rows import first_counted
from novacula.learner.trace import MOST_NUMBERS, FitPath, PathRecorder
from novacula.linear.logistic.objective import LogisticObjective, LogisticPoint
from novacula.state import State, codes, flag, floats, record
from novacula.table.chunk import Codes, Floats

ROWS = 20
"""Rows that are kept, fewer where they are long."""
CURVED = 6
"""Parameters up to which Hessians are kept."""


@dataclass(frozen=True, eq=False)
class LogisticTrace:
    """The path of P parameters, at most 25 states, with what a step needs of the rows: 2P + 2 + P² numbers a state."""

    state: ClassVar[State] = {
        "path": record(FitPath, kept="kept", m="parameters"),
        "losses": floats("kept"),
        "gradients": floats("kept", "parameters"),
        "hessians": floats("kept", "curved", "curved"),
        "shares": floats("moves", least=0.0, most=1.0),
        "rows": floats("first", "columns"),
        "classes": codes("first", below="classes"),
        "weights": floats("first", least=0.0),
        "complete": flag(),
    }

    path: FitPath
    losses: Floats  # (kept,), Σ loss of the rows that are not kept
    gradients: Floats  # (kept, P), the same of its gradient
    hessians: Floats  # (kept, P, P) that Newton's next step solves with, or (kept, 0, 0)
    shares: Floats  # (kept,), of Newton's step that led there, or (0,)
    rows: Floats  # (r, d), the first rows
    classes: Codes  # (r,), theirs
    weights: Floats  # (r,), with the factor of the class
    complete: bool  # whether these are all rows

    def place(self, iteration: int) -> int:
        """Where the state after an iteration is kept; FitPath says why where it is not."""
        self.path.at(iteration, self.path.states.shape[1:])
        return int(np.searchsorted(self.path.iterations, iteration))


@dataclass(frozen=True, eq=False)
class FirstLogisticRows:
    """Rows about their centre with a column of ones (r, q), the 1 of their class (r, planes), and weights."""

    z: Floats
    t: Floats
    weights: Floats

    @classmethod
    def of(cls, rows: Floats, classes: Codes, weights: Floats, centre: Floats, shape: tuple[int, int]) -> Self:
        """For weights of a shape: planes, and parameters of each."""
        planes, q = shape
        z = rows - centre
        if q > z.shape[1]:
            z = np.column_stack([z, np.ones(len(z))])
        t = (classes[:, None] == (np.arange(planes) if planes > 1 else 1)).astype(np.float64)
        return cls(z, t, weights)

    def probabilities(self, w: Floats) -> tuple[Floats, Floats]:
        """Margins and probabilities (…, r, planes) for weights (…, planes, q)."""
        m = self.z @ np.swapaxes(w, -1, -2)
        return m, special.expit(m) if m.shape[-1] == 1 else special.softmax(m, axis=-1)

    def sums(self, w: Floats, loss: str) -> tuple[Floats, Floats]:
        """Loss (…,) and gradient (…, planes, q) of these rows for weights (…, planes, q)."""
        m, h = self.probabilities(w)
        gap = h - self.t
        if loss == "squared":
            losses, pulls = 0.5 * gap**2, gap * h * (1.0 - h)
        elif m.shape[-1] == 1:
            losses, pulls = -special.log_expit(np.where(self.t == 1.0, m, -m)), gap
        else:
            losses, pulls = -special.log_softmax(m, axis=-1) * self.t, gap
        return losses.sum(axis=-1) @ self.weights, np.swapaxes(pulls * self.weights[:, None], -1, -2) @ self.z


class LogisticRecorder(PathRecorder):
    """A monitor that keeps of each point its parameters, loss, gradient, share, and the Hessian that serves it."""

    def __init__(self, objective: LogisticObjective, is_newton: bool) -> None:
        super().__init__(self.numbers)
        self.objective = objective
        planes, q = objective.shape
        self.size = planes * q
        self.curved = self.size if is_newton and planes == 1 and q <= CURVED else 0
        self.hessian = np.zeros((self.curved, self.curved))

    def numbers(self, point: LogisticPoint) -> Floats:
        """A point as one vector; near the end of Newton's method one Hessian serves several."""
        if self.curved and point.hessian is not None:
            self.hessian = point.hessian
        return np.concatenate([point.theta, [point.loss], point.gradient, [point.share], self.hessian.ravel()])

    def trace(self) -> LogisticTrace:
        """What is kept, with the first rows of the table."""
        objective, kept, p = self.objective, self.kept(), self.size
        theta, loss, gradient, share, hessian = np.split(kept.states, [p, p + 1, 2 * p + 1, 2 * p + 2], axis=1)
        most = max(min(ROWS, MOST_NUMBERS // max(len(objective.frame.centre), 1)), 1)
        first, complete = first_counted(objective.table, most)
        classes = np.asarray(first.target, np.int32)
        weights = first.weight * objective.frame.factor[classes]
        held = FirstLogisticRows.of(first.dense(), classes, weights, objective.frame.centre, objective.shape)
        own_loss, own_gradient = held.sums(theta.reshape(-1, *objective.shape), objective.loss)
        other = (gradient - objective.l2 * theta * objective.charged) / objective.C - own_gradient.reshape(theta.shape)
        rest = loss[:, 0] - own_loss
        return LogisticTrace(
            FitPath(kept.iterations, theta.copy()),
            np.zeros_like(rest) if complete else rest,
            np.zeros_like(other) if complete else other,
            hessian.reshape(len(theta), self.curved, self.curved).copy(),
            share[:, 0].copy() if self.curved else np.zeros(0),
            np.asarray(first.dense(), np.float64),
            classes,
            weights,
            complete,
        )
