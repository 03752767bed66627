"""C = LLᵀ in place, and what follows from L: solutions, the diagonal of C⁻¹, its lower half.

Matrices are symmetric, so that the C order of NumPy and the Fortran order of LAPACK hold the same numbers and nothing
is copied.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

import numpy as np
from scipy import linalg
from scipy.linalg import lapack

from novacula.errors import DataError, RankWarning, warn_user
from novacula.table.chunk import Floats
from novacula.table.parallel import one_blas_thread

JITTERS = tuple(10.0**power for power in range(-14, -5))
"""What is added to the diagonal where rounding leaves a matrix not positive definite, as shares of the diagonal."""

SMALL = 1000
"""Rows up to which a matrix is small."""


def few_threads(n: int) -> AbstractContextManager[None]:
    """One thread for BLAS where matrices of n rows are small: to wake others takes longer than they help."""
    return one_blas_thread() if n <= SMALL else nullcontext()


def lower_factor(matrix: Floats) -> Floats | None:
    """L of a symmetric matrix, whose memory it takes over; None where the matrix is not positive definite.

    L is the lower half of what is given back (n, n), with the diagonal. Above the diagonal the matrix stays as it was.
    """
    factor, fault = lapack.dpotrf(matrix.T, lower=1, clean=0, overwrite_a=1)
    return None if fault else factor


def solved(factor: Floats, right: Floats) -> Floats:
    """C⁻¹ right (n, k)."""
    return np.asarray(linalg.cho_solve((factor, True), right, check_finite=False))


def lower_inverse(factor: Floats) -> Floats:
    """C⁻¹ in the lower half (n, n), with the diagonal; above it nothing of use."""
    inverse, _ = lapack.dpotri(factor, lower=1)
    return np.asarray(inverse)


def inverse_diagonal(factor: Floats) -> Floats:
    """The diagonal of C⁻¹ (n,)."""
    return np.diagonal(lower_inverse(factor)).copy()


def needed_jitter(covariance: Callable[[float], Floats]) -> float:
    """The least jitter with which covariance(jitter) is positive definite: zero, as a rule."""
    matrix = covariance(0.0)
    unit = float(np.mean(np.diagonal(matrix)))
    if lower_factor(matrix) is not None:
        return 0.0
    for share in JITTERS:
        if lower_factor(covariance(share * unit)) is not None:
            return share * unit
    raise DataError(
        "the kernel matrix of the rows has negative eigenvalues, so it is not a covariance: check the kernel with "
        "kernel.check(X), or raise noise"
    )


def warn_of_jitter(jitter: float, learner: str) -> None:
    """Say what was added, where something was."""
    if jitter > 0.0:
        warn_user(
            f"{learner}: rounding left the kernel matrix not positive definite, so {jitter:.3g} was added to its "
            "diagonal, as if the noise were that much larger: raise noise, or drop rows that repeat others",
            RankWarning,
        )
