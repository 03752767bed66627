"""Compiled loops of boosting: sums of rows by code, the best test of each feature, and rows sent to branches.

Codes come as bytes, or as words of two bytes where a column has more than 255 categories.
"""

import numpy as np
from numba import njit, uint64
from numba.types import Array, boolean, float64, int8, int32, int64, uint8, uint16, void

from novacula.compiling import BORROWED, kernel
from novacula.ensemble.boosting.constants import (
    CUT,
    GAIN,
    GRADIENT,
    HESSIAN,
    HIGH,
    L2,
    LEAST_CATEGORY,
    LEAST_HESSIAN,
    LEAST_WEIGHT,
    LOW,
    NOISE,
    NOMINAL_L2,
    SIDE,
    WEIGHT,
)

BYTES = Array(uint8, 2, "C", readonly=True)
WORDS = Array(uint16, 2, "C", readonly=True)
LANES = Array(int32, 2, "C", readonly=True)
ROWS = Array(int32, 1, "C", readonly=True)
LONGS = Array(int64, 1, "C", readonly=True)
BRANCHES = Array(uint8, 1, "C", readonly=True)
SUMS = Array(int64, 2, "C", readonly=True)


@njit(nogil=True, **BORROWED)
def _count(codes, lanes, rows, offsets, first, last, sums):
    """Set the cells of features first to last to the sums of the lanes of rows."""
    for cell in range(offsets[first], offsets[last]):
        for lane in range(3):
            sums[cell, lane] = 0
    for i in range(uint64(len(rows))):
        row = uint64(rows[i])
        g = int64(lanes[row, uint64(GRADIENT)])
        h = int64(lanes[row, uint64(HESSIAN)])
        w = int64(lanes[row, uint64(WEIGHT)])
        for f in range(uint64(first), uint64(last)):
            cell = uint64(offsets[f]) + uint64(codes[row, f])
            sums[cell, uint64(GRADIENT)] += g
            sums[cell, uint64(HESSIAN)] += h
            sums[cell, uint64(WEIGHT)] += w


@kernel(void(BYTES, LANES, ROWS, LONGS, int64, int64, Array(int64, 2, "C")))
def count_bytes(codes, lanes, rows, offsets, first, last, sums):
    """Sum the lanes (n, 3) of some rows by code: sums (cells, 3) of features first to last, which begin at offsets.

    Lanes are whole numbers, so that the sums are the same in any order.
    """
    _count(codes, lanes, rows, offsets, first, last, sums)


@kernel(void(WORDS, LANES, ROWS, LONGS, int64, int64, Array(int64, 2, "C")))
def count_words(codes, lanes, rows, offsets, first, last, sums):
    """The same of wider codes."""
    _count(codes, lanes, rows, offsets, first, last, sums)


@njit(nogil=True, **BORROWED)
def _part(column, branches, rows, spare):
    """Put the rows of branch 0 before those of branch 1, each in their order; gives how many are in front."""
    ahead, behind = uint64(0), uint64(0)
    for i in range(uint64(len(rows))):
        row = rows[i]
        branch = uint64(branches[uint64(column[uint64(row)])])
        rows[ahead] = row
        spare[behind] = row
        ahead += uint64(1) - branch
        behind += branch
    for i in range(behind):
        rows[ahead + i] = spare[i]
    return int64(ahead)


@kernel(int64(BRANCHES, BRANCHES, Array(int32, 1, "C"), Array(int32, 1, "C")))
def part_bytes(column, branches, rows, spare):
    """Put rows whose code in a column has branch 0 before the others, in order; gives how many; spare is as long."""
    return _part(column, branches, rows, spare)


@kernel(int64(Array(uint16, 1, "C", readonly=True), BRANCHES, Array(int32, 1, "C"), Array(int32, 1, "C")))
def part_words(column, branches, rows, spare):
    """The same of wider codes."""
    return _part(column, branches, rows, spare)


@kernel(void(ROWS, float64, Array(float64, 1, "C")))
def add_to_rows(rows, value, scores):
    """Add a number to the scores of some rows."""
    for i in range(uint64(len(rows))):
        scores[uint64(rows[i])] += value


@njit(nogil=True, **BORROWED)
def _value(g, h, low, high):
    """The best answer for sums of gradients and Hessians, within bounds."""
    best = -g / h
    return min(max(best, low), high)


@njit(nogil=True, **BORROWED)
def _score(g, h, value):
    """Twice by how much an answer lowers the loss."""
    return -(2.0 * g + h * value) * value


@njit(nogil=True, **BORROWED)
def _pair(g, h, g_all, h_all, l2, sign, bounded, limits):
    """The scores of two branches together, of which one has the sums g and h; none if a sign is broken."""
    g_other = g_all - g
    h_one, h_other = h + l2, h_all - h + l2
    if not bounded:
        return (g * g * h_other + g_other * g_other * h_one) / (h_one * h_other)
    one, other = _value(g, h_one, limits[LOW], limits[HIGH]), _value(g_other, h_other, limits[LOW], limits[HIGH])
    if sign * (one - other) > 0.0:
        return -np.inf
    return _score(g, h_one, one) + _score(g_other, h_other, other)


@njit(nogil=True, **BORROWED)
def _ratio(sums, cell, smoothing):
    return float64(sums[cell, GRADIENT]) / (float64(sums[cell, HESSIAN]) + smoothing)


@njit(nogil=True, **BORROWED)
def _sift(order, sums, start, smoothing, root, size):
    """Let an entry of a heap of codes sink until no larger ratio is below it."""
    top = root
    while True:
        below = 2 * top + 1
        if below >= size:
            return
        if below + 1 < size and _after(order[start + below + 1], order[start + below], sums, start, smoothing):
            below += 1
        if not _after(order[start + below], order[start + top], sums, start, smoothing):
            return
        order[start + top], order[start + below] = order[start + below], order[start + top]
        top = below


@njit(nogil=True, **BORROWED)
def _after(one, other, sums, start, smoothing):
    """Whether a code comes after another: by its ratio, then by itself."""
    a, b = _ratio(sums, start + one, smoothing), _ratio(sums, start + other, smoothing)
    return a > b or (a == b and one > other)


@njit(nogil=True, **BORROWED)
def _arrange(order, sums, start, smoothing, size):
    """Sort the first codes of a feature by their ratios."""
    for root in range(size // 2 - 1, -1, -1):
        _sift(order, sums, start, smoothing, root, size)
    for last in range(size - 1, 0, -1):
        order[start], order[start + last] = order[start + last], order[start]
        _sift(order, sums, start, smoothing, 0, last)


@kernel(
    void(
        SUMS, LONGS, Array(boolean, 1, "C", readonly=True), Array(boolean, 1, "C", readonly=True),
        Array(int8, 1, "C", readonly=True), LONGS, Array(float64, 1, "C", readonly=True), boolean, int64, int64,
        Array(float64, 2, "C"), Array(int64, 2, "C"), Array(int32, 1, "C"),
    )
)  # fmt: skip
def find_tests(sums, offsets, ordered, allowed, signs, total, limits, bounded, first, last, found, left, order):
    """The best test of each of the features first to last at a node: found (F, 3); left (F, 3), the sums of one side.

    sums (cells, 3) are those of the node, a feature's last cell that of missing values, and total (3,) of all rows.
    Of a feature without order its codes are put into `order` (cells,) by G/(H + smoothing): those with enough weight;
    the others go with the missing values. signs (F,) are those of monotone columns.
    """
    g_all, h_all, w_all = float64(total[GRADIENT]), float64(total[HESSIAN]), total[WEIGHT]
    for f in range(first, last):
        found[f, GAIN] = -1.0
        if not allowed[f]:
            continue
        start, size = offsets[f], offsets[f + 1] - offsets[f] - 1
        l2 = limits[L2]
        g_rest, h_rest, w_rest = sums[start + size, GRADIENT], sums[start + size, HESSIAN], sums[start + size, WEIGHT]
        n = size
        if not ordered[f]:
            l2 = limits[NOMINAL_L2]
            n = 0
            for code in range(size):
                cell = start + code
                if float64(sums[cell, WEIGHT]) >= limits[LEAST_CATEGORY]:
                    order[start + n] = code
                    n += 1
                else:
                    g_rest += sums[cell, GRADIENT]
                    h_rest += sums[cell, HESSIAN]
                    w_rest += sums[cell, WEIGHT]
            _arrange(order, sums, start, l2, n)
        parent = h_all + l2
        whole = g_all * g_all / parent
        if bounded:
            whole = _score(g_all, parent, _value(g_all, parent, limits[LOW], limits[HIGH]))
        best = whole + NOISE * abs(whole)
        sign = float64(signs[f])
        for side in range(1, -1 if w_rest > 0 else 0, -1):  # the branch of missing values: 1, then 0
            g, h, w = int64(0), int64(0), int64(0)
            if side == 0:
                g, h, w = g_rest, h_rest, w_rest
            cuts = n if side == 1 and w_rest > 0 else n - 1
            for c in range(cuts):
                cell = start + c
                if not ordered[f]:
                    cell = start + order[start + c]
                if sums[cell, WEIGHT] == 0:
                    continue
                g += sums[cell, GRADIENT]
                h += sums[cell, HESSIAN]
                w += sums[cell, WEIGHT]
                if float64(w) < limits[LEAST_WEIGHT] or float64(h) < limits[LEAST_HESSIAN]:
                    continue
                if float64(w_all - w) < limits[LEAST_WEIGHT] or h_all - float64(h) < limits[LEAST_HESSIAN]:
                    break
                score = _pair(float64(g), float64(h), g_all, h_all, l2, sign, bounded, limits)
                if score > best:
                    best = score + NOISE * abs(score)
                    found[f, GAIN], found[f, CUT], found[f, SIDE] = score - whole, float64(c), float64(side)
                    left[f, GRADIENT], left[f, HESSIAN], left[f, WEIGHT] = g, h, w
