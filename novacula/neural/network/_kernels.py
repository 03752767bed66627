"""Compiled loops for batches of float32: exponentials spelled out, so that they run in vector registers.

On processors without the widest registers NumPy takes four times as long for a logistic unit, more than for all the
matrix products of a small layer. NaN passes through every loop, so that a diverged network shows it.
"""

import numpy as np
from numba import njit
from numba.types import Array, float32, void

from novacula.compiling import kernel

TABLE = float32[:, ::1]
VECTOR = float32[::1]
ROWS = Array(float32, 2, "C", readonly=True)
VALUES = Array(float32, 1, "C", readonly=True)

LIMIT = np.float32(80.0)
"""Exponents are cut off here, where e⁻ˣ is negligible next to 1, before 2ᵏ leaves the range of float32."""
ONE, HALF = np.float32(1.0), np.float32(0.5)
PER_LN2 = np.float32(1.44269504)
LN2_HIGH, LN2_LOW = np.float32(0.693359375), np.float32(-2.12194440e-4)
E2, E3, E4, E5, E6 = (np.float32(1 / f) for f in (2, 6, 24, 120, 720))
EXPONENT_BIAS, FRACTION_BITS = np.int32(127), np.int32(23)


@njit(nogil=True, inline="always")
def _exponential(x):
    """Give eˣ = 2ᵏ eʳ for |x| ≤ LIMIT, with |r| ≤ ½ ln 2: Taylor's polynomial for eʳ, and 2ᵏ by its bits."""
    k = np.floor(x * PER_LN2 + HALF)
    r = x - k * LN2_HIGH - k * LN2_LOW
    p = r * E6 + E5
    p = p * r + E4
    p = p * r + E3
    p = p * r + E2
    p = p * r * r + r + ONE
    return p * np.int32((np.int32(k) + EXPONENT_BIAS) << FRACTION_BITS).view(np.float32)


@kernel(void(TABLE, VALUES), error_model="numpy", fastmath={"contract"})
def logistic_units(net, bias):
    """Turn net (n, w) without its bias (w,) into 1 / (1 + e⁻ᶻ), in place."""
    for i in range(net.shape[0]):
        for j in range(net.shape[1]):
            z = -(net[i, j] + bias[j])
            z = LIMIT if z > LIMIT else z
            z = -LIMIT if z < -LIMIT else z
            net[i, j] = ONE / (ONE + _exponential(z))


@kernel(void(TABLE, VALUES), error_model="numpy", fastmath={"contract"})
def tanh_units(net, bias):
    """Turn net (n, w) without its bias (w,) into tanh z = (1 − e⁻²ᶻ) / (1 + e⁻²ᶻ), in place."""
    for i in range(net.shape[0]):
        for j in range(net.shape[1]):
            z = net[i, j] + bias[j]
            z = LIMIT * HALF if z > LIMIT * HALF else z
            z = -LIMIT * HALF if z < -LIMIT * HALF else z
            e = _exponential(-z - z)
            net[i, j] = (ONE - e) / (ONE + e)


@kernel(void(TABLE, ROWS, VECTOR), error_model="numpy", fastmath={"contract"})
def softmax_surprise(net, target, rows):
    """Turn net (n, k) into probabilities o in place, and write −Σ t ln o of each row to rows (n,)."""
    k = net.shape[1]
    for i in range(net.shape[0]):
        top = net[i, 0]
        for j in range(1, k):
            top = net[i, j] if net[i, j] > top else top
        claim = np.float32(0.0)
        for j in range(k):
            net[i, j] -= top
            claim += target[i, j] * net[i, j]
        for j in range(k):
            net[i, j] = _exponential(net[i, j] if not net[i, j] < -LIMIT else -LIMIT)
        total = np.float32(0.0)
        for j in range(k):
            total += net[i, j]
        rows[i] = np.log(total) - claim
        share = ONE / total
        for j in range(k):
            net[i, j] *= share
