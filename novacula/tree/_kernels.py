"""Compiled loops over rows that go down a tree."""

import numpy as np
from numba import from_dtype, njit
from numba.types import Array, Tuple, boolean, float64, int32, int64, void

from novacula.compiling import kernel
from novacula.tree.constants import STEP

STEPS = Array(from_dtype(STEP), 1, "C", readonly=True)
ROWS = Array(float64, 2, "C", readonly=True)
VALUES = Array(float64, 1, "C", readonly=True)
CODES = Array(int32, 1, "C", readonly=True)
CODE_ROWS = Array(int32, 2, "C", readonly=True)
LONGS = Array(int64, 1, "C", readonly=True)
BLOCK = 32
"""Rows that go down a tree side by side."""


@njit(nogil=True)
def _arm(node, code, otherwise, arm_start, arm_code, arm_branch):
    """The branch that a code takes at a node that tests a column of codes."""
    low, high = arm_start[node], arm_start[node + 1]
    if low + code < high and arm_code[low + code] == code:  # as a rule every code has an arm
        return arm_branch[low + code]
    while low < high:
        middle = (low + high) // 2
        if arm_code[middle] < code:
            low = middle + 1
        else:
            high = middle
    if low < arm_start[node + 1] and arm_code[low] == code:
        return arm_branch[low]
    return otherwise[node]


@njit(nogil=True)
def _go_down(
    begin, size, at, going, numeric, codes, steps, default, otherwise, arm_start, arm_code, arm_branch, weight,
    fractional,
):  # fmt: skip
    """Take `size` rows from row `begin` on, each from its node at[i] to its leaf, or to −1 − a node where it divides.

    All rows take a step, then all the next one: steps of one row wait for each other, those of several do not.
    """
    for i in range(size):
        going[i] = i
    while size > 0:
        kept = 0
        for g in range(size):
            i = going[g]
            node = at[i]
            step = steps[node]
            if step.child < 0:
                continue
            if step.column >= 0:
                value = numeric[begin + i, step.column]
                known, branch = value == value, 1 - int(value <= step.threshold)
            else:
                code = codes[begin + i, -1 - step.column]
                known, branch = code >= 0, 0
                if known:
                    branch = _arm(node, code, otherwise, arm_start, arm_code, arm_branch)
            if not known:
                if fractional and weight[node] > 0.0:
                    at[i] = -1 - node
                    continue
                branch = default[node]
            at[i] = step.child + branch
            going[kept] = i
            kept += 1
        size = kept


@njit(nogil=True)
def _longer(array):
    longer = np.empty(2 * len(array), array.dtype)
    for i in range(len(array)):
        longer[i] = array[i]
    return longer


@kernel(
    Tuple((int64[::1], int32[::1], float64[::1]))(
        ROWS, CODE_ROWS, STEPS, CODES, CODES, CODES, LONGS, CODES, CODES, VALUES, boolean
    ),
)  # fmt: skip
def descend(
    numeric, codes, steps, arity, default, otherwise, arm_start, arm_code, arm_branch, weight, fractional
):  # fmt: skip
    """The leaves that rows reach: row, node and share of the row, in the order of rows.

    numeric (n, d) and codes (n, C) are looked up as steps (m,) say; then the arrays of a tree, and the weight of its
    nodes. A missing value goes down every branch if `fractional`, else down the default one.
    """
    n, count = len(codes), 0
    rows, nodes, shares = np.empty(max(n, 1), np.int64), np.empty(max(n, 1), np.int32), np.empty(max(n, 1))
    at, going, one = np.empty(BLOCK, np.int32), np.empty(BLOCK, np.int64), np.empty(1, np.int32)
    waiting, waiting_share = np.empty(64, np.int32), np.empty(64)
    for row in range(n):
        if row % BLOCK == 0:
            at[:] = 0
            _go_down(
                row, min(BLOCK, n - row), at, going, numeric, codes, steps, default, otherwise, arm_start, arm_code,
                arm_branch, weight, fractional,
            )  # fmt: skip
        one[0], share, height = at[row % BLOCK], 1.0, 0
        while True:
            if one[0] >= 0:
                if count == len(rows):
                    rows, nodes, shares = _longer(rows), _longer(nodes), _longer(shares)
                rows[count], nodes[count], shares[count] = row, one[0], share
                count += 1
            else:
                parent = -1 - one[0]
                first = steps[parent].child
                for node in range(first + arity[parent] - 1, first - 1, -1):
                    if weight[node] > 0.0:
                        if height == len(waiting):
                            waiting, waiting_share = _longer(waiting), _longer(waiting_share)
                        waiting[height], waiting_share[height] = node, share * weight[node] / weight[parent]
                        height += 1
            if height == 0:
                break
            height -= 1
            one[0], share = waiting[height], waiting_share[height]
            _go_down(
                row, int64(1), one, going, numeric, codes, steps, default, otherwise, arm_start, arm_code, arm_branch,
                weight, fractional,
            )  # fmt: skip
    return rows[:count], nodes[:count], shares[:count]


@kernel(void(CODE_ROWS, CODES, VALUES, LONGS, CODES, VALUES, LONGS, float64[:, :, ::1], float64[:, :, ::1]))
def count_nodes(codes, y, weight, rows, slots, shares, offsets, counts, missing):
    """Count codes (n, C) by node and class: rows are in slots, −1 for none, with shares.

    Into counts (S, c, K), column j from offsets[j] on, and missing (S, C, K).
    """
    for i in range(len(rows)):
        slot, row = slots[i], rows[i]
        if slot < 0 or weight[row] == 0.0:
            continue
        k, w = y[row], weight[row] * shares[i]
        for j in range(codes.shape[1]):
            code = codes[row, j]
            if code >= 0:
                counts[slot, offsets[j] + code, k] += w
            else:
                missing[slot, j, k] += w


@kernel(
    void(CODE_ROWS, VALUES, VALUES, LONGS, CODES, VALUES, VALUES, LONGS, float64[:, :, ::1], float64[:, :, ::1])
)  # fmt: skip
def sum_nodes(codes, y, weight, rows, slots, shares, centres, offsets, sums, missing):
    """Add numbers up by node and code (n, C): rows are in slots, −1 for none, with shares; about centres (S,).

    Weight, sum and squares into sums (S, c, 3), column j from offsets[j] on, and missing (S, C, 3).
    """
    for i in range(len(rows)):
        slot, row = slots[i], rows[i]
        if slot < 0 or weight[row] == 0.0:
            continue
        w, gap = weight[row] * shares[i], y[row] - centres[slot]
        for j in range(codes.shape[1]):
            code = codes[row, j]
            if code >= 0:
                cell = offsets[j] + code
                sums[slot, cell, 0] += w
                sums[slot, cell, 1] += w * gap
                sums[slot, cell, 2] += w * gap * gap
            else:
                missing[slot, j, 0] += w
                missing[slot, j, 1] += w * gap
                missing[slot, j, 2] += w * gap * gap
