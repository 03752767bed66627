"""Proximal Newton for penalties that make weights zero: the quadratic that touches the loss, plus l1·‖w‖₁.

Each step takes a working set, the columns that have a weight or ought to, and minimises quadratic plus penalty
over it by coordinate descent. It ends where no weight breaks the conditions of Karush, Kuhn and Tucker,

    |∂f/∂wⱼ| ≤ l1 where wⱼ = 0        ∂f/∂wⱼ = −l1 · sign wⱼ elsewhere

by more than tol, the violations measured by the diagonal of the Hessian, in units of √(C Σs).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from novacula.learner.iterate import Monitor, Outcome, Run, iterate
from novacula.linear.logistic.newton import Progress
from novacula.linear.logistic.objective import LogisticObjective, LogisticPoint
from novacula.table.chunk import Codes, Floats

FIRST_SET = 100
"""Columns that a working set has room for, at least; beyond that, twice those that have a weight."""
SWEEPS = 10_000
INNER = 0.1
"""Precision of coordinate descent, as a share of that which is wanted in the end."""


@dataclass
class ProximalNewton:
    """The method on one objective."""

    objective: LogisticObjective
    tol: float

    def __post_init__(self) -> None:
        self.progress = Progress(self.tol)
        self.price = self.objective.l1 * self.objective.charged
        self.everything = self.objective.shape[1] <= FIRST_SET

    def run(self, max_iter: int, monitor: Monitor[LogisticPoint] | None) -> Run[LogisticPoint]:
        """Go from zero to the minimum."""
        every = np.arange(self.objective.shape[1], dtype=np.int32) if self.everything else None
        first = self.objective.at(self.objective.start, every)
        run = iterate(self.step, first, max_iter=max_iter, tol=None, monitor=monitor)
        return replace(run, params=replace(run.params, theta=self.unshifted(run.params.theta)))

    def step(self, point: LogisticPoint) -> tuple[LogisticPoint | Outcome, float]:
        """One step of the driver."""
        from novacula.linear._kernels import descend_quadratic

        violation = self.violations(point)
        columns = self.working_set(point.theta, violation)
        hessian = point.hessian if self.everything else self.objective.at(point.theta, columns).hessian
        if hessian is None:
            return Outcome.DIVERGED, point.value
        places = self.objective.places(columns)
        curve = np.diagonal(hessian)
        lengths = np.divide(violation[places] ** 2, curve, out=np.zeros_like(curve), where=curve > 0.0)
        if self.progress.is_settled(float(np.sqrt(lengths.sum() / self.objective.weight))):
            return Outcome.CONVERGED, point.value
        w, gradient = point.theta[places].copy(), point.gradient[places].copy()
        precise = INNER * self.tol * float(np.sqrt(self.objective.weight))
        descend_quadratic(np.ascontiguousarray(hessian), self.price[places], False, w, gradient, precise, SWEEPS)
        step = np.zeros_like(point.theta)
        step[places] = w - point.theta[places]
        cost = self.price @ (np.abs(point.theta + step) - np.abs(point.theta))
        slope = float(point.gradient @ step + cost)
        following = self.objective.search(point, step, slope, columns if self.everything else None)
        return (Outcome.STALLED if following is None else following), point.value

    def unshifted(self, theta: Floats) -> Floats:
        """Of the solutions that differ by what all planes share, one: the lower median of each column is zero.

        For an even number of planes, ‖w‖₁ is the same wherever zero lies between the two medians. The intercepts,
        which cost nothing, are given a sum of zero.
        """
        w, (planes, _) = theta.reshape(self.objective.shape).copy(), self.objective.shape
        if planes == 1:
            return theta
        d = len(self.objective.frame.centre)
        w[:, d:] -= w[:, d:].mean(axis=0)
        if self.objective.l2 == 0.0 and planes % 2 == 0:
            w[:, :d] -= np.sort(w[:, :d], axis=0)[planes // 2 - 1]
        return w.ravel()

    def violations(self, point: LogisticPoint) -> Floats:
        """How far each parameter is from meeting the conditions (P,)."""
        pull = -point.gradient
        at_rest = np.maximum(np.abs(pull) - self.price, 0.0)
        return np.where(point.theta == 0.0, at_rest, np.abs(pull - self.price * np.sign(point.theta)))

    def working_set(self, theta: Floats, violation: Floats) -> Codes:
        """The columns with a weight in some plane, the intercept, and those that break the conditions most."""
        shape = self.objective.shape
        if self.everything:
            return np.arange(shape[1], dtype=np.int32)
        working = (theta.reshape(shape) != 0.0).any(axis=0)
        working[len(self.objective.frame.centre) :] = True
        broken = np.where(working, 0.0, violation.reshape(shape).max(axis=0))
        room = max(FIRST_SET, int(working.sum()))
        worst = np.argsort(-broken, kind="stable")[:room]
        working[worst[broken[worst] > 0.0]] = True
        return np.flatnonzero(working).astype(np.int32)
