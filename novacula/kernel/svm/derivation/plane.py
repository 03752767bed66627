"""From the multipliers of a machine to w, b, the margin and the objective."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from novacula.kernel.algebra.rows import dense
from novacula.kernel.svm.base import SupportVectorMachine
from novacula.kernel.svm.machine import is_plane
from novacula.kernel.svm.shown_machine import ShownMachine, classifies, columns_table
from novacula.learner.derivation import SHOWN, heaviest, largest
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Step
from novacula.mathematics import Equation
from novacula.mathematics.equation import agree
from novacula.table.chunk import Floats

WEIGHTS = 4
"""Coefficients of a plane that are derived, unless all are asked for."""
ROUNDED = 1e-14
"""The share of the numbers added below which a sum is zero."""
MOST_PAIRS = 1000
"""Support vectors up to which the kernels of all pairs are summed for the sake of a derivation."""


def plane_steps(model: SupportVectorMachine, machine: ShownMachine, options: WorkOptions) -> Iterator[Step]:
    """From the multipliers to w, b, the margin and the objective."""
    beta = model.machine_coefficients()[:, machine.place]
    held = np.flatnonzero(beta)
    beta = beta[held]
    yield _balance_step(model, machine, beta)
    if is_plane(model.kernel_):
        yield from _weight_steps(model, machine, beta, held, options)
    yield _intercept_step(model, machine)
    if math.isfinite(model.margin_[machine.place]):
        yield _width_step(model, machine, beta, held)
    yield from _objective_steps(model, machine, beta, held)


def _signed(model: SupportVectorMachine, beta: Floats) -> tuple[str, dict[str, Floats]]:
    """The coefficients of support vectors as the book writes them: αᵢyᵢ of classes, βᵢ of numbers."""
    return ("α[i] * y[i]", {"α": np.abs(beta), "y": np.sign(beta)}) if classifies(model) else ("β[i]", {"β": beta})


def _taken(values: dict[str, Floats], places: Any) -> dict[str, Any]:
    return {name: value[places] for name, value in values.items()}


def _balance_step(model: SupportVectorMachine, machine: ShownMachine, beta: Floats) -> Step:
    factors, values = _signed(model, beta)
    shown, rest = heaviest(beta)
    balanced = abs(float(beta.sum())) <= ROUNDED * float(np.abs(beta).sum())
    total = Equation("0" if balanced else "Σ_β", f"sum({factors} for i in _)", _taken(values, shown), rest=rest)
    return Step(machine.titled("The multipliers balance"), total)


def _weight_steps(
    model: SupportVectorMachine, machine: ShownMachine, beta: Floats, held: Any, options: WorkOptions
) -> Iterator[Step]:
    """The coefficients of the plane as sums over support vectors, and the largest of them as a table."""
    w, d = model.coef_[machine.place], model.n_features_in_
    factors, values = _signed(model, beta)
    shown = range(d if options.is_full else min(d, WEIGHTS))
    for j, name in zip(shown, model.schema_.column_names(shown), strict=True):
        x = dense(model.support_vectors_[held][:, [j]])[:, 0]
        places, rest = heaviest(beta * x)
        column = f"x[i, {j + 1}]"
        known = {**_taken(values, places), column: x[places]}
        total = Equation(f"w[{j + 1}]", f"sum({factors} * {column} for i in _)", known, rest=rest)
        title = machine.titled(f"⟦w[{j + 1}]⟧, the coefficient of {name}")
        yield _tied(Step(title, total), ("coef_", machine.place, j), float(w[j]))
    if d > len(shown):
        most = largest(w, SHOWN)
        table = columns_table(("column", "⟦w⟧"), model.schema_.column_names(most), w[most])
        yield Step(machine.titled(f"The largest of {d} coefficients" if d > SHOWN else "The plane"), table=table)


def _intercept_step(model: SupportVectorMachine, machine: ShownMachine) -> Step:
    """b from the rows whose multipliers are free, as the mean of what each asks for."""
    b, path = float(model.intercept_[machine.place]), ("intercept_", machine.place)
    title = machine.titled("The intercept")
    factors, _ = _signed(model, machine.beta)
    rule = Equation("f(x)", f"sum({factors} * k(x[i], x) for i in _) + b")
    plain = Step(title, rule, note=f"⟦b⟧ = ⟦{b!r}⟧.")
    free = [i for i, status in enumerate(machine.statuses(model.loss == "squared_hinge")) if status == "free"]
    if not free or not machine.whole or machine.target is None:
        return plain
    K = model.kernel_.block(machine.rows, machine.rows)
    own, sums = machine.beta[free], (K @ machine.beta)[free]
    number = machine.number[free[0]]
    values = {f"k(x[j], x[{number}])": K[free[0]], "β": machine.beta}
    first = Equation(f"s[{number}]", f"sum(β[j] * k(x[j], x[{number}]) for j in _)", values, where=_meaning(model))
    if math.isinf(model.C):
        if not own.min() < 0.0 < own.max():  # the parameter was changed after the fit, or a file was
            return plain
        sides = {"p": sums[own > 0.0], "q": sums[own < 0.0]}
        where = {"p": "⟦s⟧ of the support vectors on one side", "q": "of those on the other"}
        middle = Equation("b", "-(min(p[i] for i in _) + max(q[i] for i in _)) / 2", sides, where=where)
        return _tied(Step(title, (rule, first, middle)), path, b, plain)
    formula, known = ("y[i]" if classifies(model) else "t[i]"), {"s": sums, "n": len(free)}
    known[formula[0]] = machine.target[free]
    if not classifies(model):
        formula, known["β"], known["ε"] = f"{formula} - sign(β[i]) * ε", own, float(model.epsilon)
    if model.loss == "squared_hinge":
        formula, known["β"], known["C"] = f"{formula} - β[i] / (2 * C[i])", own, machine.cost[free]
    mean = Equation("b", f"sum({formula} - s[i] for i in range(n)) / n", known, where={"n": "free support vectors"})
    return _tied(Step(title, (rule, first, mean)), path, b, plain)


def _meaning(model: SupportVectorMachine) -> dict[str, str]:
    return {"β": "⟦α * y⟧ of each row"} if classifies(model) else {}


def _width_step(model: SupportVectorMachine, machine: ShownMachine, beta: Floats, held: Any) -> Step:
    """1/‖w‖, from w or from the multipliers."""
    place = machine.place
    margin, path = float(model.margin_[place]), ("margin_", place)
    space = "" if is_plane(model.kernel_) else " in the space of features"
    what = "The margin: how far f = ±1 is from the border" if classifies(model) else "How flat the function is"
    title = machine.titled(f"{what}{space}")
    if is_plane(model.kernel_):
        w = model.coef_[place]
        places, rest = heaviest(w**2, "j")
        members = (
            ("1 / sqrt(sum(w[j]**2 for j in _))",) if rest else ("1 / norm(w)", "1 / sqrt(sum(w[j]**2 for j in _))")
        )
        return _tied(Step(title, Equation("m", members, {"w": w[places]}, rest=rest)), path, margin)
    rule = Equation("m", "1 / norm(w)", where={"w": f"the sum of ⟦{_signed(model, beta)[0]} * φ(x[i])⟧"})
    if model.kernel_.precomputed or len(held) > MOST_PAIRS:
        return Step(title, rule, note=f"⟦m⟧ = ⟦{margin!r}⟧.")
    vectors = model.support_vectors_[held]
    sums = model.kernel_.block(vectors, vectors) @ beta
    places, rest = heaviest(beta * sums)
    values = {"β": beta[places], "s": sums[places]}
    total = Equation(
        "m",
        "1 / sqrt(sum(β[i] * s[i] for i in _))",
        values,
        rest=rest,
        where={"s": "⟦sum(β[j] * k(x[j], x[i]) for j in _)⟧", **_meaning(model)},
    )
    return _tied(Step(title, (rule, total)), path, margin)


def _objective_steps(model: SupportVectorMachine, machine: ShownMachine, beta: Floats, held: Any) -> Iterator[Step]:
    """The dual objective, where all that it is made of is kept."""
    place, alpha = machine.place, np.abs(beta)
    with np.errstate(divide="ignore", over="ignore"):  # of a margin that is next to nothing
        length = float(1.0 / model.margin_[place])
    values: dict[str, Any] = {"norm(w)": length}
    if classifies(model):
        shown, rest = heaviest(alpha)
        formula, values["α"] = "sum(α[i] for i in _) - norm(w)**2 / 2", alpha[shown]
        letter = "α"
    elif machine.whole and machine.target is not None:
        shown, rest = np.arange(len(machine.beta)), {}
        formula = "sum(t[i] * β[i] for i in _) - ε * sum(abs(β[i]) for i in _) - norm(w)**2 / 2"
        values |= {"t": machine.target, "β": machine.beta, "ε": float(model.epsilon)}
        letter = "β"
    else:
        return
    if model.loss == "squared_hinge":
        formula = f"{formula} - sum({letter}[j]**2 / (4 * C[j]) for j in _)"
        cost = model.multipliers_["cost"][held]
        values["C"] = cost[shown] if classifies(model) else machine.cost
        if rest:
            rest = {**rest, "j": float(np.delete(alpha**2 / (4.0 * cost), shown).sum())}
    step = Step(
        machine.titled("What the multipliers make as large as possible"), Equation("W", formula, values, rest=rest)
    )
    yield _tied(step, ("dual_objective_", place), float(model.dual_objective_[place]))


def _tied(step: Step, path: tuple[str | int, ...], held: float, otherwise: Step | None = None) -> Step:
    """Hold the last equation of a step to the model, unless that adds in another order and so has other digits."""
    *first, last = step.equations
    measured = last.measured[-1]
    if agree(measured.value, held, measured.scale):
        return replace(step, equation=(*first, replace(last, of=path)))
    if otherwise is not None:
        return otherwise
    return replace(step, note=f"{step.note} The model, which adds in another order, says ⟦{held!r}⟧.".strip())
