"""The work of principal components: the covariance, Cv = λv row by row, shares, and scores as sums."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.learner.derivation import cut_table, largest, only_first
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Step, Work, WorkTable
from novacula.mathematics import Equation
from novacula.mathematics.rounding import without_noise
from novacula.projection.derivation.rebuilding import dual_steps, rebuilt_step
from novacula.projection.spectrum import covariance_of
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.projection.components import ComponentLearner

FEW = 6
"""Columns up to which the covariance is shown, and every row of Cv = λv."""
DERIVED = 3
"""Directions whose equations are written out, and scores of a row, unless everything is asked for."""
SHARES = 10
"""Directions whose shares are written out."""
SHOWN = 20
"""Rows of a table."""
TELLING = 1e-6
"""Eigenvalues below this share of the largest are lost in the digits of C, so that Cv cannot show them."""
RULES = (
    Equation("C", "sum((x[i] - μ) @ (x[i] - μ).T for i in _) / (n - 1)"),
    Equation("C @ v", "λ * v"),
    Equation("norm(v)", "1"),
)
"""What is sought."""


def derive_components(model: ComponentLearner, options: WorkOptions) -> Work:
    """The work of fitted directions."""
    most = len(model.components_) if options.is_full else DERIVED
    steps = [Step("What is sought", RULES)]
    steps += _covariance_steps(model, most) if model.moments_ is not None else _factor_steps(model, most)
    steps.append(_direction_table(model))
    steps += _share_steps(model, len(model.components_) if options.is_full else SHARES)
    steps.append(Step("The variance of all directions", figure=model.scree()))
    return Work("Principal components", steps, _notes(model, most))


def _notes(model: ComponentLearner, most: int) -> list[str]:
    """What is left out of the work, and what the numbers mean."""
    said = [f"⟦n⟧ is ⟦{model.n_samples_!r}⟧, the sum of the weights. The largest entry of a direction is positive."]
    if model.method_ == "em":
        said.append("⟦C⟧ is what the known values let expect: its sums were found by EM.")
    if model.moments_ is not None:
        said += only_first(min(most, len(model.components_)), len(model.components_), "direction")
    return said


# --- directions ---------------------------------------------------------------------------------------------


def _covariance_steps(model: ComponentLearner, most: int) -> Iterator[Step]:
    """The covariance, and the equation that each of the first directions fulfils."""
    assert model.moments_ is not None  # noqa: S101  (the caller checked it)
    covariance, d = covariance_of(model.moments_), len(model.mean_)
    j = int(np.argmax(np.diagonal(covariance)))
    values = {f"S[{j + 1}, {j + 1}]": float(model.moments_.scatter[j, j]), "n": model.n_samples_}
    where = {f"S[{j + 1}, {j + 1}]": "the sum of squares about the mean, which the fit kept"}
    variance = Equation(f"C[{j + 1}, {j + 1}]", f"S[{j + 1}, {j + 1}] / (n - 1)", values, where=where)
    yield Step(f"Variance of {model.schema_.column_names([j])[0]}", variance)
    if d <= FEW:
        names = model.schema_.column_names(range(d))
        rows = [(name, *row) for name, row in zip(names, covariance.tolist(), strict=True)]
        yield Step("The covariance ⟦C⟧", table=WorkTable(("", *names), tuple(rows)))
    told = np.flatnonzero(model.explained_variance_ >= TELLING * model.explained_variance_[0])
    for i in told[:most]:
        yield _equation_step(model, covariance, int(i))


def _equation_step(model: ComponentLearner, covariance: Floats, i: int) -> Step:
    """Cv = λv for direction i: rows of it, and λ = vᵀCv."""
    v, n, variance = model.components_[i], i + 1, float(model.explained_variance_[i])
    rows = range(len(v)) if len(v) <= FEW else largest(v, DERIVED)
    equations = []
    for j in rows:
        values = {f"C[{j + 1}, l]": covariance[j], f"v_{n}[l]": v, f"λ_{n}": variance, f"v_{n}[{j + 1}]": float(v[j])}
        equations.append(Equation(f"λ_{n} * v_{n}[{j + 1}]", f"sum(C[{j + 1}, l] * v_{n}[l] for l in _)", values))
    product = {f"v_{n}[j]": v, "y[j]": covariance @ v}
    right = f"sum(v_{n}[j] * y[j] for j in _)"
    where = {"y[j]": "row j of C v"}
    equations.append(Equation(f"λ_{n}", right, product, ("explained_variance_", i), where))
    return Step(f"Direction {n}: rows of ⟦C @ v⟧ and its variance", tuple(equations))


def _factor_steps(model: ComponentLearner, most: int) -> Iterator[Step]:
    """Without a covariance: variances from the lengths of the centred rows along directions."""
    yield from dual_steps(model, most)
    for i in range(min(most, len(model.components_))):
        values = {"s": float(model.singular_values_[i]), "n": model.n_samples_}
        where = {"s": "the length of the centred rows along v"}
        variance = Equation(f"λ_{i + 1}", "s**2 / (n - 1)", values, ("explained_variance_", i), where)
        yield Step(f"Variance along direction {i + 1}", variance)


def _direction_table(model: ComponentLearner) -> Step:
    """The first directions by column, and the mean."""
    d, k = len(model.mean_), min(DERIVED, len(model.components_))
    shown = largest(np.abs(model.components_[:k]).max(axis=0), SHOWN)
    names = model.schema_.column_names()
    directions = without_noise(model.components_[:k], 1.0)  # of length 1, so that their entries are known up to that
    rows = [(j + 1, names[j], float(model.mean_[j]), *directions[:, j].tolist()) for j in shown]
    header = ("⟦j⟧", "column", "⟦μ[j]⟧", *(f"⟦v_{i + 1}[j]⟧" for i in range(k)))
    caption = f"{SHOWN} of {d} columns." if d > SHOWN else ""
    return Step("The directions", table=cut_table(header, rows, len(rows), caption))


def _share_steps(model: ComponentLearner, most: int) -> Iterator[Step]:
    """The share of each of the first directions, and what the others have on average."""
    if not model.total_variance_ > 0.0:
        yield Step("Shares of the variance", note="No column varies, so there is nothing to share.")
        return
    k, d = len(model.components_), len(model.mean_)
    total = {"Λ": model.total_variance_}
    where = {"Λ": "the variance of all directions together"}
    for i in range(min(most, k)):
        own, n = {f"λ_{i + 1}": float(model.explained_variance_[i]), **total}, i + 1
        share = Equation(f"r_{n}", f"λ_{n} / Λ", own, ("explained_variance_ratio_", i), where)
        yield Step(f"Share of direction {n}", share)
    if k < d and model.noise_variance_ > 0.0:
        values: dict[str, Any]
        if model.method_ == "randomized":  # not all eigenvalues are known
            values, right = {**total, "λ[i]": model.explained_variance_}, "(Λ - sum(λ[i] for i in _)) / (d - k)"
        else:
            left = {str(i + 1): float(model.eigenvalues_[i]) for i in range(k, len(model.eigenvalues_))}
            values, right = {"λ[i]": left}, "sum(λ[i] for i in _) / (d - k)"
        rest = Equation("σ**2", right, {**values, "d": d, "k": k}, ("noise_variance_",))
        yield Step("Variance of each direction left out, on average", rest)


# --- rows ---------------------------------------------------------------------------------------------------


def derive_projection(model: ComponentLearner, x: Floats, filled: Floats, cut: bool, options: WorkOptions) -> Work:
    """The scores of rows x, filled where they miss values; `cut`: there were more rows."""
    steps, k = [_direction_table(model)], len(model.components_)
    most = k if options.is_full else min(DERIVED, k)
    for r in range(len(x)):
        steps += [_score_step(model, filled[r], r, i) for i in range(most)]
        gaps = np.flatnonzero(np.isnan(x[r]))
        if not len(gaps):
            steps.append(rebuilt_step(model, x[r], r, options.is_full))
        else:
            rows = list(zip(model.schema_.column_names(gaps), filled[r, gaps].tolist(), strict=True))
            table = cut_table(("missing column", "expected value"), rows, len(rows))
            steps.append(Step(f"Row {r + 1}: what the model expects", table=table))
    said = [f"Only the first {len(x)} rows are derived."] if cut else []
    return Work("Scores along principal components", steps, said + only_first(most, k, "score"))


def _score_step(model: ComponentLearner, x: Floats, r: int, i: int) -> Step:
    """Score i of row r, as a sum over columns."""
    n, row = i + 1, r + 1
    values = {f"v_{n}[j]": model.components_[i], f"x_{row}[j]": x, "μ[j]": model.mean_}
    right = f"sum(v_{n}[j] * (x_{row}[j] - μ[j]) for j in _)"
    if model.whiten and model.explained_variance_[i] > 0.0:
        right, values = f"{right} / sqrt(λ_{n})", {**values, f"λ_{n}": model.explained_variance_[i]}
    return Step(f"Row {row}, score {n}", Equation(f"z[{row}, {n}]", right, values, ("transform", r, i)))
