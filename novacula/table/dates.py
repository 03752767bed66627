"""Dates and times in text as seconds since the beginning of 1970: in which order day, month and year may stand.

    2024-02-29   2024/2/29 13:05   2024-02-29T13:05:10.5Z   29.2.2024   2/29/2024 1:05 pm   29/02/24

Without an offset a time is taken to be UTC, as columns of times without a zone are. A year of two digits is from 1969
to 2068.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from novacula.table.chunk import Floats

DateOrder: TypeAlias = Literal["year-month-day", "day-month-year", "month-day-year"]
DATE_ORDERS: tuple[DateOrder, ...] = get_args(DateOrder)

_GAP = r"[-/.]"
_TIME = (
    r"(?:[T ] ?(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}(?:[.,]\d{1,9})?))?"
    r" ?(?P<half>[AaPp][Mm])? ?(?P<zone>[Zz]|UTC|GMT|[+-]\d{2}:?\d{2})?)?"
)
_PARTS = {
    "year": r"(?P<year>\d{4})",
    "short year": r"(?P<year>\d{4}|\d{2})",
    "month": r"(?P<month>\d{1,2})",
    "day": r"(?P<day>\d{1,2})",
}
_FIRST_SHORT_YEAR = 69
_PLAIN_LENGTHS = (10, 16, 19)  # of 2024-02-29, with 13:05, with 13:05:10
_LIMIT = 6.2e10  # seconds from 1970 to the year 1


@cache
def date_pattern(order: DateOrder) -> str:
    """What dates in an order look like: a regular expression with a name for each part."""
    names = order.split("-")
    parts = [_PARTS["short year" if name == "year" and names[0] != "year" else name] for name in names]
    return f"^{_GAP.join(parts)}{_TIME}$"


def seconds_of(words: Any, order: DateOrder) -> Floats:
    """Trimmed strings as seconds since 1970, NaN where a string is no date in this order.

    >>> words = pa.array(["1970-01-02", "1970/1/1 01:00", "1970-01-01T00:00:00+01:00", "1970-02-30", "soon"])
    >>> seconds_of(words, "year-month-day").tolist()
    [86400.0, 3600.0, -3600.0, nan, nan]
    """
    if order == "year-month-day" and (plain := _plain_seconds(words)) is not None:
        return plain
    found = pc.extract_regex(words, date_pattern(order))
    matched = np.asarray(found.is_valid())
    seconds = np.full(len(words), np.nan)
    if matched.any():
        seconds[matched] = _seconds(found.filter(pa.array(matched)))
    return seconds


def _plain_seconds(words: Any) -> Floats | None:
    """The seconds where all strings are as Arrow reads them too, some ten times faster; None if not all are."""
    if not pc.all(pc.is_in(pc.utf8_length(words), pa.array(_PLAIN_LENGTHS, pa.int32()))).as_py():
        return None
    try:
        moments = words.cast(pa.timestamp("s"))
    except pa.ArrowInvalid:
        return None
    return np.asarray(moments.cast(pa.int64()).cast(pa.float64()).to_numpy(zero_copy_only=False))


def moments_of(seconds: Floats) -> Any:
    """Seconds since 1970 as Arrow's timestamps, to the millisecond, NaN as null.

    >>> moments_of(np.array([86400.5, np.nan])).to_pylist()
    [datetime.datetime(1970, 1, 2, 0, 0, 0, 500000), None]
    """
    known = np.abs(seconds) < _LIMIT  # what Python's calendar holds
    thousandths = np.round(np.where(known, seconds, 0.0) * 1000.0).astype(np.int64)
    return pa.array(thousandths, pa.int64(), mask=~known).cast(pa.timestamp("ms"))


def _seconds(found: Any) -> Floats:
    """The seconds of what a pattern found in each of several strings; NaN for days that no calendar has."""
    year, month, day = (_number(found, name) for name in ("year", "month", "day"))
    short = np.asarray(pc.equal(pc.utf8_length(_text(found, "year")), 2))
    year = np.where(short, np.where(year < _FIRST_SHORT_YEAR, 2000.0, 1900.0) + year, year)
    known = (year >= 1.0) & (month >= 1.0) & (month <= 12.0) & (day >= 1.0)
    first = np.where(known, (year - 1970.0) * 12.0 + month - 1.0, 0.0).astype(np.int64).astype("datetime64[M]")
    date = first.astype("datetime64[D]") + np.where(known, day - 1.0, 0.0).astype(np.int64)
    known &= date.astype("datetime64[M]") == first
    hour, minute, second = (_number(found, name) for name in ("hour", "minute", "second"))
    half = pc.utf8_lower(_text(found, "half"))
    is_half = np.asarray(pc.not_equal(half, ""))
    known &= np.where(is_half, (hour >= 1.0) & (hour <= 12.0), hour <= 23.0) & (minute <= 59.0) & (second < 60.0)
    hour = np.where(is_half, hour % 12.0 + 12.0 * np.asarray(pc.equal(half, "pm")), hour)
    seconds = date.astype(np.int64) * 86_400.0 + hour * 3600.0 + minute * 60.0 + second
    return np.where(known, seconds - _offset(_text(found, "zone")), np.nan)


def _text(found: Any, name: str) -> Any:
    return pc.fill_null(found.field(name), "")


def _number(found: Any, name: str) -> Floats:
    digits = pc.replace_substring(_text(found, name), ",", ".")
    return np.asarray(pc.if_else(pc.equal(digits, ""), "0", digits).cast(pa.float64()))


def _offset(zones: Any) -> Floats:
    """The seconds that zones such as +05:30 are ahead of UTC."""
    digits = pc.replace_substring(pc.replace_substring(zones, ":", ""), "+", "0")
    numbered = np.asarray(pc.equal(pc.utf8_length(digits), 5))
    if not numbered.any():
        return np.zeros(len(zones))
    amount = np.asarray(pc.if_else(pa.array(numbered), digits, "0").cast(pa.int64()))
    hours, minutes = np.divmod(np.abs(amount), 100)
    return np.sign(amount) * (hours * 3600.0 + minutes * 60.0)
