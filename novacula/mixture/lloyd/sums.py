"""What Lloyd's step needs to know of the rows: weight, sum and inertia of each cluster."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from novacula.mixture.lloyd.assignment import Assignment, Centres, Space
from novacula.state import State, floats
from novacula.statistics.base import Statistic, require_same_layout
from novacula.table.chunk import Chunk, Floats
from novacula.table.row_keys import row_keys


@dataclass(frozen=True, slots=True, eq=False)
class ClusterSums(Statistic):
    """n = Σw, Σw(x − origin) and Σw‖x − c‖² of each cluster: K(d + 2) numbers, for any number of rows."""

    state: ClassVar[State] = {
        "weight": floats("clusters", least=0.0),
        "total": floats("clusters", "columns"),
        "inertia": floats("clusters", least=0.0),
    }

    weight: Floats  # (K,)
    total: Floats  # (K, d)
    inertia: Floats  # (K,)

    @classmethod
    def zero(cls, n_clusters: int, n_columns: int) -> Self:
        """No rows."""
        return cls(np.zeros(n_clusters), np.zeros((n_clusters, n_columns)), np.zeros(n_clusters))

    @classmethod
    def observe(cls, chunk: Chunk, centres: Centres) -> Self:
        """Each row with its nearest centre."""
        x = centres.space.offsets(chunk.numeric)
        seen = cls.zero(*centres.offset.shape)
        seen.add_rows(x, chunk.weight, Assignment.of(x, centres))
        return seen

    @classmethod
    def observe_partition(cls, chunk: Chunk, space: Space, n_clusters: int, seed: int) -> Self:
        """Each row in a cluster drawn by what it holds; the inertia is that around the origin."""
        label = (row_keys(chunk, seed) % np.uint64(n_clusters)).astype(np.int32)
        sums = cls.zero(n_clusters, chunk.numeric.shape[1])
        x = space.offsets(chunk.numeric)
        assignment = replace(Assignment.empty(len(chunk)), label=label, square=np.einsum("ij,ij->i", x, x))
        sums.add_rows(x, chunk.weight, assignment)
        return sums

    def add_rows(self, x: Floats, weight: Floats, assignment: Assignment) -> None:
        """Take up rows x (n, d) where they were found, in place: for who observes a chunk, piece by piece."""
        from novacula.mixture.lloyd._kernels import add_rows

        add_rows(x, weight, assignment.label, assignment.square, self.weight, self.total, self.inertia)

    def __add__(self, other: Self) -> Self:
        require_same_layout(self, self.total.shape, other.total.shape)
        return type(self)(self.weight + other.weight, self.total + other.total, self.inertia + other.inertia)

    def means(self) -> Floats:
        """The mean of each cluster, as an offset from the origin; the origin for a cluster without rows."""
        held = np.where(self.weight > 0.0, self.weight, 1.0)
        return np.asarray(self.total / held[:, None])
