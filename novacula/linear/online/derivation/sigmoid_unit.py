"""The work of a sigmoid unit: its steps row by row, how the objective went, and what it says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import special

from novacula.learner.derivation import cut_table, heaviest, only_first_rows
from novacula.learner.figure import curve_figure
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Step, Work, WorkTable
from novacula.linear.plane import plane_value, weighted_columns
from novacula.mathematics import Equation
from novacula.table.chunk import Floats
from novacula.words import counted

if TYPE_CHECKING:
    from novacula.linear.sigmoid_unit import SigmoidUnit

COLUMNS = 4
"""Columns whose changes are derived, unless everything is asked for."""
FAR = 1e-12
"""Outputs nearer to 0 or 1 have no logarithm that keeps its digits."""


def letter(unit: SigmoidUnit) -> str:
    """What the output is called: h where it is a probability."""
    return "o" if unit.loss == "squared" else "h"


def derive_sigmoid(unit: SigmoidUnit, options: WorkOptions) -> Work:
    """The rule, the first step, how the objective went, and the weights."""
    steps = [rule_step(unit)]
    if unit.n_iter:
        steps += update_steps(unit, 1, options)
    steps.append(history_step(unit))
    rows = [(f"⟦w[{j + 1}]⟧", name, float(w)) for j, (name, w) in enumerate(zip(unit.names, unit.coef, strict=True))]
    if unit.has_bias:
        rows.append(("⟦b⟧", "ones", unit.intercept))
    steps.append(Step("The weights", table=cut_table(("", "column", "weight"), rows, len(rows))))
    return Work("Sigmoid unit", steps)


def derive_sigmoid_step(unit: SigmoidUnit, iteration: int, options: WorkOptions) -> Work:
    """One step of all rows."""
    unit.path.step(iteration, (len(unit.coef) + 1,))
    return Work(f"Step {iteration} of {unit.n_iter} of a sigmoid unit", list(update_steps(unit, iteration, options)))


def derive_sigmoid_answers(unit: SigmoidUnit, rows: Floats, options: WorkOptions) -> Work:
    """What the unit says of rows."""
    steps, o = list[Step](), letter(unit)
    for i, row in enumerate(rows[: options.rows]):
        net = plane_value("net", unit.coef, unit.intercept if unit.has_bias else None, row)
        fired = Equation(o, "1 / (1 + exp(-net))", {"net": max(net.value, -700.0)}, ("predict", i))
        steps.append(Step(f"Row {i + 1}", (net, fired)))
    cut = len(rows) > options.rows
    return Work("What a sigmoid unit says", steps, only_first_rows(len(steps), cut))


def rule_step(unit: SigmoidUnit) -> Step:
    """What is made smallest or largest, and the rule that follows."""
    o = letter(unit)
    slope = " * o[i] * (1 - o[i])" if unit.loss == "squared" else ""
    rules = [
        Equation("net", weighted_columns(unit.has_bias)),
        Equation(o, "1 / (1 + exp(-net))"),
        Equation(*objective_of(unit)),
        Equation("w[j]", f"w[j] + η * sum((t[i] - {o}[i]){slope} * x[i, j] for i in _)", sign="←"),
    ]
    way = "Down the squared error" if unit.loss == "squared" else "Up the likelihood"
    note = f"⟦η⟧ is ⟦{float(unit.rates[0])!r}⟧ in the first step" + (
        "; the bias is the weight of ones." * unit.has_bias
    )
    return Step(way, tuple(rules), note=note if unit.has_bias else f"{note}.")


def objective_of(unit: SigmoidUnit) -> tuple[str, str]:
    """The objective by its name."""
    if unit.loss == "squared":
        return "E", "sum((t[i] - o[i])**2 for i in _) / 2"
    return "G", "sum(t[i] * log(h[i]) + (1 - t[i]) * log(1 - h[i]) for i in _)"


def update_steps(unit: SigmoidUnit, number: int, options: WorkOptions) -> Iterator[Step]:
    """What each row asks for at the weights before a step, the sums, and the weights after it."""
    d = len(unit.coef)
    before, after = unit.path.step(number, (d + 1,))
    eta, o = float(unit.rates[number - 1]), letter(unit)
    out = special.expit(unit.rows @ before[:-1] + before[-1])
    gap = unit.targets - out
    slope = out * (1.0 - out) if unit.loss == "squared" else np.ones_like(out)
    pull, x = gap * slope, np.column_stack([unit.rows, np.ones(len(out))])
    places = [*range(d), *[d] * unit.has_bias]
    yield examples_step(unit, number, eta, before, (out, gap, pull), x)
    yield from value_step(unit, before, number - 1, f"Before step {number}")
    place = int(np.searchsorted(unit.path.iterations, number))
    if not options.is_full:
        places = [*places[:COLUMNS], *[d] * (unit.has_bias and d >= COLUMNS)]
    for j in places:
        own, column = ("b", "") if j == d else (f"w[{j + 1}]", f" * x[i, {j + 1}]")
        shown, rest = heaviest(pull * x[:, j])
        factor = " * o[i] * (1 - o[i])" if unit.loss == "squared" else ""
        values: dict[str, Any] = {"t": unit.targets[shown], o: out[shown], "η": eta}
        values |= {f"x[i, {j + 1}]": x[shown, j]} if column else {}
        right = f"η * sum((t[i] - {o}[i]){factor}{column} for i in _)"
        change = Equation(f"Δ{own}", right, values, rest=rest)
        moved = {own: float(before[j]), f"Δ{own}": change.value}
        becomes = Equation(own, f"{own} + Δ{own}", moved, ("path", "states", place, j), sign="←")
        yield Step(f"Step {number} moves the weight of {'ones' if j == d else unit.names[j]}", (change, becomes))
    yield from value_step(unit, after, number, f"After step {number}")


def examples_step(
    unit: SigmoidUnit, number: int, eta: float, w: Floats, parts: tuple[Floats, Floats, Floats], x: Floats
) -> Step:
    """The rows one by one."""
    d, o, (out, gap, pull) = len(unit.coef), letter(unit), parts
    shown = range(min(d, COLUMNS))
    weights = [*shown, *[d] * unit.has_bias]
    net = unit.rows @ w[:-1] + w[-1]
    heads = [*(f"⟦Δw[{j + 1}]⟧" for j in shown), *["⟦Δb⟧"] * unit.has_bias]
    rows = [
        (i + 1, *unit.rows[i, shown].tolist(), *map(float, (unit.targets[i], net[i], out[i], gap[i])),
         *(eta * pull[i] * x[i, weights]).tolist())
        for i in range(len(out))
    ]  # fmt: skip
    header = ("row", *(unit.names[j] for j in shown), "⟦t⟧", "⟦net⟧", f"⟦{o}⟧", f"⟦t - {o}⟧", *heads)
    title = f"Step {number}: what each row asks for, at the same weights"
    return Step(title, table=cut_table(header, rows, len(rows)))


def value_step(unit: SigmoidUnit, w: Floats, number: int, title: str) -> Iterator[Step]:
    """The objective at some weights."""
    out = special.expit(unit.rows @ w[:-1] + w[-1])
    if out.min() < FAR or out.max() > 1.0 - FAR:
        return
    name, right = objective_of(unit)
    t = unit.targets
    terms = 0.5 * (t - out) ** 2 if unit.loss == "squared" else special.xlogy(t, out) + special.xlogy(1 - t, 1 - out)
    shown, rest = heaviest(terms)
    rest = {i: 2.0 * r for i, r in rest.items()} if unit.loss == "squared" else rest
    values = {"t": t[shown], letter(unit): out[shown]}
    yield Step(title, Equation(name, right, values, ("history", number), rest=rest))


def history_step(unit: SigmoidUnit) -> Step:
    """The objective from step to step."""
    history = unit.history
    shown = sorted({*range(min(10, len(history))), len(history) - 1})
    name = "squared error" if unit.loss == "squared" else "log-likelihood"
    figure = None
    if len(history) > 2:
        title = f"The {name} {'falls' if unit.loss == 'squared' else 'rises'}"
        figure = curve_figure(np.arange(len(history)), {name: history}, title=title, xlabel="step", ylabel=name)
    table = WorkTable(("step", f"⟦{objective_of(unit)[0]}⟧"), tuple((i, float(history[i])) for i in shown))
    end = "It converged" if unit.converged else "It has not converged"
    return Step(f"{end} in {counted(unit.n_iter, 'step')}", table=table, figure=figure)
