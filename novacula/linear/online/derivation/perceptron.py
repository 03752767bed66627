"""The work of a perceptron: its first corrections in numbers, its mistakes, the plane, and on which side rows lie."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from novacula.learner.derivation import only_first
from novacula.learner.figure import curve_figure
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Step, Work
from novacula.linear.online.derivation.epoch import (
    CORRECTIONS,
    RESPONSES,
    Place,
    correction_steps,
    epoch_steps,
    is_clear,
    last_step,
    showings_step,
)
from novacula.linear.online.derivation.line import line_figure, line_step, margin_steps
from novacula.linear.online.passes import SCHEDULES, rate
from novacula.linear.online.trace import OnlineShowings, ShowingRule, replay
from novacula.linear.plane import cut_note, plane_value, weight_table, weighted_columns
from novacula.mathematics import Equation, word
from novacula.table.chunk import Floats
from novacula.words import counted

if TYPE_CHECKING:
    from novacula.linear.perceptron import Perceptron

PLANES = 3
"""Planes that are derived, unless everything is asked for."""
REPLAYED = 30
"""Showings that are played again."""


def derive_perceptron(model: Perceptron, options: WorkOptions) -> Work:
    """From the first rows to the planes."""
    showings, start = model.trace_.kept_showings, model.trace_.path.states[0, : model.n_features_in_ + 1]
    repeats = model.n_iter_ if showings.whole and showings.ordered else 1
    corrections = replay(showings, (rule_of(model, k) for k in range(repeats)), start, REPLAYED)
    steps = [rule_step(model), showings_step(model, corrections)]
    moves = [c for c in corrections if c.moves]
    for c in moves[:CORRECTIONS]:
        steps += correction_steps(model, c, options.is_full)
    played = len(corrections) == len(showings.rows) * model.n_iter_ and showings.whole and showings.ordered
    if moves and played and is_clear(corrections) and np.allclose(moves[-1].after[:-1], model.coef_[0]):
        steps.append(last_step(model, moves[-1], first_plane(model), options.is_full))
    steps.append(mistakes_step(model))
    if hasattr(model, "pocket_error_"):
        steps += pocket_steps(model, showings, options.is_full)
    steps += plane_steps(model, options.is_full)
    return Work("Perceptron: mistakes and corrections", steps, notes(model, options.is_full))


def derive_epoch(model: Perceptron, iteration: int, options: WorkOptions) -> Work:
    """One epoch of the first plane."""
    rule = rule_of(model, max(iteration, 1) - 1 if isinstance(iteration, int) else 0)
    steps = list(epoch_steps(model, iteration, rule, options.is_full))
    showings, d = model.trace_.kept_showings, model.n_features_in_
    if showings.whole and showings.ordered and model.response in ("step", "threshold") and len(model.coef_) == 1:
        start = model.trace_.path.at(iteration - 1, (1, d + 1))[0]
        shown = replay(showings, [rule], start)
        values = {"t": [c.target for c in shown], "o": [c.output for c in shown]}
        tied = ("history_", iteration - 1) if is_clear(shown) else ()
        half = " / 2" if model.response == "step" else ""
        count = Equation("mistakes", f"sum(abs(t[i] - o[i]){half} for i in _)", values, tied)
        steps.append(Step(f"The mistakes of epoch {iteration}", count))
    return Work(f"Epoch {iteration} of {model.n_iter_} of the perceptron{plane_name(model, 0)}", steps)


def rule_of(model: Perceptron, epoch: int = 0) -> ShowingRule:
    """How rows move the first plane in an epoch, counted from 0."""
    eta = rate(float(model.eta0), model.schedule, epoch)
    return ShowingRule(eta, model.response, model.fit_intercept, 1 if len(model.classes_) == 2 else 0)


def first_plane(model: Perceptron) -> Place:
    """Where the weights of the first plane are."""
    return lambda j: ("coef_", 0, j) if j < model.n_features_in_ else ("intercept_", 0)


def notes(model: Perceptron, is_full: bool) -> list[str]:
    """What is left out, and how it ended."""
    found = [] if model.converged_ else ["The last epoch made mistakes: the classes are not separated."]
    return found + only_first(len(shown_planes(model, is_full)), len(model.coef_), "plane")


def shown_planes(model: Perceptron, is_full: bool) -> range:
    """The planes that are derived."""
    return range(len(model.coef_) if is_full else min(len(model.coef_), PLANES))


def rule_step(model: Perceptron) -> Step:
    """The rule, who is +1, and where it begins."""
    start = model.trace_.path.states[0, : model.n_features_in_ + 1]
    is_zero = not start.any()
    first, second = model.classes_[:2]
    plus, minus = (second, first) if len(model.coef_) == 1 else (first, "others")
    rules = [
        Equation("v", weighted_columns(model.fit_intercept)),
        Equation("o", RESPONSES[model.response]),
        Equation("w[j]", "w[j] + η * (t - o) * x[j]", sign="←"),
        *([Equation("b", "b + η * (t - o)", sign="←")] if model.fit_intercept else []),
    ]
    span, power = SCHEDULES[model.schedule]
    if power:
        rules.append(Equation("η", f"η_0 / (1 + k / {span!r}) ** {power!r}"))
    eta = f"⟦η_0⟧ is ⟦{float(model.eta0)!r}⟧ and ⟦k⟧ counts epochs from 0" if power else f"⟦η⟧ is ⟦{model.eta0!r}⟧"
    low = int(rule_of(model).low)
    return Step(
        "The rule, from weights of zero" if is_zero else "The rule, from the weights below",
        tuple(rules),
        table=None if is_zero else weight_table(model, start[:-1], float(start[-1]) if model.fit_intercept else None),
        note=f"{eta}; ⟦t⟧ is 1 for {plus} and ⟦{low}⟧ for {minus}.",
    )


def mistakes_step(model: Perceptron) -> Step:
    """The mistakes of the epochs, added up."""
    figure = None
    if len(model.history_) > 1:
        epochs = np.arange(1.0, len(model.history_) + 1)
        figure = curve_figure(
            epochs, {"mistakes": model.history_}, title="Mistakes", xlabel="epoch", ylabel="mistakes per epoch"
        )
    total = Equation("mistakes", "sum(e[k] for k in _)", {"e": model.history_}, ("n_mistakes_",))
    title = f"Mistakes in {counted(len(model.history_), 'epoch')}"
    return Step(title, total, figure=figure, note="⟦e[k]⟧ are those of epoch ⟦k⟧.")


def pocket_steps(model: Perceptron, showings: OnlineShowings, is_full: bool) -> Iterator[Step]:
    """What the pocket holds, counted where all rows are kept."""
    for k in shown_planes(model, is_full):
        title = f"The pocket's weights get ⟦{float(model.pocket_error_[k])!r}⟧ of all rows wrong{plane_name(model, k)}"
        if not showings.whole:
            yield Step(title)
            continue
        v = showings.rows @ model.coef_[k] + model.intercept_[k]
        t = np.where(showings.targets == (1 if len(model.coef_) == 1 else k), 1.0, -1.0)
        o = np.where(v >= 0.0 if model.response == "threshold" else v > 0.0, 1.0, -1.0)
        values = {"s": showings.shares, "t": t, "o": o}
        right = "sum(s[i] * abs(t[i] - o[i]) / 2 for i in _) / sum(s[i] for i in _)"
        note = "⟦s[i]⟧ is the weight of a row; ⟦t[i]⟧ and ⟦o[i]⟧ are 1 on the side of the class, and else ⟦-1⟧."
        yield Step(title, Equation("E", right, values, ("pocket_error_", k)), note=note)


def plane_name(model: Perceptron, k: int) -> str:
    """Which plane it is, where there are several."""
    return "" if len(model.coef_) == 1 else f": {model.classes_[k]} or not"


def plane_steps(model: Perceptron, is_full: bool) -> Iterator[Step]:
    """The planes, and with two columns their lines and a picture of them; then how many mistakes there can be."""
    is_flat, names = model.n_features_in_ == 2, [plane_name(model, k) for k in range(len(model.coef_))]
    for k in shown_planes(model, is_full):
        bias = float(model.intercept_[k]) if model.fit_intercept else None
        yield Step("The plane" + names[k], table=weight_table(model, model.coef_[k], bias))
        if is_flat and model.coef_[k].any():
            yield line_step(model.coef_[k], float(model.intercept_[k]), names[k])
    yield from bound_steps(model)
    if is_flat and model.coef_.any():
        figure = line_figure(model, model.coef_[:PLANES], model.intercept_[:PLANES], names)
        yield Step("Where the classes meet", figure=figure)


def bound_steps(model: Perceptron) -> Iterator[Step]:
    """R, γ and (R/γ)² of two classes that a plane separates, or why they are not written."""
    if not model.converged_ or model.response not in ("step", "threshold"):
        return
    showings = model.trace_.kept_showings
    lacks = ""
    if len(model.coef_) > 1:
        lacks = "they are written for two classes, and each plane here has its own"
    elif not showings.whole:
        lacks = f"they need all rows, and a model keeps the first {len(showings.rows)}: fit fewer to see them"
    elif not (showings.shares == 1.0).all():
        lacks = "they are written for rows of weight 1"
    if lacks:
        yield Step("How many mistakes there can be", note=f"⟦R⟧, ⟦γ⟧ and ⟦(R / γ) ** 2⟧ are left out: {lacks}.")
        return
    begins = "this fit begins at other weights" if model.trace_.path.states[0].any() else ""
    falls = "the rate of this fit falls" if model.schedule != "constant" else ""
    bias = float(model.intercept_[0]) if model.fit_intercept else None
    unless = " and ".join(filter(None, (begins, falls)))
    yield from margin_steps(showings, 1, model.coef_[0], bias, model.n_mistakes_, unless)


def derive_sides(model: Perceptron, x: Floats, cut: bool, is_full: bool) -> Work:
    """The values of rows x, and the class that they speak for; `cut`: there were more rows."""
    steps = list[Step]()
    for i, row in enumerate(x):
        steps += row_steps(model, row, i, is_full)
    return Work("Perceptron: on which side rows lie", steps, [*notes(model, is_full), *cut_note(len(x), cut)])


def row_steps(model: Perceptron, row: Floats, i: int, is_full: bool) -> Iterator[Step]:
    """The value of a row for each plane, and its class."""
    labels, one = [str(label) for label in model.classes_], len(model.coef_) == 1
    values = []
    for k, w in enumerate(model.coef_):
        bias = float(model.intercept_[k]) if model.fit_intercept else None
        of: tuple[str | int, ...] = ("decision_function", i) if one else ("decision_function", i, k)
        values.append(plane_value("v" if one else f"v[{word(labels[k])}]", w, bias, row, of))
    for k in shown_planes(model, is_full):
        yield Step(f"Row {i + 1}{plane_name(model, k)}", values[k])
    if one:
        sign = ">=" if model.response == "threshold" else ">"
        right, known = f"{word(labels[1])} if v {sign} 0 else {word(labels[0])}", {"v": values[0].value}
    else:
        right, known = "argmax(v[k] for k in _)", {"v": {a: v.value for a, v in zip(labels, values, strict=True)}}
    yield Step(f"Row {i + 1}: the class", Equation(word("class"), right, known, ("predict", i), therefore=True))
