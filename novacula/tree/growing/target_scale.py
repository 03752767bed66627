"""The scale on which trees for numbers are grown: from the mean of the target, in units of its largest deviation.

There numbers lie between −1 and 1, so that no square overflows or vanishes, and little of them cancels.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from novacula.statistics import ClassMoments
from novacula.statistics.comoments import targets
from novacula.table import Chunk, Table
from novacula.table.chunk import Floats
from novacula.tree.constants import MEAN, SQUARES, WEIGHT
from novacula.tree.structure import NumberTree


@dataclass(frozen=True)
class TargetScale:
    """y = centre + unit · scaled."""

    centre: float
    unit: float

    @classmethod
    def of(cls, table: Table) -> tuple[TargetScale, Floats]:
        """The scale of a table's target, in one pass; and weight, mean and squares of the whole on it."""
        moments = table.reduce(observe_target)
        weight, centre, low, high = (
            float(part[0, 0]) for part in (moments.weight, moments.mean, moments.low, moments.high)
        )
        unit = max(high - centre, centre - low)
        if not unit > 0.0:
            return cls(low, 1.0), np.array([weight, 0.0, 0.0])
        return cls(centre, unit), np.array([weight, 0.0, float(moments.ssd[0, 0]) / unit / unit])

    def scaled(self, chunk: Chunk) -> Floats:
        """The targets (n,) of a chunk on this scale."""
        return (targets(chunk)[:, 0] - self.centre) / self.unit

    def original(self, values: Any) -> Any:
        """Numbers on this scale in the units of the target."""
        return self.centre + self.unit * values

    def squares(self, values: Any) -> Any:
        """Squares on this scale in the squared units of the target."""
        return values * self.unit * self.unit

    def lengths(self, values: Any) -> Any:
        """Distances on this scale in the units of the target."""
        return values * self.unit

    def tree(self, *arrays: Any, absolute: bool = False) -> NumberTree:
        """A tree of its tests and gains, and of weight, mean and squares (m, 3) on this scale.

        `absolute`: in place of means and squares these are medians and absolute deviations.
        """
        *tests, gain, sums = arrays
        weight, value = np.ascontiguousarray(sums[:, WEIGHT]), self.original(sums[:, MEAN])
        sized = self.lengths if absolute else self.squares
        columns: tuple[Any, ...] = (*tests, sized(gain), weight, value, sized(sums[:, SQUARES]))
        tree = NumberTree(*columns)
        empty = np.flatnonzero(tree.mass == 0.0)
        if len(empty):
            value, parent = tree.value.copy(), tree.parent()
            for node in empty:  # parents first, so that an empty parent is already filled
                value[node] = value[parent[node]]
            tree = replace(tree, value=value)
        return tree


def observe_target(chunk: Chunk) -> ClassMoments:
    """Weight, mean, squares and range of the target."""
    rows = chunk.counted()
    y = np.ascontiguousarray(targets(rows)[:, :1])
    return ClassMoments.observe(Chunk(y, np.empty((len(y), 0), np.int32), rows.weight))
