"""Compiled loops of learning: counts of whole families.

Signatures are stated, so that a kernel has one compiled form, also for the read-only arrays of files and of other
processes.
"""

import numpy as np
from numba import njit
from numba.types import Array, UniTuple, float64, int32, int64, uint64

from novacula.compiling import kernel

CODE_ROWS = Array(int32, 2, "C", readonly=True)
VALUES = Array(float64, 1, "C", readonly=True)
PLACES = Array(int64, 1, "C", readonly=True)
SCOPES = UniTuple(PLACES, 4)
VECTOR = float64[::1]

BLOCK = 256
"""Rows that are turned round at once, so that a family finds its codes side by side and in the cache."""
APART = 16
"""Codes between two columns of a block: the codes of one row would crowd into few lines of the cache without them."""


@njit(nogil=True)
def _count_whole(block, weight, first, m, scopes, place, counts):
    """Add the weights of m rows, whose codes are in block (D, BLOCK) by column, to a cell of each table."""
    start, column, stride, offset = scopes
    for t in range(len(offset)):
        for i in range(m):
            place[i] = offset[t]
        for a in range(start[t], start[t + 1]):
            step, codes = int32(stride[a]), block[column[a]]
            for i in range(m):
                place[i] += codes[i] * step
        for i in range(m):
            counts[uint64(place[i])] += weight[first + i]


@njit(nogil=True)
def _count_known(codes, weight, first, m, scopes, counts):
    """The same of rows of codes (n, D) that may have unknown codes: a table leaves out rows that lack one of its."""
    start, column, stride, offset = scopes
    for t in range(len(offset)):
        for i in range(first, first + m):
            place, known = offset[t], True
            for a in range(start[t], start[t + 1]):
                code = codes[i, column[a]]
                known = known and code >= 0
                place += code * stride[a]
            if known:
                counts[place] += weight[i]


@kernel(float64(CODE_ROWS, VALUES, SCOPES, VECTOR, SCOPES, VECTOR))
def family_counts(codes, weight, joint, joint_counts, families, counts):
    """codes (n, D): adds each row's weight to the cell of each family whose codes the row knows, all of them.

    Scopes are start, column, stride and offset: table t has columns and strides start[t] to start[t + 1], and begins
    at offset[t]. Blocks of rows without an unknown code go to the joint tables instead, which may hold several families
    each or be those of the families. Gives the weight of the rows with an unknown code.
    """
    n, d = codes.shape
    # Places of 32 bits, which all tables together never outgrow, are multiplied several times as fast as those of 64.
    block, place, incomplete = np.empty((d, BLOCK + APART), np.int32), np.empty(BLOCK, np.int32), 0.0
    for first in range(0, n, BLOCK):
        m, gaps = min(BLOCK, n - first), False
        for i in range(m):
            signs = int32(0)
            for j in range(d):
                signs |= codes[first + i, j]
                block[j, i] = codes[first + i, j]
            if signs < 0:
                gaps = True
                incomplete += weight[first + i]
        if gaps:
            _count_known(codes, weight, first, m, families, counts)
        else:
            _count_whole(block, weight, first, m, joint, place, joint_counts)
    return incomplete
