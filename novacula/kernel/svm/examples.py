"""The rows of a fit as the dual problem takes them: with weight, each of them once, and known by their kernel.

A row of weight 2 and two equal rows of weight 1 are the same problem. So equal rows of equal targets become one row
that weighs as much as all of them. And the rows are put into an order of their own, so that the solution, which is
exact up to tol only, does not depend on the order in which they came, unless they are very many.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from scipy.sparse import issparse

from novacula.errors import DataError
from novacula.kernel.algebra import Kernel, Rows
from novacula.kernel.chunk_rows import rows_of
from novacula.kernel.svm.dual import Places
from novacula.kernel.svm.kernel_rows import KernelRows, is_plane
from novacula.learner.trace import FitPath
from novacula.state import State, codes, floats, one_of, record, rows
from novacula.table import Table
from novacula.table.chunk import Floats, without_duplicates
from novacula.table.equal_rows import equal_rows

IN_ORDER = 50_000
"""Rows from which those without copies stay where they are: to move them takes as long as to find a plane."""
FEW = 30
"""Rows up to which a model keeps all of them, to write its problem out."""


@dataclass(frozen=True, eq=False)
class SvmExamples:
    """All n rows of a small fit (n, d), their targets, and the price C of each one's loss (n,)."""

    state: ClassVar[State] = {
        "cost": floats("examples", least=0.0, finite=False),  # infinite for a hard margin
        "rows": one_of(rows("examples"), floats("examples", "examples")),  # the latter of a precomputed kernel
        "target": one_of(codes("examples", below="classes"), floats("examples")),
    }

    rows: Rows
    target: Any  # (n,) class numbers, or numbers
    cost: Floats


@dataclass(frozen=True, eq=False)
class SvmTrace:
    """The multipliers of the first machine of a small fit, step by step: at most 25 states of one or two for a row."""

    state: ClassVar[State] = {"path": record(FitPath)}

    path: FitPath  # β of each row in the order of `examples_`; of numbers those above 0, then those below

    @classmethod
    def of(cls, path: FitPath, place: Places) -> Self:
        """From a path whose variables belong to rows of these numbers, once or twice."""
        n, order = len(place), np.argsort(place)
        halves = [path.states[:, start : start + n][:, order] for start in range(0, path.states.shape[1], n)]
        return cls(FitPath(path.iterations, np.hstack(halves)))


@dataclass(frozen=True, eq=False)
class SvmSample:
    """n different rows with targets and weights, and the number under which each came first."""

    rows: KernelRows
    target: Any  # (n,)
    weight: Floats  # (n,)
    place: Places  # (n,)
    names: list[str]

    @classmethod
    def of(cls, table: Table, kernel: Kernel) -> Self:
        """The rows of a table that count; of a precomputed kernel they are rows and columns of its matrix."""
        chunk = table.to_chunk()
        place = np.flatnonzero(chunk.weight > 0.0)
        rows, weighted, names = rows_of(chunk), chunk.counted(), table.layout.column_names()
        rows = without_duplicates(rows) if issparse(rows) else rows
        target = np.asarray(weighted.target).reshape(len(place))
        if kernel.precomputed:
            if rows.shape[0] != rows.shape[1]:
                raise DataError(f"with a precomputed kernel X is the square Gram matrix, and it has shape {rows.shape}")
            rows = rows[:, place]
        rows = rows[place] if len(place) < len(chunk) else rows
        weight = weighted.weight
        if not kernel.precomputed:
            same = equal_rows(rows, target)
            if len(same) < len(place) or len(place) <= IN_ORDER:
                weight = np.asarray(np.bincount(same.kind, weight, len(same)), np.float64)
                rows, target, place = rows[same.first], target[same.first], place[same.first]
        if not is_plane(kernel):  # which has no words, and may have many rows, which take time to read
            kernel = kernel.resolved(rows, weight=weight, names=None if kernel.precomputed else names)
        return cls(KernelRows.of(kernel, rows), target, weight, place, names)

    def __len__(self) -> int:
        return len(self.place)

    def small(self, cost: Floats) -> SvmExamples | None:
        """Rows, targets and prices in the order in which they came, if they are few."""
        if len(self) > FEW:
            return None
        order = np.argsort(self.place)
        return SvmExamples(self.rows.take(order).rows, self.target[order], cost[order])
