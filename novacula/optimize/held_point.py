"""A point on the way through a problem with constraints, and the curvature and steps that are found from it alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from novacula.arguments import Floats, read_only
from novacula.optimize.kkt import largest, measured
from novacula.optimize.objective import DescentPoint
from novacula.optimize.quadratic_program import quadratic_program

FLAT = 1e-8
"""The least curvature of a step, as a share of the largest."""
STIFFER = (1.0, 1e2, 1e4)
"""How much curvature is added across binding constraints, where there is too little along them."""
BINDS = 1e-7
"""A multiplier above this share of the largest is not 0."""
DEAR, CLEARLY = 1e3, 1e-6
"""Constraints that pull this many times as hard as f, and are clearly missed, may contradict each other."""
FAINTLY = 1e-4
"""The curvature that keeps a step towards the constraints short where they say nothing of its length."""


@dataclass(frozen=True, eq=False, kw_only=True)
class HeldPoint(DescentPoint):
    """A point with the slope of f, the constraints h ≤ 0 and g = 0 with their Jacobians, and multipliers.

    Its gradient is that of the Lagrangian.
    """

    slope: Floats
    h: Floats
    H: Floats
    g: Floats
    A: Floats
    z: Floats
    alpha: Floats
    price: float = 1.0

    @property
    def missed(self) -> float:
        """By how much the constraints are missed, in sum."""
        return sum_missed(self.h, self.g)

    def is_settled(self, tol: float) -> bool:
        """Whether all conditions of Karush, Kuhn and Tucker hold."""
        residuals = measured(self.gradient, self.h, self.z, self.g)
        met = residuals.primal_feasibility <= tol * max(1.0, largest(self.x))
        slack = residuals.complementary_slackness <= tol * max(1.0, largest(self.z), abs(self.value))
        return met and slack and self.norm <= tol * max(1.0, abs(self.value), largest(self.slope))

    def is_dear(self, z: Floats, alpha: Floats) -> bool:
        """Whether constraints that are missed pull so hard that they may contradict each other."""
        pulls = np.append(z * np.linalg.norm(self.H, axis=1), alpha * np.linalg.norm(self.A, axis=1))
        is_missed = self.missed > CLEARLY * max(1.0, largest(self.x))
        return is_missed and largest(pulls) > DEAR * max(1.0, largest(self.slope))

    def binding(self) -> tuple[npt.NDArray[np.bool_], Floats]:
        """Which inequalities have a price, and the gradients of those and of the equalities."""
        binds = self.z > BINDS * max(1.0, largest(self.z))
        return binds, np.vstack([self.A, self.H[binds]])


def sum_missed(h: Floats, g: Floats) -> float:
    """Σ max(h, 0) + Σ |g|."""
    return float(np.maximum(h, 0.0).sum() + np.abs(g).sum())


def positive(W: Floats, across: Floats) -> tuple[Floats, bool]:
    """W, if need be with more curvature across binding constraints, or else in all directions; whether it was changed.

    Across constraints that bind a step has no choice, so what is added there changes nothing in the end.
    """
    size = max(1.0, largest(W))
    for stiffer in (0.0, *STIFFER):
        B = W + stiffer * size * across.T @ across
        if np.linalg.eigvalsh(B)[0] > FLAT * size:
            return B, bool(stiffer)
        if not len(across):
            break
    eigenvalues, vectors = np.linalg.eigh(W)
    return (vectors * np.maximum(np.abs(eigenvalues), FLAT * size)) @ vectors.T, True


def nearest(point: HeldPoint, curvature: Floats) -> tuple[Floats, Floats, Floats]:
    """The step after which the linear constraints are missed least, in sum, and the weights of the constraints."""
    (m, d), p = point.H.shape, len(point.A)
    P = np.zeros((d + m + p, d + m + p))
    P[:d, :d] = curvature
    cost = np.append(np.zeros(d), np.ones(m + p))
    excess, gap = np.hstack([-np.eye(m), np.zeros((m, p))]), np.hstack([np.zeros((p, m)), -np.eye(p)])
    G = np.vstack(
        [
            np.hstack([point.H, excess]),
            np.hstack([np.zeros((m, d)), excess]),
            np.hstack([point.A, gap]),
            np.hstack([-point.A, gap]),
        ]
    )
    sides = np.concatenate([-point.h, np.zeros(m), -point.g, point.g])
    found = quadratic_program(P, cost, G, sides)
    z = np.maximum(found.inequality_multipliers, 0.0)
    return read_only(found.x[:d].copy()), z[:m], z[2 * m + p :] - z[2 * m : 2 * m + p]
