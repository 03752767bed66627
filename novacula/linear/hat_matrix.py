"""Least squares and ridge without one row: with ŷ = Hy, a row that is left out has the residual (y − ŷ) / (1 − h)."""

from __future__ import annotations

import numpy as np

from novacula.learner.left_out import LeftOut
from novacula.table.chunk import Floats

TRUSTED = 1e-5
"""How far from 1 a leverage must be: (y − ŷ) / (1 − h) has as many digits more wrong as 1 − h has zeros."""


def left_out_of_plane(x: Floats, y: Floats, fitted: Floats, alpha: float, intercept: bool) -> LeftOut:
    """y − (y − ŷ) / (1 − h) of each row, for a penalty of α on the squares of the weights; `fitted` are ŷ."""
    rest = 1.0 - leverages(x, alpha, intercept)
    trusted = rest > TRUSTED
    share = np.where(trusted, rest, 1.0).reshape(-1, *(1 for _ in y.shape[1:]))
    return LeftOut(y - (y - fitted) / share, trusted, "hat matrix")


def leverages(x: Floats, alpha: float, intercept: bool) -> Floats:
    """The diagonal of X(XᵀX + αI)⁻¹Xᵀ, with 1/n more for an intercept, from singular values."""
    from scipy.linalg import svd

    x = x - x.mean(axis=0) if intercept else x
    if alpha == 0.0:  # then the units of columns do not matter, but for which directions count as none
        lengths = np.linalg.norm(x, axis=0)
        x = x / np.where(lengths > 0.0, lengths, 1.0)
    u, s, _ = svd(x, full_matrices=False)
    none = s <= s.max(initial=0.0) * max(x.shape) * np.finfo(np.float64).eps
    none |= s**2 == 0.0  # of columns whose squares underflow, which the fit leaves out too
    kept = np.where(none, 0.0, s**2 / np.where(none, 1.0, s**2 + alpha))
    return np.asarray(u**2 @ kept + (1.0 / len(x) if intercept else 0.0))
