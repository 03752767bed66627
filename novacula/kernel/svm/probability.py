"""Probabilities that agree with the machines' answers: Platt's sigmoid through ½ at the decision 0.

The sigmoid of a machine is fitted to decisions about rows that were left out of its fit, and to their mirror images:
so it passes through ½ where the machine is undecided, and is never on the other side than the machine's answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from novacula.kernel.svm.kernel_rows import KernelRows
from novacula.kernel.svm.machine import SvmSettings, separate
from novacula.kernel.svm.pairs import class_pairs
from novacula.kernel.svm.platt import Sigmoid, couple, fit_sigmoid
from novacula.kernel.svm.row_cache import products
from novacula.table.chunk import Floats

FOLDS = 5


def fit_probability(rows: KernelRows, y: Floats, cost: Floats, weight: Floats, settings: SvmSettings) -> Sigmoid:
    """The sigmoid of a machine that separates y = ±1 (n,), by five folds drawn with the seed."""
    decisions = left_out_decisions(rows, y, cost, settings)
    both, right = np.concatenate([decisions, -decisions]), np.concatenate([y > 0.0, y < 0.0])
    sigmoid = fit_sigmoid(both, right, np.tile(weight, 2))
    return Sigmoid(min(sigmoid.a, 0.0), 0.0)  # decisions that are right less than half of the time say nothing


def left_out_decisions(rows: KernelRows, y: Floats, cost: Floats, settings: SvmSettings) -> Floats:
    """The decision about each row by the machine of the other folds; every fold holds both classes."""
    fold, decisions = _folds(y, settings.seed), np.zeros(len(y))
    count = int(fold.max()) + 1
    for k in range(count):
        out = np.flatnonzero(fold == k)
        others = np.flatnonzero(fold != k) if count > 1 else out  # the only row of a class cannot be left out
        machine = separate(rows.take(others), y[others], cost[others], settings)
        sums = products(rows, out, others, machine.beta) if machine.plane is None else rows.rows[out] @ machine.plane
        decisions[out] = sums + machine.intercept
    return decisions


def _folds(y: Floats, seed: int) -> Any:
    """The fold of each row: the rows of a class are dealt out in turn."""
    rng, fold = np.random.default_rng(seed), np.zeros(len(y), np.int64)
    sides = [np.flatnonzero(y > 0.0), np.flatnonzero(y < 0.0)]
    count = min(FOLDS, *map(len, sides))
    for side in sides:
        fold[rng.permutation(side)] = np.arange(len(side)) % count
    return fold


def probabilities(decisions: Floats, k: int, sigmoids: Sequence[Sigmoid], chosen: Any) -> Floats:
    """The probability of each class (n, k) of k from the decisions of all pairs (n, pairs).

    `chosen` (n,) are the classes that the machines answer. Where the coupling of several classes finds another one
    more probable, the two exchange their probabilities, so that the answer is always the most probable class.
    """
    pairs = np.column_stack([s.probabilities(decisions[:, p]) for p, s in enumerate(sigmoids)])
    if k == 2:
        shares = np.column_stack([1.0 - pairs[:, 0], pairs[:, 0]])
    else:
        square = np.zeros((len(pairs), k, k))
        for p, (i, j) in enumerate(class_pairs(k)):
            square[:, i, j], square[:, j, i] = pairs[:, p], 1.0 - pairs[:, p]
        shares = couple(square)
    every, best = np.arange(len(shares)), shares.argmax(axis=1)
    shares[every, best], shares[every, chosen] = shares[every, chosen], shares[every, best]
    # Ties go to the first, which need not be the class chosen.
    tied = shares.argmax(axis=1) != chosen
    shares[tied, chosen[tied]] = np.nextafter(shares[tied, chosen[tied]], 1.0)
    return shares
