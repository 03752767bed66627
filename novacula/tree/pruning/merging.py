"""Merging siblings that say the same: a test is dropped if whatever it finds, the class is the same.

Growth makes such tests where a split raises purity but not the decision, as 9 : 1 into 5 : 0 and 4 : 1.
"""

from __future__ import annotations

import numpy as np

from novacula.tree.pruning.pruner import Marks
from novacula.tree.structure import ClassTree


def merge_siblings(tree: ClassTree) -> Marks:
    """The nodes that become leaves: those all of whose leaves below have the node's own plurality class.

    The predicted class of an example that reaches one leaf stays the same; its class probabilities become those of
    the node.
    """
    parent, plurality = tree.parent(), tree.plurality()
    agrees = (plurality == plurality[parent]).tolist()
    above = parent.tolist()
    unanimous = [True] * len(tree)
    for node in range(len(tree) - 1, 0, -1):
        if not (unanimous[node] and agrees[node]):
            unanimous[above[node]] = False
    return np.array(unanimous) & ~tree.is_leaf
