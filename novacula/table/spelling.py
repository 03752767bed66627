"""How numbers are spelled in text, where it is not as computers do: dates, decimal commas, thousands, percent, money.

    1,234.5   $1,234.50   (5)      the point ends the whole part, marks group its thousands
    1.234,5   5,00 €   EUR 5       the comma does
    1,234.5%  1.234,5%             all values in percent
    2024-02-29 and other dates     see `dates`

A column is read in such a form only if all of its values fit it. A whole part of 0 has no thousands, so that 0,125 can
only be an eighth; blanks group thousands where a currency or a fraction shows that this is a number.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from novacula.table.chunk import Floats
from novacula.table.dates import DATE_ORDERS, DateOrder, seconds_of

NumberStyle: TypeAlias = Literal["1,234.5", "1.234,5", "1,234.5%", "1.234,5%"]
NUMBER_STYLES: tuple[NumberStyle, ...] = get_args(NumberStyle)
Spelling: TypeAlias = NumberStyle | DateOrder
SPELLINGS: tuple[Spelling, ...] = (*NUMBER_STYLES, *DATE_ORDERS)

POINT_STYLES: tuple[NumberStyle, ...] = ("1,234.5", "1,234.5%")
COMMA_STYLES: tuple[NumberStyle, ...] = ("1.234,5", "1.234,5%")

_CODES = "USD|EUR|GBP|CHF|JPY|CNY|INR|AUD|CAD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|BRL|MXN|ZAR|SGD|HKD|KRW|TRY"
_MONEY = f"(?:[$€£¥₹]|{_CODES})"
_BLANKS = " \u00a0\u202f"
_BLANK = f"[{_BLANKS}]?"
_GROUPS = {".": f",'’{_BLANKS}", ",": f".'’{_BLANKS}"}
_START = rf"^(?:[-+−($€£¥₹{_GROUPS['.']}.]|{_CODES}){{0,5}}\d"
_LIKE_NUMBER = (
    rf"^[-+−(]?{_BLANK}{_MONEY}?{_BLANK}[-+−]?[\d.{_GROUPS['.']}]+(?:[eE][-+]?\d+)?{_BLANK}%?{_BLANK}{_MONEY}?\)?$"
)
_LIKENESS: tuple[tuple[str, tuple[Spelling, ...]], ...] = (
    (_LIKE_NUMBER, ("1,234.5", "1.234,5")),
    (r"^\d{4}[-/.]\d{1,2}[-/.]\d{1,2}", ("year-month-day",)),
    (r"^\d{1,2}[-/.]\d{1,2}[-/.](?:\d{2}|\d{4})(?:$|\D)", ("day-month-year", "month-day-year")),
)
"""What strings look like that may be in some spellings: a quick look that leaves few to read."""
_FIRST, _LAST = (np.datetime64(year).astype("datetime64[s]").astype(np.float64) for year in ("1500", "2500"))


def is_date_order(spelling: str) -> bool:
    """Whether a spelling is one of dates.

    >>> is_date_order("day-month-year"), is_date_order("1.234,5")
    (True, False)
    """
    return spelling in DATE_ORDERS


def is_per_cent(spelling: str | None) -> bool:
    """Whether a spelling is one of numbers in per cent.

    >>> is_per_cent("1,234.5%"), is_per_cent(None)
    (True, False)
    """
    return spelling is not None and spelling.endswith("%")


def read_spelled(words: Any, spelling: Spelling) -> Floats:
    """Trimmed strings as numbers, NaN where one is not spelled so.

    >>> read_spelled(pa.array(["1,234", "$5.00", "(7)", "1,2"]), "1,234.5").tolist()
    [1234.0, 5.0, -7.0, nan]
    >>> read_spelled(pa.array(["1.234,5", "12", "1,234.5"]), "1.234,5").tolist()
    [1234.5, 12.0, nan]
    """
    if spelling in DATE_ORDERS:
        return seconds_of(words, spelling)
    found = pc.extract_regex(words, style_pattern(spelling))
    matched = np.asarray(found.is_valid())
    numbers = np.full(len(words), np.nan)
    if matched.any():
        numbers[matched] = _styled(found.filter(pa.array(matched)))
    return numbers


def spelled_numbers(words: Any) -> dict[Spelling, Floats]:
    """What trimmed strings (n,) are in each spelling that some of them have, NaN for the others.

    Nobody said what they are: dates are of these centuries, and the day stands first where dots are behind it.
    """
    found: dict[Spelling, Floats] = {}
    start = pc.fill_null(pc.match_substring_regex(words, _START), False)
    if not pc.any(start).as_py():
        return found
    places, few = np.flatnonzero(start), words.filter(start)
    for likeness, spellings in _LIKENESS:
        likely = pc.match_substring_regex(few, likeness)
        if not pc.any(likely).as_py():
            continue
        flags, read = np.asarray(likely), few.filter(likely)
        if spellings[0] in NUMBER_STYLES and pc.any(pc.match_substring(read, "%")).as_py():
            spellings = NUMBER_STYLES
        for spelling in spellings:
            numbers = _plausible(read, spelling)
            if not np.isnan(numbers).all():
                found[spelling] = np.full(len(words), np.nan)
                found[spelling][places[flags]] = numbers
    return found


def read_alike(spelled: Mapping[Spelling, Floats], n: int) -> Any:
    """Flags of n strings that are the same number whether a point or a comma ends the whole part.

    >>> read_alike(spelled_numbers(pa.array(["950", "1.234", "2.5"])), 3).tolist()
    [True, False, False]
    """
    alike = np.zeros(n, bool)
    for point, comma in zip(POINT_STYLES, COMMA_STYLES, strict=True):
        if point in spelled and comma in spelled:
            alike |= spelled[point] == spelled[comma]
    return alike


def _plausible(words: Any, spelling: Spelling) -> Floats:
    numbers = read_spelled(words, spelling)
    if spelling not in DATE_ORDERS:
        return numbers
    known = (numbers >= _FIRST) & (numbers < _LAST)
    if spelling == "month-day-year":
        known &= ~np.asarray(pc.match_substring_regex(words, r"^\d{1,2}\."))
    return np.where(known, numbers, np.nan)


@cache
def style_pattern(style: NumberStyle) -> str:
    """What numbers in a style look like: a regular expression with a name for each part."""
    point = "," if style.startswith("1.") else "."
    whole = rf"(?P<whole>[1-9]\d{{0,2}}(?:[{_GROUPS[point]}]\d{{3}})+|\d*)"
    fraction = rf"(?:\{point}(?P<fraction>\d*))?(?P<exponent>[eE][-+]?\d{{1,3}})?"
    percent = f"{_BLANK}%" if style.endswith("%") else ""
    before = rf"(?P<open>\()?(?P<before>[-+−])?{_BLANK}(?P<left>{_MONEY})?{_BLANK}(?P<after>[-+−])?"
    return rf"^{before}{whole}{fraction}{percent}{_BLANK}(?P<right>{_MONEY})?(?P<close>\))?$"


def _styled(found: Any) -> Floats:
    """The numbers of what a pattern found; NaN for signs or brackets that do not go together, or without a digit."""
    part = {field.name: pc.fill_null(found.field(field.name), "") for field in found.type}
    opened, before, after, closed = (_is_there(part[name]) for name in ("open", "before", "after", "close"))
    spaced = np.asarray(pc.match_substring(part["whole"], " "))
    whole = pc.replace_substring_regex(part["whole"], r"\D", "")
    sound = (opened == closed) & (opened.astype(int) + before + after <= 1)
    sound &= _is_there(_joined(whole, part["fraction"]))
    sound &= ~spaced | _is_there(_joined(part["fraction"], _joined(part["left"], part["right"])))
    minus = opened | np.asarray(pc.match_substring_regex(_joined(part["before"], part["after"]), "[-−]"))
    spelled = _joined(_joined(_joined("0", whole), part["fraction"], "."), part["exponent"])
    numbers = np.asarray(spelled.cast(pa.float64()))
    return np.where(sound, np.where(minus, -numbers, numbers), np.nan)


def _is_there(texts: Any) -> Any:
    return np.asarray(pc.not_equal(texts, ""))


def _joined(left: Any, right: Any, between: str = "") -> Any:
    return pc.binary_join_element_wise(left, right, between)
