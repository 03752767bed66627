"""The work of a kernel density: where its width comes from, and densities from the nearest rows and the rest."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.learner.figure import Figure, curve_figure
from novacula.learner.worded_step import WordedStep as Step
from novacula.learner.work import Work, WorkTable
from novacula.neighbors.kernel_density.bandwidth import BandwidthSpread, rule_factor
from novacula.neighbors.kernel_density.figures import widths_figure
from novacula.neighbors.kernel_density.shapes import SHAPES
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.neighbors.kernel_density.kernel_density import KernelDensity

SHOWN = 6
"""Columns that are written out."""
ROWS = 5
"""Rows whose density is derived, at most."""
NEAREST = 5
"""Rows of the fit that stand for themselves in a sum."""
VANISHING = -600.0
"""The logarithm of a sum below which terms are shown relative to the largest."""
FORMULA = "ln p̂(x) = ln c/det A + ln (Σ w k(u) / W)"


def derive_model(model: KernelDensity) -> Work:
    """What is kept, the width step by step, the top of the kernel, and the density for three widths."""
    steps = [_kept(model), *_width_steps(model), _norm(model)]
    if (figure := widths_figure(model)) is not None:
        steps.append(Step("A third of the width, the width, and three times the width", figure=figure))
    d = len(model.bandwidth_)
    left_out = f"The first {SHOWN} of {d} columns are written out." if d > SHOWN else ()
    return Work("Kernel density", steps, left_out)


def _kept(model: KernelDensity) -> Step:
    shape = SHAPES[model.kernel]
    facts = (
        ("rows that weigh something", len(model.examples_["weight"])),
        ("their weight W", float(model.examples_["weight"].sum())),
        ("columns d", len(model.bandwidth_)),
        ("kernel", f"{model.kernel}: k(u) = {shape.formula}"),
        ("bandwidth", model.bandwidth if isinstance(model.bandwidth, str) else "given"),
        ("at the bounds", "reflected" if model.boundary else "no bounds"),
    )
    return Step("What is kept: every row", table=WorkTable(("what", "value"), facts))


def _norm(model: KernelDensity) -> Step:
    """The top of one kernel."""
    shape, d = SHAPES[model.kernel], len(model.bandwidth_)
    log_det = float(np.log(np.diag(model.root_)).sum())
    if model.kernel == "gaussian":
        formula, expression = "ln c/det A = −(d/2) ln 2π − ln det A", "-(d / 2) * log(2 * π) - L"
        values = {"d": float(d), "π": math.pi, "L": log_det}
    else:
        formula, expression = "ln c/det A = ln c − ln det A", "C - L"
        values = {"C": shape.log_norm(d), "L": log_det}
    what = "ln det A" if np.count_nonzero(model.root_) > d else "ln det A = Σ ln h"
    labels = {"L": what} | ({"C": "ln c = −ln ∫ k(‖u‖) du"} if "C" in values else {})
    return Step("The top of one kernel", formula, expression, values, of=("log_norm_",), labels=labels)


# --- the width ----------------------------------------------------------------------------------------------------


def _width_steps(model: KernelDensity) -> list[Step]:
    names = model._names[:SHOWN]
    if not isinstance(model.bandwidth, str):
        return _given_steps(model, names)
    if model.bandwidth == "isj":
        return [_fixed_point(model, j, name) for j, name in enumerate(names)]
    spread = model._spread()
    rule = "scott" if model.bandwidth == "cv_ml" else model.bandwidth
    d = len(model.bandwidth_)
    formula = "f = n^(−1/(d+4))" if rule == "scott" else "f = (n · (d + 2) / 4)^(−1/(d+4))"
    expression = "n ** (-1 / (d + 4))" if rule == "scott" else "(n * (d + 2) / 4) ** (-1 / (d + 4))"
    factor = Step(f"{rule.capitalize()}'s factor", formula, expression, {"n": spread.n, "d": d})
    steps = [factor, *_trial_steps(model)]
    for j, name in enumerate(names):
        steps += [_deviation(spread, j, name), _ruled_width(model, spread, rule, j, name)]
    return steps


def _given_steps(model: KernelDensity, names: list[str]) -> list[Step]:
    given = model._given_widths()
    if model.spread is None:
        return [
            Step(f"Width of {name}, as given", "h", "h", {"h": given[j]}, of=("bandwidth_", j))
            for j, name in enumerate(names)
        ]
    spread, steps = model._spread(), []
    for j, name in enumerate(names):
        values = {"f": float(given[j]), "σ": float(spread.deviation[j])}
        width = Step(f"Width of {name}", "h = f · σ̂", "f * σ", values, of=("bandwidth_", j))
        steps += [_deviation(spread, j, name), width]
    return steps


def _deviation(spread: BandwidthSpread, j: int, name: str) -> Step:
    return Step(
        f"Deviation of {name}",
        formula="σ̂ = √(Σ w (x − μ)² / (n − 1))",
        expression="sqrt(S / (n - 1))",
        values={"S": float(spread.squares[j, j]), "n": spread.n},
        labels={"S": "the sum of squared deviations"},
    )


def _ruled_width(model: KernelDensity, spread: BandwidthSpread, rule: str, j: int, name: str) -> Step:
    d = len(model.bandwidth_)
    values = {"f": rule_factor(rule, spread.n, d), "σ": float(spread.deviation[j])}
    formula, expression, labels = "h = f · σ̂", "f * σ", {}
    if model.bandwidth == "cv_ml":
        formula, expression = "h = s · f · σ̂", "s * f * σ"
        values["s"], labels["s"] = model.trial_.best, "the likeliest multiple"
    return _by_kernel(model, Step(f"Width of {name}", formula, expression, values, labels=labels), j)


def _fixed_point(model: KernelDensity, j: int, name: str) -> Step:
    point = model._fixed_points()[j]
    labels = {"R": "the length of the grid", "t": "where t = ξγ⁽⁵⁾(t), by cosine transforms and root finding"}
    values = {"R": point.length, "t": point.t}
    return _by_kernel(model, Step(f"Width of {name}", "h = R · √t", "R * sqrt(t)", values, labels=labels), j)


def _by_kernel(model: KernelDensity, step: Step, j: int) -> Step:
    """The step for column j that also turns a deviation into a width, where the kernel's is not 1."""
    formula, expression, values, labels = step.formula, step.expression, dict(step.values), dict(step.labels)
    if model.kernel != "gaussian":
        formula, expression = f"{formula} / κ", f"{expression} / κ"
        values["κ"] = SHAPES[model.kernel].deviation(len(model.bandwidth_))
        labels["κ"] = f"the deviation of the {model.kernel} kernel of width 1"
    return Step(step.title, formula, expression, values, of=("bandwidth_", j), labels=labels)


def _trial_steps(model: KernelDensity) -> list[Step]:
    """The likelihood of rows left out over the widths that were tried."""
    if model.bandwidth != "cv_ml":
        return []
    trial = model.trial_
    step = Step(
        "Rows left out: the likelier the better",
        formula="L(s) = (1/W) Σ w ln p̂₍₋ᵢ₎(xᵢ), the largest of all tried",
        expression="L",
        values={"L": float(trial.likelihood.max())},
        of=("trial_", "likelihood", int(np.argmax(trial.likelihood))),
        figure=_trial_figure(trial.multiple, trial.likelihood),
        note=f"{len(trial.multiple)} multiples of Scott's width were tried.",
    )
    return [step]


def _trial_figure(multiple: Floats, likelihood: Floats) -> Figure:
    best = likelihood.max()
    shown = np.isfinite(likelihood) & (likelihood > best - 3.0)
    return curve_figure(
        np.log2(multiple[shown]),
        {"L": likelihood[shown]},
        title="Leaving one out, for each width",
        xlabel="log₂ of the multiple s of Scott's width",
        ylabel="mean ln p̂ of rows left out",
    )


# --- densities ----------------------------------------------------------------------------------------------------


def derive_densities(model: KernelDensity, X: Any) -> Work:
    """The density of the first rows of X, from the rows of the fit that add most to it."""
    table = model._query(X).head(ROWS + 1)
    x = table.to_chunk().numeric[:ROWS]
    scores = model.score_samples(table)
    steps = [step for i in range(len(x)) for step in _density_steps(model, x[i], float(scores[i]), i)]
    notes = [f"Only the first {ROWS} rows are derived."] if len(table) > ROWS else []
    return Work("Kernel density: the sums", steps, notes)


def _density_steps(model: KernelDensity, x: Floats, score: float, i: int) -> list[Step]:
    """The terms of the rows that add most to the density at x (d,), and the logarithm of the whole."""
    density = model._density
    u, log_k = _kernels_at(model, x)
    log_term = np.log(density.weight) + log_k
    first = np.argsort(-log_term, kind="stable")[:NEAREST]
    first = first[np.isfinite(log_term[first])] if score > -np.inf else first[:0]
    if not len(first):
        note = "No kernel reaches this row" + (", or it lies beyond bounds." if model.boundary else ".")
        return [Step(f"Row {i + 1}, ln p̂", FORMULA, "log(0)", {}, score, ("score_samples", i), note=note)]
    whole = score - model.log_norm_
    top = 0.0 if whole > VANISHING else max(float(log_term[first[0]]), whole)
    terms = {f"t_{k + 1}": math.exp(log_term[j] - top) for k, j in enumerate(first)}
    rows = [
        (_place(density.rows[j]), float(u[j]), float(log_k[j]), float(density.weight[j]), term)
        for j, term in zip(first, terms.values(), strict=True)
    ]
    header = ("row of the fit", "u", "ln k(u)", "weight w", "term w · k" if top == 0.0 else "term / exp(M)")
    rest = math.exp(whole - top) * density.total - sum(terms.values())
    values, labels = {"C": model.log_norm_, "W": density.total}, {"C": "ln c/det A", "W": "the weight of all rows"}
    if abs(rest) > 1e-12 * sum(terms.values()):
        terms["rest"], labels["rest"] = rest, "the terms of all other rows"
    expression = f"C + log(({' + '.join(terms)}) / W)"
    if top:
        expression, values["M"], labels["M"] = f"{expression} + M", top, "the scale of the terms, taken out of the sum"
    return [
        Step(f"Row {i + 1}, the largest terms", table=WorkTable(header, tuple(rows))),
        Step(f"Row {i + 1}, ln p̂", FORMULA, expression, terms | values, score, ("score_samples", i), labels),
    ]


def _kernels_at(model: KernelDensity, x: Floats) -> tuple[Floats, Floats]:
    """How many widths each row of the fit is from x (d,) or its nearest image, and ln of its k over all images."""
    density = model._density
    rows = density.in_widths(density.rows)
    places = [density.in_widths(place)[0] for place in density.images(x[None, :])]
    with np.errstate(over="ignore"):
        u = np.stack([np.linalg.norm(rows - z, axis=1) for z in places])
        return u.min(axis=0), np.logaddexp.reduce(SHAPES[model.kernel].log_profile(u))


def _place(row: Floats) -> str:
    shown = ", ".join(f"{value:.4g}" for value in row[:3])
    return f"({shown}{', …' if len(row) > 3 else ''})"
