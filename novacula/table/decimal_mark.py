"""Which mark ends the whole part of the numbers of a text, where nobody said so: what its columns show together.

    500   990   1.010      beside a column of 12,5 these are 500, 990 and 1010, beside one of 12.5 1.01 is the last

A column shows a mark if most of its values are numbers with it, and fewer with the other one. A column is open if all
of its values are numbers with either mark, and not the same ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, TypeAlias

from novacula.table.profile import ColumnProfile
from novacula.table.schema import Schema
from novacula.table.spelling import COMMA_STYLES, POINT_STYLES, NumberStyle, Spelling

DecimalMark: TypeAlias = Literal[".", ","]

THOUSAND = 1000.0


def mark_of(spelling: Spelling | None) -> DecimalMark:
    """What ends the whole part of numbers in a spelling; a point where they are plain.

    >>> mark_of("1.234,5"), mark_of(None)
    (',', '.')
    """
    return "," if spelling in COMMA_STYLES else "."


def shown_mark(profiles: Iterable[ColumnProfile]) -> DecimalMark | None:
    """The mark that columns show; None if none of them does, or they show both."""
    marks = {mark for mark in map(_mark_shown_by, profiles) if mark is not None}
    return marks.pop() if len(marks) == 1 else None


def _mark_shown_by(profile: ColumnProfile) -> DecimalMark | None:
    for point, comma in zip(POINT_STYLES, COMMA_STYLES, strict=True):
        with_point, with_comma = profile.spelled_so(point), profile.spelled_so(comma)
        if with_point != with_comma and 2 * max(with_point, with_comma) > profile.known:
            return "." if with_point > with_comma else ","
    return None


def fitted_mark(profiles: Mapping[str, ColumnProfile], fitted: Schema) -> DecimalMark | None:
    """The mark that open columns had at the fit of a model; None if there is none, or they had both.

    Numbers that were plain at the fit say what a point is here, and nothing of a comma.
    """
    known = {column.name: column.spelling for column in fitted.features if column.kind == "numeric"}
    spoken = (name for name, profile in profiles.items() if name in known and is_open(profile))
    marks = {mark_of(known[name]) for name in spoken if known[name] is not None or not profiles[name].words}
    return marks.pop() if len(marks) == 1 else None


def open_styles(profile: ColumnProfile) -> tuple[NumberStyle, NumberStyle] | None:
    """The two styles, with a point and with a comma, of which only other columns can say which one it is."""
    styles = zip(POINT_STYLES, COMMA_STYLES, strict=True)
    fitting = (pair for pair in styles if profile.fits(pair[0]) and profile.fits(pair[1]))
    return next(fitting, None) if profile.alike < profile.known else None


def is_open(profile: ColumnProfile) -> bool:
    """Whether the column may be read with either mark, to other numbers."""
    return open_styles(profile) is not None


def grouping_style(profile: ColumnProfile) -> NumberStyle | None:
    """The style in which the marks of an open column group thousands, if smaller numbers have no mark."""
    styles = open_styles(profile)
    if styles is None or not profile.alike or not below_thousand(profile):
        return None
    return max(styles, key=lambda style: max(map(abs, profile.spelled[style][1:])))


def below_thousand(profile: ColumnProfile) -> bool:
    """Whether all plain numbers are below a thousand, as they are where marks group thousands."""
    return profile.low > -THOUSAND and profile.high < THOUSAND
