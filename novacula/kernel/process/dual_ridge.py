"""(K + λW⁻¹) a = y: the coefficients of kernel ridge regression, and what they are without a row."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from novacula.errors import DataError, RankWarning, warn_user
from novacula.kernel.process.cholesky import few_threads, lower_factor, solved
from novacula.kernel.process.posterior import left_out
from novacula.table.chunk import Floats

EPS = float(np.finfo(np.float64).eps)


def priced(gram: Floats, weight: Floats, price: float) -> Floats:
    """K + λW⁻¹ (n, n), in the memory of K."""
    with np.errstate(over="ignore"):
        gram[np.diag_indices_from(gram)] += price / weight
    if not np.isfinite(np.diagonal(gram)).all():
        raise DataError("rows weigh so little that what they add to the penalty overflows: scale the weights")
    return gram


def steady_factor(matrix: Floats) -> Floats | None:
    """L of a matrix, whose memory it takes over; None, and the matrix as it was, where it is singular to rounding."""
    own = np.diagonal(matrix).copy()
    with few_threads(len(matrix)):
        factor = lower_factor(matrix)
    if factor is not None:
        pivots = np.diagonal(factor) ** 2
        if pivots.min() > len(matrix) * EPS * pivots.max():
            return factor
    half = np.tril(matrix, -1)  # what the decomposition left alone
    np.add(half, half.T, out=matrix)
    matrix[np.diag_indices_from(matrix)] = own
    return None


def solve_dual(gram: Floats, weight: Floats, price: float, target: Floats, learner: str) -> Floats:
    """The coefficients a (n, k) for targets (n, k); of many solutions the shortest, with a warning."""
    matrix = priced(gram, weight, price)
    factor = steady_factor(matrix)
    if factor is not None:
        return solved(factor, target)
    values, vectors = told_apart(matrix)
    sign = "has negative eigenvalues" if (values < 0.0).any() else f"has rank {len(values)} of {len(matrix)}"
    warn_user(
        f"{learner}: the kernel matrix with its penalty {sign}, so the coefficients are the shortest ones that fit "
        "best: raise alpha, or take a kernel that distinguishes the rows",
        RankWarning,
    )
    return np.asarray(vectors @ ((vectors.T @ target) / values[:, None]))


def told_apart(matrix: Floats) -> tuple[Floats, Floats]:
    """The eigenvalues (r,) that are not 0 beyond rounding, of either sign, and their vectors (n, r)."""
    if not np.isfinite(matrix).all():
        raise DataError("the kernel matrix with its penalty overflows: scale the columns")
    with few_threads(len(matrix)):
        values, vectors = linalg.eigh(matrix)
    above_rounding = np.abs(values) > len(values) * EPS * np.abs(values).max()
    return values[above_rounding], vectors[:, above_rounding]


def leave_out(gram: Floats, weight: Floats, price: float, target: Floats) -> Floats:
    """What the function of all other rows says of each row (n, k)."""
    factor = steady_factor(priced(gram, weight, price))
    if factor is None:
        raise DataError("no row can be left out: the kernel matrix with its penalty is singular; raise alpha")
    return left_out(factor, solved(factor, target), target, weight, price)[0]
