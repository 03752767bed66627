"""What the work of a tree says in words: where a node is, and what is in it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from novacula.learner.figure import shortened
from novacula.table.chunk import Codes, Floats
from novacula.tree.export import Condition, NamedClassTree, NamedTree
from novacula.tree.export.condition import amount

CLASSES = 8
"""Classes that are counted out."""
WIDTH = 90
"""Characters of a path."""
LONG = 50
"""Tests up to which a path is written out."""


def way(parent: Codes, node: int) -> list[int]:
    """The nodes from the root to a node."""
    nodes = [node]
    while parent[nodes[-1]] >= 0:
        nodes.append(int(parent[nodes[-1]]))
    return nodes[::-1]


def step_condition(named: NamedTree, node: int, child: int) -> Condition:
    """What the branch from a node to its child asks."""
    return named.branches(node)[child - int(named.tree.child[node])][1]


def where(named: NamedTree, nodes: Sequence[int]) -> str:
    """The conditions on the way, one per attribute."""
    if len(nodes) > LONG:
        return f"after {len(nodes) - 1} tests"
    held: dict[str, Condition] = {}
    for node, child in pairwise(nodes):
        condition = step_condition(named, node, child)
        name = condition.attribute.name
        held[name] = held[name] & condition if name in held else condition
    return shortened(" and ".join(map(str, held.values())), WIDTH) if held else "all examples"


def class_counts(named: NamedClassTree, counts: Floats) -> str:
    """The examples of each class, the most frequent classes if there are many: `5 No, 9 Yes`."""
    present = np.flatnonzero(counts > 0)
    shown = np.sort(present[np.argsort(-counts[present], kind="stable")[:CLASSES]])
    words = ", ".join(f"{amount(counts[k])} {shortened(str(named.classes[k]))}" for k in shown)
    others = len(present) - len(shown)
    return f"{words} and {amount(counts.sum() - counts[shown].sum())} of {others} other classes" if others else words
