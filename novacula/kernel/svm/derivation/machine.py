"""The work of a support vector machine: its quadratic program, multipliers, KKT conditions, w, b and the margin."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from novacula.kernel.algebra.formula import kernel_equation
from novacula.kernel.svm.base import SupportVectorMachine
from novacula.kernel.svm.derivation.plane import plane_steps
from novacula.kernel.svm.figures import margin_figure, tube_figure
from novacula.kernel.svm.pairs import class_pairs
from novacula.kernel.svm.shown_machine import ShownMachine, classifies, columns_table, show_machine
from novacula.learner.derivation import indexed_corner, only_first
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Step, Work
from novacula.mathematics import Equation

if TYPE_CHECKING:
    from novacula.kernel.svc import SVC
    from novacula.kernel.svr import SVR

MACHINES = 3
"""Machines that are derived, unless all are asked for."""
DECIMALS = 10
"""Decimals of what should be zero: the rest is rounding."""
MATRIX = 8
"""Rows up to which the matrix of the quadratic program is shown whole."""
TITLE = "The multipliers and the conditions of Karush, Kuhn and Tucker"


def derive_svc(model: SVC, options: WorkOptions) -> Work:
    """From the quadratic program of each pair of classes to its margin."""
    steps, pairs = list[Step](), class_pairs(len(model.classes_))
    shown = len(pairs) if options.is_full else min(len(pairs), MACHINES)
    for place, (i, j) in enumerate(pairs[:shown]):
        machine = show_machine(model, place)
        positive, negative = (j, i) if len(pairs) == 1 else (i, j)
        signs = f"⟦y⟧ is 1 for {model.classes_[positive]}, and −1 for {model.classes_[negative]}"
        steps += [_program_step(model, machine, signs), *_matrix_steps(model, machine)]
        steps += [_margins_step(model, machine), *plane_steps(model, machine, options)]
    if model.n_features_in_ == 2 and not model.kernel_.precomputed:
        steps.append(Step("The border and the margin", figure=margin_figure(model)))
    notes = [*_notes(model), *only_first(shown, len(pairs), "machine")]
    return Work("Support vector machine", steps, notes)


def derive_svr(model: SVR, options: WorkOptions) -> Work:
    """From the quadratic program to the function."""
    machine = show_machine(model, 0)
    steps = [_program_step(model, machine, f"⟦ε⟧ = ⟦{float(model.epsilon)!r}⟧"), *_matrix_steps(model, machine)]
    steps += [_tube_step(model, machine), _support_step(model), *plane_steps(model, machine, options)]
    if model.n_features_in_ == 1 and not model.kernel_.precomputed:
        steps.append(Step("The function and its tube", figure=tube_figure(model, machine)))
    return Work("Support vector regression", steps, _notes(model))


def _notes(model: SupportVectorMachine) -> list[str]:
    notes = ["Rows are numbered from 0, as in support_."]
    if model.examples_ is None:
        notes.append("Only the support vectors are kept, and some of them are shown.")
    if not model.converged_:
        notes.append(f"The search was cut short: the conditions are violated by up to ⟦{model.kkt_violation_:.3g}⟧.")
    return notes


# --- the quadratic program ----------------------------------------------------------------------------------


def _program_step(model: SupportVectorMachine, machine: ShownMachine, signs: str) -> Step:
    """What is made largest, under which conditions."""
    squared, is_bounded = model.loss == "squared_hinge", not math.isinf(model.C)
    letter = "α" if classifies(model) else "β"
    if classifies(model):
        total = "sum(α[i] for i in _) - sum(α[i] * α[j] * y[i] * y[j] * k(x[i], x[j]) for i in _ for j in _) / 2"
        conditions = [Equation("sum(α[i] * y[i] for i in _)", "0"), Equation("α[i]", "0", sign="≥")]
    else:
        total = "sum(t[i] * β[i] for i in _) - ε * sum(abs(β[i]) for i in _) - "
        total += "sum(β[i] * β[j] * k(x[i], x[j]) for i in _ for j in _) / 2"
        conditions = [Equation("sum(β[i] for i in _)", "0")]
    if squared:
        total += f" - sum({letter}[i]**2 / (4 * C[i]) for i in _)"
    elif is_bounded:
        conditions.append(Equation("α[i]" if classifies(model) else "abs(β[i])", "C[i]", sign="≤"))
    price = f"⟦C⟧ = ⟦{float(model.C)!r}⟧" if is_bounded else "⟦C⟧ is infinite: no row may miss its margin"
    return Step(
        machine.titled("The quadratic program: make this as large as possible"),
        (Equation("W", total), *conditions),
        note=f"{signs}; {price}, times the weight of a row; k is {model.kernel_!r}.",
    )


def _matrix_steps(model: SupportVectorMachine, machine: ShownMachine) -> Iterator[Step]:
    """The matrix of the program, and how one of its entries comes about."""
    n = len(machine.beta)
    if not machine.whole or n < 2:
        return
    signed = classifies(model)
    y = machine.target if signed and machine.target is not None else np.ones(n)
    Q = y[:, None] * model.kernel_.block(machine.rows, machine.rows) * y
    one, other = machine.number[:2]
    entry = kernel_equation(
        model.kernel_,
        machine.rows[0],
        machine.rows[1],
        f"Q[{one}, {other}]",
        (f"x[{one}]", f"x[{other}]"),
        times=f"y[{one}] * y[{other}] * " if signed else "",
        values={f"y[{one}]": y[0], f"y[{other}]": y[1]} if signed else {},
    )
    rule = Equation("Q[i, j]", "y[i] * y[j] * k(x[i], x[j])" if signed else "k(x[i], x[j])")
    yield Step(machine.titled("Its matrix ⟦Q⟧"), (rule, entry), indexed_corner(Q, MATRIX, machine.number))


# --- the conditions of Karush, Kuhn and Tucker --------------------------------------------------------------


def _kept_conditions(model: SupportVectorMachine) -> tuple[Equation, ...]:
    """That no condition is violated by more than was asked, where the search came to its end."""
    values = {"v": model.kkt_violation_, "τ": float(model.tol)}
    where = {"v": "the largest violation of a condition", "τ": "tol"}
    within = Equation("v", "τ", values, sign="≤", where=where)
    return (within,) if model.converged_ and within.fault() is None else ()


def _margins_step(model: SVC, machine: ShownMachine) -> Step:
    """For each row its multiplier, its margin y·f(x), and the condition that ties them."""
    squared, alpha = model.loss == "squared_hinge", np.abs(machine.beta)
    statuses = machine.statuses(squared)
    if machine.f is None or machine.target is None:
        table = columns_table(("row", "⟦y⟧", "⟦α⟧", "status"), machine.number, np.sign(machine.beta), alpha, statuses)
        return Step(machine.titled("The multipliers"), _kept_conditions(model), table)
    margin = machine.target * machine.f
    slack = np.maximum(1.0 - margin, 0.0).round(DECIMALS)
    free = "⟦y * f(x) == 1 - α / (2 * C)⟧" if squared else "⟦y * f(x) == 1⟧"
    conditions = {"at 0": "⟦y * f(x) >= 1⟧", "free": free, "at C": "⟦y * f(x) <= 1⟧"}
    header = ("row", "⟦y⟧", "⟦α⟧", "status", "⟦y * f(x)⟧", "⟦ξ⟧", "⟦α * (y * f(x) - 1 + ξ)⟧", "condition")
    due = [conditions[status] for status in statuses]
    columns = (machine.target, alpha, statuses, margin, slack, (alpha * (margin - 1.0 + slack)).round(DECIMALS), due)
    rules = [Equation("ξ[i]", "max(0, 1 - y[i] * f(x[i]))")]
    if not squared:
        rules.append(Equation("α[i] * (y[i] * f(x[i]) - 1 + ξ[i])", "0"))
        rules += [] if math.isinf(model.C) else [Equation("(C[i] - α[i]) * ξ[i]", "0")]
    return Step(
        machine.titled(TITLE),
        (*rules, *_kept_conditions(model)),
        columns_table(header, machine.number, *columns),
        note="The support vectors are the rows with ⟦α > 0⟧.",
    )


def _tube_step(model: SVR, machine: ShownMachine) -> Step:
    """For each row its multiplier, its distance from the function, and the condition that ties them."""
    squared = model.loss == "squared_hinge"
    statuses = machine.statuses(squared)
    if machine.f is None or machine.target is None:
        table = columns_table(("row", "⟦β⟧", "status"), machine.number, machine.beta, statuses)
        return Step("The multipliers", _kept_conditions(model), table)
    free = "⟦abs(t - f(x)) == ε + abs(β) / (2 * C)⟧" if squared else "⟦abs(t - f(x)) == ε⟧"
    conditions = {"at 0": "⟦abs(t - f(x)) <= ε⟧", "free": free, "at C": "⟦abs(t - f(x)) >= ε⟧"}
    distance = np.abs(machine.target - machine.f)
    columns = (machine.target, machine.f, machine.beta, statuses, distance, [conditions[s] for s in statuses])
    header = ("row", "⟦t⟧", "⟦f(x)⟧", "⟦β⟧", "status", "⟦abs(t - f(x))⟧", "condition")
    table = columns_table(header, machine.number, *columns)
    return Step(TITLE, _kept_conditions(model), table, note="The support vectors are the rows with ⟦β != 0⟧.")


def _support_step(model: SVR) -> Step:
    """How many support vectors there are: on the tube, and beyond it."""
    statuses = [row[-1] for row in model.multipliers_table().rows]
    values = {"n_free": statuses.count("free"), "n_C": statuses.count("at C")}
    where = {"n_free": "those that are free between their bounds", "n_C": "those at ⟦C⟧"}
    return Step("Support vectors", Equation("n", "n_free + n_C", values, ("n_support_", 0), where))
