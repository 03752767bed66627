"""Columns that give the target away: copies of it, what is only known after it, and gaps that reveal it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import lgamma, log

import numpy as np

from novacula.study.finding import Finding
from novacula.study.trouble.columns import Feature, Numbers, columns_named, percent, safe_quote
from novacula.study.trouble.one_column import explained_share, is_class_predicted, is_one_to_one
from novacula.table.chunk import Floats

FEWEST = 30
"""Rows below which only a column that is the target itself is reported."""
FEWEST_OTHERS = 10
"""Rows outside the largest class, below which any column seems to predict the target."""
PERFECT, GOOD = 0.01, 0.02
"""Errors of one column alone up to which it gives the target away, or nearly so."""
OF_BASELINE = 0.1
"""The share of the baseline's error that these must not exceed."""
EXPLAINED = 0.995
"""The share of the variance of the target's ranks from which one column gives it away."""
CHANCE = 1e-4
"""The probability below which agreement is not taken for chance, for any number of columns."""
STRONG, COMPLETE = 0.3, 0.9
"""Association of a gap with the target (Cramér's V, or the correlation of ranks) that is reported, and that is grave.
"""

ADVICE = "make sure that it is known before the target is, or leave it out with table.drop or --drop"


def find_class_giveaways(features: Sequence[Feature], y: Numbers, n_classes: int, target: str) -> Iterator[Finding]:
    """Columns that alone predict the class y (n,) of a row."""
    counts = np.bincount(y, minlength=n_classes)
    baseline = 1.0 - counts.max() / len(y)
    for feature in _of_kinds(features):
        if _is_copy(feature, y, counts, len(features)):
            yield _copy(feature, target)
        elif len(y) >= FEWEST and baseline * len(y) >= FEWEST_OTHERS:
            error = 1.0 - float(is_class_predicted(feature, y, n_classes).mean())
            if error <= GOOD and error <= OF_BASELINE * baseline:
                what = f"the target {safe_quote(target)} right in {percent(1.0 - error)} of rows it had not seen"
                yield _giveaway(feature, f"predicts {what}", error <= PERFECT)


def find_number_giveaways(features: Sequence[Feature], y: Floats, target: str) -> Iterator[Finding]:
    """Columns that alone predict the number y (n,) of a row; by ranks, so that a few large ones do not decide."""
    if len(y) < FEWEST:
        return
    from scipy.stats import rankdata

    ranks = rankdata(y)
    codes = np.unique(y, return_inverse=True)[1]
    for feature in _of_kinds(features):
        share = explained_share(feature, ranks)
        if share >= EXPLAINED:
            if is_one_to_one(feature, codes):
                yield _copy(feature, target)
            else:
                what = f"{percent(share)} of the variance of the ranks of the target {safe_quote(target)}"
                yield _giveaway(feature, f"explains {what}", True)


def _of_kinds(features: Sequence[Feature]) -> Iterator[Feature]:
    """Numbers and categories that vary; texts hold more than one value per row."""
    return (one for one in features if one.column.kind != "text" and one.n_values > 1)


def _is_copy(feature: Feature, y: Numbers, counts: Numbers, n_columns: int) -> bool:
    """Whether the column is the target in other words, and hardly by chance as one of n_columns.

    Of all ways to deal the classes out to the rows, K! have the same rows together.
    """
    sizes = counts[counts > 0]
    if sizes.min() < 2 or not is_one_to_one(feature, y):
        return False
    ways = lgamma(len(y) + 1) - sum(lgamma(count + 1) for count in sizes)
    return lgamma(len(sizes) + 1) - ways + log(n_columns) < log(CHANCE)


def _copy(feature: Feature, target: str) -> Finding:
    words = (
        f"{columns_named([feature.name])} is the target {safe_quote(target)} in other words: each of its values occurs"
    )
    sentence = f"{words} with one value of the target only, and vice versa; leave it out with table.drop or "
    return Finding("target-copy", f"{sentence}--drop.", (feature.name,), "warning")


def _giveaway(feature: Feature, what: str, perfect: bool) -> Finding:
    sentence = f"{columns_named([feature.name])} alone {what}: {ADVICE}."
    return Finding("giveaway", sentence, (feature.name,), "warning" if perfect else "note")


# --- gaps ---------------------------------------------------------------------------------------------------


def find_telling_gaps(features: Sequence[Feature], y: Numbers | Floats, target: str) -> Iterator[Finding]:
    """Columns whose gaps reveal the target, classes or numbers."""
    if len(y) < FEWEST:
        return
    from scipy.stats import chi2

    gappy = [one for one in features if 0 < np.count_nonzero(one.missing) < len(y)]
    classes = y.dtype.kind == "i"
    for feature in gappy:
        strength = (
            _cramer(feature, np.asarray(y, np.intp)) if classes else _correlation(feature, np.asarray(y, np.float64))
        )
        freedom = len(np.unique(y)) - 1 if classes else 1
        chance = float(chi2.sf(len(y) * strength**2, freedom)) * len(features)
        if strength >= STRONG and chance < CHANCE:
            measure = "Cramér's V" if classes else "the correlation with its ranks"
            sentence = (
                f"Whether {safe_quote(feature.name)} is missing, as in {percent(float(feature.missing.mean()))} of the "
                f"rows, goes with the target {safe_quote(target)} ({measure} is {strength:.2f}): find out why it is "
                "missing, and whether it will be for new rows."
            )
            yield Finding("telling-gap", sentence, (feature.name,), "warning" if strength >= COMPLETE else "note")


def _cramer(feature: Feature, y: Numbers) -> float:
    """√(χ²/n) of gaps against classes."""
    table = np.array([np.bincount(y[feature.missing], minlength=y.max() + 1), np.bincount(y)], float)
    table[1] -= table[0]
    table = table[:, table.sum(axis=0) > 0]
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / len(y)
    return float(np.sqrt(((table - expected) ** 2 / expected).sum() / len(y)))


def _correlation(feature: Feature, y: Floats) -> float:
    from scipy.stats import rankdata

    if y.min() == y.max():
        return 0.0
    return abs(float(np.corrcoef(rankdata(y), feature.missing)[0, 1]))
