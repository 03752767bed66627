"""What growing and pruning keep for the derivation of a tree: the candidates of its first nodes, and what was cut."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from novacula.state import State, codes, flags, floats, indices, offsets, record
from novacula.table.chunk import Codes, Floats
from novacula.tree.attributes import Attribute
from novacula.tree.growing import Candidates
from novacula.tree.structure import Integers, Tree

KEPT_NODES, KEPT_LEAVES = 20, 50
"""Nodes that were cut of which the leaves below are kept, and how many leaves such a node may have had."""


@dataclass(frozen=True, slots=True, eq=False)
class CutNodes:
    """Nodes that pruning made leaves of: the class weights of the leaves that were below, at most 20 × 50 × 2K."""

    state: ClassVar[State] = {
        "node": indices("nodes", "cut"),
        "by_validation": flags("cut"),
        "start": offsets("cut+1", "below"),
        "leaves": floats("below", "classes", least=0.0),
        "says": codes("below", below="classes"),
        "judged": floats("below", "classes", least=0.0),
        "own": floats("cut", "classes", least=0.0),
    }
    only_drawn: ClassVar[tuple[str, ...]] = ("start",)  # a place in the lists, which their declaration checks

    node: Integers  # (p,) their numbers in the tree
    by_validation: npt.NDArray[np.bool_]  # (p,) whether validation examples decided, or limits of errors
    start: Integers  # (p + 1,) where the leaves of each begin
    leaves: Floats  # (l, K) training examples of the leaves that were below
    says: Codes  # (l,) the class of each of these leaves
    judged: Floats  # (l, K) validation examples there
    own: Floats  # (p, K) validation examples that pass the node

    @classmethod
    def none(cls, n_classes: int) -> CutNodes:
        """Of no node."""
        by_class = np.zeros((0, n_classes))
        nothing = np.zeros(0, np.int64)
        says = nothing.astype(np.int32)
        return cls(nothing, nothing.astype(bool), np.zeros(1, np.int64), by_class, says, by_class, by_class)

    def renumbered(self, number: Integers) -> CutNodes:
        """Those that are still there; number[i] is the new number of node i, −1 where it is gone."""
        new = number[self.node]
        rows = np.flatnonzero(new >= 0)
        rows = rows[np.argsort(new[rows], kind="stable")]
        sizes = np.diff(self.start)[rows]
        start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        taken = np.repeat(self.start[rows] - start[:-1], sizes) + np.arange(start[-1])
        below = (self.leaves[taken], self.says[taken], self.judged[taken])
        return CutNodes(new[rows], self.by_validation[rows], start, *below, self.own[rows])

    def joined(self, tree: Tree, stop: npt.NDArray[np.bool_], validation: Floats | None) -> CutNodes:
        """With the first nodes that these marks make leaves of, numbered as in the tree before it is cut."""
        inner = ~tree.is_leaf & ~stop
        cut = [node for node in tree.order(stop).tolist() if stop[node] and not tree.is_leaf[node]]
        found = {node: below for node in cut[:KEPT_NODES] if len(below := _leaves_below(tree, inner, node))}
        weights = np.zeros_like(tree.counts) if validation is None else validation
        ends = np.cumsum([len(below) for below in found.values()])
        places = [leaf for below in found.values() for leaf in below]
        return CutNodes(
            np.concatenate([self.node, np.array(list(found), np.int64)]),
            np.concatenate([self.by_validation, np.full(len(found), validation is not None)]),
            np.concatenate([self.start, self.start[-1] + ends]).astype(np.int64),
            np.vstack([self.leaves, tree.counts[places]]),
            np.concatenate([self.says, tree.plurality()[places]]).astype(np.int32),
            np.vstack([self.judged, weights[places]]),
            np.vstack([self.own, weights[list(found)]]),
        )


def _leaves_below(tree: Tree, inner: npt.NDArray[np.bool_], node: int) -> list[int]:
    """The leaves of a subtree whose other marked nodes are leaves already; none if they are too many to keep."""
    found, waiting = [], list(tree.children(node))
    while waiting:
        below = waiting.pop(0)
        if inner[below]:
            waiting.extend(tree.children(below))
        else:
            found.append(below)
        if len(found) > KEPT_LEAVES:
            return []
    return found


@dataclass(frozen=True, slots=True, eq=False)
class TreeTrace:
    """What is kept of a tree's growth, of at most 40 nodes, and of its pruning, of at most 20."""

    state: ClassVar[State] = {
        "candidates": record(Candidates, nodes="nodes", attributes="attributes", classes="classes", cells="cells"),
        "cut": record(CutNodes, nodes="nodes", classes="classes"),
    }

    candidates: Candidates
    cut: CutNodes

    @classmethod
    def none(cls, attributes: tuple[Attribute, ...], n_classes: int) -> TreeTrace:
        """Of a tree that was not grown here."""
        return cls(Candidates.none(attributes, n_classes), CutNodes.none(n_classes))

    def pruned(
        self, tree: Tree, stop: npt.NDArray[np.bool_], is_derived: bool, validation: Floats | None = None
    ) -> TreeTrace:
        """What is kept once the marked nodes of the tree are leaves; where that is derived, with their leaves."""
        number = np.full(len(tree), -1, np.int64)
        order = tree.order(stop)
        number[order] = np.arange(len(order))
        cut = self.cut.joined(tree, stop, validation) if is_derived else self.cut
        return replace(self, candidates=self.candidates.renumbered(number), cut=cut.renumbered(number))
