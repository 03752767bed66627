"""What the work of a multilayer perceptron holds: of the model and of its predictions."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.learner.figure import Figure, curve_figure
from novacula.learner.worded_step import WordedStep as Step
from novacula.learner.work import Work, WorkTable
from novacula.neural.derivation.drawing import network_figure
from novacula.neural.derivation.example import (
    UNITS,
    WEIGHTS,
    Example,
    backward_steps,
    change_steps,
    error_step,
    forward_steps,
)
from novacula.neural.derivation.landscape import Landscape
from novacula.neural.network import forward
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.neural.multilayer import MultilayerNetwork

ROWS = 2
"""Rows whose predictions are derived."""
FAR = 2.0
"""How many times farther than usual a unit may bend to be in a picture."""
STARTS = 10
"""Starts that are listed."""


def derive_network(model: MultilayerNetwork) -> Work:
    """The network drawn, its first example forward and back, the learning curve, and what it says of two inputs."""
    sizes, outcomes = model.architecture_.sizes, outcomes_of(model)
    steps = [parameters_step(model)]
    drawing = network_figure(model, columns_of(model), outcomes)
    steps.append(Step("The network", figure=drawing))
    if hasattr(model, "examples_") and len(model.examples_.rows):
        steps += example_steps(model, outcomes)
    if hasattr(model, "learning_curve_"):
        steps += training_steps(model)
    if sizes[0] <= 2:
        steps.append(Step("What the network says", figure=landscape_figure(model)))
    return Work(f"Multilayer perceptron of {' – '.join(map(str, sizes))} units", steps, cap_notes(model, WEIGHTS))


def derive_predictions(model: MultilayerNetwork, rows: Floats, cut: bool) -> Work:
    """The outputs for the first of rows (n, d), unit by unit; `cut`: there were more rows."""
    outcomes, steps = outcomes_of(model), list[Step]()
    for i in range(min(ROWS, len(rows))):
        places = {k: output_place(model, i, k) for k in range(model.architecture_.sizes[-1])}
        steps += forward_steps(Example.of(model, rows[i]), outcomes, f"Row {i + 1}", places)
    if model.architecture_.sizes[0] <= 2:
        steps.append(Step("The rows on what the network says", figure=landscape_figure(model, rows)))
    notes = cap_notes(model)
    if cut or len(rows) > ROWS:
        notes.append(f"Only the first {ROWS} rows are derived.")
    return Work("Forward through a multilayer perceptron", steps, notes)


# --- the model ------------------------------------------------------------------------------------------------


def parameters_step(model: MultilayerNetwork) -> Step:
    """Weights and biases, layer by layer."""
    architecture, sizes = model.architecture_, model.architecture_.sizes
    names = [*[architecture.activation] * (architecture.n_layers - 1), architecture.output]
    rows = tuple(
        (f"{'hidden ' + str(layer + 1) if layer < architecture.n_layers - 1 else 'outputs'}", b, name, (a + 1) * b)
        for layer, ((a, b), name) in enumerate(zip(pairwise(sizes), names, strict=True))
    )
    values = {f"n_{i}": float(size) for i, size in enumerate(sizes)}
    terms = [f"(n_{i} + 1) * n_{i + 1}" for i in range(architecture.n_layers)]
    free = model.n_parameters_
    tied = f"Since weights are tied or absent, {free} numbers are learned." if free < architecture.n_parameters else ""
    return Step(
        "Weights and biases",
        "Σ (inputs + 1)·units, over the layers",
        " + ".join(terms),
        values,
        of=("architecture_", "n_parameters"),
        table=WorkTable(("layer", "units", "function", "weights and biases"), rows, f"{sizes[0]} inputs"),
        note=tied,
    )


def example_steps(model: MultilayerNetwork, outcomes: tuple[str, ...]) -> Iterator[Step]:
    """The kept example that is missed most: forward, its error, backward, changes of weights."""
    examples, loss = model.examples_, loss_of(model)
    pairs = zip(examples.rows, examples.targets, strict=True)
    missed = [np.abs(Example.of(model, x).outputs[-1] - t).sum() for x, t in pairs]
    i = int(np.argmax(missed))
    example, target, row = Example.of(model, examples.rows[i]), examples.targets[i], f"Example {i + 1}"
    yield from forward_steps(example, outcomes, row, {})
    yield error_step(example, target, loss, row)
    yield from backward_steps(example, target, loss, outcomes, row)
    yield from change_steps(example, example.deltas(target, loss), rate_of(model), outcomes, row)


def training_steps(model: MultilayerNetwork) -> Iterator[Step]:
    """The objective at the end, of the best start if there were several, and the way to it."""
    rows = tuple((i + 1, s.loss, s.n_iter, s.sentence) for i, s in enumerate(model.starts_[:STARTS]))
    more = f"The first {STARTS} of {len(model.starts_)} starts" if len(model.starts_) > STARTS else "Starts"
    yield Step(
        "The objective at the end" + (", of the best start" if len(model.starts_) > 1 else ""),
        formula="mean loss + penalties",
        result=model.loss_,
        of=("loss_",),
        table=WorkTable(("start", "objective", "epochs", "how it ended"), rows, more) if rows else None,
    )
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


# --- what the network says of one or two inputs ------------------------------------------------------------------


def landscape_figure(model: MultilayerNetwork, rows: Floats | None = None) -> Figure:
    """The outputs over one or two columns, with rows, or with the examples that were kept."""
    columns, outcomes, targets = columns_of(model), outcomes_of(model), None
    classes = hasattr(model, "classes_") and not model.multilabel_
    if classes:
        outcomes = tuple(map(str, model.classes_))
    if rows is None and hasattr(model, "examples_"):
        rows, targets = model.examples_.rows, model.examples_.targets
        if classes:
            targets = targets.argmax(axis=1) if targets.shape[1] > 1 else targets[:, 0].astype(int)
    land = Landscape(
        outputs=lambda x: outputs_at(model, x, classes),
        names=columns,
        outcomes=outcomes,
        classes=classes,
        points=reach(model) if rows is None else np.vstack([reach(model), rows]),
        rows=rows,
        targets=targets,
    )
    what = "Regions of the classes" if classes and len(columns) == 2 else "Outputs"
    return land.figure(f"{what} over {' and '.join(columns)}", f"{what} of the network over {' and '.join(columns)}.")


def outputs_at(model: MultilayerNetwork, x: Floats, classes: bool) -> Floats:
    """The outputs for rows (n, d); of two classes both."""
    found = forward(model.architecture_, model.weights_.astype(np.float64), x)[-1]
    return np.asarray(np.hstack([1.0 - found, found]) if classes and found.shape[1] == 1 else found)


def reach(model: MultilayerNetwork) -> Floats:
    """The corners of the box in which the rows of the fit lay or, where that is not known, of the bends (2, d).

    A unit of the first layer bends where its net input is 0. Training puts these places where the rows are; those that
    are far from the others are left out.
    """
    ranges = np.array([(column.low, column.high) for column in model.schema_.features], np.float64).T
    if np.isfinite(ranges).all():
        return ranges
    W, b = np.asarray(model.coefs_[0], np.float64), np.asarray(model.intercepts_[0], np.float64)
    middle = model.examples_.rows.mean(axis=0) if hasattr(model, "examples_") else np.full(len(W), 0.5)
    lengths = np.maximum((W**2).sum(axis=0), np.finfo(np.float64).tiny)
    way = -((middle @ W + b) / lengths) * W  # from the middle of the examples to where each unit bends (d, units)
    far = np.linalg.norm(way, axis=0)
    reached = float(np.median(far)) * FAR
    points = middle + way[:, far <= reached].T
    span = max(float(np.ptp(points, axis=0).max()), reached / FAR, np.finfo(np.float64).tiny)
    centre = (points.min(axis=0) + points.max(axis=0)) / 2.0
    return np.array([centre - span, centre + span])


# --- names ----------------------------------------------------------------------------------------------------


def columns_of(model: MultilayerNetwork) -> tuple[str, ...]:
    """The names of the inputs."""
    return tuple(model.schema_.column_names())


def outcomes_of(model: MultilayerNetwork) -> tuple[str, ...]:
    """What the outputs are called: the class, of two the second, the label, or the target."""
    k = model.architecture_.sizes[-1]
    classes: Any = getattr(model, "classes_", None)
    if classes is None:
        return ("ŷ",) if k == 1 else tuple(f"ŷ{i + 1}" for i in range(k))
    return tuple(str(name) for name in (classes[1:] if k == 1 else classes))


def loss_of(model: MultilayerNetwork) -> str:
    """The loss that "auto" stands for."""
    if model.loss != "auto":
        return model.loss
    return "squared" if model.architecture_.output == "linear" else "cross_entropy"


def rate_of(model: MultilayerNetwork) -> float | None:
    """The rate η, where a step is η times the gradient, the same for all layers."""
    return model.eta_ if model.solver == "sgd" and model.target_scale_ == 1.0 else None


def output_place(model: MultilayerNetwork, i: int, k: int) -> tuple[str | int, ...]:
    """Where the model says output k of row i."""
    if hasattr(model, "classes_"):
        return ("predict_proba", i, k if model.architecture_.sizes[-1] > 1 else 1)
    return ("predict", i) if model.flat_ else ("predict", i, k)


def cap_notes(model: MultilayerNetwork, weights: int = 0) -> list[str]:
    """What is left out."""
    notes = []
    if max(model.architecture_.sizes[1:]) > UNITS:
        notes.append(f"Of each layer the first {UNITS} units are derived; the others are alike.")
    if weights:
        notes.append(f"Of each layer the weights that the example moves most are derived, {weights} at most.")
    return notes
