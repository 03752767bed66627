"""How rows go down a tree: to one leaf each, or with missing values to several, by shares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from novacula.statistics import ClassMoments
from novacula.statistics.base import weighted_counts
from novacula.statistics.comoments import targets
from novacula.table import Chunk
from novacula.table.chunk import Codes, Floats
from novacula.tree.attributes import Attribute, attribute_codes
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
        """For each of n rows the leaf that takes most of it; ties go to the first."""
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
        return attribute_codes(chunk, self.attributes, self.cut_places)

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


# --- what is asked of a chunk --------------------------------------------------------------------------------------


def leaf_weights(chunk: Chunk, router: Router, n_classes: int) -> Floats:
    """The weight of each class at each node (m, K), counted where rows end."""
    routes = router.route(chunk)
    y: Any = chunk.target
    at = routes.node.astype(np.int64) * n_classes + y[routes.row]
    size = len(router.tree) * n_classes
    return weighted_counts(at, routes.share * chunk.weight[routes.row], size).reshape(-1, n_classes)


def leaf_values(chunk: Chunk, router: Router, values: Floats) -> Floats:
    """The values (m, K) of the rows' leaves."""
    return router.route(chunk).mixed(values, len(chunk))


def leaf_classes(chunk: Chunk, router: Router, values: Floats, best: Integers) -> Integers:
    """The class of most value of each row, where `best` (m,) are those of the leaves."""
    return router.route(chunk).classes(values, best, len(chunk))


def leaves(chunk: Chunk, router: Router) -> Integers:
    """The leaf of each row."""
    return router.route(chunk).largest(len(chunk)).astype(np.int64)


def nodes_passed(chunk: Chunk, router: Router) -> Any:
    """The nodes that rows pass, as a sparse matrix of shares."""
    from scipy.sparse import csr_matrix

    routes, parent = router.route(chunk), router.tree.parent()
    rows, nodes, shares = routes.row, routes.node.astype(np.int64), routes.share
    levels: list[tuple[Any, Any, Any]] = []
    while len(rows):
        levels.append((rows, nodes, shares))
        up = parent[nodes].astype(np.int64)
        rows, nodes, shares = rows[up >= 0], up[up >= 0], shares[up >= 0]
    row, node, share = (np.concatenate(columns) for columns in zip(*levels, strict=True)) if levels else ([], [], [])
    return csr_matrix((share, (row, node)), shape=(len(chunk), len(router.tree)))


def costs_paid(chunk: Chunk, router: Router, costs: Floats) -> Floats:
    """What the tests on each row's way cost: each attribute once, and only where its value is known."""
    routes, codes = router.route(chunk), router.codes(chunk)
    attributes_asked = router.tree.attributes_asked(len(costs))
    known_cells = np.column_stack(
        [
            ~np.isnan(chunk.numeric[:, a.place]) if a.kind == "numeric" else codes[:, a.place] >= 0
            for a in router.attributes
        ]
    )
    total = ((attributes_asked[routes.node] & known_cells[routes.row]) * costs).sum(axis=1) * routes.share
    return weighted_counts(routes.row, total, len(chunk))


def leaf_moments(chunk: Chunk, router: Router) -> ClassMoments:
    """Weight, mean and squared deviations of the targets that end at each node (m, 1)."""
    routes = router.route(chunk)
    y = np.ascontiguousarray(targets(chunk)[routes.row, :1])
    weight = routes.share * chunk.weight[routes.row]
    rows = Chunk(y, np.empty((len(y), 0), np.int32), weight, target=routes.node.astype(np.int32))
    return ClassMoments.observe(rows.counted(), len(router.tree))


def node_deviations(chunk: Chunk, router: Router, values: Floats) -> Floats:
    """Of each node (m,) the absolute errors of the rows that pass it, were its value the answer; then their weight."""
    y, weight = targets(chunk)[:, 0], chunk.weight
    passed = nodes_passed(chunk, router).tocoo()
    errors = passed.data * weight[passed.row] * np.abs(y[passed.row] - values[passed.col])
    return np.append(weighted_counts(passed.col, errors, len(values)), weight.sum())


def moments_upwards(tree: Tree, moments: ClassMoments) -> ClassMoments:
    """Moments of what ends at each node (m, 1) as those of what passes it: children join by Chan's formula."""
    weight, mean, ssd = moments.weight[:, 0].copy(), moments.mean[:, 0].copy(), moments.ssd[:, 0].copy()
    mean[weight == 0.0] = 0.0
    parent = tree.parent()
    for level in reversed(list(tree.levels())[1:]):
        above = parent[level]
        np.add.at(weight, above, weight[level])
        np.add.at(mean, above, weight[level] * mean[level])
        inner = np.unique(above)
        mean[inner] = np.divide(mean[inner], weight[inner], out=np.zeros(len(inner)), where=weight[inner] > 0)
        np.add.at(ssd, above, ssd[level] + weight[level] * (mean[level] - mean[above]) ** 2)
    low, high = moments.low, moments.high
    return ClassMoments(weight[:, None], mean[:, None], ssd[:, None], low, high)
