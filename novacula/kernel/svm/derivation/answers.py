"""The work of a support vector machine's answers: sums over support vectors, votes, and probabilities."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from novacula.kernel.algebra import Rows
from novacula.kernel.algebra.formula import kernel_equation
from novacula.kernel.algebra.rows import dense
from novacula.kernel.svm.base import SupportVectorMachine
from novacula.kernel.svm.machine import is_plane
from novacula.kernel.svm.pairs import class_pairs, votes
from novacula.kernel.svm.probability import probabilities
from novacula.kernel.svm.shown_machine import classifies
from novacula.learner.derivation import heaviest, only_first, only_first_rows
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Step, Work, WorkTable
from novacula.mathematics import Equation, word
from novacula.table.chunk import Floats

PAIRS = 3
"""Pairs of classes whose decisions are written out, unless all are asked for."""


def derive_predictions(model: SupportVectorMachine, rows: Rows, is_cut: bool, options: WorkOptions) -> Work:
    """The answers for some rows; `is_cut`: there were more."""
    decisions = model.row_decisions(rows)
    n_pairs = decisions.shape[1]
    shown = n_pairs if options.is_full else min(n_pairs, PAIRS)
    steps = [step for i in range(rows.shape[0]) for step in _row_steps(model, rows[[i]], decisions[i], i, shown)]
    notes = [*only_first_rows(rows.shape[0], is_cut), *only_first(shown, n_pairs, "machine")]
    return Work("Answers of a support vector machine", steps, notes)


def _row_steps(model: Any, row: Rows, decisions: Floats, i: int, shown: int) -> Iterator[Step]:
    classes: Any = getattr(model, "classes_", ())
    several = len(classes) > 2
    if not is_plane(model.kernel_):
        yield from _kernel_steps(model, row, i)
    for place in range(shown):
        name = ""
        if several:
            one, other = class_pairs(len(classes))[place]
            name = f": {classes[one]} (above 0) or {classes[other]}"
        yield Step(f"Row {i + 1}{name}", tuple(_decision(model, row, i, place)))
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
    vector, name = dense(model.support_vectors_[[most]])[0], f"x[{model.support_[most]}]"
    value = kernel_equation(model.kernel_, vector, dense(row)[0], f"k({name}, x)", (name, "x"))
    yield Step(f"Row {i + 1}: the kernel with support vector {model.support_[most]}, which counts most", value)


def _decision(model: Any, row: Rows, i: int, place: int) -> Iterator[Equation]:
    """b + Σ βᵢk(xᵢ, x), or b + Σ wⱼxⱼ of a plane, and of two classes the answer."""
    b, of = {"b": float(model.intercept_[place])}, _path(model, i, place)
    if is_plane(model.kernel_):
        w, x = model.coef_[place], dense(row)[0]
        shown, rest = heaviest(w * x, "j")
        values = {"w": w[shown], "x": x[shown]}
        decision = Equation("f(x)", "b + sum(w[j] * x[j] for j in _)", {**b, **values}, of, rest=rest)
    else:
        beta, k = model.machine_coefficients()[:, place], _kernel_values(model, row)
        beta, k = beta[beta != 0.0], k[beta != 0.0]
        shown, rest = heaviest(beta * k)
        values = {"k(x[i], x)": k[shown]}
        signed = {"α": np.abs(beta[shown]), "y": np.sign(beta[shown])} if classifies(model) else {"β": beta[shown]}
        formula = f"b + sum({'α[i] * y[i]' if classifies(model) else 'β[i]'} * k(x[i], x) for i in _)"
        decision = Equation("f(x)", formula, {**b, **values, **signed}, of, rest=rest)
    yield decision
    if len(model.intercept_) == 1 and classifies(model):
        no, yes = map(word, model.classes_)
        known = {"f(x)": float(model.row_decisions(row)[0, 0])}
        yield Equation("ŷ", f"{yes} if f(x) > 0 else {no}", known, ("predict", i), therefore=True)


def _path(model: SupportVectorMachine, i: int, place: int) -> tuple[str | int, ...]:
    """The method whose answer a decision is; with several classes only one gives decisions of pairs."""
    if not classifies(model):
        return ("predict", i)
    if len(model.intercept_) == 1:
        return ("decision_function", i)
    return ("decision_function", i, place) if getattr(model, "decision_function_shape", "") == "ovo" else ()


def _vote_steps(model: Any, decisions: Floats, i: int) -> Iterator[Step]:
    """Who wins each pair, and the class with most votes."""
    labels, k = [str(label) for label in model.classes_], len(model.classes_)
    pairs, best = class_pairs(k), int(votes(decisions[None], k)[0].argmax())
    cells = [
        (labels[a], labels[b], float(f), labels[a if f >= 0.0 else b])
        for (a, b), f in zip(pairs, decisions, strict=True)
    ]
    equations = [_votes_for(model, decisions, i, t, labels[t]) for t in range(k)]
    ranked = {labels[t]: equation.value for t, equation in enumerate(equations)}
    shown = (*([equations[best]] if k > PAIRS else equations),)
    winner = Equation("ŷ", "argmax(V[t] for t in _)", {"V[t]": ranked}, ("predict", i), therefore=True)
    yield Step(
        f"Row {i + 1}: the votes",
        (*shown, winner),
        WorkTable(("class", "against", "⟦f(x)⟧", "vote for"), tuple(cells)),
        note="⟦n⟧ are the votes for a class; ⟦s⟧, the sum of the decisions about it, breaks ties.",
    )


def _votes_for(model: Any, decisions: Floats, i: int, t: int, label: str) -> Equation:
    """The votes for a class, and below half a vote how clear they were."""
    pairs = zip(class_pairs(len(model.classes_)), decisions.tolist(), strict=True)
    own = [(f if t == a else -f, t == (a if f >= 0.0 else b)) for (a, b), f in pairs if t in (a, b)]
    values = {"n": float(sum(won for _, won in own)), "s": float(sum(f for f, _ in own))}
    of = ("decision_function", i, t) if model.decision_function_shape == "ovr" else ()
    return Equation(f"V[{word(label)}]", "n + s / (3 * (abs(s) + 1))", values, of)


def _probability_step(model: Any, decisions: Floats, i: int) -> Step:
    """Platt's sigmoid of the decision, or what the sigmoids of all pairs are coupled to."""
    labels = [str(label) for label in model.classes_]
    if len(labels) > 2:
        chosen = model.chosen_codes(decisions[None])
        shares = probabilities(decisions[None], len(labels), model.sigmoids_, chosen)[0]
        table = WorkTable(("class", "⟦P⟧"), tuple(zip(labels, shares.tolist(), strict=True)))
        values = {"P(t | x)": dict(zip(labels, shares.tolist(), strict=True))}
        best = Equation("ŷ", "argmax(P(t | x) for t in _)", values, ("predict", i), therefore=True)
        return Step(f"Row {i + 1}: the probabilities of pairs, coupled", best, table)
    sigmoid = model.sigmoids_[0]
    known = {"a": sigmoid.a, "f(x)": float(decisions[0])}
    share = Equation(f"P({word(labels[1])} | x)", "1 / (1 + exp(a * f(x)))", known, ("predict_proba", i, 1))
    return Step(f"Row {i + 1}: the probability of {labels[1]}", share)
