"""What was found at the first nodes of a tree, kept for its derivation: whole levels, as long as they are few nodes."""

from __future__ import annotations

from typing import Any

import numpy as np

from novacula.tree.constants import ORDERED
from novacula.tree.growing.problem import Candidates, Features

RECORDED = 40
"""Nodes of which every candidate is kept, at most."""


class Record:
    """Takes the candidates of nodes, level by level."""

    def __init__(self, n_classes: int) -> None:
        self.n_classes = n_classes
        self.n_nodes = 0
        self.entries: list[tuple[int, Any, Any]] = []

    def takes(self, nodes: int) -> bool:
        """Whether a level with this many nodes is still kept."""
        self.n_nodes += nodes
        return self.n_nodes <= RECORDED

    def add(self, node: int, candidates: Any, table: Any) -> None:
        """Keep what was found at a node: candidates (F, 4 + 2K), and the counts of its codes (c, K)."""
        self.entries.append((node, candidates, table))

    def candidates(self, features: Features) -> Candidates:
        """All of it; the counts are those of attributes' codes, without bins."""
        K, F = self.n_classes, len(features.kind)
        cells = int(np.diff(features.offsets)[: self._nominal(features)].sum())
        entries = np.stack([entry for _, entry, _ in self.entries]) if self.entries else np.zeros((0, F, 4 + 2 * K))
        tables = [table[:cells] for _, _, table in self.entries]
        return Candidates(
            np.array([node for node, _, _ in self.entries], np.int64),
            np.ascontiguousarray(entries[:, :, 0]),
            np.ascontiguousarray(entries[:, :, 1]),
            np.ascontiguousarray(entries[:, :, 2]),
            np.ascontiguousarray(entries[:, :, 3 : 3 + K]),
            np.ascontiguousarray(entries[:, :, 3 + K : 3 + 2 * K]),
            np.ascontiguousarray(entries[:, :, 3 + 2 * K]),
            np.stack(tables) if tables else np.zeros((0, cells, K)),
        )

    @staticmethod
    def _nominal(features: Features) -> int:
        """Columns of codes that are not bins."""
        return len(features.offsets) - 1 - int((features.kind == ORDERED).sum())
