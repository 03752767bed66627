"""The work of a perceptron: its first corrections in numbers, its mistakes, the plane, and on which side rows lie."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.learner.figure import COLOURS, LINES, Figure, curve_figure, literal
from novacula.learner.worded_step import WordedStep as Step
from novacula.learner.work import Cell, Work, WorkTable
from novacula.linear.online.replay import Correction, replay
from novacula.linear.plane import SHOWN, weighted_sum
from novacula.table.chunk import Floats
from novacula.words import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from novacula.linear.perceptron import Perceptron

PLANES = 3
"""Planes that are derived."""
COLUMNS = 4
"""Columns of a row that a table shows."""
CORRECTIONS = 3
"""Corrections that are written out."""
EPOCHS = 8
"""Epochs whose mistakes are written out."""
NUMBERS = {"step": "sign(v)", "linear": "v", "tanh": "tanh(v)"}


def derive_perceptron(model: Perceptron) -> Work:
    """From the first rows to the planes."""
    corrections = replay_first(model)
    steps = [rule_step(model), showings_step(model, corrections)]
    moves = [c for c in corrections if c.move != 0.0]
    for correction in moves[:CORRECTIONS]:
        steps += correction_steps(model, correction)
    if moves and is_whole(model, corrections):
        steps += last_steps(model, moves[-1])
    steps.append(mistakes_step(model))
    if hasattr(model, "pocket_error_"):
        steps += pocket_steps(model)
    steps += plane_steps(model)
    return Work("Perceptron: mistakes and corrections", steps, notes(model))


def notes(model: Perceptron) -> list[str]:
    """What is left out, and how it ended."""
    found = []
    if not model.converged_:
        found.append("The last epoch made mistakes: the classes are not separated.")
    if len(model.coef_) > PLANES:
        found.append(f"Only the first {PLANES} of {len(model.coef_)} planes are derived.")
    return found


def rule_step(model: Perceptron) -> Step:
    """The rule, and who is +1."""
    first, second = model.classes_[:2]
    side = f"t = +1 for {second}, −1 for {first}" if len(model.coef_) == 1 else f"t = +1 for {first}, −1 for others"
    bias = ", and b ← b + η(t − o)" if model.fit_intercept else ""
    return Step(
        "The rule, from weights of zero",
        formula=f"w ← w + η(t − o)x,  v = {value_formula(model)},  o = {NUMBERS[model.response]}",
        note=f"η = {model.eta0:g}; {side}{bias}.",
    )


def value_formula(model: Perceptron) -> str:
    """The value of a row."""
    return "b + Σ wⱼxⱼ" if model.fit_intercept else "Σ wⱼxⱼ"


def replay_first(model: Perceptron) -> list[Correction]:
    """The first showings, played again for the first plane."""
    positive = 1 if len(model.coef_) == 1 else 0
    signs = np.where(model.first_showings_.targets == positive, 1.0, -1.0)
    again = model.n_iter_ if model.first_showings_.repeat else 1
    return replay(model.first_showings_, signs, again, model.eta0, model.response, model.fit_intercept)


def showings_step(model: Perceptron, corrections: list[Correction]) -> Step:
    """The first showings as a table."""
    d = model.n_features_in_
    shown = range(min(d, COLUMNS))
    names = model.schema_.column_names(shown)
    header = ("showing", *names, "t", "v", "o", *(f"w_{j + 1} after" for j in shown))
    rows: list[tuple[Cell, ...]] = []
    for i, c in enumerate(corrections):
        after = [float(c.after[j]) for j in shown]
        cells: list[Cell] = [i + 1, *(float(c.x[j]) for j in shown), c.target, c.value, c.output, *after]
        rows.append((*cells, float(c.after[d])) if model.fit_intercept else tuple(cells))
    caption = f"The first {len(rows)} showings" + (f", {COLUMNS} of {d} columns." if d > COLUMNS else ".")
    table = WorkTable((*header, "b after") if model.fit_intercept else header, tuple(rows), caption)
    return Step("Row after row", table=table)


def correction_steps(model: Perceptron, c: Correction) -> Iterator[Step]:
    """A showing that moved the weights: its value, and some of the weights that it moved."""
    d = model.n_features_in_
    total, values = weighted_sum("w", c.before[:d], "x", c.x)
    yield Step(
        f"Showing {c.number}: on which side does the row lie?",
        formula=f"v = {value_formula(model)}",
        expression=f"b + {total}" if model.fit_intercept else total,
        values=({"b": float(c.before[d])} if model.fit_intercept else {}) | values,
        result=c.value,
        note=f"t = {c.target:+g} and o = {c.output:+.6g}, so the weights move by {c.move:.6g} times the row.",
    )
    largest = np.sort(np.argsort(-np.abs(c.x), kind="stable")[:CORRECTIONS])
    places = [(int(j), f"w_{j + 1}, the weight of {name}", float(c.x[j])) for j, name in named(model, largest)]
    if model.fit_intercept:
        places.append((d, "b, the weight of a column of ones", 1.0))
    for j, what, x in places:
        share = {} if c.share == 1.0 else {"s": c.share}
        yield Step(
            f"Showing {c.number} moves {what}",
            formula="w ← w + ηs(t − o)x" if share else "w ← w + η(t − o)x",
            expression=f"w + eta * {'s * ' if share else ''}(t - o) * x",
            values={"w": float(c.before[j]), "eta": model.eta0, "t": c.target, "o": c.output, "x": x} | share,
            result=float(c.after[j]),
        )


def is_whole(model: Perceptron, corrections: list[Correction]) -> bool:
    """Whether what was played again is the whole fit, and its last weights those that were kept."""
    first = model.first_showings_
    played = first.repeat and len(corrections) == len(first.rows) * model.n_iter_
    return played and np.allclose(corrections[-1].after[:-1], model.coef_[0], rtol=1e-12, atol=0.0)


def last_steps(model: Perceptron, c: Correction) -> Iterator[Step]:
    """The correction that made the first plane what it is."""
    for j, name in named(model, range(min(model.n_features_in_, CORRECTIONS))):
        yield Step(
            f"The last correction, in showing {c.number}, makes w_{j + 1}, the weight of {name}, what it is",
            formula="w ← w + Δ·x,  Δ = η(t − o)",
            expression="w + Δ * x",
            values={"w": float(c.before[j]), "Δ": c.move, "x": float(c.x[j])},
            of=("coef_", 0, j),
        )


def named(model: Perceptron, places: Any) -> Iterator[tuple[int, str]]:
    """Columns by place and name."""
    yield from zip(map(int, places), model.schema_.column_names(map(int, places)), strict=True)


def mistakes_step(model: Perceptron) -> Step:
    """The mistakes of the epochs, added up."""
    history = model.history_
    values = {f"e_{i + 1}": float(history[i]) for i in range(min(len(history), EPOCHS))}
    if len(history) > EPOCHS:
        values["rest"] = float(sum(history[EPOCHS:]))
    figure = None
    if len(history) > 1:
        epochs = np.arange(1.0, len(history) + 1)
        figure = curve_figure(
            epochs, {"mistakes": history}, title="Mistakes", xlabel="epoch", ylabel="mistakes per epoch"
        )
    return Step(
        f"Mistakes in {len(history)} epoch{'' if len(history) == 1 else 's'}",
        formula="Σ mistakes of an epoch",
        expression=" + ".join(values),
        values=values,
        of=("n_mistakes_",),
        figure=figure,
    )


def pocket_steps(model: Perceptron) -> Iterator[Step]:
    """What the pocket holds."""
    for k in range(min(len(model.coef_), PLANES)):
        yield Step(
            "What the pocket's weights get wrong" + plane_name(model, k),
            formula="weight of the rows on the wrong side / weight of all rows",
            result=float(model.pocket_error_[k]),
            of=("pocket_error_", k),
        )


def plane_name(model: Perceptron, k: int) -> str:
    """Which plane it is, where there are several."""
    return "" if len(model.coef_) == 1 else f": {model.classes_[k]} or not"


def plane_steps(model: Perceptron) -> Iterator[Step]:
    """The planes, and with two columns a picture of them."""
    d = model.n_features_in_
    for k in range(min(len(model.coef_), PLANES)):
        shown = np.sort(np.argsort(-np.abs(model.coef_[k]), kind="stable")[:SHOWN])
        rows: list[tuple[Cell, ...]] = [(f"w_{j + 1}", n, float(model.coef_[k, j])) for j, n in named(model, shown)]
        if model.fit_intercept:
            rows.append(("b", "ones", float(model.intercept_[k])))
        caption = f"The {SHOWN} largest of {d}." if d > SHOWN else ""
        yield Step("The plane" + plane_name(model, k), table=WorkTable(("", "column", "weight"), tuple(rows), caption))
    if d == 2 and model.coef_.any():
        yield Step("Where the classes meet", figure=plane_figure(model))


def plane_figure(model: Perceptron) -> Figure:
    """The first rows by class, and the lines b + w₁x₁ + w₂x₂ = 0."""
    points, codes = model.first_showings_.rows, model.first_showings_.targets
    drawn = [k for k in range(min(len(model.coef_), PLANES)) if model.coef_[k].any()]
    centre = points.mean(axis=0)
    feet = {}  # the point of each line that is nearest to the rows
    for k in drawn:
        w = model.coef_[k]
        feet[k] = centre - (w @ centre + model.intercept_[k]) / (w @ w) * w
    seen = np.vstack([points, *feet.values()])
    low, high = seen.min(axis=0), seen.max(axis=0)
    margin = 0.15 * np.where(high > low, high - low, 1.0)

    def draw(axes: Axes) -> None:
        for k in np.unique(codes):
            label, marker = literal(shortened(str(model.classes_[k]))), "osD^vPX*"[k % 8]
            axes.plot(*points[codes == k].T, marker, color=COLOURS[k % len(COLOURS)], markersize=7, label=label)
        for i, k in enumerate(drawn):
            w = model.coef_[k]
            label = literal(shortened("b + w·x = 0" + plane_name(model, k)))
            foot, style = feet[k], LINES[i % len(LINES)]
            axes.axline(foot, foot + np.array([-w[1], w[0]]), color="#333333", linestyle=style, label=label)
        axes.set_xlim(low[0] - margin[0], high[0] + margin[0])
        axes.set_ylim(low[1] - margin[1], high[1] + margin[1])
        across, up = model.schema_.column_names(range(2))
        axes.set_xlabel(literal(shortened(across)))
        axes.set_ylabel(literal(shortened(up)))
        axes.grid()
        axes.legend(loc="center left", bbox_to_anchor=(1.02, 0.5))

    alt = f"The first {len(points)} rows shown, by class, and {len(drawn)} line{'s' * (len(drawn) > 1)} between them."
    return Figure(draw, alt, f"Where the classes meet, and the first {len(points)} rows shown")


def derive_sides(model: Perceptron, x: Floats, cut: bool) -> Work:
    """The values of rows x, and the class that they speak for; `cut`: there were more rows."""
    steps = []
    classes = model.classes_[np.atleast_1d(winners(model, x))]
    for i, row in enumerate(x):
        for k in range(min(len(model.coef_), PLANES)):
            total, values = weighted_sum("w", model.coef_[k], "x", row)
            steps.append(
                Step(
                    f"Row {i + 1}{plane_name(model, k)}",
                    formula=f"v = {value_formula(model)}",
                    expression=f"b + {total}" if model.fit_intercept else total,
                    values=({"b": float(model.intercept_[k])} if model.fit_intercept else {}) | values,
                    of=("decision_function", i) if len(model.coef_) == 1 else ("decision_function", i, k),
                    note=f"So the class is {classes[i]}." if k == min(len(model.coef_), PLANES) - 1 else "",
                )
            )
    held = notes(model) + ([f"Only the first {len(x)} rows are derived."] if cut else [])
    return Work("Perceptron: on which side rows lie", steps, held)


def winners(model: Perceptron, x: Floats) -> Floats:
    """The number of the class of each row."""
    values = x @ model.coef_.T + model.intercept_
    return np.asarray(values[:, 0] > 0.0, int) if values.shape[1] == 1 else values.argmax(axis=1)
