"""What is special about the target: classes of few rows, categories that a fold may lack, numbers with a long tail."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from novacula.study.finding import Finding
from novacula.study.trouble.columns import Feature, Numbers, percent, rows_counted, safe_quote, with_and
from novacula.table.chunk import Floats

UNEVEN = 0.1
"""A class is small below this part of an even share."""
LARGEST = 0.9
"""A class is large from this share on."""
FEWEST = 5
"""Rows below which a class can hardly be learned."""
SKEWED = 3.0
"""Skewness of a positive target from which its logarithm may be easier to learn."""
COUNTING = ("error_rate", "accuracy")
"""Metrics for which every mistake counts the same."""
LACKING, FEWEST_LACKING = 0.01, 5
"""The share of rows with categories that other folds lack, and how many such rows, from which it is reported."""


def find_uneven_classes(
    y: Numbers, weight: Floats, labels: Sequence[Any], target: str, metric: str
) -> Iterator[Finding]:
    """A class that is much smaller or much larger than the others, and classes of a few rows."""
    share = np.bincount(y, weights=weight, minlength=len(labels)) / weight.sum()
    present = np.flatnonzero(share)
    least, most = int(present[share[present].argmin()]), int(present[share[present].argmax()])
    if share[least] < UNEVEN / len(present) or share[most] > LARGEST:
        others = float(np.delete(share, most).sum())
        sentence = (
            f"The class {safe_quote(labels[least])} of {safe_quote(target)} has {percent(share[least])} of the rows; "
            f"always answering {safe_quote(labels[most])} has an error rate of only {percent(others)}."
        )
        if metric in COUNTING:
            sentence += (
                " A small error need not mean much: look at the confusion matrix, or measure with metric='balanced', "
                "'auc' or 'log_loss'."
            )
        yield Finding("uneven-classes", sentence, (target,))
    count = np.bincount(y, minlength=len(labels))
    few = [labels[c] for c in present.tolist() if count[c] < FEWEST]
    if few:
        words = f"has fewer than {FEWEST} rows" if len(few) == 1 else f"have fewer than {FEWEST} rows each"
        sentence = (
            f"In the target {safe_quote(target)}, {with_and(few)} {words}: so small a class can hardly be "
            "learned or measured."
        )
        yield Finding("rare-classes", sentence, (target,))


def find_skew(y: Floats, target: str) -> Iterator[Finding]:
    """A positive target with a long tail, whose largest values decide squared errors."""
    spread = float(np.std(y))
    if len(y) < 20 or not y.min() > 0 or spread == 0.0:
        return
    skewness = float((((y - y.mean()) / spread) ** 3).mean())
    if skewness > SKEWED:
        top = np.sort((y - y.mean()) ** 2)[-max(len(y) // 100, 1) :].sum() / (len(y) * spread**2)
        sentence = (
            f"The target {safe_quote(target)} has a long tail (skewness {skewness:.1f}): the farthest 1% of the rows "
            f"make up {percent(float(top))} of its squares. Learn its logarithm, or measure with metric='mae'."
        )
        yield Finding("skewed-target", sentence, (target,))


def find_rare_categories(features: Sequence[Feature], fold: Numbers) -> Iterator[Finding]:
    """Categories that occur in one fold only: when it is held out, no model has seen them."""
    n_folds = int(fold.max()) + 1
    for feature in features:
        present = ~feature.missing
        if feature.column.kind != "categorical" or not present.any():
            continue
        places = np.unique(feature.numbers[present] * n_folds + fold[present]) // n_folds
        single = np.bincount(places) == 1
        lacking = int(feature.counts[single].sum())
        if lacking >= max(LACKING * len(fold), FEWEST_LACKING) and 2 * len(feature.counts) <= present.sum():
            sentence = (
                f"Column {safe_quote(feature.name)} has {int(single.sum()):,} categories that occur in one fold only, "
                f"with {rows_counted(lacking)}: these are predicted by models that never saw their category, as will "
                "happen with new rows; group rare categories if they mean the same."
            )
            yield Finding("rare-categories", sentence, (feature.name,))
