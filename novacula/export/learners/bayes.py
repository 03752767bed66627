"""Naive Bayes: the logarithm of each class's share, and what each column adds to it.

    log P(t) + Σ_j log P(x_j | t)

A probability of 0 stands as a logarithm that is far below all others, since no format has to know infinity. A row of
probability 0 in every class gets the shares of the classes, as in the model.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from novacula.errors import ExportError
from novacula.export.inputs import Inputs
from novacula.export.said import Said
from novacula.export.vectors import Choose, Combine, Largest, Map, Pick, Reduce, Vector, constant, join, softmax
from novacula.table.chunk import Floats

IMPOSSIBLE = -1e200
"""The logarithm of a probability of 0."""


def naive_bayes(model: Any, inputs: Inputs) -> Said:
    """The most probable class, and the probabilities."""
    prior = constant(*logarithms(model.class_prior_).tolist())
    scores: Vector = prior
    for part in model.parts_:
        scores = PARTS[part.name](part, inputs, scores)
    lost = Combine("<=", Reduce("max", scores), constant(IMPOSSIBLE / 10.0))
    scores = Choose(lost, prior, scores)
    return Said(Largest(scores), softmax(scores))


def logarithms(probabilities: Floats) -> Floats:
    """Natural logarithms, of 0 the one that stands for impossible."""
    known = probabilities > 0.0
    return np.where(known, np.log(np.where(known, probabilities, 1.0)), IMPOSSIBLE)


def _categorical(part: Any, inputs: Inputs, scores: Vector) -> Vector:
    table = logarithms(part.prob.T)
    for j, place in enumerate(part.group.places):
        own = table[part.offsets[j] : part.offsets[j + 1]]
        scores = scores + inputs.one_of(place, np.vstack([own, np.zeros((1, own.shape[1]))]))
    return scores


def _gaussian(part: Any, inputs: Inputs, scores: Vector) -> Vector:
    x = Pick(inputs.numeric, part.group.places)
    level, rate = -0.5 * np.log(2.0 * np.pi * part.var), 0.5 / part.var
    sums = []
    for k in range(len(part.mean)):
        gap = x - constant(*part.mean[k].tolist())
        product = constant(*rate[k].tolist()) * gap * gap
        sums.append(Reduce("sum", _or_0(x, constant(*level[k].tolist()) - product)))
    return scores + join(*sums)


def _kernel(part: Any, inputs: Inputs, scores: Vector) -> Vector:
    n_classes, n_columns = part.width.shape
    for j in range(n_columns):
        x = Pick(inputs.numeric, (part.group.places[j],))
        densities = []
        for k in range(n_classes):
            cell = slice(part.offsets[k * n_columns + j], part.offsets[k * n_columns + j + 1])
            densities.append(_log_density(x, part.points[cell], part.weight[cell], float(part.width[k, j])))
        scores = scores + _or_0(x, join(*densities))
    return scores


def _log_density(x: Vector, points: Floats, weight: Floats, width: float) -> Vector:
    gap = (x - constant(*points.tolist())) / width
    below = constant(0.5) * gap * gap
    logs = constant(*logarithms(weight).tolist()) - below
    highest = Reduce("max", logs)
    total = Map("log", Reduce("sum", Map("exp", logs - highest)))
    level = constant(-np.log(width) - 0.5 * np.log(2.0 * np.pi))
    return highest + total + level


def _poisson(part: Any, inputs: Inputs, scores: Vector) -> Vector:
    x = Pick(inputs.numeric, part.group.places)
    for k, rates in enumerate(part.rate):
        own: Vector = x * constant(*logarithms(rates).tolist()) - constant(*rates.tolist())
        own = Choose(Combine("<", x, constant(0.0)), constant(IMPOSSIBLE), own)
        scores = scores + _in_class(k, len(part.rate), Reduce("sum", _or_0(x, own)))
    return scores


def _multinomial(part: Any, inputs: Inputs, scores: Vector) -> Vector:
    x, logs = _counts(part, inputs), logarithms(part.prob)
    sums = [Reduce("sum", _where_above_0(x, x * constant(*own.tolist()))) for own in logs]
    return scores + join(*sums)


def _bernoulli(part: Any, inputs: Inputs, scores: Vector) -> Vector:
    x, there, gone = _counts(part, inputs), logarithms(part.prob), logarithms(1.0 - part.prob)
    sums = []
    for k in range(len(part.prob)):
        is_0 = Combine("=", x, constant(0.0))
        own = Choose(is_0, constant(*gone[k].tolist()), constant(*there[k].tolist()))
        sums.append(Reduce("sum", _or_0(x, own)))
    return scores + join(*sums)


def _counts(part: Any, inputs: Inputs) -> Vector:
    if part.group.kind != "numeric":
        raise ExportError("Naive Bayes that cuts texts into words itself cannot be exported in any format")
    return Pick(inputs.numeric, part.group.places)


def _or_0(x: Vector, value: Vector) -> Vector:
    """The value, and 0 where x is missing."""
    return Choose(Map("missing", x), constant(0.0), value)


def _where_above_0(x: Vector, value: Vector) -> Vector:
    return Choose(Combine(">", x, constant(0.0)), value, constant(0.0))


def _in_class(k: int, n_classes: int, value: Vector) -> Vector:
    """A number for class k, and 0 for the others."""
    return join(*(value if other == k else constant(0.0) for other in range(n_classes)))


PARTS = {
    "categorical": _categorical,
    "gaussian": _gaussian,
    "kernel": _kernel,
    "poisson": _poisson,
    "multinomial": _multinomial,
    "bernoulli": _bernoulli,
}
"""What each distribution adds to the scores."""
BAYES = {"naive-bayes": naive_bayes}
