"""A tree that has grown, as one of many: its nodes level by level."""

from __future__ import annotations

import numpy as np

from novacula.ensemble.boosting.constants import GRADIENT, HESSIAN, WEIGHT
from novacula.ensemble.boosting.growth import GrownTree, Node, Units
from novacula.ensemble.boosting.trace import TreeSums
from novacula.ensemble.trees import BinaryTrees
from novacula.table.chunk import Floats
from novacula.tree.structure import LEAF


def assembled(
    grown: GrownTree, steps: list[float], units: Units, middles: Floats | None
) -> tuple[BinaryTrees, TreeSums]:
    """The tree with what its leaves add, and the sums at its nodes."""
    order = _by_level(grown.nodes)
    place = {node.number: i for i, node in enumerate(order)}
    tests = [node.test if node.child != LEAF else None for node in order]
    listed = [np.zeros(0, np.int32) if test is None else test.codes for test in tests]
    totals = np.array([node.total for node in order], np.float64)
    value, middle = np.zeros((len(order), 1)), np.zeros((0 if middles is None else len(order), 2))
    for i, (leaf, step) in enumerate(zip(grown.leaves, steps, strict=True)):
        value[place[leaf.number]] = step
        if middles is not None:
            middle[place[leaf.number]] = middles[i]
    tree = BinaryTrees(
        np.array([0, len(order)], np.int64),
        np.zeros(1, np.int32),
        np.array([LEAF if test is None else test.feature for test in tests], np.int32),
        np.array([np.nan if test is None else test.threshold for test in tests]),
        np.array([LEAF if node.child == LEAF else place[node.child] for node in order], np.int32),
        np.array([0 if test is None else test.missing for test in tests], np.int32),
        np.cumsum([0, *map(len, listed)]).astype(np.int64),
        np.concatenate([np.zeros(0, np.int32), *listed]),
        np.array([0.0 if test is None else test.gain for test in tests]),
        totals[:, WEIGHT] * units.weight,
        value,
    )
    l2 = np.array([0.0 if test is None else test.l2 for test in tests])
    sums = TreeSums(totals[:, GRADIENT] * units.gradient, totals[:, HESSIAN] * units.hessian, l2, middle)
    return tree, sums


def _by_level(nodes: list[Node]) -> list[Node]:
    order = [nodes[0]]
    for node in order:
        if node.child != LEAF:
            order += nodes[node.child : node.child + 2]
    return order
