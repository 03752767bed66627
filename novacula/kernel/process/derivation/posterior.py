"""The work of a Gaussian process: the matrix, its Cholesky factor, α, and the likelihood term by term."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from novacula.kernel.process.cholesky import inverse_diagonal
from novacula.kernel.process.derivation.terms import CORNER, pair_equation, row_equation
from novacula.kernel.process.evidence import ProcessEvidence
from novacula.learner.derivation import cut_table, heaviest, indexed_corner
from novacula.learner.figure import curve_figure
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Step, Work, WorkTable
from novacula.mathematics import Equation
from novacula.table.chunk import Floats
from novacula.words import counted

if TYPE_CHECKING:
    from novacula.kernel.process.fitted import FittedProcess

EQUATIONS = 2
"""Rows of L and of Cα = y that are written out, unless everything is asked for."""


class ShownTargets(NamedTuple):
    """The targets of a fit as the process learns them: with mean 0 and variance 1 if it normalises them."""

    scaled: Floats  # (n, k)
    last: tuple[int, ...]  # what follows in a path to a number of the first target

    @classmethod
    def of(cls, model: FittedProcess) -> ShownTargets:
        """Those of a fitted process."""
        target = model.examples_["target"]
        scaled = (target.reshape(len(target), -1) - model.y_mean_) / model.y_std_
        return cls(scaled, () if target.ndim == 1 else (0,))

    def notes(self, model: FittedProcess) -> list[str]:
        """What is to be said of them."""
        scale = (
            ["Targets are on the scale that the model learns on: mean 0 and variance 1."] if model.normalize_y else []
        )
        return [*scale, *(["Only the first of the targets, which share ⟦C⟧, is derived."] if self.last else [])]


def derive_posterior(model: FittedProcess, options: WorkOptions) -> Work:
    """From the prior to the likelihood."""
    targets, held = ShownTargets.of(model), model.examples_
    evidence = ProcessEvidence(held["rows"], held["weight"], targets.scaled, model.jitter_)
    matrix, factor = evidence.covariance(model.kernel_, model.noise_), model.cholesky()
    dual = model.alpha().reshape(targets.scaled.shape)
    rows = min(len(matrix), CORNER if options.is_full else EQUATIONS)
    steps = [_prior_step(model), *_scale_steps(model)]
    steps += [*_factor_steps(model, matrix, factor, rows), *_dual_steps(model, targets, matrix, dual[:, 0], rows)]
    likelihood = ("log_marginal_likelihood_",)
    steps += likelihood_steps(evidence, factor, dual, model.noise_, likelihood)
    steps += _left_out_steps(model, targets, factor, float(dual[0, 0]))
    if len(model.history_) > 1:
        steps.append(_search_step(model))
    if model.has_figure:
        steps.append(Step("The posterior over the column", figure=model.figure()))
    return Work("Gaussian process regression", steps, targets.notes(model))


def _prior_step(model: FittedProcess) -> Step:
    """The kernel and the noise, and how the likelihood changes with each parameter."""
    _, slopes = model.log_marginal_likelihood(return_gradient=True)
    rows = tuple(
        (name, math.exp(value), float(slope))
        for name, value, slope in zip(model.theta_names_, model.theta_, slopes, strict=True)
    )
    prior = (
        Equation("f", "GP(0, k)", sign="~"),
        Equation("y[i]", "f(x[i]) + ε[i]"),
        Equation("ε[i]", "N(0, σ**2)", sign="~"),
    )
    header = ("parameter ⟦θ⟧", "value", "slope of ⟦log(p(y))⟧ by ⟦log(θ)⟧")
    note = f"k = {model.kernel_!r}, ⟦σ**2⟧ = ⟦{model.noise_!r}⟧."
    return Step("Prior and noise", prior, WorkTable(header, rows) if rows else None, note=note)


def _scale_steps(model: FittedProcess) -> Iterator[Step]:
    """Mean and deviation of the first target, where it is brought to another scale."""
    if not model.normalize_y:
        return
    weight = model.examples_["weight"]
    target = model.examples_["target"].reshape(len(weight), -1)[:, 0]
    mean, std, total = float(model.y_mean_[0]), float(model.y_std_[0]), float(weight.sum())
    sums: tuple[Any, ...] = (
        ("m", "sum(w[i] * t[i] for i in _) / N", weight * target, {}, ("y_mean_", 0)),
        (
            "s",
            "sqrt(sum(w[i] * (t[i] - m)**2 for i in _) / N)",
            weight * (target - mean) ** 2,
            {"m": mean},
            ("y_std_", 0),
        ),
    )
    equations = []
    for left, formula, terms, more, of in sums:
        shown, rest = heaviest(terms)
        values = {"w": weight[shown], "t": target[shown], "N": total, **more}
        where = {"t": "the targets as they came", "w": "the weight of each row", "N": "the weight of all rows"}
        equations.append(Equation(left, formula, values, of, where, rest))
    varies = bool(np.isclose(equations[1].value, std))
    equations = equations if varies else equations[:1]
    scaled = Equation("y[1]", "(t[1] - m) / s", {"t[1]": float(target[0]), "m": mean, "s": std})
    note = "" if varies else "All targets are the same, so that they keep their unit."
    yield Step("The scale of the targets", (*equations, scaled), note=note)


def _factor_steps(model: FittedProcess, matrix: Floats, factor: Floats, rows: int) -> Iterator[Step]:
    """C, and the first entries of L."""
    weight, kernel = model.examples_["weight"], model.kernel_
    values = {"k(x[1], x[1])": _own_kernel(model), "σ**2": model.noise_}
    formula = "k(x[1], x[1]) + σ**2"
    if weight[0] != 1.0:
        formula, values["w[1]"] = f"{formula} / w[1]", float(weight[0])
    if model.jitter_:
        formula, values["j"] = f"{formula} + j", model.jitter_
    where = {name: words for name, words in (("w[1]", "its weight"), ("j", "added against rounding")) if name in values}
    own = Equation("C[1, 1]", formula, {**values, "C[1, 1]": float(matrix[0, 0])}, where=where)
    title = "The covariances ⟦C⟧ of the targets"
    yield Step(title, (*pair_equation(kernel, model.examples_["rows"]), own), indexed_corner(matrix, CORNER))
    entries = tuple(_factor_entry(matrix, factor, i, j) for i in range(rows) for j in range(i + 1))
    product = Equation("C", "L @ L.T", where={"L": "a lower triangle"})
    yield Step("Cholesky's factor ⟦L⟧", (product, *entries), indexed_corner(factor, CORNER))


def _own_kernel(model: FittedProcess) -> float:
    """k of the first row with itself; of a matrix that was given, what it holds."""
    rows = model.examples_["rows"]
    return float(rows[0, 0] if model.kernel_.precomputed else model.kernel_.block_diagonal(rows[:1])[0])


def _factor_entry(matrix: Floats, factor: Floats, i: int, j: int) -> Equation:
    """An entry of L from those before it."""
    place, own, row = f"[{i + 1}, {j + 1}]", f"L[{j + 1}, {j + 1}]", f"L[{i + 1}, m]"
    values: dict[str, Any] = {f"C{place}": float(matrix[i, j])}
    if i == j:
        taken = f" - sum({row}**2 for m in _)" if j else ""
        formula = f"sqrt(C{place}{taken})"
    else:
        above = f"L[{j + 1}, m]"
        formula = f"(C{place} - sum({row} * {above} for m in _)) / {own}" if j else f"C{place} / {own}"
        values |= {own: float(factor[j, j]), **({above: factor[j, :j]} if j else {})}
    return Equation(f"L{place}", formula, values | ({row: factor[i, :j]} if j else {}), of=("cholesky", i, j))


def _dual_steps(model: FittedProcess, targets: ShownTargets, matrix: Floats, dual: Floats, rows: int) -> Iterator[Step]:
    """α, and the equations that its first entries fulfil."""
    weight, target = model.examples_["weight"], targets.scaled[:, 0]
    cells = ((i + 1, *map(float, row)) for i, row in enumerate(zip(weight, target, dual, strict=True)))
    table = cut_table(("row", "weight", "⟦y⟧", "⟦α⟧"), cells, len(dual), most=CORNER)
    yield Step("The coefficients ⟦α⟧", (Equation("L @ z", "y"), Equation("L.T @ α", "z")), table)
    for i in range(rows):
        of: tuple[str | int, ...] = ("alpha", i, *targets.last)
        yield Step(f"Row {i + 1} of ⟦C @ α⟧ = ⟦y⟧", row_equation(("C", "α", "y"), i, matrix, dual, target, of))


# --- how probable the targets were --------------------------------------------------------------------------


def likelihood_steps(
    evidence: ProcessEvidence, factor: Floats, dual: Floats, noise: float, of: tuple[str | int, ...]
) -> Iterator[Step]:
    """Fit, complexity, constant, and their sum, which the model keeps at `of`."""
    target, weight, k = evidence.target, evidence.weight, evidence.target.shape[1]
    shown, rest = heaviest((target * dual).ravel())
    pairs = {"y": target.ravel()[shown], "α": dual.ravel()[shown]}
    fit = Equation("F", "-sum(y[i] * α[i] for i in _) / 2", pairs, rest=rest, where={"F": "how well the targets fit"})
    yield Step("Fit", fit)
    logs, rest = heaviest(np.log(np.diagonal(factor)))
    held: dict[str, Any] = {"L[i, i]": np.diagonal(factor)[logs]}
    formula, meaning = "-sum(log(L[i, i]) for i in _)", "⟦-log(det(C)) / 2⟧"
    if k > 1:
        formula, held["K"], meaning = f"K * ({formula})", k, f"{meaning} for each of ⟦K⟧ targets"
    rich = Equation("D", formula, held, rest=rest, where={"D": meaning})
    yield Step("Complexity", rich, note="It is the lower, the more different targets could be expected.")
    constant = Equation("Z", "-n / 2 * log(2 * π)", {"n": dual.size}, where={"n": "numbers that are targets"})
    yield Step("Constant", constant)
    terms = {"F": fit.value, "D": rich.value, "Z": constant.value}
    if (repeated := _repetitions(weight, noise, k)) is not None:
        yield Step("Repetitions of rows", repeated, note="They do not depend on the function.")
        terms["R"] = repeated.value
    rule = Equation("log(p(y))", "-dot(y, α) / 2 - log(det(C)) / 2 - n / 2 * log(2 * π)")
    whole = Equation("log(p(y))", " + ".join(terms), terms, of)
    yield Step("Log marginal likelihood", (rule, whole) if k == 1 and len(terms) == 3 else whole)


def _repetitions(weight: Floats, noise: float, k: int) -> Equation | None:
    """What repetitions of rows add, where there are any."""
    if not noise > 0.0 or (weight == 1.0).all():
        return None
    terms = (weight - 1.0) * math.log(2.0 * math.pi * noise) + np.log(weight)
    shown, rest = heaviest(terms)
    body = "sum((w[i] - 1) * log(2 * π * σ**2) + log(w[i]) for i in _)"
    values: dict[str, Any] = {"w": weight[shown], "σ**2": noise}
    formula = f"-K / 2 * {body}" if k > 1 else f"-{body} / 2"
    return Equation("R", formula, values | ({"K": k} if k > 1 else {}), rest=rest)


def _left_out_steps(model: FittedProcess, targets: ShownTargets, factor: Floats, first: float) -> Iterator[Step]:
    """The first row's target as the others see it, where that row stands for itself alone."""
    if model.examples_["weight"][0] != 1.0 or len(factor) < 2:
        return
    values = {"y[1]": targets.scaled[0, 0], "α[1]": first, "inv(C)[1, 1]": inverse_diagonal(factor)[0]}
    formula, values = in_units(model, "y[1] - α[1] / inv(C)[1, 1]", values)
    of: tuple[str | int, ...] = ("leave_one_out", "mean", 0, *targets.last)
    yield Step("The first row left out", Equation("μ[1]", formula, values, of))


def _search_step(model: FittedProcess) -> Step:
    """How the likelihood rose."""
    figure = curve_figure(
        np.arange(len(model.history_)),
        {"ln p(y)": model.history_},
        title="The likelihood of the targets during the search",
        xlabel="step",
        ylabel="ln p(y)",
    )
    end = "came to its end" if model.converged_ else "stopped before its end"
    note = (
        f"L-BFGS over the logarithms {end} after {counted(model.n_iter_, 'step')}; work(iteration=1) shows the first."
    )
    return Step("The search", figure=figure, note=note)


def in_units(model: FittedProcess, formula: str, values: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """A formula in the units of the first target, where that was brought to another scale."""
    if not model.normalize_y:
        return formula, values
    return f"m + s * ({formula})", {**values, "m": float(model.y_mean_[0]), "s": float(model.y_std_[0])}
