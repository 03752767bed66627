"""Nearest neighbours: the rows that a model keeps, their distances, and the voices of the nearest."""

from __future__ import annotations

from typing import Any

import numpy as np

from novacula.export.deciding import Distances, Nearest
from novacula.export.inputs import Inputs
from novacula.export.said import Said
from novacula.export.vectors import Choose, Combine, ConstantVector, Largest, Pick, Reduce, Vector, constant, join
from novacula.neighbors.metric import MIXED, power
from novacula.neighbors.votes import TIE
from novacula.table.chunk import Floats

HUGE = float(np.finfo(np.float64).max)
"""A unit so large that a column measured in it counts for nothing."""


def nearest_classes(model: Any, inputs: Inputs) -> Said:
    """The class with most votes; ties go to the one with the nearer voters, then to the first."""
    k = len(model.classes_)
    found = _nearest(model, inputs, np.eye(k)[model.examples_["target"]])
    votes, total, far = (Pick(found, tuple(range(*ends))) for ends in ((0, k), (k, k + 1), (k + 1, 2 * k + 1)))
    leads = Combine(">=", votes, Reduce("max", votes) * (1.0 - TIE))
    near = constant(0.0) - Choose(leads, far, constant(HUGE))
    limit = Reduce("max", near) * (1.0 + TIE)
    return Said(Largest(Combine(">=", near, limit)), votes / total)


def nearest_mean(model: Any, inputs: Inputs) -> Said:
    """The mean target of the nearest rows."""
    target = np.asarray(model.examples_["target"], np.float64)
    values = target[:, None] if target.ndim == 1 else target
    t, found = values.shape[1], _nearest(model, inputs, values)
    return Said(Pick(found, tuple(range(t))) / Pick(found, (t,)))


def _nearest(model: Any, inputs: Inputs, values: Floats) -> Nearest:
    counts = model.examples_["weight"] > 0.0
    rows, weight = model.examples_["rows"][counts], model.examples_["weight"][counts]
    p, mixed = power(model.metric, model.p), model.metric == MIXED
    n_numbers = inputs.numeric.width
    row = join(_on_scale(model, inputs.numeric), inputs.codes) if mixed else _on_scale(model, inputs.numbers)
    distances = Distances(row, np.ascontiguousarray(rows), p, n_numbers if mixed else None)
    return Nearest(distances, weight, values[counts], float(model.n_neighbors_), model.weights == "distance", p)


def _on_scale(model: Any, numeric: Vector) -> Vector:
    scaling = model.scaling_
    if not numeric.width:
        return ConstantVector(())
    unit = np.where(np.isinf(scaling.unit), HUGE, scaling.unit)
    if not scaling.offset.any() and (unit == 1.0).all():
        return numeric
    return (numeric - constant(*scaling.offset.tolist())) / constant(*unit.tolist())


NEIGHBORS = {"k-neighbors-classifier": nearest_classes, "k-neighbors-regressor": nearest_mean}
