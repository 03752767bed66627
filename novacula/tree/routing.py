"""How rows go down a tree: to one leaf each, or with missing values to several, by shares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from novacula.table import Chunk
from novacula.table.chunk import Codes, Floats
from novacula.tree.attributes import Attribute, coded
from novacula.tree.constants import STEP
from novacula.tree.structure import Integers, Tree, most_frequent


class Routes(NamedTuple):
    """Row, leaf and share of the row; rows rise, and the shares of a row sum to 1."""

    row: Integers
    node: Codes
    share: Floats

    def mixed(self, values: Floats, n: int) -> Floats:
        """For each of n rows the values (m, K) of its leaves, mixed by shares."""
        if len(self.row) == n:
            return values[self.node]
        starts = np.searchsorted(self.row, np.arange(n))
        return np.add.reduceat(self.share[:, None] * values[self.node], starts, axis=0)

    def classes(self, values: Floats, best: Integers, n: int) -> Integers:
        """For each of n rows the class of most probability, where `best` is that of each leaf."""
        return best[self.node] if len(self.row) == n else most_frequent(self.mixed(values, n))

    def largest(self, n: int) -> Codes:
        """For each of n rows the leaf that takes most of it, of equals the first."""
        order = np.lexsort((np.arange(len(self.row)), -self.share, self.row))
        return self.node[order[np.searchsorted(self.row, np.arange(n))]]


class Router:
    """A tree with what is needed to send chunks of rows down it; it is pickled with its arrays only."""

    def __init__(
        self, tree: Tree, attributes: Sequence[Attribute], cut_places: Sequence[int], fractional: bool
    ) -> None:
        self.tree = tree
        self.attributes = tuple(attributes)
        self.cut_places = tuple(cut_places)
        self.fractional = fractional
        self.weight = tree.weight
        columns = np.array([a.place if a.kind == "numeric" else -1 - a.place for a in attributes], np.int32)
        self.steps = np.empty(len(tree), STEP)
        self.steps["threshold"], self.steps["child"] = tree.threshold, tree.child
        self.steps["column"] = columns[tree.feature] if len(columns) else 0  # whatever it is, a leaf asks nothing

    def codes(self, chunk: Chunk) -> Codes:
        """The codes of nominal and cut attributes of a chunk."""
        return coded(chunk, self.attributes, self.cut_places)

    def route(self, chunk: Chunk) -> Routes:
        """The leaves that the rows of a chunk reach."""
        from novacula.tree._kernels import descend

        tree = self.tree
        return Routes(
            *descend(
                chunk.numeric, self.codes(chunk), self.steps, tree.arity, tree.default, tree.otherwise, tree.arm_start,
                tree.arm_code, tree.arm_branch, self.weight, self.fractional,
            )
        )  # fmt: skip
