"""One scale for all columns, since a distance adds them up: each as a share of its range, or of its deviation.

A model keeps the offset and the unit of each numeric column, and lays every row out by them: numbers first, then the
codes of categories as numbers, NaN where a value is missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from novacula.errors import DataError, DataWarning, warn_user
from novacula.state import State, floats
from novacula.table.answering import unjudged
from novacula.table.chunk import Chunk, Floats
from novacula.table.names import printable
from novacula.words import listed

BLOCK = 1 << 12
"""Rows that are summed up at a time."""
WILD = 100.0
"""How many times one column's deviation may be another's before it alone decides what is near."""


@dataclass(frozen=True, slots=True, eq=False)
class Scaling:
    """z = (x − offset) / unit for each numeric column; a unit of ∞ leaves the column out."""

    state: ClassVar[State] = {
        "offset": floats("numeric"),
        "unit": floats("numeric", above=0.0, finite=False),  # infinite for a column that is left out
    }

    offset: Floats  # (d,)
    unit: Floats  # (d,)

    @classmethod
    def of(cls, numbers: Floats, weight: Floats, scale: str | None, names: Sequence[str]) -> Self:
        """The scaling of columns (n, d) whose rows weigh something; NaN is missing."""
        numbers = numbers[weight > 0.0]
        d = numbers.shape[1]
        if scale is None:
            return cls(np.zeros(d), np.ones(d))
        known = np.isfinite(numbers)
        if scale == "range":
            offset = np.min(numbers, axis=0, where=known, initial=np.inf)
            with np.errstate(over="ignore"):
                unit = np.max(numbers, axis=0, where=known, initial=-np.inf) - offset
        else:
            offset, unit = _moments(numbers, weight[weight > 0.0])
        if np.isposinf(unit).any():
            name = printable(names[int(np.argmax(np.isposinf(unit)))])
            raise DataError(f"column {name!r} holds numbers so large that its spread overflows: divide it by some unit")
        constant = ~(unit > 0.0)  # columns without any value as well
        if constant.any():
            same = [printable(name) for name, alike in zip(names, constant, strict=True) if alike]
            warn_user(
                f"{listed(same, 8)}: the same value in every row does not say what is near, so the column is left out",
                DataWarning,
            )
        return cls(np.where(constant, 0.0, offset), np.where(constant, np.inf, unit))

    @unjudged
    def lay_out(self, chunk: Chunk) -> Floats:
        """The rows of a chunk as one matrix (n, d + categories)."""
        plain = not self.offset.any() and (self.unit == 1.0).all()
        numbers = chunk.numeric if plain else (chunk.numeric - self.offset) / self.unit
        if not chunk.codes.shape[1]:
            return np.ascontiguousarray(numbers)
        return np.hstack([numbers, np.where(chunk.codes < 0, np.nan, chunk.codes)])

    def original(self, rows: Floats) -> Floats:
        """The numbers (n, d) of rows that were laid out, in their own units; a column that was left out is 0."""
        return rows[:, : len(self.unit)] * np.where(np.isinf(self.unit), 0.0, self.unit) + self.offset


def _moments(numbers: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Weighted mean and deviation of each column of finite numbers, by blocks of rows that stay in the cache.

    Distances from the first row are what is summed up, so that a column of one value has deviation 0 and not nearly 0.
    """
    first, share = numbers[0], weight / weight.sum()
    blocks = [slice(start, start + BLOCK) for start in range(0, len(numbers), BLOCK)]
    with np.errstate(over="ignore", invalid="ignore"):
        mean: Floats = sum((share[rows] @ (numbers[rows] - first) for rows in blocks), np.zeros_like(first))
        squares: Floats = sum(
            (share[rows] @ (numbers[rows] - first - mean) ** 2 for rows in blocks), np.zeros_like(first)
        )
        return first + mean, np.where(np.isinf(mean), np.inf, np.sqrt(squares))


def warn_of_wild_scales(numbers: Floats, weight: Floats, names: Sequence[str]) -> None:
    """Say so if one column spreads so much wider than another that the other cannot matter."""
    kept = weight > 0.0
    if not kept.all():
        numbers, weight = numbers[kept], weight[kept]
    spread = _moments(numbers, weight)[1]
    if not (spread > 0.0).any():
        return
    widest, narrowest = int(np.argmax(spread)), int(np.argmin(np.where(spread > 0.0, spread, np.inf)))
    if spread[widest] > WILD * spread[narrowest]:
        warn_user(
            f"column {printable(names[widest])!r} spreads {spread[widest] / spread[narrowest]:.0f} times as wide as "
            f"{printable(names[narrowest])!r}, which will hardly count: set scale='range' or scale='standard'",
            DataWarning,
        )
