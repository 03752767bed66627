"""The work of linear models: the normal equations with the numbers in them, solved step by step.

One column is the formula of the textbook. A few are eliminated in turn and put back. Of many, some equations
are shown, each solved for its own coefficient: that gives the coefficient only if the gradient is zero.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.learner.figure import Figure, curve_figure
from novacula.learner.worded_step import WordedStep as Step
from novacula.learner.work import Cell, Work, WorkTable
from novacula.linear.penalties import as_factors
from novacula.linear.plane import (
    SHOWN,
    TARGETS,
    cap_notes,
    coefficient_table,
    of_target,
    place,
    plane,
    shown_targets,
    weighted_sum,
)
from novacula.linear.solve import EPS, NormalEquations
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.linear.least_squares import LinearRegression
    from novacula.linear.model import LinearModel
    from novacula.linear.ridge import Ridge

SUMS = "a are the sums of products of columns, b those with the target."
FEW = 6
"""Columns up to which all equations are shown and solved."""
DIGITS = 1e-10
"""The share of a coefficient that rounding may move for an equation to be held to it; comparison is by nine digits."""
ROUNDED = 1e-14
"""The share of the whole below which what is left of squares is rounding in any case."""
BOUNDED = "coordinate"
"""The solver of weights that must not be negative."""
ROUNDING = "Rounding in these sums reaches the digits shown"
CANCELS = 1e4
"""How many times its difference from N·x̄² may Σx² be for the textbook's formula to keep its digits."""


def derive_least_squares(model: LinearRegression) -> Work:
    """The work of a fitted least squares model."""
    steps = [Step("What is made smallest", formula=f"Σ (y − ŷ)²,  {plane(model)}")]
    system = equations(model)
    for k in shown_targets(model):
        steps += coefficient_steps(model, system, k, np.zeros(model.n_features_in_))
        if system is not None:
            steps += fit_steps(model, system, k)
        steps.append(Step(f"Coefficients of {model.target_names_[k]}", figure=model.summary().figure(k)))
    return Work(f"Least squares for {', '.join(model.target_names_[:TARGETS])}", steps, cap_notes(model))


def derive_ridge(model: Ridge) -> Work:
    """The work of a fitted ridge model."""
    factor = as_factors(model.penalty_factor, model.schema_, model.n_features_in_)
    price = "α Σ wⱼ²" if (factor == 1.0).all() else "α Σ fⱼwⱼ²"
    limit = ",  wⱼ ≥ 0" if model.positive else ""
    steps = [Step("What is made smallest", formula=f"Σ (y − ŷ)² + {price},  {plane(model)}{limit}")]
    if hasattr(model, "loo_error_"):
        steps.append(choice_step(model))
    system = equations(model)
    for k in shown_targets(model):
        alpha = float(np.broadcast_to(model.alpha_, len(model.target_names_))[k])
        steps += coefficient_steps(model, system, k, alpha * factor)
    return Work(f"Ridge regression for {', '.join(model.target_names_[:TARGETS])}", steps, cap_notes(model))


# --- coefficients -------------------------------------------------------------------------------------------


def equations(model: LinearModel) -> NormalEquations | None:
    """The sums of the normal equations, None where there were fewer rows than columns."""
    if model.moments_ is None:
        return None
    return NormalEquations.of(model.moments_, np.full(model.n_features_in_, EPS), model.fit_intercept)


def coefficient_steps(model: LinearModel, system: NormalEquations | None, k: int, charge: Floats) -> Iterator[Step]:
    """How the coefficients of target k come about, and its intercept; `charge` is αf, what each column pays (d,)."""
    d, bounded = model.n_features_in_, model.solver_ == BOUNDED
    if system is None:
        yield dual_step(model, k, charge)
    elif d == 1 and system.varies.all() and not bounded:
        yield one_column_step(model, system, k, float(charge[0]))
    elif d <= FEW and model.solver_ == "cholesky" and system.varies.all():
        yield from elimination_steps(model, system, k, charge)
    else:
        yield from equation_steps(model, system, k, charge)
    if system is not None and (d > 1 or bounded):
        yield gradient_step(model, system, k, charge)
    yield coefficient_table(model, k)
    yield intercept_step(model, k)


def one_column_step(model: LinearModel, system: NormalEquations, k: int, alpha: float) -> Step:
    """The slope of a line, as in every textbook."""
    n, x, y = system.weight, float(system.centre[0]), float(system.centre[1 + k])
    xx, xy = float(system.gram[0, 0]), float(system.cross[0, k])
    if model.fit_intercept and n * (x * x) <= CANCELS * xx:
        over, under = "(Σxy − N·x̄·ȳ)", "(Σx² − N·x̄²)"
        expression, divisor = "(S_xy - N * m_x * m_y)", "(S_xx - N * m_x**2)"
        values = {"S_xy": xy + n * x * y, "S_xx": xx + n * (x * x), "N": n, "m_x": x, "m_y": y}
    else:
        over, under = ("Σ(x − x̄)(y − ȳ)", "Σ(x − x̄)²") if model.fit_intercept else ("Σxy", "Σx²")
        expression, divisor, values = "S_xy", "S_xx", {"S_xy": xy, "S_xx": xx}
    if alpha:
        under, divisor, values["alpha"] = f"({under.strip('()')} + α)", f"({divisor} + alpha)", alpha
    formula, expression = f"w = {over} / {under}", f"{expression} / {divisor}"
    return Step("The slope", formula=formula, expression=expression, values=values, of=place(model, "coef_", k, 0))


def elimination_steps(model: LinearModel, system: NormalEquations, k: int, charge: Floats) -> Iterator[Step]:
    """The equations, what is left when columns are eliminated in turn, and the coefficients put back."""
    d = len(system.gram)
    names, w = model.schema_.column_names(range(d)), of_target(model.coef_, k)
    rows = np.column_stack([system.gram + np.diag(charge), system.cross[:, k]])
    alpha = float(charge[0])  # one for all: with factors the equations are solved otherwise
    header = ("equation", *(f"w_{j + 1}: {names[j]}" for j in range(d)), model.target_names_[k])
    about = "Sums of products of columns" + (" about their means" if model.fit_intercept else "")
    yield Step(
        "The normal equations",
        formula="(XᵀX + αI) w = Xᵀy" if alpha else "XᵀX w = Xᵀy",
        table=matrix_table(header, rows, about + (f", with α = {alpha:g} on the diagonal." if alpha else ".")),
    )
    upper = eliminated(rows)
    yield Step("Each column eliminated from the equations below it", table=matrix_table(header, upper))
    for j in range(d)[::-1]:
        terms = [f"u_{i + 1} * w_{i + 1}" for i in range(j + 1, d)]
        values = {"z": upper[j, d], f"u_{j + 1}": upper[j, j]}
        for i in range(j + 1, d):
            values |= {f"u_{i + 1}": upper[j, i], f"w_{i + 1}": w[i]}
        yield Step(
            f"w_{j + 1}, the coefficient of {names[j]}",
            expression=f"({' - '.join(['z', *terms])}) / u_{j + 1}",
            values=values,
            **tied(model, system, k, j, charge, float(upper[j, j])),
        )


def eliminated(rows: Floats) -> Floats:
    """Gauss's elimination of positive definite equations, which needs no exchange of rows."""
    upper = rows.copy()
    for j in range(len(upper) - 1):
        upper[j + 1 :] -= np.outer(upper[j + 1 :, j] / upper[j, j], upper[j])
        upper[j + 1 :, j] = 0.0
    return upper


def equation_steps(model: LinearModel, system: NormalEquations, k: int, charge: Floats) -> Iterator[Step]:
    """Some of the equations, each solved for its own coefficient, or for zero where that must not be negative."""
    w = of_target(model.coef_, k)
    live, bounded = np.flatnonzero(system.varies), model.solver_ == BOUNDED
    price = {"": "", "αI": " + α", "αF": " + αfⱼ"}[penalty_matrix(charge)]
    shown = live if len(live) <= 4 else live[[0, 1, 2, -1]]
    for j, name in zip(shown, model.schema_.column_names(shown), strict=True):
        others = np.delete(np.arange(len(w)), j)
        total, values = weighted_sum("a", system.gram[j, others], "w", w[others], others)
        alpha = float(charge[j])
        solved = f"(bⱼ − Σ aⱼᵢwᵢ) / {f'(aⱼⱼ{price})' if price else 'aⱼⱼ'}"
        value = f"(b - ({total})) / {'(a + alpha)' if alpha else 'a'}"
        yield Step(
            f"Equation {j + 1} of {len(w)}, for the coefficient of {name}",
            formula=f"wⱼ = {solved if not bounded else f'max(0, {solved})'},  i ≠ j",
            expression=value if not bounded else f"max(0, {value})",
            values={"b": system.cross[j, k], "a": system.gram[j, j], **values} | ({"alpha": alpha} if alpha else {}),
            **tied(model, system, k, int(j), charge, float(system.gram[j, j]) + alpha, SUMS),
        )


def penalty_matrix(charge: Floats) -> str:
    """What is added to XᵀX, in letters."""
    return "" if not charge.any() else "αI" if (charge == charge[0]).all() else "αF"


def tied(
    model: LinearModel, system: NormalEquations, k: int, j: int, charge: Floats, divisor: float, note: str = ""
) -> dict[str, Any]:
    """Hold equation j to the coefficient, unless rounding leaves its sums fewer digits than are compared.

    A column is known but for the share `noise` of its length, so that its product with another one, times that one's
    coefficient, may be off by that share of ‖xⱼ‖‖xᵢ‖|wᵢ|; the equation divides that by its own divisor.
    """
    w, length = of_target(model.coef_, k), np.sqrt(np.diagonal(system.gram) + charge)
    uncertain = length[j] * float(((system.noise[j] + system.noise) * length) @ np.abs(w))
    held_at_zero = model.solver_ == BOUNDED and w[j] == 0.0
    if held_at_zero or uncertain <= DIGITS * divisor * abs(w[j]):
        return {"of": place(model, "coef_", k, j), "note": note}
    return {"note": f"{note} {ROUNDING}; the model says {w[j]:.9g}.".strip()}


def gradient_step(model: LinearModel, system: NormalEquations, k: int, charge: Floats) -> Step:
    """The gradient at the solution, which must vanish, or hold a weight at zero that must not be negative."""
    w = of_target(model.coef_, k)
    shown = np.argsort(-np.abs(w), kind="stable")[:SHOWN]
    left = (system.gram[shown] @ w) + charge[shown] * w[shown]
    right = system.cross[shown, k]
    columns = (model.schema_.column_names(shown), left.tolist(), right.tolist(), (left - right).tolist())
    rows = tuple(zip(*columns, strict=True))
    head = {"": "XᵀXw", "αI": "XᵀXw + αw", "αF": "XᵀXw + αFw"}[penalty_matrix(charge)]
    bounded = model.solver_ == BOUNDED
    return Step(
        "Half the gradient at the solution is zero"
        + (" where a weight is not, and nowhere negative" if bounded else "")
        + ", up to rounding",
        formula=f"½ ∂/∂w = {head} − Xᵀy",
        table=WorkTable(("column", head, "Xᵀy", "difference"), rows),
    )


def dual_step(model: LinearModel, k: int, charge: Floats) -> Step:
    """With fewer rows than columns: the equations of the rows, and the length of what they give."""
    w = of_target(model.coef_, k)
    total, values = weighted_sum("w", w, "v", w)
    title, matrix = "There are fewer rows than columns, so the equations of the rows are solved", penalty_matrix(charge)
    equations = {
        "": "w = Xᵀ(XXᵀ)⁻¹y",
        "αI": "(XXᵀ + αI) a = y,  w = Xᵀa",
        "αF": "(XF⁻¹Xᵀ + αI) a = y,  w = F⁻¹Xᵀa",
    }[matrix]
    if model.solver_ == BOUNDED:
        title, equations = "No weight is negative", f"{f'(XᵀX + {matrix})w' if matrix else 'XᵀXw'} = Xᵀy where wⱼ > 0"
    elif not charge.all() and matrix:
        equations = "(XᵀX + αF) w = Xᵀy"
    return Step(
        title,
        formula=f"{equations},  ‖w‖² = Σ wⱼ²",
        expression=total,
        values=values,
        note="" if matrix else "Of all coefficients that fit as well, these are the shortest.",
    )


def intercept_step(model: LinearModel, k: int) -> Step:
    """The plane passes through the means, or through the origin."""
    path = ("intercept_",) if model.coef_.ndim == 1 or not model.fit_intercept else ("intercept_", k)
    if not model.fit_intercept:
        return Step("The plane passes through the origin", formula="b", result=0.0, of=path)
    total, values = weighted_sum("w", of_target(model.coef_, k), "m", model.x_centre_)
    return Step(
        "The intercept: the plane passes through the means",
        formula="b = ȳ − Σ wⱼx̄ⱼ",
        expression=f"y - ({total})",
        values={"y": model.y_centre_[k], **values},
        of=path,
    )


# --- how well it fits ---------------------------------------------------------------------------------------


def fit_steps(model: LinearRegression, system: NormalEquations, k: int) -> Iterator[Step]:
    """What is left of the squares, the noise they speak of, and the share that is explained."""
    sigma = float(np.atleast_1d(model.sigma_)[k])
    error = system.weight * (sigma * sigma)
    squares, spread = float(system.squares[model.n_features_in_ + k]), float(system.spread[k])
    w = of_target(model.coef_, k)
    total, values = weighted_sum("w", w, "b", system.cross[:, k])
    uncertain = np.sqrt(squares) * float(system.noise @ (np.sqrt(np.diagonal(system.gram)) * np.abs(w)))
    held = uncertain <= max(DIGITS * error, ROUNDED * squares)
    yield Step(
        "The squares that are left",
        formula="SSE = Σ(y − ȳ)² − Σ wⱼbⱼ,  b = Xᵀy" if model.fit_intercept else "SSE = Σy² − Σ wⱼbⱼ,  b = Xᵀy",
        expression=f"S_yy - ({total})",
        values={"S_yy": squares, **values},
        result=error if held else None,
        note="" if held else f"{ROUNDING}; the model says {error:.9g}.",
    )
    yield Step(
        "The noise, by maximum likelihood",
        formula="σ = √(SSE / N)",
        expression="sqrt(SSE / N)",
        values={"SSE": error, "N": system.weight},
        of=("sigma_",) if model.coef_.ndim == 1 else ("sigma_", k),
    )
    if spread > system.floor[k]:
        yield Step(
            "The share of the spread that is explained",
            formula="R² = 1 − SSE / Σ(y − ȳ)²",
            expression="1 - SSE / S_yy",
            values={"SSE": error, "S_yy": spread},
            of=("r2_",) if model.coef_.ndim == 1 else ("r2_", k),
        )


def choice_step(model: Ridge) -> Step:
    """The leave-one-out errors, and the least of them."""
    errors = model.loo_error_ if model.loo_error_.ndim == 1 else model.loo_error_.mean(axis=1)
    best, chosen = int(np.argmin(errors)), float(np.atleast_1d(model.alpha_)[0])
    shown = np.sort(np.argsort(errors, kind="stable")[:SHOWN])
    shown = shown[np.isfinite(errors[shown])]
    drawn = shown[np.argsort(model.alphas_[shown])]
    drawn = drawn[model.alphas_[drawn] > 0.0]  # zero has no logarithm
    ends = (model.alphas_.min(), model.alphas_.max())
    values = {f"e_{i + 1}": errors[i] for i in shown} if model.loo_error_.ndim == 1 else {}
    return Step(
        f"α = {chosen:g} has the least leave-one-out error"
        if model.choice == "best"
        else f"α = {chosen:g} is the largest whose leave-one-out error is within one standard error of the least",
        formula="E(α) = mean of (e / (1 − h))²",
        expression=f"min({', '.join(values)})" if values else "",
        values=values,
        of=("loo_error_", best) if values else (),
        table=WorkTable(
            ("α", "error of rows left out"),
            tuple((float(model.alphas_[i]), float(errors[i])) for i in shown),
            f"The {len(shown)} least of {len(errors)}." if len(shown) < len(errors) else "",
        ),
        figure=choice_figure(model.alphas_[drawn], errors[drawn]) if len(drawn) > 1 else None,
        note="e is the residual of a row, h = 1/n + Σ (x·vⱼ)² / (λⱼ + α) its leverage."
        + (" The best α is at an end of the grid: widen alphas." if chosen in ends else ""),
    )


def choice_figure(alphas: Floats, errors: Floats) -> Figure:
    """The leave-one-out error over the penalty."""
    return curve_figure(
        np.log10(alphas),
        {"left out": errors},
        title="Error of rows that were left out",
        xlabel="log₁₀ α",
        ylabel="mean squared error",
    )


def matrix_table(header: Sequence[str], rows: Floats, caption: str = "") -> WorkTable:
    """Equations as a table."""
    cells: list[tuple[Cell, ...]] = [(i + 1, *row.tolist()) for i, row in enumerate(rows)]
    return WorkTable(tuple(header), tuple(cells), caption)
