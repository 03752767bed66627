"""Takes what is found at the first nodes of a tree: whole levels, as long as they are few nodes."""

from __future__ import annotations

from typing import Any

import numpy as np

from novacula.table.chunk import Floats
from novacula.tree.constants import ORDERED, WEIGHT
from novacula.tree.growing.candidates import (
    Candidates,
    ClassCandidates,
    DeviationCandidates,
    NumberCandidates,
)
from novacula.tree.growing.problem import Features
from novacula.tree.growing.target_scale import TargetScale

RECORDED = 40
"""Nodes of which every candidate is kept, at most."""


class Record:
    """Takes the candidates of nodes, level by level."""

    def __init__(self) -> None:
        self.n_nodes = 0
        self.entries: list[tuple[int, Floats, Floats, Floats]] = []

    def takes(self, nodes: int) -> bool:
        """Whether a level with this many nodes is still kept."""
        self.n_nodes += nodes
        return self.n_nodes <= RECORDED

    def add(self, node: int, candidates: Any, table: Any, total: Any) -> None:
        """Keep what was found at a node: candidates (F, ·), what its codes hold (c, K), and what it holds (K,)."""
        self.entries.append((node, candidates, table, total))

    def candidates(self, features: Features) -> Candidates:
        """All of it; the codes are those of attributes, without bins."""
        raise NotImplementedError  # of a kind of target

    def _stacked(self, features: Features, width: int, n_columns: int) -> tuple[Any, Floats, Floats, Floats]:
        """Nodes (r,), candidates (r, F, width), cells (r, c, columns) and totals (r, columns)."""
        cells = int(np.diff(features.offsets)[: self._nominal(features)].sum())
        if not self.entries:
            shapes = (len(features.kind), width), (cells, n_columns), (n_columns,)
            nothing = [np.zeros((0, *shape)) for shape in shapes]
            return np.zeros(0, np.int64), nothing[0], nothing[1], nothing[2]
        nodes, candidates, tables, totals = zip(*self.entries, strict=True)
        held = np.stack([table[:cells] for table in tables])
        return np.array(nodes, np.int64), np.stack(candidates), held, np.stack(totals)

    @staticmethod
    def _nominal(features: Features) -> int:
        """Columns of codes that are not bins."""
        return len(features.offsets) - 1 - int((features.kind == ORDERED).sum())


class ClassRecord(Record):
    """Of nodes of K classes."""

    def __init__(self, n_classes: int) -> None:
        super().__init__()
        self.n_classes = n_classes

    def candidates(self, features: Features) -> ClassCandidates:
        """All of it, with class weights."""
        K = self.n_classes
        nodes, entries, tables, _ = self._stacked(features, 4 + 2 * K, K)
        places = (0, 1, 2, slice(3, 3 + K), slice(3 + K, 3 + 2 * K), 3 + 2 * K)
        columns: list[Any] = [nodes, *(np.ascontiguousarray(entries[:, :, place]) for place in places), tables]
        return ClassCandidates(*columns)


class NumberRecord(Record):
    """Of nodes of numbers, which were learned on a scale of their own."""

    def __init__(self, scale: TargetScale) -> None:
        super().__init__()
        self.scale = scale

    def candidates(self, features: Features) -> NumberCandidates:
        """All of it, with weights and means."""
        nodes, entries, tables, totals = self._stacked(features, 6, 3)
        own = totals[:, 1, None]
        gain = np.where(entries[:, :, 0] < 0.0, -1.0, self.scale.squares(entries[:, :, 0]))
        return NumberCandidates(
            nodes,
            gain,
            np.ascontiguousarray(entries[:, :, 1]),
            self._means(entries[:, :, 2:4], own),
            self._means(entries[:, :, 4:6], own),
            self._means(tables[:, :, :2], own),
        )

    def _means(self, sums: Floats, own: Floats) -> Floats:
        """Weight and sum about a node's mean (…, 2) as weight and mean; 0 where there is no weight."""
        weight = sums[..., WEIGHT]
        means = self.scale.original(own + np.divide(sums[..., 1], weight, out=np.zeros_like(weight), where=weight > 0))
        return np.stack([weight, np.where(weight > 0.0, means, 0.0)], axis=-1)


class DeviationRecord(Record):
    """Of nodes of numbers whose absolute deviations are compared."""

    def __init__(self, scale: TargetScale) -> None:
        super().__init__()
        self.scale = scale

    def candidates(self, features: Features) -> DeviationCandidates:
        """All of it, with deviations in the units of the target."""
        nodes, entries, tables, _ = self._stacked(features, 6, 3)
        branch = tables[:, :, 2].astype(np.int64) - 1
        return DeviationCandidates(
            nodes,
            np.where(entries[:, :, 0] < 0.0, -1.0, self.scale.lengths(entries[:, :, 0])),
            np.ascontiguousarray(entries[:, :, 1]),
            self.scale.lengths(entries[:, :, 4]),
            self.scale.lengths(entries[:, :, 2:4]),
            np.where(branch >= 0, self.scale.lengths(tables[:, :, 1]), 0.0),
            branch,
        )
