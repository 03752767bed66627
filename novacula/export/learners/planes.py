"""Planes: weighted sums of numbers, and the class on whose side of them a row is."""

from __future__ import annotations

from typing import Any

import numpy as np

from novacula.export.inputs import Inputs
from novacula.export.said import Said
from novacula.export.vectors import Combine, Largest, Operator, Vector, WeightedSums, constant, join, logistic, softmax
from novacula.table.chunk import Floats


def plane(model: Any, inputs: Inputs) -> Said:
    """The number, or the numbers, of a row."""
    return Said(linear(inputs.numbers, model.coef_, model.intercept_))


def linear_unit(model: Any, inputs: Inputs) -> Said:
    """A number, or with a threshold the second class above 0."""
    value = linear(inputs.numbers, model.coef_, model.intercept_)
    return Said(is_second(value)) if model.threshold else Said(value)


def logistic_regression(model: Any, inputs: Inputs) -> Said:
    """The most probable class, and the probabilities."""
    values = linear(inputs.numbers, model.coef_, model.intercept_)
    if len(model.classes_) == 2:
        below = constant(0.0) - values
        return Said(is_second(values), join(logistic(below), logistic(values)))
    return Said(Largest(values), softmax(values))


def perceptron(model: Any, inputs: Inputs) -> Said:
    """The class on whose side the row is; the rule of the unit says whose the plane itself is."""
    values = linear(inputs.numbers, model.coef_, model.intercept_)
    if len(model.classes_) > 2:
        return Said(Largest(values))
    return Said(is_second(values, ">=" if model.response == "threshold" else ">"))


def linear(numbers: Vector, coef: Floats, intercept: Any) -> WeightedSums:
    """b + Σ wⱼxⱼ for weights (d,) or (k, d)."""
    weights = np.ascontiguousarray(np.atleast_2d(coef).T, np.float64)
    return WeightedSums(numbers, weights, np.broadcast_to(np.asarray(intercept, np.float64), weights.shape[1]).copy())


def is_second(values: Vector, operator: Operator = ">") -> Vector:
    """1 for the second of two classes, 0 for the first."""
    return Combine(operator, values, constant(0.0))


PLANES = {
    "linear-regression": plane,
    "ridge": plane,
    "lasso": plane,
    "bayesian-linear-regression": plane,
    "linear-unit": linear_unit,
    "logistic-regression": logistic_regression,
    "perceptron": perceptron,
}
