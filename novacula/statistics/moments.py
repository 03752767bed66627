"""Mean and spread per class and column, by Chan's formula: no difference of large sums, so nothing cancels.

Blocks A and B with weights a and b join as

    mean = mean_A + b/(a+b) · gap      ssd = ssd_A + ssd_B + a·b/(a+b) · gap²      gap = mean_B − mean_A
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from novacula.state import State, floats
from novacula.statistics.base import Statistic, class_codes, require_same_layout
from novacula.table.chunk import Chunk, Floats


@dataclass(frozen=True, slots=True, eq=False)
class ClassMoments(Statistic):
    """Weight, mean, squared deviations and range per class and column: 5Kd numbers.

    Missing values are counted out column by column, so a weight belongs to a class and a column. An infinite
    value makes the mean of its cell not finite; `ssd` means nothing there. The range of a cell without
    values is +∞ to −∞.

    >>> chunk = Chunk(np.array([[1.0], [3.0], [np.nan]]), np.empty((3, 0), np.int32), np.ones(3))
    >>> moments = ClassMoments.observe(chunk)
    >>> moments.weight.item(), moments.mean.item(), moments.ssd.item()
    (2.0, 2.0, 2.0)
    """

    state: ClassVar[State] = {
        "weight": floats("classes", "columns", least=0.0),
        "mean": floats("classes", "columns", finite=False),
        "ssd": floats("classes", "columns", finite=False),
        "low": floats("classes", "columns", finite=False),
        "high": floats("classes", "columns", finite=False),
    }

    weight: Floats  # (K, d)
    mean: Floats  # (K, d)
    ssd: Floats  # (K, d), Σ w (x − mean)²
    low: Floats  # (K, d)
    high: Floats  # (K, d)

    @classmethod
    def zero(cls, n_classes: int, n_columns: int) -> Self:
        """No rows."""
        shape = n_classes, n_columns
        weight, mean, ssd = np.zeros((3, *shape))
        return cls(weight, mean, ssd, np.full(shape, np.inf), np.full(shape, -np.inf))

    @classmethod
    def observe(cls, chunk: Chunk, n_classes: int = 1) -> Self:
        """The moments of the numeric columns; with one class those of whole columns."""
        from novacula.statistics._kernels import KINDS, WIDE, class_moments

        d = chunk.numeric.shape[1]
        if not n_classes * d:
            return cls.zero(n_classes, d)
        # On the desk of the kernel a class takes several pieces of WIDE columns, or several classes share one.
        sharing, pieces = max(WIDE // d, 1), -(-d // WIDE)
        group, place = np.divmod(np.arange(n_classes), sharing)
        groups, place = int(group[-1]) + 1, group * (pieces * KINDS * WIDE) + place * d
        desk = class_moments(chunk.numeric, class_codes(chunk, n_classes), chunk.weight, place, groups * pieces)
        kinds = desk.reshape(groups, pieces, KINDS, WIDE)[:, :, :5].transpose(2, 0, 1, 3).reshape(5, groups, -1)
        return cls(*kinds[:, :, : sharing * d].reshape(5, -1, d)[:, :n_classes])

    def __add__(self, other: Self) -> Self:
        require_same_layout(self, self.mean.shape, other.mean.shape)
        weight = self.weight + other.weight
        share = np.divide(other.weight, weight, out=np.zeros_like(weight), where=weight > 0)
        with np.errstate(invalid="ignore", over="ignore"):  # infinite values are for the learner to report
            gap = other.mean - self.mean
            mean = self.mean + share * gap
            ssd = self.ssd + other.ssd + self.weight * share * gap**2
        # A cell that only one side knows is taken over as it is, so that zero is the identity to the bit.
        here, there = self.weight == 0, other.weight == 0
        return type(self)(
            weight,
            np.where(there, self.mean, np.where(here, other.mean, mean)),
            np.where(there, self.ssd, np.where(here, other.ssd, ssd)),
            np.minimum(self.low, other.low),
            np.maximum(self.high, other.high),
        )
