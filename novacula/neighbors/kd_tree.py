"""A k-d tree: rows halved again and again along the widest side of their box (Bentley 1975).

A search visits the nearer half first and passes over every box that lies beyond the k-th best row so far. In few
dimensions it visits some hundred rows of any number; with each further dimension it passes over less.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self, TypeAlias

import numpy as np
import numpy.typing as npt

from novacula.table.chunk import Floats

Places: TypeAlias = npt.NDArray[np.int64]

LEAF_SIZE = 32
"""Rows in a leaf, at most."""


@dataclass(frozen=True, slots=True, eq=False)
class KDTree:
    """n points in d dimensions, in the order of the leaves of a complete binary tree of m nodes.

    Node i has the children 2i + 1 and 2i + 2; the last (m + 1) / 2 nodes are the leaves. A node holds the points from
    `start` to `stop`, and [`low`, `high`] is the smallest box around them. `weight`, where there are weights, is their
    running sum, so that a node weighs weight[stop] − weight[start].

    >>> tree = KDTree.build(np.array([[0.0], [5.0], [1.0], [9.0]]), leaf_size=2)
    >>> tree.order.tolist(), tree.low.ravel().tolist(), tree.high.ravel().tolist()
    ([0, 2, 1, 3], [0.0, 0.0, 5.0], [9.0, 1.0, 9.0])
    >>> distance, row = tree.search(np.array([[4.0]]), k=2, p=2.0)
    >>> row.tolist(), distance.tolist()
    ([[1, 2]], [[1.0, 9.0]])
    """

    points: Floats  # (d, n): coordinates apart, so that a leaf's distances are computed side by side
    order: Places  # (n,): the row of each point
    low: Floats  # (m, d)
    high: Floats  # (m, d)
    start: Places  # (m,)
    stop: Places  # (m,)
    weight: Floats | None = None  # (n + 1,)

    @classmethod
    def build(cls, rows: Floats, weight: Floats | None = None, leaf_size: int = LEAF_SIZE) -> Self:
        """The tree of rows (n, d), finite and at least one; leaves of two and more leave no node empty."""
        n, d = rows.shape
        levels = max(0, int(np.ceil(np.log2(n / leaf_size))))
        nodes = 2 ** (levels + 1) - 1
        order, start, stop = np.arange(n), np.zeros(nodes, np.int64), np.zeros(nodes, np.int64)
        low, high = np.empty((nodes, d)), np.empty((nodes, d))
        stop[0] = n
        if levels:
            from novacula.neighbors._kernels import build_tree

            build_tree(rows, order, start, stop, low, high)
        else:  # one leaf, of which there is nothing to divide
            low[0], high[0] = rows.min(axis=0), rows.max(axis=0)
        prefix = None if weight is None else np.concatenate([[0.0], np.cumsum(weight[order])])
        return cls(np.ascontiguousarray(rows[order].T), order, low, high, start, stop, prefix)

    def search(self, queries: Floats, k: int, p: float) -> tuple[Floats, Places]:
        """The k nearest rows to each of queries (m, d), nearest first: Σ|gap|ᵖ (the largest gap for p = ∞), and rows.

        Of rows at one distance the one with the smaller number comes first.
        """
        distance, row, _ = self._search(queries, k, p)
        return distance, row

    def share_looked_at(self, queries: Floats, k: int, p: float) -> float:
        """The share of all points that a search visits: small where boxes can be passed over."""
        looked_at = self._search(queries, k, p)[2]
        return looked_at / (len(queries) * len(self.order))

    def _search(self, queries: Floats, k: int, p: float) -> tuple[Floats, Places, int]:
        from novacula.neighbors._kernels import search_tree

        distance, row = empty_heaps(len(queries), k, len(self.order))
        boxes = (self.start, self.stop, self.low, self.high)
        return distance, row, search_tree(self.points, self.order, *boxes, p, queries, distance, row)


def empty_heaps(m: int, k: int, n: int) -> tuple[Floats, Places]:
    """What a search of n rows starts from: k places for each of m queries, worse than every row."""
    return np.full((m, k), np.inf), np.full((m, k), n)
