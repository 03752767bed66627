"""One step of a logistic fit: the probabilities of the rows, the gradient that they add up to, and where it leads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.learner.derivation import TABLE_ROWS, cut_table
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Cell, Step, Work
from novacula.linear.derivation.normal_equations import eliminated, eliminated_steps, put_back
from novacula.linear.logistic.derivation.planes import (
    RowsAt,
    column_names,
    is_computable,
    loss_equation,
    objective,
    penalties,
    plane_name,
    pull_equation,
    shown_planes,
)
from novacula.linear.online.passes import rate
from novacula.linear.solve import WELL_CONDITIONED, cholesky
from novacula.mathematics import Equation

if TYPE_CHECKING:
    from novacula.linear.logistic.logistic_regression import LogisticRegression

COLUMNS = 6
"""Columns whose sums are written out, unless everything is asked for."""
ROUNDED = 1e-13
"""The share of its terms below which a sum is rounding."""
HELD = 1e-4
"""The share of the whole step from which a part of it keeps the digits that are compared."""


def derive_step(model: LogisticRegression, iteration: int, options: WorkOptions) -> Work:
    """From the weights before a step to those after it."""
    trace = model.trace_
    after, before = trace.place(iteration), trace.place(max(iteration - 1, 0))
    trace.path.step(iteration, trace.path.states.shape[1:])  # refuses 0
    rows = RowsAt.of(model, before)
    steps = [weights_step(model, rows, options.is_full)]
    if len(rows.h):
        steps.append(rows_step(model, rows, options.rows))
    steps += value_steps(model, rows, iteration - 1, "before it")
    for k in shown_planes(model, options.is_full):
        shown = range(rows.w.shape[1] if options.is_full else min(COLUMNS, rows.w.shape[1]))
        found = tuple(gradient_equation(model, rows, k, j) for j in shown)
        steps.append(Step(f"The gradient for {plane_name(model, k)}", found, note=other_rows(model)))
    if solves_newton(model, iteration):
        steps += newton_steps(model, iteration)
    elif model.solver_ == "gradient_descent":
        steps += against_gradient(model, rows, iteration, after, options.is_full)
    else:
        steps.append(descent_step(model, rows, RowsAt.of(model, after), iteration))
    steps += value_steps(model, RowsAt.of(model, after), iteration, "after it")
    return Work(f"Step {iteration} of {model.n_iter_}, by {model.solver_}", steps)


def other_rows(model: LogisticRegression) -> str:
    """That not all rows are written out, if not all are kept."""
    return "" if model.trace_.complete else f"The first {len(model.trace_.rows)} rows, and all others in one number."


def weights_step(model: LogisticRegression, rows: RowsAt, is_full: bool) -> Step:
    """What goes in."""
    names = column_names(model, rows.w.shape[1])
    planes = shown_planes(model, is_full)
    cells: list[tuple[Cell, ...]] = [(name, *rows.w[planes, j].tolist()) for j, name in enumerate(names)]
    header = ("column", *(f"⟦w⟧ for {plane_name(model, k)}" for k in planes))
    centred = "The weights are those of columns about their means." if model.centre_.any() else ""
    return Step("The weights that go in", table=cut_table(header, cells, len(cells)), note=centred)


def rows_step(model: LogisticRegression, rows: RowsAt, derived: int) -> Step:
    """Sums and probabilities of the first rows."""
    d, two = model.n_features_in_, len(rows.w) == 1
    centred = "(x[j] - x̄[j])" if model.centre_.any() else "x[j]"
    found = []
    for i in range(min(derived, len(rows.h))):
        values: dict[str, Any] = {"w": rows.w[0, :d], "x": model.trace_.rows[i]}
        values |= {"x̄": model.centre_} if model.centre_.any() else {}
        values |= {"b_0": float(rows.w[0, d])} if model.fit_intercept else {}
        right = f"{'b_0 + ' if model.fit_intercept else ''}sum(w[j] * {centred} for j in _)"
        sum_of_row = Equation(f"m[{i + 1}]" if two else f"m[{i + 1}, 1]", right, values)
        found.append(sum_of_row)
        if two:
            m = sum_of_row.value
            form = f"1 / (1 + exp(-m[{i + 1}]))" if m >= 0.0 else f"exp(m[{i + 1}]) / (1 + exp(m[{i + 1}]))"
            found.append(Equation(f"h[{i + 1}]", form, {f"m[{i + 1}]": m}))
        else:
            names = [str(label) for label in model.classes_]
            by_class = dict(zip(names, rows.m[i].tolist(), strict=True))
            found.append(Equation(f"h[{i + 1}, 1]", "1 / sum(exp(m[k] - m[1]) for k in _)", {"m": by_class}))
    cells: list[tuple[Cell, ...]] = [
        (i + 1, str(model.classes_[model.trace_.classes[i]]), *rows.m[i].tolist(), *rows.h[i].tolist())
        for i in range(len(rows.h))
    ]
    names = [plane_name(model, k) for k in range(len(rows.w))]
    header = ("row", "class", *(f"⟦m⟧ {name}" for name in names), *(f"⟦h⟧ {name}" for name in names))
    title = f"Sums and probabilities of the first {len(rows.h)} rows"
    return Step(title, tuple(found), table=cut_table(header, cells, len(cells)))


def value_steps(model: LogisticRegression, rows: RowsAt, iteration: int, when: str) -> Iterator[Step]:
    """The objective at some weights, from the rows."""
    if not is_computable(rows):
        return
    loss = loss_equation(model, rows)
    value = objective(model, -loss.value, rows.w[:, : model.n_features_in_], ("history_", iteration))
    yield Step(f"The objective {when}", (loss, value), note=other_rows(model))


def gradient_equation(model: LogisticRegression, rows: RowsAt, k: int, j: int) -> Equation:
    """Entry j of the gradient of plane k, from the rows and the penalty."""
    (_, l2), d, i = penalties(model), model.n_features_in_, j + 1
    pull = pull_equation(model, rows, k, j)
    right, values = f"-({pull.right[0]})", dict(pull.values or {})
    if l2 and j < d:
        share = {"ρ": float(model.l1_ratio)} if model.penalty == "elasticnet" else {}
        right, values = (
            f"{'(1 - ρ) * ' if share else ''}w[{i}] - {pull.right[0]}",
            {**values, "w": rows.w[k, :d], **share},
        )
    return Equation(f"g[{i}]", right, values, rest=pull.rest)


# --- Newton's step ------------------------------------------------------------------------------------------


def solves_newton(model: LogisticRegression, iteration: int) -> bool:
    """Whether a step was Newton's for few columns, whose equations keep their digits."""
    trace = model.trace_
    kept = {iteration - 1, iteration} <= set(trace.path.iterations.tolist())
    if model.solver_ != "newton" or not trace.hessians.size or not kept:
        return False
    hessian = trace.hessians[trace.place(iteration - 1)]
    scale = np.sqrt(np.maximum(np.diagonal(hessian), 0.0))
    return bool(scale.all()) and cholesky(hessian / scale / scale[:, None])[1] >= WELL_CONDITIONED


def newton_steps(model: LogisticRegression, iteration: int) -> Iterator[Step]:
    """The equations of a step, their solution, and the weights that it leads to."""
    trace = model.trace_
    before, after = trace.place(iteration - 1), trace.place(iteration)
    rows, share = RowsAt.of(model, before), float(trace.shares[after])
    hessian = trace.hessians[before]
    q = len(hessian)
    scale = np.sqrt(np.diagonal(hessian))
    # Sums that vanish, as those of columns about their means do, are zero but for rounding.
    hessian = np.where(np.abs(hessian) <= ROUNDED * np.outer(scale, scale), 0.0, hessian)
    gradient = np.array([gradient_equation(model, rows, 0, j).value for j in range(q)])
    names = column_names(model, q)
    about = "(x[i, {0}] - x̄[{0}])" if model.centre_.any() else "x[i, {0}]"
    s = "" if rows.are_counted_once else "s[i] * "
    C, price = ("C * ", " + w[j]") if model.penalty else ("", "")
    rules = (
        Equation("g[j]", f"{C}sum({s}(h[i] - t[i]) * {about.format('j')} for i in _){price}"),
        Equation("H[j, l]", f"{C}sum({s}h[i] * (1 - h[i]) * {about.format('j')} * {about.format('l')} for i in _)"),
        Equation("H @ δ", "-g"),
    )
    curved = "⟦H⟧ has 1 more on its diagonal for each weight, the curvature of the penalty. " if model.penalty else ""
    ones = "The column of the intercept is ones, and costs nothing." if model.fit_intercept else ""
    start = ", from weights of zero, where every ⟦h⟧ is one half" if iteration == 1 else ""
    yield Step(f"Newton's step {iteration}{start}", rules, note=(curved + ones).strip())
    equations = np.column_stack([hessian, -gradient])
    yield from eliminated_steps([f"⟦δ[{j + 1}]⟧: {name}" for j, name in enumerate(names)], "⟦-g⟧", equations)
    upper, step = eliminated(equations), np.linalg.solve(hessian, -gradient)
    parts = np.abs(step) * scale
    for j in range(q)[::-1]:
        yield Step(f"⟦δ[{j + 1}]⟧, the step of {names[j]}", put_back("δ", upper, step, j, ()))
    moves = []
    for j in range(q):
        i, held = j + 1, parts[j] >= HELD * parts.max()
        old = "b_0" if j == model.n_features_in_ else f"w[{i}]"
        values = {old: float(rows.w[0, j]), f"δ[{i}]": float(step[j])} | ({} if share == 1.0 else {"s": share})
        right = f"{old} + {'' if share == 1.0 else 's * '}δ[{i}]"
        of = ("trace_", "path", "states", after, j) if held else ()
        moves.append(Equation(old, right, values, of, sign="←"))
    shortened = "" if share == 1.0 else "⟦s⟧ is the share of the step after which the objective has fallen enough."
    yield Step("The weights after it", tuple(moves), note=shortened)


def against_gradient(
    model: LogisticRegression, rows: RowsAt, iteration: int, after: int, is_full: bool
) -> Iterator[Step]:
    """The weights that a step at a stated rate leads to, and how many rows are then right."""
    eta, q = rate(model.eta_, model.schedule, iteration - 1), rows.w.shape[1]
    for k in shown_planes(model, is_full):
        found = []
        for j in range(q if is_full else min(COLUMNS, q)):
            name, slope = f"w[{j + 1}]", gradient_equation(model, rows, k, j).value
            values = {name: float(rows.w[k, j]), "η": eta, f"g[{j + 1}]": slope}
            of = ("trace_", "path", "states", after, k * q + j)
            found.append(Equation(name, f"{name} - η * g[{j + 1}]", values, of, sign="←"))
        ones = f"⟦w[{q}]⟧ is the intercept." if model.fit_intercept else ""
        yield Step(f"The step against the gradient for {plane_name(model, k)}", tuple(found), note=ones)
    before, then = (float(model.accuracies_[i]) for i in (iteration - 1, iteration))
    yield Step(f"After it ⟦{then!r}⟧ of the rows are right, and ⟦{before!r}⟧ before")


def descent_step(model: LogisticRegression, before: RowsAt, after: RowsAt, iteration: int) -> Step:
    """Where a solver other than Newton's went: along a direction that leads down, until the objective fell enough."""
    old, new = model.history_[iteration - 1], model.history_[iteration]
    fallen = Equation("f__new", "f__old", {"f__new": new, "f__old": old}, sign="≤") if new <= old else ()
    names = column_names(model, before.w.shape[1])
    order = np.argsort(-np.abs(after.w - before.w).max(axis=0), kind="stable")[:TABLE_ROWS]
    cells = [(names[j], float(before.w[0, j]), float(after.w[0, j]), float((after.w - before.w)[0, j])) for j in order]
    caption = f"For {plane_name(model, 0)}, the parameters that moved most."
    table = cut_table(("column", "before", "after", "move"), cells, len(cells), caption)
    return Step("The step, along which the objective falls", fallen, table=table)
