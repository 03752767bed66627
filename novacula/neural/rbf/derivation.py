"""The work of a radial basis network: widths from distances, bias from means, and for rows distances, φ and outputs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from novacula.learner.figure import Figure, curve_figure
from novacula.learner.worded_step import WordedStep as Step
from novacula.learner.work import Cell, Work, WorkTable
from novacula.linear.plane import weighted_sum
from novacula.neural.rbf.basis import FUNCTIONS
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.neural.rbf.network import RadialNetwork

UNITS = 2  # whose widths are derived
LISTED = 20  # units in a table
COLUMNS = 3  # of a centre in a table
TERMS = 12  # of a sum that is written out
OUTPUTS = 2  # derived
ROWS = 3  # derived

NETWORK = "o = b + Σ wₖφₖ(x)"


def derive_network(model: RadialNetwork) -> Work:
    """Units, widths, biases, and the picture over one or two columns."""
    K, names = len(model.widths_), outputs_of(model)
    steps = [units_step(model)]
    for i in range(min(UNITS, K)):
        steps += width_steps(model, i)
    steps += [bias_step(model, t) for t in range(min(OUTPUTS, len(names)))]
    if hasattr(model, "history_") and len(model.history_) > 1:
        steps.append(Step("Fine-tuning of centres and widths", figure=descent_figure(model.history_)))
    if model.centers_.shape[1] <= 2:
        steps.append(Step("The network over its columns", figure=model.figure()))
    notes = [
        f"{count - part} more {what} are derived alike."
        for count, part, what in ((K, UNITS, "widths"), (len(names), OUTPUTS, "outputs"))
        if count > part
    ]
    return Work(f"Radial basis network of {K} units", steps, notes)


def units_step(model: RadialNetwork) -> Step:
    """All units in a table."""
    K, d = model.centers_.shape
    columns = [column.name for column in model.schema_.features][:COLUMNS]
    header = ("unit", *columns, "width σ", f"weight for {outputs_of(model)[0]}")
    weights = np.atleast_2d(model.coef_)[0]
    rows: list[tuple[Cell, ...]] = [
        (k + 1, *map(float, model.centers_[k, :COLUMNS]), float(model.widths_[k]), float(weights[k]))
        for k in range(min(LISTED, K))
    ]
    cut = f", the first {LISTED} of {K}" if K > LISTED else ""
    cut += f", {COLUMNS} of {d} columns" if d > COLUMNS else ""
    how = {
        "interpolation": "There is a centre on every row, so the outputs pass through the targets, with Σ w = 0.",
        "cholesky": "The weights solve the normal equations.",
        "qr": "The weights solve the least squares problem by an orthogonal factor, which keeps more digits.",
        "svd": f"The answers of the units span {model.rank_} directions: the weights are those of least norm.",
    }[model.solver_]
    return Step(
        "The units",
        formula=f"{NETWORK},  φ = {FUNCTIONS[model.basis].formula},  r = ‖x − μ‖",
        table=WorkTable(header, tuple(rows), f"Centres, widths and weights{cut}"),
        note=how,
    )


# --- widths ---------------------------------------------------------------------------------------------------


def width_steps(model: RadialNetwork, i: int) -> Iterator[Step]:
    """The width of unit i from its distances to the others, or as it was given or tuned."""
    title, of, result = f"Width of unit {i + 1}", ("widths_", i), float(model.widths_[i])
    if hasattr(model, "history_") or not isinstance(model.width, str) or len(model.widths_) == 1:
        yield Step(title, result=result, of=of, note="Fine-tuned." if hasattr(model, "history_") else "As given.")
        return
    others = np.delete(np.arange(len(model.centers_)), i)
    apart = np.linalg.norm(model.centers_[others] - model.centers_[i], axis=1)
    nearest = int(others[apart.argmin()])
    yield distance_step(f"From unit {i + 1} to unit {nearest + 1}", "μ", model.centers_[i], model.centers_[nearest])
    if model.width == "nearest":
        near = np.argsort(apart, kind="stable")[:TERMS]
        values = {f"r_{others[j] + 1}": float(apart[j]) for j in near}
        expression = f"min({', '.join(values)})"
        note = f"The {TERMS} nearest of {len(others)} are written out." if len(others) > TERMS else ""
        yield Step(title, "σ = min ‖μⱼ − μᵢ‖", expression, values, result, of, note=note)
        return
    values = {f"r_{others[j] + 1}": float(apart[j]) for j in range(min(TERMS, len(others)))}
    terms = [f"{name} ** 2" for name in values]
    labels = {}
    if len(others) > TERMS:
        terms.append("rest")
        values["rest"] = float((apart[TERMS:] ** 2).sum())
        labels["rest"] = f"of the other {len(others) - TERMS} units"
    values["K"] = len(model.centers_)
    expression = f"sqrt(({' + '.join(terms)}) / (K - 1))"
    yield Step(title, "σᵢ² = Σ_{j≠i} ‖μⱼ − μᵢ‖² / (K − 1)", expression, values, result, of, labels)


def distance_step(title: str, letter: str, one: Floats, other: Floats) -> Step:
    """‖one − other‖ with its coordinates, if these are few."""
    apart = float(np.linalg.norm(one - other))
    if len(one) > TERMS:
        return Step(title, result=apart, note=f"Over {len(one)} columns.")
    values = {f"a_{j + 1}": float(v) for j, v in enumerate(one)} | {f"c_{j + 1}": float(v) for j, v in enumerate(other)}
    inside = " + ".join(f"(a_{j + 1} - c_{j + 1}) ** 2" for j in range(len(one)))
    return Step(title, f"r = ‖{letter} − μ‖", f"sqrt({inside})", values, apart)


# --- outputs --------------------------------------------------------------------------------------------------


def bias_step(model: RadialNetwork, t: int) -> Step:
    """The bias: the outputs pass through the means."""
    total, values = weighted_sum("w", np.atleast_2d(model.coef_)[t], "f", model.feature_mean_)
    return Step(
        f"Bias for {outputs_of(model)[t]}: residuals add up to zero",
        formula="b = ȳ − Σ wₖφ̄ₖ",
        expression=f"y - ({total})",
        values={"y": model.target_mean_[t], **values},
        of=("intercept_",) if model.coef_.ndim == 1 else ("intercept_", t),
    )


def derive_rows(model: RadialNetwork, x: Floats, cut: bool, figure: Figure | None) -> Work:
    """Distance and answer of the nearest unit, and outputs, of the first rows; `cut`: there were more than x."""
    steps = [units_step(model)]
    for i in range(min(ROWS, len(x))):
        steps += row_steps(model, i, x[i])
    if figure is not None:
        steps.append(Step("The rows on the network", figure=figure))
    notes = [f"Only the first {ROWS} rows are derived."] if cut or len(x) > ROWS else []
    if len(outputs_of(model)) > OUTPUTS:
        notes.append(f"Only the first {OUTPUTS} of {len(outputs_of(model))} outputs are derived.")
    return Work("Outputs of a radial basis network", steps, notes)


def row_steps(model: RadialNetwork, i: int, x: Floats) -> Iterator[Step]:
    """One row: its nearest unit, its outputs, and what is made of them."""
    apart = np.linalg.norm(model.centers_ - x, axis=1)
    k = int(apart.argmin())
    answers = model._basis().answers(x[None])[0]
    yield distance_step(f"Row {i + 1}, distance to unit {k + 1}, the nearest", "x", x, model.centers_[k])
    function = FUNCTIONS[model.basis]
    if apart[k] > 0.0:
        values = {"r": float(apart[k]), "s": float(model.widths_[k])}
        of = ("activations", i, k)
        yield Step(
            f"Row {i + 1}, answer of unit {k + 1}", f"φ = {function.formula}", function.expression, values, of=of
        )
    outputs = np.atleast_1d(answers @ model.coef_.T + model.intercept_)
    for t, name in enumerate(outputs_of(model)[:OUTPUTS]):
        total, values = weighted_sum("w", np.atleast_2d(model.coef_)[t], "f", answers)
        yield Step(
            f"Row {i + 1}, output for {name}",
            NETWORK,
            f"b + {total}",
            {"b": float(np.atleast_1d(model.intercept_)[t]), **values},
            of=output_place(model, i, t),
        )
    if hasattr(model, "classes_"):
        yield from class_steps(model, i, outputs)


def class_steps(model: RadialNetwork, i: int, outputs: Floats) -> Iterator[Step]:
    """From outputs to the probability of the class that is predicted."""
    names, best = outputs_of(model), int(outputs.argmax())
    values = {f"o_{t + 1}": float(v) for t, v in enumerate(outputs)}
    if len(values) <= TERMS:
        positive = [f"max({name}, 0)" for name in values]
        yield Step(
            f"Row {i + 1}, probability of {names[best]}, the class with the largest output",
            "P(t|x) = max(oₜ, 0) / Σ max(o, 0)",
            f"{positive[best]} / ({' + '.join(positive)})",
            values,
            of=("predict_proba", i, best),
        )


def output_place(model: RadialNetwork, i: int, t: int) -> tuple[str | int, ...]:
    """Where the model says output t of row i; with two classes it says their difference only."""
    if not hasattr(model, "classes_"):
        return ("predict", i) if model.coef_.ndim == 1 else ("predict", i, t)
    return ("decision_function", i, t) if len(model.classes_) > 2 else ()


def outputs_of(model: RadialNetwork) -> list[str]:
    """What the outputs are called: classes or targets."""
    return [str(name) for name in getattr(model, "classes_", getattr(model, "target_names_", ()))]


def descent_figure(history: Floats) -> Figure:
    """The error over its start, from step to step."""
    return curve_figure(
        np.arange(len(history)),
        {"error": history},
        title="The error never rises",
        xlabel="step",
        ylabel="error over its start",
        alt=f"The error falls to {history[-1]:.4g} of its start in {len(history) - 1} steps.",
    )
