"""L-BFGS: Newton's step with a Hessian made up from the last gradients, for parameters too many for a real one.

    δ = −B g        B from pairs (change of w, change of g), by the two loops of Nocedal (1980)

It begins with Böhning's bound (1992): the Hessian of K classes is at most ½ (I − 11ᵀ/K) ⊗ C ZᵀZ, for two classes
¼ C ZᵀZ. With it columns of any unit, also those that lean on each other, are alike. Where ZᵀZ is too large, its
diagonal stands for it. It ends where √(gᵀM⁻¹g) for that bound M is at most tol in units of √(C Σs).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from scipy import linalg

from novacula.learner.iterate import Monitor, Outcome, Run, iterate
from novacula.linear.logistic.newton import RANK, Progress
from novacula.linear.logistic.objective import LogisticObjective, LogisticPoint
from novacula.optimize.lbfgs import StepMemory
from novacula.statistics import CoMoments
from novacula.table.chunk import Chunk, Floats

PAIRS = 20
"""Changes that are remembered."""
PATIENCE = 60
"""Steps that do not halve the gradient after which rounding is all that is left."""
GRAM_COLUMNS = 1000
"""Columns up to which ZᵀZ is made."""


@dataclass
class LBFGS:
    """The method on one objective."""

    objective: LogisticObjective
    tol: float
    gauge: float = field(init=False, default=1.0)

    def __post_init__(self) -> None:
        self.memory = StepMemory(PAIRS)
        self.progress = Progress(self.tol, PATIENCE)
        self.bound = Bound(self.objective)

    def run(
        self, max_iter: int, monitor: Monitor[LogisticPoint] | None, start: Floats | None = None
    ) -> Run[LogisticPoint]:
        """Go from the start, which is zero unless given, to the minimum."""
        first = self.objective.at(self.objective.start if start is None else start)
        return iterate(self.step, first, max_iter=max_iter, tol=None, monitor=monitor)

    def step(self, point: LogisticPoint) -> tuple[LogisticPoint | Outcome, float]:
        """One step of the driver."""
        square = float(point.gradient @ self.bound.solve(point.gradient))
        if self.progress.is_settled(math.sqrt(square / self.objective.weight)):
            return Outcome.CONVERGED, point.value
        step = -self.quasi_newton(point.gradient)
        slope = float(step @ point.gradient)
        following = self.objective.search(point, step, slope)
        if following is None:
            return Outcome.STALLED, point.value
        self.remember(following.theta - point.theta, following.gradient - point.gradient)
        return following, point.value

    def quasi_newton(self, gradient: Floats) -> Floats:
        """B g by the two loops, from the bound times what it is off along the last step."""
        return self.memory.product(gradient, lambda q: self.gauge * self.bound.solve(q))

    def remember(self, s: Floats, y: Floats) -> None:
        """Keep a pair, unless rounding or a loss that is not convex bends it the wrong way."""
        if self.memory.remember(s, y):
            self.gauge = float(s @ y) / float(y @ self.bound.solve(y))


class Bound:
    """Böhning's bound on the Hessian, or its diagonal, ready to solve with."""

    def __init__(self, objective: LogisticObjective) -> None:
        self.shape, live = objective.shape, objective.varies
        d = len(objective.frame.centre)
        share = (0.25 if self.shape[0] == 1 else 0.5) * objective.C * float(objective.frame.factor.max())
        penalty = objective.l2 * objective.charged[: self.shape[1]]
        self.live, self.upper = live, None
        squares = share * squared_lengths(objective) + penalty
        self.scale = np.sqrt(squares[live])
        if objective.table.layout.of_kind("sparse") or d > GRAM_COLUMNS:
            return
        gram = share * products(objective) + np.diag(penalty)
        matrix = gram[np.ix_(live, live)] / self.scale / self.scale[:, None]
        matrix[np.diag_indices_from(matrix)] += RANK
        self.upper = linalg.cholesky(matrix)

    def solve(self, right: Floats) -> Floats:
        """M⁻¹ right; columns that do not vary have no part in it."""
        rows = right.reshape(self.shape)
        step = np.zeros_like(rows)
        scaled = rows[:, self.live] / self.scale
        if self.upper is not None:
            scaled = linalg.cho_solve((self.upper, False), scaled.T).T
        step[:, self.live] = scaled / self.scale
        return step.ravel()


def squared_lengths(objective: LogisticObjective) -> Floats:
    """The diagonal of ZᵀZ (q,)."""
    columns, frame = objective.columns, objective.frame
    total = float(columns.weight.sum())
    squares = columns.ssd + total * (columns.mean - frame.centre) ** 2
    return np.append(squares, [total] * int(frame.intercept))


def products(objective: LogisticObjective) -> Floats:
    """ZᵀZ (q, q), by one pass over the rows."""
    moments = objective.table.reduce(feature_moments)
    frame = objective.frame
    lever = np.sqrt(moments.weight) * np.append(moments.mean - frame.centre, [1.0] * int(frame.intercept))
    d = len(frame.centre)
    gram = np.outer(lever, lever)
    gram[:d, :d] += moments.scatter
    return gram


def feature_moments(chunk: Chunk) -> CoMoments:
    """The joint moments of the features alone."""
    return CoMoments.observe(Chunk(chunk.numeric, chunk.codes, chunk.weight))
