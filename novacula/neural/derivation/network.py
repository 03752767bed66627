"""What the work of a multilayer perceptron holds: of the model, of its predictions, and of one epoch."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.errors import ModelFileError
from novacula.learner.derivation import cut_table, only_first_rows
from novacula.learner.figure import Figure, curve_figure
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Step, Work, WorkTable
from novacula.linear.online.passes import SCHEDULES
from novacula.mathematics import Equation
from novacula.neural.derivation.built import built_steps
from novacula.neural.derivation.drawing import network_figure
from novacula.neural.derivation.example import UNITS, backward_steps, error_step, forward_steps
from novacula.neural.derivation.network_landscape import landscape_figure
from novacula.neural.derivation.passage import RowPassage
from novacula.neural.derivation.priced import has_prices, price_step, row_prices
from novacula.neural.derivation.replay import Update, loss_of, require_epoch, updates_of
from novacula.neural.derivation.update import (
    DIGITS_OF_SINGLE,
    SHARES,
    WEIGHTS,
    Parameter,
    batch_table,
    change_steps,
    example_slopes,
    weights_table,
)
from novacula.table.chunk import Floats
from novacula.words import counted

if TYPE_CHECKING:
    from novacula.neural.multilayer import MultilayerNetwork

STARTS = 10
"""Starts that are listed."""


def derive_network(model: MultilayerNetwork, options: WorkOptions) -> Work:
    """The network drawn, its first and its last update, the learning curve, and what it says of two inputs."""
    sizes, outcomes = model.architecture_.sizes, outcomes_of(model)
    steps = [parameters_step(model)]
    drawing = network_figure(model, tuple(model.schema_.column_names()), outcomes)
    steps.append(Step("The network", figure=drawing))
    if hasattr(model, "trace_"):
        steps += taught_steps(model, options)
        steps += training_steps(model)
    else:
        steps += built_steps(model, options.is_full)
    if model.architecture_.activation == "linear" and model.architecture_.n_layers > 1:
        steps.append(linear_step(model))
    if sizes[0] <= 2:
        steps.append(Step("What the network says", figure=landscape_figure(model, outcomes)))
    weights = WEIGHTS if hasattr(model, "trace_") else 0
    notes = [] if options.is_full else cap_notes(model, weights)
    return Work(f"Multilayer perceptron of {' – '.join(map(str, sizes))} units", steps, notes)


def derive_predictions(model: MultilayerNetwork, rows: Floats, cut: bool, options: WorkOptions) -> Work:
    """The outputs for rows (n, d), unit by unit; `cut`: there were more rows."""
    outcomes, steps = outcomes_of(model), list[Step]()
    passage = RowPassage.of(model.architecture_, model.weights_, rows)
    for i in range(len(rows)):
        places = {k: output_place(model, i, k) for k in range(model.architecture_.sizes[-1])}
        steps += forward_steps(passage.row(i), outcomes, f"Row {i + 1}", options.is_full, places)
        if hasattr(model, "classes_") and not model.multilabel_:
            steps.append(class_step(model, i, passage.outputs[-1][i]))
    if model.architecture_.sizes[0] <= 2:
        steps.append(Step("The rows on what the network says", figure=landscape_figure(model, outcomes, rows)))
    notes = [*([] if options.is_full else cap_notes(model)), *only_first_rows(len(rows), cut)]
    return Work("Forward through a multilayer perceptron", steps, notes)


def derive_epoch(model: MultilayerNetwork, iteration: int, options: WorkOptions) -> Work:
    """One epoch, or one iteration of a solver of all rows: weights before, its updates, weights after."""
    require_epoch(model, iteration)
    updates = list(updates_of(model, iteration))
    noun = "epoch" if model.solver in ("sgd", "adam") else "iteration"
    steps = [*rate_steps(model, iteration)]
    shown = updates if options.is_full or len(updates) < 3 else [updates[0], updates[-1]]
    for update in shown:
        of_many = f", update {update.number} of {len(updates)}" if len(updates) > 1 else ""
        steps += update_steps(update, f"{noun.capitalize()} {iteration}{of_many}", options, update is updates[-1])
    if model.trace_.by_epoch:
        steps += objective_steps(model, iteration, updates)
    notes = [] if options.is_full else cap_notes(model, WEIGHTS)
    if not model.trace_.by_epoch:
        notes.append("Of a fit to more than 32 rows, the first update of the first epoch alone is kept.")
    elif len(shown) < len(updates):
        notes.append(f"Of the {len(updates)} updates of the epoch the first and the last are derived.")
    return Work(f"{noun.capitalize()} {iteration} of {model.n_iter_} of a multilayer perceptron", steps, notes)


# --- the model ------------------------------------------------------------------------------------------------


def linear_step(model: MultilayerNetwork) -> Step:
    """That linear layers are one layer."""
    one = Equation("W", " @ ".join(f"w__{layer + 1}" for layer in range(model.architecture_.n_layers)))
    note = "Hidden units that do not bend add nothing: `novacula.neural.collapse` multiplies the layers out to one."
    return Step("Linear layers are one", one, note=note)


def parameters_step(model: MultilayerNetwork) -> Step:
    """Weights and biases, layer by layer."""
    architecture, sizes = model.architecture_, model.architecture_.sizes
    names = [*[architecture.activation] * (architecture.n_layers - 1), architecture.output]
    rows = tuple(
        (f"{'hidden ' + str(layer + 1) if layer < architecture.n_layers - 1 else 'outputs'}", b, name, (a + 1) * b)
        for layer, ((a, b), name) in enumerate(zip(pairwise(sizes), names, strict=True))
    )
    free = model.n_parameters_
    count = Equation(
        "p",
        "sum((a[l] + 1) * u[l] for l in _)",
        {"a": sizes[:-1], "u": sizes[1:]},
        of=("architecture_", "n_parameters"),
        where={"a": "inputs of each layer", "u": "units of each layer"},
    )
    return Step(
        "Weights and biases",
        count,
        table=WorkTable(("layer", "units", "function", "weights and biases"), rows, counted(sizes[0], "input")),
        note=f"Since weights are tied or absent, {free} numbers are learned."
        if free < architecture.n_parameters
        else "",
    )


def taught_steps(model: MultilayerNetwork, options: WorkOptions) -> Iterator[Step]:
    """The first update and the last, as far as they were kept; else what one row asks of the weights at the end."""
    trace = model.trace_
    if not len(trace.rows):
        return
    if not len(trace.path.iterations):
        yield from example_steps(model, options)
        return
    first, last = int(trace.path.iterations[0]) + 1, int(trace.path.iterations[-1])
    yield from rate_steps(model, first)
    update = next(updates_of(model, first))
    by_step = trace.by_epoch and trace.batch >= len(trace.rows)
    yield from update_steps(update, "The first update", options, by_step)
    if trace.by_epoch and not (by_step and last == first):
        *_, update = updates_of(model, last)
        yield from update_steps(update, "The last update", options, True, with_row=options.is_full)


def example_steps(model: MultilayerNetwork, options: WorkOptions) -> Iterator[Step]:
    """The kept row that is missed most: forward, its error, backward, the slopes of weights."""
    trace, outcomes, loss = model.trace_, outcomes_of(model), loss_of(model)
    passage = RowPassage.of(model.architecture_, model.weights_, trace.rows)
    targets = trace.wanted(model.n_outputs_)
    i = int(np.abs(passage.outputs[-1] - targets).sum(axis=1).argmax())
    row, target = f"Example {i + 1}", targets[i]
    yield from row_steps(model, passage.row(i), target, row, options.is_full)
    yield from example_slopes(passage.row(i), target, loss, outcomes, row, options.is_full)


def row_steps(model: MultilayerNetwork, passage: RowPassage, target: Floats, row: str, is_full: bool) -> Iterator[Step]:
    """One row: forward, its error, and backward."""
    outcomes, loss = outcomes_of(model), loss_of(model)
    yield from forward_steps(passage, outcomes, row, is_full)
    yield error_step(passage, target, loss, row)
    yield from backward_steps(passage, target, loss, outcomes, row, is_full)


def update_steps(
    update: Update, title: str, options: WorkOptions, ends_epoch: bool, with_row: bool = True
) -> Iterator[Step]:
    """One update: a row of its batch forward and back, what all of them do to weights, and the weights after it."""
    model, outcomes, full = update.model, outcomes_of(update.model), options.is_full
    missed = int(np.abs(update.passage.outputs[-1] - update.targets).sum(axis=1).argmax())
    if with_row:
        row = f"{title}, row {missed + 1}" if len(update.rows) > 1 else f"{title}, its row"
        yield from row_steps(model, update.passage.row(missed), update.targets[missed], row, full)
        if has_prices(model):
            slopes = None if update.slopes is None else update.slopes[missed : missed + 1]
            yield price_step(model, update.theta, update.rows[missed : missed + 1], slopes, row)
    if len(update.rows) > 1 or not with_row:
        more = " The others of the batch are one number in each sum." if len(update.rest) else ""
        note = f"Each row is worked out like row {missed + 1}.{more}" if with_row else f"Worked out as above.{more}"
        yield Step(f"{title}: its batch", table=batch_table(update, full), note=note)
    place = int(np.searchsorted(model.trace_.path.iterations, update.epoch))
    if place == len(model.trace_.path.iterations):
        raise ModelFileError(f"its path ends before epoch {update.epoch}, of which it keeps an update")
    is_single = model.dtype == "float32" and model.solver in ("sgd", "adam")
    is_kept = ends_epoch or not model.trace_.by_epoch

    def tie(parameter: Parameter) -> tuple[str | int, ...]:
        return ("trace_", "path", "states", place, parameter.place) if is_kept and not is_single else ()

    yield from change_steps(update, outcomes, title, full, tie)
    kept = model.trace_.path.states[place, : len(update.theta)]
    made = update.after[0] if model.solver in ("sgd", "adam", "batch") else kept
    note = "" if made is not kept else f"Solver {model.solver!r} makes its step from these slopes and earlier ones."
    table = weights_table(update.theta, made, model.architecture_.sizes, full)
    yield Step(f"{title}: weights and biases", table=table, note=note)
    if is_kept and is_single:
        yield single_precision(model, update, kept, title)


def single_precision(model: MultilayerNetwork, update: Update, kept: Floats, title: str) -> Step:
    """Training rounds: what it made of the update is near what was derived."""
    is_end = update.epoch == model.n_iter_ and model.trace_.by_epoch and not model.early_stopping
    trained = model.weights_.astype(np.float64) if is_end else kept
    near = Equation(
        "max(abs(w[j] - v[j]) for j in _)",
        "r * ε * max(abs(v[j]) for j in _)",
        {"w": update.after[0], "v": trained, "ε": DIGITS_OF_SINGLE, "r": update.number},
        sign="≤",
        where={
            "w": "weights and biases as derived",
            "v": "as trained, in single precision",
            "ε": "2 to the power −21",
            "r": "updates of the epoch so far",
        },
    )
    return Step(f"{title}: training rounds to single precision", near)


def rate_steps(model: MultilayerNetwork, epoch: int) -> Iterator[Step]:
    """The rate of an epoch, where rates are set."""
    if model.eta_ is None:
        return
    equations = [rate_equation(model)]
    span, power = SCHEDULES[model.schedule]
    if power:
        values = {"η": model.eta_, "e": epoch, "h": span, "q": power}
        where = {"e": "the number of the epoch", "h": "how fast rates fall", "q": "and how"}
        equations.append(Equation("η_e", "η / (1 + (e - 1) / h) ** q", values, where=where))
    if model.target_scale_ != 1.0:
        rule = "η * s" if model.solver == "adam" else "η / s ** 2"
        where = {"s": "the unit of the targets, near their spread"}
        equations.append(Equation("η_out" if model.solver == "adam" else "η_hidden", rule, where=where))
    yield Step("The rate", tuple(equations))


def rate_equation(model: MultilayerNetwork) -> Equation:
    """η as it was stated, or as "auto" finds it."""
    from novacula.neural.training.settings import BATCH, RATES

    of = ("eta_",)
    if not isinstance(model.eta0, str):
        return Equation("η", "η_0", {"η_0": model.eta0}, of, {"η_0": "the rate that was stated"})
    numbers = model.solver == "sgd" and model.architecture_.output == "linear"
    values = {"c": RATES["sgd on numbers" if numbers else model.solver], "B_0": model.trace_.batch, "N": BATCH}
    where = {"B_0": "rows of a batch", "N": "rows for which the rate is meant", "c": "the rate for them"}
    return Equation("η", "c * sqrt(min(B_0, N) / N)", values, of, where)


def objective_steps(model: MultilayerNetwork, epoch: int, updates: list[Update]) -> Iterator[Step]:
    """The objective that an epoch came to: of each row as it was shown; of other solvers, before and after."""
    trace = model.trace_
    place = int(np.searchsorted(trace.path.iterations, epoch))
    after = trace.path.states[place, : model.architecture_.n_parameters]
    if model.solver in ("sgd", "adam"):
        losses = np.concatenate([u.passage.losses(u.targets, loss_of(model)) for u in updates])
        losses += np.concatenate([row_prices(model, u.theta, u.rows, u.slopes) for u in updates])
        shares = np.concatenate([u.shares for u in updates])
        yield objective_step(model, losses, shares, after, f"The loss of epoch {epoch}", ("history_", epoch - 1))
        return
    ends = []
    for number, title in ((epoch - 1, "before"), (epoch, "after")):
        theta = trace.path.at(number, (len(after),))
        k = model.n_outputs_
        losses = RowPassage.of(model.architecture_, theta, trace.rows).losses(trace.wanted(k), loss_of(model))
        losses += row_prices(model, theta, trace.rows, trace.slopes(k))
        step = objective_step(model, losses, trace.shares, theta, f"The objective {title}", ("history_", number))
        ends.append(step.equations[0].value)
        yield step
    yield Step("It falls", Equation("f_after", "f_before", {"f_after": ends[1], "f_before": ends[0]}, sign="≤"))


def objective_step(
    model: MultilayerNetwork, losses: Floats, shares: Floats, theta: Floats, title: str, of: tuple[str | int, ...]
) -> Step:
    """The mean loss with the price of weights, which is kept at `of`; up to rounding where training is single."""
    values: dict[str, Any] = {"E": losses}
    with_prices = " with the prices of their derivatives" if has_prices(model) else ""
    where = {"f": "the objective", "E": f"errors of the rows{with_prices}"}
    if (shares == 1.0).all():
        right, values["M"], where["M"] = "sum(E[n] for n in _) / M", len(losses), "rows"
    else:
        right, values["s"], where["s"] = "sum(s[n] * E[n] for n in _) / sum(s[n] for n in _)", shares, SHARES
    if model.weight_decay:
        right += " + γ * sum(w[j] ** 2 for j in _)"
        values |= {"γ": model.weight_decay, "w": theta[model.architecture_.is_weight]}
        where["γ"] = "price of large weights"
    is_single = model.dtype == "float32" and model.solver in ("sgd", "adam")
    exact = Equation("f", right, values, () if is_single else of, where)
    if not is_single:
        return Step(title, exact)
    kept: Any = model
    for key in of:
        kept = getattr(kept, key) if isinstance(key, str) else kept[key]
    near = Equation("abs(f - f̃)", "16 * ε * f", {"f": exact.value, "f̃": kept, "ε": DIGITS_OF_SINGLE}, sign="≤")
    return Step(title, (exact, near), note="⟦f̃⟧ is what training in single precision came to.")


def training_steps(model: MultilayerNetwork) -> Iterator[Step]:
    """The objective at the end, of the best start if there were several, and the way to it."""
    if len(model.starts_) > 1:
        rows = [(i + 1, s.loss, s.n_iter, s.sentence) for i, s in enumerate(model.starts_)]
        table = cut_table(("start ⟦i⟧", "objective ⟦f[i]⟧", "epochs", "how it ended"), rows, len(rows), most=STARTS)
        best = Equation("f", "min(f[i] for i in _)", {"f[i]": [s.loss for s in model.starts_]}, of=("loss_",))
        yield Step("The objective of the best start", best, table=table)
    elif model.starts_:
        yield Step("How it ended", note=f"{model.starts_[0].sentence} The objective is ⟦{model.loss_!r}⟧.")
    if len(model.learning_curve_.train) > 1:
        yield Step("The learning curve", figure=learning_figure(model))


def learning_figure(model: MultilayerNetwork) -> Figure:
    """Training loss, and that of rows held out, by epoch."""
    curve = model.learning_curve_
    lines = {"training": curve.train}
    n = len(curve.train)
    if len(curve.validation):
        n = min(n, len(curve.validation))
        lines = {"training": curve.train[:n], "held out": curve.validation[:n]}
    ends = "; ".join(f"{name} from {line[0]:.4g} to {line[-1]:.4g}" for name, line in lines.items())
    return curve_figure(
        np.arange(n), lines, title="Loss by epoch", xlabel="epoch", ylabel="loss", alt=f"Loss by epoch: {ends}."
    )


# --- names ----------------------------------------------------------------------------------------------------


def outcomes_of(model: MultilayerNetwork) -> tuple[str, ...]:
    """What the outputs are called: the class, of two the second, the label, or the target."""
    k = model.architecture_.sizes[-1]
    classes: Any = getattr(model, "classes_", None)
    if classes is None:
        return ("ŷ",) if k == 1 else tuple(f"ŷ{i + 1}" for i in range(k))
    return tuple(str(name) for name in (classes[1:] if k == 1 else classes))


def output_place(model: MultilayerNetwork, i: int, k: int) -> tuple[str | int, ...]:
    """Where the model says output k of row i."""
    if hasattr(model, "classes_"):
        return ("predict_proba", i, k if model.architecture_.sizes[-1] > 1 else 1)
    return ("predict", i) if model.flat_ else ("predict", i, k)


def class_step(model: Any, i: int, outputs: Floats) -> Step:
    """The class that is predicted."""
    values = np.append(1.0 - outputs, outputs) if len(outputs) == 1 else outputs
    shares = dict(zip(map(str, model.classes_), values, strict=True))
    found = Equation("ŷ", "argmax(P(c | x) for c in _)", {"P(c | x)": shares}, of=("predict", i), therefore=True)
    return Step(f"Row {i + 1}, its class", found)


def cap_notes(model: MultilayerNetwork, weights: int = 0) -> list[str]:
    """What is left out."""
    notes = []
    if max(model.architecture_.sizes[1:]) > UNITS:
        notes.append(f"Of each layer the first {UNITS} units are derived; the others are alike.")
    if weights:
        notes.append(f"Of each layer the changes of {weights} weights and a bias are derived, those that move most.")
    return notes
