"""How much the voice of a neighbour counts, and which class wins."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from novacula.table.chunk import Codes, Floats

TIE = 1e-12
"""Relative difference of two sums that rounding may have made."""


def strengths(share: Floats, distance: Floats, weights: str) -> Floats:
    """The strength of each neighbour's voice (m, w) from the places that it takes and how far away it is.

    >>> strengths(np.ones((2, 2)), np.array([[1.0, 4.0], [0.0, 4.0]]), "distance").tolist()
    [[1.0, 0.25], [1.0, 0.0]]
    """
    if weights == "uniform":
        return share
    # Beside one at distance 0 the others count for nothing, as their part does in the limit.
    there = (distance == 0.0) & (share > 0.0)
    inverse = np.divide(share, distance, out=np.zeros_like(share), where=distance > 0.0)
    return np.where(there.any(axis=1, keepdims=True), np.where(there, share, 0.0), inverse)


def cast_votes(share: Floats, strength: Floats, distance: Floats, code: Codes, n_classes: int) -> Floats:
    """The strength for each class, and the distances of those who take places for it, in sum: (m, K, 2)."""
    m = len(share)
    place = (np.arange(m)[:, None] * n_classes + code).ravel()
    sums = [np.bincount(place, held.ravel(), m * n_classes) for held in (strength, share * distance)]
    return np.stack(sums, axis=1, dtype=np.float64).reshape(m, n_classes, 2)


def winners(votes: Floats) -> npt.NDArray[np.intp]:
    """The class with most votes; ties go to the one with the nearer voters, then to the first: (m,)."""
    strength, far = votes[:, :, 0], votes[:, :, 1]
    leads = strength >= strength.max(axis=1, keepdims=True) * (1.0 - TIE)
    far = np.where(leads, far, np.inf)
    return np.asarray(np.argmax(far <= far.min(axis=1, keepdims=True) * (1.0 + TIE), axis=1))
