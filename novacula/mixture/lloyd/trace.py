"""What a fit of k-means keeps for its derivation: the way of the centres, first rows, and sums of the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from novacula.learner.em.path import flat_path
from novacula.learner.first_rows import FirstRows
from novacula.learner.trace import FitPath
from novacula.mixture.lloyd.assignment import Centres, Space
from novacula.mixture.lloyd.descent import LloydResult, Position
from novacula.mixture.lloyd.sums import ClusterSums
from novacula.state import State, nullable, record
from novacula.table import Table
from novacula.table.chunk import Chunk, Floats


@dataclass(frozen=True, eq=False)
class LloydTrace:
    """The way of the centres: up to 25 states of K·d numbers, up to 20 rows, and K(d + 2) sums for each state."""

    state: ClassVar[State] = {
        "rows": record(FirstRows, columns="columns"),
        "path": record(FitPath),
        "others": nullable(record(FitPath)),
    }

    rows: FirstRows
    path: FitPath  # centres
    others: (
        FitPath | None
    )  # n, Σ(x − origin) and Σ‖x − c‖² of rows that are not kept, or that a cluster without rows has taken

    @classmethod
    def of(cls, table: Table, best: LloydResult, space: Space) -> Self:
        """Keep the way to a result."""
        rows = FirstRows.of(table)
        path = flat_path(best.path, lambda position: space.origin + position.offset)
        if rows.is_all and not best.reseeded:
            return cls(rows, path, None)
        first = rows.chunk()
        return cls(rows, path, flat_path(best.path, lambda position: _sums_of_others(position, first, space)))

    def sums_of_others(self, iteration: int, shape: tuple[int, int]) -> ClusterSums:
        """What the other rows add to the step that led to an iteration."""
        k, d = shape
        if self.others is None:
            return ClusterSums.zero(k, d)
        numbers = self.others.at(iteration, (k * (d + 2),))
        return ClusterSums(numbers[:k], numbers[k:-k].reshape(k, d), numbers[-k:])


def _sums_of_others(position: Position, first: Chunk, space: Space) -> Floats:
    k, d = position.offset.shape
    if position.sums is None or position.before is None:
        return np.zeros(k * (d + 2))
    own = ClusterSums.observe(first, Centres.of(space, position.before))
    found = position.sums
    return np.concatenate([found.weight - own.weight, (found.total - own.total).ravel(), found.inertia - own.inertia])
