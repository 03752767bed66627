"""The objective over all rows as sums, pass by pass: what whole-batch methods need of the data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self

import numpy as np

from novacula.linear.online.passes import dense_blocks
from novacula.neural.training.lesson import NetworkLesson
from novacula.statistics.base import Statistic, require_same_layout
from novacula.table import Chunk, Table
from novacula.table.chunk import Floats


@dataclass(frozen=True, slots=True, eq=False)
class NetworkLossSums(Statistic):
    """Weight, loss and gradient of rows at some weights of a network: 2 + P numbers for P that can be chosen."""

    weight: float
    loss: float
    gradient: Floats  # (P,)

    @classmethod
    def zero(cls, n_free: int) -> Self:
        """No rows."""
        return cls(0.0, 0.0, np.zeros(n_free))

    @classmethod
    def observe(cls, chunk: Chunk, free: Floats, lesson: NetworkLesson) -> Self:
        """Add up the rows of a chunk; those without weight have no part in it."""
        total = cls.zero(len(free))
        for x, piece in dense_blocks(chunk):
            rows = counted_rows(x, piece, lesson)
            if len(rows[0]):
                total += cls(float(rows[2].sum()), *lesson.sums(free, *rows))
        return total

    def __add__(self, other: Self) -> Self:
        require_same_layout(self, self.gradient.shape, other.gradient.shape)
        return type(self)(self.weight + other.weight, self.loss + other.loss, self.gradient + other.gradient)


def counted_rows(x: Floats, chunk: Chunk, lesson: NetworkLesson) -> tuple[Floats, Floats, Floats]:
    """Rows, targets and weights of a chunk with columns x, of the rows that have weight."""
    weight, t = lesson.targets.weight(chunk), lesson.targets.of(chunk)
    has_weight = weight > 0.0
    return (x, t, weight) if has_weight.all() else (x[has_weight], t[has_weight], weight[has_weight])


@dataclass(eq=False)
class WholeBatch:
    """The objective as a function that an optimiser can call: one pass over the rows for each place it tries."""

    table: Table
    lesson: NetworkLesson
    _last: tuple[Floats, float, Floats] | None = field(default=None, init=False)

    def value(self, free: Floats) -> float:
        """The objective."""
        return self._at(free)[1]

    def gradient(self, free: Floats) -> Floats:
        """Its gradient."""
        return self._at(free)[2]

    def _at(self, free: Floats) -> tuple[Floats, float, Floats]:
        """Place, value and gradient; optimisers ask for both at one place, and one pass gives both."""
        if self._last is None or not np.array_equal(self._last[0], free):
            sums = self.table.reduce(NetworkLossSums.observe, free, self.lesson)
            self._last = free.copy(), *self.lesson.objective.combine(free, sums.loss, sums.gradient, sums.weight)
        return self._last
