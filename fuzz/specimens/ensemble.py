"""Forests, boosting and committees of learners, with gaps, categories, bounds and more than one answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from novacula.bayes import NaiveBayes
from novacula.checks.samples import sample
from novacula.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    BaggingRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from novacula.tree import DecisionTreeRegressor


def variants() -> Iterator[tuple[str, Any, Any, Any]]:
    """See the package."""
    classes = sample(RandomForestClassifier.card, n=60, missing=True)
    numbers = sample(RandomForestRegressor.card, n=60, missing=True)
    few = {"max_iter": 4, "min_samples_leaf": 3, "random_state": 0}
    yield "boosting-gaps", GradientBoostingClassifier(**few), classes.X, classes.target
    yield "boosting-two", GradientBoostingClassifier(**few), classes.X, np.asarray(classes.target) == classes.target[0]
    for loss in ("squared_error", "absolute_error", "poisson"):
        yield f"boosting-{loss}", GradientBoostingRegressor(loss, **few), numbers.X, np.abs(numbers.target)
    stopped = GradientBoostingRegressor(early_stopping=True, max_iter=8, min_samples_leaf=3, random_state=0)
    yield "boosting-stopped", stopped, numbers.X, numbers.target
    yield "forest-bag", RandomForestClassifier(4, oob_score=True), classes.X, classes.target
    yield "forest-numbers", RandomForestRegressor(3, max_leaf_nodes=5, oob_score=True), numbers.X, numbers.target
    yield "forest-whole", RandomForestClassifier(2, "entropy", bootstrap=False), classes.X, classes.target
    yield "adaboost-few", AdaBoostClassifier(n_estimators=3), classes.X, classes.target
    yield "bagging-bayes", BaggingClassifier(NaiveBayes(), 3, max_features=0.6), classes.X, classes.target
    yield "bagging-trees", BaggingRegressor(DecisionTreeRegressor(max_depth=2), 3), numbers.X, numbers.target
