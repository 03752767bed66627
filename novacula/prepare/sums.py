"""What a preparation needs to know about the rows, from one pass: moments, categories, gaps, words and classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from novacula.learner.card import Card
from novacula.prepare.category_means import moments_by_category
from novacula.prepare.words import word_cutter
from novacula.statistics import Bundle, ClassMoments, ClassTotals, Contingency, QuantileSketch, Vocabulary
from novacula.statistics.base import Statistic
from novacula.table import Chunk, Schema
from novacula.table.chunk import Floats

MAX_CATEGORIES = 100
"""Categories of a column that get a column of their own; of more, the target's mean in each."""


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
        low = np.fmin.reduce(chunk.numeric, axis=0, initial=np.inf)
        return cls(low, np.fmax.reduce(chunk.numeric, axis=0, initial=-np.inf))

    def __add__(self, other: Self) -> Self:
        return type(self)(np.minimum(self.low, other.low), np.maximum(self.high, other.high))


@dataclass(frozen=True)
class AskedSums:
    """What the rows are added up to."""

    sizes: tuple[int, ...]  # categories of each categorical column
    n_classes: int  # of the target; 0 of numbers, or of none
    n_texts: int  # text columns whose words are counted
    many: tuple[int, ...]  # categorical columns by whose categories the target is averaged
    medians: bool


@dataclass(frozen=True)
class PreparationSums:
    """The sums of one pass over all rows of weight above 0."""

    moments: ClassMoments  # of one class
    categories: Contingency  # of one class
    gaps: Gaps
    classes: Floats  # the weight of each class, empty without classes
    limits: ColumnLimits
    words: tuple[Vocabulary, ...]  # of each text column whose words are counted
    answers: Mapping[int, ClassMoments] = field(default_factory=dict)  # of the target by category, by the column
    answer_names: tuple[str, ...] = ()
    values: QuantileSketch | None = None  # of the numbers, where medians are asked for

    @classmethod
    def of(cls, table: Any, card: Card, finds_medians: bool = False) -> Self:
        """The sums over a table that a learner with this card asks for."""
        layout: Schema = table.layout
        n_texts = 0 if "text" in card.takes else len(layout.of_kind("text"))
        sizes = tuple(len(column.categories) for column in layout.of_kind("categorical"))
        averages = bool(layout.target) and "categorical" not in card.takes
        many = tuple(j for j, size in enumerate(sizes) if averages and size > MAX_CATEGORIES)
        asked = AskedSums(sizes, _n_classes(layout), n_texts, many, finds_medians)
        parts = iter(table.reduce(observe, asked).parts)
        moments, categories, gaps, limits, totals = (next(parts) for _ in range(5))
        words = tuple(next(parts) for _ in range(n_texts))
        answers = {j: next(parts) for j in many}
        classes = totals.weight if asked.n_classes else np.empty(0)
        answers, names = _of_answers(answers, layout, classes)
        return cls(
            moments, categories, gaps, classes, limits, words, answers, names, next(parts) if finds_medians else None
        )

    @property
    def medians(self) -> Floats:
        """The middle number of each column, halfway between the two middle ones where they are even; 0 of none."""
        assert self.values is not None  # noqa: S101  (they are asked for)
        lower, upper = self.values.quantile(np.array([0.5, np.nextafter(0.5, 1.0)]))[:, 0]
        return np.nan_to_num(lower + (upper - lower) / 2.0)


def observe(chunk: Chunk, asked: AskedSums) -> Bundle:
    """The sums over a chunk."""
    rows = chunk.counted()
    parts: list[Statistic] = [
        ClassMoments.observe(rows),
        Contingency.observe(rows, 1, asked.sizes),
        Gaps.observe(rows),
        ColumnLimits.observe(rows),
        ClassTotals.observe_numeric(rows, max(asked.n_classes, 1), ()),
    ]
    parts += [Vocabulary.observe_words(rows, 1, column, word_cutter()) for column in range(asked.n_texts)]
    parts += [moments_by_category(rows, j, asked.sizes[j], asked.n_classes) for j in asked.many]
    parts += [QuantileSketch.observe(rows)] if asked.medians else []
    return Bundle(tuple(parts))


def _n_classes(layout: Schema) -> int:
    targets = layout.target_columns
    return len(targets[0].categories) if len(targets) == 1 and targets[0].kind == "categorical" else 0


def _of_answers(
    answers: dict[int, ClassMoments], layout: Schema, classes: Floats
) -> tuple[dict[int, ClassMoments], tuple[str, ...]]:
    """The moments of what a learner does not know by itself, of two classes the second; and what they are called."""
    if not len(classes):
        return answers, layout.target
    labels = np.flatnonzero(classes > 0.0)
    labels = labels[1:] if len(labels) == 2 else labels
    names = tuple(str(layout.target_columns[0].categories[k]) for k in labels)
    kept = {
        j: ClassMoments(*(np.ascontiguousarray(array[:, labels]) for array in one.arrays().values()))
        for j, one in answers.items()
    }
    return kept, names
