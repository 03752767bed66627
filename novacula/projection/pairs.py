"""How each numeric column goes with a numeric target, from the rows in which it is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from novacula.errors import ParameterError
from novacula.state import State, floats
from novacula.statistics.base import Statistic, require_same_layout
from novacula.table.chunk import Chunk, Floats


@dataclass(frozen=True, slots=True, eq=False)
class PairMoments(Statistic):
    """Weight, both means, and squares and products of deviations for each column and the target: 6d numbers.

    A row that misses the column is left out for that column. Blocks join by Chan's formula, so nothing cancels. A
    value that is infinite makes the mean of its column not finite.

    >>> numbers, target = np.array([[1.0], [3.0], [np.nan]]), np.array([2.0, 8.0, 5.0])
    >>> chunk = Chunk(numbers, np.empty((3, 0), np.int32), np.ones(3), target=target)
    >>> pair = PairMoments.observe(chunk)
    >>> pair.weight.item(), pair.xx.item(), pair.xy.item(), pair.yy.item()
    (2.0, 2.0, 6.0, 18.0)
    """

    state: ClassVar[State] = {
        "weight": floats("columns", least=0.0),
        "x": floats("columns"),
        "y": floats("columns"),
        "xx": floats("columns", least=0.0),
        "xy": floats("columns"),
        "yy": floats("columns", least=0.0),
    }

    weight: Floats  # (d,)
    x: Floats  # (d,), mean of the column
    y: Floats  # (d,), mean of the target where the column is known
    xx: Floats  # (d,), Σ w (x − x̄)²
    xy: Floats  # (d,)
    yy: Floats  # (d,)

    @classmethod
    def zero(cls, n_columns: int) -> Self:
        """No rows."""
        return cls(*np.zeros((6, n_columns)))

    @classmethod
    def observe(cls, chunk: Chunk) -> Self:
        """The numeric columns with a numeric target."""
        if chunk.target is None or chunk.target.dtype != np.float64:
            raise ParameterError("pairs need a numeric target, which this chunk does not have")
        counted = chunk.weight > 0.0
        x, y = chunk.numeric[counted], np.asarray(chunk.target)[counted].reshape(-1, 1)
        known = ~np.isnan(x)
        weight = np.where(known, chunk.weight[counted][:, None], 0.0)
        total = weight.sum(axis=0)
        over = np.where(total > 0.0, total, 1.0)
        with np.errstate(invalid="ignore", over="ignore"):  # infinite values are for the learner to report
            x_mean = (weight * np.where(known, x, 0.0)).sum(axis=0) / over
            y_mean = (weight * y).sum(axis=0) / over
            dx, dy = np.where(known, x - x_mean, 0.0), np.where(known, y - y_mean, 0.0)
            squares = ((weight * a * b).sum(axis=0) for a, b in ((dx, dx), (dx, dy), (dy, dy)))
            return cls(total, x_mean, y_mean, *squares)

    def __add__(self, other: Self) -> Self:
        require_same_layout(self, self.x.shape, other.x.shape)
        weight = self.weight + other.weight
        share = np.divide(other.weight, weight, out=np.zeros_like(weight), where=weight > 0.0)
        lever = self.weight * share
        with np.errstate(invalid="ignore", over="ignore"):
            x, y = other.x - self.x, other.y - self.y
            joined = (
                weight,
                self.x + share * x,
                self.y + share * y,
                self.xx + other.xx + lever * x * x,
                self.xy + other.xy + lever * x * y,
                self.yy + other.yy + lever * y * y,
            )
        # What only one side knows is taken over as it is, so that zero is the identity to the bit.
        alone = [other.weight == 0.0, self.weight == 0.0]
        mine, theirs = (list(part.arrays().values()) for part in (self, other))
        return type(self)(*(np.select(alone, [a, b], both) for a, b, both in zip(mine, theirs, joined, strict=True)))
