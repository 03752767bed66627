"""Many trees side by side: two-way tests, and what the nodes of each add to an answer.

    answer(row) = constant + Σ over trees of the values of the row's leaf

The nodes of a tree are numbered with its root first and each before its branches, and those of all trees follow each
other. A missing value takes the branch that was better for it at fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt

from novacula.ensemble.constants import NODE, WORD
from novacula.state import State, codes, floats, offsets
from novacula.table import Chunk
from novacula.table.chunk import Codes, Floats
from novacula.tree.additive import AdditiveTrees
from novacula.tree.attributes import Attribute
from novacula.tree.structure import LEAF, Integers, Tree


@dataclass(frozen=True, slots=True, eq=False)
class MemberTree(Tree):
    """One of many trees: its tests, and the weight of the training examples at each node."""

    state: ClassVar[State] = {**Tree.state, "mass": floats("nodes", least=0.0)}

    mass: Floats  # (m,)

    @property
    def weight(self) -> Floats:
        """The weight of the training examples at each node."""
        return self.mass


@dataclass(frozen=True, eq=False)
class BinaryTrees:
    """T trees of m nodes in all.

    A numeric test sends x ≤ threshold to branch 0, a test by category the codes that are listed; branch b of node i is
    node child[i] + b. Tree t adds the k values of a leaf to the answers from number output[t] on.
    """

    state: ClassVar[State] = {
        "start": offsets("trees+1", "nodes"),
        "output": codes("trees"),
        "feature": codes("nodes", below="attributes", least=LEAF),
        "threshold": floats("nodes", finite=False),  # NaN where there is none
        "child": codes("nodes", below="nodes", least=LEAF),
        "missing": codes("nodes"),
        "code_start": offsets("nodes+1", "codes"),
        "code": codes("codes"),
        "gain": floats("nodes", least=0.0),
        "mass": floats("nodes", least=0.0),
        "value": floats("nodes", "values"),
    }

    start: Integers  # (T + 1,) where the nodes of each tree begin
    output: Codes  # (T,) the first of the answers that a tree adds to
    feature: Codes  # (m,) the attribute that is tested, −1 at a leaf
    threshold: Floats  # (m,) of a numeric test, NaN elsewhere
    child: Codes  # (m,) the node of branch 0, −1 at a leaf
    missing: Codes  # (m,) the branch of missing values, 0 at a leaf
    code_start: Integers  # (m + 1,) where the codes of each node begin
    code: Codes  # the codes that take branch 0, rising within a node
    gain: Floats  # (m,) what the test gained, 0 at a leaf
    mass: Floats  # (m,) the weight of the training examples
    value: Floats  # (m, k) what a node adds to an answer

    def __len__(self) -> int:
        return len(self.output)

    @property
    def is_leaf(self) -> npt.NDArray[np.bool_]:
        """Whether each node is a leaf."""
        return self.feature == LEAF

    @classmethod
    def joined(cls, parts: Sequence[Self], outputs: Sequence[int]) -> Self:
        """The trees of several parts behind each other, which add to the answers from these numbers on."""
        nodes = np.cumsum([0, *(len(part.feature) for part in parts)])
        listed = np.cumsum([0, *(len(part.code) for part in parts)])

        def put(name: str) -> npt.NDArray:
            return np.concatenate([getattr(part, name) for part in parts])

        def moved(name: str, by: npt.NDArray) -> npt.NDArray:
            ends = [getattr(part, name)[1:] + shift for part, shift in zip(parts, by, strict=False)]
            return np.concatenate([[0], *ends]).astype(np.int64)

        children = [
            np.where(part.child >= 0, part.child + shift, LEAF) for part, shift in zip(parts, nodes, strict=False)
        ]
        return cls(
            moved("start", nodes), np.array(outputs, np.int32), put("feature"), put("threshold"),
            np.concatenate(children).astype(np.int32), put("missing"), moved("code_start", listed), put("code"),
            put("gain"), put("mass"), put("value"),
        )  # fmt: skip

    @cached_property
    def _finders(self) -> dict[tuple[Attribute, ...], LeafFinder]:
        return {}

    def finder(self, attributes: tuple[Attribute, ...]) -> LeafFinder:
        """What sends rows down the trees; it is made once."""
        if attributes not in self._finders:
            self._finders[attributes] = LeafFinder(self, attributes)
        return self._finders[attributes]

    # --- one of them -------------------------------------------------------------------------------------------

    def tree(self, t: int, attributes: Sequence[Attribute]) -> MemberTree:
        """A tree in the form of single trees, with an arm for every category."""
        a, b = int(self.start[t]), int(self.start[t + 1])
        feature, is_leaf = self.feature[a:b], self.is_leaf[a:b]
        sizes = np.array([attribute.size for attribute in attributes], np.int64)
        n_arms = np.where(is_leaf, 0, sizes[feature] if len(sizes) else 0)
        arm_start = np.concatenate([[0], np.cumsum(n_arms)]).astype(np.int64)
        arm_code = (np.arange(arm_start[-1]) - np.repeat(arm_start[:-1], n_arms)).astype(np.int32)
        arm_branch = np.ones(len(arm_code), np.int32)
        listed = np.diff(self.code_start[a : b + 1])
        codes = self.code[self.code_start[a] : self.code_start[b]]
        arm_branch[np.repeat(arm_start[:-1], listed) + codes] = 0
        return MemberTree(
            feature,
            self.threshold[a:b],
            np.where(is_leaf, LEAF, self.child[a:b] - a).astype(np.int32),
            np.where(is_leaf, 0, 2).astype(np.int32),
            np.where(is_leaf, LEAF, self.missing[a:b]).astype(np.int32),
            np.full(b - a, LEAF, np.int32),
            arm_start,
            arm_code,
            arm_branch,
            self.gain[a:b],
            self.mass[a:b],
        )

    def additive(self, constant: Floats, attributes: tuple[Attribute, ...]) -> AdditiveTrees:
        """The sum of the trees and a constant (K,), in the form that contributions are computed from."""
        trees = tuple(self.tree(t, attributes) for t in range(len(self)))
        values = tuple(self.outputs_of(t, len(constant)) for t in range(len(self)))
        return AdditiveTrees(constant, trees, values, attributes, (), False)

    def outputs_of(self, t: int, n_outputs: int) -> Floats:
        """What the nodes of a tree add to each of the answers (m, K)."""
        value = self.value[self.start[t] : self.start[t + 1]]
        whole = np.zeros((len(value), n_outputs))
        whole[:, self.output[t] : self.output[t] + value.shape[1]] = value
        return whole

    # --- whether arrays from elsewhere are trees ---------------------------------------------------------------

    def is_whole(self, attributes: Sequence[Attribute], n_outputs: int) -> bool:
        """Whether every node but the roots is a branch of one node before it in its tree, and tests fit attributes."""
        inner = np.flatnonzero(~self.is_leaf)
        child = self.child[inner].astype(np.int64)
        tree = np.searchsorted(self.start, np.arange(len(self.feature)), side="right") - 1
        roots = np.isin(np.arange(len(self.feature)), self.start[:-1])
        parents = np.zeros(len(self.feature), np.int64)
        if not (len(self) and (np.diff(self.start) > 0).all() and ((child > inner) & (child + 1 < len(roots))).all()):
            return False
        np.add.at(parents, child, 1)
        np.add.at(parents, child + 1, 1)
        sizes = np.array([attribute.size for attribute in attributes], np.int64)[self.feature[inner]]
        listed = np.diff(self.code_start)
        node = np.repeat(np.arange(len(self.feature)), listed)
        size = np.zeros(len(self.feature), np.int64)
        size[inner] = sizes
        rising = np.diff(self.code)[node[1:] == node[:-1]] > 0
        return (
            bool((parents == ~roots).all())
            and bool((tree[child] == tree[inner]).all() and (tree[child + 1] == tree[inner]).all())
            and bool((self.child[self.is_leaf] == LEAF).all())
            and bool(((self.missing >= 0) & (self.missing <= 1)).all())
            and bool((np.isfinite(self.threshold[inner]) | (sizes > 0)).all())
            and bool((self.code < size[node]).all() and rising.all())
            and bool(((self.output >= 0) & (self.output <= n_outputs - self.value.shape[1])).all())
        )


class LeafFinder:
    """Trees with what is needed to send chunks of rows down them; it is pickled with its arrays only."""

    def __init__(self, trees: BinaryTrees, attributes: Sequence[Attribute]) -> None:
        self.trees, self.attributes = trees, tuple(attributes)

    @cached_property
    def steps(self) -> tuple[npt.NDArray, npt.NDArray[np.uint64]]:
        """The nodes (m,) as rows need them, and the words of their categories."""
        trees = self.trees
        sizes = np.array([a.size for a in self.attributes], np.int64)
        columns = np.array([a.place if a.size == 0 else -1 - a.place for a in self.attributes], np.int32)
        by_code = ~trees.is_leaf & (sizes[trees.feature] > 0)
        n_words = np.where(by_code, -(-sizes[trees.feature] // WORD), 0)
        begin = np.concatenate([[0], np.cumsum(n_words)])
        words = np.zeros(int(begin[-1]), np.uint64)
        at = np.repeat(begin[:-1], np.diff(trees.code_start)) + trees.code // WORD
        np.bitwise_or.at(words, at, np.uint64(1) << (trees.code % WORD).astype(np.uint64))
        nodes = np.empty(len(trees.feature), NODE)
        nodes["threshold"] = np.where(by_code, begin[:-1], trees.threshold)
        nodes["child"] = np.where(trees.is_leaf, LEAF, 2 * trees.child.astype(np.int64) + trees.missing)
        nodes["column"] = np.where(trees.is_leaf, 0, columns[trees.feature])
        return nodes, words

    def __getstate__(self) -> dict[str, object]:
        return {"trees": self.trees, "attributes": self.attributes}

    def sums(self, chunk: Chunk, constant: Floats) -> Floats:
        """The answers (n, K) for the rows of a chunk."""
        from novacula.ensemble._kernels import add_leaves

        trees, (nodes, words) = self.trees, self.steps
        answers = np.tile(constant, (len(chunk), 1))
        outputs = trees.output.astype(np.int64)
        add_leaves(chunk.numeric, chunk.codes, nodes, words, trees.start, outputs, trees.value, answers)
        return answers

    def leaves(self, chunk: Chunk) -> Codes:
        """The leaf of each row in each tree (n, T), as a node of the whole."""
        from novacula.ensemble._kernels import find_leaves

        nodes, words = self.steps
        found = np.empty((len(chunk), len(self.trees)), np.int32)
        find_leaves(chunk.numeric, chunk.codes, nodes, words, self.trees.start, found)
        return found


def leaf_sums(chunk: Chunk, finder: LeafFinder, constant: Floats) -> Floats:
    """The answers (n, K) for the rows of a chunk: for `_answers`."""
    return finder.sums(chunk, constant)


def leaves_of(chunk: Chunk, finder: LeafFinder) -> Codes:
    """The leaf of each row in each tree (n, T): for `_answers`."""
    return finder.leaves(chunk)
