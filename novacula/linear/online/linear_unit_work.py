"""The work of a linear unit: its first step in numbers, the rate that it may take, and how its error fell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from novacula.learner.figure import Figure, curve_figure
from novacula.learner.worded_step import WordedStep as Step
from novacula.learner.work import Cell, Work, WorkTable
from novacula.linear.derivation import coefficient_steps, equations
from novacula.linear.online.delta import Bowl, rate
from novacula.linear.online.replay import Correction, replay
from novacula.linear.plane import cap_notes, coefficient_table, intercept_of, of_target, shown_targets, weighted_sum
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.linear.linear_unit import LinearUnit

COLUMNS = 4
"""Columns whose weights are written out."""
CURVE = 100
"""Steps that a learning curve shows."""
ONES = "ones"
"""What the column of the bias is called."""


def derive_unit(model: LinearUnit) -> Work:
    """From zero, or from the normal equations, to the weights."""
    output = "o = b + Σ wⱼxⱼ" if model.fit_intercept else "o = Σ wⱼxⱼ"
    note = f"t = −1 for {model.classes_[0]}, +1 for {model.classes_[1]}." if model.threshold else ""
    steps = [Step("What is made smallest", formula=f"E = ½Σ(t − o)²,  {output}", note=note)]
    steps += {"batch": batch_steps, "sgd": sgd_steps, "exact": exact_steps}[model.solver](model)
    return Work(f"A linear unit for {model.target_names_[0]}", steps, cap_notes(model))


def exact_steps(model: LinearUnit) -> Iterator[Step]:
    """The normal equations."""
    for k in shown_targets(model):
        yield from coefficient_steps(model, equations(model), k, np.zeros(model.n_features_in_))


# --- all rows at once ---------------------------------------------------------------------------------------


def batch_steps(model: LinearUnit) -> Iterator[Step]:
    """The bound on the rate, the first two steps, and the end."""
    if model.moments_ is None:
        return
    bowl = Bowl.of(model.moments_, model.n_features_in_, model.fit_intercept)
    names = [*model.schema_.column_names(range(model.n_features_in_)), *[ONES] * model.fit_intercept]
    yield from rate_steps(model, bowl)
    yield from first_steps(model, bowl, names)
    yield last_step(model, bowl, names)
    yield curve_step(model, "step")
    yield from plane_steps(model)


def rate_steps(model: LinearUnit, bowl: Bowl) -> Iterator[Step]:
    """The eigenvalues of XᵀX say which rates are stable."""
    low, high = float(bowl.eigenvalues[0]), float(bowl.eigenvalues[-1])
    if high > 0.0:
        yield Step(
            "The largest stable rate",
            formula="η < 2 / λ_max of XᵀX",
            expression="2 / λ_max",
            values={"λ_max": high},
            of=("largest_rate_",),
            note="A step multiplies the distance to the solution by 1 − ηλ along each eigenvector.",
        )
    if high > 0.0 and isinstance(model.eta0, str):
        yield Step(
            "The rate that converges fastest",
            formula="η = 2 / (λ_min + λ_max)",
            expression="2 / (λ_min + λ_max)",
            values={"λ_min": low, "λ_max": high},
            of=("eta_",),
        )
    else:
        yield Step("The rate, as given", formula="η", result=model.eta_, of=("eta_",))


def first_steps(model: LinearUnit, bowl: Bowl, names: list[str]) -> Iterator[Step]:
    """From w = 0 a step down, and the error before and after it."""
    alone, tied = bowl.cross.shape[1] == 1, ("history_", 0)
    squares = {f"S_{k + 1}": float(bowl.squares[k]) for k in range(len(bowl.squares))}
    if alone:
        yield Step("The error of weights of zero", "E = ½Σt²", "S / 2", {"S": squares["S_1"]}, of=tied)
    gradient, second = bowl.cross[:, 0], rate(model.eta_, model.schedule, 1)
    w = model.eta_ * gradient
    shown = np.sort(np.argsort(-np.abs(gradient), kind="stable")[:COLUMNS])
    rows: list[tuple[Cell, ...]] = [(names[j], float(gradient[j]), float(w[j])) for j in shown]
    yield Step(
        "The first step, from w = 0",
        formula="w ← w + η(Xᵀt − XᵀXw) = ηXᵀt",
        table=WorkTable(("column", "Xᵀt", "w after it"), tuple(rows), capped(len(shown), len(names))),
    )
    if alone and len(model.history_) > 1:
        yield Step(
            "The error after it",
            formula="E − ηgᵀg + ½η²gᵀXᵀXg,  g = Xᵀt",
            expression="E - eta * g_g + eta**2 / 2 * g_H_g",
            values={
                "E": squares["S_1"] / 2,
                "eta": model.eta_,
                "g_g": float(gradient @ gradient),
                "g_H_g": float(gradient @ bowl.gram @ gradient),
            },
            of=("history_", 1),
        )
    for j in shown:
        total, values = weighted_sum("a", bowl.gram[j], "w", w)
        old = {f"w_{j + 1}": float(w[j])}
        yield Step(
            f"The second step moves the weight of {names[j]}",
            formula="wⱼ ← wⱼ + η(cⱼ − Σ aⱼᵢwᵢ),  c = Xᵀt, a = XᵀX",
            expression=f"w_{j + 1} + eta * (c - ({total}))",
            values=values | old | {"eta": second, "c": float(gradient[j])},
        )


def last_step(model: LinearUnit, bowl: Bowl, names: list[str]) -> Step:
    """The gradient where it ended."""
    w = of_target(model.coef_, 0)
    if model.fit_intercept:
        w = np.append(w, np.atleast_1d(model.intercept_)[0])
    left, right = bowl.gram @ w, bowl.cross[:, 0]
    shown = np.sort(np.argsort(-np.abs(right), kind="stable")[:COLUMNS])
    rows: list[tuple[Cell, ...]] = [(names[j], *map(float, (right[j], left[j], right[j] - left[j]))) for j in shown]
    return Step(
        f"Where it ended, after {model.n_iter_} step{'' if model.n_iter_ == 1 else 's'}",
        formula="Xᵀt − XᵀXw",
        table=WorkTable(("column", "Xᵀt", "XᵀXw", "difference"), tuple(rows), capped(len(shown), len(names))),
        note="" if model.converged_ else "It has not converged: the difference is not yet zero.",
    )


# --- row by row ---------------------------------------------------------------------------------------------


def sgd_steps(model: LinearUnit) -> Iterator[Step]:
    """The rate, the first rows, and the errors of the epochs."""
    yield Step(
        "The rate of the first epoch",
        formula="η = 1 / max ‖x‖²" if isinstance(model.eta0, str) else "η, as given",
        result=model.eta_,
        of=("eta_",),
        note=f"With a rate of 2/max ‖x‖² = {model.largest_rate_:.6g} or more, showing a row can make its error larger.",
    )
    first = model.first_showings_
    targets = first.targets if first.targets.ndim == 1 else first.targets[:, 0]
    signs = 2.0 * targets - 1.0 if model.threshold else np.asarray(targets, np.float64)
    corrections = replay(first, signs, 1, model.eta_, "linear", model.fit_intercept)
    yield showings_step(model, corrections)
    for correction in corrections[:2]:
        yield from showing_steps(model, correction)
    if first.repeat and first.targets.ndim == 1:
        yield epoch_step(corrections)
    yield curve_step(model, "epoch")
    yield from plane_steps(model)


def showings_step(model: LinearUnit, corrections: list[Correction]) -> Step:
    """The first showings as a table."""
    d = model.n_features_in_
    shown = range(min(d, COLUMNS))
    after = (*shown, d) if model.fit_intercept else tuple(shown)
    heads = [*(f"w_{j + 1} after" for j in shown), *["b after"] * model.fit_intercept]
    rows: list[tuple[Cell, ...]] = [
        (c.number, *(float(c.x[j]) for j in shown), c.target, c.output, *(float(c.after[j]) for j in after))
        for c in corrections
    ]
    header = ("showing", *model.schema_.column_names(shown), "t", "o", *heads)
    return Step("Row after row, from w = 0", table=WorkTable(header, tuple(rows), capped(len(shown), d)))


def showing_steps(model: LinearUnit, c: Correction) -> Iterator[Step]:
    """The output for a row, and what its error does to the weight of its largest value."""
    d = model.n_features_in_
    total, values = weighted_sum("w", c.before[:d], "x", c.x)
    yield Step(
        f"Showing {c.number}: the output",
        formula="o = b + Σ wⱼxⱼ" if model.fit_intercept else "o = Σ wⱼxⱼ",
        expression=f"b + {total}" if model.fit_intercept else total,
        values=({"b": float(c.before[d])} if model.fit_intercept else {}) | values,
        result=c.output,
    )
    j = int(np.abs(c.x).argmax())
    [name] = model.schema_.column_names([j])
    yield Step(
        f"Showing {c.number} moves the weight of {name}",
        formula="w ← w + ηs(t − o)x",
        expression="w + eta * s * (t - o) * x",
        values={
            "w": float(c.before[j]),
            "eta": model.eta_,
            "s": c.share,
            "t": c.target,
            "o": c.output,
            "x": float(c.x[j]),
        },
        result=float(c.after[j]),
    )


def epoch_step(corrections: list[Correction]) -> Step:
    """The error of a first epoch of few rows."""
    values: dict[str, float] = {}
    for c in corrections:
        values |= {f"s_{c.number}": c.share, f"e_{c.number}": c.target - c.output}
    return Step(
        "The error of the first epoch, each row's as it was shown",
        formula="½Σ s(t − o)²",
        expression=f"({' + '.join(f's_{c.number} * e_{c.number}**2' for c in corrections)}) / 2",
        values=values,
        of=("history_", 0),
    )


# --- both ---------------------------------------------------------------------------------------------------


def curve_step(model: LinearUnit, unit: str) -> Step:
    """The learning curve."""
    history = np.array(model.history_[:CURVE])
    cut = f" (the first {CURVE} {unit}s of {len(model.history_)})" if len(model.history_) > CURVE else ""
    return Step(f"The error falls{cut}", figure=curve(history, unit) if len(history) > 1 else None)


def curve(history: Floats, unit: str) -> Figure:
    """½Σ(t − o)² by step or epoch; epochs are counted from one, and steps from none."""
    places = np.arange(len(history), dtype=np.float64) + (unit == "epoch")
    return curve_figure(places, {"½Σ(t − o)²": history}, title="Learning curve", xlabel=unit, ylabel="½Σ(t − o)²")


def plane_steps(model: LinearUnit) -> Iterator[Step]:
    """The weights, and the bias."""
    for k in shown_targets(model):
        yield coefficient_table(model, k)
        if model.fit_intercept:
            where: tuple[str | int, ...] = ("intercept_",) if model.coef_.ndim == 1 else ("intercept_", k)
            yield Step(f"The bias for {model.target_names_[k]}", formula="b", result=intercept_of(model, k), of=where)


def capped(shown: int, known: int) -> str:
    """What a table leaves out."""
    return f"{shown} of {known} columns." if shown < known else ""


def as_sides(model: LinearUnit, work: Work) -> Work:
    """The outputs for rows as decisions between two classes."""
    steps = []
    for step in work:
        if isinstance(step, Step) and step.of and step.value is not None:
            label = model.classes_[int(step.value > 0.0)]
            step = replace(step, of=("decision_function", *step.of[1:]), note=f"So the class is {label}.")
        steps.append(step)
    return Work("On which side of o = 0 rows lie", steps, work.notes)
