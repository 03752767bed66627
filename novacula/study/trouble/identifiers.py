"""Columns that name rows instead of describing them: counters, account numbers, words that never come again.

A number is suspected only if it is whole, since measurements with decimals are distinct by nature. Of whole numbers
drawn one by one from R possible ones, n²/2R pairs are equal on average, and more if some are likelier than others.
Where there are far fewer, the numbers count rows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np

from novacula.study.finding import Finding
from novacula.study.trouble.columns import Feature, columns_named, percent, safe_quote

FEWEST = 20
"""Rows below which every column may be distinct by chance."""
DISTINCT = 0.95
"""Share of distinct values from which they name rows."""
CHANCE = 1e-5
"""The probability, for numbers drawn one by one, of as few equal pairs; below it the numbers are identifiers."""
DIGITS = 7
"""Digits from which whole numbers of the same length that are all distinct are taken for identifiers."""


def find_identifiers(features: Sequence[Feature], keep: Collection[str] = ()) -> Iterator[Finding]:
    """A finding for each column that names rows, or nearly so; those to keep are said to take part."""
    for feature in features:
        if len(feature.known_values) < FEWEST:
            continue
        why = _why(feature)
        if why:
            looks = f"{columns_named([feature.name])} looks like an identifier, {why}"
            if feature.name in keep:
                yield Finding("kept", f"{looks}: it takes part, as asked.", (feature.name,), "warning")
            else:
                advice = "it says nothing about new rows, so it is left out; keep= or --keep takes it in"
                yield Finding("identifier", f"{looks}: {advice}.", (feature.name,))
        elif finding := _nearly(feature):
            yield finding


def _why(feature: Feature) -> str:
    """Why a column names its rows; a time does not, however often it comes."""
    if feature.column.is_time:
        return ""
    return _numbered(feature) if feature.column.kind == "numeric" else _named(feature)


def _numbered(feature: Feature) -> str:
    """Why the numbers of a column name its rows; empty if they do not."""
    values, n = feature.known_values, len(feature.known_values)
    if not feature.is_whole or len(feature.counts) < DISTINCT * n or not np.isfinite(values).all():
        return ""
    from scipy.special import pdtr

    low, high = float(values.min()), float(values.max())
    pairs = int((feature.counts * (feature.counts - 1) // 2).sum())
    if pdtr(pairs, n**2 / (2.0 * (high - low + 1.0))) < CHANCE:
        few = "without repetition" if pairs == 0 else "with hardly a repetition"
        return f"whole numbers from {low:.0f} to {high:.0f} {few}"
    if _rises(feature):
        return "whole numbers that rise from row to row"
    if pairs == 0 and low >= 10 ** (DIGITS - 1) and len(f"{low:.0f}") == len(f"{high:.0f}"):
        return f"numbers of {len(f'{low:.0f}')} digits without repetition"
    return ""


def _named(feature: Feature) -> str:
    """Why the words of a column name its rows; empty if they do not, or are texts."""
    share = len(feature.counts) / len(feature.known_values)
    if share < DISTINCT or (feature.column.kind == "text" and not _single_words(feature)):
        return ""
    return "with a value of its own for each row" if share == 1.0 else f"with {percent(share)} of its values distinct"


def _single_words(feature: Feature) -> bool:
    return sum(" " not in word.strip() for word in feature.known_values) >= DISTINCT * len(feature.known_values)


def _nearly(feature: Feature) -> Finding | None:
    """Words that seldom come again, and numbers that only rise: not identifiers, but close to them."""
    n, distinct = len(feature.known_values), len(feature.counts)
    if feature.column.kind == "categorical" and 2 * distinct > n and distinct < DISTINCT * n:
        words = (
            f"{columns_named([feature.name])} has {distinct:,} categories in {n:,} rows: most are seen once or twice"
        )
        sentence = f"{words}, so little can be learned about them; group them, or leave the column out."
        return Finding("many-categories", sentence, (feature.name,))
    if feature.column.is_time and _goes_one_way(feature):
        sentence = (
            f"The rows are in the order of {safe_quote(feature.name)}: random folds let learners see the future, and "
            "errors on later rows will be larger than those reported."
        )
        return Finding("ordered", sentence, (feature.name,), "warning")
    if feature.column.kind == "numeric" and not feature.is_whole and _rises(feature):
        sentence = (
            f"The rows are sorted by {safe_quote(feature.name)}, which rises from row to row: if that is time, random "
            "folds let learners see the future, and errors on new rows will be larger."
        )
        return Finding("ordered", sentence, (feature.name,))
    return None


def _goes_one_way(feature: Feature) -> bool:
    """Whether no value is below the one before, or none above it, and they are not all equal."""
    steps = np.sign(np.diff(feature.known_values))
    return bool(steps.any()) and steps.min() * steps.max() >= 0


def _rises(feature: Feature) -> bool:
    """Whether each number is larger than the one before."""
    return bool((feature.known_values[1:] > feature.known_values[:-1]).all())
