"""From the profile of a column to its kind, its categories and a note: rules that see all rows at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import pyarrow as pa

from novacula.advice import advice_on_words, option
from novacula.errors import DataError, SchemaError
from novacula.table.arrow import word_of
from novacula.table.dates import DateOrder
from novacula.table.decimal_mark import grouping_style, is_open, mark_of
from novacula.table.notes import ReadingNote
from novacula.table.profile import ColumnProfile
from novacula.table.schema import Category, Column, Kind, category_order
from novacula.table.source import TextHabits
from novacula.table.spelling import COMMA_STYLES, POINT_STYLES, NumberStyle, Spelling, is_date_order, spelled_numbers

MAX_CATEGORIES = 10_000
"""Distinct words up to which a column is categorical; with more it is text."""
MAX_DECLARED = 1_000_000
"""Distinct values up to which a column may be declared categorical."""
MAX_MIXED = 20
"""Distinct values up to which a column of numbers and a few words is taken to be categorical on purpose."""
FEW_MIXED = 10
"""The same of short columns, in which few values come again."""
TEXT_WORDS = 3
"""Words a value, on average, from which a column of mostly distinct values is text."""


class OddValue(NamedTuple):
    """A value that is not what the others of its column are, and where it stands."""

    word: str
    place: str

    def __str__(self) -> str:
        return f"{self.word!r} in {self.place}"


Finder = Callable[[Spelling | None], OddValue]
"""Finds the first value of a column that is not spelled so; it may have to read again."""


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
            odd = find(column.spelling)
            contents = f"{_times(profile.words, 'other value')}, the first being {odd}"
            raise DataError(f"{what} holds {contents}: {advice_on_words(column.name, odd.word)}")
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
        return max(_dates_first(profile), key=profile.spelled_so, default=None)
    style = _style_of(profile, source) if source.is_text else None
    if style is not None:
        return style
    if profile.words and wanted.kind is None:
        return next((order for order in _dates_first(profile) if profile.fits(order)), None)
    return _most_common_style(profile, source) if source.is_text and wanted.kind == "numeric" else None


def _style_of(profile: ColumnProfile, source: TextHabits) -> NumberStyle | None:
    """The style that all values have; None if they are plain, or not all numbers."""
    styles = [style for style in _styles(source) if profile.fits(style)]
    if not styles or not (profile.words or source.decimal == "," or is_open(profile)):
        return None
    style = styles[0]
    is_settled = source.decimal is not None or source.shown_decimal is not None
    if is_open(profile) and not is_settled and (profile.words or source.likely_decimal == ","):
        style = grouping_style(profile) or (style if profile.words else POINT_STYLES[0])
    return style if profile.words or style in COMMA_STYLES else None


def _most_common_style(profile: ColumnProfile, source: TextHabits) -> NumberStyle | None:
    """The style that most values have, where it is more than are plain numbers."""
    if not profile.words:
        return None
    style = max(_styles(source), key=profile.spelled_so)
    return style if profile.spelled_so(style) > profile.numbers else None


def _dates_first(profile: ColumnProfile) -> list[DateOrder]:
    """Orders of dates that some values have; the month stands before the day where nothing speaks against it."""
    orders: tuple[DateOrder, ...] = ("year-month-day", "month-day-year", "day-month-year")
    return [order for order in orders if order in profile.spelled]


def _styles(source: TextHabits) -> tuple[NumberStyle, ...]:
    """Ways to write numbers, the likely ones first."""
    if source.decimal is not None:
        return COMMA_STYLES if source.decimal == "," else POINT_STYLES
    comma_first = (source.shown_decimal or source.likely_decimal) == ","
    return COMMA_STYLES + POINT_STYLES if comma_first else POINT_STYLES + COMMA_STYLES


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
    if column.kind == "numeric" and source.decimal is None and source.is_text:
        return _style_note(column, profile, source)
    if column.kind == "numeric" or wanted.kind is not None or not profile.words:
        return None
    return _mixture_note(column, profile, source, find)


def _style_note(column: Column, profile: ColumnProfile, source: TextHabits) -> ReadingNote | None:
    """Of a column of numbers: how they are written, and what else they could be."""
    style, name = column.spelling, column.name
    read = "plain numbers" if style is None else f"numbers that are written like {style}"
    is_weak = source.shown_decimal is None and is_open(profile)
    if not is_weak or source.likely_decimal == ".":
        return None if style is None else ReadingNote(f"column {name!r} is read as {read}", name, is_weak=is_weak)
    other = f"say {option('decimal', '.' if mark_of(style) == ',' else ',')}"
    if (style or POINT_STYLES[0]) == grouping_style(profile):
        why = "since those below a thousand have no mark"
        sentence = f"column {name!r} is read as {read}, {why}: {other} if it ends the whole part"
        return ReadingNote(sentence, name, is_weak=True)
    mark = "comma" if profile.words else "point"
    unsettled = f"though no value shows whether a {mark} ends the whole part or groups thousands"
    sentence = f"column {name!r} is read as {read}, {unsettled}: {other} if it groups thousands"
    return ReadingNote(sentence, name, is_doubtful=True, is_weak=True)


def _mixture_note(column: Column, profile: ColumnProfile, source: TextHabits, find: Finder) -> ReadingNote | None:
    """Of a column of words that is mostly numbers, or mostly dates."""
    if profile.values is not None and len(profile.values) <= max(FEW_MIXED, min(MAX_MIXED, profile.known // 2)):
        return None
    spelling, most = _most_common(profile, source)
    if 2 * most <= profile.known:
        return None
    odd = find(spelling)
    what = "date" if spelling is not None and is_date_order(spelling) else "number"
    mixture = f"{_times(most, what)} and {_times(profile.known - most, 'other value')}, the first being {odd}"
    read = "categories" if column.kind == "categorical" else "text"
    missing = f"if such values are missing ones, say {option('missing', [odd.word])}"
    advice = "write all of them in one way" if spelled_numbers(pa.array([odd.word])) else missing
    return ReadingNote(f"column {column.name!r} holds {mixture}; it is read as {read}: {advice}", column.name)


def _most_common(profile: ColumnProfile, source: TextHabits) -> tuple[Spelling | None, int]:
    """How most values are spelled that are spelled alike, and how many they are; plainly where that is as many."""
    counts: dict[Spelling | None, int] = {None: profile.numbers if source.is_text else 0}
    spellings: list[Spelling] = [*(_styles(source) if source.is_text else ()), *_dates_first(profile)]
    counts |= {spelling: profile.spelled_so(spelling) for spelling in spellings}
    spelling = max(counts, key=counts.__getitem__)
    return spelling, counts[spelling]


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
