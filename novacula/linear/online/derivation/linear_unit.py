"""The work of a linear unit: its first step in numbers, the rate that it may take, and how its error fell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.errors import ModelFileError
from novacula.learner.derivation import largest
from novacula.learner.figure import Figure, curve_figure
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Step, Work, WorkTable
from novacula.linear.derivation.normal_equations import coefficient_steps, equations, free_of_charge
from novacula.linear.online.delta import Bowl
from novacula.linear.online.derivation.epoch import (
    correction_steps,
    epoch_steps,
    showings_step,
    shown_cells,
    shown_header,
)
from novacula.linear.online.derivation.line import line_figure, line_step
from novacula.linear.online.passes import rate
from novacula.linear.online.trace import Correction, ShowingRule, corrections_at, replay
from novacula.linear.plane import (
    cap_notes,
    coefficient_table,
    cut_note,
    intercept_of,
    of_target,
    place,
    plane_value,
    shown_targets,
    weighted_columns,
)
from novacula.mathematics import Equation, word
from novacula.table.chunk import Floats
from novacula.words import counted

if TYPE_CHECKING:
    from novacula.linear.linear_unit import LinearUnit

COLUMNS = 4
"""Columns whose weights are written out, unless everything is asked for."""
CURVE = 100
"""Steps that a learning curve shows."""
ERROR = "sum((t[i] - o[i])**2 for i in _) / 2"
CLEAR = 1e-12
"""The share of ½Σt² below which rounding decides what is left of the error."""
ONES = "ones"
"""What the column of the bias is called."""


def derive_unit(model: LinearUnit, options: WorkOptions) -> Work:
    """From zero, or from the normal equations, to the weights."""
    note = f"⟦t⟧ is ⟦-1⟧ for {model.classes_[0]} and 1 for {model.classes_[1]}." if model.threshold else ""
    rules = (Equation("E", ERROR), Equation("o", weighted_columns(model.fit_intercept)))
    steps = [Step("What is made smallest", rules, note=note)]
    steps += {"batch": batch_steps, "sgd": sgd_steps, "exact": exact_steps}[model.solver](model, options.is_full)
    return Work(f"A linear unit for {model.target_names_[0]}", steps, cap_notes(model, options.is_full))


def derive_unit_step(model: LinearUnit, iteration: int, options: WorkOptions) -> Work:
    """One step of all rows, or one epoch of them."""
    if model.solver == "sgd":
        rule = rule_of(model, iteration - 1 if isinstance(iteration, int) else 0)
        return Work(f"Epoch {iteration} of the linear unit", list(epoch_steps(model, iteration, rule, options.is_full)))
    bowl = bowl_of(model)
    before, after = model.trace_.path.step(iteration, bowl.cross.shape)
    steps = list(descent_steps(model, bowl, iteration, before, after, options.is_full))
    return Work(f"Step {iteration} of {model.n_iter_} of the linear unit", steps)


def exact_steps(model: LinearUnit, is_full: bool) -> Iterator[Step]:
    """The normal equations."""
    for k in shown_targets(model, is_full):
        yield from coefficient_steps(model, equations(model), k, free_of_charge(model), is_full)


# --- all rows at once ---------------------------------------------------------------------------------------


def bowl_of(model: LinearUnit) -> Bowl:
    """The error as a function of the weights."""
    if model.moments_ is None:  # which only sgd does without
        raise ModelFileError(f"it has no moments_, which solver={model.solver!r} goes by")
    return Bowl.of(model.moments_, model.n_features_in_, model.fit_intercept)


def batch_steps(model: LinearUnit, is_full: bool) -> Iterator[Step]:
    """The bound on the rate, the first step, and the end."""
    bowl = bowl_of(model)
    yield from rate_steps(model, bowl)
    if model.trace_.path.iterations[-1] > 0:
        before, after = model.trace_.path.step(1, bowl.cross.shape)
        yield from descent_steps(model, bowl, 1, before, after, is_full)
    yield end_step(model, bowl)
    yield curve_step(model, "step")
    yield from plane_steps(model, is_full)
    yield from side_steps(model)


def rate_steps(model: LinearUnit, bowl: Bowl) -> Iterator[Step]:
    """The eigenvalues of XᵀX say which rates are stable."""
    low, high = float(bowl.eigenvalues[0]), float(bowl.eigenvalues[-1])
    if high > 0.0:
        yield Step(
            "The largest stable rate",
            Equation("η_max", "2 / λ_max", {"λ_max": high}, ("largest_rate_",)),
            note="⟦λ⟧ are the eigenvalues of ⟦X.T @ X⟧, with the column of ones. A step multiplies the distance to the "
            "solution by ⟦1 - η * λ⟧ along each eigenvector.",
        )
    if high > 0.0 and isinstance(model.eta0, str):
        best = Equation("η", "2 / (λ_min + λ_max)", {"λ_min": low, "λ_max": high}, ("eta_",))
        yield Step("The rate that converges fastest", best)
    else:
        yield Step("The rate, as given", Equation("η", repr(float(model.eta_)), {}, ("eta_",)))


def descent_steps(
    model: LinearUnit, bowl: Bowl, number: int, before: Floats, after: Floats, is_full: bool
) -> Iterator[Step]:
    """A step down from weights (q, k): the error, the gradient, and the weights that it leads to."""
    old, new = before[:, 0], after[:, 0]
    eta, alone = rate(model.eta_, model.schedule, number - 1), bowl.cross.shape[1] == 1
    names = [*model.schema_.column_names(range(model.n_features_in_)), *[ONES] * model.fit_intercept]
    ones = f"Column {len(names)} is ones, and its weight the bias." if model.fit_intercept else ""
    examples = corrections_at(model.trace_.kept_showings, replace(rule_of(model), eta=eta), biased(model, old))
    yield examples_step(model, examples, f"Step {number}: what each row asks for, at the same weights", ones)
    if alone:
        yield from error_steps(model, bowl, old, number - 1, f"The error before step {number}")
    row, place = model.trace_.place(number), model.trace_.place(number - 1)
    x = np.array([np.append(c.x, 1.0) for c in examples])
    gaps = np.array([c.share * (c.target - c.output) for c in examples])
    others = model.trace_.others
    if others.size and others.shape[1] < len(old):
        raise ModelFileError(f"its trace_ has sums of other rows for {others.shape[1]} weights, and not for {len(old)}")
    for j in largest(bowl.cross[:, 0] - bowl.gram @ old, len(old) if is_full else COLUMNS):
        i = j + 1
        rest = {"i": float(others[place, j])} if others.size else {}
        values = {"t[i] - o[i]": gaps, f"x[i, {i}]": x[:, j], "η": eta}
        change = Equation(f"Δw[{i}]", f"η * sum((t[i] - o[i]) * x[i, {i}] for i in _)", values, rest=rest)
        of = ("trace_", "path", "states", row, j * bowl.cross.shape[1])
        known = {f"w[{i}]": float(old[j]), f"Δw[{i}]": change.value}
        moved = Equation(f"w[{i}]", f"w[{i}] + Δw[{i}]", known, of, sign="←")
        yield Step(f"Step {number} moves the weight of {names[j]}", (change, moved))
    if alone:
        yield from error_steps(model, bowl, new, number, f"The error after step {number}")


def biased(model: LinearUnit, w: Floats) -> Floats:
    """Weights (q,) with a bias behind them, also where there is none."""
    return w if model.fit_intercept else np.append(w, 0.0)


def examples_step(model: LinearUnit, examples: list[Correction], title: str, note: str) -> Step:
    """What each row asks for, and all together."""
    d = model.n_features_in_
    shown = range(min(d, COLUMNS))
    weights = [*shown, *[d] * model.fit_intercept]
    letters = [f"w[{j + 1}]" for j in weights]
    header = shown_header(model, "row", shown, letters)
    rows = [shown_cells(c, shown, weights) for c in examples]
    if model.trace_.kept_showings.whole:
        total = np.sum([c.change for c in examples], axis=0)[weights]
        rows.append(("sum", *[""] * (len(header) - 1 - len(weights)), *total.tolist()))
    caption = "" if model.trace_.kept_showings.whole else f"The first {len(rows)} rows."
    return Step(title, table=WorkTable(header, tuple(rows), caption), note=note)


def error_steps(model: LinearUnit, bowl: Bowl, w: Floats, number: int, title: str) -> Iterator[Step]:
    """½Σ(t − o)² at some weights (q,): from the rows, or from sums where not all rows are kept."""
    showings, of = model.trace_.kept_showings, ("history_", number)
    if not showings.whole:
        yield error_step(bowl, w, of, title)
        return
    examples = corrections_at(showings, rule_of(model), biased(model, w))
    values: dict[str, Any] = {"t": [c.target for c in examples], "o": [c.output for c in examples]}
    s = "" if (showings.shares == 1.0).all() else "s[i] * "
    values |= {"s": showings.shares} if s else {}
    error = Equation("E", f"sum({s}(t[i] - o[i])**2 for i in _) / 2", values)
    is_clear = error.value > CLEAR * 0.5 * bowl.squares[0]  # else rounding decides what is left
    yield Step(title, replace(error, of=of) if is_clear else error)


def error_step(bowl: Bowl, w: Floats, of: tuple[str | int, ...], title: str) -> Step:
    """½Σ(t − o)² at some weights, from the sums."""
    values: dict[str, Any] = {"sum(t[i]**2 for i in _)": float(bowl.squares[0])}
    if not w.any():
        return Step(title, Equation("E", "sum(t[i]**2 for i in _) / 2", values, of))
    right = "sum(t[i]**2 for i in _) / 2 - dot(w, c) + dot(w, A @ w) / 2"
    rules = (
        Equation("A[j, l]", "sum(x[i, j] * x[i, l] for i in _)"),
        Equation("c[j]", "sum(x[i, j] * t[i] for i in _)"),
    )
    values |= {"w": w, "c": bowl.cross[:, 0], "A": bowl.gram}
    return Step(title, (*rules, Equation("E", right, values, of)))


def end_step(model: LinearUnit, bowl: Bowl) -> Step:
    """The gradient where it ended."""
    w = of_target(model.coef_, 0)
    if model.fit_intercept:
        w = np.append(w, np.atleast_1d(model.intercept_)[0])
    names = [*model.schema_.column_names(range(model.n_features_in_)), *[ONES] * model.fit_intercept]
    left, right = bowl.gram @ w, bowl.cross[:, 0]
    shown = largest(right, COLUMNS)
    rows = tuple((names[j], float(right[j]), float(left[j]), float(right[j] - left[j])) for j in shown)
    return Step(
        f"Where it ended, after {counted(model.n_iter_, 'step')}",
        table=WorkTable(("column", "⟦c⟧", "⟦A @ w⟧", "⟦c - A @ w⟧"), rows, capped(len(shown), len(names))),
        note="" if model.converged_ else "It has not converged: the difference is not yet zero.",
    )


# --- row by row ---------------------------------------------------------------------------------------------


def rule_of(model: LinearUnit, epoch: int = 0) -> ShowingRule:
    """How rows move the weights of the first target in an epoch, counted from 0."""
    eta = rate(model.eta_, model.schedule, max(epoch, 0))
    return ShowingRule(eta, "linear", model.fit_intercept, 1 if model.threshold else None)


def sgd_steps(model: LinearUnit, is_full: bool) -> Iterator[Step]:
    """The rate, the first rows, and the errors of the epochs."""
    about = f"With a rate of ⟦{float(model.largest_rate_)!r}⟧ or more, showing a row can make its error larger."
    if isinstance(model.eta0, str) and np.isfinite(model.largest_rate_):
        chosen = Equation("η", "η_max / 2", {"η_max": model.largest_rate_}, ("eta_",))
        bound = Equation("η_max", "2 / max(norm(x[i])**2 for i in _)")
        yield Step("The rate of the first epoch", (bound, chosen), note=about)
    else:
        yield Step("The rate of the first epoch", Equation("η", repr(float(model.eta_)), {}, ("eta_",)), note=about)
    showings, rule = model.trace_.kept_showings, rule_of(model)
    corrections = replay(showings, [rule], model.trace_.path.states[0, : model.n_features_in_ + 1])
    yield showings_step(model, corrections)
    for correction in corrections[:2]:
        yield from correction_steps(model, correction, is_full)
    if showings.whole and showings.targets.ndim == 1:
        values = {"s": showings.shares, "t": [c.target for c in corrections], "o": [c.output for c in corrections]}
        error = Equation("E", "sum(s[i] * (t[i] - o[i])**2 for i in _) / 2", values, ("history_", 0))
        yield Step("The error of the first epoch, each row's as it was shown", error)
    yield curve_step(model, "epoch")
    yield from plane_steps(model, is_full)
    yield from side_steps(model)


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


def plane_steps(model: LinearUnit, is_full: bool) -> Iterator[Step]:
    """The weights, and the bias."""
    for k in shown_targets(model, is_full):
        yield coefficient_table(model, k)
        if model.fit_intercept:
            bias = Equation("b", repr(intercept_of(model, k)), {}, place(model, "intercept_", k))
            yield Step(f"The bias for {model.target_names_[k]}", bias)


def side_steps(model: LinearUnit) -> Iterator[Step]:
    """With a threshold and two columns, the line between the classes."""
    w = of_target(model.coef_, 0)
    if model.threshold and model.n_features_in_ == 2 and w.any():
        yield line_step(w, intercept_of(model, 0))
        figure = line_figure(model, w[None], np.array([intercept_of(model, 0)]), [""])
        yield Step("Where the classes meet", figure=figure)


def capped(shown: int, known: int) -> str:
    """What a table leaves out."""
    return f"{shown} of {known} columns." if shown < known else ""


def derive_outputs(model: LinearUnit, x: Floats, cut: bool) -> Work:
    """The outputs for rows x as decisions between two classes; `cut`: there were more rows."""
    steps, labels = [coefficient_table(model, 0)], [word(label) for label in model.classes_]
    bias = intercept_of(model, 0) if model.fit_intercept else None
    for i, row in enumerate(x):
        output = plane_value("o", of_target(model.coef_, 0), bias, row, ("decision_function", i))
        side = f"{labels[1]} if o > 0 else {labels[0]}"
        chosen = Equation(word("class"), side, {"o": output.value}, ("predict", i), therefore=True)
        steps.append(Step(f"Row {i + 1}", (output, chosen)))
    return Work("On which side of ⟦o == 0⟧ rows lie", steps, cut_note(len(x), cut))
