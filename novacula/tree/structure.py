"""A decision tree as arrays: node 0 is the root, and the children of a node are side by side after it.

Nodes are numbered level by level, so that a tree is the same arrays however it was grown. What a tree asks is the same
for all of them; what a node knows of its examples is theirs: class weights, or the mean and spread of numbers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import ClassVar, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from novacula.errors import ParameterError
from novacula.state import State, codes, floats, offsets
from novacula.table.chunk import Codes, Floats
from novacula.tree.constants import NOISE

Integers: TypeAlias = npt.NDArray[np.int64]

LEAF = -1


@dataclass(frozen=True, slots=True, eq=False)
class Tree(ABC):
    """m nodes.

    A numeric test sends x ≤ threshold to branch 0 and the rest to branch 1. A test by category looks the code up
    among the node's arms, which name a branch for each code that its examples had; another code of the domain goes
    to branch `otherwise`. Branch b of node i is node child[i] + b.
    """

    state: ClassVar[State] = {
        "feature": codes("nodes", below="attributes", least=LEAF),
        "threshold": floats("nodes", finite=False),  # NaN where there is none
        "child": codes("nodes", below="nodes", least=LEAF),
        "arity": codes("nodes"),
        "default": codes("nodes", least=LEAF),
        "otherwise": codes("nodes", least=LEAF),
        "arm_start": offsets("nodes+1", "arms"),
        "arm_code": codes("arms"),
        "arm_branch": codes("arms"),
        "gain": floats("nodes"),
    }

    feature: Codes  # (m,) the attribute that is tested, −1 at a leaf
    threshold: Floats  # (m,) of a numeric test, NaN elsewhere
    child: Codes  # (m,) the node of branch 0, −1 at a leaf
    arity: Codes  # (m,) the number of branches
    default: Codes  # (m,) the branch of most examples whose value was known, −1 at a leaf
    otherwise: Codes  # (m,) the branch of codes that have no arm, −1 where every code has one
    arm_start: Integers  # (m + 1,) where the arms of each node begin
    arm_code: Codes  # rising within a node
    arm_branch: Codes
    gain: Floats  # (m,) what the test gained, 0 at a leaf

    def __len__(self) -> int:
        return len(self.feature)

    # --- shape -------------------------------------------------------------------------------------------------

    @property
    def is_leaf(self) -> npt.NDArray[np.bool_]:
        """Whether each node is a leaf."""
        return self.feature == LEAF

    @property
    @abstractmethod
    def weight(self) -> Floats:
        """The weight of the training examples at each node."""

    def children(self, node: int) -> range:
        """The nodes of a node's branches, in order."""
        return range(self.child[node], self.child[node] + self.arity[node]) if self.child[node] >= 0 else range(0)

    def arms(self, node: int) -> tuple[Codes, Codes]:
        """The codes that have an arm at a node, rising, and the branch of each."""
        places = slice(self.arm_start[node], self.arm_start[node + 1])
        return self.arm_code[places], self.arm_branch[places]

    def codes_of(self, node: int, branch: int, size: int) -> list[int]:
        """The codes of a domain of `size` that take a branch of a test by category."""
        codes, branches = self.arms(node)
        taken = codes[branches == branch].tolist()
        if branch == self.otherwise[node]:
            taken = sorted({*taken, *(set(range(size)) - set(codes.tolist()))})
        return taken

    def levels(self, inner: npt.NDArray[np.bool_] | None = None) -> Iterator[Integers]:
        """The nodes of each level from the root down; `inner` marks those whose branches are followed."""
        follow = ~self.is_leaf if inner is None else inner
        level = np.zeros(1, np.int64)
        while len(level):
            yield level
            level = level[follow[level]]
            arity = self.arity[level].astype(np.int64)
            first = np.cumsum(arity) - arity
            level = np.repeat(self.child[level] - first, arity)
            level += np.arange(len(level))

    def parent(self) -> Codes:
        """The parent of each node, −1 for the root."""
        inner = np.flatnonzero(~self.is_leaf)
        inner = inner[np.argsort(self.child[inner])]
        return np.concatenate([[-1], np.repeat(inner, self.arity[inner])]).astype(np.int32)

    def depth(self) -> Codes:
        """The number of tests above each node."""
        depth = np.zeros(len(self), np.int32)
        for tests, level in enumerate(self.levels()):
            depth[level] = tests
        return depth

    def upwards(self) -> Iterator[int]:
        """The inner nodes, each after all inner nodes below it."""
        return iter(np.flatnonzero(~self.is_leaf)[::-1].tolist())

    def preorder(self) -> Iterator[int]:
        """The nodes from the root down, branch by branch: the order in which a tree is read."""
        waiting = [0]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(self.children(node)))

    def summed_upwards(self, leaves: Floats) -> Floats:
        """Numbers at the leaves (m, …) summed up at every node."""
        sums, parent = leaves.copy(), self.parent()
        for level in reversed(list(self.levels())[1:]):
            np.add.at(sums, parent[level], sums[level])
        return sums

    def attributes_asked(self, n_features: int) -> npt.NDArray[np.bool_]:
        """Which attributes are asked on the way to each node: (m, F)."""
        asked, parent = np.zeros((len(self), n_features), bool), self.parent()
        for level in list(self.levels())[1:]:
            above = parent[level]
            asked[level] = asked[above]
            asked[level, self.feature[above]] = True
        return asked

    # --- another tree ------------------------------------------------------------------------------------------

    def order(self, stop: npt.NDArray[np.bool_] | None = None) -> Integers:
        """The nodes level by level; without those below the marked ones, if marks are given."""
        if stop is not None and stop.shape != (len(self),):
            raise ParameterError(f"{len(stop)} marks were given for {len(self)} nodes")
        inner = ~self.is_leaf if stop is None else ~self.is_leaf & ~stop
        return np.concatenate(list(self.levels(inner)))

    def pruned(self, stop: npt.NDArray[np.bool_]) -> Self:
        """The tree in which the marked nodes are leaves and what was below them is gone, level by level."""
        return self._renumbered(self.order(stop), ~self.is_leaf & ~stop)

    def by_level(self, order: Integers) -> Self:
        """The same tree, its nodes numbered in their `order` level by level."""
        return self._renumbered(order, ~self.is_leaf)

    def _renumbered(self, order: Integers, inner: npt.NDArray[np.bool_]) -> Self:
        """The nodes in a new order, in which children still stand side by side; those not `inner` become leaves."""
        place = np.full(len(self), -1, np.int64)
        place[order] = np.arange(len(order))
        split = inner[order]

        def where_split(values: npt.NDArray, otherwise: float) -> npt.NDArray:
            return np.where(split, values[order], otherwise).astype(values.dtype)

        sizes = np.where(split, np.diff(self.arm_start)[order], 0)
        start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        taken = np.repeat(self.arm_start[order] - start[:-1], sizes) + np.arange(start[-1])
        return type(self)(
            where_split(self.feature, LEAF),
            where_split(self.threshold, np.nan),
            np.where(split, place[self.child[order]], LEAF).astype(np.int32),
            where_split(self.arity, 0),
            where_split(self.default, LEAF),
            where_split(self.otherwise, LEAF),
            start,
            self.arm_code[taken],
            self.arm_branch[taken],
            where_split(self.gain, 0.0),
            *(getattr(self, field.name)[order] for field in fields(self)[len(fields(Tree)) :]),
        )

    # --- whether arrays from elsewhere are a tree --------------------------------------------------------------

    def check(self, sizes: Codes) -> None:
        """Raise if the arrays do not describe a tree over attributes with these numbers of codes (0: numeric)."""
        if not (self.is_whole() and self.asks(sizes)):
            raise ParameterError("the arrays of the tree do not fit each other")

    def is_whole(self) -> bool:
        """Whether every node but the root is the branch of one node before it, siblings side by side.

        It is asked of arrays that are as they are declared. A leaf leads nowhere, and a test that has examples has a
        branch that has some, so that every row ends in a leaf.
        """
        inner = np.flatnonzero(~self.is_leaf)
        inner = inner[np.argsort(self.child[inner], kind="stable")]
        first, arity = self.child[inner].astype(np.int64), self.arity[inner].astype(np.int64)
        default, otherwise = self.default[inner], self.otherwise[inner]
        leads = (self.child, self.default, self.otherwise, self.arity - 1, LEAF + np.diff(self.arm_start))
        if not (
            len(self) == 1 + arity.sum()
            and bool((arity >= 1).all())
            and np.array_equal(first, 1 + np.cumsum(arity) - arity)
            and bool((first > inner).all())
            and bool(((default >= 0) & (default < arity) & (otherwise < arity)).all())
            and all(bool((lead[self.is_leaf] == LEAF).all()) for lead in leads)
        ):
            return False
        weight = self.weight
        below = np.add.reduceat(weight, first) if len(inner) else weight[:0]
        return bool(weight[0] > 0.0) and bool(((below > 0.0) | ~(weight[inner] > 0.0)).all())

    def asks(self, sizes: Codes) -> bool:
        """Whether tests fit their attributes, which have so many codes: a branch for each, or a threshold if none."""
        tested = np.flatnonzero(~self.is_leaf)
        size = np.asarray(sizes, np.int64)[self.feature[tested]]
        n_arms, arity = np.diff(self.arm_start)[tested], self.arity[tested]
        by_threshold = (arity == 2) & (n_arms == 0) & np.isfinite(self.threshold[tested])
        # Codes that rise and are below the size have an arm each, if there are as many arms as codes.
        by_code = (n_arms > 0) & ((self.otherwise[tested] >= 0) | (n_arms == size))
        node, last = np.repeat(tested, n_arms), np.repeat(size, n_arms)
        same = node[1:] == node[:-1]
        return (
            bool(np.where(size == 0, by_threshold, by_code).all())
            and bool(((self.arm_code < last) & (self.arm_branch < self.arity[node])).all())
            and bool((np.diff(self.arm_code)[same] > 0).all())
        )


@dataclass(frozen=True, slots=True, eq=False)
class ClassTree(Tree):
    """m nodes over K classes."""

    state: ClassVar[State] = {**Tree.state, "counts": floats("nodes", "classes", least=0.0)}

    counts: Floats  # (m, K) weight of the training examples of each class

    @property
    def weight(self) -> Floats:
        """The weight of the training examples at each node."""
        return self.counts.sum(axis=1)

    @property
    def n_classes(self) -> int:
        """Classes."""
        return self.counts.shape[1]

    @property
    def n_parameters(self) -> int:
        """The tests, and for each leaf one share less than there are classes."""
        leaves = int(self.is_leaf.sum())
        return len(self) - leaves + leaves * (self.n_classes - 1)

    def distributions(self, m: float = 0.0) -> Floats:
        """Class probabilities at each node: m-estimates (n_k + m/K) / (n + m).

        A node without examples has those of its parent.
        """
        counts, total = self.counts, self.weight
        empty = ~(total > 0)
        if empty.any():
            counts, parent = counts.copy(), self.parent()
            for node in np.flatnonzero(empty):  # parents first, so that an empty parent is already filled
                counts[node], total[node] = counts[parent[node]], total[parent[node]]
        return (counts + m / self.n_classes) / (total[:, None] + m)

    def plurality(self) -> Integers:
        """The most frequent class at each node, ties to the first; that of the parent where there are no examples."""
        return most_frequent(self.distributions())


@dataclass(frozen=True, slots=True, eq=False)
class NumberTree(Tree):
    """m nodes that answer with a number."""

    state: ClassVar[State] = {
        **Tree.state,
        "mass": floats("nodes", least=0.0),
        "value": floats("nodes"),
        "deviation": floats("nodes", least=0.0),
    }

    mass: Floats  # (m,) weight of the training examples
    value: Floats  # (m,) what the node answers; of a node without examples that of its parent
    deviation: Floats  # (m,) the sum over its examples of weight times squared (or absolute) deviation from the value

    @property
    def weight(self) -> Floats:
        """The weight of the training examples at each node."""
        return self.mass

    @property
    def n_parameters(self) -> int:
        """The tests, and a number for each leaf."""
        return len(self)

    def impurities(self) -> Floats:
        """The mean squared (or absolute) deviation at each node; 0 where there are no examples."""
        return np.divide(self.deviation, self.mass, out=np.zeros(len(self)), where=self.mass > 0)


def most_frequent(counts: Floats) -> Integers:
    """The place of the largest entry of each row (n, K); of those that are equal up to rounding the first."""
    largest = np.ascontiguousarray(counts.T).max(axis=0)  # rows are short, and down columns it runs ten times faster
    return np.argmax(counts >= largest[:, None] * (1.0 - NOISE), axis=1)
