"""The work of a support vector machine: its quadratic program, multipliers, KKT conditions, w, b and the margin."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from novacula.kernel.svm.answers import derive_predictions
from novacula.kernel.svm.base import SupportVectorMachine
from novacula.kernel.svm.figures import margin_figure, tube_figure
from novacula.kernel.svm.pairs import class_pairs
from novacula.kernel.svm.plane_steps import plane_steps
from novacula.kernel.svm.shown_machine import ShownMachine, classifies, columns_table, kernel_expression, show_machine
from novacula.learner.worded_step import WordedStep as Step
from novacula.learner.work import Cell, Work, WorkTable

if TYPE_CHECKING:
    from novacula.kernel.svc import SVC
    from novacula.kernel.svr import SVR

MACHINES = 3
"""Machines that are derived."""
DECIMALS = 10
"""Decimals of what should be zero: the rest is rounding."""
MATRIX = 8
"""Rows up to which the matrix of the quadratic program is shown whole."""


def derive_svc(model: SVC) -> Work:
    """From the quadratic program of each pair of classes to its margin."""
    steps, pairs = list[Step](), class_pairs(len(model.classes_))
    for place, (i, j) in enumerate(pairs[:MACHINES]):
        machine = show_machine(model, place)
        positive, negative = (j, i) if len(pairs) == 1 else (i, j)
        signs = f"y = +1 for {model.classes_[positive]}, −1 for {model.classes_[negative]}"
        steps.append(_program_step(model, machine, signs))
        steps += _matrix_steps(model, machine)
        steps.append(_margins_step(model, machine))
        steps += plane_steps(model, machine)
    if model.n_features_in_ == 2 and not model.kernel_.precomputed:
        steps.append(Step("The border and the margin", figure=margin_figure(model)))
    notes = _notes(model)
    if len(pairs) > MACHINES:
        notes.append(f"Only the first {MACHINES} of {len(pairs)} pairs of classes are derived.")
    return Work("Support vector machine", steps, notes)


def derive_svr(model: SVR) -> Work:
    """From the quadratic program to the function."""
    machine = show_machine(model, 0)
    steps = [_program_step(model, machine, f"ε = {model.epsilon:g}")]
    steps += _matrix_steps(model, machine)
    steps.append(_tube_step(model, machine))
    steps += plane_steps(model, machine)
    if model.n_features_in_ == 1 and not model.kernel_.precomputed:
        steps.append(Step("The function and its tube", figure=tube_figure(model, machine)))
    return Work("Support vector regression", steps, _notes(model))


def _notes(model: SupportVectorMachine) -> list[str]:
    notes = ["Rows are numbered from 0, as in support_."]
    if model.examples_ is None:
        notes.append("Only the support vectors are kept, and some of them are shown.")
    if not model.converged_:
        notes.append(f"The search was cut short: the conditions are violated by up to {model.kkt_violation_:.3g}.")
    return notes


# --- the quadratic program ----------------------------------------------------------------------------------


def _program_step(model: SupportVectorMachine, machine: ShownMachine, signs: str) -> Step:
    """What is made largest, under which conditions."""
    squared, bound = model.loss == "squared_hinge", "0 ≤ αᵢ" if math.isinf(model.C) else "0 ≤ αᵢ ≤ C"
    if classifies(model):
        formula = "Σ αᵢ − ½ ΣΣ αᵢαⱼyᵢyⱼk(xᵢ, xⱼ)"
        conditions = f"Σ αᵢyᵢ = 0,  {'0 ≤ αᵢ' if squared else bound}"
    else:
        formula = "Σ tᵢβᵢ − ε Σ |βᵢ| − ½ ΣΣ βᵢβⱼk(xᵢ, xⱼ)"
        conditions = "Σ βᵢ = 0" if squared else "Σ βᵢ = 0,  |βᵢ| ≤ C"
    if squared:
        formula += " − Σ αᵢ²/4C" if classifies(model) else " − Σ βᵢ²/4C"
    price = "C is infinite: no row may miss its margin" if math.isinf(model.C) else f"C = {model.C:g}"
    return Step(
        machine.titled("The quadratic program: make this as large as possible"),
        formula=f"{formula},  {conditions}",
        note=f"{signs}; {price}; k is {model.kernel_!r}.",
    )


def _matrix_steps(model: SupportVectorMachine, machine: ShownMachine) -> Iterator[Step]:
    """The matrix of the program, and how one of its entries comes about."""
    n = len(machine.beta)
    if not machine.whole or n < 2:
        return
    signed, shown = classifies(model), range(min(n, MATRIX))
    y = machine.target if signed and machine.target is not None else np.ones(n)
    Q = y[:, None] * model.kernel_.block(machine.rows, machine.rows) * y
    entry = "yᵢyⱼk(xᵢ, xⱼ)" if signed else "k(xᵢ, xⱼ)"
    written = kernel_expression(model.kernel_, machine.rows[0], machine.rows[1])
    if written is not None:
        expression, values = written
        yield Step(
            machine.titled(f"An entry of its matrix, for rows {machine.number[0]} and {machine.number[1]}"),
            formula=f"Qᵢⱼ = {entry}",
            expression=f"y_1 * y_2 * ({expression})" if signed else expression,
            values=({"y_1": y[0], "y_2": y[1]} if signed else {}) | values,
        )
    cells: list[tuple[Cell, ...]] = [(machine.number[i], *Q[i, shown].tolist()) for i in shown]
    caption = f"The first {MATRIX} of {n} rows and columns." if n > MATRIX else ""
    header = ("row", *(str(machine.number[i]) for i in shown))
    yield Step(machine.titled(f"Its matrix Qᵢⱼ = {entry}"), table=WorkTable(header, tuple(cells), caption))


# --- the conditions of Karush, Kuhn and Tucker --------------------------------------------------------------


def _margins_step(model: SVC, machine: ShownMachine) -> Step:
    """For each row its multiplier, its margin y·f(x), and the condition that ties them."""
    squared, alpha = model.loss == "squared_hinge", np.abs(machine.beta)
    statuses = machine.statuses(squared)
    if machine.f is None or machine.target is None:
        table = columns_table(("row", "y", "α", "status"), machine.number, np.sign(machine.beta), alpha, statuses)
        return Step(machine.titled("The multipliers"), table=table)
    margin = machine.target * machine.f
    slack = np.maximum(1.0 - margin, 0.0).round(DECIMALS)
    conditions = {"at 0": "y·f ≥ 1", "free": "y·f = 1 − α/2C" if squared else "y·f = 1", "at C": "y·f ≤ 1"}
    header = ("row", "y", "α", "status", "y·f(x)", "ξ = max(0, 1 − y·f)", "α(y·f − 1 + ξ)", "condition")
    due = [conditions[status] for status in statuses]
    columns = (machine.target, alpha, statuses, margin, slack, (alpha * (margin - 1.0 + slack)).round(DECIMALS), due)
    return Step(
        machine.titled("The multipliers and the conditions of Karush, Kuhn and Tucker"),
        formula="αᵢ(yᵢf(xᵢ) − 1 + ξᵢ) = 0" + ("" if squared or math.isinf(model.C) else ",  (C − αᵢ)ξᵢ = 0"),
        table=columns_table(header, machine.number, *columns),
        note=f"They hold up to tol = {model.tol:g}. The support vectors are the rows with α > 0.",
    )


def _tube_step(model: SVR, machine: ShownMachine) -> Step:
    """For each row its multiplier, its distance from the function, and the condition that ties them."""
    squared = model.loss == "squared_hinge"
    statuses = machine.statuses(squared)
    if machine.f is None or machine.target is None:
        return Step(
            "The multipliers", table=columns_table(("row", "β", "status"), machine.number, machine.beta, statuses)
        )
    distance = np.abs(machine.target - machine.f)
    conditions = {
        "at 0": "|t − f| ≤ ε",
        "free": "|t − f| = ε + |β|/2C" if squared else "|t − f| = ε",
        "at C": "|t − f| ≥ ε",
    }
    columns = (machine.target, machine.f, machine.beta, statuses, distance, [conditions[s] for s in statuses])
    return Step(
        "The multipliers and the conditions of Karush, Kuhn and Tucker",
        table=columns_table(("row", "t", "f(x)", "β", "status", "|t − f|", "condition"), machine.number, *columns),
        note=f"They hold up to tol = {model.tol:g}. The support vectors are the rows with β ≠ 0.",
    )


__all__ = ["derive_predictions", "derive_svc", "derive_svr", "margin_figure"]
