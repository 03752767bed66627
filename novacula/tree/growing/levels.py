"""Growth from files and clusters: one pass over the rows per level, which counts codes by node.

Numeric columns are cut into bins beforehand, by a sketch of their quantiles. Rows find their node by going down the
tree so far, so that nothing is kept of them between passes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from novacula.table import Table
from novacula.table.chunk import Floats
from novacula.tree.growing.candidates import Candidates
from novacula.tree.growing.coded_columns import CodedColumns
from novacula.tree.growing.kinds import GrowthKind
from novacula.tree.growing.problem import Assembly, Features, Rules
from novacula.tree.routing import Router
from novacula.tree.structure import Tree

PASS_BYTES = 1 << 28
"""What the counts of one pass may take; a level with more nodes takes several passes."""


def grow_by_levels(
    table: Table, columns: CodedColumns, total: Floats, kind: GrowthKind, rules: Rules
) -> tuple[Tree, Candidates]:
    """The tree, and what was found for each attribute at its first nodes; total (K,) is what the root knows."""
    features = columns.features
    assembly, record = Assembly(total), kind.record()
    settings = kind.settings(rules, features, 0)
    data = features.data(kind.no_examples(), np.zeros((0, 0), np.int32), np.zeros((0, 0)), np.zeros(0, np.int64))
    level = [(0, total)] if kind.may_split(rules, total, 0) else []
    depth = 0
    while level:
        recorded = record.takes(len(level))
        tree = assembly.tree(kind.tree)
        router = Router(tree, columns.attributes, columns.cut_places, rules.strategy.is_fractional)
        following = []
        for batch in _batches(level, features, len(total)):
            slot_of = np.full(len(tree), -1, np.int32)
            slot_of[[node for node, _ in batch]] = np.arange(len(batch))
            counted = kind.count(table, router, slot_of, [held for _, held in batch], columns)
            for (node, known), counts, missing in zip(batch, counted.counts, counted.missing, strict=True):
                part, candidates, held = kind.split(counts, missing, depth, known, data, settings)
                first = assembly.add(node, *part)
                if recorded:
                    record.add(node, candidates, held, part[2][0])
                children = ((first + b, row) for b, row in enumerate(part[2][1:]))
                following += [(child, row) for child, row in children if kind.may_split(rules, row, depth + 1)]
        level, depth = following, depth + 1
    return assembly.tree(kind.tree), record.candidates(features)


def _batches(level: Sequence[Any], features: Features, width: int) -> Iterator[Sequence[Any]]:
    """The nodes of a level in lots whose counts fit into a pass."""
    cells = int(features.offsets[-1]) + len(features.offsets)
    size = max(1, PASS_BYTES // (8 * cells * width))
    for start in range(0, len(level), size):
        yield level[start : start + size]
