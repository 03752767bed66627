"""Sequential minimal optimisation: the dual problem of a few variables, two of them at a time."""

import numpy as np
from numba import njit
from numba.types import Array, UniTuple, float64, int64

from novacula.compiling import kernel

SQUARE = Array(float64, 2, "C", readonly=True)
VALUES = Array(float64, 1, "C", readonly=True)
PLACES = Array(int64, 1, "C", readonly=True)
VECTOR = float64[::1]

SETTLED, UNSETTLED, CONCAVE = 0, 1, 2
"""How it ended: no pair violates by more than tol, no steps were left, a pair has negative curvature."""
FLAT = 1e-12
"""What a curvature of nothing counts as: the step is then as long as the bounds allow."""


@njit(nogil=True)
def _ends(score, grows, falls, start, stop):
    """Of the variables start to stop: the largest score of one that can grow, the least of one that can fall."""
    most, least, first = -np.inf, np.inf, start
    for v in range(start, stop):
        if score[v] > most and grows[v]:
            most, first = score[v], v
        if score[v] < least and falls[v]:
            least = score[v]
    return most, least, first


@njit(nogil=True)
def _worst_ends(score, grows, falls, start):
    """The ends of the group that violates most: where it starts and stops, its violation, and who can grow best."""
    worst, widest, best = 0, -np.inf, 0
    for g in range(len(start) - 1):
        most, least, first = _ends(score, grows, falls, start[g], start[g + 1])
        if most - least > widest:
            worst, widest, best = g, most - least, first
    return start[worst], start[worst + 1], widest, best


@kernel(
    UniTuple(int64, 4)(SQUARE, *[PLACES] * 2, *[VALUES] * 3, *[VECTOR] * 2, float64, float64, int64),
    error_model="numpy",
)
def solve_pairs(K, row, start, ridge, lower, upper, beta, score, tol, noise, max_steps):
    """K (q, q), start (groups + 1,), the others (m,), group after group. beta and score = c − Kβ − rβ change in place.

    The pair is the variable that gains most by growing, and the one whose fall together with it lowers the objective
    most, by the second order (Fan, Chen and Lin 2005). Gives the steps made, how it ended, and the two rows of a
    concave pair.
    """
    m = len(beta)
    own, grows, falls = np.empty(m), np.empty(m, np.bool_), np.empty(m, np.bool_)
    for v in range(m):
        own[v], grows[v], falls[v] = K[row[v], row[v]], beta[v] < upper[v], beta[v] > lower[v]
    for step in range(max_steps + 1):
        begin, end, violation, i = _worst_ends(score, grows, falls, start)
        if not violation > tol:
            return step, SETTLED, 0, 0
        if step == max_steps:
            break
        Ki = K[row[i]]
        j, best, bend = i, 0.0, 1.0
        for v in range(begin, end):
            gap = score[i] - score[v]
            if gap > 0.0 and falls[v]:
                curvature = own[i] + own[v] - 2.0 * Ki[row[v]]
                if curvature < -noise * (abs(own[i]) + abs(own[v])):
                    return step, CONCAVE, row[i], row[v]
                curvature = max(curvature + ridge[i] + ridge[v], FLAT)
                if gap * gap > best * curvature:
                    j, best, bend = v, gap * gap / curvature, curvature
        room, depth = upper[i] - beta[i], beta[j] - lower[j]
        rise = min((score[i] - score[j]) / bend, room, depth)
        # A variable that comes to a bound is set to it exactly, which sums would not achieve.
        beta[i] = upper[i] if rise == room else beta[i] + rise
        beta[j] = lower[j] if rise == depth else beta[j] - rise
        grows[i], falls[i], grows[j], falls[j] = rise != room, True, True, rise != depth
        Kj = K[row[j]]
        for v in range(m):
            score[v] -= rise * (Ki[row[v]] - Kj[row[v]])
        score[i] -= rise * ridge[i]
        score[j] += rise * ridge[j]
    return max_steps, UNSETTLED, 0, 0
