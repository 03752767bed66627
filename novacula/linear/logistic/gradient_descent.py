"""Gradient descent as textbooks teach it: w ← w − η ∇f at a rate that is stated, on columns as they are.

Without a penalty that is w ← w + η Σ (t − h) x, gradient ascent of the likelihood.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from novacula.errors import DataError
from novacula.learner.iterate import Monitor, Outcome, Run, iterate
from novacula.linear.logistic.objective import LogisticObjective, LogisticPoint
from novacula.linear.logistic.sums import Frame
from novacula.linear.online.passes import rate
from novacula.linear.rows import weighted_sums
from novacula.table.chunk import Chunk, Floats


@dataclass
class GradientDescent:
    """The method on one objective."""

    objective: LogisticObjective
    eta: float
    schedule: str
    tol: float
    made: int = field(init=False, default=0)

    def run(self, max_iter: int, monitor: Monitor[LogisticPoint]) -> Run[LogisticPoint]:
        """Go down from zero until a step changes nothing."""
        return iterate(self.step, self.objective.at(self.objective.start), max_iter=max_iter, tol=None, monitor=monitor)

    def step(self, point: LogisticPoint) -> tuple[LogisticPoint | Outcome, float]:
        """One step of the driver."""
        move = rate(self.eta, self.schedule, self.made) * point.gradient
        if np.abs(move).max() <= self.tol * max(1.0, float(np.abs(point.theta).max())):
            return Outcome.CONVERGED, point.value
        self.made += 1
        return self.objective.at(point.theta - move), point.value


def safe_rate(objective: LogisticObjective) -> float:
    """1/L for a bound L on the curvature, with which no step leads upwards: ¼ or ½ of C Σ s‖x‖², and the penalty's."""
    columns, share = objective.columns, 0.25 if objective.shape[0] == 1 else 0.5
    n = float(columns.weight.sum())
    squares = float((columns.ssd + n * columns.mean**2).sum()) + n * objective.frame.intercept
    bound = share * objective.C * float(objective.frame.factor.max()) * squares + objective.l2
    if not np.isfinite(bound):
        raise DataError("the curvature of the loss overflows, so that no rate is safe: scale columns and weights")
    return 1.0 / bound if bound > 0.0 else 1.0


def accuracy(objective: LogisticObjective, theta: Floats) -> float:
    """The share of the weight of the rows whose class is the most probable one, by one more pass."""
    right, weight = objective.table.map(right_rows, theta.reshape(objective.shape), objective.frame).sum(axis=0)
    return float(right / weight)


def right_rows(chunk: Chunk, w: Floats, frame: Frame) -> Floats:
    """The weight of the rows on their right side, and of all, as one row."""
    d = len(frame.centre)
    intercept = (w[:, d] if frame.intercept else 0.0) - w[:, :d] @ frame.centre
    values = weighted_sums(chunk, w[:, :d].T, intercept)
    found = values.argmax(axis=1) if len(w) > 1 else (values[:, 0] > 0.0).astype(int)
    target = np.asarray(chunk.target)
    weight = chunk.weight * frame.factor[target]
    return np.array([[float(weight[found == target].sum()), float(weight.sum())]])
