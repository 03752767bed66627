"""Compiled loops of k-means: the nearest centre of rows, proven by bounds or by products, and the sums of clusters.

Rows x (n, d) and centres (K, d) are offsets from one origin. Every kernel adds the coordinates of a squared distance in
one order, `_square`, and of centres at one distance takes the first: so all give the same bits.
"""

import numpy as np
from numba import njit
from numba.types import Array, float32, float64, int32, int64, uint64, void

from novacula.compiling import kernel

ROWS = Array(float64, 2, "C", readonly=True)
VALUES = Array(float64, 1, "C", readonly=True)
LABELS = Array(int32, 1, "C", readonly=True)
PLACES = Array(int64, 1, "C", readonly=True)
PRODUCTS = Array(float32, 2, "C", readonly=True)
TABLE = float64[:, ::1]
SINGLE_TABLE = float32[:, ::1]
VECTOR = float64[::1]
LABEL_VECTOR = int32[::1]
PLACE_VECTOR = int64[::1]

TINY = 1e-30
"""More than numbers in single precision lose where they are too small for all their digits."""


@njit(nogil=True, inline="always")
def _square(x, i, centres, k):
    """‖x_i − c_k‖², in four lanes that the compiler can hold side by side."""
    d = uint64(x.shape[1])
    whole = d - d % uint64(4)
    s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
    for j in range(uint64(0), whole, uint64(4)):
        g0, g1 = x[i, j] - centres[k, j], x[i, j + uint64(1)] - centres[k, j + uint64(1)]
        g2 = x[i, j + uint64(2)] - centres[k, j + uint64(2)]
        g3 = x[i, j + uint64(3)] - centres[k, j + uint64(3)]
        s0 += g0 * g0
        s1 += g1 * g1
        s2 += g2 * g2
        s3 += g3 * g3
    for j in range(whole, d):
        g0 = x[i, j] - centres[k, j]
        s0 += g0 * g0
    return (s0 + s1) + (s2 + s3)


# --- which centre is the nearest, by products -----------------------------------------------------------------


@kernel(void(ROWS, PLACES, VALUES, float64, float64, SINGLE_TABLE, VECTOR))
def lift(x, rows, middle, unit, far, lifted, size):
    """(u(x − middle), 1) of the named rows of x (n, d) into lifted (m, d + 1), lengths without the 1 into size (m,).

    Rows longer than `far` have no place in single precision: they are lifted as zeros and their size is infinite.
    """
    d = x.shape[1]
    for r in range(len(rows)):
        i, total = uint64(rows[r]), 0.0
        for j in range(d):
            v = (x[i, j] - middle[j]) * unit
            lifted[r, j] = v
            total += v * v
        lifted[r, d] = 1.0
        size[r] = np.sqrt(total)
        if not size[r] < far:
            size[r] = np.inf
            for j in range(d):
                lifted[r, j] = 0.0


@njit(nogil=True)
def _rank(products, best, second, label):
    """The least and the second least of each column of products (K, m), and where the least stands first.

    Two rows of products at a time, so that what is known of a column is read and written half as often.
    """
    K, m = products.shape
    for r in range(m):
        best[r], second[r], label[r] = products[0, r], np.inf, 0
    for k in range(1, K, 2):
        following = min(k + 1, K - 1)
        for r in range(m):
            one = products[k, r]
            two = products[following, r] if following > k else float32(np.inf)
            b, s = best[r], second[r]
            low, high = (two, one) if two < one else (one, two)
            place = following if two < one else k
            middle = low if low > b else b
            other = high if high < s else s
            second[r] = middle if middle < other else other
            label[r] = place if low < b else label[r]
            best[r] = low if low < b else b


@kernel(void(ROWS, PLACES, ROWS, PRODUCTS, VALUES, float64, float64, float64, LABEL_VECTOR, VECTOR, VECTOR))
def settle(x, rows, centres, products, size, reach, rounding, unit, label, square, lower):
    """The nearest of centres (K, d) to the named rows of x into label (n,); every other is beyond lower (n,).

    products (K, m) are u²(‖x − c‖² − ‖x − middle‖²), each off by slack at most; reach is the largest u‖c − middle‖.
    Where the two least are further apart than twice that, the first is the nearest; otherwise exact distances decide
    among all that may be.
    """
    K, m = products.shape
    best, second, first = np.empty(m, np.float32), np.empty(m, np.float32), np.empty(m, np.int32)
    _rank(products, best, second, first)
    for r in range(m):
        i = uint64(rows[r])
        slack = rounding * (size[r] * (2.0 * reach + rounding * size[r]) + reach * reach) + TINY
        least, next_least, k = float64(best[r]), float64(second[r]), first[r]
        limit = least + 2.0 * slack
        if next_least <= limit or slack == np.inf:
            total = np.inf
            for c in range(K):
                if products[c, r] <= limit or slack == np.inf:
                    s = _square(x, i, centres, c)
                    if s < total:
                        total, k = s, c
            if k != first[r]:
                next_least = least
        label[i] = k
        square[i] = _square(x, i, centres, uint64(k))
        beyond = next_least - slack + size[r] * size[r]
        lower[i] = np.sqrt(beyond) / unit if beyond > 0.0 and slack < np.inf else 0.0


# --- which rows surely keep their centre ----------------------------------------------------------------------


@kernel(int64(ROWS, ROWS, VALUES, VALUES, float64, LABELS, VECTOR, VECTOR, PLACE_VECTOR))
def doubtful(x, centres, apart, fall, slack, label, square, lower, rows):
    """Hamerly's test: into rows (n,) those that may have another nearest centre than before; gives how many.

    square (n,) takes the squared distance from a row's own centre, which the sums need in any case. lower (n,), beyond
    which every other centre lies, falls by the way fall (K,) of the fastest; apart (K,) is half the way to the next.
    """
    count = 0
    for i in range(len(x)):
        k = uint64(label[i])
        bound = lower[i] * (1.0 - slack) - fall[k]
        lower[i] = bound
        square[i] = _square(x, i, centres, k)
        if not np.sqrt(square[i]) * (1.0 + slack) < max(bound, apart[k]):
            rows[count] = i
            count += 1
    return count


@kernel(void(ROWS, ROWS, ROWS, VALUES, float64, LABEL_VECTOR, VECTOR, SINGLE_TABLE))
def relabel(x, centres, apart, moved, slack, label, square, lower):
    """Elkan's pass: the nearest centre of every row, with a lower bound (n, K) on the distance to each.

    Bounds fall by the way moved (K,) that a centre went; apart (K, K) are half the distances between centres.
    """
    n, K = lower.shape
    for i in range(n):
        k = uint64(label[i])
        total = _square(x, i, centres, k)
        away = np.sqrt(total) * (1.0 + slack)
        own = k
        lower[i, own] = np.sqrt(total)
        for c in range(uint64(K)):
            if c == own:
                continue
            bound = lower[i, c] * (1.0 - slack) - moved[c]
            lower[i, c] = bound
            if away < bound or away < apart[k, c]:
                continue
            s = _square(x, i, centres, c)
            lower[i, c] = np.sqrt(s)
            if s < total or (s == total and c < k):
                total, k = s, c
                away = np.sqrt(total) * (1.0 + slack)
        label[i], square[i] = k, total


# --- sums -----------------------------------------------------------------------------------------------------


@kernel(void(ROWS, VALUES, LABELS, VALUES, VECTOR, TABLE, VECTOR))
def add_rows(x, weight, label, square, held, total, inertia):
    """Weight (K,), Σwx (K, d) and Σw‖x − c‖² (K,) of rows x (n, d) by label and square (n,), added up."""
    for i in range(len(x)):
        k, w = uint64(label[i]), weight[i]
        if w == 0.0:
            continue
        held[k] += w
        inertia[k] += w * square[i]
        for j in range(x.shape[1]):
            total[k, j] += w * x[i, j]
