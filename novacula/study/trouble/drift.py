"""Drift: columns whose values are not those of the rows that were learned from.

Numbers are compared by Kolmogorov and Smirnov's distance, the largest gap between two distribution functions;
categories, and gaps in a column, by χ². Over all columns together, one table in a thousand may be reported by chance
(Holm). Only differences that matter are reported: with enough rows everything differs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from novacula.study.finding import Finding
from novacula.study.trouble.columns import Feature, features_of, percent, safe_quote, sample_rows
from novacula.table import Table
from novacula.table.chunk import MISSING, UNSEEN, Floats

LEVEL = 1e-3
"""The probability that columns are reported though all rows are drawn in the same way."""
DISTANCE = 0.1
"""The distance of distribution functions, or half the sum of |differences of shares|, that matters."""
NEW = 0.01
"""The share of rows with categories that were never seen, from which it is reported."""
EXPECTED = 5.0
"""Rows of a category that χ² must expect at least; rarer categories count together."""


@dataclass(frozen=True)
class Difference:
    """How far a column is off, how probable that is by chance, and a description."""

    name: str
    distance: float
    chance: float
    words: str


def drift(
    reference: Table,
    new: Table,
    *,
    names: tuple[str, str] = ("the training rows", "the new rows"),
    random_state: int = 0,
) -> list[Finding]:
    """Compare the columns of new rows with those that were learned from; a finding for each that differs.

    >>> import novacula as nv
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> then = nv.read(pd.DataFrame({"age": rng.normal(40, 9, 500), "sex": rng.choice(["f", "m"], 500)}))
    >>> now = nv.read(pd.DataFrame({"age": rng.normal(52, 9, 500), "sex": rng.choice(["f", "m"], 500)}))
    >>> [finding.columns for finding in drift(then, now)]
    [('age',)]
    """
    new = new.conform(reference.layout, "ignore")
    first, second = (table.take(sample_rows(table, random_state)) for table in (reference, new))
    with np.errstate(over="ignore", invalid="ignore"):  # beyond the range of numbers there is infinity
        return list(find_drift(_features(first), _features(second), names))


def _features(table: Table) -> tuple[Feature, ...]:
    return features_of(table.to_chunk(), table.layout)


def find_drift(reference: Sequence[Feature], new: Sequence[Feature], names: tuple[str, str]) -> Iterator[Finding]:
    """The columns that differ between two sets of rows with the same columns in the same order."""
    unseen = [finding for one in new if (finding := _unseen(one, names)) is not None]
    yield from unseen
    pairs = zip(reference, new, strict=True)
    measured = [one for pair in pairs for one in _differences(*pair) if not math.isnan(one.chance)]
    for difference in _significant(measured):
        if difference.distance >= DISTANCE:
            sentence = (
                f"Column {safe_quote(difference.name)} is distributed differently in {names[0]} and in {names[1]}: "
                f"{difference.words} (a distance of {difference.distance:.2f}, by chance with probability "
                f"{_probability(difference.chance)}). Errors measured on one need not hold for the other."
            )
            yield Finding("drift", sentence, (difference.name,), "warning")


def _significant(differences: list[Difference]) -> Iterator[Difference]:
    """The differences that chance does not explain, by Holm's step-down procedure."""
    for rank, difference in enumerate(sorted(differences, key=lambda one: one.chance)):
        if difference.chance * (len(differences) - rank) > LEVEL:
            return
        yield difference


def _probability(chance: float) -> str:
    return "below 1e-9" if chance < 1e-9 else f"{chance:.1g}"


def _unseen(feature: Feature, names: tuple[str, str]) -> Finding | None:
    if feature.column.kind != "categorical" or not len(feature.values):
        return None
    share = float((feature.values == UNSEEN).mean())
    if share < NEW:
        return None
    sentence = (
        f"Column {safe_quote(feature.name)} holds categories in {percent(share)} of {names[1]} that {names[0]} never "
        "had; they are treated as missing, so predictions for them rest on the other columns."
    )
    return Finding("new-categories", sentence, (feature.name,), "warning")


# --- one column ---------------------------------------------------------------------------------------------


def _differences(reference: Feature, new: Feature) -> Iterator[Difference]:
    if not len(reference.values) or not len(new.values):
        return
    yield _gaps(reference, new)
    if reference.column.kind == "text" or not len(reference.known_values) or not len(new.known_values):
        return
    yield (_numbers if reference.column.kind == "numeric" else _categories)(reference, new)


def _gaps(reference: Feature, new: Feature) -> Difference:
    missing = np.array([_count_gaps(reference), _count_gaps(new)], float)
    total = np.array([len(reference.values), len(new.values)], float)
    shares = missing / total
    words = f"{percent(float(shares[0]))} of its values are missing in one, {percent(float(shares[1]))} in the other"
    chance = _chi_square(np.column_stack([missing, total - missing]))
    return Difference(reference.name, float(abs(shares[0] - shares[1])), chance, words)


def _count_gaps(feature: Feature) -> int:
    """Rows without a value; a category that was never seen is a value."""
    gaps = feature.values == MISSING if feature.column.kind == "categorical" else feature.missing
    return int(np.count_nonzero(gaps))


def _numbers(reference: Feature, new: Feature) -> Difference:
    from scipy.special import kolmogorov

    first, second = np.sort(reference.known_values), np.sort(new.known_values)
    places = np.concatenate([first, second])
    gap = [np.searchsorted(rows, places, side="right") / len(rows) for rows in (first, second)]
    distance = float(np.abs(gap[0] - gap[1]).max())
    # Kolmogorov's limit, with Stephens' correction for few rows; ties make it report too little rather than too much.
    root = np.sqrt(len(first) * len(second) / (len(first) + len(second)))
    chance = float(kolmogorov((root + 0.12 + 0.11 / root) * distance))
    words = f"its median is {np.median(first):.4g} in one, {np.median(second):.4g} in the other"
    return Difference(reference.name, distance, chance, words)


def _categories(reference: Feature, new: Feature) -> Difference:
    size = len(reference.column.categories)
    table = np.array([np.bincount(one.known_values, minlength=size) for one in (reference, new)], float)
    shares = table / table.sum(axis=1, keepdims=True)
    change = shares[1] - shares[0]
    most = int(np.abs(change).argmax())
    words = f"{safe_quote(reference.column.categories[most])} has {percent(shares[0, most])} in one, "
    words += f"{percent(shares[1, most])} in the other"
    return Difference(reference.name, float(np.abs(change).sum() / 2.0), _chi_square(table), words)


def _chi_square(table: Floats) -> float:
    """The probability that counts drawn in the same way differ at least this much; NaN: too few rows."""
    from scipy.stats import chi2

    share = table.sum(axis=1) / table.sum()
    rare = table.sum(axis=0) * share.min() < EXPECTED
    pooled = np.column_stack([table[:, ~rare], table[:, rare].sum(axis=1)])
    pooled = pooled[:, pooled.sum(axis=0) * share.min() >= EXPECTED]
    if pooled.shape[1] < 2:
        return math.nan
    expected = np.outer(pooled.sum(axis=1), pooled.sum(axis=0)) / pooled.sum()
    return float(chi2.sf(((pooled - expected) ** 2 / expected).sum(), pooled.shape[1] - 1))
