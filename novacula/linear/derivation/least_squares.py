"""The work of least squares and of ridge: what is made smallest, the coefficients, and how well the plane fits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.learner.showing import WorkOptions
from novacula.learner.work import Step, Work
from novacula.linear.derivation.normal_equations import (
    DIGITS,
    Charge,
    coefficient_steps,
    equations,
    free_of_charge,
    rounded,
)
from novacula.linear.derivation.penalty_choice import TriedPenalties, choice_step
from novacula.linear.plane import TARGETS, cap_notes, limit_step, of_target, place, shown_targets, weighted_columns
from novacula.linear.solve import EPS, NormalEquations
from novacula.mathematics import Equation

if TYPE_CHECKING:
    from novacula.linear.least_squares import LinearRegression
    from novacula.linear.model import LinearModel
    from novacula.linear.ridge import Ridge

SQUARES = "sum((y[i] - ŷ[i])**2 for i in _)"
SPREAD = "sum((y[i] - ȳ)**2 for i in _)"
BRIEF = WorkOptions()


def derive_least_squares(model: LinearRegression, options: WorkOptions = BRIEF) -> Work:
    """The work of a fitted least squares model."""
    steps = [objective_step(model, "SSE", SQUARES)]
    system = equations(model)
    for k in shown_targets(model, options.is_full):
        steps += coefficient_steps(model, system, k, free_of_charge(model), options.is_full)
        if system is not None:
            steps += fit_steps(model, system, k)
        steps.append(Step(f"Coefficients of {model.target_names_[k]}", figure=model.summary().figure(k)))
    title = f"Least squares for {', '.join(model.target_names_[:TARGETS])}"
    return Work(title, steps, cap_notes(model, options.is_full))


def derive_ridge(model: Ridge, options: WorkOptions) -> Work:
    """The work of a fitted ridge model."""
    factor = model.column_factors()
    price = "α * sum(w[j]**2 for j in _)" if (factor == 1.0).all() else "α * sum(f[j] * w[j]**2 for j in _)"
    limit = "No weight may be negative." if model.positive else ""
    steps = [objective_step(model, "E(w, b)", f"{SQUARES} + {price}", limit)]
    if hasattr(model, "loo_error_"):
        steps.append(left_out_step(model))
    system = equations(model)
    for k in shown_targets(model, options.is_full):
        alpha = float(np.broadcast_to(model.alpha_, len(model.target_names_))[k])
        steps += coefficient_steps(model, system, k, Charge(alpha, factor), options.is_full)
        steps.append(limit_step(model, k, factor, 0.0))
    title = f"Ridge regression for {', '.join(model.target_names_[:TARGETS])}"
    return Work(title, steps, cap_notes(model, options.is_full))


def objective_step(model: LinearModel, name: str, objective: str, note: str = "") -> Step:
    """What is made smallest, and the hypothesis."""
    plane = Equation("ŷ[i]", weighted_columns(model.fit_intercept, "i"))
    return Step("What is made smallest", (Equation(name, objective), plane), note=note)


def fit_steps(model: LinearRegression, system: NormalEquations, k: int) -> Iterator[Step]:
    """What is left of the squares, the noise they speak of, and the share that is explained."""
    w, sigma = of_target(model.coef_, k), float(np.atleast_1d(model.sigma_)[k])
    squares, spread = float(system.squares[model.n_features_in_ + k]), float(system.spread[k])
    lengths = np.sqrt(np.diagonal(system.gram)) * np.abs(w)
    uncertain = np.sqrt(squares) * float(np.where(lengths > 0.0, system.noise, 0.0) @ lengths)
    known = system.weight * (sigma * sigma)
    held = max(uncertain, EPS * squares) <= DIGITS * known
    total, cross = "sum(y[i]**2 for i in _)", "sum(x[i] * y[i] for i in _)"
    if model.fit_intercept:
        total, cross = SPREAD, "sum((x[i] - x̄) * (y[i] - ȳ) for i in _)"
    values: dict[str, Any] = {total: squares, "w": w, "c": system.cross[:, k]}
    explained = "sum(w[j] * c[j] for j in _)"
    if len(w) == 1:
        explained, values = f"w[1] * {cross}", {total: squares, "w": w, cross: float(system.cross[0, k])}
    sse = Equation("SSE", f"{total} - {explained}", values)
    yield Step("The squares that are left", sse, note="" if held else rounded(known))
    left, known_values = "n * σ**2", {"n": system.weight, "σ": sigma}
    if held:
        left, known_values = "SSE", {"SSE": sse.value}
        noise = Equation("σ", "sqrt(SSE / n)", {**known_values, "n": system.weight}, place(model, "sigma_", k))
        yield Step("The noise, by maximum likelihood", noise)
    if spread > system.floor[k]:
        share = Equation("R**2", f"1 - {left} / {SPREAD}", {**known_values, SPREAD: spread}, place(model, "r2_", k))
        yield Step("The share of the spread that is explained", share)


def left_out_step(model: Ridge) -> Step:
    """The leave-one-out errors, and the least of them."""
    flat = model.loo_error_.ndim == 1
    errors, std_errors = (e if flat else e.mean(axis=1) for e in (model.loo_error_, model.loo_std_error_))
    chosen = float(np.atleast_1d(model.alpha_)[0])
    tried = TriedPenalties(model.alphas_, errors, std_errors, chosen, model.choice)
    share = "1 / n + " if model.fit_intercept else ""
    rules = (
        Equation("E(α)", "sum((e[i] / (1 - h[i]))**2 for i in _) / n"),
        Equation("h[i]", f"{share}sum(dot(x[i], v[j])**2 / (λ[j] + α) for j in _)"),
    )
    note = (
        "⟦e[i]⟧ is the residual of a row, ⟦h[i]⟧ its leverage, ⟦v[j]⟧ and ⟦λ[j]⟧ the eigenvectors and eigenvalues of "
        "⟦X.T @ X⟧" + (", columns about their means." if model.fit_intercept else ".")
    )
    if chosen in (model.alphas_.min(), model.alphas_.max()):
        note += " The best ⟦α⟧ is at an end of the grid: widen alphas."
    of = ("loo_error_", tried.best) if flat else ()
    return choice_step(tried, "leave-one-out error", rules, of, note)
