"""From the profile of a column to its kind, its categories and a note: rules that see all rows at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from novacula.errors import DataError, SchemaError
from novacula.table.arrow import word_of
from novacula.table.profile import ColumnProfile
from novacula.table.schema import Category, Column, Kind, category_order

MAX_CATEGORIES = 10_000
"""Distinct words up to which a column is categorical; with more it is text."""
MAX_DECLARED = 1_000_000
"""Distinct values up to which a column may be declared categorical."""
MAX_MIXED = 100
"""Distinct values up to which a column of numbers and a few words is taken to be categorical on purpose."""
TEXT_WORDS = 3
"""Words a value, on average, from which a column of mostly distinct values is text."""

Finder = Callable[[], str]
"""Says where the first word of a column stands, and what it is; it may have to read the column again."""


def decide(column: Column, profile: ColumnProfile, wanted: Kind | None, textual: bool, find: Finder) -> Column:
    """Settle a column: the kind that was asked for, or the one that the values show."""
    kind = wanted or _kind_of(column.name, profile, textual, find)
    if kind == "categorical" and not column.declared:
        column = replace(column, categories=_categories(column.name, profile, textual))
    return count(replace(column, kind=kind), profile, find)


def count(column: Column, profile: ColumnProfile, find: Finder) -> Column:
    """Fill in what was counted, and leave the rest of a column as it is."""
    low = high = None
    single = profile.values is not None and len(profile.values) == 1
    if column.kind == "numeric":
        if profile.words:
            contents = f"{_times(profile.words, 'other value')}, the first being {find()}"
            advice = f"name it in missing=, or say types={{{column.name!r}: 'categorical'}}"
            raise DataError(f"the numeric column {column.name!r} holds {contents}: {advice}")
        if profile.numbers:
            low, high = profile.low, profile.high
            single = low == high
    note = "no values" if profile.missing == profile.rows else "one value only" if single else ""
    return replace(column, missing=profile.missing, low=low, high=high, note=note)


def _kind_of(name: str, profile: ColumnProfile, textual: bool, find: Finder) -> Kind:
    if not profile.words:
        return "numeric"
    distinct = None if profile.values is None else len(profile.values)
    if profile.numbers > profile.words and textual and (distinct is None or distinct > MAX_MIXED):
        contents = f"{_times(profile.numbers, 'number')} and {_times(profile.words, 'other value')}"
        advice = f"name it in missing=, or say types={{{name!r}: 'categorical'}} or 'text'"
        raise DataError(f"column {name!r} holds {contents}, the first being {find()}: {advice}")
    if distinct is None:
        return "text"
    many = distinct > max(20, profile.rows // 10)
    return "text" if many and profile.spaces >= (TEXT_WORDS - 1) * profile.words else "categorical"


def _times(count: int, thing: str) -> str:
    return f"{count:,} {thing}{'' if count == 1 else 's'}"


def _categories(name: str, profile: ColumnProfile, textual: bool) -> tuple[Category, ...]:
    if profile.values is None:
        limit = f"more than {profile.cap:,} distinct values"
        raise SchemaError(f"column {name!r} has {limit}, too many for categories: make it text or ignored")
    values = profile.values
    if not textual:
        words = {v if isinstance(v, Category) else str(word_of(v)) for v in values}
        return category_order(map(float, words) if any(type(v) is float for v in words) else words)
    if profile.words or any(map(_is_identifier, values)):
        return category_order(values)
    numbers = {float(value) for value in values}
    return category_order(map(int, numbers) if all(n.is_integer() for n in numbers) else numbers)


def _is_identifier(value: str) -> bool:
    """Whether digits are a name rather than a number: 007 is not 7."""
    digits = value.lstrip("+-")
    return len(digits) > 1 and digits[0] == "0" and digits[1].isdigit()
