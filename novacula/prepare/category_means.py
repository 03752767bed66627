"""Columns of many categories as numbers: the mean of the target in each category, drawn to that of all rows.

    value(c) = (n_c · mean_c + m · mean) / (n_c + m)        m = σ² / τ², at least 1

σ² is the variance within categories and τ² that between them, estimated from the same sums. Where categories differ by
no more than rows do, τ² is 0 and every category has the mean of all: a column that says nothing, such as a number of
the row, gives nothing away about the rows it was fitted on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import ClassVar, Self

import numpy as np

from novacula.prepare.rounding import rounded
from novacula.state import State, each, floats, text, whole
from novacula.statistics import ClassMoments
from novacula.statistics.contingency import side_by_side
from novacula.table import Chunk
from novacula.table.chunk import Codes, Floats

LEAST_STRENGTH = 1.0
"""Rows of the common mean that are added to each category, at least."""


@dataclass(frozen=True, eq=False)
class CategoryMeans:
    """The values of all categories of some columns, one column after the other; the last of each for missing ones."""

    state: ClassVar[State] = {
        "places": each(whole(), "many"),
        "sizes": each(whole(), "many"),
        "answers": each(text(), "answers"),
        "means": floats("cells", "answers"),
        "strength": floats("many", "answers", least=0.0, finite=False),
        "centre": floats("many", "answers"),
        "spread": floats("many", "answers", above=0.0),
    }

    places: tuple[int, ...]  # of the columns among the categorical ones
    sizes: tuple[int, ...]  # how many categories each has
    answers: tuple[str, ...]  # what the means are of: the target, or one of its classes
    means: Floats  # (Σ (size + 1), K)
    strength: Floats  # (columns, K): m, infinite where categories do not differ
    centre: Floats  # (columns, K)
    spread: Floats  # (columns, K)

    @classmethod
    def none(cls) -> Self:
        """Of no column."""
        empty = np.zeros((0, 0))
        return cls((), (), (), empty, empty, empty, empty)

    @classmethod
    def of(cls, moments: Mapping[int, ClassMoments], answers: Sequence[str], scaled: bool) -> Self:
        """From the moments of the target by category, (categories, K), of each column by its place."""
        if not moments:
            return cls.none()
        fitted = [_drawn(one) for one in moments.values()]
        centre = np.array([middle for _, _, middle, _ in fitted])
        spread = np.array([width for *_, width in fitted])
        return cls(
            tuple(moments),
            tuple(len(one.mean) for one in moments.values()),
            tuple(answers),
            np.vstack([values for values, *_ in fitted]),
            np.array([strength for _, strength, *_ in fitted]),
            centre if scaled else np.zeros_like(centre),
            np.where(spread > 0.0, spread, 1.0) if scaled else np.ones_like(spread),
        )

    def fits(self, sizes: Sequence[int]) -> bool:
        """Whether it is made for categorical columns with these numbers of categories."""
        known = len(set(self.places)) == len(self.places) and max(self.places, default=-1) < len(sizes)
        same = known and self.sizes == tuple(sizes[j] for j in self.places)
        return same and len(self.means) == sum(self.sizes) + len(self.sizes)

    def columns(self, codes: Codes) -> list[Floats]:
        """The numbers (n, K) of each column for rows with these codes (n, categorical)."""
        starts = side_by_side([size + 1 for size in self.sizes])
        found = []
        for p, ((start, stop), j) in enumerate(zip(pairwise(starts.tolist()), self.places, strict=True)):
            cell = np.where(codes[:, j] < 0, stop - 1, start + codes[:, j])
            found.append((self.means[cell] - self.centre[p]) / self.spread[p])
        return found

    def names(self, columns: Sequence[str]) -> Iterator[str]:
        """The names of those numbers; `columns` are those of the categorical columns."""
        yield from (f"{answer} by {columns[j]}" for j in self.places for answer in self.answers)

    @property
    def n_parameters(self) -> int:
        """How many numbers are kept of the target."""
        return sum(self.sizes) * len(self.answers)


def moments_by_category(chunk: Chunk, place: int, size: int, n_classes: int) -> ClassMoments:
    """The moments of the target, or of each class as 0 and 1, in each category of a column."""
    known = chunk.codes[:, place] >= 0
    target = np.asarray(chunk.target)
    target = target[:, None] if target.ndim == 1 else target
    numbers = np.ascontiguousarray((target == np.arange(n_classes) if n_classes else target)[known], np.float64)
    codes = np.ascontiguousarray(chunk.codes[known, place])
    rows = replace(chunk, numeric=numbers, codes=codes[:, None], weight=chunk.weight[known], sparse=None, text=())
    return ClassMoments.observe(replace(rows, target=codes), size)


def _drawn(moments: ClassMoments) -> tuple[Floats, Floats, Floats, Floats]:
    """The values (categories + 1, K), their strengths (K,), and mean and spread of them over the rows."""
    n, mean = moments.weight, np.where(moments.weight > 0.0, moments.mean, 0.0)
    total, present = n.sum(axis=0), (n > 0.0).sum(axis=0)
    common = (n * mean).sum(axis=0) / np.maximum(total, 1e-300)
    within, freedom = moments.ssd.sum(axis=0), total - present
    between = (n * (mean - common) ** 2).sum(axis=0)
    usual = total - (n**2).sum(axis=0) / np.maximum(total, 1e-300)  # (C − 1) times the size of a usual category
    with np.errstate(divide="ignore", invalid="ignore"):
        noise = within / freedom
        signal = (between - (present - 1) * noise) / usual
        strength = np.where((freedom > 0.0) & (signal > 0.0), np.maximum(noise / signal, LEAST_STRENGTH), np.inf)
        share = np.where(np.isinf(strength), 0.0, n / (n + strength))
    values = rounded(common + share * (mean - common))
    centre = rounded((n * values).sum(axis=0) / np.maximum(total, 1e-300))
    spread = rounded(np.sqrt((n * (values - centre) ** 2).sum(axis=0) / np.maximum(total, 1e-300)))
    return np.vstack([values, rounded(common)]), rounded(strength), centre, spread
