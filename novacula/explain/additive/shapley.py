"""Contributions to the answers of any model: Shapley values over a background sample.

    v(S) = mean over background rows b of f(x with the columns outside of S taken from b)
    φ_j  = Σ_S |S|!(d − |S| − 1)!/d! · (v(S ∪ j) − v(S))

With few columns every subset is asked for. With more, each background row is changed into x column by column, once in
an order drawn at random and once in its reverse: what a column changes, on average, is an unbiased estimate of φ_j,
and for each order the changes sum to f(x) − f(b), so that contributions always sum to the prediction.
"""

from __future__ import annotations

from math import comb

import numpy as np

from novacula.evaluate.loss import Floats
from novacula.explain.additive.view import Division
from novacula.explain.answers import SeenAnswers
from novacula.explain.rows import SeenRows
from novacula.words import counted

FEW = 10
"""Columns up to which every subset is asked for."""


def divided_by_subsets(answers: SeenAnswers, rows: SeenRows, background: SeenRows) -> Division:
    """Exact Shapley values: 2^d answers for each pair of a row and a background row."""
    d, b = len(rows.names), len(background)
    subsets = np.arange(2**d)
    held = (subsets[:, None] >> np.arange(d)) & 1 == 1
    weights = _subset_weights(held)
    values = np.empty((len(rows), d, len(answers.names)))
    base = answers(background).mean(axis=0)
    own, theirs = np.repeat(held, b, axis=0), np.tile(np.arange(b), len(held))
    for i in range(len(rows)):
        said = answers(rows.mixed(background, np.full(len(own), i), theirs, own))
        means = said.reshape(len(held), b, -1).mean(axis=1)
        values[i] = weights @ means
    return Division(values, base, answers, f"Shapley values over all subsets, {counted(b, 'background row')}")


def _subset_weights(held: Floats) -> Floats:
    """What the mean answer of each subset counts for each column (d, 2^d)."""
    size, d = held.sum(axis=1), held.shape[1]
    ways = np.array([comb(d - 1, s) if s < d else 1 for s in range(d + 1)], np.float64)
    entered = 1.0 / (d * ways[np.maximum(size - 1, 0)])
    left = -1.0 / (d * ways[size])
    return np.where(held, entered[:, None], left[:, None]).T


def divided_by_orders(answers: SeenAnswers, rows: SeenRows, background: SeenRows, rng: np.random.Generator) -> Division:
    """Sampled Shapley values: an order and its reverse for each background row."""
    d, b, k = len(rows.names), len(background), len(answers.names)
    rank = np.argsort(rng.random((b, d)), axis=1)
    ranks = np.stack([rank, d - 1 - rank], axis=1)  # (b, 2, d)
    own = ranks[:, :, None, :] < np.arange(d + 1)[:, None]  # (b, 2, d + 1, d)
    own, theirs = own.reshape(-1, d), np.repeat(np.arange(b), 2 * (d + 1))
    values, error = np.empty((len(rows), d, k)), np.empty((len(rows), d, k))
    for i in range(len(rows)):
        said = answers(rows.mixed(background, np.full(len(own), i), theirs, own)).reshape(b, 2, d + 1, k)
        steps = np.diff(said, axis=2)
        changes = np.take_along_axis(steps, ranks[..., None], axis=2).mean(axis=1)  # (b, d, k)
        values[i] = changes.mean(axis=0)
        error[i] = changes.std(axis=0, ddof=1) / np.sqrt(b) if b > 1 else np.nan
    method = f"Shapley values sampled over {2 * b} orders, {counted(b, 'background row')}"
    return Division(values, answers(background).mean(axis=0), answers, method, error)
