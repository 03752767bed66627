"""The schema pass: what each column holds, found by one reduce like any other.

A column's profile counts numbers, words and missing cells, keeps the range, and keeps distinct values up to a cap.
Kinds only widen: whole numbers, numbers, words. The kind is decided once, on the profile of all rows, so that it
depends neither on row order nor on how the rows were cut.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from novacula.errors import DataError, SchemaError
from novacula.table.arrow import as_floats, is_marker, is_textual, plain, trimmed
from novacula.table.schema import Category, Column, Schema, category_order
from novacula.table.source import Partition

MAX_CATEGORIES = 10_000
"""Distinct words up to which a column is categorical; with more it is text."""
MAX_DECLARED = 1_000_000
"""Distinct values up to which a column may be declared categorical."""
MAX_MIXED = 100
"""Distinct values up to which a column of numbers and a few words is taken to be categorical on purpose."""
TEXT_WORDS = 3.0
"""Words a value, on average, from which a column of mostly distinct values is text."""

_NUMBER = r"^[-+]?(\d+\.?\d*([eE][-+]?\d+)?|\.\d+([eE][-+]?\d+)?|inf|Inf|infinity)$"


@dataclass(frozen=True, slots=True)
class ColumnProfile:
    """Counts, range and up to `cap` distinct values of one column: its size does not grow with rows."""

    rows: int = 0
    missing: int = 0
    numbers: int = 0
    whole: bool = True
    low: float = math.inf
    high: float = -math.inf
    words: int = 0
    first_word: str | None = None
    spaces: int = 0
    values: Mapping[Any, int] | None = field(default_factory=dict)  # None: more than the cap
    cap: int = MAX_CATEGORIES

    def __add__(self, other: Self) -> Self:
        return type(self)(
            self.rows + other.rows,
            self.missing + other.missing,
            self.numbers + other.numbers,
            self.whole and other.whole,
            min(self.low, other.low),
            max(self.high, other.high),
            self.words + other.words,
            other.first_word if self.first_word is None else self.first_word,
            self.spaces + other.spaces,
            _merge(self.values, other.values, self.cap),
            self.cap,
        )


@dataclass(frozen=True, slots=True)
class Profile:
    """A profile a column: size proportional to the columns, whatever the number of rows."""

    columns: tuple[ColumnProfile, ...]

    def __add__(self, other: Self) -> Self:
        return type(self)(tuple(a + b for a, b in zip(self.columns, other.columns, strict=True)))


def profile_partition(partition: Partition, names: Sequence[str], schema: Schema, caps: Sequence[int]) -> Profile:
    """Profile the named columns of a partition."""
    total = Profile(tuple(ColumnProfile(cap=cap) for cap in caps))
    markers = [schema.markers(name) for name in names]
    for batch in partition.batches(names, raw=True):
        columns = zip(batch.columns, markers, caps, strict=True)
        total = total + Profile(tuple(profile_column(plain(values), marks, cap) for values, marks, cap in columns))
    return total


def profile_column(values: Any, markers: Sequence[str], cap: int) -> ColumnProfile:
    """Profile one Arrow array."""
    if is_textual(values.type):
        return _profile_words(values, markers, cap)
    known = values.drop_null()
    if pa.types.is_null(values.type) or len(known) == 0:
        return ColumnProfile(len(values), len(values), cap=cap)
    numbers = as_floats(known)
    numbers = numbers[~np.isnan(numbers)]
    missing = len(values) - len(numbers)
    return _of_numbers(numbers, len(values), missing, _distinct(known, cap), cap)


def _profile_words(values: Any, markers: Sequence[str], cap: int) -> ColumnProfile:
    text = trimmed(values)
    known = text.filter(pc.invert(is_marker(text, markers)))
    missing = len(text) - len(known)
    distinct = _distinct(known, cap)
    try:
        numbers = np.asarray(known.cast(pa.float64()))
    except pa.ArrowInvalid:
        pass
    else:
        if not np.isnan(numbers).any():
            return _of_numbers(numbers, len(text), missing, distinct, cap)
    is_number = pc.match_substring_regex(known, _NUMBER)
    words = known.filter(pc.invert(is_number))
    numbers = np.asarray(known.filter(is_number).cast(pa.float64()))
    part = _of_numbers(numbers, len(text), missing, distinct, cap)
    if not len(words):
        return part
    spaces = int(pc.sum(pc.count_substring(words, " ")).as_py())
    return part + ColumnProfile(words=len(words), first_word=words[0].as_py(), spaces=spaces, cap=cap)


def _of_numbers(numbers: Any, rows: int, missing: int, distinct: Any, cap: int) -> ColumnProfile:
    if len(numbers) == 0:
        return ColumnProfile(rows, missing, values=distinct, cap=cap)
    low, high = float(numbers.min()), float(numbers.max())
    whole = bool(math.isfinite(low + high) and np.array_equal(numbers, np.trunc(numbers)))
    return ColumnProfile(rows, missing, len(numbers), whole, low, high, values=distinct, cap=cap)


def _distinct(known: Any, cap: int) -> dict[Any, int] | None:
    """Distinct values with their counts, or None where there are more than the cap."""
    if len(known) > 2 * cap and pc.count_distinct(known.slice(0, 2 * cap)).as_py() > cap:
        return None
    counted = known.value_counts()
    if len(counted) > cap:
        return None
    pairs = zip(counted.field(0).to_pylist(), counted.field(1).to_pylist(), strict=True)
    return {value: count for value, count in pairs if value == value}


def _merge(left: Mapping[Any, int] | None, right: Mapping[Any, int] | None, cap: int) -> Mapping[Any, int] | None:
    if left is None or right is None:
        return None
    if not left or not right:
        return left or right
    merged = dict(left)
    for value, times in right.items():
        merged[value] = merged.get(value, 0) + times
    return merged if len(merged) <= cap else None


def decide(column: Column, profile: ColumnProfile, asked: str | None, textual: bool) -> Column:
    """Turn a profile into a column: the kind that was asked for, or the one that the values show."""
    kind = asked or _kind_of(column.name, profile, textual)
    known = profile.rows - profile.missing
    note = "no values" if not known else "one value only" if profile.values is not None and len(profile.values) == 1 else ""
    low, high = (profile.low, profile.high) if profile.numbers and kind == "numeric" else (None, None)
    categories: tuple[Category, ...] = column.categories
    if kind == "categorical" and not column.declared:
        categories = _categories(column.name, profile, textual)
    if kind == "numeric" and profile.words:
        raise DataError(
            f"column {column.name!r} was declared numeric, but {profile.words} of its values are not, the first of "
            f"which is {profile.first_word!r}: name it in missing=, or declare the column categorical"
        )
    return Column(column.name, kind, categories, column.declared, profile.missing, low, high, note=note)  # type: ignore[arg-type]


def _kind_of(name: str, profile: ColumnProfile, textual: bool) -> str:
    if not profile.words:
        return "numeric"
    distinct = None if profile.values is None else len(profile.values)
    if profile.numbers > profile.words and textual and (distinct is None or distinct > MAX_MIXED):
        raise DataError(
            f"column {name!r} holds {profile.numbers} numbers and {profile.words} other values, the first of which is "
            f"{profile.first_word!r}: name it in missing=, or say types={{{name!r}: 'categorical'}} or 'text'"
        )
    if distinct is None:
        return "text"
    many = distinct > max(20, profile.rows // 10)
    return "text" if many and profile.spaces >= (TEXT_WORDS - 1) * profile.words else "categorical"


def _categories(name: str, profile: ColumnProfile, textual: bool) -> tuple[Category, ...]:
    if profile.values is None:
        raise SchemaError(f"column {name!r} has more than {profile.cap:,} distinct values: too many for categories")
    if profile.words or not textual:
        return category_order(v if isinstance(v, (str, int, float)) else str(v) for v in profile.values)
    numbers = {float(value) for value in profile.values}
    return category_order({int(value) for value in numbers} if profile.whole else numbers)
