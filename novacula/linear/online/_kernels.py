"""Compiled loops that show rows to a unit one after the other.

A row of weight s is shown s times in a row; a fraction of a showing moves the weights by that fraction. So a row of
weight 2 is a row that stands twice, and one of weight 0 is passed over. The weights w (d + 1,) end with the
intercept. Sums within a row may be reordered, which lets them run in vector registers; a row is never cut, so the
result depends on the order of the rows only.
"""

import math

import numpy as np
from numba import njit
from numba.types import Array, boolean, float64, int32, int64, uint64, void

from novacula.compiling import kernel

ROWS = Array(float64, 2, "C", readonly=True)
VALUES = Array(float64, 1, "C", readonly=True)
CODES = Array(int32, 1, "C", readonly=True)
VECTOR = float64[::1]
REORDER = {"reassoc", "contract", "nsz", "arcp"}

STEP, LINEAR, TANH = 0, 1, 2
"""The responses o of a perceptron to v = b + Σ wⱼxⱼ: one of two values, v and tanh(v)."""
MISTAKES, UPDATES, RUN, LONGEST_RUN = 0, 1, 2, 3
"""What a perceptron counts; a run is the weight of the rows met without a mistake since the last one."""
ERROR, TARGET = 0, 1
"""What a linear unit counts: ½Σ(t − o)² as rows were shown, and ½Σt²."""
PER_LN2 = 1.0 / math.log(2.0)
LN2_HIGH, LN2_LOW = 0.693147180369123816490, 1.90821492927058770002e-10
"""ln 2 in two parts: small whole numbers times the first one are exact."""
TAYLOR = tuple(1.0 / math.factorial(k) for k in range(14))
"""The coefficients of eʳ."""
FAR = 20.0
"""Where tanh is 1."""


@njit(nogil=True, fastmath={"contract"})
def fast_tanh(v):
    """tanh v = ±(1 − e⁻²ᵛ) / (1 + e⁻²ᵛ) to 3e-16, for finite v.

    The rows wait for it one after the other. So e⁻²ᵛ = 2ᵏ eʳ is Taylor's polynomial summed by halves (Estrin), whose
    terms need not wait for each other.
    """
    c = TAYLOR
    x = -2.0 * min(abs(v), FAR)
    k = np.floor(x * PER_LN2 + 0.5)
    r = x - k * LN2_HIGH - k * LN2_LOW
    r2 = r * r
    r4 = r2 * r2
    low = (1.0 + r + (c[2] + c[3] * r) * r2) + (c[4] + c[5] * r + (c[6] + c[7] * r) * r2) * r4
    high = (c[8] + c[9] * r + (c[10] + c[11] * r) * r2) + (c[12] + c[13] * r) * r4
    e = (low + high * (r4 * r4)) * np.int64((np.int64(k) + 1023) << 52).view(np.float64)
    return math.copysign((1.0 - e) / (1.0 + e), v)


@njit(nogil=True, fastmath=REORDER)
def _value(x, i, w):
    """b + Σ wⱼxⱼ of row i."""
    d = x.shape[1]
    value = 0.0
    for j in range(d):
        value += w[j] * x[i, j]
    return value + w[d]


@njit(nogil=True, fastmath=REORDER)
def _move(x, i, by, intercept, w):
    """Add `by` times row i to the weights."""
    d = x.shape[1]
    for j in range(d):
        w[j] += by * x[i, j]
    if intercept:
        w[d] += by


TEACHING = (ROWS, CODES, int64, VALUES, VALUES, float64, int64, float64, float64, boolean, VECTOR, VECTOR, VECTOR)


@kernel(boolean(*TEACHING), fastmath=REORDER)
def show_rows(x, code, positive, weight, factor, eta, response, low, bound, intercept, w, longest, tally):
    """Teach a perceptron x (n, d), of which class `positive` is +1: w ← w + η(t − o)x, in place.

    t and o are `low` on the other side, and a value above `bound` speaks for the class.
    `factor` (classes,) multiplies the weight of each class's rows. `longest` (d + 1,) receives the weights of the
    longest run that beat LONGEST_RUN of the tally (4,). False if a value was not finite.
    """
    for i in range(x.shape[0]):
        left = weight[i] * factor[uint64(code[i])]
        t = 1.0 if code[i] == positive else low
        while left > 0.0:
            share = min(left, 1.0)
            v = _value(x, i, w)
            if not abs(v) < float("inf"):
                return False
            right = (v > bound) == (t > 0.0)
            if right and response == STEP:
                tally[RUN] += left
                break
            if right:
                tally[RUN] += share
            else:
                tally[MISTAKES] += 1.0
                if tally[RUN] > tally[LONGEST_RUN]:
                    tally[LONGEST_RUN] = tally[RUN]
                    for j in range(w.shape[0]):
                        longest[j] = w[j]
                tally[RUN] = 0.0
            o = 1.0 + low - t if response == STEP else v if response == LINEAR else fast_tanh(v)
            tally[UPDATES] += 1.0
            _move(x, i, eta * share * (t - o), intercept, w)
            left -= share
    return True


@kernel(void(ROWS, CODES, int64, VALUES, VALUES, float64, VALUES, VECTOR), fastmath=REORDER)
def add_wrong(x, code, positive, weight, factor, bound, w, wrong):
    """Add the weight of the rows of x (n, d) that lie on the wrong side of the plane w to wrong (1,)."""
    for i in range(x.shape[0]):
        if (_value(x, i, w) > bound) != (code[i] == positive):
            wrong[0] += weight[i] * factor[uint64(code[i])]


@kernel(boolean(ROWS, VALUES, VALUES, float64, boolean, VECTOR, VECTOR), fastmath=REORDER)
def descend_rows(x, target, weight, eta, intercept, w, tally):
    """Teach a linear unit x (n, d) with target (n,): w ← w + η(t − o)x, in place; counts into tally (2,).

    False if a value was not finite.
    """
    total, squares = tally[ERROR], tally[TARGET]
    for i in range(x.shape[0]):
        left, t = weight[i], target[i]
        while left > 0.0:
            share = min(left, 1.0)
            error = t - _value(x, i, w)
            if not abs(error) < float("inf"):
                return False
            total += 0.5 * share * error * error
            squares += 0.5 * share * t * t
            _move(x, i, eta * share * error, intercept, w)
            left -= share
    tally[ERROR], tally[TARGET] = total, squares
    return True
