"""The work of the lasso: where it starts, what each weight is, why the others are zero, and how good it is.

At the solution each weight is the best one given the others, wⱼ = S(zⱼ, lⱼ) / (aⱼⱼ + qⱼ), where zⱼ is how the column
goes along with what the others leave, and S(z, l) = sign(z)·max(|z| − l, 0) is the soft threshold.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.learner.derivation import TABLE_ROWS
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Step, Work, WorkTable
from novacula.linear.derivation.least_squares import objective_step
from novacula.linear.derivation.normal_equations import equations, intercept_step
from novacula.linear.derivation.penalty_choice import TriedPenalties, choice_step
from novacula.linear.lasso.working_set import LassoPrice, LassoState, Places, gap_parts
from novacula.linear.plane import TARGETS, cap_notes, coefficient_table, limit_step, of_target, place, shown_targets
from novacula.mathematics import Equation
from novacula.words import counted

if TYPE_CHECKING:
    from novacula.linear.lasso.regression import Lasso

EQUATIONS = 6
"""Weights whose equations are shown, unless everything is asked for."""
DIGITS = 1e-9
"""What rounding and the stopping rule may leave of a weight for its equation to be held to it."""
RESIDUAL = "⟦r⟧ is the residual, ⟦e⟧ its mean square."


def derive_lasso(model: Lasso, options: WorkOptions) -> Work:
    """The work of a fitted lasso."""
    squares = "" if model.l1_ratio == 1.0 else " + α * (1 - ρ) / 2 * sum(f[j] * w[j]**2 for j in _)"
    cost = f"sum((y[i] - ŷ[i])**2 for i in _) / (2 * n) + α * ρ * sum(f[j] * abs(w[j]) for j in _){squares}"
    note = f"⟦ρ⟧ = ⟦{float(model.l1_ratio)!r}⟧ is the share of absolute values, ⟦f[j]⟧ the factor of a column."
    limit = " No weight may be negative." if model.positive else ""
    steps, targets = [objective_step(model, "P(w, b)", cost, note + limit)], shown_targets(model, options.is_full)
    if hasattr(model, "cv_error_"):
        steps += [left_out_step(model, k) for k in targets]
    for k in targets:
        steps += target_steps(model, k, options.is_full)
    notes = cap_notes(model, options.is_full)
    if not model.converged_:
        notes.append("The fit did not converge, so the equations hold only nearly, and are not held to the weights.")
    return Work(f"Lasso for {', '.join(model.target_names_[:TARGETS])}", steps, notes)


def derive_round(model: Lasso, iteration: int, options: WorkOptions) -> Work:
    """One round of the first target: the weights before, the columns that want to enter, and the weights after."""
    d, price, path = model.n_features_in_, price_of(model, 0), model.trace_.path
    before, after = (LassoState(s[:d], s[d:-1], float(s[-1])) for s in path.step(iteration, (2 * d + 1,)))
    row = int(np.searchsorted(path.iterations, iteration))
    alone = len(model.target_names_) == 1
    steps = [
        Step("The objective before it", objective(before, price, ("history_", iteration - 1) if alone else ())),
        entering_step(model, before, price),
        letters_step(model, price),
    ]
    changed = np.flatnonzero(after.coef)
    shown = changed[np.argsort(-np.abs(after.coef[changed]), kind="stable")[: None if options.is_full else EQUATIONS]]
    steps += [weight_step(model, 0, j, price, after, ("trace_", "path", "states", row)) for j in shown.tolist()]
    steps.append(Step("The objective after it", objective(after, price, ("history_", iteration) if alone else ())))
    return Work(f"Round {iteration} of the lasso for {model.target_names_[0]}", steps)


def price_of(model: Lasso, k: int) -> LassoPrice:
    """What the weights of target k cost."""
    alpha = float(np.broadcast_to(model.alpha_, len(model.target_names_))[k])
    return LassoPrice.of(alpha, model.l1_ratio, model.column_factors(), model.positive)


def target_steps(model: Lasso, k: int, is_full: bool) -> Iterator[Step]:
    """The steps of one target."""
    price, w = price_of(model, k), of_target(model.coef_, k)
    state = LassoState(w, of_target(model.correlation_, k), float(np.atleast_1d(model.error_)[k]))
    if model.l1_ratio > 0.0:
        yield start_step(model, k)
    active = np.flatnonzero(w)
    shown = active[np.argsort(-np.abs(w[active]), kind="stable")[: None if is_full else EQUATIONS]]
    if len(shown):
        yield letters_step(model, price)
    for j in shown.tolist():
        yield weight_step(model, k, j, price, state, place(model, "coef_", k))
    idle = np.flatnonzero((w == 0.0) & (model.squares_ > 0.0))
    if len(idle):
        closest = idle[np.argsort(price.l1[idle] - price.pull(state.correlation[idle]), kind="stable")[:TABLE_ROWS]]
        caption = f"The {len(closest)} of {len(idle)} that are closest to having one." * (len(closest) < len(idle))
        pull = "dot(x[j], r) / n" if model.positive else "abs(dot(x[j], r)) / n"
        table = correlation_table(model, closest, state, price, caption)
        yield Step("Columns without a weight", Equation(pull, "l[j]", sign="≤"), table=table)
    yield Step("The objective", objective(state, price, ("history_", -1) if len(model.target_names_) == 1 else ()))
    yield gap_step(model, k, price, state)
    yield limit_step(model, k, model.column_factors(), float(model.l1_ratio))
    yield coefficient_table(model, k)
    yield intercept_step(model, k)


def start_step(model: Lasso, k: int) -> Step:
    """The least penalty that makes all weights zero."""
    factor, system, largest = model.column_factors(), equations(model), float(np.atleast_1d(model.alpha_max_)[k])
    free, along = bool((factor == 0.0).any()), "max(0, c[j])" if model.positive else "abs(c[j])"
    values: dict[str, Any] | None = None
    of: tuple[str | int, ...] = ()
    if system is not None and system.varies.any() and not free:
        live = np.flatnonzero(system.varies)
        values = {"c": system.cross[live, k] / system.weight, "ρ": float(model.l1_ratio), "f": factor[live]}
        of = place(model, "alpha_max_", k)
    left = " of what the free columns leave" if free else ""
    return Step(
        f"From ⟦α⟧ = ⟦{largest!r}⟧ on, all weights{' that cost something' if free else ''} are zero",
        Equation("α_max", f"max({along} / (ρ * f[j]) for j in _)", values, of),
        note=f"⟦c[j]⟧ is ⟦dot(x[j], y) / n⟧, how a column goes along with the target{left}.",
    )


def letters_step(model: Lasso, price: LassoPrice) -> Step:
    """What the letters of the weights' equations mean."""
    about = "Columns and target are about their means. " if model.fit_intercept else ""
    rows = (Equation("l[j]", "α * ρ * f[j]"), *([Equation("q[j]", "α * (1 - ρ) * f[j]")] if price.l2.any() else []))
    if model.moments_ is None:
        return Step("Columns with a weight go along with the residual by what they cost", rows, note=about + RESIDUAL)
    sums = (Equation("A[j, k]", "dot(x[j], x[k]) / n"), Equation("c[j]", "dot(x[j], y) / n"))
    return Step("Each weight is the best one given the others", (*sums, *rows), note=about.strip())


def weight_step(model: Lasso, k: int, j: int, price: LassoPrice, state: LassoState, of: tuple[str | int, ...]) -> Step:
    """One weight by the soft threshold of how its column goes along with what the others leave; `of` are all."""
    [name], i, w, system = model.schema_.column_names([j]), j + 1, state.coef, equations(model)
    quadratic = {f"q[{i}]": float(price.l2[j])} if price.l2[j] else {}
    values: dict[str, Any] = {f"l[{i}]": float(price.l1[j]), **quadratic}
    if system is None:
        held_at = of if of[0] == "trace_" else place(model, "correlation_", k)
        at = (*held_at, model.n_features_in_ + j) if of[0] == "trace_" else (*held_at, j)
        right = f"l[{i}] * sign(w[{i}])" + (f" + q[{i}] * w[{i}]" if quadratic else "")
        balance = held(model, Equation(f"dot(x[{i}], r) / n", right, {**values, "w": w}, at), state.correlation[j])
        return Step(f"The weight of {name}", balance)
    gram, cross = system.gram / system.weight, system.cross[:, k] / system.weight
    others = f" - sum(A[{i}, k] * w[k] for k in _ if k != {i})" if len(w) > 1 else ""
    along = Equation(f"z[{i}]", f"c[{i}]{others}", {"c": cross, **({"A": gram, "w": w} if others else {})})
    over = f"max(z[{i}] - l[{i}], 0)" if model.positive else f"sign(z[{i}]) * max(abs(z[{i}]) - l[{i}], 0)"
    values |= {f"z[{i}]": along.value, f"A[{i}, {i}]": float(gram[j, j])}
    under = f"(A[{i}, {i}] + q[{i}])" if quadratic else f"A[{i}, {i}]"
    shrunk = held(model, Equation(f"w[{i}]", f"{over} / {under}", values, (*of, j)), w[j])
    return Step(f"The weight of {name}", (along, shrunk))


def held(model: Lasso, equation: Equation, value: float) -> Equation:
    """The equation, tied to the model if the fit went on until it has the digits that are compared."""
    exact = model.converged_ and abs(equation.value - value) <= DIGITS * abs(value)
    return equation if exact else Equation(equation.left, equation.right, equation.values)


def entering_step(model: Lasso, state: LassoState, price: LassoPrice) -> Step:
    """Columns that go along with the residual by more than they cost."""
    pull = price.pull(state.gradient(price))
    wanting = np.flatnonzero((pull > price.l1) & (model.squares_ > 0.0) & (state.coef == 0.0))
    shown = wanting[np.argsort(price.l1[wanting] - pull[wanting], kind="stable")[:TABLE_ROWS]]
    title = f"{counted(len(wanting), 'column')} without a weight would gain by one"
    condition = "dot(x[j], r) / n" if model.positive else "abs(dot(x[j], r)) / n"
    return Step(title, Equation(condition, "l[j]", sign=">"), correlation_table(model, shown, state, price))


def correlation_table(
    model: Lasso, shown: Places, state: LassoState, price: LassoPrice, caption: str = ""
) -> WorkTable:
    """How columns go along with the residual, and what their weight would cost."""
    cells = (model.schema_.column_names(shown), state.correlation[shown].tolist(), price.l1[shown].tolist())
    return WorkTable(("column", "⟦dot(x[j], r) / n⟧", "⟦l[j]⟧"), tuple(zip(*cells, strict=True)), caption)


def objective(state: LassoState, price: LassoPrice, of: tuple[str | int, ...]) -> Equation:
    """What is made smallest, at some weights."""
    used = np.flatnonzero(state.coef)
    values: dict[str, Any] = {"e": state.error}
    if not len(used):
        return Equation("P", "e / 2", values, of, {"e": "the mean square of the residual"})
    right, values = "e / 2 + sum(l[j] * abs(w[j]) for j in _)", {**values, "l": price.l1[used], "w": state.coef[used]}
    if price.l2.any():
        right, values["q"] = f"{right} + sum(q[j] * w[j]**2 for j in _) / 2", price.l2[used]
    return Equation("P", right, values, of, {"e": "the mean square of the residual"})


def gap_step(model: Lasso, k: int, price: LassoPrice, state: LassoState) -> Step:
    """How far the objective can be above its minimum."""
    gap, free = float(np.atleast_1d(model.dual_gap_)[k]), bool((price.l1 == 0.0).any())
    gradient, used, charged, squared = state.gradient(price), state.coef != 0.0, price.l1 > 0.0, price.l2.any()
    w, rules = {"w": state.coef[used]}, [Equation("g[j]", f"dot(x[j], r) / n{' - q[j] * w[j]' if squared else ''}")]
    parts = [Equation("K", "0", {}), Equation("G", "0", {}), Equation("R", "e", {"e": state.error})]
    if used.any():
        parts[0] = Equation("K", "sum(l[j] * abs(w[j]) for j in _)", {"l": price.l1[used], **w})
        parts[1] = Equation("G", "sum(w[j] * g[j] for j in _)", {"g": gradient[used], **w})
    if used.any() and squared:
        values = {"e": state.error, "q": price.l2[used], **w}
        parts[2] = Equation("R", "e + sum(q[j] * w[j]**2 for j in _)", values)
    known: dict[str, Any] = {part.left: part.value for part in parts}
    pull = "max(0, g[j])" if price.positive else "abs(g[j])"
    if charged.any() and price.pull(gradient)[charged].any() and known["R"] > 0.0:
        over = Equation("o", f"max({pull} / l[j] for j in _)", {"g": gradient[charged], "l": price.l1[charged]})
        values = {"o": over.value, "G": known["G"], "R": known["R"]}
        parts += [over, Equation("δ", "1 - max(0, min(1 + G / R, 1 / o))", values)]
    known["δ"] = parts[-1].value if len(parts) > 3 else gap_parts(price, state)[-1]
    of = () if free else place(model, "dual_gap_", k)
    found = Equation("gap", "max(0, K - (1 - δ) * G + δ**2 / 2 * R)", known, of)
    note = "⟦(1 - δ) * r / n⟧ is a point of the dual problem: it goes along with no column by more than ⟦l[j]⟧."
    if free:
        note += f" With what columns without an L1 price may still gain, the gap is ⟦{gap!r}⟧."
    return Step("It is above its minimum by no more than the duality gap", (*rules, *parts, found), note=note)


def left_out_step(model: Lasso, k: int) -> Step:
    """The errors of folds that were left out, and the penalty that was chosen."""
    flat = model.cv_error_.ndim == 1
    error, spread = (e if flat else e[:, k] for e in (model.cv_error_, model.cv_std_error_))
    alpha = float(np.broadcast_to(model.alpha_, len(model.target_names_))[k])
    tried = TriedPenalties(model.alphas_, error, spread, alpha, model.choice)
    of = ("cv_error_", tried.best) if flat else ("cv_error_", tried.best, k)
    note = "⟦E(α)⟧ is the mean squared error of rows in folds that were left out of the fit, one fold after the other."
    return choice_step(tried, "error of rows left out", (), of, note)
