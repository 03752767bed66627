"""The work of a logistic model: what is made smallest, Newton's first step, the gradient where it ended, the odds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from novacula.learner.derivation import TABLE_ROWS, cut_table, largest, only_first
from novacula.learner.figure import curve_figure
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Cell, Step, Work, WorkTable
from novacula.linear.classes_figure import first_rows, regions_figure
from novacula.linear.logistic.derivation.figures import contour_figure, probability_figure, span
from novacula.linear.logistic.derivation.planes import (
    RowsAt,
    is_computable,
    loss_equation,
    objective,
    penalties,
    plane_name,
    pull_equation,
    shown_planes,
)
from novacula.linear.logistic.derivation.step import newton_steps, solves_newton
from novacula.linear.online.passes import SCHEDULES
from novacula.linear.plane import weighted_columns
from novacula.mathematics import Equation
from novacula.words import counted

if TYPE_CHECKING:
    from novacula.linear.logistic.logistic_regression import LogisticRegression

LARGEST = 700.0
"""The largest weight whose exponential is a number."""


def derive_logistic(model: LogisticRegression, options: WorkOptions) -> Work:
    """The work of a fitted model."""
    steps = [model_step(model), objective_step(model)]
    if solves_newton(model, 1):
        steps += newton_steps(model, 1)
    if model.solver_ == "gradient_descent":
        steps.append(ascent_step(model))
    steps.append(history_step(model))
    planes = shown_planes(model, options.is_full)
    for k in planes:
        steps += plane_steps(model, k)
    if len(model.coef_) > 1 and model.n_features_in_ == 2 and len(model.trace_.rows):
        about, (across, up) = first_rows(model, model.trace_.classes), (span(model, 0), span(model, 1))
        seen = np.array([across[0], up[0]]), np.array([across[-1], up[-1]])
        figure = regions_figure(model, model.trace_.rows, model.trace_.classes, about, seen)
        steps.append(Step("Where the classes meet", figure=figure))
    notes = only_first(len(planes), len(model.coef_), "plane")
    if model.separated_ is not None:
        notes.append(f"The classes are separated ({model.separated_} separation): the weights have no finite optimum.")
    return Work("Logistic regression", steps, notes)


def model_step(model: LogisticRegression) -> Step:
    """The hypothesis."""
    if len(model.coef_) == 1:
        rules = (Equation("m", weighted_columns(True)), Equation("h", "1 / (1 + exp(-m))"))
        return Step(f"The model: ⟦h⟧ is the probability of {plane_name(model, 0)}", rules)
    sums = Equation("m[k]", "b[k] + sum(w[k, j] * x[j] for j in _)")
    return Step(
        "The model: ⟦h[k]⟧ is the probability of class ⟦k⟧",
        (sums, Equation("h[k]", "exp(m[k]) / sum(exp(m[l]) for l in _)")),
    )


def objective_step(model: LogisticRegression) -> Step:
    """The objective, and what it came to."""
    rows = RowsAt.of(model, len(model.trace_.path.iterations) - 1)
    found = [objective(model, -model.log_likelihood_, model.coef_, ("history_", len(model.history_) - 1))]
    if is_computable(rows):
        found.insert(0, loss_equation(model, rows, ("log_likelihood_",)))
    if len(model.coef_) > 1:
        about = "⟦p[i]⟧ is the probability of a row's class"
    else:
        about = "⟦t[i]⟧ is 1 for the class of the plane and 0 otherwise, ⟦h[i]⟧ the probability that the model gives"
    kept = "" if model.trace_.complete else f" The first {len(rows.h)} rows are shown one by one."
    return Step("What is made smallest, where the fit ended", tuple(found), note=f"{about}.{kept}")


def ascent_step(model: LogisticRegression) -> Step:
    """The rule by which weights climb."""
    C, price = ("C * ", " - w[j]") if model.penalty else ("", "")
    slope = " * h[i] * (1 - h[i])" if model.loss == "squared" else ""
    rules = [Equation("w[j]", f"w[j] + η * ({C}sum((t[i] - h[i]){slope} * x[i, j] for i in _){price})", sign="←")]
    span, power = SCHEDULES[model.schedule]
    if power:
        rules.append(Equation("η", f"η_0 / (1 + k / {span!r}) ** {power!r}"))
    eta = f"⟦{'η_0' if power else 'η'}⟧ is ⟦{model.eta_!r}⟧"
    return Step(
        "The step against the gradient", tuple(rules), note=f"{eta}; `iteration` derives any of the steps kept."
    )


def history_step(model: LogisticRegression) -> Step:
    """The objective from step to step."""
    history = np.array(model.history_)
    shown = sorted({*range(min(10, len(history))), len(history) - 1})
    figure = None
    right = ["right"] if hasattr(model, "accuracies_") else []

    def share(i: int) -> list[float]:
        return [float(model.accuracies_[i])] if right else []

    if right and len(history) > 2:
        steps = np.arange(len(history))
        figure = curve_figure(
            steps, {"right": model.accuracies_}, title="Rows that are right", xlabel="iteration", ylabel="share of rows"
        )
    elif len(history) > 2:
        figure = curve_figure(
            np.arange(len(history)),
            {"objective": history},
            title="The objective falls from step to step",
            xlabel="iteration",
            ylabel="objective",
        )
    return Step(
        f"{counted(model.n_iter_, 'step')} by {model.solver_}",
        table=WorkTable(("iteration", "⟦f⟧", *right), tuple((i, float(history[i]), *share(i)) for i in shown)),
        figure=figure,
    )


def plane_steps(model: LogisticRegression, k: int) -> Iterator[Step]:
    """The gradient where the fit ended, the intercept, and the odds of one plane."""
    yield gradient_step(model, k)
    if model.fit_intercept:
        values = {"b_0": model.centred_intercept_[k], "w": model.coef_[k], "x̄": model.centre_}
        title = f"The intercept of {plane_name(model, k)}: from columns about their centre back to their zero"
        if model.centre_.any():
            yield Step(title, Equation("b", "b_0 - sum(w[j] * x̄[j] for j in _)", values, ("intercept_", k)))
    yield from odds_steps(model, k)


def gradient_step(model: LogisticRegression, k: int) -> Step:
    """What the rows pull and what the penalty holds, which are in balance at the minimum."""
    w, pull = model.coef_[k], model.pull_[k]
    l1, l2 = penalties(model)
    held = l2 * w + l1 * np.sign(w)
    shown = largest(w, TABLE_ROWS)
    rows: list[tuple[Cell, ...]] = [
        (name, float(w[j]), float(pull[j]), float(held[j]), float(pull[j] - held[j]))
        for j, name in zip(shown, model.schema_.column_names(shown), strict=True)
    ]
    if model.fit_intercept:
        rows.append(("intercept", float(model.centred_intercept_[k]), float(pull[-1]), 0.0, float(pull[-1])))
    costs = {None: "0", "l2": "w[j]", "l1": "sign(w[j])", "elasticnet": "(1 - ρ) * w[j] + ρ * sign(w[j])"}
    at = RowsAt.of(model, len(model.trace_.path.iterations) - 1)
    top = int(np.argmax(np.abs(pull[: len(w)])))
    pulls = (pull_equation(model, at, k, top, ("pull_", k, top)),) if len(at.h) else ()
    end = "rows and penalty are in balance" if model.converged_ else "where it ended"
    return Step(
        f"The gradient for {plane_name(model, k)}: {end}",
        (*pulls, Equation("p[j]", costs[model.penalty])),
        table=WorkTable(("column", "⟦w[j]⟧", "rows pull, ⟦p[j]⟧", "penalty holds", "difference"), tuple(rows)),
        note=f"Where ⟦w[j]⟧ is 0, the difference may be anything between ⟦{-l1!r}⟧ and ⟦{l1!r}⟧." if l1 else "",
    )


def odds_steps(model: LogisticRegression, k: int) -> Iterator[Step]:
    """What a unit of each column does to the odds."""
    w = model.coef_[k]
    top = int(np.argmax(np.abs(w)))
    two, label = len(model.coef_) == 1, plane_name(model, k)
    what = f"The odds of {label} against {model.classes_[0]}" if two else f"The part of {label} in the softmax"
    if abs(w[top]) < LARGEST:
        [name] = model.schema_.column_names([top])
        ratio = "odds(x + 1) / odds(x)" if two else "exp(m(x + 1)) / exp(m(x))"
        factor = Equation(ratio, f"exp(w[{top + 1}])", {"w": w})
        yield Step(f"{what}: one unit more of {name} multiplies {'them' if two else 'it'}", factor)
    shown = largest(w, TABLE_ROWS)
    names = model.schema_.column_names(shown)
    rows = [
        (name, float(w[j]), float(np.exp(np.clip(w[j], -LARGEST, LARGEST))), float(w[j] * model.spread_[j]))
        for j, name in zip(shown, names, strict=True)
    ]
    caption = f"The {TABLE_ROWS} largest of {len(w)}." if len(w) > TABLE_ROWS else ""
    header = ("column", "⟦w[j]⟧", f"{'odds ratio' if two else 'factor'} ⟦exp(w[j])⟧", "⟦w[j]⟧ · standard deviation")
    draw = {1: probability_figure, 2: contour_figure}.get(len(w)) if two else None
    figure = None if draw is None else draw(model)
    yield Step(f"The plane of {label}", table=cut_table(header, rows, len(rows), caption), figure=figure)
    if len(w) != 1 and two:
        yield Step("Columns by what they do to the odds", figure=model.summary().figure())
