"""A learner behind its preparation: its answers, brought back, as sure as they should be, and weighed by costs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from novacula.errors import ExportError
from novacula.export.inputs import Inputs
from novacula.export.preparation import prepared
from novacula.export.said import Said
from novacula.export.vectors import Combine, Largest, Map, Vector, WeightedSums, constant, softmax
from novacula.prepare.calibration import LEAST
from novacula.prepare.costs import AnswerCosts


def classifier_behind_preparation(model: Any, inputs: Inputs) -> Said:
    """The class of the row as it is prepared; by decision values alone there are no probabilities."""
    said = _inner(model, inputs)
    if model.sureness_ is not None and said.chances is not None:
        logits = constant(model.sureness_.factor) * Map("log", Combine("max", said.chances, constant(LEAST)))
        said = replace(said, chances=softmax(logits))
    return said if model.costs is None else replace(said, answer=_cheapest(model, said.chances))


def _cheapest(model: Any, chances: Vector | None) -> Vector:
    """The number of the class that costs least to answer."""
    labels = model.classes_.tolist()
    costs = AnswerCosts.of(model.costs, labels)
    answers = costs.answers.tolist()
    if chances is None or set(answers) != set(labels):
        raise ExportError(
            "its costs are of other answers than the classes, which no format holds: predict with Novacula"
        )
    matrix = costs.matrix[:, [answers.index(label) for label in labels]]
    return Largest(WeightedSums(chances, -np.ascontiguousarray(matrix), np.zeros(len(labels))))


def regressor_behind_preparation(model: Any, inputs: Inputs) -> Said:
    """The number of the row as it is prepared, on the scale of the target."""
    said = _inner(model, inputs)
    match model.target_transform:
        case "log":
            return Said(Map("exp", said.answer))
        case "log1p":
            return Said(Map("exp", said.answer) - 1.0)
        case "sqrt":
            root = Combine("max", said.answer, constant(0.0))
            return Said(root * root)
    return said


def _inner(model: Any, inputs: Inputs) -> Said:
    from novacula.export.learners import said_by

    return said_by(model.model_, prepared(model.preparation_, model.columns_, inputs))


PREPARED = {
    "prepared-classifier": classifier_behind_preparation,
    "prepared-regressor": regressor_behind_preparation,
}
