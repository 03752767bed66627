"""Many models: sums of trees, means of models, and their weighted votes."""

from __future__ import annotations

from typing import Any

import numpy as np

from novacula.export.deciding import OneTree, Trees
from novacula.export.inputs import Inputs
from novacula.export.learners.planes import is_second
from novacula.export.learners.trees import tree_nodes
from novacula.export.said import Said
from novacula.export.vectors import (
    LARGEST_EXPONENT,
    Combine,
    ConstantVector,
    Largest,
    Lookup,
    Map,
    Vector,
    constant,
    logistic,
    softmax,
    two_chances,
)
from novacula.table.chunk import Floats


def boosted_classes(model: Any, inputs: Inputs) -> Said:
    """The class of the largest score, and probabilities of the scores."""
    scores = _sum_of_trees(model, inputs, model.constant_)
    if len(model.classes_) == 2:
        return Said(is_second(scores), two_chances(logistic(scores)))
    return Said(Largest(scores), softmax(scores))


def boosted_number(model: Any, inputs: Inputs) -> Said:
    """The score, or of counts e to the score."""
    score: Vector = _sum_of_trees(model, inputs, model.constant_)
    if model.loss == "poisson":
        score = Map("exp", Combine("min", score, constant(LARGEST_EXPONENT)))
    return Said(score)


def forest_classes(model: Any, inputs: Inputs) -> Said:
    """The mean class shares of the trees."""
    shares = _mean_of_trees(model, inputs)
    return Said(Largest(shares), shares)


def forest_number(model: Any, inputs: Inputs) -> Said:
    """The mean number of the trees."""
    return Said(_mean_of_trees(model, inputs))


def _mean_of_trees(model: Any, inputs: Inputs) -> Vector:
    total = _sum_of_trees(model, inputs, np.zeros(model.trees_.value.shape[1]))
    return total / len(model.trees_)


def _sum_of_trees(model: Any, inputs: Inputs, start: Floats) -> Trees:
    """A constant and the leaves of all trees, added in their order."""
    source, places = inputs.asked_by_trees(model.attributes_)
    trees = []
    for t in range(len(model.trees_)):
        tree = model.trees_.tree(t, model.attributes_)
        values = model.trees_.value[model.trees_.start[t] : model.trees_.start[t + 1]]
        nodes = tuple(tree_nodes(tree, values, model.attributes_, places, fractional=False))
        trees.append(OneTree(nodes, int(model.trees_.output[t])))
    return Trees(source, tuple(trees), tuple(start.tolist()))


def bagged_classes(model: Any, inputs: Inputs) -> Said:
    """The mean of the probabilities of all models, or of their votes where one has none."""
    said = _each(model, inputs)
    if all(hasattr(each, "predict_proba") for each in model.estimators_):
        shares = [each.chances for each in said if each.chances is not None]
    else:
        shares = [_vote(each, len(model.classes_)) for each in said]
    mean = _mean(shares)
    return Said(Largest(mean), mean)


def bagged_number(model: Any, inputs: Inputs) -> Said:
    """The mean of what all models say."""
    return Said(_mean([each.answer for each in _each(model, inputs)]))


def weighted_votes(model: Any, inputs: Inputs) -> Said:
    """The class of the largest score: a model adds α to its class, and takes α / (K − 1) from the others."""
    k, total = len(model.classes_), float(sum(model.estimator_weights_))
    score: Vector = ConstantVector((0.0,) * k)
    for alpha, each in zip(model.estimator_weights_.tolist(), _each(model, inputs), strict=True):
        votes = np.eye(k)
        table = alpha * (votes if k == 1 else (votes * k - 1.0) / (k - 1.0))
        score = score + _of_class(each, table)
    score = score / total
    return Said(Largest(score), softmax(score / max(k - 1, 1)))


def _each(model: Any, inputs: Inputs) -> list[Said]:
    from novacula.export.learners import said_by

    return [said_by(each, inputs.seen_by(each.schema_)) for each in model.estimators_]


def _mean(parts: list[Vector]) -> Vector:
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total / len(parts)


def _vote(said: Said, k: int) -> Vector:
    return _of_class(said, np.eye(k))


def _of_class(said: Said, table: Floats) -> Lookup:
    """The row of a table (K, k) that the chosen class names."""
    return Lookup(said.answer, 0, np.vstack([table, np.full((1, table.shape[1]), np.nan)]))


ENSEMBLES = {
    "gradient-boosting-classifier": boosted_classes,
    "gradient-boosting-regressor": boosted_number,
    "random-forest-classifier": forest_classes,
    "random-forest-regressor": forest_number,
    "bagging-classifier": bagged_classes,
    "bagging-regressor": bagged_number,
    "ada-boost-classifier": weighted_votes,
}
