"""Growth from files and clusters: one pass over the rows per level, which counts codes by node and class.

Numeric columns are cut into bins beforehand, by a sketch of their quantiles. Rows find their node by going down the
tree so far, so that nothing is kept of them between passes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from novacula.statistics import NodeCounts
from novacula.statistics.base import class_codes
from novacula.statistics.histogram import bin_codes
from novacula.statistics.quantiles import Bins
from novacula.table import Chunk, Table
from novacula.table.chunk import Codes, Floats
from novacula.tree.attributes import Attribute
from novacula.tree.growing.problem import Assembly, Candidates, Features, Rules, single_leaf
from novacula.tree.growing.record import Record
from novacula.tree.routing import Router
from novacula.tree.structure import ClassTree

PASS_BYTES = 1 << 28
"""What the counts of one pass may take; a level with more nodes takes several passes."""


@dataclass(frozen=True)
class CodedColumns:
    """What is counted: the attributes' codes, then the bins of numeric columns."""

    attributes: tuple[Attribute, ...]
    cut_places: tuple[int, ...]
    bins: tuple[Bins, ...]
    features: Features

    def codes(self, chunk: Chunk, codes: Codes) -> Codes:
        """The columns of codes of a chunk, given those of its attributes."""
        binned = bin_codes(np.ascontiguousarray(chunk.numeric[:, self.features.columns]), [b.edges for b in self.bins])
        return np.ascontiguousarray(np.hstack([codes, binned]))


def observe_level(
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


def grow_by_levels(
    table: Table, columns: CodedColumns, total: Floats, class_weight: Floats, rules: Rules
) -> tuple[ClassTree, Candidates]:
    """The tree, and what was found for each attribute at its first nodes; total (K,) are the class weights."""
    from novacula.tree.growing._kernels.drivers import split

    n_classes, features = len(total), columns.features
    assembly, record = Assembly(), Record(n_classes)
    settings = rules.settings(n_classes, features.max_branches, np.zeros(0))
    no_rows = np.zeros(0, np.int32), np.zeros((0, 0), np.int32), np.zeros((0, 0)), np.zeros(0, np.int64)
    data = features.data(*no_rows)
    assembly.add(0, *single_leaf(total))
    level = [(0, total)] if rules.may_split(total, 0) else []
    depth = 0
    while level:
        recorded = record.takes(len(level))
        tree = assembly.tree(n_classes)
        router = Router(tree, columns.attributes, columns.cut_places, rules.strategy.is_fractional)
        following = []
        for batch in _batches(level, features, n_classes):
            slot_of = np.full(len(tree), -1, np.int32)
            slot_of[[node for node, _ in batch]] = np.arange(len(batch))
            node_counts = table.reduce(observe_level, router, slot_of, len(batch), columns, class_weight)
            for (node, weights), counts, missing in zip(batch, node_counts.counts, node_counts.missing, strict=True):
                *part, candidates = split(counts, missing, depth, weights, data, settings)
                first = assembly.add(node, *part)
                if recorded:
                    record.add(node, candidates, counts)
                children = ((first + b, held) for b, held in enumerate(part[2][1:]))
                following += [(child, held) for child, held in children if rules.may_split(held, depth + 1)]
        level, depth = following, depth + 1
    return assembly.tree(n_classes), record.candidates(features)


def _batches(level: Sequence[Any], features: Features, n_classes: int) -> Iterator[Sequence[Any]]:
    """The nodes of a level in lots whose counts fit into a pass."""
    cells = int(features.offsets[-1]) + len(features.offsets)
    size = max(1, PASS_BYTES // (8 * cells * n_classes))
    for start in range(0, len(level), size):
        yield level[start : start + size]
