"""The probabilities that a logistic model gives to rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from novacula.learner.work import Step, Work
from novacula.linear.logistic.derivation.planes import plane_name
from novacula.linear.plane import cut_note, plane_value
from novacula.mathematics import Equation, word
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.linear.logistic.logistic_regression import LogisticRegression


def derive_probabilities(model: LogisticRegression, x: Floats, cut: bool, is_full: bool) -> Work:
    """The probabilities of rows x (n, d); `cut`: there were more rows."""
    steps: list[Step] = []
    for i, row in enumerate(x):
        two = len(model.coef_) == 1
        steps += two_classes_steps(model, row, i) if two else classes_steps(model, row, i, is_full)
    return Work("Predictions of logistic regression", steps, cut_note(len(x), cut))


def two_classes_steps(model: LogisticRegression, row: Floats, i: int) -> list[Step]:
    """The weighted sum, its logistic function, written so that it cannot overflow, and the class."""
    label = plane_name(model, 0)
    margin = plane_value("m", model.coef_[0], model.intercept_[0], row, ("decision_function", i))
    right = "1 / (1 + exp(-m))" if margin.value >= 0.0 else "exp(m) / (1 + exp(m))"
    probability = Equation("h", right, {"m": margin.value}, ("predict_proba", i, 1))
    side = f"{word(model.classes_[1])} if m > 0 else {word(model.classes_[0])}"
    chosen = Equation(word("class"), side, {"m": margin.value}, ("predict", i), therefore=True)
    return [
        Step(f"Row {i + 1}: the sum for {label}", margin),
        Step(f"Row {i + 1}: the probability of {label}", (probability, chosen)),
    ]


def classes_steps(model: LogisticRegression, row: Floats, i: int, is_full: bool) -> list[Step]:
    """The weighted sums, the softmax for the most probable class, whose exponents are not positive, and the class."""
    margins = [
        plane_value(f"m[{k + 1}]", w, b, row, ("decision_function", i, k))
        for k, (w, b) in enumerate(zip(model.coef_, model.intercept_, strict=True))
    ]
    m = np.array([equation.value for equation in margins])
    best = int(np.argmax(m))
    shown = range(len(m)) if is_full else [best]
    steps = [Step(f"Row {i + 1}: the sum for {plane_name(model, k)}", margins[k]) for k in shown]
    names = [str(label) for label in model.classes_]
    place = f"h[{word(names[best])}]"
    by_class = dict(zip(names, m.tolist(), strict=True))
    probability = Equation(
        place,
        f"1 / sum(exp(m[k] - m[{word(names[best])}]) for k in _)",
        {"m": by_class},
        ("predict_proba", i, best),
    )
    chosen = Equation(word("class"), "argmax(m[k] for k in _)", {"m": by_class}, ("predict", i), therefore=True)
    return [*steps, Step(f"Row {i + 1}: the probability of {names[best]}", (probability, chosen))]
