"""Separation: where a plane separates the classes, the likelihood has no maximum.

If along some direction no row's own class loses against another one and some row's gains, the likelihood grows for
ever that way (Albert and Anderson, 1984): completely separated if all rows gain, quasi-completely otherwise. Steps
of a fit without penalty turn towards such a direction, so every few iterations the last one is put to this test.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, Self, TypeAlias

import numpy as np

from novacula.linear.logistic.columns import blocks_of
from novacula.linear.logistic.objective import LogisticObjective, LogisticPoint
from novacula.linear.logistic.sums import Frame, LogisticRows
from novacula.statistics.base import Statistic
from novacula.table.chunk import Chunk, Floats

Kind: TypeAlias = Literal["complete", "quasi-complete"]

EVERY = 4
"""Iterations between tests; a fit that has a maximum seldom takes two of them."""
BLUR = 1e-5
"""The share of the largest lead by which a row may fall behind, for steps only turn towards the direction."""


@dataclass(frozen=True, slots=True, eq=False)
class Leads(Statistic):
    """The least and the largest lead of a row's own class over the best other one: two numbers."""

    low: float
    high: float

    @classmethod
    def zero(cls) -> Self:
        """No rows."""
        return cls(np.inf, -np.inf)

    @classmethod
    def observe(cls, chunk: Chunk, w: Floats, frame: Frame) -> Self:
        """Measure the rows of a chunk along W (planes, q)."""
        total = cls.zero()
        for piece in blocks_of(chunk.counted()):
            rows = LogisticRows.of(piece, frame, np.empty((len(piece), chunk.numeric.shape[1] + frame.intercept)))
            lead = leads(rows.margins(w), rows)
            total += cls(float(lead.min(initial=np.inf)), float(lead.max(initial=-np.inf)))
        return total

    def __add__(self, other: Self) -> Self:
        return type(self)(min(self.low, other.low), max(self.high, other.high))


def leads(margin: Floats, rows: LogisticRows) -> Floats:
    """The margin of each row's own class less that of the best other one (n,)."""
    if margin.shape[1] == 1:
        return margin[:, 0] * (2.0 * rows.code - 1.0)
    places = np.arange(len(margin)), rows.code
    own = margin[places]
    margin[places] = -np.inf
    return own - margin.max(axis=1)


@dataclass
class SeparationWatch:
    """A monitor of a fit: it ends the run where the classes are found to be separated, and says how."""

    objective: LogisticObjective
    found: Kind | None = field(init=False, default=None)
    last: Floats | None = field(init=False, default=None)

    def __call__(self, iteration: int, value: float, point: LogisticPoint) -> bool:
        """Look at each point; True ends the run."""
        if self.last is not None and iteration % EVERY == 0:
            self.found = self.test(point.theta, point.theta - self.last)
        self.last = point.theta
        return self.found is not None

    def test(self, theta: Floats, step: Floats) -> Kind | None:
        """Whether the point itself, or the way it goes, separates the classes."""
        if self._leads(theta).low > 0.0:
            return "complete"
        ahead = self._leads(step)
        behind = ahead.low < -BLUR * ahead.high
        grows = np.linalg.norm(step) > BLUR * np.linalg.norm(theta)  # steps that shrink lead to a maximum
        return "quasi-complete" if ahead.high > 0.0 and not behind and grows else None

    def _leads(self, theta: Floats) -> Leads:
        objective = self.objective
        return objective.table.reduce(Leads.observe, theta.reshape(objective.shape), objective.frame)
