"""The work of Bayesian linear regression: prior plus rows make the posterior, in numbers.

Sums are those of `system_about`: the intercept is integrated out, so columns stand about their means unless it has a
prior of its own. Matrices are over the noise variance, P = Λ₀σ² and V = Λσ², so that all kinds of noise look alike.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.learner.showing import WorkOptions
from novacula.learner.work import Cell, Step, Work, WorkTable
from novacula.linear.bayesian.derivation.evidence import (
    energy_step,
    evidence_steps,
    noise_steps,
    precision_choice_steps,
)
from novacula.linear.bayesian.figure import density_figure, line_figure
from novacula.linear.bayesian.noise import reach, scale_variance
from novacula.linear.bayesian.posterior import WeightPosterior, column_noise, solve_posterior, system_about
from novacula.linear.bayesian.prior import prior_of
from novacula.linear.derivation.normal_equations import DIGITS, FEW, intercept_step, own_equation, rounded
from novacula.linear.plane import weighted_columns
from novacula.linear.solve import EPS
from novacula.mathematics import Equation
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.linear.bayesian.regression import BayesianLinearRegression

SOLVED = 100.0 * EPS
"""The share of an equation's terms that the solver may leave over."""
LEVEL = 0.95
"""The default probability of an interval."""


def derive_posterior(model: BayesianLinearRegression, options: WorkOptions) -> Work:
    """The work of a fitted model."""
    posterior = refound(model)
    steps = [assumption_step(model)]
    if hasattr(model, "alpha_"):
        steps += precision_choice_steps(model, posterior)
    steps += precision_steps(model, posterior)
    steps += mean_steps(model, posterior, options.is_full)
    steps.append(pivot_step(model, posterior))
    energy = energy_step(posterior)
    steps.append(energy)
    found = energy.equations[-1].value if not energy.note else posterior.misfit + posterior.penalty
    if hasattr(model, "shape_"):
        steps += noise_steps(model, posterior, found)
    steps += evidence_steps(model, posterior, found)
    steps += picture_steps(model, posterior)
    return Work(f"Bayesian linear regression for {model.target_names_[0]}", steps)


def refound(model: BayesianLinearRegression) -> WeightPosterior:
    """The posterior once more, from the sums that the model keeps."""
    prior = prior_of(model)
    if hasattr(model, "alpha_"):
        prior = prior.times(model.alpha_ * model.noise_variance_)
    return solve_posterior(system_about(model.moments_, prior.intercept), prior)


def assumption_step(model: BayesianLinearRegression) -> Step:
    """What is assumed of targets, weights, intercept and noise."""
    relative, sized = hasattr(model, "shape_"), hasattr(model, "alpha_")
    spread = "σ**2 * inv(Λ__0)" if relative else "inv(α * Λ__0)" if sized else "inv(Λ__0)"
    rules = [
        Equation("y", f"N({weighted_columns(model.fit_intercept)}, σ**2)", sign="~"),
        Equation("w", f"N(m_0, {spread})", sign="~"),
    ]
    if relative:
        rules.append(Equation("σ**2", "IG(a_0, β_0)", sign="~"))
    if model.intercept_precision:
        rules.append(Equation("b", f"N(0, {'σ**2' if relative or sized else '1'} / τ)", sign="~"))
    flat = "The prior of ⟦b⟧ is flat. " if model.fit_intercept and not model.intercept_precision else ""
    about = "⟦IG⟧ is the inverse gamma distribution." if relative else ""
    return Step("Prior and likelihood", tuple(rules), note=(flat + about).strip())


# --- the posterior ------------------------------------------------------------------------------------------


def precision_steps(model: BayesianLinearRegression, posterior: WeightPosterior) -> Iterator[Step]:
    """Prior precision plus XᵀX/σ² is posterior precision."""
    relative, first = hasattr(model, "shape_"), 0 if model.fit_intercept else 1
    unit = 1.0 if relative else model.noise_variance_
    before, rows = (matrix / unit for matrix in precisions(model, posterior))
    names = (["intercept"] if model.fit_intercept else []) + model.schema_.column_names()
    shown = range(min(FEW, len(names)))
    cells: tuple[tuple[Cell, ...], ...] = tuple(
        (names[i], names[j], float(before[i, j]), float(rows[i, j]), float(model.precision_[i, j]))
        for i in shown
        for j in shown[i:]
    )
    sum_of_rows = "S[j, l]" if relative else "S[j, l] / σ**2"
    sized = "α * " if hasattr(model, "alpha_") else ""
    yield Step(
        "Precisions add up",
        (
            Equation("S[j, l]", "sum(x[i, j] * x[i, l] for i in _)"),
            Equation("Λ[j, l]", f"{sized}Λ__0[j, l] + {sum_of_rows}"),
        ),
        table=WorkTable(
            ("row", "column", "prior", "rows", "posterior"),
            cells,
            f"The first {FEW} of {len(names)}." if len(names) > FEW else "",
        ),
        note=("Row and column 0 belong to the intercept, whose column is ones. " if model.fit_intercept else "")
        + ("All are over ⟦σ**2⟧." if relative else ""),
    )
    for i in shown:
        j = i + first
        sized = "α * " if hasattr(model, "alpha_") and j else ""
        prior, sums = f"Λ__0[{j}, {j}]", f"S[{j}, {j}]"
        values = {prior: before[i, i] / (model.alpha_ if sized else 1.0), sums: rows[i, i] * unit}
        values |= ({"α": model.alpha_} if sized else {}) | ({} if relative else {"σ**2": unit})
        right = f"{sized}{prior} + {sums}" + ("" if relative else " / σ**2")
        yield Step(f"Precision of {names[i]}", Equation(f"Λ[{j}, {j}]", right, values, ("precision_", i, i)))


def precisions(model: BayesianLinearRegression, posterior: WeightPosterior) -> tuple[Floats, Floats]:
    """Prior precision and XᵀX of [1, X], over σ²."""
    moments, d = model.moments_, len(posterior.coef)
    mean = np.append(1.0, moments.mean[:d])
    rows = moments.weight * np.outer(mean, mean)
    rows[1:, 1:] += moments.xx(d)
    before = np.zeros_like(rows)
    before[1:, 1:] = posterior.prior.precision
    if not model.fit_intercept:
        return before[1:, 1:], rows[1:, 1:]
    before[0, 0] = posterior.prior.intercept
    return before, rows


def mean_steps(model: BayesianLinearRegression, posterior: WeightPosterior, is_full: bool) -> Iterator[Step]:
    """The equations of the posterior mean, each solved for its own weight."""
    system, prior, w = posterior.system, posterior.prior, posterior.coef
    matrix = Equation("V", "P + A", {"P": prior.precision, "A": system.gram})
    right = Equation("h", "P @ m_0 + c", {"P": prior.precision, "m_0": prior.mean, "c": system.cross[:, 0]})
    unit = "" if hasattr(model, "shape_") else " * σ**2"
    scaled = "α * Λ__0" if hasattr(model, "alpha_") else "Λ__0"
    about = ", with the intercept integrated out" if model.fit_intercept else ""
    yield Step(
        "The mean of the weights, from precisions over the noise variance",
        (*sums_about(model, posterior), Equation("P", f"{scaled}{unit}"), matrix, right, Equation("V @ w", "h")),
        note=f"⟦P⟧ and ⟦V⟧ are of the weights alone{about}.",
    )
    shown = np.arange(len(w)) if len(w) <= FEW or is_full else np.arange(4)
    for j, name in zip(shown.tolist(), model.schema_.column_names(shown), strict=True):
        solved, values = own_equation("w", "V", "h", len(w), j)
        values |= {"V": matrix.value, "h": right.value} | ({"w": w} if len(w) > 1 else {})
        of, note = tied(posterior, matrix.value, j)
        title = f"Equation {j + 1} of {len(w)}, for the weight of {name}"
        yield Step(title, Equation(f"w[{j + 1}]", solved, values, of), note=note)


def sums_about(model: BayesianLinearRegression, posterior: WeightPosterior) -> Iterator[Equation]:
    """What the sums of columns and target are, in letters."""
    tau, centred = posterior.prior.intercept, model.fit_intercept
    x, z, y = ("(x[i, j] - x̄[j])", "(x[i, l] - x̄[l])", "(y[i] - ȳ)") if centred else ("x[i, j]", "x[i, l]", "y[i]")
    for name, one, other, mean in (("A[j, l]", x, z, "x̄[j] * x̄[l]"), ("c[j]", x, y, "x̄[j] * ȳ"), ("T", y, y, "ȳ**2")):
        product = f"{one}**2" if one == other else f"{one} * {other}"
        drawn = f" + n * τ / (n + τ) * {mean}" if 0.0 < tau < math.inf else ""
        yield Equation(name, f"sum({product} for i in _){drawn}")


def tied(posterior: WeightPosterior, matrix: Floats, j: int) -> tuple[tuple[str | int, ...], str]:
    """Hold equation j to the weight, unless rounding leaves its sums fewer digits than are compared."""
    w, scale = posterior.coef, np.sqrt(np.diagonal(matrix))
    noise = SOLVED + column_noise(posterior.system, scale)
    uncertain = scale[j] * float(((noise[j] + noise) * scale) @ (np.abs(w) + np.abs(posterior.prior.mean)))
    if uncertain <= DIGITS * matrix[j, j] * abs(w[j]):
        return ("coef_", j), ""
    return (), rounded(float(w[j]))


def pivot_step(model: BayesianLinearRegression, posterior: WeightPosterior) -> Step:
    """The intercept, which a prior of its own draws towards zero."""
    tau, moments = posterior.prior.intercept, model.moments_
    if tau == 0.0 or math.isinf(tau):
        return intercept_step(model, 0)
    values = {"n": moments.weight, "ȳ": moments.mean[-1], "τ": tau, "w": model.coef_, "x̄": moments.mean[:-1]}
    drawn = Equation("b", "n * (ȳ - sum(w[j] * x̄[j] for j in _)) / (n + τ)", values, ("intercept_",))
    title = "The intercept: the plane passes near the means, drawn towards the origin by the prior"
    return Step(title, drawn, note="⟦τ⟧ is over the noise variance.")


# --- pictures and predictions -------------------------------------------------------------------------------


def picture_steps(model: BayesianLinearRegression, posterior: WeightPosterior) -> Iterator[Step]:
    """The weights in a table, with bars; of one column instead the line, and the weight before and after."""
    summary = model.summary(LEVEL)
    table, _ = summary.tables()
    several = len(model.coef_) > 1
    yield Step(f"The weights for {summary.target}", table=table, figure=summary.figure() if several else None)
    if not several and posterior.system.varies.all():
        yield Step("The line, and where new targets are expected", figure=line_figure(model, LEVEL))
        proper = not hasattr(model, "shape_") or (model.shape > 0.0 and model.scale > 0.0)
        if posterior.prior.rank and proper:
            yield Step("What the rows did to the slope", figure=density_figure(model, posterior))


def derive_intervals(model: BayesianLinearRegression, rows: Floats, work: Work) -> Work:
    """Add to the work of predictions for rows how far targets may lie from them."""
    steps, found = list(work), {e.of: e for e in work.equations if e.of}
    for i, row in enumerate(rows):
        spread = spread_step(model, row, i)
        steps.append(spread)
        plane = found["predict", i]  # again in the ends, so that its own rounding counts there
        values = {"ŷ": plane.value, "q": reach(model, LEVEL), "s": spread.equations[-1].value, **(plane.values or {})}
        ends = [
            Equation(name, (f"ŷ {sign} q * s", f"{plane.right[0]} {sign} q * s"), values, ("predict_interval", i, end))
            for end, (name, sign) in enumerate((("y_low", "-"), ("y_high", "+")))
        ]
        steps.append(Step(f"Row {i + 1}, the ends of {LEVEL:.0%}", tuple(ends)))
    degrees = (
        f"Student's t with ⟦{2 * model.shape_!r}⟧ degrees of freedom" if hasattr(model, "shape_") else "the normal"
    )
    return Work(work.title, steps, (*work.notes, f"⟦q⟧ is the quantile of {degrees} that leaves out half of the rest."))


def spread_step(model: BayesianLinearRegression, row: Floats, i: int) -> Step:
    """The scale of a target about its prediction: that of the noise, and of the plane at this row."""
    centred = math.isfinite(model.pivot_)
    about = {"x": row, "x̄": model.x_centre_} if centred else {"x": row}
    along = Equation("z", f"R.T @ {'(x - x̄)' if centred else 'x'}", {"R": model.root_, **about})
    noise, variance = (
        ("β / a", {"β": model.scale_, "a": model.shape_})
        if hasattr(model, "shape_")
        else (
            "σ**2",
            {"σ**2": scale_variance(model)},
        )
    )
    share = "1 + 1 / k + " if centred else "1 + "
    values: dict[str, Any] = {**variance, "z": along.value, **({"k": model.pivot_} if centred else {})}
    scale = Equation("s", f"sqrt({noise} * ({share}sum(z[j]**2 for j in _)))", values)
    point = ", ⟦x̄⟧ the point that the plane passes through, ⟦k⟧ what it is worth there in rows" if centred else ""
    note = f"⟦R @ R.T⟧ is ⟦inv(V)⟧, the covariance of the weights over that of the noise{point}."
    return Step(f"Row {i + 1}, how far a target may lie from it", (along, scale), note=note)
