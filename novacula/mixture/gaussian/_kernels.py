"""Compiled loops from rows to responsibilities and expected sums, by blocks of rows that stay in the cache.

A block lies column by column, so that every inner loop runs over rows and is vectorised. A factor (K, d, d) is the
inverse L⁻¹ of a covariance's Cholesky factor; of a diagonal covariance it is one row (K, 1, d). Divisions follow
NumPy: Python's test for a divisor of zero would keep loops from being vectorised. Sums may be reordered by the
compiler; the exponential may not, since it counts on the order of its subtractions.
"""

from math import log

import numpy as np
from numba import njit
from numba.types import Array, float64

from novacula.compiling import kernel
from novacula.learner._kernels import exponentials

ROWS = Array(float64, 2, "C", readonly=True)
VALUES = Array(float64, 1, "C", readonly=True)
FACTORS = Array(float64, 3, "C", readonly=True)
CUBE = float64[:, :, ::1]
TABLE = float64[:, ::1]
VECTOR = float64[::1]

BLOCK = 256
"""Rows at once: d + K columns of them fit into the cache next to the cores."""
SUMS = {"reassoc", "contract", "nsz"}


@njit(nogil=True)
def _turn(x, start, m, columns):
    """Rows start to start + m of x (n, d) into columns (d, BLOCK)."""
    for i in range(m):
        for j in range(x.shape[1]):
            columns[j, i] = x[start + i, j]


@njit(nogil=True)
def _deviations(columns, mean, k, m, gap):
    """Gap (d, BLOCK) = x − mean of component k."""
    for j in range(columns.shape[0]):
        centre = mean[k, j]
        for i in range(m):
            gap[j, i] = columns[j, i] - centre


@njit(nogil=True, fastmath=SUMS)
def _distances(gap, factor, k, m, y, q):
    """Squared Mahalanobis distances |L⁻¹ gap|² to component k into q (BLOCK,); y (BLOCK,) is scratch."""
    d = gap.shape[0]
    full = factor.shape[1] == d
    for i in range(m):
        q[i] = 0.0
    for j in range(d):
        row = j if full else 0
        f = factor[k, row, j]
        for i in range(m):
            y[i] = f * gap[j, i]
        c = 0
        if full:
            while c + 4 <= j:  # four at once: y is read and written a quarter as often
                f0, f1, f2, f3 = factor[k, j, c], factor[k, j, c + 1], factor[k, j, c + 2], factor[k, j, c + 3]
                for i in range(m):
                    y[i] += f0 * gap[c, i] + f1 * gap[c + 1, i] + f2 * gap[c + 2, i] + f3 * gap[c + 3, i]
                c += 4
            while c < j:
                f0 = factor[k, j, c]
                for i in range(m):
                    y[i] += f0 * gap[c, i]
                c += 1
        for i in range(m):
            q[i] += y[i] * y[i]


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
        _deviations(columns, mean, k, m, gap)
        _distances(gap, factor, k, m, y, q)
        for i in range(m):
            share[k, i] = offset[k] - 0.5 * q[i]
    _responsibilities(share, m, top, y, q)


@njit(nogil=True, fastmath=SUMS)
def _add_moments(gap, p, k, m, t, weight, first, second):
    """Add what rows with deviations gap (d, BLOCK) and responsibilities p (BLOCK,) give to component k."""
    d = gap.shape[0]
    full = second.shape[1] == d
    total = 0.0
    for i in range(m):
        total += p[i]
    weight[k] += total
    for j in range(d):
        own, total, square = gap[j], 0.0, 0.0
        for i in range(m):
            t[i] = p[i] * own[i]
            total += t[i]
            square += t[i] * own[i]
        first[k, j] += total
        second[k, j if full else 0, j] += square
        if not full:
            continue
        for c in range(0, j - 1, 2):  # two sums at once: t is read half as often
            left, right = gap[c], gap[c + 1]
            total, other = 0.0, 0.0
            for i in range(m):
                total += t[i] * left[i]
                other += t[i] * right[i]
            second[k, j, c] += total
            second[k, j, c + 1] += other
        if j % 2 == 1:
            left, total = gap[j - 1], 0.0
            for i in range(m):
                total += t[i] * left[i]
            second[k, j, j - 1] += total


@kernel(float64(ROWS, VALUES, ROWS, FACTORS, VALUES, TABLE, VECTOR, TABLE, CUBE))
def expect(x, row_weight, mean, factor, offset, out, weight, first, second):
    """Rows x (n, d) with row_weight (n,) under a density: the log-likelihood; what has no rows is not asked for.

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
        _turn(x, start, m, columns)
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
                _deviations(columns, mean, k, m, gap)
                _add_moments(gap, q, k, m, y, weight, first, second)
    return total
