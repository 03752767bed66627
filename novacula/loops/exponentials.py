"""Exponentials of many numbers at once, which the compiler turns into vector instructions."""

import numpy as np
from numba import njit

LOWEST = -700.0
"""Below this an exponential is 0."""
PER_LN2 = 1.4426950408889634
LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10


@njit(nogil=True, fastmath={"contract"})
def exponentials(x, scale, m):
    """Turn the first m numbers of x, none of them above 700, into eˣ in place; scale (n,) is scratch.

    eˣ = 2ᵏ eʳ with |r| ≤ ½ ln 2: Taylor's polynomial for eʳ, and the bits of 2ᵏ as an integer.
    """
    bits = scale.view(np.int64)
    for i in range(m):
        v = x[i] if x[i] > LOWEST else LOWEST
        k = np.floor(v * PER_LN2 + 0.5)
        bits[i] = np.int64(np.int32(k) + 1023) << 52
        r = v - k * LN2_HIGH - k * LN2_LOW
        p = r * (1.0 / 6227020800.0) + (1.0 / 479001600.0)
        p = p * r + (1.0 / 39916800.0)
        p = p * r + (1.0 / 3628800.0)
        p = p * r + (1.0 / 362880.0)
        p = p * r + (1.0 / 40320.0)
        p = p * r + (1.0 / 5040.0)
        p = p * r + (1.0 / 720.0)
        p = p * r + (1.0 / 120.0)
        p = p * r + (1.0 / 24.0)
        p = p * r + (1.0 / 6.0)
        p = p * r + 0.5
        p = p * r + 1.0
        p = p * r + 1.0
        x[i] = p if x[i] > LOWEST else 0.0
    for i in range(m):
        x[i] *= scale[i]
