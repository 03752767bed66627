"""The work of principal components: the covariance, Cv = λv row by row, shares, and scores as sums."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from novacula.learner.figure import few_digits
from novacula.learner.worded_step import WordedStep as Step
from novacula.learner.work import Work, WorkTable
from novacula.projection.spectrum import covariance_of
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.projection.components import ComponentLearner

FEW = 6
"""Columns up to which the covariance is shown, and every row of Cv = λv."""
DERIVED = 3
"""Directions whose equations are written out, and scores of a row."""
SHARES = 10
"""Directions whose shares are written out."""
TERMS = 8
"""Terms of a sum that are written out; the others are one number."""
SHOWN = 20
"""Rows of a table."""
ROWS = 5
"""Rows of X whose scores are derived."""
TELLING = 1e-6
"""Eigenvalues below this share of the largest are lost in the digits of C, so that Cv cannot show them."""


def derive_components(model: ComponentLearner) -> Work:
    """The work of fitted directions."""
    steps = [Step("What is sought", formula="C = Σ (x − μ)(x − μ)ᵀ / (N − 1),  Cv = λv,  ‖v‖ = 1")]
    steps += covariance_steps(model) if model.moments_ is not None else factor_steps(model)
    steps.append(direction_table(model))
    steps += share_steps(model)
    steps.append(Step("The variance of all directions", figure=model.scree()))
    return Work("Principal components", steps, notes(model))


def notes(model: ComponentLearner) -> list[str]:
    """What is left out of the work, and what the numbers mean."""
    d, k = len(model.mean_), len(model.components_)
    said = [f"N = {model.n_samples_:g}, the sum of the weights. The largest entry of a direction is positive."]
    if model.method_ == "em":
        said.append("C is what the known values let expect: its sums were found by EM.")
    if d > FEW:
        said.append(f"Sums over {d} columns show their {TERMS} largest terms.")
    if k > DERIVED and model.moments_ is not None:
        said.append(f"Equations are written out for up to {DERIVED} of {k} directions.")
    return said


# --- directions ---------------------------------------------------------------------------------------------


def covariance_steps(model: ComponentLearner) -> Iterator[Step]:
    """The covariance, and the equation that each of the first directions fulfils."""
    assert model.moments_ is not None  # noqa: S101  (the caller checked it)
    covariance, d = covariance_of(model.moments_), len(model.mean_)
    first = int(np.argmax(np.diagonal(covariance)))
    yield Step(
        f"Variance of {model.schema_.column_names([first])[0]}",
        formula="C_jj = Σ (x_j − μ_j)² / (N − 1)",
        expression="S / (N - 1)",
        values={"S": float(covariance[first, first] * (model.n_samples_ - 1.0)), "N": model.n_samples_},
        result=float(covariance[first, first]),
    )
    if d <= FEW:
        names = model.schema_.column_names(range(d))
        rows = [(name, *row) for name, row in zip(names, covariance.tolist(), strict=True)]
        yield Step("The covariance C", table=WorkTable(("", *names), tuple(rows)))
    for i in np.flatnonzero(model.explained_variance_ >= TELLING * model.explained_variance_[0])[:DERIVED]:
        yield from equation_steps(model, covariance, int(i))


def equation_steps(model: ComponentLearner, covariance: Floats, i: int) -> Iterator[Step]:
    """Cv = λv for direction i: rows of it, and λ = vᵀCv."""
    v, variance = model.components_[i], float(model.explained_variance_[i])
    rows = np.arange(len(v)) if len(v) <= FEW else np.sort(np.argsort(-np.abs(v), kind="stable")[:DERIVED])
    for j in map(int, rows):
        total, values = product_sum(f"c_{j + 1}", covariance[j], "v", v)
        yield Step(
            f"Direction {i + 1}, row {j + 1} of Cv = λv",
            formula=f"Σ c_jl · v_l = λ · v_j,  λ = {few_digits(variance)},  v_j = {few_digits(v[j])}",
            expression=total,
            values=values,
            result=variance * float(v[j]),
        )
    total, values = product_sum("v", v, "y", covariance @ v)
    yield Step(
        f"Variance along direction {i + 1}",
        formula="λ = Σ v_j · y_j,  y = Cv",
        expression=total,
        values=values,
        of=("explained_variance_", i),
    )


def factor_steps(model: ComponentLearner) -> Iterator[Step]:
    """Without a covariance: variances from the lengths of the centred rows along directions."""
    for i in range(min(DERIVED, len(model.components_))):
        yield Step(
            f"Variance along direction {i + 1}",
            formula="λ = s² / (N − 1),  s the length of the centred rows along v",
            expression="s**2 / (N - 1)",
            values={"s": float(model.singular_values_[i]), "N": model.n_samples_},
            of=("explained_variance_", i),
        )


def direction_table(model: ComponentLearner) -> Step:
    """The first directions by column, and the mean."""
    d, k = len(model.mean_), min(DERIVED, len(model.components_))
    weight = np.abs(model.components_[:k]).max(axis=0)
    shown = np.arange(d) if d <= SHOWN else np.sort(np.argsort(-weight, kind="stable")[:SHOWN])
    names = model.schema_.column_names()
    rows = tuple((f"{j + 1}", names[j], float(model.mean_[j]), *model.components_[:k, j].tolist()) for j in shown)
    header = ("j", "column", "μ_j", *(f"v_j of direction {i + 1}" for i in range(k)))
    return Step("The directions", table=WorkTable(header, rows, f"{SHOWN} of {d} columns." if d > SHOWN else ""))


def share_steps(model: ComponentLearner) -> Iterator[Step]:
    """The share of each of the first directions, and what the others have on average."""
    if not model.total_variance_ > 0.0:
        yield Step("Shares of the variance", note="No column varies, so there is nothing to share.")
        return
    k, d = len(model.components_), len(model.mean_)
    for i in range(min(SHARES, k)):
        yield Step(
            f"Share of direction {i + 1}",
            formula="λ / Σ λ",
            expression="lambda_ / total",
            values={"lambda_": float(model.explained_variance_[i]), "total": model.total_variance_},
            of=("explained_variance_ratio_", i),
        )
    if k < d and model.noise_variance_ > 0.0:
        yield Step(
            "Variance of each direction left out, on average",
            formula="σ² = (Σ λ left out) / (d − k)",
            expression="left / (d - k)",
            values={"left": model.noise_variance_ * (d - k), "d": d, "k": k},
            of=("noise_variance_",),
        )


# --- rows ---------------------------------------------------------------------------------------------------


def derive_projection(model: ComponentLearner, x: Floats, filled: Floats, cut: bool) -> Work:
    """The scores of rows x, filled where they miss values; `cut`: there were more rows."""
    steps = [direction_table(model)]
    for r in range(len(x)):
        for i in range(min(DERIVED, len(model.components_))):
            steps.append(score_step(model, filled[r], r, i))
        gaps = np.flatnonzero(np.isnan(x[r]))
        if len(gaps):
            shown = gaps[:SHOWN]
            rows = tuple(zip(model.schema_.column_names(shown), filled[r, shown].tolist(), strict=True))
            table = WorkTable(("missing column", "expected value"), rows)
            steps.append(Step(f"Row {r + 1}: what the model expects", table=table))
    said = [f"Only the first {len(x)} rows are derived."] if cut else []
    k = len(model.components_)
    if k > DERIVED:
        said.append(f"Only the first {DERIVED} of {k} scores are derived.")
    return Work("Scores along principal components", steps, said)


def score_step(model: ComponentLearner, x: Floats, r: int, i: int) -> Step:
    """Score i of row r, as a sum over columns."""
    v, mean = model.components_[i], model.mean_
    products = v * (x - mean)
    shown, left = largest(products)
    terms = [f"v_{j + 1} * (x_{j + 1} - m_{j + 1})" for j in shown]
    values: dict[str, float] = {}
    for j in shown:
        values |= {f"v_{j + 1}": float(v[j]), f"x_{j + 1}": float(x[j]), f"m_{j + 1}": float(mean[j])}
    if left is not None:
        terms.append("rest")
        values["rest"] = left
    total, formula = " + ".join(terms), "z = Σ v_j (x_j − μ_j)"
    variance = float(model.explained_variance_[i])
    if model.whiten and variance > 0.0:
        total, formula = f"({total}) / sqrt(lambda_)", f"{formula} / √λ"
        values["lambda_"] = variance
    return Step(f"Row {r + 1}, score {i + 1}", formula, total, values, of=("transform", r, i))


def product_sum(one: str, left: Floats, other: str, right: Floats) -> tuple[str, dict[str, float]]:
    """Σ left·right as an expression, and the values of its names; small terms are one number together."""
    shown, rest = largest(left * right)
    terms = [f"{one}_{j + 1} * {other}_{j + 1}" for j in shown]
    values: dict[str, float] = {}
    for j in shown:
        values |= {f"{one}_{j + 1}": float(left[j]), f"{other}_{j + 1}": float(right[j])}
    if rest is not None:
        terms.append("rest")
        values["rest"] = rest
    return " + ".join(terms), values


def largest(products: Floats) -> tuple[npt.NDArray[np.intp], float | None]:
    """The places of the largest terms, in order, and the sum of the others; None where there are none."""
    if len(products) <= TERMS:
        return np.arange(len(products)), None
    shown = np.sort(np.argsort(-np.abs(products), kind="stable")[:TERMS])
    return shown, float(np.delete(products, shown).sum())
