"""What columns hold: nothing, one value, many gaps, infinity, outliers, codes for "unknown", words that are numbers."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence

import numpy as np

from novacula.study.finding import Finding
from novacula.study.trouble.columns import Feature, columns_named, percent, rows_counted, safe_quote, with_and
from novacula.table import Column

GAPPY = 0.5
"""The share of missing values from which it is reported."""
FAR = 1e6
"""Spreads from the median, beyond which a value is hardly of the same kind."""
CODES = frozenset(
    {*(sign * (10.0**k - 1) for k in range(2, 10) for sign in (1, -1)), -1.0, -9.0, 888.0, 8888.0, -888.0}
)
"""Numbers that people write where they know none."""
NUMERIC = 0.9
"""The share of a column's categories that are numbers, from which it may be a column of numbers."""
FEWEST = 5
"""Distinct numbers that a column of categories must hold to be taken for a column of numbers."""

_NUMBER = re.compile(r"[^\w\s.,+-]?\s*[+-]?\d[\d,']*(\.\d+)?\s*([^\W\d]{1,3}|[%°€£$])?")
_CODE = re.compile(r"0\d+")  # 007 is a name


def find_idle(features: Sequence[Feature], keep: Collection[str] = ()) -> Iterator[Finding]:
    """Columns without values and with one value, but for those to keep; and columns with many gaps."""
    idle = [one for one in features if one.name not in keep]
    empty = [one.name for one in idle if not len(one.known_values)]
    constant = [one.name for one in idle if len(one.known_values) and one.n_values == 1]
    gappy = {
        one.name: float(one.missing.mean()) for one in features if one.missing.mean() >= GAPPY and len(one.known_values)
    }
    for kind, names, what in (
        ("empty", empty, "no values at all"),
        ("constant", constant, "one value only"),
    ):
        if names:
            has, left = ("has", "it is left out") if len(names) == 1 else ("have", "they are left out")
            sentence = f"{columns_named(names)} {has} {what}, from which nothing can be learned: {left}."
            yield Finding(kind, sentence, tuple(names))
    if gappy:
        least, most = min(gappy.values()), max(gappy.values())
        share = percent(least) if least == most else f"{percent(least)} to {percent(most)}"
        sentence = f"{columns_named(list(gappy))} {'is' if len(gappy) == 1 else 'are'} missing in {share} of the rows."
        yield Finding("gaps", sentence, tuple(gappy))


def find_extremes(features: Sequence[Feature]) -> Iterator[Finding]:
    """Infinity, values far from all others, and numbers that stand for "unknown"."""
    for feature in features:
        if feature.column.kind != "numeric" or not len(feature.known_values):
            continue
        infinite = int(np.isinf(feature.known_values).sum())
        if infinite:
            sentence = f"Column {safe_quote(feature.name)} holds infinity in {rows_counted(infinite)}"
            advice = "which most learners refuse: mark it as missing, or leave the column out"
            yield Finding("infinite", f"{sentence}, {advice}.", (feature.name,), "warning")
            continue
        code = _code(feature)
        if code is not None:
            n = rows_counted(int((feature.known_values == code).sum()))
            sentence = (
                f"Column {safe_quote(feature.name)} holds {code:g} in {n}, unlike all its other values: if that stands"
            )
            yield Finding("coded-gap", f"{sentence} for unknown, name it in missing=.", (feature.name,), "warning")
        elif (far := _far(feature)) is not None:
            sentence = (
                f"Column {safe_quote(feature.name)} holds {far:g}, more than a million spreads from its median: check"
            )
            yield Finding("outlier", f"{sentence} whether it is in the same unit as the others.", (feature.name,))


def _code(feature: Feature) -> float | None:
    """The least or largest value, if it comes more than once, is one of CODES, and is far off or alone below zero."""
    ends = feature.distinct
    if len(ends) < FEWEST:
        return None
    for end, near, other, count in (
        (ends[0], ends[1], ends[-1], feature.counts[0]),
        (ends[-1], ends[-2], ends[0], feature.counts[-1]),
    ):
        far = abs(near - end) > abs(other - near)
        if count > 1 and float(end) in CODES and (far or (end <= -99 and near >= 0)):
            return float(end)
    return None


def _far(feature: Feature) -> float | None:
    """The value farthest from the median, if it is beyond FAR times the middle half of the values."""
    low, middle, high = np.quantile(feature.known_values, (0.25, 0.5, 0.75))
    farthest = float(feature.known_values[np.abs(feature.known_values - middle).argmax()])
    return farthest if high > low and abs(farthest - middle) > FAR * (high - low) else None


# --- words --------------------------------------------------------------------------------------------------


def find_misread(columns: Sequence[Column]) -> Iterator[Finding]:
    """Categories that are numbers with a unit or a sign, or numbers among a few words."""
    for column in columns:
        words = [category for category in column.categories if isinstance(category, str)]
        others = [word for word in words if not _NUMBER.fullmatch(word.strip()) or _CODE.fullmatch(word.strip())]
        numbers = len(words) - len(others)
        if numbers < FEWEST or numbers < NUMERIC * len(words):
            continue
        sentence = f"Column {safe_quote(column.name)} is read as categories, but most of them are numbers"
        if others:
            sentence += f", except for {with_and(others)}: if these mean unknown, name them in missing=."
        else:
            sentence += (
                f", as in {with_and(words[:3])}: remove what is written next to the numbers to read them as numbers."
            )
        yield Finding("numbers-as-words", sentence, (column.name,))


def find_variants(columns: Sequence[Column], target: str | None = None) -> Iterator[Finding]:
    """Categories that differ in case, blanks or a final stop only; in the target that is grave."""
    for column in columns:
        alike: dict[str, list[str]] = defaultdict(list)
        for category in column.categories:
            if isinstance(category, str):
                alike[" ".join(category.casefold().replace("_", " ").rstrip(".").split())].append(category)
        twins = [names for names in alike.values() if len(names) > 1]
        if twins:
            words = "; ".join(with_and(names) for names in twins[:3]) + ("; …" if len(twins) > 3 else "")
            sentence = (
                f"Column {safe_quote(column.name)} writes one category in several ways ({words}): write them alike."
            )
            yield Finding("variants", sentence, (column.name,), "warning" if column.name == target else "note")
