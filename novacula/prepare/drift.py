"""What the rows of a fit held, column by column, and how other rows differ: unseen categories, values outside, drift.

A column of numbers has drifted if its mean is more than half a deviation from that of the fit, one of categories if the
stability index Σ (p − q)·ln(p/q) of its shares is above a quarter, and any if it is missing in another tenth of the
rows; each beyond what chance does to as many rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np

from novacula.prepare.sums import AskedSums, PreparationSums, observe
from novacula.state import State, floats
from novacula.statistics import Bundle
from novacula.statistics.base import Statistic
from novacula.statistics.contingency import side_by_side
from novacula.table import Chunk, Schema, Table
from novacula.table.chunk import UNSEEN, Floats
from novacula.table.schema import time_words

FAR = 0.5
"""Deviations by which a mean may move."""
UNSTABLE = 0.25
"""The stability index up to which shares are the same."""
ANOTHER = 0.1
"""The share of rows in which a column may be missing more or less often."""
CERTAIN = 4.0
"""Standard errors beyond which a difference is no chance."""
LEAST = 1e-4
"""The share that a category has at least, where shares are compared."""


@dataclass(frozen=True, eq=False)
class SeenValues:
    """Weight, range, mean and deviation of numbers, shares of categories, and how often each column was missing."""

    state: ClassVar[State] = {
        "weight": floats(least=0.0),
        "low": floats("numeric", finite=False),
        "high": floats("numeric", finite=False),
        "mean": floats("numeric"),
        "spread": floats("numeric", least=0.0),
        "shares": floats("cells", least=0.0, most=1.0),
        "gaps": floats("numeric+categorical", least=0.0, most=1.0),
    }

    weight: Floats  # ()
    low: Floats  # (numeric,)
    high: Floats  # (numeric,)
    mean: Floats  # (numeric,)
    spread: Floats  # (numeric,)
    shares: Floats  # (Σ categories,): one column after the other
    gaps: Floats  # (numeric + categorical,)

    @classmethod
    def of(cls, sums: PreparationSums, n_numeric: int) -> Self:
        """From the sums over the rows, of which the first numeric columns are those that came in."""
        part = slice(0, n_numeric)
        weight, gaps = sums.moments.weight[0, part], sums.gaps.numeric[part]
        counts = [sums.categories.column(j)[0] for j in range(len(sums.gaps.coded))]
        totals = [*(weight + gaps), *(count.sum() + gap for count, gap in zip(counts, sums.gaps.coded, strict=True))]
        total = max(totals, default=0.0)
        known = weight > 0.0
        variance = np.divide(sums.moments.ssd[0, part], weight, out=np.zeros(n_numeric), where=known)
        every = np.concatenate([count / max(count.sum(), 1e-300) for count in counts]) if counts else np.empty(0)
        return cls(
            np.array(total),
            sums.limits.low[part],
            sums.limits.high[part],
            np.where(known, sums.moments.mean[0, part], 0.0),
            np.sqrt(variance),
            np.minimum(every, 1.0),
            np.minimum(np.concatenate([gaps, sums.gaps.coded]) / max(total, 1e-300), 1.0),
        )

    def fits(self, schema: Schema) -> bool:
        """Whether it is of the columns of a schema."""
        return len(self.shares) == sum(len(column.categories) for column in schema.of_kind("categorical"))


@dataclass(frozen=True, slots=True, eq=False)
class Strangers(Statistic):
    """Rows, values outside of a range in each numeric column, and unseen categories: size 1 + d + c, for any rows."""

    rows: Floats  # ()
    outside: Floats  # (d,)
    unseen: Floats  # (c,)

    @classmethod
    def zero(cls, n_numeric: int, n_coded: int) -> Self:
        """No rows."""
        return cls(np.zeros(()), np.zeros(n_numeric), np.zeros(n_coded))

    @classmethod
    def observe(cls, chunk: Chunk, low: Floats, high: Floats) -> Self:
        """Those of a chunk; each row counts once."""
        outside = (chunk.numeric < low) | (chunk.numeric > high)
        return cls(np.array(float(len(chunk))), outside.sum(axis=0) * 1.0, (chunk.codes == UNSEEN).sum(axis=0) * 1.0)

    def __add__(self, other: Self) -> Self:
        return type(self)(self.rows + other.rows, self.outside + other.outside, self.unseen + other.unseen)


@dataclass(frozen=True)
class ColumnDrift:
    """How a column of new rows differs from that of the fit."""

    name: str
    rows: int
    unseen: int = 0  # values that are none of the categories of the fit
    outside: int = 0  # values below the least or above the largest of the fit
    low: float = np.nan
    high: float = np.nan
    shift: float = 0.0  # of the mean, in deviations; or the stability index of the shares
    gaps_before: float = 0.0
    gaps: float = 0.0
    has_moved: bool = False
    has_other_gaps: bool = False
    is_time: bool = False  # low and high are seconds since 1970

    def sentences(self) -> list[str]:
        """What is to be known about the column."""
        found, name = [], repr(self.name)
        if self.unseen:
            found.append(f"{self.unseen:,} of {self.rows:,} values of {name} are none of the categories of the fit")
        if self.outside:
            low, high = (time_words(end) if self.is_time else f"{end:g}" for end in (self.low, self.high))
            ends = f"{low} to {high}"
            found.append(f"{self.outside:,} of {self.rows:,} values of {name} are outside of {ends}")
        if self.has_moved and not np.isnan(self.low):
            found.append(f"{name} has drifted: its mean is {abs(self.shift):.2g} deviations from that of the fit")
        elif self.has_moved:
            found.append(f"{name} has drifted: its categories have other shares (stability index {self.shift:.2g})")
        if self.has_other_gaps:
            found.append(f"{name} is missing in {self.gaps:.0%} of the rows, and was in {self.gaps_before:.0%}")
        return found


def drift_of(seen: SeenValues, schema: Schema, table: Table) -> tuple[ColumnDrift, ...]:
    """How the rows of a table, laid out by the schema of the fit, differ from those of the fit, column by column."""
    numeric, coded = schema.of_kind("numeric"), schema.of_kind("categorical")
    asked = AskedSums(tuple(len(column.categories) for column in coded), 0, 0, (), False)
    both: Any = table.reduce(_new_rows, seen, asked).parts
    strangers, sums = both[0], both[1].parts
    moments, categories, gaps = sums[0], sums[1], sums[2]
    n, total = int(strangers.rows), float(seen.weight)
    found = []
    for j, column in enumerate(numeric):
        weight = float(moments.weight[0, j])
        step = float(moments.mean[0, j] - seen.mean[j]) if weight > 0.0 else 0.0
        width = float(seen.spread[j]) or np.inf
        shift, chance = step / width, CERTAIN / np.sqrt(max(min(weight, total), 1.0))
        missing = _gaps(seen.gaps[j], gaps.numeric[j] / max(n, 1), n)
        found.append(
            ColumnDrift(column.name, n, 0, int(strangers.outside[j]), float(seen.low[j]), float(seen.high[j]), shift,
                        *missing[:2], abs(shift) > max(FAR, chance), missing[2], column.is_time)
        )  # fmt: skip
    ends = side_by_side([len(column.categories) for column in coded]).tolist()
    for j, (column, (start, stop)) in enumerate(zip(coded, pairwise(ends), strict=True)):
        count = categories.column(j)[0]
        index, chance = _stability(seen.shares[start:stop], count, total)
        missing = _gaps(seen.gaps[len(numeric) + j], (gaps.coded[j] - strangers.unseen[j]) / max(n, 1), n)
        found.append(
            ColumnDrift(column.name, n, int(strangers.unseen[j]), shift=index, gaps_before=missing[0], gaps=missing[1],
                        has_moved=index > UNSTABLE + chance, has_other_gaps=missing[2])
        )  # fmt: skip
    return tuple(found)


def _new_rows(chunk: Chunk, seen: SeenValues, asked: AskedSums) -> Bundle:
    return Bundle((Strangers.observe(chunk, seen.low, seen.high), observe(chunk, asked)))


def _gaps(before: Any, now: Any, n: int) -> tuple[float, float, bool]:
    """Shares of missing values before and now, and whether they differ."""
    p, q = float(before), float(now)
    chance = CERTAIN * np.sqrt(max(p * (1.0 - p), 0.25 / max(n, 1)) / max(n, 1))
    return p, q, bool(abs(q - p) > max(ANOTHER, chance))


def _stability(before: Floats, count: Floats, total: float) -> tuple[float, float]:
    """The stability index of shares, and what chance makes of it at most."""
    n = float(count.sum())
    if n == 0.0 or not len(before):
        return 0.0, 0.0
    p, q = np.maximum(before, LEAST), np.maximum(count / n, LEAST)
    spread = (len(before) - 1) * (1.0 / n + 1.0 / max(total, 1.0))
    return float(((q - p) * np.log(q / p)).sum()), CERTAIN * spread
