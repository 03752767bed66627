"""Parts of a time by arithmetic alone, so that every format that can round down can hold them.

    era of 400 years, day of the era, year of the era from 1 March on

A time is given in seconds since the beginning of 1970, UTC. The days of the Gregorian calendar repeat after 400 years;
within them a year begins on 1 March, so that the day that is sometimes missing is its last.
"""

from __future__ import annotations

import math

from novacula.export.vectors import Choose, Combine, Map, Vector, constant
from novacula.prepare.times import CYCLES, DAY, FARTHEST


def time_part(name: str, seconds: Vector) -> Vector:
    """A part of a time, of those that `novacula.prepare.times` knows; missing where there is none."""
    known = Combine("<=", Map("abs", seconds), constant(FARTHEST))
    inside = Choose(known, seconds, constant(0.0))
    wave, _, cycle = name.partition(" of ")
    if name in NUMBERS:
        found = NUMBERS[name](inside)
    else:
        turn = constant(2.0 * math.pi) * NUMBERS[cycle](inside) / CYCLES[cycle]
        found = Map("sin" if wave == "sine" else "cos", turn)
    nothing = seconds - seconds  # missing where the time is
    far = Choose(known, nothing, MISSING)
    return found + far


MISSING = constant(math.nan)
"""A number that is missing."""


def _floor(left: Vector, divisor: float) -> Vector:
    return Map("floor", left / divisor)


def _days(seconds: Vector) -> Vector:
    return _floor(seconds, DAY)


def _hour(seconds: Vector) -> Vector:
    return (seconds - _days(seconds) * DAY) / 3600.0


def _weekday(seconds: Vector) -> Vector:
    days = _days(seconds) + 3.0
    return days - _floor(days, 7.0) * 7.0 + 1.0


def _march_year(seconds: Vector) -> tuple[Vector, Vector]:
    """The year that begins on 1 March, and the day in it from 0 on."""
    days = _days(seconds) + 719_468.0
    era = _floor(days, 146_097.0)
    day = days - era * 146_097.0
    leap = _floor(day, 36_524.0) - _floor(day, 1460.0) - _floor(day, 146_096.0)
    year = _floor(day + leap, 365.0)
    before = year * 365.0 + _floor(year, 4.0) - _floor(year, 100.0)
    return year + era * 400.0, day - before


def _month(seconds: Vector) -> Vector:
    _, day = _march_year(seconds)
    from_march = _floor(day * 5.0 + 2.0, 153.0)
    return Choose(Combine("<", from_march, constant(10.0)), from_march + 3.0, from_march - 9.0)


def _year(seconds: Vector) -> Vector:
    year, _ = _march_year(seconds)
    return year + Combine("<=", _month(seconds), constant(2.0))


def _day_of_year(seconds: Vector) -> Vector:
    before = _year(seconds) - 1.0  # whole years
    leap = _floor(before, 4.0) - _floor(before, 100.0) + _floor(before, 400.0)
    first = before * 365.0 + leap - 719_162.0
    return _days(seconds) - first + 1.0


NUMBERS = {"year": _year, "month": _month, "day of year": _day_of_year, "weekday": _weekday, "hour": _hour}
"""How each part of a time is found."""
