"""The steps of a work from the multipliers of a machine to w, b, the margin and the objective."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.kernel.algebra.rows import dense
from novacula.kernel.svm.base import SupportVectorMachine
from novacula.kernel.svm.machine import is_plane
from novacula.kernel.svm.shown_machine import ShownMachine, classifies, columns_table
from novacula.learner.worded_step import WordedStep as Step
from novacula.linear.plane import SHOWN, TERMS, weighted_sum
from novacula.mathematics.measuring import measure
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.kernel.svc import SVC

WEIGHTS = 4
"""Coefficients of a plane that are derived."""
DIGITS = 1e-10
"""How near a sum must come to the model's number to be held to it; sums in another order differ by rounding."""
ROUNDED = 1e-14
"""The share of the numbers added below which a sum is zero."""


def plane_steps(model: SupportVectorMachine, machine: ShownMachine) -> Iterator[Step]:
    """From the multipliers to w, b, the margin and the objective."""
    beta = model.machine_coefficients()[:, machine.place]
    held = np.flatnonzero(beta)
    beta, numbers = beta[held], model.support_[held] - 1  # names count from 1
    yield _balance_step(model, machine, beta, numbers)
    if is_plane(model.kernel_):
        yield from _weight_steps(model, machine, beta, held, numbers)
    yield _intercept_step(model, machine)
    if classifies(model) and math.isfinite(model.margin_[machine.place]):
        yield _width_step(model, machine)
    yield from _objective_steps(model, machine, beta, held)


def _balance_step(model: SupportVectorMachine, machine: ShownMachine, beta: Floats, numbers: Any) -> Step:
    signed = classifies(model)
    total, values = weighted_sum("α", np.abs(beta), "y" if signed else "s", np.sign(beta), numbers)
    balanced = abs(float(beta.sum())) <= ROUNDED * float(np.abs(beta).sum())
    return Step(
        machine.titled("The multipliers balance"),
        formula="Σ αᵢyᵢ = 0" if signed else "Σ βᵢ = Σ αᵢsᵢ = 0,  s the sign of β",
        expression=total,
        values=values,
        result=0.0 if balanced else None,
    )


def _weight_steps(
    model: SupportVectorMachine, machine: ShownMachine, beta: Floats, held: Any, numbers: Any
) -> Iterator[Step]:
    """The coefficients of the plane as sums over support vectors, and the largest of them as a table."""
    w, d = model.coef_[machine.place], model.n_features_in_
    letter = "αᵢyᵢ" if classifies(model) else "βᵢ"
    shown = range(min(d, WEIGHTS))
    for j, name in zip(shown, model.schema_.column_names(shown), strict=True):
        total, values = weighted_sum("β", beta, "x", dense(model.support_vectors_[held][:, [j]])[:, 0], numbers)
        step = Step(
            machine.titled(f"w_{j + 1}, the coefficient of {name}"),
            formula=f"w = Σ βᵢxᵢ,  βᵢ = {letter}" if letter != "βᵢ" else "w = Σ βᵢxᵢ",
            expression=total,
            values=values,
        )
        yield _tied(step, ("coef_", machine.place, j), float(w[j]))
    if d > WEIGHTS:
        largest = np.sort(np.argsort(-np.abs(w), kind="stable")[:SHOWN])
        table = columns_table(("column", "w"), model.schema_.column_names(largest), w[largest])
        yield Step(machine.titled(f"The largest of {d} coefficients" if d > SHOWN else "The plane"), table=table)


def _intercept_step(model: SupportVectorMachine, machine: ShownMachine) -> Step:
    """b from the rows whose multipliers are free, as the mean of what each asks for."""
    b, path = float(model.intercept_[machine.place]), ("intercept_", machine.place)
    title = machine.titled("The intercept")
    plain = Step(title, formula="f(x) = Σ βᵢk(xᵢ, x) + b", result=b, of=path)
    free = [i for i, status in enumerate(machine.statuses(model.loss == "squared_hinge")) if status == "free"]
    if not free or not machine.whole or machine.f is None or machine.target is None:
        return plain
    beta, sums = machine.beta[free], machine.f[free] - b
    asked = machine.target[free] - sums - np.sign(beta) * getattr(model, "epsilon", 0.0)
    if model.loss == "squared_hinge":
        asked -= beta / (2.0 * machine.cost[free])
    if math.isinf(model.C):
        if not beta.min() < 0.0 < beta.max():  # the parameter was changed after the fit, or a file was
            return plain
        values = {"s_p": float(sums[beta > 0.0].min()), "s_q": float(sums[beta < 0.0].max())}
        step = Step(title, "b = −(min of + side + max of − side) / 2 of Σ βᵢk(xᵢ, x)", "-(s_p + s_q) / 2", values)
    else:
        values = {f"b_{machine.number[i]}": float(v) for i, v in zip(free[:TERMS], asked, strict=False)}
        if len(free) > TERMS:
            values["rest"] = float(asked[TERMS:].sum())
        step = Step(
            title,
            formula="b = mean over free support vectors of "
            + ("y − Σ βᵢk(xᵢ, x)" if classifies(model) else "t ∓ ε − Σ βᵢk(xᵢ, x)"),
            expression=f"({' + '.join(values)}) / n",
            values=values | {"n": float(len(asked))},
        )
    near = math.isclose(float(step.value or 0.0), b, rel_tol=DIGITS, abs_tol=DIGITS)
    return replace(step, of=path, result=b) if near else plain


def _width_step(model: SVC, machine: ShownMachine) -> Step:
    """1/‖w‖, from w or from the multipliers."""
    place = machine.place
    margin, path = float(model.margin_[place]), ("margin_", place)
    title = machine.titled(
        "The margin: how far f = ±1 is from the border" + " in the space of features" * (not is_plane(model.kernel_))
    )
    if is_plane(model.kernel_):
        total, values = weighted_sum("w", model.coef_[place], "w", model.coef_[place])
        return _tied(Step(title, "1/‖w‖ = 1/√Σ wⱼ²", f"1 / sqrt({total})", values), path, margin)
    if machine.whole and machine.f is not None:
        held = np.flatnonzero(machine.beta)
        sums = machine.f[held] - float(model.intercept_[place])
        total, values = weighted_sum("β", machine.beta[held], "s", sums, np.array(machine.number)[held] - 1)
        formula = "1/‖w‖,  ‖w‖² = Σ βᵢsᵢ,  sᵢ = Σ βⱼk(xⱼ, xᵢ)"
        return _tied(Step(title, formula, f"1 / sqrt({total})", values), path, margin)
    return Step(title, "1/‖w‖", result=margin, of=path)


def _objective_steps(model: SupportVectorMachine, machine: ShownMachine, beta: Floats, held: Any) -> Iterator[Step]:
    """The dual objective, where all that it is made of is kept."""
    place, squared, alpha = machine.place, model.loss == "squared_hinge", np.abs(beta)
    with np.errstate(divide="ignore", over="ignore"):  # of a margin that is next to nothing
        length = float(np.square(1.0 / model.margin_[place]))
    if classifies(model):
        formula, expression, values = "Σ αᵢ − ½‖w‖²", "A - L / 2", {"A": float(alpha.sum()), "L": length}
    elif machine.whole and machine.target is not None:
        values = {"T": float(machine.target @ machine.beta), "A": float(alpha.sum()), "epsilon": model.epsilon}
        formula, expression, values = "Σ tᵢβᵢ − ε Σ |βᵢ| − ½‖w‖²", "T - epsilon * A - L / 2", values | {"L": length}
    else:
        return
    if squared:
        formula, expression = f"{formula} − Σ {'α' if classifies(model) else 'β'}ᵢ²/4C", f"{expression} - R"
        values["R"] = float((alpha**2 / (4.0 * model.multipliers_["cost"][held])).sum())
    step = Step(machine.titled("What the multipliers make as large as possible"), formula, expression, values)
    yield _tied(step, ("dual_objective_", place), float(model.dual_objective_[place]))


def _tied(step: Step, path: tuple[str | int, ...], held: float) -> Step:
    """Hold a step to the model, unless digits differ because the model has added many numbers in another order."""
    value = math.nan if step.value is None else step.value
    noise = 0.0 if step.tree is None else ROUNDED * measure(step.tree, step.scope).scale
    if math.isclose(value, held, rel_tol=DIGITS, abs_tol=noise):
        return replace(step, of=path)
    return replace(step, note=f"{step.note} The model, which adds in another order, says {held:.9g}.".strip())
