"""The work of Bayesian linear regression: prior plus rows make the posterior, in numbers.

Sums are those of `system_about`: the intercept is integrated out, so columns stand about their means unless it has a
prior of its own. Matrices are over the noise variance, P = Λ₀σ² and V = Λσ², so that all kinds of noise look alike.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.learner.worded_step import WordedStep as Step
from novacula.learner.work import Work, WorkTable
from novacula.linear.bayesian.evidence_derivation import (
    energy_step,
    evidence_steps,
    noise_steps,
    precision_choice_steps,
)
from novacula.linear.bayesian.figure import density_figure, line_figure
from novacula.linear.bayesian.posterior import (
    WeightPosterior,
    column_noise,
    solve_posterior,
    system_about,
    variances_at,
)
from novacula.linear.derivation import DIGITS, FEW, ROUNDING, intercept_step
from novacula.linear.plane import weighted_sum
from novacula.linear.rows import DERIVED
from novacula.linear.solve import EPS
from novacula.table import Chunk
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.linear.bayesian.regression import BayesianLinearRegression

SOLVED = 100.0 * EPS
"""The share of an equation's terms that the solver may leave over."""
LEVEL = 0.95
"""The default probability of an interval."""


def derive_posterior(model: BayesianLinearRegression) -> Work:
    """The work of a fitted model."""
    posterior = refound(model)
    steps = [Step("Prior and likelihood", formula=assumption(model))]
    if hasattr(model, "alpha_"):
        steps += precision_choice_steps(model, posterior)
    steps += precision_steps(model, posterior)
    steps += mean_steps(model, posterior)
    steps.append(pivot_step(model, posterior))
    steps.append(energy_step(posterior))
    if hasattr(model, "shape_"):
        steps += noise_steps(model, posterior)
    steps += evidence_steps(model, posterior)
    steps += picture_steps(model, posterior)
    return Work(f"Bayesian linear regression for {model.target_names_[0]}", steps)


def refound(model: BayesianLinearRegression) -> WeightPosterior:
    """The posterior once more, from the sums that the model keeps."""
    prior = model._prior()
    if hasattr(model, "alpha_"):
        prior = prior.times(model.alpha_ * model.noise_variance_)
    return solve_posterior(system_about(model.moments_, prior.intercept), prior)


def assumption(model: BayesianLinearRegression) -> str:
    """What is assumed, in one line."""
    plane = "y ~ N(b + Σ wⱼxⱼ, σ²)" if model.fit_intercept else "y ~ N(Σ wⱼxⱼ, σ²)"
    if hasattr(model, "shape_"):
        weights, intercept = "w ~ N(m₀, σ²Λ₀⁻¹),  σ² ~ IG(a₀, b₀)", "b ~ N(0, σ²/τ)"
    elif hasattr(model, "alpha_"):
        weights, intercept = "w ~ N(m₀, (αΛ₀)⁻¹)", "b ~ N(0, σ²/τ)"
    else:
        weights, intercept = "w ~ N(m₀, Λ₀⁻¹)", "b ~ N(0, 1/τ)"
    if not model.fit_intercept:
        return f"{plane},  {weights}"
    return f"{plane},  {weights},  {intercept if model.intercept_precision else 'b flat'}"


# --- the posterior ------------------------------------------------------------------------------------------


def precision_steps(model: BayesianLinearRegression, posterior: WeightPosterior) -> Iterator[Step]:
    """Prior precision plus XᵀX/σ² is posterior precision."""
    relative = hasattr(model, "shape_")
    unit, times = (1.0, "") if relative else (model.noise_variance_, "σ²")
    before, rows = (matrix / unit for matrix in precisions(model, posterior))
    names = (["intercept"] if model.fit_intercept else []) + model.schema_.column_names()
    shown = range(min(FEW, len(names)))
    cells = [
        (names[i], names[j], float(before[i, j]), float(rows[i, j]), float(model.precision_[i, j]))
        for i in shown
        for j in shown[i:]
    ]
    yield Step(
        "Precisions add up",
        formula="Λ = Λ₀ + XᵀX,  over σ²" if relative else "Λ = Λ₀ + XᵀX/σ²",
        table=WorkTable(
            ("row", "column", "prior", "rows", "posterior"),
            tuple(cells),
            f"The first {FEW} of {len(names)}." if len(names) > FEW else "",
        ),
        note=f"From here on V is Λ{times} and P is Λ₀{times}"
        + (", of the weights alone, with the intercept integrated out." if model.fit_intercept else "."),
    )
    for i in shown:
        yield Step(
            f"Precision of {names[i]}",
            expression="p + s" if relative else "p + s / v",
            values={"p": before[i, i], "s": rows[i, i] * unit} | ({} if relative else {"v": unit}),
            of=("precision_", i, i),
        )


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


def mean_steps(model: BayesianLinearRegression, posterior: WeightPosterior) -> Iterator[Step]:
    """The equations of the posterior mean, each solved for its own weight."""
    system, prior, w = posterior.system, posterior.prior, posterior.coef
    matrix = prior.precision + system.gram
    right = prior.precision @ prior.mean + system.cross[:, 0]
    shown = np.arange(len(w)) if len(w) <= FEW else np.arange(4)
    for j, name in zip(shown, model.schema_.column_names(shown), strict=True):
        others = np.delete(np.arange(len(w)), j)
        total, values = weighted_sum("v", matrix[j, others], "w", w[others], others)
        yield Step(
            f"Equation {j + 1} of {len(w)}, for the weight of {name}",
            formula="Vm = Pm₀ + Xᵀy = h,  mⱼ = (hⱼ − Σ vⱼᵢmᵢ) / vⱼⱼ,  i ≠ j",
            expression=f"(h - ({total})) / v" if len(w) > 1 else "h / v",
            values={"h": right[j], "v": matrix[j, j]} | (values if len(w) > 1 else {}),
            **tied(posterior, matrix, int(j)),
        )


def tied(posterior: WeightPosterior, matrix: Floats, j: int) -> dict[str, Any]:
    """Hold equation j to the weight, unless rounding leaves its sums fewer digits than are compared."""
    w, scale = posterior.coef, np.sqrt(np.diagonal(matrix))
    noise = SOLVED + column_noise(posterior.system, scale)
    uncertain = scale[j] * float(((noise[j] + noise) * scale) @ (np.abs(w) + np.abs(posterior.prior.mean)))
    if uncertain <= DIGITS * matrix[j, j] * abs(w[j]):
        return {"of": ("coef_", j)}
    return {"note": f"{ROUNDING}; the model says {w[j]:.9g}."}


def pivot_step(model: BayesianLinearRegression, posterior: WeightPosterior) -> Step:
    """The intercept, which a prior of its own draws towards zero."""
    tau = posterior.prior.intercept
    if tau == 0.0 or math.isinf(tau):
        return intercept_step(model, 0)
    moments = model.moments_
    total, values = weighted_sum("w", model.coef_, "m", moments.mean[:-1])
    return Step(
        "The intercept: the plane passes near the means, drawn towards the origin by the prior",
        formula="b = N(ȳ − Σ wⱼx̄ⱼ) / (N + τ),  τ over σ²",
        expression=f"N * (y - ({total})) / (N + tau)",
        values={"N": moments.weight, "y": moments.mean[-1], "tau": tau, **values},
        of=("intercept_",),
    )


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


def derive_intervals(model: BayesianLinearRegression, chunk: Chunk, work: Work) -> Work:
    """Add to the work of predictions how far targets may lie from them."""
    rows = chunk.rows(0, min(DERIVED, len(chunk))).dense()
    means = model.intercept_ + rows @ model.coef_
    relative = variances_at(rows, model.x_centre_, model.root_, model.pivot_)
    spreads = np.sqrt(model._scale_variance * (1.0 + relative))
    steps = list(work)
    for i, (mean, spread) in enumerate(zip(means, spreads, strict=True)):
        steps.append(spread_step(model, rows[i], i, spread))
        for end, sign in enumerate("-+"):
            steps.append(
                Step(
                    f"Row {i + 1}, {('low', 'high')[end]} end of {LEVEL:.0%}",
                    expression=f"y {sign} q * s",
                    values={"y": mean, "q": model._reach(LEVEL), "s": spread},
                    of=("predict_interval", i, end),
                )
            )
    degrees = f"Student's t with {2 * model.shape_:g} degrees of freedom" if hasattr(model, "shape_") else "the normal"
    return Work(work.title, steps, (*work.notes, f"q is the quantile of {degrees} that leaves out half of the rest."))


def spread_step(model: BayesianLinearRegression, row: Floats, i: int, spread: float) -> Step:
    """The scale of a target about its prediction: that of the noise, and of the plane at this row."""
    along = (row - model.x_centre_) @ model.root_
    total, values = weighted_sum("z", along, "z", along)
    centred = math.isfinite(model.pivot_)
    what = "b/a" if hasattr(model, "shape_") else "σ²"
    return Step(
        f"Row {i + 1}, how far a target may lie from it",
        formula=f"s = √(σ² + xᵀΣx) = √({what} · (1 + {'1/k + ' if centred else ''}Σ zⱼ²)),  z = V⁻¹ᐟ²(x − x̄)",
        expression=f"sqrt(v * (1 + {'1 / k + ' if centred else ''}{total}))",
        values={"v": model._scale_variance, **values} | ({"k": model.pivot_} if centred else {}),
        result=spread,
    )
