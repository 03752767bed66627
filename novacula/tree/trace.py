"""What growing and pruning keep for the derivation of a tree: the candidates of its first nodes, and what was cut."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt

from novacula.state import State, codes, flags, floats, indices, offsets, record
from novacula.table.chunk import Codes, Floats
from novacula.tree.attributes import Attribute
from novacula.tree.growing import ClassCandidates, DeviationCandidates, NumberCandidates
from novacula.tree.pruning import PruningEvidence, description_length
from novacula.tree.pruning.mdl import test_bits
from novacula.tree.structure import ClassTree, Integers, NumberTree

KEPT_NODES, KEPT_LEAVES = 20, 50
"""Nodes that were cut of which the leaves below are kept, and how many leaves such a node may have had."""


@dataclass(frozen=True, slots=True, eq=False)
class CutNodes:
    """Nodes that pruning made leaves of: the class weights of the leaves that were below, at most 20 × 50 × 2K."""

    state: ClassVar[State] = {
        "node": indices("nodes", "cut"),
        "by_validation": flags("cut"),
        "by_bits": flags("cut"),
        "start": offsets("cut+1", "below"),
        "leaves": floats("below", "classes", least=0.0),
        "says": codes("below", below="classes"),
        "judged": floats("below", "classes", least=0.0),
        "own": floats("cut", "classes", least=0.0),
        "tests": floats("cut", 2, least=0.0),
        "tally": floats("tally", least=0.0),
        "bits": floats("bits", least=0.0),
    }
    only_drawn: ClassVar[tuple[str, ...]] = ("start",)  # a place in the lists, which their declaration checks

    node: Integers  # (p,) their numbers in the tree
    by_validation: npt.NDArray[np.bool_]  # (p,) whether validation examples decided
    by_bits: npt.NDArray[np.bool_]  # (p,) whether description length did; otherwise limits of errors
    start: Integers  # (p + 1,) where the leaves of each begin
    leaves: Floats  # (l, K) training examples of the leaves that were below
    says: Codes  # (l,) the class of each of these leaves
    judged: Floats  # (l, K) validation examples there
    own: Floats  # (p, K) validation examples that pass the node
    tests: Floats  # (p, 2) of description length: tests that were below, and the bits of their thresholds and groups
    tally: Floats  # all validation examples, and elsewhere than at these nodes all and those right; empty if not known
    bits: Floats  # of the tree and of its exceptions before these nodes were cut; empty if not known

    @classmethod
    def none(cls, n_classes: int) -> CutNodes:
        """Of no node."""
        by_class = np.zeros((0, n_classes))
        nothing = np.zeros(0, np.int64)
        says, no, unknown = nothing.astype(np.int32), nothing.astype(bool), np.zeros(0)
        start, tests = np.zeros(1, np.int64), np.zeros((0, 2))
        return cls(nothing, no, no, start, by_class, says, by_class, by_class, tests, unknown, unknown)

    def renumbered(self, number: Integers) -> CutNodes:
        """Those that are still there; number[i] is the new number of node i, −1 where it is gone."""
        new = number[self.node]
        rows = np.flatnonzero(new >= 0)
        rows = rows[np.argsort(new[rows], kind="stable")]
        sizes = np.diff(self.start)[rows]
        start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        taken = np.repeat(self.start[rows] - start[:-1], sizes) + np.arange(start[-1])
        below = (self.leaves[taken], self.says[taken], self.judged[taken])
        whys = (self.by_validation[rows], self.by_bits[rows])
        totals = (self.tally, self.bits) if len(rows) == len(self.node) else (self.tally[:0], self.bits[:0])
        return CutNodes(new[rows], *whys, start, *below, self.own[rows], self.tests[rows], *totals)

    def joined(self, tree: ClassTree, stop: npt.NDArray[np.bool_], evidence: PruningEvidence) -> CutNodes:
        """With the first nodes that these marks make leaves of, numbered as in the tree before it is cut."""
        validation, cuts = evidence.validation, evidence.cuts
        inner = ~tree.is_leaf & ~stop
        cut = [node for node in tree.order(stop).tolist() if stop[node] and not tree.is_leaf[node]]
        found = {node: below for node in cut[:KEPT_NODES] if len(below := _leaves_below(tree, inner, node))}
        nodes, first = list(found), not len(self.node)
        ends = np.cumsum([len(below) for below in found.values()])
        places = [leaf for below in found.values() for leaf in below]
        weights = np.zeros_like(tree.counts) if validation is None else validation
        tests, tally, bits = np.zeros((len(found), 2)), self.tally[:0], self.bits[:0]
        if validation is not None and first:
            tally = _tally(tree, tree.order(stop), inner, nodes, validation)
        if cuts is not None:
            each = test_bits(tree, evidence.attributes, cuts)
            below_each = [_tests_below(tree, inner, node) for node in nodes]
            tests = np.array([(len(below), each[below].sum()) for below in below_each]).reshape(-1, 2)
            kept = stop.copy()
            kept[nodes] = False
            bits = np.array(description_length(tree.pruned(kept), evidence.attributes, cuts)) if first else bits
        return CutNodes(
            np.concatenate([self.node, np.array(nodes, np.int64)]),
            np.concatenate([self.by_validation, np.full(len(found), validation is not None)]),
            np.concatenate([self.by_bits, np.full(len(found), cuts is not None)]),
            np.concatenate([self.start, self.start[-1] + ends]).astype(np.int64),
            np.vstack([self.leaves, tree.counts[places]]),
            np.concatenate([self.says, tree.plurality()[places]]).astype(np.int32),
            np.vstack([self.judged, weights[places]]),
            np.vstack([self.own, weights[nodes]]),
            np.vstack([self.tests, tests]),
            tally,
            bits,
        )


def _tally(
    tree: ClassTree, order: Integers, inner: npt.NDArray[np.bool_], nodes: list[int], validation: Floats
) -> Floats:
    """All validation examples, and of the leaves other than some nodes all and those that are right."""
    elsewhere = np.setdiff1d(order[~inner[order]], nodes)
    right = validation[elsewhere, tree.plurality()[elsewhere]].sum()
    return np.array([validation[0].sum(), validation[elsewhere].sum(), right])


def _tests_below(tree: ClassTree, inner: npt.NDArray[np.bool_], node: int) -> list[int]:
    """A node and the nodes below it that were tests just before it was cut."""
    found = [node]
    for above in found:
        found.extend(below for below in tree.children(above) if inner[below])
    return found


def _leaves_below(tree: ClassTree, inner: npt.NDArray[np.bool_], node: int) -> list[int]:
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
        "candidates": record(ClassCandidates, nodes="nodes", attributes="attributes", classes="classes", cells="cells"),
        "cut": record(CutNodes, nodes="nodes", classes="classes"),
    }

    candidates: ClassCandidates
    cut: CutNodes

    @classmethod
    def none(cls, attributes: tuple[Attribute, ...], n_classes: int) -> TreeTrace:
        """Of a tree that was not grown here."""
        return cls(ClassCandidates.none(attributes, n_classes), CutNodes.none(n_classes))

    def pruned(
        self, tree: ClassTree, stop: npt.NDArray[np.bool_], evidence: PruningEvidence | None = None
    ) -> TreeTrace:
        """What is kept once the marked nodes of the tree are leaves; where that is derived, with their leaves.

        `evidence` is what they were judged by, none where the cut is not derived: then the tree is another than that
        whose bits were counted, if it changes.
        """
        number = np.full(len(tree), -1, np.int64)
        order = tree.order(stop)
        number[order] = np.arange(len(order))
        if evidence is not None:
            cut = self.cut.joined(tree, stop, evidence)
        else:
            cut = self.cut if len(order) == len(tree) else replace(self.cut, bits=self.cut.bits[:0])
        return replace(self, candidates=self.candidates.renumbered(number), cut=cut.renumbered(number))


@dataclass(frozen=True, slots=True, eq=False)
class NumberTrace:
    """What is kept of the growth of a tree for numbers, of at most 40 nodes."""

    state: ClassVar[State] = {
        "candidates": record(NumberCandidates, nodes="nodes", attributes="attributes", cells="cells"),
    }

    candidates: NumberCandidates

    def pruned(self, tree: NumberTree, stop: npt.NDArray[np.bool_]) -> Self:
        """What is kept once the marked nodes of the tree are leaves."""
        number = np.full(len(tree), -1, np.int64)
        order = tree.order(stop)
        number[order] = np.arange(len(order))
        return type(self)(self.candidates.renumbered(number))


@dataclass(frozen=True, slots=True, eq=False)
class DeviationTrace(NumberTrace):
    """The same where absolute deviations are compared."""

    state: ClassVar[State] = {
        "candidates": record(DeviationCandidates, nodes="nodes", attributes="attributes", cells="cells"),
    }

    candidates: DeviationCandidates  # type: ignore[assignment]
