"""How many free numbers a fitted model has: what its description costs, and what a likelihood has to pay for.

    linear           weights and intercepts that are not zero
    trees, rules     tests, and for each leaf or rule one class share less than there are classes
    naive Bayes      the free numbers of each class's distributions, and the priors of all classes but one
    neighbours       the numbers that are kept
    committees       those of every hypothesis, and the probabilities of all but one
    concepts         the constraint on each attribute; a learner that keeps its examples keeps n·(d + 1) values

A learner that knows better says so itself, in `n_parameters_`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from novacula.errors import InputTypeError


def n_parameters(model: Any) -> int:
    """Give the number of free numbers of a fitted model; of a pipeline those of its last step.

    >>> import numpy as np
    >>> from novacula.linear import LinearRegression
    >>> n_parameters(LinearRegression().fit(np.eye(4)[:, :2], [1.0, 2.0, 3.0, 4.0]))
    3
    """
    from sklearn.utils.validation import check_is_fitted

    if hasattr(model, "steps"):
        return n_parameters(model.steps[-1][1])
    check_is_fitted(model)
    if hasattr(model, "n_parameters_"):
        return int(model.n_parameters_)
    for attribute, count in COUNTS.items():
        if hasattr(model, attribute):
            return int(count(model))
    raise InputTypeError(f"the free numbers of a {type(model).__name__} are not known: give it n_parameters_")


def _linear(model: Any) -> int:
    return int(np.count_nonzero(model.coef_) + np.count_nonzero(getattr(model, "intercept_", 0.0)))


def _tree(model: Any) -> int:
    tree = model.tree_
    if not hasattr(tree, "is_leaf"):  # scikit-learn's
        leaves = int((tree.children_left < 0).sum())
        return int(tree.node_count - leaves + leaves * np.maximum(tree.n_classes - 1, 1).sum())
    leaves = int(tree.is_leaf.sum())
    return len(tree) - leaves + leaves * (tree.n_classes - 1)


def _rules(model: Any) -> int:
    rules = model.rule_list_
    return len(rules.conditions.feature) + (len(rules) + 1) * (rules.counts.shape[1] - 1)


def _naive_bayes(model: Any) -> int:
    return len(model.classes_) - 1 + sum(PARTS[part.name](part) for part in model.parts_)


def _kept(model: Any) -> int:
    held = model.examples_
    if not isinstance(held, dict):
        return int(held.positions.size + held.positive.size)
    return int(held["rows"].size + (0 if held.get("target") is None else held["target"].size))


PARTS: dict[str, Callable[[Any], int]] = {
    "gaussian": lambda part: part.mean.size + part.var.size,
    "categorical": lambda part: len(part.prob) * int(np.maximum(np.diff(part.offsets) - 1, 0).sum()),
    "bernoulli": lambda part: part.prob.size,
    "multinomial": lambda part: len(part.prob) * max(part.prob.shape[1] - 1, 0),
    "poisson": lambda part: part.rate.size,
    "kernel": lambda part: part.points.size + part.width.size,
}
"""The free numbers of a distribution of naive Bayes, by its name."""

COUNTS: dict[str, Callable[[Any], int]] = {
    "coef_": _linear,
    "tree_": _tree,
    "rule_list_": _rules,
    "network_": lambda model: model.network_.n_parameters,
    "hypotheses_": lambda model: len(model.hypotheses_) - 1 + sum(map(n_parameters, model.hypotheses_)),
    "parts_": _naive_bayes,
    "hypothesis_": lambda model: len(model.space_.names),
    "examples_": _kept,
    "model_": lambda model: n_parameters(model.model_),
    "components_": lambda model: model.components_.size + model.mean_.size,
    "cluster_centers_": lambda model: model.cluster_centers_.size,
    "share_": lambda model: model.share_.size - 1,
    "ranks_": lambda model: model.ranks_.size,
    "theta_": lambda model: model.theta_.size + model.var_.size + model.class_prior_.size - 1,
    "mean_": lambda model: np.size(model.mean_),
}
"""How a model is counted, by the fitted attribute that says what it is; the first that it has decides."""
