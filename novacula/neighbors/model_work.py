"""The work of a model of neighbours: what it keeps, on which scale, and how well the rows speak for each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import gammaln

from novacula.learner.figure import Figure, curve_figure
from novacula.learner.worded_step import WordedStep as Step
from novacula.learner.work import Work, WorkTable
from novacula.neighbors.figures import density_figure, means_figure, regions_figure
from novacula.neighbors.metric import MIXED
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.neighbors.base import NeighborsLearner
    from novacula.neighbors.k_neighbors_classifier import KNeighborsClassifier
    from novacula.neighbors.k_neighbors_density import KNeighborsDensity
    from novacula.neighbors.k_neighbors_regressor import KNeighborsRegressor

CURVE = 30
"""The largest k of the curve of errors, where k was given."""
LEFT_OUT = 5000
"""Rows up to which they are left out one by one for the sake of a derivation."""
SHOWN = 12
"""Columns, classes or targets that are written out."""


def derive_classifier(model: KNeighborsClassifier) -> Work:
    """What is kept, the classes' rows, the leave-one-out error over k, and the regions of the plane."""
    counts = np.bincount(model.examples_["target"], minlength=len(model.classes_))
    names = {f"n_{t + 1}": float(count) for t, count in enumerate(counts[:SHOWN])}
    labels = {f"n_{t + 1}": f"rows of class {model.classes_[t]}" for t in range(len(names))}
    if len(counts) > SHOWN:
        names["rest"] = float(counts[SHOWN:].sum())
    rows = Step("Rows", "n = Σ n_t", " + ".join(names), names, of=("n_samples_fit_",), labels=labels)
    steps = [_kept(model), rows, *_scale_steps(model)]
    if (errors := _errors(model)) is not None:
        k = model.n_neighbors_
        weight = model._total
        steps.append(
            Step(
                f"Leave-one-out accuracy for k = {k}",
                formula="1 − weight of the rows that the others classify wrong / weight of all",
                expression="1 - wrong / N",
                values={"wrong": float(errors[k - 1, 0] * weight), "N": weight},
                of=("loo_score_",),
                figure=_error_figure(errors.mean(axis=1), "share of rows classified wrong"),
            )
        )
    return Work("k nearest neighbours", [*steps, *_picture(regions_figure(model))], _notes(model))


def derive_regressor(model: KNeighborsRegressor) -> Work:
    """What is kept, the leave-one-out error over k, and the prediction over one or two columns."""
    targets, weight = model._targets, model.examples_["weight"]
    mean = np.average(targets, axis=0, weights=weight)
    spread = np.average((targets - mean) ** 2, axis=0, weights=weight)
    steps = [_kept(model), _row_count(model), *_scale_steps(model)]
    errors = _errors(model)
    if errors is not None and (spread > 0.0).all():
        k, t = model.n_neighbors_, min(targets.shape[1], SHOWN)
        values = {f"e_{j + 1}": float(errors[k - 1, j]) for j in range(t)}
        values |= {f"v_{j + 1}": float(spread[j]) for j in range(t)}
        terms = [f"(1 - e_{j + 1} / v_{j + 1})" for j in range(t)]
        whole = t == targets.shape[1]
        steps.append(
            Step(
                f"R² of rows that are left out, for k = {k}",
                formula="1 − mean squared error / variance" + (", the mean over targets" if t > 1 else ""),
                expression="1 - e_1 / v_1" if t == 1 else f"({' + '.join(terms)}) / {t}",
                values=values,
                of=("loo_score_",) if whole else (),
                figure=_error_figure(errors.mean(axis=1), "mean squared error"),
                note="" if whole else f"The first {t} of {targets.shape[1]} targets.",
            )
        )
    return Work("k nearest neighbours, regression", [*steps, *_picture(means_figure(model))], _notes(model))


def derive_density(model: KNeighborsDensity) -> Work:
    """What is kept, the volume of the ball, the likelihood of rows left out over k, and the density itself."""
    d, p = model._dimension, model._power
    share = 0.0 if p == np.inf else 1.0 / p
    unit = model.scaling_.unit
    volume = Step(
        "The unit ball",
        formula="ln V = d · (ln 2 + ln Γ(1 + 1/p)) − ln Γ(1 + d/p) + Σ ln unit",
        expression="d * (log(2) + G_1) - G_d + units",
        values={
            "d": d,
            "G_1": float(gammaln(1.0 + share)),
            "G_d": float(gammaln(1.0 + d * share)),
            "units": float(np.log(unit[np.isfinite(unit)]).sum()),
        },
        of=("log_volume_",),
        labels={"G_1": f"ln Γ(1 + 1/p), p = {p:g}", "G_d": "ln Γ(1 + d/p)", "units": "the logarithms of the scales"},
    )
    steps = [_kept(model), _row_count(model), *_scale_steps(model), volume]
    errors = _errors(model)
    if errors is not None and np.isfinite(errors).any():
        curve = errors.mean(axis=1)
        figure = _error_figure(curve, "mean of −ln p̂ + ln k − ψ(k)")
        steps.append(Step("Rows left out: the likelier the better", figure=figure))
    return Work("Nearest-neighbour density", [*steps, *_picture(density_figure(model))], _notes(model))


def _kept(model: NeighborsLearner) -> Step:
    """What the model consists of."""
    p = f", p = {model._power:g}" if model.metric == "minkowski" else ""
    facts = (
        ("rows", model.n_samples_fit_),
        ("their weight", model._total),
        ("columns", len(model.schema_.features)),
        ("k", model.n_neighbors_),
        ("distance", f"{model.metric}{p}"),
        ("scale", "range" if model.metric == MIXED else model.scale or "as it is"),
        ("found by", model._indexed().algorithm),
    )
    return Step("What is kept: every row", table=WorkTable(("what", "value"), facts))


def _row_count(model: NeighborsLearner) -> Step:
    """The rows that count and those that do not."""
    weight = model.examples_["weight"]
    counted = float((weight > 0.0).sum())
    return Step(
        "Rows",
        formula="n = rows that weigh something + rows that do not",
        expression="n_w + n_0",
        values={"n_w": counted, "n_0": len(weight) - counted},
        of=("n_samples_fit_",),
    )


def _scale_steps(model: NeighborsLearner) -> list[Step]:
    """Offset and unit of the first columns, where there is a scale."""
    if model.scale is None and model.metric != MIXED:
        return []
    columns = model.schema_.of_kind("numeric")[:SHOWN]
    offset, unit = model.scaling_.offset, model.scaling_.unit
    rows = tuple(
        (column.name, float(offset[j]), float(unit[j]) if np.isfinite(unit[j]) else "left out")
        for j, column in enumerate(columns)
    )
    caption = f"The first {SHOWN} of {len(unit)} columns." if len(unit) > SHOWN else ""
    return [Step("One scale: z = (x − offset) / unit", table=WorkTable(("column", "offset", "unit"), rows, caption))]


def _errors(model: NeighborsLearner) -> Floats | None:
    """The loss of rows left out for k = 1, 2, … and each target, if there are few enough rows; None if not."""
    largest, k = int(model._total - 1.0 + 1e-9), model.n_neighbors_
    if model.n_samples_fit_ > LEFT_OUT or not k <= min(largest, LEFT_OUT):
        return None
    return model._left_out(range(1, min(largest, max(CURVE, k)) + 1))


def _error_figure(errors: Floats, label: str) -> Figure:
    ks = np.arange(1, len(errors) + 1)
    drawn = np.isfinite(errors)
    return curve_figure(
        ks[drawn], {label: errors[drawn]}, title="Leaving one out, for each k", xlabel="k", ylabel=label
    )


def _picture(figure: Figure | None) -> list[Step]:
    return [] if figure is None else [Step("The picture", figure=figure)]


def _notes(model: NeighborsLearner) -> list[str]:
    notes = ["k counts weight: a row of weight 2 takes two places."] if (model.examples_["weight"] != 1.0).any() else []
    if model.n_samples_fit_ > LEFT_OUT:
        notes.append(f"With more than {LEFT_OUT} rows none are left out here; loo_score_ does it.")
    return notes
