"""The tree so far: nodes (·, 7), numbers (·, 2), counts (·, K) and arms (·, 2), with room to grow, and sizes (2,)."""

import numpy as np
from numba import int64

from novacula.tree.constants import (
    ARITY,
    ARM,
    ARMS,
    CHILD,
    DEFAULT,
    FEATURE,
    GAIN,
    GROUPING,
    NOMINAL,
    OTHERWISE,
    SUBSET,
    THRESHOLD,
)
from novacula.tree.growing._kernels.inlined import copy_row, inner, maker, pasted, zero_row


@maker
def new_tree(total):
    """Nodes (·, 7), numbers (·, 2), counts (·, K) and arms (·, 2) with one leaf, and how many nodes and arms (2,)."""
    nodes, numbers, counts = np.empty((16, 7), np.int32), np.empty((16, 2)), np.empty((16, len(total)))
    _write_leaf(nodes, numbers, int64(0))
    for k in range(len(total)):
        counts[0, k] = total[k]
    return nodes, numbers, counts, np.empty((16, 2), np.int32), np.array([1, 0])


@inner
def _write_leaf(nodes, numbers, at):
    for column in range(nodes.shape[1]):
        nodes[at, column] = 0 if column in (ARITY, ARM, ARMS) else -1
    numbers[at, THRESHOLD], numbers[at, GAIN] = np.nan, 0.0


@maker
def write_test(tree, node, f, n_branches, default, threshold, data, settings, desk):
    """Write a test into a node, and leaves into its branches; gives the tree, whose arrays may have moved."""
    nodes, numbers, counts, arms, sizes = tree
    first, start, t, otherwise = sizes[0], sizes[1], 0, -1
    if data.kind[f] == NOMINAL:
        a, b = data.offsets[data.place[f]], data.offsets[data.place[f] + 1]
        t = desk.n_seen[data.place[f]]
        if t < b - a:  # codes of the domain that no example has: a branch of their own, or the larger of two
            otherwise = default if settings.rules[GROUPING] == SUBSET else n_branches
        arms = with_room(arms, start + t)
        for i in range(t):
            arms[start + i, 0], arms[start + i, 1] = desk.seen[a + i], desk.to_branch[desk.seen[a + i]]
    arity = max(n_branches, otherwise + 1)
    nodes, numbers = with_room(nodes, first + arity), with_room(numbers, first + arity)
    counts = with_room(counts, first + arity)
    for branch in range(arity):
        _write_leaf(nodes, numbers, first + branch)
        if branch < n_branches:
            copy_row(counts, first + branch, desk.counts, branch)
        else:
            zero_row(counts, first + branch)
    nodes[node, FEATURE], nodes[node, CHILD], nodes[node, ARITY] = f, first, arity
    nodes[node, DEFAULT], nodes[node, OTHERWISE] = default, otherwise
    nodes[node, ARM], nodes[node, ARMS] = start, t
    numbers[node, GAIN], numbers[node, THRESHOLD] = desk.found[f, 0], threshold
    sizes[0] += arity
    sizes[1] += t
    return nodes, numbers, counts, arms, sizes


@pasted
def finished(tree):
    """Nodes, numbers, counts and arms without the room to grow."""
    nodes, numbers, counts, arms, sizes = tree
    m, a = sizes[0], sizes[1]
    return nodes[:m].copy(), numbers[:m].copy(), counts[:m].copy(), arms[:a].copy()


@maker
def with_room(array, need):
    """The array, or a copy with room for `need` rows or more."""
    if need <= len(array):
        return array
    longer = np.empty((max(need, 2 * len(array)), array.shape[1]), array.dtype)
    for i in range(len(array)):
        for j in range(array.shape[1]):
            longer[i, j] = array[i, j]
    return longer
