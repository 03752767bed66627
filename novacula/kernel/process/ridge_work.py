"""The work of kernel ridge regression: rows of (K + λI) a = y, a row left out, and predictions as sums."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from novacula.kernel.process.cholesky import inverse_diagonal
from novacula.kernel.process.dual_ridge import priced, steady_factor, told_apart
from novacula.kernel.process.process_work import EQUATIONS, matrix_step, others_sum
from novacula.learner.worded_step import WordedStep as Step
from novacula.learner.work import Work, WorkTable
from novacula.projection.derivation import product_sum
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.kernel.kernel_ridge import KernelRidge

SHOWN = 5
"""Rows of a table."""


def derive_ridge(model: KernelRidge) -> Work:
    """The equations of the first target."""
    notes = [f"k = {model.kernel_!r}. There is no intercept."]
    if not model._flat:
        notes.append("Only the first target is derived.")
    return Work("Kernel ridge regression", equation_steps(model), notes)


def equation_steps(model: KernelRidge) -> Iterator[Step]:
    """The matrix, the coefficients, equations that they fulfil, and the first row left out."""
    weight, target, dual = model.examples_["weight"], model._targets[:, 0], model.examples_["dual"][:, 0]
    price, n = float(model._prices()[0]), len(weight)
    matrix = priced(model._gram(), weight, price)
    yield Step("What is sought", formula="f(x) = Σ aᵢ k(x, xᵢ),  Σ wᵢ(yᵢ − f(xᵢ))² + λ‖f‖² least")
    yield matrix_step("K + λW⁻¹, W the weights", matrix)
    table = WorkTable(
        ("row", "weight", "y", "a"),
        tuple((str(i + 1), float(weight[i]), float(target[i]), float(dual[i])) for i in range(min(SHOWN, n))),
        f"The first {SHOWN} of {n} rows." if n > SHOWN else "",
    )
    yield Step("The coefficients", formula="(K + λW⁻¹) a = y", table=table)
    factor = steady_factor(matrix.copy())
    yield from spectral_steps(model, matrix) if factor is None else solution_steps(model, matrix, factor)


def solution_steps(model: KernelRidge, matrix: Floats, factor: Floats) -> Iterator[Step]:
    """The equations of the first rows, and what the others say of the first one."""
    weight, target, dual = model.examples_["weight"], model._targets[:, 0], model.examples_["dual"][:, 0]
    last: tuple[int, ...] = () if model._flat else (0,)
    for i in range(min(EQUATIONS, len(dual))):
        total, values = others_sum("k", i, matrix[i], dual)
        yield Step(
            f"Equation of row {i + 1}",
            formula="aᵢ = (yᵢ − Σ kᵢⱼaⱼ) / (kᵢᵢ + λ/wᵢ),  j ≠ i",
            expression=f"(y - ({total})) / k_ii",
            values={**values, "y": float(target[i]), "k_ii": float(matrix[i, i])},
            result=float(dual[i]),
            of=("dual_coef_", i, *last),
            labels={"k_ii": "with its λ/w"},
        )
    if weight[0] == 1.0 and len(dual) > 1:
        own = float(inverse_diagonal(factor)[0])
        yield Step(
            "The first row left out",
            formula="y₁ − a₁ / [(K + λW⁻¹)⁻¹]₁₁",
            expression="y_1 - a_1 / c_1",
            values={"y_1": float(target[0]), "a_1": float(dual[0]), "c_1": own},
            of=("leave_one_out_", 0, *last),
        )


def spectral_steps(model: KernelRidge, matrix: Floats) -> Iterator[Step]:
    """Where the matrix is singular: the shortest coefficients, by its eigenvectors."""
    values, vectors = told_apart(matrix)
    total, named = product_sum("v", vectors[0], "b", vectors.T @ model._targets[:, 0] / values)
    yield Step(
        "The shortest coefficients",
        formula="a₁ = Σ v₁ⱼbⱼ,  b = Vᵀy / λ",
        expression=total,
        values=named,
        of=("dual_coef_", 0) if model._flat else ("dual_coef_", 0, 0),
        note=f"The matrix is not positive definite; {len(values)} of its {len(matrix)} eigenvalues λ are not 0.",
    )


def derive_sums(model: KernelRidge, X: Any) -> Work:
    """Predictions of the first rows of X, as sums over rows of the fit."""
    rows, cut = model._first_query_rows(X)
    across = model.kernel_.block(rows, model.examples_["rows"])
    dual = model.examples_["dual"][:, 0]
    steps = []
    for r in range(len(across)):
        total, values = product_sum("k", across[r], "a", dual)
        of = ("predict", r) if model._flat else ("predict", r, 0)
        steps.append(Step(f"Row {r + 1}", "f(x) = Σ k(x, xᵢ) aᵢ", total, values, of=of))
    notes = [f"Only the first {len(across)} rows are derived."] if cut else []
    if not model._flat:
        notes.append("Only the first target is derived.")
    return Work("Predictions of kernel ridge regression", steps, notes)
