"""Squared distances of rows, right to eleven digits however close the rows are.

    ‖x − y‖² = ‖x‖² + ‖y‖² − 2xᵀy

is one product of matrices, but where the rows are close to each other and far from the origin the difference cancels.
So rows are moved to their mean first, and what is still small compared with ‖x‖² + ‖y‖² is computed from x − y.
A row is at distance 0 from its copies, exactly.
"""

from __future__ import annotations

import numpy as np

from novacula.kernel.algebra.rows import Rows, is_sparse, products, squares
from novacula.table.chunk import Floats

FEW = 1 << 20
"""Differences of entries up to which they are taken one by one, sooner than Numba is loaded."""
ROUNDING = 1e-14
"""The share of ‖x‖² + ‖y‖² that a difference of equal numbers may come to."""


def squared_distances(A: Rows, B: Rows) -> Floats:
    """‖x − y‖² (n, m) of the rows of A and of B."""
    if is_sparse(A):
        return _sparse_distances(A, B)
    if len(A) * len(B) * A.shape[1] <= FEW:
        from scipy.spatial.distance import cdist

        return np.asarray(cdist(A, B, "sqeuclidean"))
    from novacula.kernel.algebra._kernels import distances_of_products

    centre = B.mean(axis=0)
    a = A - centre
    b = a if B is A else B - centre
    squared = a @ b.T
    distances_of_products(squared, a, b, squares(a), squares(b))
    return squared


def _sparse_distances(A: Rows, B: Rows) -> Floats:
    """Without moving the rows, which would fill in their zeros; what is no more than rounding is 0."""
    both = squares(A)[:, None] + squares(B)
    squared = both - 2.0 * products(A, B)
    squared[squared <= ROUNDING * both] = 0.0
    return np.asarray(squared)


def gaussians(squared: Floats, gamma: float) -> Floats:
    """exp(−γ d²) of squared distances, in their place."""
    squared *= -gamma
    if squared.size <= FEW >> 4:
        return np.exp(squared, out=squared)
    from novacula.kernel.algebra._kernels import exponentials_of_rows

    exponentials_of_rows(squared)
    return squared
