"""Mercer's series of a kernel on data: k(x, y) = Σ λᵢ ψᵢ(x) ψᵢ(y).

    (1/n) Σⱼ k(x, xⱼ) ψᵢ(xⱼ) = λᵢ ψᵢ(x)        the mean of ψᵢ² over the rows is 1, that of ψᵢψⱼ is 0

So λ are the eigenvalues of K/n, and ψ at the rows its eigenvectors times √n; elsewhere ψ follows from the equation.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from novacula.errors import DataError, DataWarning, warn_user
from novacula.table.chunk import Floats

KEPT = 1e-14
"""Eigenvalues below this share of the largest are rounding."""
NEGATIVE = 1e-10
"""Eigenvalues below minus this share of the largest are no rounding."""
TIE = 1e-6
"""The largest value of a function is positive; of values that differ by this share it is the first."""
LARGEST = 5000
"""Rows whose products are taken apart."""


class MercerSeries(NamedTuple):
    """Eigenvalues, falling, and the values of their functions at the rows."""

    eigenvalues: Floats  # λ (m,)
    functions: Floats  # ψ (n, m)


def is_symmetric(K: Floats) -> bool:
    """Whether a matrix is symmetric but for rounding."""
    return K.shape[0] == K.shape[1] and np.allclose(K, K.T, rtol=1e-9, atol=0.0)


def mercer_series(K: Floats) -> MercerSeries:
    """The series of a Gram matrix (n, n), without what is only rounding."""
    n = len(K)
    if n > LARGEST:
        raise DataError(f"{n} rows have too many products to be taken apart: give up to {LARGEST}")
    if not is_symmetric(K):
        raise DataError("k(x, y) is not k(y, x) on these rows, so it has no Mercer series")
    values, vectors = np.linalg.eigh(K / n)
    kept = np.flatnonzero(np.abs(values) > KEPT * np.abs(values).max(initial=0.0))[::-1]
    functions = np.sqrt(n) * vectors[:, kept]
    sizes = np.abs(functions)
    first = (sizes >= (1.0 - TIE) * sizes.max(axis=0)).argmax(axis=0)
    return MercerSeries(values[kept], functions * np.sign(functions[first, np.arange(len(kept))]))


def warn_of_negative(values: Floats, kernel: str) -> None:
    """Say where eigenvalues (m,) that fall show that a kernel is not positive semi-definite."""
    if len(values) and values[-1] < -NEGATIVE * np.abs(values).max():
        warn_user(
            f"{kernel} has an eigenvalue of {values[-1]:.4g} on these rows, so it is not positive semi-definite, and "
            "Mercer's theorem does not speak of it; the series still gives its values at the rows",
            DataWarning,
        )
