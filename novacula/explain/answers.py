"""What of a model is seen into: probabilities, else decision values, or numbers; of two classes those of the second."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from novacula.errors import InputTypeError
from novacula.evaluate.loss import Floats, hits
from novacula.evaluate.rows import is_classifier
from novacula.explain.rows import SeenRows
from novacula.words import quoted

BLOCK = 65_536
"""Rows that a model is given at once."""


@dataclass(frozen=True, eq=False)
class SeenAnswers:
    """The k numbers that are looked at: their names, what they are, and how the model gives them."""

    names: tuple[str, ...]
    scale: str
    give: Callable[[Any], Floats]

    def __call__(self, rows: SeenRows) -> Floats:
        """The answers (n, k)."""
        n = len(rows)
        if n <= BLOCK:
            return self._of(rows)
        return np.concatenate([self._of(rows.take(slice(start, start + BLOCK))) for start in range(0, n, BLOCK)])

    def _of(self, rows: SeenRows) -> Floats:
        return np.asarray(self.give(rows.given()), np.float64).reshape(len(rows), len(self.names))

    def heading(self, k: int) -> str:
        """What the k-th number is, in words."""
        return f"{self.scale} of {self.names[k]}" if self.names[k] else self.scale


def answers_of(model: Any) -> SeenAnswers:
    """What of a fitted model is looked at."""
    if not hasattr(model, "predict"):
        raise InputTypeError(f"{quoted(model)} predicts nothing: give a fitted model that has a predict")
    if says_classes(model):
        return _of_classes(model)
    targets = tuple(getattr(model, "target_names_", ()))
    names = tuple(map(str, targets)) if len(targets) > 1 else ("",)
    return SeenAnswers(names, "prediction", model.predict)


def says_classes(model: Any) -> bool:
    """Whether a model predicts classes; one that is no estimator does if it names them."""
    return is_classifier(model) if hasattr(model, "__sklearn_tags__") else hasattr(model, "classes_")


def _of_classes(model: Any) -> SeenAnswers:
    classes = np.asarray(model.classes_)
    names = tuple(str(label) for label in classes.tolist())
    if hasattr(model, "predict_proba"):
        if len(names) == 2:
            return SeenAnswers(names[1:], "probability", lambda X: model.predict_proba(X)[:, 1])
        return SeenAnswers(names, "probability", model.predict_proba)
    if hasattr(model, "decision_function"):
        return decision_of(model)
    if len(names) == 2:
        return SeenAnswers(
            names[1:], "share", lambda X: hits(np.asarray(model.predict(X)), classes)[:, 1].astype(float)
        )
    return SeenAnswers(names, "share", lambda X: hits(np.asarray(model.predict(X)), classes).astype(float))


def decision_of(model: Any, scale: str = "decision value") -> SeenAnswers:
    """The decision values of a classifier."""
    names = tuple(str(label) for label in np.asarray(model.classes_).tolist())
    return SeenAnswers(names[1:] if len(names) == 2 else names, scale, model.decision_function)
