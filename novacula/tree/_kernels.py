"""Compiled loops over rows that go down a tree."""

import numpy as np
from numba import njit
from numba.types import Array, Tuple, boolean, float64, int32, int64, void

ROWS = Array(float64, 2, "C", readonly=True)
VALUES = Array(float64, 1, "C", readonly=True)
CODES = Array(int32, 1, "C", readonly=True)
CODE_ROWS = Array(int32, 2, "C", readonly=True)
LONGS = Array(int64, 1, "C", readonly=True)
FLAGS = Array(boolean, 1, "C", readonly=True)


@njit(nogil=True)
def _branch(node, row, f, numeric, codes, is_numeric, place, threshold, otherwise, arm_start, arm_code, arm_branch):
    """The branch that a row takes at a node, −1 where its value is missing."""
    if is_numeric[f]:
        value = numeric[row, place[f]]
        return -1 if value != value else (0 if value <= threshold[node] else 1)
    code = codes[row, place[f]]
    if code < 0:
        return -1
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
def _longer(array):
    longer = np.empty(2 * len(array), array.dtype)
    for i in range(len(array)):
        longer[i] = array[i]
    return longer


@njit(
    Tuple((int64[::1], int32[::1], float64[::1]))(
        ROWS, CODE_ROWS, FLAGS, LONGS, CODES, VALUES, CODES, CODES, CODES, CODES, LONGS, CODES, CODES, VALUES, boolean
    ),
    nogil=True,
    cache=True,
)
def descend(
    numeric, codes, is_numeric, place, feature, threshold, child, arity, default, otherwise, arm_start, arm_code,
    arm_branch, weight, fractional,
):  # fmt: skip
    """The leaves that rows reach: row, node and share of the row, in the order of rows.

    numeric (n, d) and codes (n, C) hold attribute f in column place[f]; then the arrays of a tree, and the weight of
    its nodes. A missing value goes down every branch if `fractional`, else down the default one.
    """
    n, count = len(codes), 0
    rows, nodes, shares = np.empty(max(n, 1), np.int64), np.empty(max(n, 1), np.int32), np.empty(max(n, 1))
    waiting, waiting_share = np.empty(64, np.int32), np.empty(64)
    for row in range(n):
        waiting[0], waiting_share[0], height = 0, 1.0, 1
        while height > 0:
            height -= 1
            node, share = waiting[height], waiting_share[height]
            while feature[node] >= 0:
                branch = _branch(
                    node, row, feature[node], numeric, codes, is_numeric, place, threshold, otherwise, arm_start,
                    arm_code, arm_branch,
                )  # fmt: skip
                if branch < 0 and fractional and weight[node] > 0.0:
                    whole, parent = share, node
                    first = child[parent]
                    for b in range(arity[parent] - 1, -1, -1):
                        if weight[first + b] > 0.0:
                            if height == len(waiting):
                                waiting, waiting_share = _longer(waiting), _longer(waiting_share)
                            waiting[height] = first + b
                            waiting_share[height] = whole * weight[first + b] / weight[parent]
                            height += 1
                    height -= 1
                    node, share = waiting[height], waiting_share[height]
                else:
                    node = child[node] + (branch if branch >= 0 else default[node])
            if count == len(rows):
                rows, nodes, shares = _longer(rows), _longer(nodes), _longer(shares)
            rows[count], nodes[count], shares[count] = row, node, share
            count += 1
    return rows[:count].copy(), nodes[:count].copy(), shares[:count].copy()


@njit(
    void(CODE_ROWS, CODES, VALUES, LONGS, CODES, VALUES, LONGS, float64[:, :, ::1], float64[:, :, ::1]),
    nogil=True,
    cache=True,
)
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
