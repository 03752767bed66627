"""The work of a model of neighbours: what it keeps, on which scale, and how well the rows speak for each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import polygamma

from novacula.learner.derivation import SHOWN, cut_table, heaviest, only_first
from novacula.learner.figure import Figure, curve_figure
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Step, Work, WorkTable
from novacula.mathematics import Equation
from novacula.neighbors.figures import density_figure, means_figure, regions_figure
from novacula.neighbors.metric import MIXED, power
from novacula.neighbors.places import LeftOutRows
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.neighbors.base import NeighborsLearner
    from novacula.neighbors.figures import Answers, AnswersOf
    from novacula.neighbors.k_neighbors_classifier import KNeighborsClassifier
    from novacula.neighbors.k_neighbors_density import KNeighborsDensity
    from novacula.neighbors.k_neighbors_regressor import KNeighborsRegressor


def derive_classifier(model: KNeighborsClassifier, left_out: LeftOutRows | None, ask: Answers, of: WorkOptions) -> Work:
    """What is kept, the classes' rows, the leave-one-out error over k, and the regions of the plane."""
    labels = [str(label) for label in model.classes_]
    code, weight = model.examples_["target"], model.examples_["weight"]
    counts = np.bincount(code, minlength=len(labels))
    rows = Equation(
        "n",
        "sum(n[t] for t in classes)",
        {"n[t]": dict(zip(labels, counts.tolist(), strict=True))},
        of=("n_samples_fit_",),
        where={"n[t]": "rows of a class"},
    )
    steps = [_kept_step(model), Step("Rows", rows), *_scale_steps(model, of), *_choice_steps(model)]
    if left_out is not None:
        right = np.bincount(code, np.where(left_out.answers == code, weight, 0.0), len(labels))
        all_rows = np.bincount(code, weight, len(labels))
        accuracy = Equation(
            "A",
            "sum(c[t] for t in classes) / sum(N[t] for t in classes)",
            {"c[t]": dict(zip(labels, right, strict=True)), "N[t]": dict(zip(labels, all_rows, strict=True))},
            of=("loo_score",),
            where={"c[t]": "rows of a class that the others classify right", "N[t]": "rows of a class, by weight"},
        )
        figure = _error_figure(left_out.loss.mean(axis=1), "share of rows classified wrong")
        steps.append(Step(f"Leave-one-out accuracy for k = {model.n_neighbors_}", accuracy, figure=figure))
    return Work("k nearest neighbours", [*steps, *_picture(regions_figure(model, ask))], _notes(model))


def derive_regressor(model: KNeighborsRegressor, left_out: LeftOutRows | None, ask: Answers, of: WorkOptions) -> Work:
    """What is kept, the leave-one-out error over k, and the prediction over one or two columns."""
    weight = model.examples_["weight"]
    targets = model.examples_["target"].reshape(len(weight), -1)
    steps = [_kept_step(model), _count_step(model), *_scale_steps(model, of), *_choice_steps(model)]
    varies = (np.ptp(targets[weight > 0.0], axis=0) > 0.0).all()
    if left_out is not None and varies:
        figure = _error_figure(left_out.loss.mean(axis=1), "mean squared error")
        equations, scores = list[Equation](), list[float]()
        for t in range(targets.shape[1]):
            mean, score = _r_squared(
                targets[:, t], np.asarray(left_out.answers[:, t], float), weight, t, targets.shape[1]
            )
            equations += [mean, score] if of.is_full or t < SHOWN else []
            scores.append(float(score.value))
        if len(scores) > 1:
            value = {"R[t]**2": scores, "k": len(scores)}
            equations.append(Equation("R**2", "sum(R[t]**2 for t in range(k)) / k", value, of=("loo_score",)))
        note = " ".join(only_first(SHOWN, len(scores), "target")) if not of.is_full else ""
        title = f"⟦R**2⟧ of rows that are left out, for k = {model.n_neighbors_}"
        steps.append(Step(title, tuple(equations), figure=figure, note=note))
    picture = _picture(means_figure(model, ask))
    return Work("k nearest neighbours, regression", [*steps, *picture], _notes(model))


def _r_squared(y: Floats, said: Floats, weight: Floats, t: int, n_targets: int) -> tuple[Equation, Equation]:
    """The mean of a target, and 1 less the squared errors over the squared deviations."""
    place = f"[{t + 1}]" if n_targets > 1 else ""
    plain = bool((weight == 1.0).all())
    w, v, held = ("", "", {}) if plain else ("w[i] * ", "w[j] * ", {"w": weight})
    first, rest = heaviest(weight * y)
    middle = Equation(
        f"ȳ{place}",
        f"sum({w}y[i] for i in _) / N",
        {"y": y[first], "N": float(weight.sum()), **{name: values[first] for name, values in held.items()}},
        rest=rest,
        where={"y": "the target of each row", "N": "the weight of all rows"},
    )
    mean = float(np.average(y, weights=weight))
    errors, deviations = weight * (y - said) ** 2, weight * (y - mean) ** 2
    shown, more = heaviest(errors + deviations)
    others = np.delete(np.arange(len(y)), shown)
    known = {name: values[shown] for name, values in {"y": y, "ŷ": said, **held}.items()}
    score = Equation(
        f"R{place}**2",
        f"1 - sum({w}(y[i] - ŷ[i])**2 for i in _) / sum({v}(y[j] - ȳ{place})**2 for j in _)",
        {**known, f"ȳ{place}": mean},
        of=("loo_score",) if n_targets == 1 else (),
        where={"ŷ": "what the other rows say"} | ({} if plain else {"w": "the weight of each row"}),
        rest={"i": float(errors[others].sum()), "j": float(deviations[others].sum())} if more else {},
    )
    return middle, score


def derive_density(
    model: KNeighborsDensity, left_out: LeftOutRows | None, few: int, ask: AnswersOf, of: WorkOptions
) -> Work:
    """What is kept, the volume of the ball, the squared error at rows left out over k, and the density for three k."""
    unit, p = model.scaling_.unit, power(model.metric, model.p)
    unit = unit[np.isfinite(unit)]
    ball = "d * log(2)" if p == np.inf else "d * (log(2) + lgamma(1 + 1 / p)) - lgamma(1 + d / p)"
    values: dict[str, Any] = {"d": len(unit), **({} if p == np.inf else {"p": p})}
    where = {"d": "columns", **({} if p == np.inf else {"p": "the power of the distance"})}
    if model.scale is not None:
        ball, values["u"], where["u"] = f"{ball} + sum(log(u[j]) for j in _)", unit, "the unit of each column"
    volume = Equation("log(V)", ball, values, of=("log_volume_",), where=where)
    steps = [_kept_step(model), _count_step(model), *_scale_steps(model, of), Step("The unit ball", volume)]
    steps += _choice_steps(model)
    if left_out is not None and np.isfinite(left_out.loss[model.n_neighbors_ - 1]).all():
        error = _squared_error(model, np.asarray(left_out.answers, float), few)
        figure = _error_figure(left_out.loss[:, 0], "squared error of ln p̂")
        known = "Where the density is even, ⟦a[i]⟧ has the variance ⟦ψ′(k)⟧, about 1/k, and its gap to ⟦b[i]⟧ that of "
        beyond = "⟦b[i]⟧ less that; what the gaps have beyond it is the bias of ⟦a[i]⟧, squared."
        less = "⟦a[i]⟧ less ⟦ψ′(j)⟧, which is that of ⟦b[i]⟧: the gaps lack this much of the variance of ⟦a[i]⟧."
        note = known + (beyond if model.n_neighbors_ >= few else less)
        steps.append(Step(f"Squared error at rows left out, for k = {model.n_neighbors_}", error, None, figure, note))
    return Work("Nearest-neighbour density", [*steps, *_picture(density_figure(model, ask))], _notes(model))


def _squared_error(model: KNeighborsDensity, said: Floats, few: int) -> Equation:
    """The squared error of ln p̂: its gaps to what few neighbours say, and what is known of the variances of both."""
    k, weight = model.n_neighbors_, model.examples_["weight"]
    shown, rest = heaviest(weight * (said[:, 0] - said[:, 1]) ** 2)
    (a, b), plain = said[shown].T, bool((weight == 1.0).all())
    values = {"a": a, "b": b, "N": float(weight.sum()), "ψ′(j)": polygamma(1, few)}
    values |= ({"ψ′(k)": polygamma(1, k)} if k >= few else {}) | ({} if plain else {"w": weight[shown]})
    variances = "2 * ψ′(k) - ψ′(j)" if k >= few else "ψ′(j)"
    compared = {1: ", which has more variance and less bias", 0: ", as many", -1: ", which has less variance"}
    return Equation(
        "E(k)",
        f"sum({'' if plain else 'w[i] * '}(a[i] - b[i])**2 for i in _) / N + {variances}",
        values,
        of=("loo_error_", k - 1) if isinstance(model.n_neighbors, str) else (),
        where={
            "a[i]": "⟦log(p̂(x[i])) - log(k) + ψ(k)⟧ from the other rows, which is ⟦log(p(x[i]))⟧ on average",
            "b[i]": f"the same from ⟦j⟧ = {few} neighbours{compared[int(np.sign(k - few))]}",
            "N": "the weight of all rows",
        },
        rest=rest,
    )


# --- what all have -------------------------------------------------------------------------------------------


def _kept_step(model: NeighborsLearner) -> Step:
    """What the model consists of."""
    p = f", p = {model.p:g}" if model.metric == "minkowski" else ""
    facts = (
        ("rows", model.n_samples_fit_),
        ("their weight", float(model.examples_["weight"].sum())),
        ("columns", len(model.schema_.features)),
        ("k", model.n_neighbors_),
        ("distance", f"{model.metric}{p}"),
        ("scale", "range" if model.metric == MIXED else model.scale or "as it is"),
    )
    return Step("What is kept: every row", table=WorkTable(("what", "value"), facts))


def _count_step(model: NeighborsLearner) -> Step:
    """The rows that count and those that do not."""
    weight = model.examples_["weight"]
    counted = int((weight > 0.0).sum())
    values, meanings = {"n_w": counted, "n_0": len(weight) - counted}, ("rows that weigh something", "rows that do not")
    of = ("n_samples_fit_",)
    where = dict(zip(values, meanings, strict=True))
    return Step("Rows", Equation("n", "n_w + n_0", values, of, where))


def _scale_steps(model: NeighborsLearner, of: WorkOptions) -> list[Step]:
    """Offset and unit of the columns, where there is a scale."""
    if model.scale is None and model.metric != MIXED:
        return []
    columns, offset, unit = model.schema_.of_kind("numeric"), model.scaling_.offset, model.scaling_.unit
    rows = (
        (column.name, float(offset[j]), float(unit[j]) if np.isfinite(unit[j]) else "left out")
        for j, column in enumerate(columns)
    )
    header = ("column", "offset ⟦o[j]⟧", "unit ⟦u[j]⟧")
    table = cut_table(header, rows, len(columns), most=len(columns) if of.is_full else SHOWN)
    return [Step("One scale", Equation("z[j]", "(x[j] - o[j]) / u[j]"), table)]


def _choice_steps(model: NeighborsLearner) -> list[Step]:
    """The k with the least error of rows that are left out, where it was chosen so."""
    if not isinstance(model.n_neighbors, str):
        return []
    best = Equation(
        "k",
        "argmin(E[k] for k in _)",
        {"E": model.loo_error_},
        of=("n_neighbors_",),
        where={"E": "the loss of rows that are left out, by k"},
        therefore=True,
    )
    return [Step("The choice of k", best)]


def _error_figure(errors: Floats, label: str) -> Figure:
    ks = np.arange(1, len(errors) + 1)
    drawn = np.isfinite(errors)
    return curve_figure(
        ks[drawn], {label: errors[drawn]}, title="Leaving one out, for each k", xlabel="k", ylabel=label
    )


def _picture(figure: Figure | None) -> list[Step]:
    return [] if figure is None else [Step("The picture", figure=figure)]


def _notes(model: NeighborsLearner) -> list[str]:
    weighted = (model.examples_["weight"] != 1.0).any()
    return ["k counts weight: a row of weight 2 takes two places."] if weighted else []
