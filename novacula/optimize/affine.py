"""Linear equalities Ax = b as a set: one point of it and the directions within, x = x₀ + Zu.

To replace x by u turns a problem with equalities into one without. Redundant rows of A do no harm; rows that
contradict each other are shown by a certificate y with Aᵀy = 0 and bᵀy > 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from novacula.arguments import Floats

RANK = 1e-11
"""Singular values below this share of the largest are 0, for rows of length 1."""
GAP = 1e-9
"""What the right-hand sides may contradict each other by, relative to their size."""


@dataclass(frozen=True, eq=False)
class AffineSet:
    """The x with Ax = b (p equalities, d variables)."""

    point: Floats  # (d,), of least length; in the sense of least squares if there is none
    directions: Floats  # Z (d, d − rank), orthonormal
    inverse: Floats  # (d, p), a generalised inverse of A
    rank: int
    contradiction: Floats | None  # y (p,)

    @classmethod
    def of(cls, A: Floats, b: Floats) -> Self:
        """Decompose A by singular values, its rows scaled to one length."""
        lengths = np.linalg.norm(A, axis=1)
        lengths[lengths == 0] = 1.0
        target = b / lengths
        U, singular, Vt = np.linalg.svd(A / lengths[:, None])
        rank = int(np.sum(singular > RANK * max(1.0, singular.max(initial=0.0))))
        inverse = (Vt[:rank].T / singular[:rank]) @ U[:, :rank].T / lengths
        gap = U[:, rank:] @ (U[:, rank:].T @ target)
        contradictory = np.linalg.norm(gap) > GAP * max(1.0, np.abs(target).max(initial=0.0))
        return cls(inverse @ b, Vt[rank:].T, inverse, rank, gap / lengths if contradictory else None)

    def multipliers(self, gradient: Floats) -> Floats:
        """The α with Aᵀα nearest to the gradient."""
        return self.inverse.T @ gradient
