"""Trees and rules with gaps, bins, costs and pruning."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from novacula.checks.samples import sample
from novacula.tree import DecisionTreeClassifier, DecisionTreeRegressor, RuleListClassifier


def variants() -> Iterator[tuple[str, Any, Any, Any]]:
    """See the package."""
    random = np.random.default_rng(0)
    card = DecisionTreeClassifier.card
    data, gaps = sample(card, n=60), sample(card, n=60, missing=True)
    yield "tree-gaps", DecisionTreeClassifier(), gaps.X, gaps.target
    yield "tree-gaps-common", DecisionTreeClassifier(missing="most_common_in_class"), gaps.X, gaps.target
    yield "tree-pruned", DecisionTreeClassifier(prune="mdl"), data.X, data.target
    yield "tree-c45", DecisionTreeClassifier("gain_ratio", nominal="subset", prune="pessimistic"), gaps.X, gaps.target
    yield "tree-tested", DecisionTreeClassifier("gini", chi2_alpha=0.2, m="laplace"), data.X, data.target
    yield "tree-leaf", DecisionTreeClassifier(min_gain=10.0), data.X, data.target
    numbers, three = random.normal(size=(50, 3)), random.integers(0, 3, 50)
    cuts = {"thresholds": {"x0": [-0.5, 0.5]}, "max_bins": 4}
    yield "tree-cut", DecisionTreeClassifier("nunez", costs={"x1": 2.0}, **cuts), numbers, three
    yield "rules-gaps", RuleListClassifier(), gaps.X, gaps.target
    yield "rules-judged", RuleListClassifier(validation_fraction=0.3, random_state=0), data.X, data.target
    yield "rules-cut", RuleListClassifier(m="laplace", nominal="subset", **cuts), numbers, three
    rows = sample(DecisionTreeRegressor.card, n=60, missing=True)
    yield "numbers-gaps", DecisionTreeRegressor(), rows.X, rows.target
    better = {"nominal": "subset", "missing": "better"}
    yield "numbers-better", DecisionTreeRegressor(max_leaf_nodes=6, **better), rows.X, rows.target
    yield "numbers-absolute", DecisionTreeRegressor("absolute_error"), rows.X, rows.target
    yield "numbers-absolute-better", DecisionTreeRegressor("absolute_error", max_bins=5, **better), rows.X, rows.target
