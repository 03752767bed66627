"""Sums of kernels over all rows, in units of the width, by a k-d tree of their places.

    ln Σ wⱼ k(‖z − zⱼ‖)

The nearest row of each query comes first, and profiles without an end are taken relative to its own: the logarithm is
right however far away the rows are, where the sum itself would be 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from novacula.errors import DataError
from novacula.neighbors.index import in_blocks
from novacula.neighbors.kd_tree import KDTree, Places
from novacula.neighbors.kernel_density.shapes import Shape
from novacula.table.chunk import Floats

LEAF_SIZE = 256
"""Rows in a leaf, at most: their kernels cost about as much as the bounds of its box."""
LARGEST = 1e300
"""What is allowed relative to the nearest row, at most: no box with an infinite bound may stand for its rows."""
FARTHEST = 1e150
"""Widths from the middle of the rows from which on squares overflow."""


@dataclass(frozen=True, slots=True, eq=False)
class KernelSums:
    """Weighted places of n rows in d dimensions, as a tree of m boxes."""

    shape: Shape
    tree: KDTree
    weight: Floats  # (n,): in the order of the tree
    heavy: Floats  # (m,): the weight of each box
    place: Places  # (n,): where the tree holds each row

    @classmethod
    def build(cls, shape: Shape, rows: Floats, weight: Floats) -> Self:
        """Of rows (n, d) in units of the width, all of positive weight (n,)."""
        if not is_near(rows).all():
            raise DataError(f"rows lie more than {FARTHEST:.0e} bandwidths apart, so that squares overflow: widen it")
        tree = KDTree.build(np.ascontiguousarray(rows), leaf_size=LEAF_SIZE)
        held = weight[tree.order]
        place = np.empty(len(held), np.int64)
        place[tree.order] = np.arange(len(held))
        return cls(shape, tree, held, _box_weights(tree, held), place)

    def log_sums(self, queries: Floats, rtol: float, atol: float) -> Floats:
        """Logarithms of sums at queries (m, d), each right to rtol times itself plus atol: (m,).

        Where squares of distances would overflow, the logarithm is −∞.
        """
        near, out = is_near(queries), np.full(len(queries), -np.inf)
        held = queries if near.all() else queries[near]
        none = np.full(len(held), -1)
        out[near] = self._in_blocks(held, none, np.zeros(len(held)), rtol, atol)
        return out

    def log_sums_without_own(self, queries: Floats, rtol: float) -> Floats:
        """The same at as many queries as rows, where each leaves out one repetition of its row, or what there is."""
        left = np.maximum(self.weight[self.place] - 1.0, 0.0)
        return self._in_blocks(queries, self.place, left, rtol, 0.0)

    def _in_blocks(self, queries: Floats, own: Places, left: Floats, rtol: float, atol: float) -> Floats:
        def log_sums(block: slice) -> Floats:
            return self._log_sums(queries[block], own[block], left[block], rtol, atol)

        return np.concatenate(in_blocks(log_sums, len(queries), 1))

    def _log_sums(self, queries: Floats, own: Places, left: Floats, rtol: float, atol: float) -> Floats:
        from novacula.neighbors.kernel_density._kernels import kernel_sums

        base, shift = np.zeros(len(queries)), np.zeros(len(queries))
        if self.shape.endless:
            base = self._nearest(queries, own, left)
            shift = 0.5 * base if self.shape.code == 0 else np.sqrt(base)
        with np.errstate(over="ignore"):
            allowed = np.minimum(atol * np.exp(np.minimum(shift, 700.0)), LARGEST)
        tree, out = self.tree, np.empty(len(queries))
        boxes = (tree.start, tree.stop, tree.low, tree.high, self.heavy)
        kernel_sums(tree.points, self.weight, *boxes, self.shape.code, queries, base, own, left, rtol, allowed, out)
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(np.maximum(out, 0.0)) - shift)

    def _nearest(self, queries: Floats, own: Places, left: Floats) -> Floats:
        """The squared distance to the nearest row that counts: (m,)."""
        if (own < 0).all():
            return self.tree.search(queries, 1, 2.0)[0][:, 0]
        distance, row = self.tree.search(queries, 2, 2.0)
        itself = (self.place[row[:, 0]] == own) & (left == 0.0)
        return np.where(itself, distance[:, 1], distance[:, 0])


def _box_weights(tree: KDTree, weight: Floats) -> Floats:
    """The weight of each box (m,): of the leaves, then level by level upwards."""
    nodes = len(tree.start)
    heavy = np.empty(nodes)
    heavy[nodes // 2 :] = np.add.reduceat(weight, tree.start[nodes // 2 :])
    last = nodes // 2
    while last > 0:
        first = last // 2
        heavy[first:last] = heavy[2 * first + 1 : 2 * last + 1 : 2] + heavy[2 * first + 2 : 2 * last + 2 : 2]
        last = first
    return heavy


def is_near(places: Floats) -> npt.NDArray[np.bool_]:
    """Whether each place (n, d) is so near that squares do not overflow: (n,)."""
    return np.asarray((np.abs(places) < FARTHEST).all(axis=1))
