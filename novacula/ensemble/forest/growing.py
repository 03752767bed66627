"""The trees of a forest, each grown by one call of a kernel on rows that chance gave it.

    draw rows ──▶ grow ──▶ BinaryTrees of one tree        for tree 0, 1, … on all threads, or on a cluster's workers

Rows and columns are drawn by hashes of the row and of the place in the tree, so the trees are the same wherever and in
whatever order they are grown.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from novacula.ensemble.binned import BinnedColumns
from novacula.ensemble.forest.coded_rows import CodedRows
from novacula.ensemble.forest.constants import GINI, SQUARES
from novacula.ensemble.row_keys import Keys, bootstrap_counts, stream_of
from novacula.ensemble.trees import BinaryTrees
from novacula.table.chunk import Floats
from novacula.table.crew import crew
from novacula.table.parallel import map_ordered

ROWS, COLUMNS = 0, 1
"""What a stream of random numbers draws."""
ROOM = 1024
"""Codes that a tree may list before more room is made."""


@dataclass(frozen=True)
class RowDraws:
    """Which trees draw which rows, and how often."""

    seed: int
    mean: float | None  # draws per row; None: every row once

    def counts(self, keys: Keys, tree: int) -> Floats:
        """How often a tree draws each row."""
        return np.ones(len(keys)) if self.mean is None else bootstrap_counts(keys, self._stream(tree), self.mean)

    def _stream(self, tree: int) -> int:
        return stream_of(self.seed, tree, ROWS)


@dataclass(frozen=True)
class ForestRules:
    """How each tree of a forest is grown."""

    criterion: int
    n_classes: int  # 0 of numbers
    max_columns: int
    max_depth: int | None
    least_tested: float
    least_branch: float
    max_leaves: int | None
    draws: RowDraws

    def numbers(self) -> tuple[int, int, int, int, float, float, int]:
        """What the kernel is given."""
        by_mean = int(self.criterion == GINI and self.n_classes == 2)
        return (
            self.criterion, self.n_classes, by_mean, self.max_depth or -1, self.least_tested, self.least_branch,
            self.max_leaves or 0,
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Forester:
    """All that the trees of one forest are grown from; it is sent to each worker once."""

    rows: CodedRows
    binned: BinnedColumns
    rules: ForestRules
    factor: Floats  # (K,) by which the weights of each class count; of numbers (1,)
    centre: float  # of numbers, which are grown on a scale from −1 to 1
    unit: float

    def grow(self, tree: int) -> BinaryTrees:
        """One tree of the forest."""
        from novacula.ensemble.forest._kernels import grow_tree

        rows, rules = self.rows, self.rules
        counts = rules.draws.counts(rows.keys, tree)
        drawn = np.flatnonzero(counts > 0.0)
        if not len(drawn):  # of very few rows
            drawn, counts = np.arange(len(rows)), np.ones(len(rows))
        codes = np.ascontiguousarray(rows.codes.take(drawn, axis=1), np.uint16)
        is_class = rules.criterion != SQUARES
        label = rows.target[drawn].astype(np.int32) if is_class else np.zeros(len(drawn), np.int32)
        number = (rows.target[drawn] - self.centre) / self.unit
        weight = rows.weight[drawn] * counts[drawn] * (self.factor[label] if is_class else 1.0)
        columns_seed = np.uint64(stream_of(rules.draws.seed, tree, COLUMNS))
        room = ROOM
        while True:
            of_rows = (np.arange(len(drawn), dtype=np.int32), label.copy(), number.copy(), weight.copy())
            nodes = _space(self._most_nodes(len(drawn)), max(rules.n_classes, 1), room)
            m, n_codes = grow_tree(
                codes, self.binned.sizes, self.binned.ordered, of_rows, rules.numbers(), rules.max_columns,
                columns_seed, nodes, *_scratch(self.binned.sizes, rules.n_classes, len(drawn), len(nodes[0])),
            )  # fmt: skip
            if m:
                return self._named(nodes, m, n_codes)
            room *= 4

    def _most_nodes(self, n: int) -> int:
        most = n if self.rules.max_leaves is None else min(n, self.rules.max_leaves)
        if self.rules.max_depth is not None and self.rules.max_depth < 40:
            most = min(most, 1 << self.rules.max_depth)
        return 2 * most - 1

    def _named(self, nodes: tuple[npt.NDArray, ...], m: int, n_codes: int) -> BinaryTrees:
        """A tree in terms of the columns, from the arrays that the kernel filled."""
        feature, cut, child, missing, gain, mass, value = (np.ascontiguousarray(part[:m]) for part in nodes[:7])
        start, code = nodes[7][: m + 1], nodes[8][:n_codes]
        node = np.repeat(np.arange(m), np.diff(start))
        kept = feature[node] >= 0  # those of nodes that there were no leaves left for are not
        node, code = node[kept], code[kept]
        code = code[np.lexsort([code, node])]
        start = np.concatenate([[0], np.cumsum(np.bincount(node, minlength=m))]).astype(np.int64)
        if self.rules.criterion == SQUARES:
            value, gain = self.centre + self.unit * value, gain * self.unit * self.unit
        return BinaryTrees(
            np.array([0, m]), np.zeros(1, np.int32), feature, self._thresholds(feature, cut), child, missing, start,
            code.astype(np.int32), gain, mass, value,
        )  # fmt: skip

    def _thresholds(self, feature: npt.NDArray, cut: npt.NDArray) -> Floats:
        """The thresholds of numeric tests: the edge behind a bin; the largest number behind the last one."""
        threshold = np.full(len(feature), np.nan)
        tested = np.unique(feature[feature >= 0])
        for f in tested[self.binned.ordered[tested]]:
            nodes = np.flatnonzero(feature == f)
            threshold[nodes] = np.append(self.binned.edges[f], np.finfo(np.float64).max)[cut[nodes]]
        return threshold


def grow_forest(forester: Forester, n_trees: int, client: Any = None) -> BinaryTrees:
    """The trees of a forest side by side, grown on all threads or on the workers of a cluster."""
    with closing(_grown(forester, n_trees, client)) as grown:
        parts = list(grown)
    return BinaryTrees.joined(parts, [0] * n_trees)


def _grown(forester: Forester, n_trees: int, client: Any) -> Generator[BinaryTrees, None, None]:
    if client is None:
        yield from map_ordered(forester.grow, range(n_trees))
        return
    with crew(forester, client=client) as workers:
        for future in [workers.submit(Forester.grow, tree) for tree in range(n_trees)]:
            yield future.result()


def _space(m: int, k: int, room: int) -> tuple[npt.NDArray, ...]:
    """Arrays for m nodes and the codes that they list."""
    whole = [np.empty(m, np.int32) for _ in range(4)]
    return (
        *whole, np.empty(m), np.empty(m), np.empty((m, k)), np.empty(m + 1, np.int64), np.empty(room, np.int32)
    )  # fmt: skip


def _scratch(sizes: npt.NDArray[np.int64], k: int, n: int, m: int) -> tuple[tuple[npt.NDArray, ...], ...]:
    """What the kernel writes on the way: for columns of these sizes, k classes, n rows and at most m nodes."""
    most = int(sizes.max(initial=0)) + 1
    of_codes = (
        np.zeros(most * max(k, 2)), np.zeros((most >> 6) + 1, np.uint64), np.empty(most, np.int64),
        np.empty(most, np.int64), np.empty(most), np.empty(most), np.zeros(max(k, 1)), np.zeros(max(k, 1)),
    )  # fmt: skip
    of_nodes = [np.empty(m, np.int64) for _ in range(4)]
    drawing = (np.arange(len(sizes)), np.empty(len(sizes), np.int64), *of_nodes, np.empty(m, np.uint64))
    return of_codes, drawing, (np.empty(n, bool), np.zeros(most, bool), np.empty(2 * n, np.int32), np.empty(2 * n))
