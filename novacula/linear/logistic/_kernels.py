"""Compiled loops from margins to probabilities, losses and residuals of a block of rows.

Exponents are never positive, so that nothing overflows. Exponential and logarithm are spelled out as polynomials,
since loops over those of the system's library cannot be vectorised. Both are exact to a few units of rounding.
Divisions follow NumPy: Python's test for a divisor of zero would keep their loops from being vectorised as well.
"""

from math import log

import numpy as np
from numba import njit
from numba.types import Array, float64, int32, void

from novacula.compiling import kernel
from novacula.loops.exponentials import exponentials

ROWS = Array(float64, 2, "C", readonly=True)
VALUES = Array(float64, 1, "C", readonly=True)
CODES = Array(int32, 1, "C", readonly=True)
VECTOR = float64[::1]
TABLE = float64[:, ::1]


@njit(nogil=True, inline="always", error_model="numpy")
def _log_one_plus(e):
    """Give log(1 + e) for 0 ≤ e ≤ 1 as 2 artanh(e / (2 + e)), whose argument is at most 1/3."""
    s = e / (2.0 + e)
    q = s * s
    p = q * (1.0 / 31.0) + (1.0 / 29.0)
    p = p * q + (1.0 / 27.0)
    p = p * q + (1.0 / 25.0)
    p = p * q + (1.0 / 23.0)
    p = p * q + (1.0 / 21.0)
    p = p * q + (1.0 / 19.0)
    p = p * q + (1.0 / 17.0)
    p = p * q + (1.0 / 15.0)
    p = p * q + (1.0 / 13.0)
    p = p * q + (1.0 / 11.0)
    p = p * q + (1.0 / 9.0)
    p = p * q + (1.0 / 7.0)
    p = p * q + (1.0 / 5.0)
    p = p * q + (1.0 / 3.0)
    return 2.0 * s * (p * q + 1.0)


@kernel(float64(VECTOR, CODES, VALUES, VECTOR), error_model="numpy")
def logistic_losses(margin, code, weight, root):
    """Turn margins (n,) of two classes into residuals w(p − t) in place; root (n,) becomes √(w p(1 − p)).

    Gives the sum of the losses −w log p(class).
    """
    n = len(margin)
    e = np.empty(n)
    for i in range(n):
        e[i] = -abs(margin[i])
    exponentials(e, root, n)
    for i in range(n):
        share = 1.0 / (1.0 + e[i])
        m, t, w = margin[i], float64(code[i]), weight[i]
        against = m * (1.0 - 2.0 * t)  # how far the margin speaks against the class
        root[i] = np.sqrt(w * e[i]) * share
        margin[i] = w * ((share if m >= 0.0 else e[i] * share) - t)
        e[i] = w * ((against if against > 0.0 else 0.0) + _log_one_plus(e[i]))
    total = 0.0
    for i in range(n):
        total += e[i]
    return total


@kernel(float64(TABLE, CODES, VALUES, TABLE), error_model="numpy")
def softmax_losses(margin, code, weight, residual):
    """Turn margins (n, K) into probabilities in place; residual (n, K) becomes w(p − t).

    Gives the sum of the losses −w log p(class).
    """
    n, k = margin.shape
    total = 0.0
    for i in range(n):
        top = margin[i, 0]
        for j in range(1, k):
            top = margin[i, j] if margin[i, j] > top else top
        for j in range(k):
            margin[i, j] -= top
        total -= weight[i] * margin[i, code[i]]
    exponentials(margin.reshape(n * k), residual.reshape(n * k), n * k)
    for i in range(n):
        whole = 0.0
        for j in range(k):
            whole += margin[i, j]
        total += weight[i] * log(whole)
        share = 1.0 / whole
        for j in range(k):
            margin[i, j] *= share
            residual[i, j] = weight[i] * margin[i, j]
        residual[i, code[i]] -= weight[i]
    return total


@kernel(void(ROWS, VALUES, TABLE))
def centre_rows(x, centre, z):
    """Write x (n, d) about the centre (d,) into the first columns of z (n, q), and ones into the others.

    NumPy takes a loop of its own for each short row, which costs several times as much.
    """
    d, q = x.shape[1], z.shape[1]
    for i in range(x.shape[0]):
        for j in range(d):
            z[i, j] = x[i, j] - centre[j]
        for j in range(d, q):
            z[i, j] = 1.0


@kernel(void(TABLE, VALUES))
def scale_rows(z, factor):
    """Multiply each row of z (n, q) by its factor (n,), in place."""
    for i in range(z.shape[0]):
        for j in range(z.shape[1]):
            z[i, j] *= factor[i]
