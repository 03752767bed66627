"""Networks of units: layers of weighted sums that are bent, and sums of bumps around centres."""

from __future__ import annotations

from typing import Any

import numpy as np

from novacula.errors import ExportError
from novacula.export.deciding import Distances
from novacula.export.inputs import Inputs
from novacula.export.learners.planes import is_second, linear
from novacula.export.said import Said
from novacula.export.vectors import (
    Choose,
    Combine,
    Largest,
    Map,
    Pick,
    Reduce,
    Vector,
    WeightedSums,
    constant,
    logistic,
    softmax,
    two_chances,
)


def layered_number(model: Any, inputs: Inputs) -> Said:
    """The outputs of a multilayer perceptron."""
    return Said(_layers(model, inputs))


def layered_classes(model: Any, inputs: Inputs) -> Said:
    """The most probable class."""
    if model.multilabel_:
        raise ExportError("A multilayer perceptron of several labels a row cannot be exported in any format")
    values = _layers(model, inputs)
    if len(model.classes_) == 2:
        return Said(Combine(">", values, constant(0.5)), two_chances(values))
    return Said(Largest(values), values)


def _layers(model: Any, inputs: Inputs) -> Vector:
    architecture = model.architecture_
    functions = [architecture.activation] * (architecture.n_layers - 1) + [architecture.output]
    values: Vector = inputs.numbers
    for weights, bias, function in zip(model.coefs_, model.intercepts_, functions, strict=True):
        values = BENDS[function](WeightedSums(values, weights.astype(np.float64), bias.astype(np.float64)))
    return values


BENDS = {
    "logistic": logistic,
    "tanh": lambda z: Map("tanh", z),
    "relu": lambda z: Combine("max", z, constant(0.0)),
    "linear": lambda z: z,
    "softmax": softmax,
}
"""What the units of a layer do with their sums."""


def bumps_number(model: Any, inputs: Inputs) -> Said:
    """The outputs of a radial basis network."""
    return Said(linear(_bumps(model, inputs), model.coef_, model.intercept_))


def bumps_classes(model: Any, inputs: Inputs) -> Said:
    """The class of the largest output; outputs below 0 are no probability."""
    values = linear(_bumps(model, inputs), model.coef_, model.intercept_)
    positive = Combine("max", values, constant(0.0))
    shares = positive / Reduce("sum", positive)
    if len(model.classes_) == 2:
        return Said(is_second(Pick(values, (1,)) - Pick(values, (0,))), shares)
    return Said(Largest(values), shares)


def _bumps(model: Any, inputs: Inputs) -> Vector:
    basis = model.radial_basis_
    squares = Distances(inputs.numbers, basis.centers) / constant(*(basis.widths**2).tolist())
    return BUMPS[basis.function](squares)


def _thin_plate(s: Vector) -> Vector:
    above = Combine(">", s, constant(0.0))
    log = Choose(above, Map("log", Choose(above, s, constant(1.0))), constant(0.0))
    return constant(0.5) * s * log


def _root(s: Vector) -> Vector:
    return Map("sqrt", constant(1.0) + s)


BUMPS = {
    "gaussian": lambda s: Map("exp", constant(-0.5) * s),
    "multiquadric": _root,
    "inverse_multiquadric": lambda s: constant(1.0) / _root(s),
    "thin_plate": _thin_plate,
}
"""Radial functions of the squared distance in units of the width."""
NETWORKS = {
    "mlp-classifier": layered_classes,
    "mlp-regressor": layered_number,
    "rbf-network-classifier": bumps_classes,
    "rbf-network-regressor": bumps_number,
}
