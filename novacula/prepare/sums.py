"""What a preparation needs to know about the rows, from one pass: moments, categories, gaps, words and classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from novacula.prepare.words import word_cutter
from novacula.statistics import Bundle, ClassMoments, ClassTotals, Contingency, QuantileSketch, Vocabulary
from novacula.statistics.base import Statistic
from novacula.table import Chunk, Schema
from novacula.table.chunk import Floats


@dataclass(frozen=True, slots=True, eq=False)
class Gaps(Statistic):
    """The weight of missing values in each numeric and categorical column: size d + c, for any number of rows."""

    numeric: Floats  # (d,)
    coded: Floats  # (c,)

    @classmethod
    def zero(cls, n_numeric: int, n_coded: int) -> Self:
        """No rows."""
        return cls(np.zeros(n_numeric), np.zeros(n_coded))

    @classmethod
    def observe(cls, chunk: Chunk) -> Self:
        """The weight of the rows in which each column is empty."""
        return cls(chunk.weight @ np.isnan(chunk.numeric), chunk.weight @ (chunk.codes < 0))

    def __add__(self, other: Self) -> Self:
        return type(self)(self.numeric + other.numeric, self.coded + other.coded)


@dataclass(frozen=True, slots=True, eq=False)
class ColumnLimits(Statistic):
    """The least and the largest number of each column, infinite where there is none: 2d numbers for any rows."""

    low: Floats  # (d,)
    high: Floats  # (d,)

    @classmethod
    def zero(cls, n_numeric: int) -> Self:
        """No rows."""
        return cls(np.full(n_numeric, np.inf), np.full(n_numeric, -np.inf))

    @classmethod
    def observe(cls, chunk: Chunk) -> Self:
        """The limits of what is not missing."""
        gap = np.isnan(chunk.numeric)
        low = np.where(gap, np.inf, chunk.numeric).min(axis=0, initial=np.inf)
        return cls(low, np.where(gap, -np.inf, chunk.numeric).max(axis=0, initial=-np.inf))

    def __add__(self, other: Self) -> Self:
        return type(self)(np.minimum(self.low, other.low), np.maximum(self.high, other.high))


@dataclass(frozen=True)
class PreparationSums:
    """The sums of one pass over all rows of weight above 0."""

    moments: ClassMoments  # of one class
    categories: Contingency  # of one class
    gaps: Gaps
    classes: Floats  # the weight of each class, empty without classes
    words: tuple[Vocabulary, ...]  # of each text column whose words are counted
    limits: ColumnLimits | None = None  # where they are asked for
    values: QuantileSketch | None = None  # of the numbers, where medians are asked for

    @classmethod
    def of(cls, table: Any, counts_words: bool, finds_limits: bool = False, finds_medians: bool = False) -> Self:
        """The sums over a table."""
        n_classes = _n_classes(table.layout)
        n_texts = len(table.layout.of_kind("text")) if counts_words else 0
        sizes = tuple(len(column.categories) for column in table.layout.of_kind("categorical"))
        parts = table.reduce(observe, sizes, n_classes, n_texts, finds_limits, finds_medians).parts
        moments, categories, gaps, totals, *words = parts
        values = words.pop() if finds_medians else None
        limits = words.pop() if finds_limits else None
        classes = totals.weight if n_classes else np.empty(0)
        return cls(moments, categories, gaps, classes, tuple(words), limits, values)

    @property
    def medians(self) -> Floats:
        """The middle number of each column, halfway between the two middle ones where they are even; 0 of none."""
        assert self.values is not None  # noqa: S101  (they are asked for)
        lower, upper = self.values.quantile(np.array([0.5, np.nextafter(0.5, 1.0)]))[:, 0]
        return np.nan_to_num(lower + (upper - lower) / 2.0)


def observe(
    chunk: Chunk,
    sizes: tuple[int, ...],
    n_classes: int,
    n_texts: int,
    finds_limits: bool = False,
    finds_medians: bool = False,
) -> Bundle:
    """The sums over a chunk."""
    rows = chunk.counted()
    parts: list[Statistic] = [
        ClassMoments.observe(rows),
        Contingency.observe(rows, 1, sizes),
        Gaps.observe(rows),
        ClassTotals.observe_numeric(rows, max(n_classes, 1), ()),
    ]
    parts += [Vocabulary.observe_words(rows, 1, column, word_cutter()) for column in range(n_texts)]
    parts += [ColumnLimits.observe(rows)] if finds_limits else []
    parts += [QuantileSketch.observe(rows)] if finds_medians else []
    return Bundle(tuple(parts))


def _n_classes(layout: Schema) -> int:
    targets = layout.target_columns
    return len(targets[0].categories) if len(targets) == 1 and targets[0].kind == "categorical" else 0
