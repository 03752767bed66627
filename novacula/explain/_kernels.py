"""Compiled loops of contributions: every subset of columns at once, in time that grows as the nodes of a tree."""

import numpy as np
from numba import njit
from numba.types import Array, float64, int32, int64, void

from novacula.compiling import BORROWED, kernel

ROWS = Array(float64, 2, "C", readonly=True)
VALUES = Array(float64, 1, "C", readonly=True)
CODES = Array(int32, 1, "C", readonly=True)
CODE_ROWS = Array(int32, 2, "C", readonly=True)
BLOCK = 16
"""Rows that go through a tree together, whose numbers at the nodes above stay close by."""


@njit(nogil=True, **BORROWED)
def _choose(begin, size, node, numeric, codes, column, threshold, default, table_start, table, taken):
    """The branch that each row takes at a node; −1 where it goes down all of them."""
    place = column[node]
    for i in range(size):
        if place >= 0:
            value = numeric[begin + i, place]
            known, branch = value == value, 1 - int(value <= threshold[node])
        else:
            code = codes[begin + i, -1 - place]
            known, branch = code >= 0, 0
            if known:
                branch = table[table_start[node] + code]
        taken[i] = branch if known else default[node]


@njit(nogil=True, **BORROWED)
def _enter(size, above, level, q, portion, held, freed, outside, product, points):
    """Go down an edge: the products over the columns of the path get the factor of this one in place of its last.

    held (levels, B) and freed (levels,) are the factors with the column known and not known, of all edges of its path.
    """
    z = portion * (freed[above] if above >= 0 else 1.0)
    freed[level] = z
    for i in range(size):
        outside[i] = held[level, i] * (held[above, i] if above >= 0 else 1.0)
    for p in range(q):
        t = points[p]
        for i in range(size):
            old = 1.0
            if above >= 0:
                old = freed[above] + t * (held[above, i] - freed[above])
            factor = z + t * (outside[i] - z)
            product[level, p, i] = product[level - 1, p, i] * factor / (old if old != 0.0 else 1.0)
    for i in range(size):
        held[level, i] = outside[i]


@njit(nogil=True, **BORROWED)
def _leave(begin, size, above, level, q, n_outputs, attribute, held, freed, total, points, parts, gain, found):
    """Go back up an edge: what lies below counts for its column, and no more for the edge above of the same column."""
    z, y = freed[level], 0.0
    if above >= 0:
        y = freed[above]
    for p in range(q):
        t, part = points[p], parts[p]
        for i in range(size):
            o = held[level, i]
            factor = z + t * (o - z)
            gain[p, i] = part * (o - z) / (factor if factor != 0.0 else 1.0)
        if above >= 0:
            for i in range(size):
                o = held[above, i]
                factor = y + t * (o - y)
                gain[p, i] -= part * (o - y) / (factor if factor != 0.0 else 1.0)
    for k in range(n_outputs):
        for i in range(size):
            gain[q, i] = 0.0
        for p in range(q):
            for i in range(size):
                below = total[level, k, p, i]
                gain[q, i] += gain[p, i] * below
                total[level - 1, k, p, i] += below
        for i in range(size):
            found[begin + i, attribute, k] += gain[q, i]


@kernel(
    void(
        ROWS, CODE_ROWS, CODES, CODES, CODES, CODES, CODES, CODES, VALUES, CODES, CODES, CODES, CODES, VALUES, ROWS,
        VALUES, VALUES, int64, Array(float64, 3, "C"),
    )
)  # fmt: skip
def add_contributions(
    numeric, codes, order, depth, above, parent, branch, attribute, portion, column, default, table_start, table,
    threshold, values, points, parts, levels, found,
):  # fmt: skip
    """Add the contributions of a tree to found (n, attributes, K), for rows of numbers (n, d) and codes (n, C).

    Of the nodes in `order`, each before those below it: `depth`; the depth of the node above it on the edge to which
    the same attribute was asked last, or −1; parent, branch and asked attribute of the edge to it, and the portion of
    the parent's examples that took it. Of the tests: `column` is one of numbers, or −1 − one of
    codes; the branch of missing values is `default`, −1 where they go down all of them; `table` has the
    branch of each code. values (m, K); `points` and `parts` are those of an integral from 0 to 1.
    """
    n, q, n_outputs = len(found), len(points), values.shape[1]
    held, freed, outside = np.ones((levels + 1, BLOCK)), np.ones(levels + 1), np.ones(BLOCK)
    product, total = np.ones((levels + 1, q, BLOCK)), np.zeros((levels + 1, n_outputs, q, BLOCK))
    taken, at = np.zeros((levels + 1, BLOCK), np.int32), np.zeros(levels + 1, np.int64)
    gain = np.zeros((q + 1, BLOCK))
    for begin in range(0, n, BLOCK):
        size = min(BLOCK, n - begin)
        for place in range(len(order)):
            node = order[place]
            level = depth[node]
            at[level] = node
            if level > 0:
                for i in range(size):
                    way = taken[level - 1, i]
                    held[level, i] = portion[node] if way < 0 else (1.0 if way == branch[node] else 0.0)
                _enter(size, above[node], level, q, portion[node], held, freed, outside, product, points)
            is_leaf = attribute[node] < 0
            if not is_leaf:
                _choose(
                    begin, size, node, numeric, codes, column, threshold, default, table_start, table, taken[level],
                )  # fmt: skip
            for k in range(n_outputs):
                value = values[node, k] if is_leaf else 0.0
                for p in range(q):
                    for i in range(size):
                        total[level, k, p, i] = value * product[level, p, i]
            following = depth[order[place + 1]] if place + 1 < len(order) else 1
            while is_leaf and level >= following and level > 0:
                node = at[level]
                _leave(
                    begin, size, above[node], level, q, n_outputs, attribute[parent[node]], held, freed, total, points,
                    parts, gain, found,
                )  # fmt: skip
                level -= 1
