"""Compiled loops of kernel densities: sums over a tree of boxes, and rows shared out among the points of a grid.

A kernel is a falling profile k(s) of the squared distance s, with k(0) = 1 and the width as unit. Profiles without an
end are taken relative to that of the nearest row, so that the largest term is 1 however far away the rows are.
Distances and sums may be reordered by the compiler; the exponential may not, since it counts on the order of its
subtractions.
"""

import math

import numpy as np
from numba import njit
from numba.types import Array, float64, int64, uint64, void

from novacula.compiling import kernel
from novacula.loops.exponentials import exponentials

ROWS = Array(float64, 2, "C", readonly=True)
VALUES = Array(float64, 1, "C", readonly=True)
PLACES = Array(int64, 1, "C", readonly=True)
VECTOR = float64[::1]

GAUSSIAN, EXPONENTIAL, EPANECHNIKOV, TOPHAT, LINEAR, COSINE = range(6)

DEPTH = 64
"""Levels of a tree, at most: each halves the rows."""
SUMS = {"reassoc", "contract", "nsz"}


@njit(nogil=True)
def _profile(kind, s, nearest):
    """k(s), relative to k(nearest) for the kernels without an end."""
    if kind == GAUSSIAN:
        return math.exp(0.5 * (nearest - s))
    if kind == EXPONENTIAL:
        return math.exp(math.sqrt(nearest) - math.sqrt(s))
    if s >= 1.0:
        return 0.0
    if kind == EPANECHNIKOV:
        return 1.0 - s
    if kind == TOPHAT:
        return 1.0
    if kind == LINEAR:
        return 1.0 - math.sqrt(s)
    return math.cos(0.5 * math.pi * math.sqrt(s))


@njit(nogil=True)
def _profiles(kind, s, m, nearest, scale):
    """Turn the first m squared distances s into k(s) in place, side by side where there are exponentials."""
    if kind == GAUSSIAN:
        for t in range(m):
            s[t] = 0.5 * (nearest - s[t])
        exponentials(s, scale, m)
    elif kind == EXPONENTIAL:
        root = math.sqrt(nearest)
        for t in range(m):
            s[t] = root - math.sqrt(s[t])
        exponentials(s, scale, m)
    else:
        for t in range(m):
            s[t] = _profile(kind, s[t], nearest)


@njit(nogil=True, fastmath=SUMS)
def _squares(points, start, m, q, s):
    """Squared distances from q (d,) to m columns of points (d, n), into s."""
    a = uint64(start)
    for t in range(m):
        gap = points[0, a + uint64(t)] - q[0]
        s[t] = gap * gap
    for j in range(1, len(q)):
        v = q[j]
        for t in range(m):
            gap = points[j, a + uint64(t)] - v
            s[t] += gap * gap


@njit(nogil=True, fastmath=SUMS)
def _weighted_sum(weight, start, m, k):
    """The sum of m values k times the weights (n,) from start on."""
    a, total = uint64(start), 0.0
    for t in range(m):
        total += weight[a + uint64(t)] * k[t]
    return total


@njit(nogil=True)
def _reach(low, high, node, q):
    """The least and the greatest squared distance between q (d,) and a point of the box of a node."""
    least, greatest = 0.0, 0.0
    for j in range(len(q)):
        below, above = low[node, j] - q[j], q[j] - high[node, j]
        gap = max(below, above, 0.0)
        far = max(-below, -above)
        least += gap * gap
        greatest += far * far
    return least, greatest


@njit(nogil=True)
def _push(kind, low, high, node, q, nearest, depth, stack, most, least):
    """Put a box on the stacks (DEPTH,), with the greatest and the least k that a point of it can have."""
    near, far = _reach(low, high, node, q)
    stack[depth] = node
    most[depth], least[depth] = _profile(kind, near, nearest), _profile(kind, far, nearest)


@njit(nogil=True)
def _nearer_last(stack, most, least, depth):
    """Of the two boxes on top of the stacks, let the one with the greater k be taken first."""
    a, b = depth - 2, depth - 1
    if most[a] > most[b]:
        stack[a], stack[b] = stack[b], stack[a]
        most[a], most[b] = most[b], most[a]
        least[a], least[b] = least[b], least[a]


@njit(nogil=True)
def _leaf_sum(points, weight, a, b, kind, q, nearest, own, left, s, scale):
    """Σ w k(s) over the columns a to b of points (d, n), of which `own` weighs only what is left; s, scale: scratch."""
    m, held = b - a, a <= own < b
    _squares(points, a, m, q, s)
    if held and left == 0.0:
        s[own - a] = np.inf
    _profiles(kind, s, m, nearest, scale)
    total = _weighted_sum(weight, a, m, s)
    if held and left > 0.0:
        total -= (weight[own] - left) * s[own - a]
    return total


@kernel(
    void(
        ROWS, VALUES, PLACES, PLACES, ROWS, ROWS, VALUES, int64, ROWS, VALUES, PLACES, VALUES, float64, VALUES, VECTOR
    ),
)
def kernel_sums(points, weight, start, stop, low, high, heavy, kind, queries, nearest, own, left, rtol, atol, out):
    """Σ w k(s) over points (d, n) with weights (n,), for queries (m, d), into out (m,), to rtol · out + atol (m,).

    A box may stand for its points by the middle of its greatest and least k if the error that this makes is no more
    than its share, by weight, of what is allowed; the share that a box does not use is left to those after it. The
    nearest boxes come first, so that what is allowed is soon known. heavy (nodes,) is the weight of each box. For a
    query that is itself a point, own is its column and left what is left of its weight; else own is −1.
    """
    nodes = len(start)
    stack, most, least = np.empty(DEPTH, np.int64), np.empty(DEPTH), np.empty(DEPTH)
    size = stop[nodes - 1] - start[nodes - 1]  # halves that are larger by one lie on the right
    s, scale = np.empty(size), np.empty(size)
    for i in range(len(queries)):
        q, base = queries[i], nearest[i]
        total, certain, saved = 0.0, 0.0, 0.0
        _push(kind, low, high, 0, q, base, 0, stack, most, least)
        depth = 1
        while depth > 0:
            depth -= 1
            node, middle = stack[depth], 0.5 * (most[depth] + least[depth])
            a, b = start[node], stop[node]
            share = (rtol * certain + atol[i]) * (heavy[node] / heavy[0]) + saved
            error = 0.5 * (most[depth] - least[depth]) * heavy[node]
            if error <= share and not a <= own[i] < b:
                total += middle * heavy[node]
                certain += least[depth] * heavy[node]
                saved = share - error
            elif 2 * node + 1 < nodes:
                _push(kind, low, high, 2 * node + 1, q, base, depth, stack, most, least)
                _push(kind, low, high, 2 * node + 2, q, base, depth + 1, stack, most, least)
                depth += 2
                _nearer_last(stack, most, least, depth)
            else:
                value = _leaf_sum(points, weight, a, b, kind, q, base, own[i], left[i], s, scale)
                total += value
                certain += value
                saved = share
        out[i] = total


@kernel(void(VALUES, VALUES, float64, float64, VECTOR))
def share_out(x, weight, first, step, out):
    """Add the weight (n,) of each x to the two points of a grid around it, more to the nearer one: out (m,).

    The points are first, first + step, …; every x lies between the first and the last.
    """
    scale, last = 1.0 / step, len(out) - 2
    for i in range(len(x)):
        place = (x[i] - first) * scale
        k = min(max(int64(place), 0), last)
        upper = weight[i] * (place - k)
        out[uint64(k)] += weight[i] - upper
        out[uint64(k + 1)] += upper
