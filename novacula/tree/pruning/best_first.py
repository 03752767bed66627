"""Best-first growth up to a number of leaves, as a part of the full tree.

A split depends on the examples at its node alone, so a tree that is grown best first is the full tree, stopped early:
from the root on, the leaf whose split gains most is opened, gain × weight / total weight, until no split fits.
"""

from __future__ import annotations

from heapq import heappop, heappush

import numpy as np

from novacula.errors import ParameterError
from novacula.tree.constants import NOISE
from novacula.tree.pruning.pruner import Marks
from novacula.tree.pruning.ranking import ranks
from novacula.tree.structure import Tree


def grow_best_first(tree: Tree, max_leaf_nodes: int) -> Marks:
    """The nodes that become leaves, so that there are at most `max_leaf_nodes`; empty branches count.

    A split with too many branches for what is left is passed over for good, as the leaves never become fewer. Equal
    gains go to the lower node.
    """
    if max_leaf_nodes < 1:
        raise ParameterError(f"max_leaf_nodes is {max_leaf_nodes!r}; it must be at least 1")
    inner, child, arity = (~tree.is_leaf).tolist(), tree.child.tolist(), tree.arity.tolist()
    worth = tree.gain * tree.weight  # the total weight is the same for all
    place = ranks(worth, NOISE * np.abs(worth)).tolist()
    closed = ~tree.is_leaf
    leaves = 1
    waiting = [(place[0], 0)] if inner[0] else []
    while waiting:
        _, node = heappop(waiting)
        if leaves + arity[node] - 1 > max_leaf_nodes:
            continue
        leaves += arity[node] - 1
        closed[node] = False
        for below in range(child[node], child[node] + arity[node]):
            if inner[below]:
                heappush(waiting, (place[below], below))
    return closed
