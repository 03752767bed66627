"""Nearest rows of mixed columns: HEOM to every row, computed side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from novacula.neighbors.kd_tree import Places, empty_heaps
from novacula.table.chunk import Floats


@dataclass(frozen=True, slots=True, eq=False)
class MixedRows:
    """n rows as columns: numbers as shares of their range, then codes of categories, NaN where a value is missing.

    >>> rows = MixedRows.build(np.array([[0.0, 1.0], [1.0, 0.0], [np.nan, 0.0]]), n_numbers=1)
    >>> rows.search(np.array([[0.5, 0.0]]), k=3, p=2.0)[0].tolist()
    [[0.25, 1.0, 1.25]]
    """

    points: Floats  # (numbers + categories, n)
    n_numbers: int

    @classmethod
    def build(cls, rows: Floats, n_numbers: int) -> Self:
        """Of rows (n, c), of which the first columns are numbers."""
        return cls(np.ascontiguousarray(rows.T), n_numbers)

    def search(self, queries: Floats, k: int, p: float) -> tuple[Floats, Places]:
        """The k nearest rows to each of queries (m, c), nearest first, ties by number: HEOM², and rows."""
        from novacula.neighbors._kernels import search_mixed

        distance, row = empty_heaps(len(queries), k, self.points.shape[1])
        search_mixed(self.points, self.n_numbers, queries, distance, row)
        return distance, row
