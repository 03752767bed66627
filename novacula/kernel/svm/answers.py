"""The work of a support vector machine's answers: sums over support vectors, votes, and probabilities."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from novacula.kernel.algebra import Rows
from novacula.kernel.algebra.rows import dense
from novacula.kernel.svm.base import SupportVectorMachine
from novacula.kernel.svm.machine import is_plane
from novacula.kernel.svm.pairs import class_pairs, votes
from novacula.kernel.svm.probability import probabilities
from novacula.kernel.svm.shown_machine import classifies, kernel_expression
from novacula.learner.worded_step import WordedStep as Step
from novacula.learner.work import Work, WorkTable
from novacula.linear.plane import weighted_sum
from novacula.table.chunk import Floats

PAIRS = 3
"""Pairs of classes whose decisions are written out."""


def derive_predictions(model: SupportVectorMachine, rows: Rows, cut: bool) -> Work:
    """The answers for some rows; `cut`: there were more."""
    decisions = model.row_decisions(rows)
    steps = list[Step]()
    for i in range(rows.shape[0]):
        steps += _row_steps(model, rows[[i]], decisions[i], i)
    notes = [f"Only the first {rows.shape[0]} rows are derived."] if cut else []
    if decisions.shape[1] > PAIRS:
        notes.append(f"Only the first {PAIRS} of {decisions.shape[1]} pairs of classes are written out.")
    return Work("Answers of a support vector machine", steps, notes)


def _row_steps(model: SupportVectorMachine, row: Rows, decisions: Floats, i: int) -> Iterator[Step]:
    classes: Any = getattr(model, "classes_", ())
    several = len(classes) > 2
    for place in range(min(len(decisions), PAIRS)):
        name = ""
        if several:
            one, other = class_pairs(len(classes))[place]
            name = f": {classes[one]} (above 0) or {classes[other]}"
        if place == 0 and not is_plane(model.kernel_):
            yield from _kernel_steps(model, row, i)
        yield _decision_step(model, row, i, place, name)
    if several:
        yield from _vote_steps(model, decisions, i)
    if getattr(model, "probability", False):
        yield _probability_step(model, decisions, i)


def _kernel_values(model: SupportVectorMachine, row: Rows) -> Floats:
    """k of each support vector and the row (s,)."""
    if model.kernel_.precomputed:
        return dense(row)[0, model.support_]
    return model.kernel_.block(model.support_vectors_, row)[:, 0]


def _kernel_steps(model: SupportVectorMachine, row: Rows, i: int) -> Iterator[Step]:
    """The kernel of the row and the support vector that counts most."""
    if model.kernel_.precomputed or not len(model.support_):
        return
    most = int(np.argmax(np.abs(model.machine_coefficients()[:, 0] * _kernel_values(model, row))))
    nearest = dense(model.support_vectors_[[most]])[0]
    written = kernel_expression(model.kernel_, nearest, dense(row)[0])
    if written is not None:
        expression, values = written
        title = f"Row {i + 1}: the kernel with support vector {model.support_[most]}, which counts most"
        yield Step(title, formula="k(a, b)", expression=expression, values=values)


def _decision_step(model: SupportVectorMachine, row: Rows, i: int, place: int, name: str) -> Step:
    """Σ βᵢk(xᵢ, x) + b, or b + Σ wⱼxⱼ of a plane."""
    if is_plane(model.kernel_):
        formula = "f(x) = b + Σ wⱼxⱼ"
        total, values = weighted_sum("w", model.coef_[place], "x", dense(row)[0])
    else:
        formula = "f(x) = b + Σ βᵢk(xᵢ, x)" + (",  βᵢ = αᵢyᵢ" if classifies(model) else "")
        beta = model.machine_coefficients()[:, place]
        total, values = weighted_sum("β", beta, "k", _kernel_values(model, row), model.support_ - 1)
    answer = ""
    if len(model.intercept_) == 1 and classifies(model):
        answer = f"So the class is {model.classes_[int(model.row_decisions(row)[0, 0] > 0.0)]}."
    return Step(
        f"Row {i + 1}{name}",
        formula=formula,
        expression=f"b + {total}",
        values={"b": float(model.intercept_[place])} | values,
        of=_path(model, i, place),
        note=answer,
    )


def _path(model: SupportVectorMachine, i: int, place: int) -> tuple[str | int, ...]:
    """The method whose answer a decision is; with several classes only one gives decisions of pairs."""
    if not classifies(model):
        return ("predict", i)
    if len(model.intercept_) == 1:
        return ("decision_function", i)
    return ("decision_function", i, place) if getattr(model, "decision_function_shape", "") == "ovo" else ()


def _vote_steps(model: Any, decisions: Floats, i: int) -> Iterator[Step]:
    """Who wins each pair, and the class with most votes."""
    classes, k = model.classes_, len(model.classes_)
    pairs, values = class_pairs(k), votes(decisions[None], k)[0]
    cells = [
        (str(classes[a]), str(classes[b]), float(f), str(classes[a if f >= 0.0 else b]))
        for (a, b), f in zip(pairs, decisions, strict=True)
    ]
    yield Step(f"Row {i + 1}: the votes", table=WorkTable(("class", "against", "f(x)", "vote for"), tuple(cells)))
    best = int(values.argmax())
    count = sum(best == (a if f >= 0.0 else b) for (a, b), f in zip(pairs, decisions, strict=True))
    clear = sum(f if best == a else -f for (a, b), f in zip(pairs, decisions, strict=True) if best in (a, b))
    yield Step(
        f"Row {i + 1}: the class is {classes[best]}",
        formula="votes + s / 3(|s| + 1)",
        expression="v + s / (3 * (abs(s) + 1))",
        values={"v": float(count), "s": float(clear)},
        of=("decision_function", i, best) if model.decision_function_shape == "ovr" else (),
        note="s is the sum of the decisions about the class, and breaks ties between classes with as many votes.",
    )


def _probability_step(model: Any, decisions: Floats, i: int) -> Step:
    """Platt's sigmoid of the decision, or what the sigmoids of all pairs are coupled to."""
    k = len(model.classes_)
    if k > 2:
        shares = probabilities(decisions[None], k, model.sigmoids_, model.chosen_codes(decisions[None]))[0]
        table = WorkTable(("class", "P"), tuple(zip(map(str, model.classes_), shares.tolist(), strict=True)))
        return Step(f"Row {i + 1}: the probabilities of pairs, coupled", table=table)
    sigmoid = model.sigmoids_[0]
    return Step(
        f"Row {i + 1}: the probability of {model.classes_[1]}",
        formula="P = 1 / (1 + exp(a·f))",
        expression="1 / (1 + exp(a * f))",
        values={"a": sigmoid.a, "f": float(decisions[0])},
        of=("predict_proba", i, 1),
    )
