"""Whether a Gram matrix is positive semi-definite, by its eigenvalues."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from novacula.errors import ParameterError
from novacula.table.chunk import Floats


@dataclass(frozen=True, slots=True)
class PSDVerdict:
    """The smallest eigenvalue of a Gram matrix, its share of the largest in size, and what follows from it."""

    smallest: float
    relative: float
    tol: float
    psd: bool
    asymmetry: float = 0.0
    """max |K − Kᵀ|, where that is more than rounding makes; eigenvalues are then those of (K + Kᵀ)/2."""

    def __str__(self) -> str:
        if self.asymmetry:
            return f"k(x, y) and k(y, x) differ by up to {self.asymmetry:.6g}, so the matrix is not symmetric"
        share = f"{_signed(self.relative)} of the largest"
        sentence = f"the smallest eigenvalue of the Gram matrix is {_signed(self.smallest)}, {share}"
        if self.psd:
            return f"{sentence}: positive semi-definite"
        return f"{sentence}, and below −{self.tol:g} the matrix is not positive semi-definite"


def judge(K: Floats, tol: float) -> PSDVerdict:
    """The verdict on a square matrix."""
    from scipy.linalg import eigvalsh

    if not tol >= 0.0:
        raise ParameterError(f"tol is {tol!r}; it must be a number that is not negative")
    if K.shape[0] != K.shape[1]:
        raise ParameterError(f"a matrix of shape {K.shape} has no eigenvalues: give the square one")
    values = eigvalsh(0.5 * K + 0.5 * K.T)  # half before the sum, which may overflow
    size = float(np.abs(values).max()) or 1.0
    asymmetry = float(np.abs(K - K.T).max())
    if asymmetry <= 1e-12 * size:
        asymmetry = 0.0
    smallest = float(values[0])
    return PSDVerdict(smallest, smallest / size, tol, smallest >= -tol * size and not asymmetry, asymmetry)


def _signed(value: float) -> str:
    """A number at six digits with a minus sign that is one."""
    return f"{'−' if value < 0.0 else ''}{abs(value):.6g}"
