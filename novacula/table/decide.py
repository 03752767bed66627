"""From the profile of a column to its kind, its categories and a note: rules that see all rows at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from novacula.advice import advice_on_words, option
from novacula.errors import DataError, SchemaError
from novacula.table.arrow import word_of
from novacula.table.dates import DateOrder
from novacula.table.notes import ReadingNote
from novacula.table.profile import ColumnProfile
from novacula.table.schema import Category, Column, Kind, category_order
from novacula.table.source import TextHabits
from novacula.table.spelling import NumberStyle, Spelling, is_date_order

MAX_CATEGORIES = 10_000
"""Distinct words up to which a column is categorical; with more it is text."""
MAX_DECLARED = 1_000_000
"""Distinct values up to which a column may be declared categorical."""
MAX_MIXED = 100
"""Distinct values up to which a column of numbers and a few words is taken to be categorical on purpose."""
TEXT_WORDS = 3
"""Words a value, on average, from which a column of mostly distinct values is text."""

Finder = Callable[[Spelling | None], str]
"""Says where the first value of a column stands that is not spelled so, and what it is; it may have to read again."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a user says that a column is; a date is a number, in any order if none is stated."""

    kind: Kind | None = None
    is_date: bool = False


def decide(column: Column, profile: ColumnProfile, wanted: Wanted, source: TextHabits, find: Finder) -> Column:
    """Settle a column: the kind that was asked for, or the one that the values show."""
    spelling = _spelling_of(profile, wanted, source)
    kind: Kind = wanted.kind or ("numeric" if spelling else _kind_of(profile))
    if kind == "numeric" and spelling is not None:
        profile = profile.as_spelled(spelling)
        column = replace(column, spelling=spelling, is_time=is_date_order(spelling))
    if kind == "categorical" and not column.declared:
        column = replace(column, categories=_categories(column.name, profile, source.is_text))
    return count(replace(column, kind=kind), profile, find)


def count(column: Column, profile: ColumnProfile, find: Finder) -> Column:
    """Fill in what was counted, and leave the rest of a column as it is."""
    low = high = None
    single = profile.values is not None and len(profile.values) == 1
    if column.kind == "numeric":
        if profile.words:
            what = f"the column of dates {column.name!r}" if column.is_time else f"the numeric column {column.name!r}"
            contents = f"{_times(profile.words, 'other value')}, the first being {find(column.spelling)}"
            raise DataError(f"{what} holds {contents}: {advice_on_words(column.name)}")
        if profile.numbers:
            low, high = profile.low, profile.high
            single = low == high
    note = "no values" if profile.missing == profile.rows else "one value only" if single else ""
    return replace(column, missing=profile.missing, low=low, high=high, note=note)


def _spelling_of(profile: ColumnProfile, wanted: Wanted, source: TextHabits) -> Spelling | None:
    """How the numbers or dates of a column are spelled; None if plainly, or if they are words."""
    if wanted.kind not in (None, "numeric"):
        return None
    if wanted.is_date:
        return max(_dates_first(profile), key=lambda order: profile.spelled.get(order, (0,))[0], default=None)
    if source.is_text and (profile.words or source.decimal == ","):
        styles = [style for style in _styles(source) if profile.fits(style)]
        if styles:
            return styles[0]
    if profile.words and wanted.kind is None:
        return next((order for order in _dates_first(profile) if profile.fits(order)), None)
    return None


def _dates_first(profile: ColumnProfile) -> list[DateOrder]:
    """Orders of dates that some values have; the month stands before the day where nothing speaks against it."""
    orders: tuple[DateOrder, ...] = ("year-month-day", "month-day-year", "day-month-year")
    return [order for order in orders if order in profile.spelled]


def _styles(source: TextHabits) -> list[NumberStyle]:
    """Ways to write numbers, the likely ones first."""
    point: list[NumberStyle] = ["1,234.5", "1,234.5%"]
    comma: list[NumberStyle] = ["1.234,5", "1.234,5%"]
    if source.decimal is not None:
        return comma if source.decimal == "," else point
    return comma + point if source.likely_decimal == "," else point + comma


def _kind_of(profile: ColumnProfile) -> Kind:
    if not profile.words:
        return "numeric"
    distinct = None if profile.values is None else len(profile.values)
    if distinct is None:
        return "text"
    many = distinct > max(20, profile.rows // 10)
    return "text" if many and profile.spaces >= (TEXT_WORDS - 1) * profile.words else "categorical"


def decision_note(
    column: Column, profile: ColumnProfile, wanted: Wanted, source: TextHabits, find: Finder
) -> ReadingNote | None:
    """What was decided of a column that could have been decided otherwise; None where it is plain."""
    name = column.name
    if column.spelling is not None and is_date_order(column.spelling):
        others = [order for order in _dates_first(profile) if profile.fits(order) and order != column.spelling]
        if others:
            said = f"say {option('types', {name: others[0]})} if it is the other way round"
            unsettled = f"in the order {column.spelling}, though no value settles what is the day and what the month"
            return ReadingNote(f"column {name!r} is read as dates {unsettled}: {said}", name, is_doubtful=True)
        return ReadingNote(f"column {name!r} is read as dates ({column.spelling})", name) if not wanted.kind else None
    if column.spelling is not None and source.decimal is not None:
        return None
    if column.spelling is not None:
        return ReadingNote(f"column {name!r} is read as numbers that are written like {column.spelling}", name)
    if column.kind == "numeric" or wanted.kind is not None or not profile.words:
        return None
    return _mixture_note(column, profile, source, find)


def _mixture_note(column: Column, profile: ColumnProfile, source: TextHabits, find: Finder) -> ReadingNote | None:
    """Of a column of words that is mostly numbers, or mostly dates."""
    if profile.values is not None and len(profile.values) <= MAX_MIXED:
        return None
    order = max(_dates_first(profile), key=lambda order: profile.spelled[order][0], default=None)
    dates = 0 if order is None else profile.spelled[order][0]
    numbers = profile.numbers if source.is_text else 0
    most, what = max((numbers, "number"), (dates, "date"))
    if 2 * most <= profile.known:
        return None
    first = find(order if what == "date" else None)
    mixture = f"{_times(most, what)} and {_times(profile.known - most, 'other value')}, the first being {first}"
    read = "categories" if column.kind == "categorical" else "text"
    advice = f"if such values are missing ones, name them with {option('missing')}"
    return ReadingNote(f"column {column.name!r} holds {mixture}; it is read as {read}: {advice}", column.name)


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
