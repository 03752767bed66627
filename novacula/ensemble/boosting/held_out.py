"""Rows held out, whose loss says when to stop, and how many rounds to keep.

Kept are the fewest rounds whose loss on these rows is within one standard error of the lowest: the error of the mean
difference, row by row, between the two. Rows are chosen by their keys, so that their order does not matter.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from novacula.ensemble.boosting.coded_table import CodedTable
from novacula.ensemble.boosting.whole_sums import WholeSum, unit_of
from novacula.ensemble.row_keys import chosen
from novacula.table.chunk import Floats


@dataclass
class HeldOut:
    """The rows, and their losses after each round."""

    marks: npt.NDArray[np.bool_]  # (n,)
    rows: npt.NDArray[np.int64]
    weight: Floats
    by_round: npt.NDArray[np.float32]  # (rounds + 1, rows)
    mean: list[float] = field(default_factory=list)

    @classmethod
    def none(cls, n: int) -> Self:
        """No rows."""
        none = np.zeros(0)
        return cls(np.zeros(n, bool), none.astype(np.int64), none, none.astype(np.float32).reshape(0, 0))

    @classmethod
    def of(cls, table: CodedTable, share: float, stream: int, max_iter: int) -> Self:
        """About this share of the rows; none where that would be none or all."""
        marks = chosen(table.keys, stream, share)
        rows = np.flatnonzero(marks)
        if not 0 < len(rows) < len(table):
            return cls.none(len(table))
        by_round: Any = table.scratch((max_iter + 1, len(rows)), np.float32)
        return cls(marks, rows, table.weight[rows], by_round)

    def note(self, r: int, losses: Floats, mean: float) -> None:
        """Keep the losses of the rows after r rounds."""
        self.by_round[r] = losses[self.rows]
        self.mean.append(mean)

    def is_over(self, r: int, patience: int) -> bool:
        """Whether the last rounds have brought nothing."""
        return r - int(np.argmin(self.mean)) >= patience

    def fewest_rounds(self, made: int) -> int:
        """Rounds that are as good as the best, one at least."""
        best = int(np.argmin(self.mean[: made + 1]))
        for r in range(1, best):
            difference, error = self.difference(r, best)
            if difference <= error:
                return r
        return max(best, 1)

    def difference(self, r: int, best: int) -> tuple[float, float]:
        """By how much the loss after r rounds is above that of the best, and the standard error of that."""
        gap = self.by_round[r].astype(np.float64) - self.by_round[best]
        total = _sum(self.weight)
        mean = _sum(self.weight * gap) / total
        squares = _sum(self.weight * (gap - mean) ** 2)
        return mean, math.sqrt(squares / max(total - 1.0, 1.0) / total)


def _sum(numbers: Floats) -> float:
    """Exact, and so the same in any order."""
    unit = unit_of(float(np.abs(numbers).max(initial=0.0)))
    return float(WholeSum.of(numbers, unit).exact(unit))
