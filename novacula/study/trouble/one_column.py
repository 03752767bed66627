"""How well one column alone predicts the target of rows that were left out.

Each row is predicted by the other rows with its value. A number that no other row has is predicted by the rows with
the numbers next to it, any other value that no other row has by all rows. So a column of names predicts nothing,
though it would fit the rows that it was learned from.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from novacula.study.trouble.columns import Bools, Feature, Numbers
from novacula.table.chunk import Floats


def is_class_predicted(feature: Feature, y: Numbers, n_classes: int) -> Bools:
    """Whether the class of each row is the one that most of the others have; a tie is a miss."""
    group = feature.numbers + 1  # what is missing is a value, too
    pair, own, count = np.unique(group * n_classes + y, return_inverse=True, return_counts=True)
    leaders = _leaders(pair // n_classes, pair % n_classes, count, int(group.max()) + 1)
    rivals = np.where(leaders.first[group] == y, leaders.second_count[group], leaders.first_count[group])
    right: Bools = count[own] - 1 > rivals
    alone = np.bincount(group)[group] == 1
    guess = np.full(len(y), np.bincount(y).argmax())
    if feature.column.kind == "numeric":
        rows, before, after = _neighbours(feature, group, alone)
        nearer = np.where(_gap(feature, before, group[rows]) <= _gap(feature, after, group[rows]), before, after)
        guess[rows] = leaders.first[nearer]
    right[alone] = guess[alone] == y[alone]
    return right


def explained_share(feature: Feature, y: Floats) -> float:
    """The share of the variance of y that the means of the others explain: R² of rows left out."""
    group = feature.numbers + 1
    size, total = np.bincount(group), np.bincount(group, weights=y)
    alone = size[group] == 1
    guess = np.full(len(y), y.mean())
    guess[~alone] = (total[group] - y)[~alone] / (size[group] - 1)[~alone]
    if feature.column.kind == "numeric":
        rows, before, after = _neighbours(feature, group, alone)
        guess[rows] = (total[before] / size[before] + total[after] / size[after]) / 2.0
    around = ((y - y.mean()) ** 2).sum()
    return float(1.0 - ((y - guess) ** 2).sum() / around) if around > 0 else 0.0


def is_one_to_one(feature: Feature, y: Numbers) -> bool:
    """Whether each value occurs with one target only, and each target with one value."""
    n_classes = int(np.count_nonzero(np.bincount(y)))
    if feature.n_values != n_classes:
        return False
    pairs = (feature.numbers + 1) * (int(y.max()) + 1) + y
    return n_classes == len(np.unique(pairs))


class _Leaders(NamedTuple):
    """For each group its most frequent class, how often that occurs, and how often the next one does."""

    first: Numbers
    first_count: Numbers
    second_count: Numbers


def _leaders(group: Numbers, label: Numbers, count: Numbers, n_groups: int) -> _Leaders:
    order = np.lexsort((-count, group))
    group, label, count = group[order], label[order], count[order]
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    first, first_count, second_count = (np.zeros(n_groups, np.intp) for _ in range(3))
    first[group[starts]], first_count[group[starts]] = label[starts], count[starts]
    seconds = starts[np.diff(starts, append=len(group)) > 1] + 1
    second_count[group[seconds]] = count[seconds]
    return _Leaders(first, first_count, second_count)


def _neighbours(feature: Feature, group: Numbers, alone: Bools) -> tuple[Numbers, Numbers, Numbers]:
    """The rows whose number no other row has, and the groups before and after; at an end both are the one there is."""
    last = len(feature.counts)
    rows = np.flatnonzero(alone & (group > 0) & (last > 1))
    before, after = group[rows] - 1, group[rows] + 1
    return rows, np.where(before < 1, after, before), np.where(after > last, before, after)


def _gap(feature: Feature, one: Numbers, other: Numbers) -> Floats:
    gap: Floats = np.abs(feature.distinct[one - 1] - feature.distinct[other - 1])
    return gap
