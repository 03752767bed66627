"""Sums of counts per class: what multinomial, Poisson and Bernoulli models need of the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from novacula.errors import ParameterError
from novacula.state import State, floats
from novacula.statistics.base import Statistic, class_codes, require_same_layout, weighted_counts
from novacula.table.chunk import Chunk, Codes, Floats, without_duplicates


@dataclass(frozen=True, slots=True, eq=False)
class ClassTotals(Statistic):
    """Weight per class, sum and known weight per class and column: K + 2Kd + d numbers.

    `total` is Σ w x over the known values and `known` their weight; a value that a sparse row does not store
    is a known zero. `low` is the smallest value of a column, or 0 where none is negative, so that a learner
    of counts can refuse; an infinite value makes its total not finite.

    >>> numbers = np.array([[2.0], [np.nan], [5.0]])
    >>> chunk = Chunk(numbers, np.empty((3, 0), np.int32), weight=np.array([1.0, 1.0, 2.0]))
    >>> totals = ClassTotals.observe_numeric(chunk)
    >>> totals.weight.item(), totals.total.item(), totals.known.item()
    (4.0, 12.0, 3.0)
    """

    state: ClassVar[State] = {
        "weight": floats("classes", least=0.0),
        "total": floats("classes", "columns"),
        "known": floats("classes", "columns", least=0.0),
        "low": floats("columns", finite=False),
    }

    weight: Floats  # (K,), of all rows
    total: Floats  # (K, d)
    known: Floats  # (K, d)
    low: Floats  # (d,)

    @classmethod
    def zero(cls, n_classes: int, n_columns: int) -> Self:
        """No rows."""
        shape = n_classes, n_columns
        return cls(np.zeros(n_classes), np.zeros(shape), np.zeros(shape), np.zeros(n_columns))

    @classmethod
    def observe(cls, chunk: Chunk, n_classes: int = 1, presence: bool = False) -> Self:
        """The totals of the sparse columns; with `presence` the weight of the values that are not 0."""
        rows = chunk.sparse
        if rows is None:
            raise ParameterError("a chunk without sparse columns was given: observe_numeric takes dense ones")
        if presence:
            rows = without_duplicates(rows)
        # Within a chunk positions fit into 32 bits, whichever type SciPy chose: one compiled form serves all.
        places = (part.astype(np.int32, copy=False) for part in (rows.indices, rows.indptr))
        return cls._of_rows(chunk, n_classes, rows.shape[1], presence, rows.data, *places)

    @classmethod
    def observe_numeric(
        cls, chunk: Chunk, n_classes: int = 1, columns: Sequence[int] | None = None, presence: bool = False
    ) -> Self:
        """The totals of these numeric columns, or of all; of no columns, the weight of the classes alone."""
        values = chunk.numeric if columns is None else chunk.numeric[:, list(columns)]
        n, d = values.shape
        if d == 0:
            return replace(cls.zero(n_classes, 0), weight=_class_weights(chunk, n_classes))
        # Dense rows are a CSR matrix that leaves nothing out.
        indices = np.tile(np.arange(d, dtype=np.int32), n)
        indptr = np.arange(n + 1, dtype=np.int32) * np.int32(d)
        return cls._of_rows(chunk, n_classes, d, presence, values.ravel(), indices, indptr)

    @classmethod
    def _of_rows(cls, chunk: Chunk, n_classes: int, width: int, presence: bool, data: Floats, *places: Codes) -> Self:
        from novacula.statistics._kernels import sparse_totals

        code, weight = class_codes(chunk, n_classes), _class_weights(chunk, n_classes)
        if presence:
            data = np.where(np.isnan(data), data, data != 0)
        total, missing = np.zeros((2, n_classes, width))
        low = np.zeros(width)
        sparse_totals(data, *places, code, chunk.weight, total, missing, low)
        return cls(weight, total, np.subtract(weight[:, None], missing, out=missing), low)

    def __add__(self, other: Self) -> Self:
        require_same_layout(self, self.total.shape, other.total.shape)
        return type(self)(
            self.weight + other.weight,
            self.total + other.total,
            self.known + other.known,
            np.minimum(self.low, other.low),
        )


def _class_weights(chunk: Chunk, n_classes: int) -> Floats:
    return weighted_counts(class_codes(chunk, n_classes), chunk.weight, n_classes)
