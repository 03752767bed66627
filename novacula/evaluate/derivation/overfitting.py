"""The two inequalities that say that a hypothesis overfits, or which of them fails."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from novacula.evaluate.loss import metric_name
from novacula.learner.derivation import distinct_names
from novacula.learner.work import Step, Work
from novacula.mathematics import Equation, word

if TYPE_CHECKING:
    from novacula.evaluate.overfitting import Overfitting


def derive_overfitting(result: Overfitting) -> Work:
    """The errors of both hypotheses on both kinds of rows, and what follows."""
    names = [word(name) for name in distinct_names(result.names)]
    steps = [Step(f"The {metric_name(result.loss)} of both", table=result.errors_table())]
    below = "mistakes" if result.loss == "zero_one" else "sum of the losses of the rows"
    kinds = (("On the rows of the fit", "error_D", "seen"), ("On fresh rows", "error", "fresh"))
    for n, (title, letter, field) in zip(result.weights, kinds, strict=True):
        errors = getattr(result, field)
        places = [f"{letter}({name})" for name in names]
        known = {"r": below, "n": "rows, by their weights" if n not in result.rows else "rows"}
        sides = [
            Equation(place, "r / n", {"r": _whole(errors[i] * n), "n": n}, of=(field, i), where=known)
            for i, place in enumerate(places)
        ]
        sign = "<" if errors[0] < errors[1] else ">" if errors[0] > errors[1] else "="
        between = Equation(places[0], places[1], dict(zip(places, errors, strict=True)), sign=sign)
        steps.append(Step(title, (*sides, between)))
    if result.overfits is not None:
        one = Equation("h", word(result.overfits), {}, of=("overfits",), therefore=True)
        steps.append(Step("Smaller on the rows of the fit and larger on fresh ones: it overfits", one))
    return Work("Overfitting", steps, [f"{result.verdict()}."])


def _whole(total: float) -> float:
    """A sum that is a whole number but for rounding, as that number."""
    return float(round(total)) if math.isfinite(total) and abs(total - round(total)) <= 1e-9 * total else total
