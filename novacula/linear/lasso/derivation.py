"""The work of the lasso: where it starts, what each weight is, why the others are zero, and how good it is.

At the solution each weight is the best one given the others, wⱼ = S(zⱼ, lⱼ) / (aⱼⱼ + qⱼ), where zⱼ = xⱼᵀr/n + aⱼⱼwⱼ is
how the column goes along with what the others leave, and S(z, l) = sign(z)·max(|z| − l, 0) is the soft threshold.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from novacula.learner.figure import curve_figure
from novacula.learner.worded_step import WordedStep as Step
from novacula.learner.work import Work, WorkTable
from novacula.linear.derivation import intercept_step
from novacula.linear.lasso.working_set import LassoPrice, LassoState, Places, gap_parts
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
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.linear.lasso.regression import Lasso

EQUATIONS = 6
"""Weights whose equations are shown."""
DIGITS = 1e-9
"""What rounding and the stopping rule may leave of |z| − l, relative to z, for an equation to be held to the weight."""


def derive_lasso(model: Lasso) -> Work:
    """The work of a fitted lasso."""
    squares = "" if model.l1_ratio == 1.0 else " + ½α(1 − ρ) Σ fⱼwⱼ²"
    steps = [Step("What is made smallest", formula=f"Σ (y − ŷ)²/2n + αρ Σ fⱼ|wⱼ|{squares},  {plane(model)}")]
    if hasattr(model, "cv_error_"):
        steps += [choice_step(model, k) for k in shown_targets(model)]
    for k in shown_targets(model):
        alpha = float(np.broadcast_to(model.alpha_, len(model.target_names_))[k])
        factor = as_factors(model.penalty_factor, model.schema_, model.n_features_in_)
        price = LassoPrice.of(alpha, model.l1_ratio, factor, model.positive)
        steps += target_steps(model, k, factor, price)
    notes = cap_notes(model)
    if not model.converged_:
        notes.append("The fit did not converge, so the equations hold only nearly, and are not held to the weights.")
    return Work(f"Lasso for {', '.join(model.target_names_[:TARGETS])}", steps, notes)


def target_steps(model: Lasso, k: int, factor: Floats, price: LassoPrice) -> Iterator[Step]:
    """The steps of one target."""
    w, correlation = of_target(model.coef_, k), of_target(model.correlation_, k)
    if model.l1_ratio > 0.0:
        yield start_step(model, k, factor)
    active = np.flatnonzero(w)
    for j in active[np.argsort(-np.abs(w[active]), kind="stable")[:EQUATIONS]]:
        yield weight_step(model, k, int(j), price)
    idle = np.flatnonzero((w == 0.0) & (model.squares_ > 0.0))
    if len(idle):
        closest = idle[np.argsort(price.l1[idle] - price.pull(correlation[idle]), kind="stable")[:SHOWN]]
        yield idle_step(model, closest, len(idle), correlation, price)
    yield from gap_steps(model, k, price)
    yield coefficient_table(model, k)
    yield intercept_step(model, k)


def start_step(model: Lasso, k: int, factor: Floats) -> Step:
    """The least penalty that makes all weights zero."""
    largest = float(np.atleast_1d(model.alpha_max_)[k])
    free = " of what the free columns leave" if (factor == 0.0).any() else ""
    return Step(
        f"From α = {largest:.6g} on, all weights{' that cost something' if free else ''} are zero",
        formula=f"α_max = max |xⱼᵀy| / (nρfⱼ){free}",
        result=largest,
        of=("alpha_max_",) if model.coef_.ndim == 1 else ("alpha_max_", k),
    )


def weight_step(model: Lasso, k: int, j: int, price: LassoPrice) -> Step:
    """One weight by the soft threshold of how its column goes along with what the others leave."""
    [name] = model.schema_.column_names([j])
    w, a = float(of_target(model.coef_, k)[j]), float(model.squares_[j])
    c, l1, l2 = float(of_target(model.correlation_, k)[j]), float(price.l1[j]), float(price.l2[j])
    sign = "-" if w > 0.0 else "+"
    z, values = c + a * w, {"c": c, "a": a, "w": w, "l": l1}
    held = model.converged_ and abs(abs(z) - l1 - (a + l2) * abs(w)) <= DIGITS * (a + l2) * abs(w)
    divisor = "(a + q)" if l2 else "a"
    return Step(
        f"The weight of {name}",
        formula=f"wⱼ = S(zⱼ, l) / {'(aⱼⱼ + q)' if l2 else 'aⱼⱼ'},  zⱼ = xⱼᵀr/n + aⱼⱼwⱼ",
        expression=f"(c + a * w {sign} l) / {divisor}",
        values=values | ({"q": l2} if l2 else {}),
        of=place(model, "coef_", k, j) if held else (),
        note="c = xⱼᵀr/n, a = Σ xⱼ²/n, l = αρfⱼ" + (", q = α(1 − ρ)fⱼ." if l2 else "."),
    )


def idle_step(model: Lasso, shown: Places, total: int, correlation: Floats, price: LassoPrice) -> Step:
    """Columns that go along with the residual too little to have a weight."""
    names = model.schema_.column_names(shown)
    rows = tuple(
        (name, float(correlation[j]), float(price.l1[j])) for name, j in zip(names, shown.tolist(), strict=True)
    )
    caption = f"The {len(shown)} of {total} that are closest to having one." if len(shown) < total else ""
    condition = "xⱼᵀr/n ≤ αρfⱼ" if model.positive else "|xⱼᵀr|/n ≤ αρfⱼ"
    return Step(
        "Columns without a weight", formula=condition, table=WorkTable(("column", "xⱼᵀr/n", "αρfⱼ"), rows, caption)
    )


def gap_steps(model: Lasso, k: int, price: LassoPrice) -> Iterator[Step]:
    """The objective, and how far it can be above its minimum."""
    w, error = of_target(model.coef_, k), float(np.atleast_1d(model.error_)[k])
    used, squares = np.flatnonzero(w), float(0.5 * price.l2 @ w**2)
    costs, values = weighted_sum("l", price.l1[used], "v", np.abs(w[used]), used)
    yield Step(
        "The objective",
        formula="P = ‖r‖²/2n + Σ lⱼ|wⱼ|" + (" + ½ Σ qⱼwⱼ²" if squares else ""),
        expression=f"e / 2 + {costs}" + (" + squares" if squares else ""),
        values={"e": error, **values} | ({"squares": squares} if squares else {}),
        of=("history_", -1) if len(model.target_names_) == 1 else (),
        note="e = ‖r‖²/n, v = |w|.",
    )
    free, gap = bool((price.l1 == 0.0).any()), float(np.atleast_1d(model.dual_gap_)[k])
    paid, gained, size, delta = gap_parts(price, LassoState(w, of_target(model.correlation_, k), error))
    yield Step(
        "It is above its minimum by no more than the duality gap",
        formula="gap = Σ lⱼ|wⱼ| − wᵀg + δwᵀg + ½δ²(‖r‖²/n + Σ qⱼwⱼ²),  gⱼ = xⱼᵀr/n − qⱼwⱼ",
        expression="max(0, paid - gained + delta * gained + delta**2 * size / 2)",
        values={"paid": paid, "gained": gained, "delta": delta, "size": size},
        of=() if free else ("dual_gap_",) if model.coef_.ndim == 1 else ("dual_gap_", k),
        note="(1 − δ)r/n is a point of the dual problem: it goes along with no column by more than lⱼ."
        + (f" With what columns without an L1 price may still gain, it is {gap:.3g}." if free else ""),
    )


def choice_step(model: Lasso, k: int) -> Step:
    """The errors of folds that were left out, and the penalty that was chosen."""
    flat = model.cv_error_.ndim == 1
    error, spread = (e if flat else e[:, k] for e in (model.cv_error_, model.cv_std_error_))
    best = int(np.argmin(error))
    alpha = float(np.broadcast_to(model.alpha_, len(model.target_names_))[k])
    shown = np.sort(np.argsort(error, kind="stable")[:SHOWN])
    rows = tuple((float(model.alphas_[i]), float(error[i]), float(spread[i])) for i in shown)
    drawn = np.argsort(model.alphas_)
    drawn = drawn[model.alphas_[drawn] > 0.0]
    values = {f"e_{i + 1}": float(error[i]) for i in shown}
    rule = "has the least error" if model.choice == "best" else "is the largest within one standard error of the least"
    return Step(
        f"α = {alpha:.6g} {rule}",
        formula="E(α) = mean squared error of rows that were left out, fold by fold",
        expression=f"min({', '.join(values)})",
        values=values,
        of=("cv_error_", best) if flat else ("cv_error_", best, k),
        table=WorkTable(
            ("α", "error", "standard error"),
            rows,
            f"The {len(shown)} least of {len(error)}." if len(shown) < len(error) else "",
        ),
        figure=curve_figure(
            np.log10(model.alphas_[drawn]),
            {"left out": error[drawn]},
            bands={"left out": np.column_stack([(error - spread)[drawn], (error + spread)[drawn]])},
            title="Error of rows that were left out, and its standard error",
            xlabel="log₁₀ α",
            ylabel="mean squared error",
        )
        if len(drawn) > 1
        else None,
    )
