"""Times as numbers that a learner can use: year, month, day, weekday and hour, beside the seconds since 1970.

Learners that weigh columns are given cycles as points on a circle, so that December is as near to January as to
November; others the numbers themselves, which a tree can cut. A part that is the same in all rows is left out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from novacula.learner.card import Card
from novacula.prepare.encoding import same_columns
from novacula.prepare.sums import ColumnLimits
from novacula.state import State, each, instance, word
from novacula.table import Chunk, Column, Schema, Table
from novacula.table.chunk import Floats

DAY = 86_400.0
FARTHEST = 9000 * 365 * DAY
"""Seconds from 1970 beyond which there are no parts."""


def _moments(seconds: Floats) -> tuple[Floats, Floats]:
    """The days since 1970, and the seconds since midnight."""
    days = np.floor(seconds / DAY)
    return days, seconds - days * DAY


def _dates(seconds: Floats) -> np.ndarray:
    return _moments(seconds)[0].astype(np.int64).astype("datetime64[D]")


def _year(seconds: Floats) -> Floats:
    return (_dates(seconds).astype("datetime64[Y]").astype(np.int64) + 1970).astype(np.float64)


def _month(seconds: Floats) -> Floats:
    return (_dates(seconds).astype("datetime64[M]").astype(np.int64) % 12 + 1).astype(np.float64)


def _day_of_year(seconds: Floats) -> Floats:
    dates = _dates(seconds)
    return (dates - dates.astype("datetime64[Y]")).astype(np.int64) + 1.0


def _weekday(seconds: Floats) -> Floats:
    return (_moments(seconds)[0] + 3.0) % 7.0 + 1.0  # 1 is Monday


def _hour(seconds: Floats) -> Floats:
    return _moments(seconds)[1] / 3600.0


NUMBERS: dict[str, Callable[[Floats], Floats]] = {
    "year": _year,
    "month": _month,
    "day of year": _day_of_year,
    "weekday": _weekday,
    "hour": _hour,
}
"""What can be read off a time."""
CYCLES = {"day of year": 365.25, "weekday": 7.0, "hour": 24.0}
"""After how many the same comes again."""
ROUND = ("year", *(f"{wave} of {cycle}" for cycle in CYCLES for wave in ("sine", "cosine")))
"""The parts where cycles are points on a circle."""


def part_of(name: str, seconds: Floats) -> Floats:
    """A part of times (n,), NaN where there is none.

    >>> monday = np.array([4 * DAY])  # 5 January 1970
    >>> [part_of(name, monday).item() for name in NUMBERS]
    [1970.0, 1.0, 5.0, 1.0, 0.0]
    """
    known = np.abs(seconds) <= FARTHEST
    inside = np.where(known, seconds, 0.0)
    wave, _, cycle = name.partition(" of ")
    if name in NUMBERS:
        found = NUMBERS[name](inside)
    else:
        turn = 2.0 * np.pi * NUMBERS[cycle](inside) / CYCLES[cycle]
        found = np.sin(turn) if wave == "sine" else np.cos(turn)
    return np.where(known, found, np.nan)


@dataclass(frozen=True, eq=False)
class TimeParts:
    """The parts of each column of times; the seconds stay too."""

    state: ClassVar[State] = {
        "schema": instance(Schema),
        "parts": each(each(word(*dict.fromkeys((*NUMBERS, *ROUND)))), "times"),
    }

    schema: Schema  # of the columns that come in
    parts: tuple[tuple[str, ...], ...]  # of each column of times, in their order

    @classmethod
    def of(cls, table: Table, card: Card) -> Self:
        """The parts that differ between rows, for a learner with this card: one pass, where there are times at all."""
        schema = Schema(table.layout.uncounted().features, missing=())
        names = ROUND if "scaled" in card.needs else tuple(NUMBERS)
        every = cls(schema, tuple(names for _ in _times(schema)))
        if not every.parts:
            return every
        limits = table.expanded(every.apply, every.columns(table.layout.roles)).reduce(ColumnLimits.observe)
        varies = iter((limits.low < limits.high)[len(schema.of_kind("numeric")) :].tolist())
        return cls(schema, tuple(tuple(name for name in names if next(varies)) for _ in every.parts))

    def fits(self, schema: Schema) -> bool:
        """Whether these are parts of the columns of a schema."""
        return len(self.parts) == len(_times(self.schema)) and same_columns(self.schema.columns, schema.features)

    def apply(self, chunk: Chunk) -> Chunk:
        """The rows with the parts behind their numbers."""
        if not self.parts:
            return chunk
        made = [
            part_of(name, chunk.numeric[:, j])
            for j, names in zip(_times(self.schema), self.parts, strict=True)
            for name in names
        ]
        return replace(chunk, numeric=np.ascontiguousarray(np.column_stack([chunk.numeric, *made])))

    def columns(self, taken: tuple[str, ...] = ()) -> tuple[Column, ...]:
        """The columns that come out: the numbers, their parts, and the others; no part has a name of `taken`."""
        numeric = self.schema.of_kind("numeric")
        others = tuple(column for column in self.schema if column.kind != "numeric")
        used = {*self.schema.names, *taken}
        made = []
        for j, names in zip(_times(self.schema), self.parts, strict=True):
            for part in names:
                name = f"{part} of {numeric[j].name}"
                while name in used:
                    name += "′"
                used.add(name)
                made.append(Column(name, "numeric"))
        return (*numeric, *made, *others)

    def owners(self) -> list[str]:
        """The name of the column that each part is of."""
        numeric = self.schema.of_kind("numeric")
        return [numeric[j].name for j, names in zip(_times(self.schema), self.parts, strict=True) for _ in names]


def _times(schema: Schema) -> list[int]:
    """Places of the columns of times among the numeric ones."""
    return [j for j, column in enumerate(schema.of_kind("numeric")) if column.is_time]
