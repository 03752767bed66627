"""What differs between trees for classes and trees for numbers, as growing goes: what a node knows, and the kernels.

classes    the weight of each class (K,)
numbers    weight, mean and squared deviations (3,)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol

import numpy as np

from novacula.statistics import NodeCounts, NodeSums
from novacula.statistics.base import class_codes, weighted_counts
from novacula.table import Chunk, Table
from novacula.table.chunk import Codes, Floats
from novacula.tree.constants import MEAN, NOISE, PURE, SQUARES, WEIGHT
from novacula.tree.growing._kernels.arguments import GrowthSettings
from novacula.tree.growing.coded_columns import CodedColumns
from novacula.tree.growing.problem import Features, Rules
from novacula.tree.growing.record import ClassRecord, DeviationRecord, NumberRecord, Record
from novacula.tree.growing.target_scale import TargetScale
from novacula.tree.routing import Router
from novacula.tree.structure import ClassTree, NumberTree, Tree


class GrowthKind(Protocol):
    """A kind of target."""

    lists_targets: ClassVar[bool]
    """Whether growth needs the rows in the order of their targets too."""

    def examples(self, chunk: Chunk) -> tuple[Any, Floats]:
        """The target and the weight (n,) of rows, as the kernels take them."""

    def no_examples(self) -> Any:
        """The targets (0,) of no rows."""

    def total(self, y: Any, weight: Floats) -> Floats:
        """What a node of these examples knows."""

    def settings(self, rules: Rules, features: Features, n_whole: int) -> GrowthSettings:
        """The rules as the kernels take them; n_whole is the number of rows if each counts once, else 0."""

    def may_split(self, rules: Rules, total: Floats, depth: int) -> bool:
        """Whether a node that knows this is tested."""

    def tree(self, *arrays: Any) -> Tree:
        """A tree of its tests, and of what its nodes know."""

    def record(self) -> Record:
        """An empty record."""

    def grow(self, *arguments: Any) -> Any:
        """Grow a subtree from rows: see `drivers.grow`."""

    def split(self, *arguments: Any) -> tuple[Any, Any, Floats]:
        """Split a node of which counts are known: its part of the tree, the candidates, and what its codes hold."""

    def count(
        self, table: Table, router: Router, slot_of: Codes, totals: Sequence[Floats], columns: CodedColumns
    ) -> NodeCounts | NodeSums:
        """What the codes hold at the nodes that have a slot, in one pass; totals are what those nodes know."""


@dataclass(frozen=True, eq=False)
class ClassKind:
    """Classes, with their weights (K,)."""

    lists_targets: ClassVar[bool] = False

    class_weight: Floats

    def examples(self, chunk: Chunk) -> tuple[Codes, Floats]:
        """The classes of rows, and the weights that include those of their classes."""
        y: Codes = chunk.target  # type: ignore[assignment]
        return y, chunk.weight if (self.class_weight == 1.0).all() else chunk.weight * self.class_weight[y]

    def no_examples(self) -> Codes:
        """The classes of no rows."""
        return np.zeros(0, np.int32)

    def total(self, y: Codes, weight: Floats) -> Floats:
        """The weight of each class."""
        return weighted_counts(y, weight, len(self.class_weight))

    def settings(self, rules: Rules, features: Features, n_whole: int) -> GrowthSettings:
        """With critical values of χ² by degrees of freedom, and logarithms of whole numbers."""
        critical = np.zeros(0)
        if rules.chi2_alpha is not None:
            from scipy.stats import chi2

            degrees = np.arange(1, max(features.max_branches, 2) * len(self.class_weight) + 1)
            critical = np.concatenate([[0.0], chi2.isf(rules.chi2_alpha, degrees)])
        return rules.settings(critical, whole_logs(n_whole))

    def may_split(self, rules: Rules, total: Floats, depth: int) -> bool:
        """Two classes or more, not too deep, not too light."""
        return int((total > 0).sum()) > 1 and rules.may_test(float(total.sum()), depth)

    def tree(self, *arrays: Any) -> ClassTree:
        """A tree of class weights."""
        return ClassTree(*arrays)

    def record(self) -> ClassRecord:
        """An empty record."""
        return ClassRecord(len(self.class_weight))

    def grow(self, *arguments: Any) -> Any:
        """Grow a subtree from rows."""
        from novacula.tree.growing._kernels.drivers import grow

        return grow(*arguments)

    def split(self, counts: Floats, missing: Floats, *arguments: Any) -> tuple[Any, Any, Floats]:
        """Split a node by the counts of its codes."""
        from novacula.tree.growing._kernels.drivers import split

        *part, candidates = split(counts, missing, *arguments)
        return part, candidates, counts

    def count(
        self, table: Table, router: Router, slot_of: Codes, totals: Sequence[Floats], columns: CodedColumns
    ) -> NodeCounts:
        """Class weights of codes."""
        return table.reduce(count_level, router, slot_of, len(totals), columns, self.class_weight)


@dataclass(frozen=True, eq=False)
class NumberKind:
    """Numbers, on a scale of their own."""

    lists_targets: ClassVar[bool] = False

    scale: TargetScale

    def examples(self, chunk: Chunk) -> tuple[Floats, Floats]:
        """The targets on the scale, and the weights."""
        return self.scale.scaled(chunk), chunk.weight

    def no_examples(self) -> Floats:
        """The targets of no rows."""
        return np.zeros(0)

    def total(self, y: Floats, weight: Floats) -> Floats:
        """Weight, mean and squares."""
        whole = float(weight.sum())
        mean = float(weight @ y) / whole
        gap = y - mean
        return np.array([whole, mean, float(weight @ (gap * gap))])

    def settings(self, rules: Rules, features: Features, n_whole: int) -> GrowthSettings:
        """With the least gain on the scale."""
        return replace(rules, min_gain=rules.min_gain / self.scale.unit / self.scale.unit).settings()

    def may_split(self, rules: Rules, total: Floats, depth: int) -> bool:
        """Numbers that differ, not too deep, not too light."""
        return bool(total[SQUARES] > PURE * total[WEIGHT]) and rules.may_test(float(total[WEIGHT]), depth)

    def tree(self, *arrays: Any) -> NumberTree:
        """A tree of means and squares in the units of the target."""
        return self.scale.tree(*arrays)

    def record(self) -> Record:
        """An empty record."""
        return NumberRecord(self.scale)

    def grow(self, *arguments: Any) -> Any:
        """Grow a subtree from rows."""
        from novacula.tree.growing._kernels.number_drivers import grow_numbers

        return grow_numbers(*arguments)

    def split(self, *arguments: Any) -> tuple[Any, Any, Floats]:
        """Split a node by the sums of its codes."""
        from novacula.tree.growing._kernels.number_drivers import split_numbers

        *part, candidates, table = split_numbers(*arguments)
        return part, candidates, table

    def count(
        self, table: Table, router: Router, slot_of: Codes, totals: Sequence[Floats], columns: CodedColumns
    ) -> NodeSums:
        """Weights, sums and squares of codes, about the mean of their node."""
        centres = np.array([total[MEAN] for total in totals])
        return table.reduce(sum_level, router, slot_of, centres, columns, self.scale)


@dataclass(frozen=True, eq=False)
class DeviationKind(NumberKind):
    """Numbers whose absolute deviations from medians are compared, which takes the rows themselves."""

    lists_targets: ClassVar[bool] = True

    def total(self, y: Floats, weight: Floats) -> Floats:
        """Weight, median and deviations."""
        order = np.argsort(y, kind="stable")
        upto = np.cumsum(weight[order])
        half = 0.5 * upto[-1]
        low = np.searchsorted(upto, half * (1.0 - NOISE))
        high = min(int(np.searchsorted(upto, half * (1.0 + NOISE), side="right")), len(y) - 1)
        median = 0.5 * y[order[low]] + 0.5 * y[order[high]]
        return np.array([upto[-1], median, float(weight @ np.abs(y - median))])

    def settings(self, rules: Rules, features: Features, n_whole: int) -> GrowthSettings:
        """With the least gain on the scale."""
        return replace(rules, min_gain=rules.min_gain / self.scale.unit).settings()

    def tree(self, *arrays: Any) -> NumberTree:
        """A tree of medians and deviations in the units of the target."""
        return self.scale.tree(*arrays, absolute=True)

    def record(self) -> DeviationRecord:
        """An empty record."""
        return DeviationRecord(self.scale)


def count_level(
    chunk: Chunk, router: Router, slot_of: Codes, n_slots: int, columns: CodedColumns, class_weight: Floats
) -> NodeCounts:
    """Count the codes of the rows that reach the nodes with a slot."""
    from novacula.tree._kernels import count_nodes

    offsets = columns.features.offsets
    node_counts = NodeCounts.zero(n_slots, int(offsets[-1]), len(offsets) - 1, len(class_weight))
    y, routes = class_codes(chunk, len(class_weight)), router.route(chunk)
    codes, weight = columns.codes(chunk, router.codes(chunk)), chunk.weight * class_weight[y]
    slots = slot_of[routes.node]
    count_nodes(codes, y, weight, routes.row, slots, routes.share, offsets, node_counts.counts, node_counts.missing)
    return node_counts


def sum_level(
    chunk: Chunk, router: Router, slot_of: Codes, centres: Floats, columns: CodedColumns, scale: TargetScale
) -> NodeSums:
    """Sum the targets by code over the rows that reach the nodes with a slot, about the centre of each node."""
    from novacula.tree._kernels import sum_nodes

    offsets = columns.features.offsets
    sums = NodeSums.zero(len(centres), int(offsets[-1]), len(offsets) - 1)
    y, routes = scale.scaled(chunk), router.route(chunk)
    codes, slots = columns.codes(chunk, router.codes(chunk)), slot_of[routes.node]
    sum_nodes(codes, y, chunk.weight, routes.row, slots, routes.share, centres, offsets, sums.counts, sums.missing)
    return sums


def whole_logs(n: int) -> Floats:
    """i · log2 i for i up to n; empty where n is 0."""
    if n == 0:
        return np.zeros(0)
    counts = np.arange(n + 1, dtype=np.float64)
    return counts * np.log2(counts, out=np.zeros(n + 1), where=counts > 0)
