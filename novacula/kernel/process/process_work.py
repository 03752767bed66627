"""The work of a Gaussian process: the matrix, its Cholesky factor, α, the likelihood term by term, and predictions."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.kernel.process.cholesky import inverse_diagonal
from novacula.learner.figure import curve_figure
from novacula.learner.worded_step import WordedStep as Step
from novacula.learner.work import Work, WorkTable
from novacula.projection.derivation import largest, product_sum
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.kernel.process.fitted import FittedProcess

CORNER = 5
"""Rows and columns of a matrix that are shown."""
NORMAL_95 = 1.959963984540054
"""Standard deviations to either side of the mean that hold 95% of a normal distribution."""
EQUATIONS = 2
"""Rows of Cα = y that are written out."""
SURE = 1e-6
"""Variances below this share of the prior's are mostly rounding, and differ with the order of sums."""


def derive_posterior(model: FittedProcess) -> Work:
    """From the prior to the likelihood."""
    n = len(model.examples_["weight"])
    matrix = model._evidence().covariance(model.kernel_, model.noise_)
    steps = [prior_step(model), *factor_steps(model, matrix), *dual_steps(model, matrix), *likelihood_steps(model)]
    steps += left_out_steps(model)
    if len(model.history_) > 1:
        steps.append(search_step(model))
    if model._has_figure:
        steps.append(Step("The posterior over the column", figure=model.figure()))
    notes = [f"The first rows of {n} are written out."] if n > CORNER else []
    if model.normalize_y:
        notes.append("Targets are on the scale that the model learns on: mean 0 and variance 1.")
    if not model._flat:
        notes.append("Several targets share C; α is that of the first, and the likelihood is the sum over all.")
    return Work("Gaussian process regression", steps, notes)


# --- the model ----------------------------------------------------------------------------------------------


def prior_step(model: FittedProcess) -> Step:
    """The kernel and the noise, and how the likelihood changes with each parameter."""
    _, slopes = model.log_marginal_likelihood(return_gradient=True)
    rows = tuple(
        (name, math.exp(value), float(slope))
        for name, value, slope in zip(model.theta_names_, model.theta_, slopes, strict=True)
    )
    return Step(
        "Prior and noise",
        formula="f ~ GP(0, k),  y = f(x) + ε,  ε ~ N(0, σ²)",
        table=WorkTable(("parameter θ", "value", "∂ ln p(y) / ∂ ln θ"), rows) if rows else None,
        note=f"k = {model.kernel_!r},  σ² = {model.noise_:.6g}",
    )


def factor_steps(model: FittedProcess, matrix: Floats) -> Iterator[Step]:
    """C, and the first entries of L."""
    factor, weight = model.L_, model.examples_["weight"]
    values = {"k_11": float(matrix[0, 0] - model.noise_ / weight[0] - model.jitter_), "s2": model.noise_}
    entry, formula = "k_11 + s2", "L₁₁ = √C₁₁,  C₁₁ = k(x₁, x₁) + σ²"
    if weight[0] != 1.0:
        entry, formula, values["w_1"] = "k_11 + s2 / w_1", f"{formula}/w₁", float(weight[0])
    if model.jitter_:
        entry, formula, values["jitter"] = f"{entry} + jitter", f"{formula} + jitter", model.jitter_
    alike = bool((weight == 1.0).all())
    yield matrix_step("C = K + σ²I" if alike else "C = K + σ²W⁻¹, W the weights", matrix)
    yield Step("Cholesky, first row", formula, f"sqrt({entry})", values, of=("L_", 0, 0))
    if len(matrix) > 1:
        first, below = float(factor[0, 0]), float(matrix[1, 0])
        yield Step(
            "Cholesky, second row",
            "L₂₁ = C₂₁ / L₁₁",
            "C_21 / L_11",
            {"C_21": below, "L_11": first},
            of=("L_", 1, 0),
        )
        yield Step(
            "Cholesky, second row, on the diagonal",
            "L₂₂ = √(C₂₂ − L₂₁²)",
            "sqrt(C_22 - L_21**2)",
            {"C_22": float(matrix[1, 1]), "L_21": float(factor[1, 0])},
            result=float(factor[1, 1]),
        )
    yield matrix_step("L, with C = LLᵀ", factor)


def matrix_step(title: str, matrix: Floats) -> Step:
    """The upper left corner of a matrix."""
    m = min(CORNER, len(matrix))
    rows = tuple((str(i + 1), *matrix[i, :m].tolist()) for i in range(m))
    caption = f"The first {m} of {len(matrix)} rows and columns." if m < len(matrix) else ""
    return Step(title, table=WorkTable(("row", *(str(j + 1) for j in range(m))), rows, caption))


def dual_steps(model: FittedProcess, matrix: Floats) -> Iterator[Step]:
    """α, and the equations that its first entries fulfil."""
    dual, target = model._conditioned_process().dual[:, 0], model._scaled_targets[:, 0]
    weight, m = model.examples_["weight"], min(CORNER, len(dual))
    table = WorkTable(
        ("row", "weight", "y", "α"),
        tuple((str(i + 1), float(weight[i]), float(target[i]), float(dual[i])) for i in range(m)),
        f"The first {m} of {len(dual)} rows." if m < len(dual) else "",
    )
    yield Step("α = C⁻¹y", formula="Lz = y,  Lᵀα = z", table=table)
    for i in range(min(EQUATIONS, len(dual))):
        total, values = others_sum("C", i, matrix[i], dual)
        yield Step(
            f"Row {i + 1} of Cα = y",
            formula="αᵢ = (yᵢ − Σ Cᵢⱼαⱼ) / Cᵢᵢ,  j ≠ i",
            expression=f"(y - ({total})) / C_ii",
            values={**values, "y": float(target[i]), "C_ii": float(matrix[i, i])},
            result=float(dual[i]),
            of=("alpha_", i) if model._flat else ("alpha_", i, 0),
        )


def others_sum(letter: str, i: int, row: Floats, dual: Floats) -> tuple[str, dict[str, float]]:
    """Σ over j ≠ i of row·dual as an expression, and its values; small terms are one number together."""
    places = np.delete(np.arange(len(row)), i)
    shown, rest = largest((row * dual)[places])
    terms, values = list[str](), dict[str, float]()
    for j in places[shown]:
        terms.append(f"{letter}_{i + 1}_{j + 1} * a_{j + 1}")
        values |= {f"{letter}_{i + 1}_{j + 1}": float(row[j]), f"a_{j + 1}": float(dual[j])}
    if rest is not None:
        terms.append("rest")
        values["rest"] = rest
    return " + ".join(terms) or "0", values


# --- how probable the targets were --------------------------------------------------------------------------


def likelihood_steps(model: FittedProcess) -> Iterator[Step]:
    """Fit, complexity, constant, and their sum."""
    held, evidence = model._conditioned_process(), model._evidence()
    fit, complexity, constant, repeated = evidence.terms(held.factor, held.dual, held.noise)
    total, values = product_sum("y", model._scaled_targets.ravel(), "a", held.dual.ravel())
    yield Step("Fit", "−½ yᵀα = −½ Σ yᵢαᵢ", f"-({total}) / 2", values, result=fit)
    yield complexity_step(np.diagonal(held.factor), model._targets.shape[1], complexity)
    yield Step(
        "Constant", "−(n/2) ln 2π", "-n / 2 * log(2 * pi)", {"n": held.dual.size, "pi": math.pi}, result=constant
    )
    terms = {"fit": fit, "complexity": complexity, "constant": constant}
    note = ""
    if repeated:
        terms["repetitions"] = repeated
        note = "Repetitions of a row add −½[(w − 1) ln 2πσ² + ln w], which does not depend on the function."
    yield Step(
        "Log marginal likelihood",
        formula="ln p(y) = −½ yᵀα − ½ ln|C| − (n/2) ln 2π",
        expression=" + ".join(terms),
        values=terms,
        result=model.log_marginal_likelihood_,
        of=("log_marginal_likelihood_",),
        note=note,
    )


def complexity_step(diagonal: Floats, n_targets: int, result: float) -> Step:
    """−½ ln|C|, as a sum over the diagonal of L; small terms are one number together."""
    shown, rest = largest(np.log(diagonal))
    names = {f"L_{i + 1}": float(diagonal[i]) for i in shown}
    terms = [f"log({name})" for name in names]
    values = dict(names)
    if rest is not None:
        terms.append("rest")
        values["rest"] = rest
    expression, formula = f"-({' + '.join(terms)})", "−½ ln|C| = −Σ ln Lᵢᵢ"
    if n_targets > 1:
        expression, values = f"k * ({expression})", values | {"k": n_targets}
        formula += ", for each of k targets"
    return Step("Complexity", formula, expression, values, result=result)


def left_out_steps(model: FittedProcess) -> Iterator[Step]:
    """The first row's target as the others see it, where that row stands for itself alone."""
    held = model._conditioned_process()
    if model.examples_["weight"][0] != 1.0 or len(held.dual) < 2:
        return
    values = {
        "y_1": float(model._scaled_targets[0, 0]),
        "a_1": float(held.dual[0, 0]),
        "c_1": float(inverse_diagonal(held.factor)[0]),
    }
    expression, values = in_units(model, "y_1 - a_1 / c_1", values)
    yield Step(
        "The first row left out",
        formula="y₁ − α₁ / [C⁻¹]₁₁",
        expression=expression,
        values=values,
        of=("leave_one_out_", "mean", 0) if model._flat else ("leave_one_out_", "mean", 0, 0),
    )


def search_step(model: FittedProcess) -> Step:
    """How the likelihood rose."""
    figure = curve_figure(
        np.arange(len(model.history_)),
        {"ln p(y)": model.history_},
        title="The likelihood of the targets during the search",
        xlabel="step",
        ylabel="ln p(y)",
    )
    end = "came to its end" if model.converged_ else "stopped before its end"
    return Step("The search", figure=figure, note=f"L-BFGS over the logarithms {end} after {model.n_iter_} steps.")


# --- predictions --------------------------------------------------------------------------------------------


def derive_predictions(model: FittedProcess, X: Any) -> Work:
    """Mean, standard deviation and interval of the first rows of X."""
    rows, cut = model._first_query_rows(X)
    posterior = model._posterior
    across = model.kernel_.block(rows, posterior.rows)
    steps = [mean_step(model, r, across[r]) for r in range(len(across))]
    notes = [f"Only the first {len(across)} rows are derived."] if cut else []
    if model.kernel_.precomputed:
        notes.append("A precomputed matrix does not hold k(x, x), so there is no standard deviation.")
    else:
        prior, known = model.kernel_.diagonal(rows), np.square(posterior.whitened(across)).sum(axis=0)
        steps = [
            step
            for r, mean in enumerate(steps)
            for step in (mean, *spread_steps(model, r, across[r], float(prior[r]), float(known[r])))
        ]
    if not model._flat:
        notes.append("Only the first target is derived.")
    return Work("Predictions of a Gaussian process", steps, notes)


def mean_step(model: FittedProcess, r: int, across: Floats) -> Step:
    """The mean of row r: Σ αᵢk(x, xᵢ)."""
    expression, values = in_units(model, *product_sum("k", across, "a", model._conditioned_process().dual[:, 0]))
    of = ("predict", r) if model._flat else ("predict", r, 0)
    return Step(f"Row {r + 1}, mean", "Σ k(x, xᵢ) αᵢ", expression, values, of=of)


def spread_steps(model: FittedProcess, r: int, across: Floats, prior: float, known: float) -> Iterator[Step]:
    """The standard deviation of row r, √(k(x, x) − ‖v‖²), and the interval of a new target."""
    unit = float(model.y_std_[0])
    variance = max(prior - known, 0.0)
    times, scale = ("s * ", {"s": unit}) if model.normalize_y else ("", {})
    yield Step(
        f"Row {r + 1}, standard deviation of the function",
        formula="√(k(x, x) − ‖v‖²),  Lv = k(X, x)",
        expression=f"{times}sqrt(max(k_xx - v2, 0))",
        values={"k_xx": prior, "v2": known, **scale},
        result=unit * math.sqrt(variance),
    )
    if variance + model.noise_ > SURE * prior:
        mean = float(model.y_mean_[0] + unit * (across @ model._conditioned_process().dual[:, 0]))
        yield Step(
            f"Row {r + 1}, where the 95% interval of a new target begins",
            formula="mean − 1.96 √(var + σ²)",
            expression=f"mean - z * {times}sqrt(var + s2)",
            values={"mean": mean, "z": NORMAL_95, "var": variance, "s2": model.noise_, **scale},
            of=("predict_interval", r, 0) if model._flat else ("predict_interval", r, 0, 0),
        )


def in_units(model: FittedProcess, expression: str, values: dict[str, float]) -> tuple[str, dict[str, float]]:
    """An expression in the units of the first target, where that was brought to another scale."""
    if not model.normalize_y:
        return expression, values
    return f"m + s * ({expression})", {**values, "m": float(model.y_mean_[0]), "s": float(model.y_std_[0])}
