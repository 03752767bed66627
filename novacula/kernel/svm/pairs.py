"""One machine for each pair of classes, their votes, and scikit-learn's layout of their coefficients.

A machine of the classes i < j is positive on the side of i; with two classes alone, on that of the second. A support
vector of class i has a coefficient in each of the k − 1 machines of its class: `dual_coef`, (k − 1, support vectors),
holds in row j − 1 what it is against a class j > i, and in row j against j < i.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from novacula.kernel.svm.dual import Places
from novacula.kernel.svm.machine import Machine
from novacula.table.chunk import Floats


def class_pairs(k: int) -> list[tuple[int, int]]:
    """The pairs of k classes in order: 0-1, 0-2, …, 1-2, …"""
    return [(i, j) for i in range(k) for j in range(i + 1, k)]


def signs(code: Any, pair: tuple[int, int], k: int) -> Floats:
    """y = ±1 for the rows of two classes: +1 for the first, with two classes alone for the second."""
    positive = pair[1] if k == 2 else pair[0]
    return np.where(code == positive, 1.0, -1.0)


@dataclass(frozen=True, eq=False)
class Supports:
    """Which rows are support vectors, by class and then by number, and what they count in each machine."""

    rows: Places  # (s,)
    count: Places  # (k,), of each class
    dual_coef: Floats  # (k − 1, s)

    @classmethod
    def gather(
        cls, code: Any, place: Places, k: int, members: Sequence[Places], machines: Sequence[Machine]
    ) -> Supports:
        """From the machines of all pairs, each over the rows of its two classes; `place` numbers all rows."""
        whole = np.zeros((k - 1, len(code)))
        for (i, j), rows, machine in zip(class_pairs(k), members, machines, strict=True):
            first = code[rows] == i
            whole[j - 1, rows[first]] = machine.beta[first]
            whole[i, rows[~first]] = machine.beta[~first]
        support = np.flatnonzero(whole.any(axis=0))
        support = support[np.lexsort((place[support], code[support]))]
        return cls(support, np.bincount(code[support], minlength=k), np.ascontiguousarray(whole[:, support]))


def by_pair(dual_coef: Floats, count: Places) -> Floats:
    """The coefficient of each support vector in each machine (s, pairs)."""
    k = len(count)
    ends = np.concatenate([[0], np.cumsum(count)])
    coefficients = np.zeros((dual_coef.shape[1], k * (k - 1) // 2))
    for p, (i, j) in enumerate(class_pairs(k)):
        for own, other in ((i, j - 1), (j, i)):
            part = slice(ends[own], ends[own + 1])
            coefficients[part, p] = dual_coef[other, part]
    return coefficients


def votes(decisions: Floats, k: int) -> Floats:
    """A value for each row and class (n, k): its votes, and below one half of a vote how clear they were.

    scikit-learn's measure: s / (3(|s| + 1)) of the sum s of the decisions that speak for a class.
    """
    count, clarity = np.zeros((len(decisions), k)), np.zeros((len(decisions), k))
    for p, (i, j) in enumerate(class_pairs(k)):
        value = decisions[:, p]
        clarity[:, i] += value
        clarity[:, j] -= value
        count[:, i] += value >= 0.0
        count[:, j] += value < 0.0
    return np.asarray(count + clarity / (3.0 * (np.abs(clarity) + 1.0)))


def each_pair(code: Any, k: int) -> Iterator[tuple[Places, Floats]]:
    """The rows of each pair of classes, and their signs."""
    for pair in class_pairs(k):
        rows = np.flatnonzero((code == pair[0]) | (code == pair[1]))
        yield rows, signs(code[rows], pair, k)
