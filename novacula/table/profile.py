"""The schema pass: what each column holds, found by one reduce like any other.

A profile counts numbers, words and missing cells, keeps the range, and keeps distinct values up to a cap. The
kind is decided once, on the profile of all rows: it depends neither on their order nor on how they are cut.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from novacula.table.arrow import (
    as_floats,
    is_marker,
    matrix_of,
    number_markers,
    numbers_of,
    read_numbers,
    trimmed,
)
from novacula.table.chunk import Floats
from novacula.table.encode import side_by_side
from novacula.table.schema import Schema
from novacula.table.source import Partition, is_textual


@dataclass(frozen=True, slots=True)
class ColumnProfile:
    """Counts, range and up to `cap` distinct values of one column: its size does not grow with rows."""

    rows: int = 0
    missing: int = 0
    words: int = 0  # known values that are no numbers
    spaces: int = 0  # within those words
    low: float = math.inf
    high: float = -math.inf
    values: Any = None  # distinct known values as an Arrow array, text trimmed; None: more than the cap
    cap: int = 0

    @property
    def numbers(self) -> int:
        """Known values that are numbers."""
        return self.rows - self.missing - self.words

    @property
    def distinct(self) -> int | None:
        """Distinct values, where they were kept."""
        return None if self.values is None else len(self.values)

    def __add__(self, other: Self) -> Self:
        return type(self)(
            self.rows + other.rows,
            self.missing + other.missing,
            self.words + other.words,
            self.spaces + other.spaces,
            min(self.low, other.low),
            max(self.high, other.high),
            _union(self.values, other.values, self.cap),
            self.cap,
        )


@dataclass(frozen=True, slots=True)
class NumberProfile:
    """Counts and ranges of d columns of numbers: size 4d, whatever the number of rows."""

    rows: int
    missing: Any  # (d,) counts
    words: Any  # (d,) counts of values that are no numbers, where the columns are text
    low: Floats  # (d,)
    high: Floats  # (d,)

    @classmethod
    def observe(cls, columns: Sequence[Any], rows: int, markers: Sequence[tuple[str, ...]]) -> Self:
        """Profile columns that are numbers, or text that should be."""
        marked = any(map(number_markers, set(markers)))
        matrix = None if marked else matrix_of(columns)
        words = np.zeros(len(columns), np.int64)
        if matrix is None:
            pairs = [numbers_of(values, marks) for values, marks in zip(columns, markers, strict=True)]
            words = np.array([0 if wrong is None else wrong.sum() for _, wrong in pairs], np.int64)
            matrix = side_by_side([numbers for numbers, _ in pairs], rows, np.float64)
        missing = np.count_nonzero(np.isnan(matrix), axis=0) - words
        low = np.fmin.reduce(matrix, axis=0, initial=np.inf)
        return cls(rows, missing, words, low, np.fmax.reduce(matrix, axis=0, initial=-np.inf))

    def __add__(self, other: Self) -> Self:
        low, high = np.minimum(self.low, other.low), np.maximum(self.high, other.high)
        missing, words = self.missing + other.missing, self.words + other.words
        return type(self)(self.rows + other.rows, missing, words, low, high)

    def column(self, j: int) -> ColumnProfile:
        """The profile of one column."""
        missing, words = int(self.missing[j]), int(self.words[j])
        return ColumnProfile(self.rows, missing, words, 0, float(self.low[j]), float(self.high[j]))


@dataclass(frozen=True, slots=True)
class Profile:
    """The profiles of columns of numbers, taken together, and of each other column."""

    numbers: NumberProfile
    others: tuple[ColumnProfile, ...]

    def __add__(self, other: Self) -> Self:
        others = tuple(a + b for a, b in zip(self.others, other.others, strict=True))
        return type(self)(self.numbers + other.numbers, others)


@dataclass(frozen=True, slots=True)
class Task:
    """What a pass looks at: columns taken for numbers, and others with the cap of their distinct values."""

    schema: Schema  # kinds say how text is parsed; markers say what is missing
    numbers: tuple[str, ...]
    others: tuple[str, ...]
    caps: tuple[int, ...]

    def profile(self, partition: Partition) -> Profile:
        """Profile a partition."""
        total = None
        for batch in partition.batches([*self.numbers, *self.others], self.schema):
            part = self._observe(batch)
            total = part if total is None else total + part
        return total or self._nothing()

    def _observe(self, batch: Any) -> Profile:
        columns = dict(zip(batch.schema.names, batch.columns, strict=True))
        marks = self.schema.markers
        numbers = NumberProfile.observe(
            [columns[name] for name in self.numbers], batch.num_rows, [marks(name) for name in self.numbers]
        )
        capped = zip(self.others, self.caps, strict=True)
        others = tuple(profile_column(columns[name], marks(name), cap) for name, cap in capped)
        return Profile(numbers, others)

    def _nothing(self) -> Profile:
        d = len(self.numbers)
        counts = np.zeros(d, np.int64)
        numbers = NumberProfile(0, counts, counts, np.full(d, np.inf), np.full(d, -np.inf))
        return Profile(numbers, tuple(ColumnProfile(values=pa.array([]), cap=cap) for cap in self.caps))


def profile_column(values: Any, markers: tuple[str, ...], cap: int) -> ColumnProfile:
    """Profile one Arrow array: words by the distinct ones among them, anything else value by value."""
    if is_textual(values.type):
        values = values.dictionary_encode()
    if pa.types.is_dictionary(values.type):
        if is_textual(values.type.value_type):
            return _profile_words(values, markers, cap)
        values = values.dictionary_decode()
    floats = as_floats(values)
    known = ~np.isnan(floats) & ~np.isin(floats, number_markers(markers))
    low, high = _range(floats[known])
    missing = len(values) - int(known.sum())
    distinct = _capped(values.filter(pa.array(known)), cap)
    return ColumnProfile(len(values), missing, low=low, high=high, values=distinct, cap=cap)


def _profile_words(values: Any, markers: tuple[str, ...], cap: int) -> ColumnProfile:
    words = trimmed(values.dictionary)
    times = np.bincount(np.asarray(values.indices.drop_null().cast(pa.int64())), minlength=len(words))
    known = ~np.asarray(is_marker(words, markers)) & (times > 0)
    words, times = words.filter(pa.array(known)), times[known]
    numbers, wrong = read_numbers(words, ())
    missing = len(values) - int(times.sum())
    low, high = _range(numbers[~np.isnan(numbers)])
    count = spaces = 0
    if wrong is not None:
        count = int(times[wrong].sum())
        spaces = int(times[wrong] @ np.asarray(pc.count_substring(words, " "))[wrong])
    return ColumnProfile(len(values), missing, count, spaces, low, high, _capped(words, cap), cap)


def _range(numbers: Floats) -> tuple[float, float]:
    return (float(numbers.min()), float(numbers.max())) if len(numbers) else (math.inf, -math.inf)


def _capped(values: Any, cap: int) -> Any:
    distinct = values.unique() if cap else values
    return distinct if cap and len(distinct) <= cap else None


def _union(left: Any, right: Any, cap: int) -> Any:
    if left is None or right is None:
        return None
    if len(left) == 0 or len(right) == 0:
        return left if len(left) else right
    if left.type != right.type:  # files that store the same numbers in different types
        left, right = left.cast(pa.float64(), safe=False), right.cast(pa.float64(), safe=False)
    return _capped(pa.concat_arrays([left, right]), cap)
