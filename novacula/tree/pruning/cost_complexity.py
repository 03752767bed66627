"""Cost-complexity pruning: the subtree with the least R(T) + α |leaves|, for every penalty α.

R(T) is the sum over leaves of weight / total × impurity. As α grows, subtrees collapse into leaves one after another,
each at the α where both cost the same, and never open again: the subtrees are nested. (Breiman, Friedman, Olshen and
Stone, Classification and Regression Trees, 1984, chapter 3; the names and the path are scikit-learn's.)
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np

from novacula.errors import ParameterError
from novacula.table.chunk import Floats
from novacula.tree.constants import NOISE
from novacula.tree.pruning.pruner import Marks
from novacula.tree.structure import Integers, Tree


def cost_complexity_path(tree: Tree, impurity: Floats) -> tuple[Floats, Floats]:
    """The penalties at which subtrees collapse, and R after each; given the impurity of each node (m,).

    The first are 0 and the R of the whole tree, the last those at which the root becomes a leaf.
    """
    links = weakest_links(tree, impurity)
    whole = _risk(tree, impurity)[tree.is_leaf].sum()
    alphas = np.concatenate([[0.0], links.alpha[links.order]])
    return alphas, whole + np.concatenate([[0.0], np.cumsum(links.rise[links.order])])


def prune_by_alpha(tree: Tree, impurity: Floats, alpha: float) -> Marks:
    """The nodes that become leaves: the smallest of the subtrees with the least R + α |leaves|."""
    if not alpha >= 0.0:
        raise ParameterError(f"ccp_alpha is {alpha!r}; it must not be negative")
    return ~tree.is_leaf & (weakest_links(tree, impurity).alpha <= alpha * (1.0 + NOISE))


@dataclass(frozen=True, eq=False)
class Links:
    """When each node collapses."""

    alpha: Floats  # (m,) the penalty from which a leaf is no worse than the best subtree; infinite at a leaf
    rise: Floats  # (m,) by how much R rises then
    order: Integers  # the nodes that collapse before a node above them does, by alpha


def weakest_links(tree: Tree, impurity: Floats) -> Links:
    """The penalty at which each node collapses, in one pass from the leaves up.

    At a node, start with all children collapsed and compare: α = (R(node) − R(below)) / (leaves − 1). If some node
    below collapses only at a penalty of at least α, it is still open at α: undo the last such collapse, and compare
    again. What is undone is never needed again, since the node is a leaf by then. So the collapses below are kept in
    a heap by falling α, the heaps of siblings are poured into the largest, and all takes O(m log² m).
    """
    risk = _risk(tree, impurity).tolist()
    child, arity = tree.child.tolist(), tree.arity.tolist()
    alpha, rise, fewer = [np.inf] * len(tree), [0.0] * len(tree), [0] * len(tree)
    collapses: dict[int, list[tuple[float, int]]] = {}
    for node in tree.upwards():
        children = range(child[node], child[node] + arity[node])
        heap = _poured([collapses.pop(below) for below in children if below in collapses])
        rise[node], fewer[node] = risk[node] - sum(risk[below] for below in children), arity[node] - 1
        alpha[node] = _penalty(rise[node], fewer[node], risk[node])
        while heap and -heap[0][0] >= alpha[node] * (1.0 - NOISE):
            undone = heappop(heap)[1]
            rise[node] += rise[undone]
            fewer[node] += fewer[undone]
            alpha[node] = _penalty(rise[node], fewer[node], risk[node])
        heappush(heap, (-alpha[node], node))
        collapses[node] = heap
    order = sorted((alpha[node], node) for _, node in collapses.get(0, []))
    return Links(np.array(alpha), np.array(rise), np.array([node for _, node in order], np.int64))


def _penalty(rise: float, fewer: int, risk: float) -> float:
    """The penalty at which a rise of R is worth having fewer leaves; 0 where R rises by no more than rounding."""
    return rise / fewer if rise > NOISE * risk else 0.0


def _poured(heaps: list[list[tuple[float, int]]]) -> list[tuple[float, int]]:
    """The heaps as one: the smaller are poured into the largest."""
    heaps.sort(key=len)
    largest = heaps.pop() if heaps else []
    for heap in heaps:
        for collapse in heap:
            heappush(largest, collapse)
    return largest


def _risk(tree: Tree, impurity: Floats) -> Floats:
    """R of each node (m,), were it a leaf."""
    if impurity.shape != (len(tree),):
        raise ParameterError(f"the impurities have shape {impurity.shape}; the tree has {len(tree)} nodes")
    weight = tree.weight
    return weight / weight[0] * impurity
