"""Compiled loops over the rows of a chunk: each folds its rows into arrays that the caller made.

Signatures are stated, so that a kernel has one compiled form, also for the read-only arrays of files and of
other processes. Rows of weight 0 are skipped: what they hold has no effect. Places read from the data
are made unsigned, which spares the test for places counted from the end.
"""

import numpy as np
from numba import njit
from numba.types import Array, float64, int32, int64, uint64, void

from novacula.compiling import kernel
from novacula.table.chunk import MISSING

ROWS = Array(float64, 2, "C", readonly=True)
VALUES = Array(float64, 1, "C", readonly=True)
CODES = Array(int32, 1, "C", readonly=True)
CODE_ROWS = Array(int32, 2, "C", readonly=True)
OFFSETS = Array(int64, 1, "C", readonly=True)
TABLE = float64[:, ::1]
VECTOR = float64[::1]

CELLS = 4
"""Cells to an edge, in the search for a bin."""
BLOCK = 256
"""Rows in a block, at least: few enough that a second pass over them finds them in the cache."""
FAR = 4.0
"""A block may weigh this many times as much as the rows that its centre comes from."""
WIDE = 32
"""Columns in a piece of a desk. Sums of one kind stand so far from those of the next, and as the compiler knows
this, it need not check for each row that they do not overlap."""
KINDS = 9
WEIGHT, MEAN, SSD, LOW, HIGH, ABOUT, KNOWN, TOTAL, SQUARES = (np.uint64(kind * WIDE) for kind in range(KINDS))
"""Kinds of numbers in a piece: the moments of `ClassMoments`, then a block's centre and its sums about it."""


@njit(nogil=True, fastmath={"contract"})
def _look(x, code, weight, start, stop, place, desk):
    """Rows start to stop of x (n, d) into the block's sums on the desk; place (K,) is where a class begins."""
    d = x.shape[1]
    for i in range(start, stop):
        w = weight[i]
        if w == 0.0:
            continue
        for left in range(0, d, WIDE):
            first, column = uint64(place[uint64(code[i])] + left * KINDS), uint64(left)
            for j in range(uint64(min(WIDE, d - left))):
                c, v = first + j, x[i, column + j]
                gap, least, most = v - desk[c + ABOUT], desk[c + LOW], desk[c + HIGH]
                gap = gap if v == v else 0.0
                desk[c + KNOWN] += w if v == v else 0.0
                desk[c + TOTAL] += w * gap
                desk[c + SQUARES] += w * gap * gap
                # The 0 keeps the compiler from storing through a mask, which takes several times as long.
                desk[c + LOW] = (v if v < least else least) + 0.0
                desk[c + HIGH] = (v if v > most else most) + 0.0


@njit(nogil=True)
def _is_hasty(desk):
    """Whether a cell's block outweighs by far the rows that its centre comes from: its squares could cancel."""
    hasty = 0
    for piece in range(0, len(desk), KINDS * WIDE):
        for c in range(uint64(piece), uint64(piece + WIDE)):
            hasty += desk[c + KNOWN] > FAR * desk[c + WEIGHT]
    return hasty > 0


@njit(nogil=True, error_model="numpy")
def _recentre(desk):
    """Make the block's own means the centres, and clear its sums."""
    for piece in range(0, len(desk), KINDS * WIDE):
        for c in range(uint64(piece), uint64(piece + WIDE)):
            b = desk[c + KNOWN]
            desk[c + ABOUT] += desk[c + TOTAL] / b if b > 0.0 else 0.0
            desk[c + KNOWN] = desk[c + TOTAL] = desk[c + SQUARES] = 0.0


@njit(nogil=True, error_model="numpy")
def _join(desk):
    """Chan's formula: the moments take up the block, whose sums are cleared; the new means are the next centres."""
    for piece in range(0, len(desk), KINDS * WIDE):
        for c in range(uint64(piece), uint64(piece + WIDE)):
            a, b, total = desk[c + WEIGHT], desk[c + KNOWN], desk[c + TOTAL]
            shift, share = (total / b, b / (a + b)) if b > 0.0 else (0.0, 0.0)
            gap = desk[c + ABOUT] - desk[c + MEAN] + shift
            within = desk[c + SQUARES] - total * shift
            desk[c + WEIGHT] = a + b
            desk[c + MEAN] += share * gap
            desk[c + SSD] += (0.0 if within < 0.0 else within) + a * share * gap * gap
            desk[c + ABOUT] = desk[c + MEAN]
            desk[c + KNOWN] = desk[c + TOTAL] = desk[c + SQUARES] = 0.0


@njit(nogil=True)
def _empty_desk(pieces):
    """A desk without rows. Numba's arrays begin at multiples of 32 bytes: no four numbers lie across two lines."""
    desk = np.zeros(pieces * KINDS * WIDE)
    for piece in range(0, len(desk), KINDS * WIDE):
        for c in range(uint64(piece), uint64(piece + WIDE)):
            desk[c + LOW], desk[c + HIGH] = np.inf, -np.inf
    return desk


@kernel(VECTOR(ROWS, CODES, VALUES, OFFSETS, int64))
def class_moments(x, code, weight, place, pieces):
    """x (n, d), code and weight (n,), place (K,): the moments, on a desk of this many pieces.

    A block is read once, about the means so far. Where these come from too few rows, it is read again
    about its own means: joining weight b to weight a loses no more than (a + b) / a roundings.
    """
    desk = _empty_desk(pieces)
    n = len(x)
    size = max(BLOCK, len(place))  # joining a block costs as much as reading a row of each class
    for start in range(0, n, size):
        stop = min(start + size, n)
        _look(x, code, weight, start, stop, place, desk)
        if _is_hasty(desk):
            _recentre(desk)
            _look(x, code, weight, start, stop, place, desk)
        _join(desk)
    return desk


@kernel(int64(CODE_ROWS, CODES, VALUES, OFFSETS, TABLE))
def contingency(codes, code, weight, offsets, counts):
    """codes (n, d), code and weight (n,), offsets (d + 1,) into counts (K, c); gives how many lie beyond."""
    n, d = codes.shape
    beyond = 0
    for i in range(n):
        w = weight[i]
        if w == 0.0:
            continue
        k = uint64(code[i])
        for j in range(d):
            c = codes[i, j]
            if c >= 0:
                place = offsets[j] + c
                if place < offsets[j + 1]:
                    counts[k, uint64(place)] += w
                else:
                    beyond += 1
    return beyond


@njit(nogil=True, inline="always")
def _cell(v, low, scale, most):
    """In which of the cells 0 to `most` of equal width a value lies; never in a lower one than a smaller value."""
    place = (v - low) * scale
    return uint64(min(place, most)) if place > 0.0 else uint64(0)


@kernel(void(ROWS, VALUES, OFFSETS, int32[:, ::1]))
def find_bins(x, edges, offsets, codes):
    """The bin of every value of x (n, d), as codes (n, d): how many edges of its column lie below it.

    The rising edges of column j run from offsets[j] to offsets[j + 1]. A missing value gets MISSING. Their range is
    cut into cells, four to an edge, so that a value has to be compared to the edges of its own cell only: mostly none.
    """
    n, d = x.shape
    before = np.zeros(CELLS * len(edges) + 2 * d, np.int64)  # edges in lower cells; of each column one cell more
    scale = np.zeros(d)
    for j in range(d):
        first, m = offsets[j], offsets[j + 1] - offsets[j]
        reach = edges[first + m - 1] - edges[first] if m > 1 else 0.0
        scale[j] = CELLS * m / reach if 0.0 < reach < np.inf and CELLS * m / reach < np.inf else 0.0
        start = CELLS * first + 2 * j
        for k in range(m):
            before[uint64(start + 1) + _cell(edges[first + k], edges[first], scale[j], float(CELLS * m))] += 1
        for k in range(start + 1, start + CELLS * m + 2):
            before[k] += before[k - 1]
    for block in range(0, n, BLOCK):
        for j in range(d):
            first, m = uint64(offsets[j]), offsets[j + 1] - offsets[j]
            start, most, by = uint64(CELLS * offsets[j] + 2 * j), float(CELLS * m), scale[j]
            for i in range(block, min(block + BLOCK, n)):
                v, low, high = x[i, j], uint64(0), uint64(0)
                if m > 0 and v == v:
                    cell = start + _cell(v, edges[first], by, most)
                    low, high = uint64(before[cell]), uint64(before[cell + uint64(1)])
                while low < high:
                    middle = (low + high) >> uint64(1)
                    if edges[first + middle] < v:
                        low = middle + uint64(1)
                    else:
                        high = middle
                codes[i, j] = int32(low) if v == v else int32(MISSING)


@kernel(void(VALUES, CODES, CODES, CODES, VALUES, TABLE, TABLE, VECTOR))
def sparse_totals(data, indices, indptr, code, weight, total, missing, low):
    """A CSR matrix (n, d), code and weight (n,) into total and missing (K, d) and low (d,)."""
    for i in range(len(weight)):
        w = weight[i]
        if w == 0.0:
            continue
        k = uint64(code[i])
        for p in range(uint64(indptr[i]), uint64(indptr[i + 1])):
            j, v = uint64(indices[p]), data[p]
            if v == v:
                total[k, j] += w * v
                if v < 0.0:  # rarely, so that low stays out of the cache
                    low[j] = min(low[j], v)
            else:
                missing[k, j] += w
