"""Newton's method: the step to the minimum of the quadratic that touches the objective.

    H δ = −g        λ = √(gᵀH⁻¹g), the length of the step as the Hessian measures it

Near the minimum each step squares λ, so the Hessian of a point where λ is small serves the next points as well:
they cost a gradient only. It ends where λ is at most tol in units of √(C Σs).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy import linalg

from novacula.learner.iterate import Monitor, Outcome, Run, iterate
from novacula.linear.logistic.objective import LogisticObjective, LogisticPoint
from novacula.linear.solve import WELL_CONDITIONED, cholesky
from novacula.table.chunk import Codes, Floats

NEAR = 1e-3
"""λ in units of √(C Σs) below which the Hessian is kept."""
RANK = 1e-12
"""The share of the largest eigenvalue below which columns of length 1 are taken for dependent."""
ROUNDING = 1e-6
"""λ in units of √(C Σs) below which steps that gain nothing are taken for rounding."""
PATIENCE = 5
"""Steps of Newton's that do not halve λ after which rounding is all that is left."""


@dataclass
class Progress:
    """Whether a measure that should fall to tol has done so, or as far as rounding lets it."""

    tol: float
    patience: int = PATIENCE
    best: float = np.inf
    waited: int = 0

    def is_settled(self, measure: float) -> bool:
        """Take note of the measure of a step; True where nothing is left to gain."""
        self.waited = 0 if measure < 0.5 * self.best else self.waited + 1
        self.best = min(self.best, measure)
        return measure <= self.tol or (self.best < ROUNDING and self.waited >= self.patience)


@dataclass
class Newton:
    """The method on one objective; `rank` is how many directions its columns span, with the intercept."""

    objective: LogisticObjective
    tol: float
    first: LogisticPoint = field(init=False)
    basis: Floats | None = field(init=False, default=None)
    upper: Floats = field(init=False)
    scale: Floats = field(init=False)
    progress: Progress = field(init=False)

    def __post_init__(self) -> None:
        self.progress = Progress(self.tol)
        self.every: Codes = np.arange(self.objective.shape[1], dtype=np.int32)

    def run(self, max_iter: int, monitor: Monitor[LogisticPoint] | None) -> Run[LogisticPoint]:
        """Go from zero to the minimum."""
        self.first = self.objective.at(self.objective.start, self.every)
        if self.objective.l2 == 0.0 and self.first.hessian is not None:
            self.basis = independent(self.first.hessian, self.objective)
        return iterate(self.step, self.first, max_iter=max_iter, tol=None, monitor=monitor)

    def step(self, point: LogisticPoint) -> tuple[LogisticPoint | Outcome, float]:
        """One step of the driver."""
        if not np.isfinite(point.value):
            return Outcome.DIVERGED, point.value
        if point.hessian is not None:
            self.factorise(point.hessian)
        step = self.solve(-point.gradient)
        slope = float(step @ point.gradient)
        length = np.sqrt(max(-slope, 0.0) / self.objective.weight)
        if self.progress.is_settled(length):
            return Outcome.CONVERGED, point.value
        following = self.objective.search(point, step, slope, None if length < NEAR else self.every)
        return (Outcome.STALLED if following is None else following), point.value

    def factorise(self, hessian: Floats) -> None:
        """Make ready to solve with a Hessian."""
        matrix = curve_shared_directions(hessian, self.objective.shape[0])
        if self.basis is not None:
            matrix = self.basis.T @ matrix @ self.basis
        self.scale = np.sqrt(np.maximum(np.diagonal(matrix), np.finfo(float).tiny))
        matrix = matrix / self.scale / self.scale[:, None]
        self.upper, rcond = cholesky(matrix)
        if rcond < RANK:  # where probabilities are all but 0 and 1, a little more curvature makes a shorter step
            matrix[np.diag_indices_from(matrix)] += np.sqrt(RANK)
            self.upper, _ = cholesky(matrix)

    def solve(self, right: Floats) -> Floats:
        """Solve H x = right, within the span of the columns."""
        right = right if self.basis is None else self.basis.T @ right
        found = linalg.cho_solve((self.upper, False), right / self.scale) / self.scale
        return np.asarray(found if self.basis is None else self.basis @ found)


def curve_shared_directions(hessian: Floats, planes: int) -> Floats:
    """Curve the directions along which all planes move alike, which change no probability and so have no curvature.

    The gradient has no part along them: a step is what it would be, and the planes keep the sum zero.
    """
    if planes == 1:
        return hessian
    q = len(hessian) // planes
    matrix = hessian.copy().reshape(planes, q, planes, q)
    curve = np.einsum("kjkj->j", matrix) / planes**2
    for j in range(q):
        matrix[:, j, :, j] += curve[j]
    return matrix.reshape(hessian.shape)


def independent(hessian: Floats, objective: LogisticObjective) -> Floats | None:
    """A basis (P, planes · rank) of the directions that the columns span; None where that is all of them.

    At the start, where the Hessian is taken, that of each plane is the same multiple of ZᵀZ.
    """
    planes, q = objective.shape
    live = objective.varies
    gram = hessian[:q, :q][np.ix_(live, live)]
    scale = np.sqrt(np.diagonal(gram))
    gram = gram / scale / scale[:, None]
    if len(live) == q and cholesky(gram)[1] >= WELL_CONDITIONED:
        return None
    values, vectors = np.linalg.eigh(gram)
    varying = values > RANK * values.max(initial=0.0)
    if len(live) == q and varying.all():
        return None
    basis = np.zeros((q, int(varying.sum())))
    basis[live] = vectors[:, varying] / scale[:, None]
    return np.asarray(np.kron(np.eye(planes), basis), np.float64)
