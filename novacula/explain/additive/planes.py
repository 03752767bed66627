"""Contributions of a plane: what each column adds to the answer at the means of the background rows.

f(x) = f(x̄) + Σ_j w_j·(x_j − x̄_j)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from novacula.explain.additive.view import Division, inner_view
from novacula.explain.answers import SeenAnswers, answers_of, decision_of, says_classes
from novacula.explain.rows import SeenRows

CLOSE = 1e-9
"""How far a weighted sum may be from what the model says, relative to its size, if it is the model."""


def divided_by_planes(model: Any, rows: SeenRows, background: SeenRows) -> Division | None:
    """The division of a model that is a weighted sum of its columns; None of any other."""
    view = inner_view(model, rows)
    weights, intercept = (getattr(view.model, name, None) for name in ("coef_", "intercept_"))
    if weights is None or intercept is None or view.rows.chunk.codes.shape[1] or view.rows.chunk.text:
        return None
    coef, numbers = np.atleast_2d(np.asarray(weights, np.float64)), view.rows.chunk.numeric
    answers = _answers(model)
    constant = np.broadcast_to(np.asarray(intercept, np.float64), len(coef))
    if answers is None or coef.shape != (len(answers.names), numbers.shape[1]) or not np.isfinite(numbers).all():
        return None
    sums, said = numbers @ coef.T + constant, answers(rows)
    if not np.allclose(sums, said, rtol=CLOSE, atol=CLOSE * max(1.0, float(np.abs(said).max()))):
        return None
    mean = inner_view(model, background).rows.chunk.numeric.mean(axis=0)
    parts = (numbers - mean)[:, :, None] * coef.T
    method = "weight times distance from the mean of the background rows"
    return Division(view.by_origin(parts, len(rows.names)), coef @ mean + constant, answers, method)


def _answers(model: Any) -> SeenAnswers | None:
    """What the planes of a model say."""
    if not says_classes(model):
        return answers_of(model)
    if not hasattr(model, "decision_function"):
        return None
    two = len(model.classes_) == 2
    return decision_of(model, "log odds" if two and hasattr(model, "predict_proba") else "decision value")
