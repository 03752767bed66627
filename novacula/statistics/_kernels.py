"""Compiled loops over the rows of a chunk: each folds its rows into arrays that the caller made.

Signatures are stated, so that a kernel has one compiled form, also for the read-only arrays of files and of
other processes. Rows of weight 0 are skipped: whatever they hold has no effect. Places read from the data
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
"""Rows in a block, at least: few enough that the second pass over them finds them in the cache."""


@njit(nogil=True)
def _add_values(x, code, weight, start, stop, plain, known, total, low, high):
    """Rows start to stop of x (n, d) into plain (K,), the weight of ordinary rows, and into arrays (K, d)."""
    d = x.shape[1]
    for i in range(start, stop):
        w = weight[i]
        if w == 0.0:
            continue
        k = uint64(code[i])
        # A row within the range seen so far misses no value and widens no range: nearly every row is so.
        inside = 0
        for j in range(d):
            inside += (low[k, j] <= x[i, j]) & (x[i, j] <= high[k, j])
        if inside == d:
            plain[k] += w
            for j in range(d):
                total[k, j] += w * x[i, j]
            continue
        # Two loops, each over few enough arrays that the compiler proves them apart and vectorises.
        for j in range(d):
            v = x[i, j]
            known[k, j] += w if v == v else 0.0
            total[k, j] += w * v if v == v else 0.0
        for j in range(d):
            v, least, most = x[i, j], low[k, j], high[k, j]
            low[k, j] = v if v < least else least
            high[k, j] = v if v > most else most


@njit(nogil=True)
def _divide(total, known, plain):
    """Turn sums (K, d) into means, in place, once the weight of plain rows (K,) is known in every column."""
    for k in range(total.shape[0]):
        for j in range(total.shape[1]):
            known[k, j] += plain[k]
            total[k, j] = total[k, j] / known[k, j] if known[k, j] > 0.0 else 0.0
        plain[k] = 0.0


@njit(nogil=True)
def _add_squares(x, code, weight, start, stop, mean, ssd):
    """Squared deviations of rows start to stop of x (n, d) from mean (K, d) into ssd (K, d)."""
    for i in range(start, stop):
        w = weight[i]
        if w == 0.0:
            continue
        k = uint64(code[i])
        for j in range(x.shape[1]):
            gap = x[i, j] - mean[k, j]
            ssd[k, j] += w * gap * gap if gap == gap else 0.0


@njit(nogil=True)
def _join(known, mean, ssd, block_known, block_mean, block_ssd):
    """Chan's formula on arrays (K, d): the first three take up the others, which are cleared."""
    for k in range(known.shape[0]):
        for j in range(known.shape[1]):
            a, b = known[k, j], block_known[k, j]
            if b > 0.0:
                share = b / (a + b)
                gap = block_mean[k, j] - mean[k, j]
                known[k, j] = a + b
                mean[k, j] += share * gap
                ssd[k, j] += block_ssd[k, j] + a * share * gap * gap
            block_known[k, j] = block_mean[k, j] = block_ssd[k, j] = 0.0


@kernel(void(ROWS, CODES, VALUES, *[TABLE] * 8, VECTOR))
def class_moments(x, code, weight, known, mean, ssd, low, high, block_known, block_mean, block_ssd, plain):
    """x (n, d), code and weight (n,), then (K, d), plain (K,); block_known and on are scratch of zeros."""
    n = len(x)
    size = max(BLOCK, len(known))  # joining a block costs as much as reading a row of each class
    for start in range(0, n, size):
        stop = min(start + size, n)
        _add_values(x, code, weight, start, stop, plain, block_known, block_mean, low, high)
        _divide(block_mean, block_known, plain)
        _add_squares(x, code, weight, start, stop, block_mean, block_ssd)
        _join(known, mean, ssd, block_known, block_mean, block_ssd)


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
