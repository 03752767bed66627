"""Compiled loops from rows to responsibilities and expected sums, by blocks of rows that stay in the cache.

A block lies column by column, and factors are as `loops/gaussians.py` says. Divisions follow NumPy: Python's test for a
divisor of zero would keep loops from being vectorised. Sums may be reordered by the compiler; the exponential may not,
since it counts on the order of its subtractions.
"""

from math import log

import numpy as np
from numba import njit
from numba.types import Array, float64

from novacula.compiling import kernel
from novacula.loops.exponentials import exponentials
from novacula.loops.gaussians import BLOCK, add_block_moments, deviations, squared_distances, turn

ROWS = Array(float64, 2, "C", readonly=True)
VALUES = Array(float64, 1, "C", readonly=True)
FACTORS = Array(float64, 3, "C", readonly=True)
CUBE = float64[:, :, ::1]
TABLE = float64[:, ::1]
VECTOR = float64[::1]


@njit(nogil=True, error_model="numpy")
def _responsibilities(share, m, top, total, scale):
    """Turn joint log densities share (K, BLOCK) into shares of 1, in place; top (BLOCK,) becomes ln of their sum."""
    n_components = share.shape[0]
    for i in range(m):
        top[i] = share[0, i]
        total[i] = 0.0
    for k in range(1, n_components):
        for i in range(m):
            top[i] = share[k, i] if share[k, i] > top[i] else top[i]
    for k in range(n_components):
        row = share[k]
        for i in range(m):
            row[i] -= top[i]
        exponentials(row, scale, m)
        for i in range(m):
            total[i] += row[i]
    for k in range(n_components):
        for i in range(m):
            share[k, i] /= total[i]
    for i in range(m):
        top[i] += log(total[i])


@njit(nogil=True)
def _posterior(columns, m, mean, factor, offset, gap, share, y, q, top):
    """Shares (K, BLOCK) and log densities `top` (BLOCK,) of the rows in columns (d, BLOCK)."""
    for k in range(mean.shape[0]):
        deviations(columns, mean, k, m, gap)
        squared_distances(gap, factor, k, m, y, q)
        for i in range(m):
            share[k, i] = offset[k] - 0.5 * q[i]
    _responsibilities(share, m, top, y, q)


@kernel(float64(ROWS, VALUES, ROWS, FACTORS, VALUES, TABLE, VECTOR, TABLE, CUBE))
def expect(x, row_weight, mean, factor, offset, out, weight, first, second):
    """Rows x (n, d) with row_weight (n,) under a density: the log-likelihood; outputs without rows are left out.

    `out` (n, K + 1) takes responsibilities and log densities. To weight (K,), first (K, d) and second (K, d, d) or
    (K, 1, d) are added Σp, Σp(x − mean) and the lower triangle of Σp(x − mean)(x − mean)ᵀ.
    """
    n, d = x.shape
    n_components = mean.shape[0]
    columns, gap = np.empty((d, BLOCK)), np.empty((d, BLOCK))
    share = np.empty((n_components, BLOCK))
    y, q, top = np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK)
    total = 0.0
    for start in range(0, n, BLOCK):
        m = min(BLOCK, n - start)
        turn(x, start, m, columns)
        _posterior(columns, m, mean, factor, offset, gap, share, y, q, top)
        part = 0.0
        for i in range(m):
            part += row_weight[start + i] * top[i]
        total += part
        if len(out) > 0:
            for i in range(m):
                for k in range(n_components):
                    out[start + i, k] = share[k, i]
                out[start + i, n_components] = top[i]
        if len(weight) > 0:
            for k in range(n_components):
                for i in range(m):
                    q[i] = share[k, i] * row_weight[start + i]
                deviations(columns, mean, k, m, gap)
                add_block_moments(gap, q, k, m, y, weight, first, second)
    return total
