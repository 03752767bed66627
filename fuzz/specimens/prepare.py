"""Learners behind a preparation: numbers, categories, gaps, words and sparse blocks for inner learners that differ."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from scipy.sparse import csr_matrix

from novacula.baseline import MeanRegressor, PluralityClassifier
from novacula.bayes import NaiveBayes
from novacula.concept import RoteLearner
from novacula.prepare import PreparedClassifier, PreparedRegressor
from novacula.tree import DecisionTreeClassifier

NOTES = ["near the sea", None, "old and large", "near town", "an old hut", "by the sea"]
ROWS = pa.table(
    {
        "size": 5 * [40.0, None, 220.0, 60.0, 90.0, 30.0],
        "kind": 5 * ["flat", "house", None, "flat", "hut", "hut"],
        "note": [note and f"{note}, house number {i}" for i, note in enumerate(5 * NOTES)],  # read as text
    }
)
LABELS = np.array(5 * ["a", "b", "b", "a", "c", "c"])


def variants() -> Iterator[tuple[str, Any, Any, Any]]:
    """See the package."""
    random = np.random.default_rng(0)
    for learner in (NaiveBayes(), DecisionTreeClassifier(), PluralityClassifier()):
        yield f"prepared-{type(learner).__name__.lower()}", PreparedClassifier(learner, max_words=3), ROWS, LABELS
    yield "prepared-rote", PreparedClassifier(RoteLearner()), ROWS.drop(["note"]), np.array(5 * list("aabbab"))
    yield "prepared-twice", PreparedClassifier(PreparedClassifier(DecisionTreeClassifier())), ROWS, LABELS
    block = csr_matrix(random.poisson(1.0, (20, 4)).astype(float))
    yield "prepared-block", PreparedClassifier(DecisionTreeClassifier()), block, random.integers(0, 2, 20)
    yield "prepared-mean", PreparedRegressor(MeanRegressor()), ROWS, np.arange(30.0)
