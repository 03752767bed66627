"""What a multilayer perceptron says over one or two columns, on the rows that were kept or on others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from novacula.learner.figure import Figure
from novacula.neural.derivation.built import is_boolean, truth_rows
from novacula.neural.derivation.landscape import Landscape
from novacula.neural.network import forward
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.neural.multilayer import MultilayerNetwork

FAR = 2.0
"""How many times farther than usual a unit may bend to be in a picture."""


def landscape_figure(model: MultilayerNetwork, outcomes: tuple[str, ...], rows: Floats | None = None) -> Figure:
    """The outputs over one or two columns, with rows, or with the examples that were kept."""
    columns, targets = tuple(model.schema_.column_names()), None
    classes = hasattr(model, "classes_") and not model.multilabel_
    if classes:
        outcomes = tuple(map(str, model.classes_))
    if rows is None and hasattr(model, "trace_"):
        rows, targets = model.trace_.rows, model.trace_.wanted(model.n_outputs_)
        if classes:
            targets = targets.argmax(axis=1) if targets.shape[1] > 1 else targets[:, 0].astype(int)
    elif rows is None and is_boolean(model):
        rows = truth_rows(len(columns))
        targets = outputs_at(model, rows, classes).argmax(axis=1)
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
    middle = model.trace_.rows.mean(axis=0) if hasattr(model, "trace_") else np.full(len(W), 0.5)
    lengths = np.maximum((W**2).sum(axis=0), np.finfo(np.float64).tiny)
    way = -((middle @ W + b) / lengths) * W  # from the middle of the examples to where each unit bends (d, units)
    far = np.linalg.norm(way, axis=0)
    reached = float(np.median(far)) * FAR
    points = middle + way[:, far <= reached].T
    span = max(float(np.ptp(points, axis=0).max()), reached / FAR, np.finfo(np.float64).tiny)
    centre = (points.min(axis=0) + points.max(axis=0)) / 2.0
    return np.array([centre - span, centre + span])
