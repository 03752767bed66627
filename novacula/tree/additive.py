"""A model as a sum of trees: one tree, a forest or boosted trees, in the form that contributions are computed from.

    answer(row) = constant + Σ over trees of the value of the row's leaf

Where values are missing and go down every branch, a row has several leaves in a tree, whose values are mixed by shares.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from novacula.table import Chunk
from novacula.table.chunk import Floats
from novacula.tree.attributes import Attribute
from novacula.tree.routing import Router, leaf_values
from novacula.tree.structure import Tree


@dataclass(frozen=True, eq=False)
class AdditiveTrees:
    """Trees over the same attributes, and the k numbers that each node of each of them adds to an answer."""

    constant: Floats  # (k,)
    trees: tuple[Tree, ...]
    values: tuple[Floats, ...]  # of each tree (m, k)
    attributes: tuple[Attribute, ...]
    cut_places: tuple[int, ...]  # the cut columns among the numbers
    fractional: bool  # whether a missing value goes down every branch

    def routers(self) -> Iterator[Router]:
        """Each tree, ready to send rows down."""
        return (Router(tree, self.attributes, self.cut_places, self.fractional) for tree in self.trees)

    def answers(self, chunk: Chunk) -> Floats:
        """The answers (n, k) for the rows of a chunk."""
        total = np.tile(self.constant, (len(chunk), 1))
        for router, values in zip(self.routers(), self.values, strict=True):
            total += leaf_values(chunk, router, values)
        return total
