"""Numbers as people write them by hand: read from text, compared at as many digits as were asked for, free of noise."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import Any

import numpy as np

from novacula.mathematics.symbols import SUPERSCRIPTS

MOST_CHARACTERS = 60
LOWERED = str.maketrans({high: plain for plain, high in SUPERSCRIPTS.items()})
SIGNS = str.maketrans({"−": "-", "–": "-", "·": "*", "×": "*", "⁄": "/", "\u00a0": " ", "\u202f": " "})
POWER = re.compile(r"\s*\*\s*10\s*(?:\^|\*\*)?\s*\(?(-?\d{1,4})\)?$")
DECIMAL = re.compile(r"[+-]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:[eE][+-]?\d{1,4})?")
GROUPED = (re.compile(r"[+-]?\d{1,3}(?:,\d{3})+\.\d*"), re.compile(r"[+-]?\d{1,3}(?:\.\d{3})+,\d*"))
MIXED = re.compile(r"(?P<sign>[+-]?)\s*(?:(?P<whole>\d{1,15})\s+)?(?P<over>\d{1,15})\s*/\s*(?P<under>\d{1,15})")


NOISE_SHARE = 8.0 * float(np.finfo(float).eps)
"""The share of its terms below which a sum is their rounding: no float of the size of the terms tells it from zero."""


def without_noise(value: Any, scale: Any) -> Any:
    """A value with 0 for what is rounding of the terms that cancel in it, which add up to the scale; arrays too.

    >>> without_noise(0.1 + 0.2 - 0.3, 0.6), without_noise(1e-17, 1e-17)
    (0.0, 1e-17)
    """
    if isinstance(value, np.ndarray) and value.dtype.kind == "f" and np.shape(scale) in ((), value.shape):
        return np.where(np.abs(value) <= NOISE_SHARE * np.where(np.isfinite(scale), scale, 0.0), 0.0, value)
    if isinstance(value, float) and np.ndim(scale) == 0 and math.isfinite(scale):
        return 0.0 if abs(value) <= NOISE_SHARE * scale else value
    return value


def unit(value: float, digits: int) -> float:
    """The size of the last of so many significant digits of a value."""
    if value == 0.0:
        return 10.0**-digits
    return math.pow(10.0, math.floor(math.log10(abs(value))) - digits + 1)


def is_rounded(answer: float, value: float, digits: int) -> bool:
    """Whether an answer is a value, rounded to so many significant digits or to more."""
    if not (math.isfinite(answer) and math.isfinite(value)):
        return answer == value
    last = max(unit(value, digits), 5e-324)
    return abs(answer - value) <= 0.5 * last * (1.0 + 1e-6) + 1e-15 * abs(value)


def read_number(text: str) -> float | None:
    """A number that somebody wrote, or None: 5/14, 0,357, 2 1/2, 35.7 %, 1.5×10⁻⁹, −∞.

    >>> [read_number(text) for text in ("5/14", "0,357", "2 1/2", "35.7 %", "2×10³", "ten")]
    [0.35714285714285715, 0.357, 2.5, 0.35700000000000004, 2000.0, None]
    """
    if len(text) > MOST_CHARACTERS:
        return None
    plain = re.sub("[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+", lambda found: f"^{found[0].translate(LOWERED)}", text).translate(SIGNS).strip()
    if plain.lower().lstrip("+-") in ("∞", "inf", "infinity"):
        return -math.inf if plain.startswith("-") else math.inf
    share = 0.01 if plain.endswith("%") else 1.0
    plain = plain.removesuffix("%").strip()
    power = POWER.search(plain)
    if power:
        plain = plain[: power.start()]
    value = _plain_number(plain)
    if value is None:
        return None
    try:
        value = value * (math.pow(10.0, int(power[1])) if power else 1.0) * share
    except OverflowError:
        return None
    return value if math.isfinite(value) else None


def _plain_number(text: str) -> float | None:
    if not text.isascii():  # digits of other scripts are read by nobody here
        return None
    if mixed := MIXED.fullmatch(text):
        under = int(mixed["under"])
        if under == 0:
            return None
        value = float(Fraction(int(mixed["over"]), under) + int(mixed["whole"] or 0))
        return -value if mixed["sign"] == "-" else value
    if GROUPED[0].fullmatch(text):
        return float(text.replace(",", ""))
    if GROUPED[1].fullmatch(text):
        return float(text.replace(".", "").replace(",", "."))
    return float(text.replace(",", ".")) if DECIMAL.fullmatch(text) else None


def significant_digits(text: str) -> int:
    """How many significant digits a written number has."""
    digits = re.sub(r"[^0-9]", "", re.split("[eE×*^]", text)[0])
    return len(digits.lstrip("0"))
