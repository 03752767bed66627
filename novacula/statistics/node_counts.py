"""What the codes of each column hold at several nodes of a tree at once: class weights, or sums of numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from novacula.state import State, floats
from novacula.statistics.base import Statistic, require_same_layout
from novacula.table.chunk import Floats


@dataclass(frozen=True, slots=True, eq=False)
class NodeCounts(Statistic):
    """Weight per node, code and class: S·K·(Σc + C) numbers for S nodes and C columns of c codes.

    Columns lie side by side. Missing codes are counted apart. How rows come to nodes is the tree's to say, so it is the
    tree that observes.
    """

    state: ClassVar[State] = {
        "counts": floats("nodes", "codes", "classes", least=0.0),
        "missing": floats("nodes", "columns", "classes", least=0.0),
    }

    counts: Floats  # (S, Σc, K)
    missing: Floats  # (S, C, K)

    @classmethod
    def zero(cls, n_nodes: int, n_codes: int, n_columns: int, n_classes: int) -> Self:
        """No rows."""
        return cls(np.zeros((n_nodes, n_codes, n_classes)), np.zeros((n_nodes, n_columns, n_classes)))

    def __add__(self, other: Self) -> Self:
        require_same_layout(
            self, (*self.counts.shape, *self.missing.shape), (*other.counts.shape, *other.missing.shape)
        )
        return type(self)(self.counts + other.counts, self.missing + other.missing)


@dataclass(frozen=True, slots=True, eq=False)
class NodeSums(Statistic):
    """Weight, sum and sum of squares per node and code: 3 S (Σc + C) numbers for S nodes and C columns of c codes.

    Sums are of deviations from a point of each node, which lies near its mean, so that little of them cancels.
    """

    state: ClassVar[State] = {
        "counts": floats("nodes", "codes", 3),
        "missing": floats("nodes", "columns", 3),
    }

    counts: Floats  # (S, Σc, 3)
    missing: Floats  # (S, C, 3)

    @classmethod
    def zero(cls, n_nodes: int, n_codes: int, n_columns: int) -> Self:
        """No rows."""
        return cls(np.zeros((n_nodes, n_codes, 3)), np.zeros((n_nodes, n_columns, 3)))

    def __add__(self, other: Self) -> Self:
        require_same_layout(
            self, (*self.counts.shape, *self.missing.shape), (*other.counts.shape, *other.missing.shape)
        )
        return type(self)(self.counts + other.counts, self.missing + other.missing)
