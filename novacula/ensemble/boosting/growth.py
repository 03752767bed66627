"""One tree of boosting, grown best first: of all leaves the one is tested next whose test gains most.

    gain = ½ [G₀²/(H₀ + λ) + G₁²/(H₁ + λ) − G²/(H + λ)],  answer of a leaf = −G/(H + λ)

Of two branches only the rows of the lighter one are counted; the sums of the other are what is left of their parent's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from novacula.ensemble.binned import BinnedColumns
from novacula.ensemble.boosting.constants import CUT, GAIN, GRADIENT, HESSIAN, NOISE, SIDE, WEIGHT
from novacula.ensemble.boosting.leaf_rows import LeafRows, Sums, stretches
from novacula.table.chunk import Codes, Floats
from novacula.tree.structure import LEAF, Integers

WIDE = 40_000
"""Cells from which threads share the search for a test."""
SMOOTHING = 10.0
"""Rows of gradient 0 that are added to both branches of a test by category, and to every category for their order."""
LEAST_CATEGORY = 10.0
"""The weight of a category, below which it goes with the missing values."""
LEAST_HESSIAN = 1e-3
"""Of a branch, where Hessians vanish as a model becomes certain."""
ALWAYS = np.finfo(np.float64).max
"""The threshold of a test whether a number is known."""


class Units(NamedTuple):
    """What one is worth in each lane; powers of two."""

    gradient: float
    hessian: float
    weight: float

    @property
    def gain(self) -> float:
        """What one is worth in G²/H."""
        return self.gradient / self.hessian * self.gradient


@dataclass(frozen=True)
class GrowthRules:
    """What limits a tree."""

    max_leaf_nodes: int | None
    max_depth: int | None
    least_weight: float
    l2: float
    least_hessian: float
    longest_step: float
    signs: npt.NDArray[np.int8]  # (F,) of monotone columns
    max_features: float

    @property
    def is_bounded(self) -> bool:
        """Whether some column is bound to be monotone."""
        return bool(self.signs.any())


class Test(NamedTuple):
    """The best test of a leaf."""

    gain: float
    feature: int
    threshold: float
    codes: Codes  # that take branch 0, of a test by category
    missing: int
    branches: npt.NDArray[np.uint8]  # of each code, the missing one last
    first: Integers  # (3,) the sums of branch 0
    l2: float


@dataclass
class Node:
    """A node under growth."""

    number: int
    start: int
    stop: int
    depth: int
    total: Integers  # (3,)
    low: float = -np.inf  # what it may answer
    high: float = np.inf
    sums: Sums | None = None
    test: Test | None = None
    child: int = LEAF


@dataclass
class GrownTree:
    """Nodes in the order in which they were made, and the rows leaf by leaf."""

    nodes: list[Node] = field(default_factory=list)
    rows: Codes = field(default_factory=lambda: np.zeros(0, np.int32))

    @property
    def leaves(self) -> list[Node]:
        """The leaves."""
        return [node for node in self.nodes if node.test is None or node.child == LEAF]


class TreeGrower:
    """Grows a tree on rows whose lanes are in the given units."""

    def __init__(self, binned: BinnedColumns, rows: LeafRows, units: Units, rules: GrowthRules) -> None:
        self.binned, self.rows, self.units, self.rules = binned, rows, units, rules
        self.offsets, self.n_features = binned.offsets, len(binned.attributes)
        self.is_bounded, self.all_ordered = rules.is_bounded, bool(binned.ordered.all())

    def grow(self, allowed: Callable[[int], npt.NDArray[np.bool_]]) -> GrownTree:
        """The tree; allowed(node) are the features that may be tested at a node."""
        rows, most = self.rows, self.rules.max_leaf_nodes or np.inf
        sums = rows.sums(0, len(rows.rows))
        grown = GrownTree([Node(0, 0, len(rows.rows), 0, rows.total(sums), sums=sums)], rows.rows)
        waiting: list[tuple[float, int]] = []
        self._consider(grown.nodes, waiting, allowed)
        n_leaves = 1
        while waiting and n_leaves < most:
            node = grown.nodes[heappop(waiting)[1]]
            n_leaves += 1
            children = self._split(node, len(grown.nodes), n_leaves < most)
            grown.nodes += children
            self._consider(children, waiting, allowed)
        for node in grown.nodes:
            rows.release(node.sums)
            node.sums = None
        return grown

    def _consider(self, nodes: list[Node], waiting: list[tuple[float, int]], allowed: Callable) -> None:
        """Look for tests of new leaves, which then wait for their turn."""
        rows = self.rows
        for node in nodes:
            if node.sums is not None and self._may_split(node):
                node.test = self._best_test(node, node.sums, allowed(node.number))
            if node.test is None:
                rows.release(node.sums)
                node.sums = None
            else:
                heappush(waiting, (-node.test.gain, node.number))

    def _may_split(self, node: Node) -> bool:
        rules = self.rules
        deep = rules.max_depth is not None and node.depth >= rules.max_depth
        return not deep and float(node.total[WEIGHT]) * self.units.weight >= 2.0 * rules.least_weight

    def _split(self, node: Node, number: int, counts: bool) -> list[Node]:
        """Send the rows of a node down its test; `counts` says whether the branches may be tested in turn."""
        test, rows = node.test, self.rows
        assert test is not None  # noqa: S101  (only nodes with tests wait)
        middle = rows.part(node.start, node.stop, test.feature, test.branches)
        totals = test.first, node.total - test.first
        bounds = self._bounds_below(node, test)
        node.child, depth = number, node.depth + 1
        stretches = (node.start, middle), (middle, node.stop)
        pair = [
            Node(number + b, *stretches[b], depth, totals[b], *bounds[b])
            for b in range(2)
        ]  # fmt: skip
        whole, node.sums = node.sums, None
        if counts and any(self._may_split(child) for child in pair) and whole is not None:
            small, large = sorted(pair, key=lambda child: child.stop - child.start)
            small.sums = rows.sums(small.start, small.stop)
            large.sums = np.subtract(whole, small.sums, out=whole)
        else:
            rows.release(whole)
        return pair

    # --- tests -------------------------------------------------------------------------------------------------

    def _limits(self, node: Node) -> Floats:
        """What limits a test, in units of the sums."""
        rules, units = self.rules, self.units
        l2 = rules.l2 / units.hessian
        smoothing = SMOOTHING / units.weight * float(node.total[HESSIAN]) / max(float(node.total[WEIGHT]), 1.0)
        per_value = units.hessian / units.gradient
        return np.array(
            [
                l2,
                l2 + smoothing,
                max(rules.least_weight / units.weight, 1.0),
                max(rules.least_hessian / units.hessian, 1.0),
                max(LEAST_CATEGORY / units.weight, 1.0),
                node.low * per_value,
                node.high * per_value,
            ]
        )

    def _best_test(self, node: Node, sums: Sums, allowed: npt.NDArray[np.bool_]) -> Test | None:
        from novacula.ensemble.boosting._kernels import find_tests

        n, workers = self.n_features, self.rows.pool.workers
        limits, signs = self._limits(node), self.rules.signs
        found, left = np.empty((n, 3)), np.empty((n, 3), np.int64)
        order = np.empty(0 if self.all_ordered else len(sums), np.int32)

        def find(features: tuple[int, int]) -> None:
            find_tests(
                sums, self.offsets, self.binned.ordered, allowed, signs, node.total, limits, self.is_bounded,
                *features, found, left, order,
            )  # fmt: skip

        if len(sums) < WIDE:
            find((0, n))
        else:
            self.rows.pool.each(find, stretches(0, n, workers))
        gain = found[:, GAIN]
        best = gain.max(initial=-1.0)
        if not best > 0.0:
            return None
        feature = int(np.argmax(gain >= best * (1.0 - NOISE)))
        return self._test(node, sums, feature, found[feature], left[feature], order, limits)

    def _test(
        self, node: Node, sums: Sums, f: int, found: Floats, left: Integers, order: Codes, limits: Floats
    ) -> Test:
        """A test in full: branch 0 never has the missing values of a test by category."""
        start, size = int(self.offsets[f]), int(self.binned.sizes[f])
        cut, side = int(found[CUT]), int(found[SIDE])
        gain = 0.5 * float(found[GAIN]) * self.units.gain
        weights, weight = sums[start : start + size + 1, WEIGHT], int(node.total[WEIGHT])
        branches = np.ones(size + 1, np.uint8)
        if self.binned.ordered[f]:
            branches[: cut + 1] = 0
            missing = side if weights[-1] > 0 else int(2 * left[WEIGHT] < weight)
            branches[-1] = missing
            edges = self.binned.edges[f]
            threshold = float(edges[cut]) if cut < len(edges) else ALWAYS
            return Test(gain, f, threshold, np.zeros(0, np.int32), missing, branches, left, self.rules.l2)
        listed = int((weights[:-1] >= limits[4]).sum())
        arranged = order[start : start + listed]
        rest = weight - int(weights[arranged].sum())
        turned = side == 0 if rest > 0 else 2 * left[WEIGHT] > weight
        codes = np.sort(arranged[cut + 1 :] if turned else arranged[: cut + 1])
        branches[codes] = 0
        first = node.total - left if turned else left
        l2 = float(limits[1]) * self.units.hessian
        return Test(gain, f, np.nan, codes.astype(np.int32), 1, branches, first, l2)

    # --- answers -----------------------------------------------------------------------------------------------

    def answer(self, node: Node) -> float:
        """The Newton step of a node, within its bounds."""
        return self._step(node.total, node.low, node.high, self.rules.l2)

    def _step(self, total: Integers, low: float, high: float, l2: float) -> float:
        slope = float(total[HESSIAN]) * self.units.hessian + l2
        step = -float(total[GRADIENT]) * self.units.gradient / slope if slope > 0.0 else 0.0
        longest = self.rules.longest_step
        return min(max(step, low, -longest), high, longest)

    def _bounds_below(self, node: Node, test: Test) -> list[tuple[float, float]]:
        """What the branches may answer: of a monotone column, not beyond the middle between both."""
        sign = int(self.rules.signs[test.feature])
        if not sign:
            return [(node.low, node.high)] * 2
        totals = test.first, node.total - test.first
        answers = [self._step(total, node.low, node.high, self.rules.l2) for total in totals]
        middle = 0.5 * (answers[0] + answers[1])
        below, above = (node.low, middle), (middle, node.high)
        return [below, above] if sign > 0 else [above, below]
