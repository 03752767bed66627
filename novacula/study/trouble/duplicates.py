"""Rows that occur more than once: copies that cross folds, copies in the test, and equal rows that disagree.

Rows of few coarse columns agree by chance, and then many more agree in all columns but one. Copies do not: rows that
agree in all columns but one agree in that one, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from novacula.study.finding import Finding, Gravity
from novacula.study.trouble.columns import Bools, Feature, Numbers, percent, rows_counted
from novacula.table.chunk import Floats
from novacula.table.row_keys import Keys, mixed

COARSE = 2.0
"""How many times more pairs may agree in all columns but one, if rows are copies."""
LEFT_OUT = 20
"""Columns that are left out in turn."""
GRAVE, FEWEST = 0.01, 5
"""The share of rows, and how many, from which copies spoil the errors that are measured."""
MENTIONED = 0.001
"""The share of rows below which copies are not mentioned at all."""
CONTRARY = 0.01
"""The share of rows from which those that disagree are mentioned."""


@dataclass(frozen=True, eq=False)
class Copies:
    """Rows by what they hold: equal rows have equal numbers."""

    same: Numbers  # (n,)
    are_copies: bool  # rather than rows that agree by chance
    measured: bool  # there are decimals among the columns

    @classmethod
    def of(cls, features: Sequence[Feature], sparse: Any) -> Self:
        """Number the rows of all features, together with a sparse block if it is not None."""
        parts = [mixed(_salt(j), (one.numbers + 1).astype(np.uint64)) for j, one in enumerate(features)]
        if sparse is not None:
            parts.append(_sparse_keys(sparse))
        whole = np.sum(parts, axis=0, dtype=np.uint64)
        same = np.unique(whole, return_inverse=True)[1]
        pairs = _pairs(same)
        places = np.linspace(0, len(parts) - 1, min(len(parts), LEFT_OUT)).astype(int)
        others = [_pairs(np.unique(whole - parts[j], return_inverse=True)[1]) for j in places] if pairs else []
        copies = len(parts) > 1 and pairs > 0 and float(np.median(others)) < COARSE * pairs
        return cls(same, copies, any(one.is_measured for one in features))

    def gravity(self, rows: int, of: int) -> Gravity:
        """How grave it is that this many of the rows are copies."""
        return "warning" if self.measured and rows >= max(GRAVE * of, FEWEST) else "note"


def _salt(place: int) -> Keys:
    """A number for each column, so that two values that change columns do not go unnoticed."""
    return mixed(np.zeros(1, np.uint64), np.array([place], np.uint64))


def _sparse_keys(sparse: Any) -> Keys:
    """A number for each row of a sparse block: its product with a random vector."""
    product: Floats = np.asarray(sparse @ np.random.default_rng(0).normal(size=sparse.shape[1]), np.float64)
    return product.view(np.uint64)


def _pairs(same: Numbers) -> int:
    """How many pairs of rows are equal."""
    count = np.bincount(same)
    return int((count * (count - 1) // 2).sum())


def find_copies(copies: Copies, fold: Numbers) -> Iterator[Finding]:
    """Training rows that repeat others; `fold` (n,) is the fold in which each of the first n rows is held out."""
    same = copies.same[: len(fold)]
    repeats = len(same) - len(np.unique(same))
    if not copies.are_copies or repeats <= MENTIONED * len(same):
        return
    places = np.unique(np.stack([same, fold]), axis=1)[0]  # a row's number once for each fold that it is in
    crossing = float((np.bincount(places)[same] > 1).mean())
    share = percent(repeats / len(same))
    sentence = (
        f"{rows_counted(repeats)} of {len(same):,} ({share}) repeat{'s' if repeats == 1 else ''} another one in every "
        f"column but the target; {percent(crossing)} of the rows have a twin in another fold, so that a model can "
        "remember them instead of learning: leave copies out, unless each is a case of its own."
    )
    yield Finding("duplicates", sentence, gravity=copies.gravity(repeats, len(same)))


def find_test_copies(copies: Copies, y: Any, n_train: int) -> Iterator[Finding]:
    """Test rows, the ones from n_train on, that are also training rows; `y` (n,) is the target of all."""
    train, test = copies.same[:n_train], copies.same[n_train:]
    repeats = int(np.isin(test, train).sum())
    if not copies.are_copies or repeats <= MENTIONED * len(test):
        return
    codes = np.unique(y, return_inverse=True)[1]
    both = np.unique(copies.same * (int(codes.max()) + 1) + codes, return_inverse=True)[1]
    alike = np.isin(both[n_train:], both[:n_train]).sum()
    share = percent(repeats / len(test))
    sentence = (
        f"{rows_counted(repeats)} of the test's {len(test):,} ({share}) {'is' if repeats == 1 else 'are'} also among "
        f"the training rows, {int(alike):,} of them with the same target: the error on the test rows comes out too "
        "small, so leave copies out."
    )
    yield Finding("test-duplicates", sentence, gravity=copies.gravity(repeats, len(test)))


# --- equal rows that disagree -------------------------------------------------------------------------------


def find_contradictions(same: Numbers, y: Numbers | Floats, weight: Floats) -> Iterator[Finding]:
    """Equal rows with different targets, classes or numbers, and the least error that this leaves."""
    codes = np.unique(y, return_inverse=True)[1]
    target = np.unique(np.stack([same, codes]), axis=1)[0]  # a row's number once for each target that it has
    contrary: Bools = np.bincount(target)[same] > 1
    if contrary.mean() < CONTRARY:
        return
    if y.dtype.kind == "i":
        least = f"an error rate below {percent(_least_error(same, codes, weight))}"
    else:
        within = _least_square(same, np.asarray(y, np.float64), weight)
        share = percent(within / float(np.var(y)))
        least = f"a mean squared error below {within:.4g}, {share} of the target's variance"
    n = rows_counted(int(contrary.sum()))
    sentence = f"{n} agree in every column with others whose target is different: on these rows no learner can have "
    yield Finding("contradictions", f"{sentence}{least}.")


def _least_error(same: Numbers, codes: Numbers, weight: Floats) -> float:
    """The weight of rows whose class is not the most frequent one among their equals, as a share."""
    n_classes = int(codes.max()) + 1
    pair, own = np.unique(same * n_classes + codes, return_inverse=True)
    count = np.bincount(own, weights=weight)
    most = np.zeros(int(same.max()) + 1)
    np.maximum.at(most, pair // n_classes, count)
    return float(1.0 - most.sum() / weight.sum())


def _least_square(same: Numbers, y: Floats, weight: Floats) -> float:
    """The mean squared distance of the targets from the means of equal rows."""
    total = np.bincount(same, weights=weight)
    mean = np.bincount(same, weights=weight * y) / np.where(total > 0, total, 1.0)
    return float(weight @ (y - mean[same]) ** 2 / weight.sum())
