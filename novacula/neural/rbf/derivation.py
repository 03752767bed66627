"""The work of a radial basis network: widths from distances, bias from means, and for rows distances, φ and outputs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.spatial.distance import cdist

from novacula.learner.derivation import cut_table, only_first, only_first_rows
from novacula.learner.figure import Figure, curve_figure
from novacula.learner.showing import WorkOptions
from novacula.learner.trace import FEW_NUMBERS, FEW_ROWS
from novacula.learner.work import Step, Work
from novacula.mathematics import Equation, word
from novacula.neural.rbf.basis import FUNCTIONS
from novacula.neural.rbf.figures import bumps_figure
from novacula.table.chunk import Floats
from novacula.words import shortened

if TYPE_CHECKING:
    from novacula.neural.rbf.network import RadialNetwork

UNITS = 2
"""Units whose widths are derived, unless everything is asked for."""
OUTPUTS = 2
"""Outputs that are derived, unless everything is asked for."""
CONDITION = 1e6
"""The condition up to which equations are written out."""
COLUMNS = 3
"""Columns of a centre in a table."""
UNIT_MEANINGS = {
    "w": "weights of the units",
    "φ": "answers of the units",
}


def derive_network(model: RadialNetwork, options: WorkOptions) -> Work:
    """Units, widths, biases, and the picture over one or two columns."""
    names, K = output_names(model), len(model.widths_)
    widths = K if options.is_full or not follow_centers(model) else min(UNITS, K)
    outputs = len(names) if options.is_full else min(OUTPUTS, len(names))
    steps = [units_step(model), *width_steps(model, widths)]
    steps += [bias_step(model, t) for t in range(outputs)]
    if model.solver_ == "interpolation":
        steps += [side_condition(model, t) for t in range(outputs)]
    steps += system_steps(model, outputs)
    if hasattr(model, "history_") and len(model.history_) > 1:
        steps.append(Step("Fine-tuning of centres and widths", figure=descent_figure(model.history_)))
    if model.centers_.shape[1] <= 2:
        steps.append(Step("The network over its columns", figure=model.figure()))
    if model.centers_.shape[1] == 1:
        steps += [Step("The bumps and their sum", figure=bumps_figure(model, t)) for t in range(outputs)]
    notes = [*only_first(widths, K, "unit"), *only_first(outputs, len(names), "output")]
    return Work(f"Radial basis network of {K} units", steps, notes)


def units_step(model: RadialNetwork) -> Step:
    """All units in a table."""
    K, d = model.centers_.shape
    columns = [shortened(column.name) for column in model.schema_.features][:COLUMNS]
    header = ("unit ⟦k⟧", *columns, "width ⟦σ[k]⟧", f"weight for {shortened(output_names(model)[0])}")
    weights = np.atleast_2d(model.coef_)[0]
    rows = ((k + 1, *model.centers_[k, :COLUMNS].tolist(), model.widths_[k], weights[k]) for k in range(K))
    caption = f"Centres, widths and weights{f', {COLUMNS} of {d} columns' if d > COLUMNS else ''}."
    how = {
        "interpolation": "There is a centre on every row, so the outputs pass through the targets.",
        "cholesky": "The weights solve the normal equations.",
        "qr": "The weights solve the least squares problem by an orthogonal factor, which keeps more digits.",
        "svd": f"The answers of the units span {model.rank_} directions: the weights are those of least norm.",
    }[model.solver_]
    rules = (
        Equation("o(x)", "b + sum(w[k] * φ[k] for k in _)", where=UNIT_MEANINGS),
        Equation("φ[k]", FUNCTIONS[model.basis].expression, where={"r[k]": "distance of ⟦x⟧ from centre ⟦μ[k]⟧"}),
    )
    return Step("The units", rules, table=cut_table(header, rows, K, caption), note=how)


# --- widths ---------------------------------------------------------------------------------------------------


def follow_centers(model: RadialNetwork) -> bool:
    """Whether the widths are found from the distances of the centres, rather than given or tuned."""
    return isinstance(model.width, str) and len(model.widths_) > 1 and not hasattr(model, "history_")


def width_steps(model: RadialNetwork, count: int) -> Iterator[Step]:
    """The widths of the first units from the distances to the others, unless they were given or tuned."""
    if not follow_centers(model):
        yield Step("The widths", note="Fine-tuned." if hasattr(model, "history_") else "As given.")
        return
    apart = cdist(model.centers_[:count], model.centers_)
    for i in range(count):
        others = np.where(np.arange(len(model.centers_)) == i, np.inf, apart[i])
        nearest = int(others.argmin())
        distance = Equation(
            f"r[{i + 1}, {nearest + 1}]",
            f"sqrt(sum((μ[{i + 1}, j] - μ[{nearest + 1}, j]) ** 2 for j in _))",
            {"μ": model.centers_},
            where={"μ": "centres, one row each"},
        )
        yield Step(f"From unit {i + 1} to unit {nearest + 1}, the nearest", distance)
        values: dict[str, Any] = {f"r[{i + 1}, k]": apart[i]}
        if model.width == "nearest":
            right = f"min(r[{i + 1}, k] for k in _ if k != {i + 1})"
        else:
            right = f"sqrt(sum(r[{i + 1}, k] ** 2 for k in _ if k != {i + 1}) / (K - 1))"
            values["K"] = len(model.centers_)
        yield Step(f"Width of unit {i + 1}", Equation(f"σ[{i + 1}]", right, values, of=("widths_", i)))


# --- outputs --------------------------------------------------------------------------------------------------


def bias_step(model: RadialNetwork, t: int) -> Step:
    """The bias: the outputs pass through the means."""
    at = output_index(model, t)
    equation = Equation(
        f"b{at}",
        f"ȳ{at} - sum({weight_of(model, t)} * φ̄[k] for k in _)",
        {f"ȳ{at}": model.target_mean_[t], **weights_of(model, t), "φ̄": model.feature_mean_},
        of=bias_place(model, t),
        where={f"ȳ{at}": "mean target", "φ̄": "mean answers of the units"},
    )
    return Step(f"Bias for {shortened(output_names(model)[t])}: residuals add up to zero", equation)


def bias_place(model: RadialNetwork, t: int) -> tuple[str | int, ...]:
    """Where the model keeps the bias of an output."""
    return ("intercept_",) if model.coef_.ndim == 1 else ("intercept_", t)


def side_condition(model: RadialNetwork, t: int) -> Step:
    """What decides between the weights that pass through the targets."""
    total = f"sum({weight_of(model, t)} for k in _)"
    return Step(
        f"Weights for {shortened(output_names(model)[t])}: they add up to zero",
        Equation(total, "0", weights_of(model, t)),
        note="Bias and weights are one number more than there are targets; this condition decides.",
    )


def system_steps(model: RadialNetwork, outputs: int) -> Iterator[Step]:
    """The equations of the weights with their numbers, where units are few and the equations keep their digits."""
    system, K = getattr(getattr(model, "trace_", None), "rows", None), len(model.widths_)
    if system is None or system.shape != (K, K + len(model.target_mean_)):
        limits = f"up to {FEW_ROWS} units and {FEW_NUMBERS} numbers, with the targets"
        yield Step("The equations of the weights", note=f"They are left out: they are written for {limits}.")
        return
    interpolates = model.solver_ == "interpolation"
    matrix, right = system[:, :K], system[:, K:]
    if interpolates:
        matrix = np.block([[matrix, np.ones((K, 1))], [np.ones((1, K)), np.zeros((1, 1))]])
        right = np.vstack([right, np.zeros((1, right.shape[1]))])
    if np.linalg.cond(matrix) > CONDITION:
        why = "their matrix is so nearly singular that its rounded numbers would not give the weights"
        yield Step("The equations of the weights", note=f"They are left out, since {why}.")
        return
    note = (
        "Rows of ⟦A⟧ are what the units answer at a centre, and a 1 for the bias; the last asks for weights that add "
        "up to zero. The last of ⟦h⟧ is the bias."
        if interpolates
        else "⟦A⟧ holds the products of the units' answers about their means, with alpha on the diagonal, ⟦c⟧ their "
        "products with the target."
    )
    for t in range(outputs):
        name = shortened(output_names(model)[t])
        solved = Equation("h" if interpolates else "w", "inv(A) @ c", {"A": matrix, "c": right[:, t]})
        if not interpolates:
            solved = replace(solved, of=("coef_",) if model.coef_.ndim == 1 else ("coef_", t))
        bias = Equation(f"b{output_index(model, t)}", f"h[{K + 1}]", {"h": solved.value}, bias_place(model, t))
        yield Step(f"The equations of the weights for {name}", (solved, bias) if interpolates else solved, note=note)


def derive_rows(model: RadialNetwork, x: Floats, cut: bool, figure: Figure | None, options: WorkOptions) -> Work:
    """Distance and answer of the nearest unit, and outputs, of rows (n, d); `cut`: there were more."""
    names = output_names(model)
    outputs = len(names) if options.is_full else min(OUTPUTS, len(names))
    steps = [units_step(model)]
    for i in range(len(x)):
        steps += row_steps(model, i, x[i], outputs, options.is_full)
    if figure is not None:
        steps.append(Step("The rows on the network", figure=figure))
    notes = [*only_first_rows(len(x), cut), *only_first(outputs, len(names), "output")]
    return Work("Outputs of a radial basis network", steps, notes)


def row_steps(model: RadialNetwork, i: int, x: Floats, outputs: int, is_full: bool) -> Iterator[Step]:
    """One row: its nearest unit, or all; its outputs, and what is made of them."""
    apart = np.linalg.norm(model.centers_ - x, axis=1)
    answers = model.radial_basis_.answers(x[None])[0]
    nearest = int(apart.argmin())
    expression = FUNCTIONS[model.basis].expression
    for k in range(len(apart)) if is_full else (nearest,):
        distance = Equation(
            f"r[{k + 1}]", f"sqrt(sum((x[j] - μ[{k + 1}, j]) ** 2 for j in _))", {"x": x, "μ": model.centers_}
        )
        values = {f"r[{k + 1}]": apart[k], f"σ[{k + 1}]": model.widths_[k]}
        answer = Equation(f"φ[{k + 1}]", expression.replace("[k]", f"[{k + 1}]"), values, of=("activations", i, k))
        yield Step(f"Row {i + 1}, unit {k + 1}{', the nearest' if k == nearest else ''}", (distance, answer))
    for t, name in enumerate(output_names(model)[:outputs]):
        at = output_index(model, t)
        output = Equation(
            f"{output_letter(model)}{at}",
            f"b{at} + sum({weight_of(model, t)} * φ[k] for k in _)",
            {f"b{at}": np.atleast_1d(model.intercept_)[t], **weights_of(model, t), "φ": answers},
            of=output_place(model, i, t),
        )
        yield Step(f"Row {i + 1}, output for {shortened(name)}", output)
    if hasattr(model, "classes_"):
        yield class_step(model, i, answers @ model.coef_.T + model.intercept_)


def class_step(model: RadialNetwork, i: int, outputs: Floats) -> Step:
    """From outputs to the probability of the class that is predicted."""
    names, best = output_names(model), int(outputs.argmax())
    by_class = {"o": dict(zip(names, outputs, strict=True))}
    label = word(names[best])
    share = f"max(o[{label}], 0) / sum(max(o[c], 0) for c in _)"
    return Step(
        f"Row {i + 1}, its class",
        (
            Equation("ŷ", "argmax(o[c] for c in _)", by_class, of=("predict", i), therefore=True),
            Equation(f"P({label} | x)", share, by_class, of=("predict_proba", i, best)),
        ),
    )


def output_place(model: RadialNetwork, i: int, t: int) -> tuple[str | int, ...]:
    """Where the model says output t of row i; with two classes it says their difference only."""
    if not hasattr(model, "classes_"):
        return ("predict", i) if model.coef_.ndim == 1 else ("predict", i, t)
    return ("decision_function", i, t) if len(model.classes_) > 2 else ()


# --- names ----------------------------------------------------------------------------------------------------


def output_names(model: RadialNetwork) -> list[str]:
    """What the outputs are called: classes or targets."""
    return [str(name) for name in getattr(model, "classes_", getattr(model, "target_names_", ()))]


def output_letter(model: RadialNetwork) -> str:
    """The letter of an output."""
    return "o" if hasattr(model, "classes_") else "ŷ"


def output_index(model: RadialNetwork, t: int) -> str:
    """What stands below the letters of an output: its name, if there are several."""
    return "" if model.coef_.ndim == 1 else f"[{word(output_names(model)[t])}]"


def weight_of(model: RadialNetwork, t: int) -> str:
    """The weight of unit k for an output."""
    return "w[k]" if model.coef_.ndim == 1 else f"w[{word(output_names(model)[t])}, k]"


def weights_of(model: RadialNetwork, t: int) -> dict[str, Floats]:
    """The weights of all units for an output, by `weight_of`."""
    return {weight_of(model, t): np.atleast_2d(model.coef_)[t]}


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
