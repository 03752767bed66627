"""Compiled loops of the neighbours: a tree of boxes, and the k nearest rows from it, from products or one by one.

Distances are held as sums of powers, Σ|gap|ᵖ, or for p = ∞ as the largest gap; their roots are taken outside. Every
kernel adds the coordinates of a pair in the same order, so that all give the same bits, and of rows at one distance the
one with the smaller number comes first. The k best rows so far are a heap with the worst of them on top.
"""

import numpy as np
from numba import njit
from numba.types import Array, float32, float64, int32, int64, uint64, void

from novacula.compiling import kernel

ROWS = Array(float64, 2, "C", readonly=True)
VALUES = Array(float64, 1, "C", readonly=True)
CODE_ROWS = Array(int32, 2, "C", readonly=True)
PLACES = Array(int64, 1, "C", readonly=True)
PRODUCTS = Array(float32, 2, "C", readonly=True)
TABLE = float64[:, ::1]
PLACE_TABLE = int64[:, ::1]
PLACE_VECTOR = int64[::1]

DEPTH = 64
"""Levels of a tree, at most: each halves the rows."""
SAMPLE = 256
"""Rows that say which side of a box is the widest."""
GROUP = 64
"""Products examined together: most groups hold nothing near."""


# --- the heap of the k best rows ------------------------------------------------------------------------------


@njit(nogil=True)
def _sift(distance, row, size, d, r):
    """Put (d, r) in the place of the worst of a heap, whose arrays hold `size` entries."""
    place = 0
    while True:
        child = 2 * place + 1
        if child >= size:
            break
        other = child + 1
        if other < size and (
            distance[other] > distance[child] or (distance[other] == distance[child] and row[other] > row[child])
        ):
            child = other
        if distance[child] < d or (distance[child] == d and row[child] < r):
            break
        distance[place] = distance[child]
        row[place] = row[child]
        place = child
    distance[place] = d
    row[place] = r


@njit(nogil=True)
def _sort(distance, row):
    """Turn a heap into a list with the nearest row first."""
    for size in range(len(row) - 1, 0, -1):
        d, r = distance[size], row[size]
        distance[size] = distance[0]
        row[size] = row[0]
        _sift(distance, row, size, d, r)


@kernel(void(TABLE, PLACE_TABLE))
def sort_heaps(distance, row):
    """Each row of distance and row (m, k), which is a heap, with the nearest first."""
    for i in range(len(row)):
        _sort(distance[i], row[i])


# --- the tree -------------------------------------------------------------------------------------------------


@njit(nogil=True)
def _halve(key, order, start, middle, stop):
    """Hoare's selection: key and order (n,) so that start to middle holds the smaller keys of start to stop."""
    left, right = start, stop - 1
    while left < right:
        pivot = key[(left + right) // 2]
        i, j = left, right
        while i <= j:
            while key[i] < pivot:
                i += 1
            while key[j] > pivot:
                j -= 1
            if i <= j:
                key[i], key[j] = key[j], key[i]
                order[i], order[j] = order[j], order[i]
                i += 1
                j -= 1
        if middle <= j:
            right = j
        elif middle >= i:
            left = i
        else:
            break


@njit(nogil=True)
def _bound(x, order, start, stop, step, low, high):
    """The box (d,), (d,) around every step-th of the rows start to stop of x[order]."""
    for j in range(len(low)):
        low[j], high[j] = np.inf, -np.inf
    for i in range(start, stop, step):
        r = uint64(order[i])
        for j in range(len(low)):
            low[j] = min(low[j], x[r, j])
            high[j] = max(high[j], x[r, j])


@kernel(void(ROWS, PLACE_VECTOR, PLACE_VECTOR, PLACE_VECTOR, TABLE, TABLE))
def build_tree(x, order, start, stop, low, high):
    """x (n, d) into order (n,) and, by node, start, stop (m,) and boxes (m, d); node i has children 2i + 1, 2i + 2."""
    n, d = x.shape
    nodes = len(start)
    key = np.empty(n)
    for node in range(nodes // 2):
        a, b = start[node], stop[node]
        # Which side to halve may be guessed from a sample; the box itself comes from below.
        _bound(x, order, a, b, 1 + (b - a) // SAMPLE, low[node], high[node])
        widest = 0
        for j in range(d):
            if high[node, j] - low[node, j] > high[node, widest] - low[node, widest]:
                widest = j
        for i in range(a, b):
            key[i] = x[uint64(order[i]), widest]
        middle, child = (a + b) // 2, 2 * node + 1
        _halve(key, order, a, middle, b)
        start[child], stop[child] = a, middle
        start[child + 1], stop[child + 1] = middle, b
    for node in range(nodes // 2, nodes):
        _bound(x, order, start[node], stop[node], 1, low[node], high[node])
    for node in range(nodes // 2 - 1, -1, -1):
        child = 2 * node + 1
        for j in range(d):
            low[node, j] = min(low[child, j], low[child + 1, j])
            high[node, j] = max(high[child, j], high[child + 1, j])


@njit(nogil=True)
def _distance_to_box(low, high, node, q, p):
    """The least Σ|gap|ᵖ between q (d,) and a point of the box of a node.

    Gaps, powers and sums of rounded numbers are monotone, so the computed bound is never above the computed distance of
    a point in the box; only a general power needs some slack.
    """
    total = 0.0
    for j in range(len(q)):
        gap = max(low[node, j] - q[j], q[j] - high[node, j], 0.0)
        if p == 2.0:
            total += gap * gap
        elif p == 1.0:
            total += gap
        elif p == np.inf:
            total = max(total, gap)
        else:
            total += gap**p * (1.0 - 1e-12)
    return total


@njit(nogil=True)
def _distances_in_leaf(points, start, stop, q, p, near):
    """Σ|gap|ᵖ from q (d,) to columns start to stop of points (d, n), into near, side by side to vectorise."""
    a, size = uint64(start), uint64(stop - start)
    for i in range(size):
        near[i] = 0.0
    for j in range(len(q)):
        v = q[j]
        if p == 2.0:
            for i in range(size):
                gap = points[j, a + i] - v
                near[i] += gap * gap
        elif p == 1.0:
            for i in range(size):
                near[i] += abs(points[j, a + i] - v)
        elif p == np.inf:
            for i in range(size):
                near[i] = max(near[i], abs(points[j, a + i] - v))
        else:
            for i in range(size):
                near[i] += abs(points[j, a + i] - v) ** p


@kernel(int64(ROWS, PLACES, PLACES, PLACES, ROWS, ROWS, float64, ROWS, TABLE, PLACE_TABLE))
def search_tree(points, order, start, stop, low, high, p, queries, distance, row):
    """The k nearest of points (d, n) to queries (m, d), into distance and row (m, k); gives how many were visited.

    distance comes full of infinity, row full of n.
    """
    k, nodes = row.shape[1], len(start)
    node_stack, bound_stack = np.empty(DEPTH, np.int64), np.empty(DEPTH)
    near = np.empty(stop[nodes - 1] - start[nodes - 1] + 1)
    looked_at = 0
    for i in range(len(queries)):
        q, best, best_row = queries[i], distance[i], row[i]
        node_stack[0], bound_stack[0] = 0, 0.0
        depth = 1
        while depth > 0:
            depth -= 1
            node = node_stack[depth]
            if bound_stack[depth] > best[0]:  # at the same distance there may still be a smaller row number
                continue
            while 2 * node + 1 < nodes:
                near_child, far_child = 2 * node + 1, 2 * node + 2
                bound = _distance_to_box(low, high, near_child, q, p)
                far_bound = _distance_to_box(low, high, far_child, q, p)
                if far_bound < bound:
                    near_child, far_child = far_child, near_child
                    bound, far_bound = far_bound, bound
                if far_bound <= best[0]:
                    node_stack[depth], bound_stack[depth] = far_child, far_bound
                    depth += 1
                node = near_child
                if bound > best[0]:
                    break
            else:
                a, b = start[node], stop[node]
                looked_at += b - a
                _distances_in_leaf(points, a, b, q, p, near)
                for t in range(b - a):
                    if near[t] <= best[0]:
                        r = order[a + t]
                        if near[t] < best[0] or r < best_row[0]:
                            _sift(best, best_row, k, near[t], r)
        _sort(best, best_row)
    return looked_at


# --- without a tree -------------------------------------------------------------------------------------------


@njit(nogil=True)
def _upwards(value):
    """A number that is no smaller after it is rounded to single precision."""
    return value + abs(value) * 2.4e-7


@kernel(void(PRODUCTS, VALUES, VALUES, float64, ROWS, PLACES, ROWS, TABLE, PLACE_TABLE))
def refine_products(products, base, slack, unit, rows, order, queries, distance, row):
    """Rows (n, d) that products (m, n) say may be near queries (m, d), by exact squared distance, into heaps (m, k).

    A row at squared distance s has a product of at most (s − base[i]) · unit + slack[i]. What is not surely above that
    for the worst of the heap is computed exactly, also where a product overflowed.
    """
    n, d = rows.shape
    k = row.shape[1]
    for i in range(len(queries)):
        q, best, best_row = queries[i], distance[i], row[i]
        limit = float32(_upwards((best[0] - base[i]) * unit + slack[i]))
        for g in range(0, n, GROUP):
            a, b = uint64(g), uint64(min(g + GROUP, n))
            hits = int32(0)
            for t in range(a, b):
                hits += int32(1) - int32(products[i, t] > limit)
            if hits == 0:
                continue
            for t in range(a, b):
                if products[i, t] > limit:
                    continue
                total = 0.0
                for j in range(d):
                    gap = rows[t, j] - q[j]
                    total += gap * gap
                if total < best[0] or (total == best[0] and order[t] < best_row[0]):
                    _sift(best, best_row, k, total, order[t])
                    limit = float32(_upwards((best[0] - base[i]) * unit + slack[i]))


@kernel(void(ROWS, int64, ROWS, TABLE, PLACE_TABLE))
def search_mixed(points, n_numbers, queries, distance, row):
    """The k nearest of points (c, n) to queries (m, c) by squared HEOM, into distance and row (m, k).

    The first n_numbers coordinates are numbers, the others codes; NaN is missing and counts 1.
    """
    c, n = points.shape
    k = row.shape[1]
    near = np.empty(GROUP)
    for i in range(len(queries)):
        q, best, best_row = queries[i], distance[i], row[i]
        for start in range(0, n, GROUP):
            a, size = uint64(start), uint64(min(GROUP, n - start))
            for t in range(size):
                near[t] = 0.0
            for j in range(n_numbers):
                v = q[j]
                for t in range(size):
                    gap = points[j, a + t] - v
                    near[t] += gap * gap if gap == gap else 1.0
            for j in range(n_numbers, c):
                v = q[j]
                for t in range(size):
                    near[t] += 0.0 if points[j, a + t] == v else 1.0
            for t in range(size):
                if near[t] < best[0]:  # rows come by number, so that an equal one comes too late
                    _sift(best, best_row, k, near[t], start + t)
        _sort(best, best_row)
