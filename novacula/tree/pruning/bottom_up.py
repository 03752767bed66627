"""What leaves cost, and passes over the nodes of a tree in which a node comes after all that is below it.

Children have higher numbers than their parent, so each pass counts down and hands its result to the parent: O(m),
at any depth.
"""

from __future__ import annotations

import numpy as np

from novacula.table.chunk import Floats
from novacula.tree.constants import NOISE
from novacula.tree.pruning.pruner import Marks
from novacula.tree.structure import ClassTree, Tree


def leaf_errors(tree: ClassTree) -> Floats:
    """The weight (m,) of the training examples that each node would get wrong, were it a leaf."""
    return tree.weight - tree.counts[np.arange(len(tree)), tree.plurality()]


def leaf_sums(tree: Tree, values: Floats) -> Floats:
    """The sum of `values` (m,) over the leaves below each node; a leaf has its own."""
    parent = tree.parent().tolist()
    sums = np.where(tree.is_leaf, values, 0.0).tolist()
    for node in range(len(tree) - 1, 0, -1):
        sums[parent[node]] += sums[node]
    return np.array(sums)


def cheapest(tree: Tree, leaf_cost: Floats, test_cost: Floats, slack: float = 0.0) -> Marks:
    """The nodes that become leaves where a tree costs the sum of its leaves' costs and its tests'.

    As costs add up, the best subtree of a node is its leaf or its test over the best subtrees of its children: one
    pass finds the least cost of all. A leaf may cost up to `slack` more than what it replaces; equals are leaves.
    """
    parent, inner = tree.parent().tolist(), (~tree.is_leaf).tolist()
    leaf = leaf_cost.tolist()
    cost = np.where(tree.is_leaf, leaf_cost, test_cost).tolist()
    stop = np.zeros(len(tree), np.bool_)
    for node in range(len(tree) - 1, -1, -1):
        if inner[node] and leaf[node] <= cost[node] + slack + NOISE * abs(cost[node]):
            stop[node] = True
            cost[node] = leaf[node]
        if node:
            cost[parent[node]] += cost[node]
    return stop
