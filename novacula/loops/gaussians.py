"""Rows compared with Gaussians, by blocks of rows that stay in the cache: deviations, distances, and weighted moments.

A block lies column by column, so that every inner loop runs over rows and is vectorised. A factor (K, d, d) is the
inverse L⁻¹ of a covariance's Cholesky factor; of a diagonal covariance it is one row (K, 1, d). Sums may be
reordered by the compiler.
"""

from numba import njit

BLOCK = 256
"""Rows at once: d + K columns of them fit into the cache next to the cores."""
SUMS = {"reassoc", "contract", "nsz"}


@njit(nogil=True)
def turn(x, start, m, columns):
    """Rows start to start + m of x (n, d) into columns (d, BLOCK)."""
    for i in range(m):
        for j in range(x.shape[1]):
            columns[j, i] = x[start + i, j]


@njit(nogil=True)
def deviations(columns, mean, k, m, gap):
    """Gap (d, BLOCK) = x − mean of component k."""
    for j in range(columns.shape[0]):
        centre = mean[k, j]
        for i in range(m):
            gap[j, i] = columns[j, i] - centre


@njit(nogil=True, fastmath=SUMS)
def squared_distances(gap, factor, k, m, y, q):
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


@njit(nogil=True, fastmath=SUMS)
def add_block_moments(gap, p, k, m, t, weight, first, second):
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
