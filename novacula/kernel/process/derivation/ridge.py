"""The work of kernel ridge regression: rows of (K + λW⁻¹) a = y, a row left out, and predictions as sums."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from novacula.kernel.algebra import Rows, gram
from novacula.kernel.algebra.rows import dense
from novacula.kernel.process.cholesky import inverse_diagonal
from novacula.kernel.process.derivation.terms import (
    CORNER,
    kernel_sum,
    nearest_equation,
    pair_equation,
    row_equation,
)
from novacula.kernel.process.dual_ridge import priced, steady_factor, told_apart
from novacula.learner.derivation import cut_table, indexed_corner, only_first_rows
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Step, Work
from novacula.mathematics import Equation
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.kernel.kernel_ridge import KernelRidge

EQUATIONS = 2
"""Equations that are written out, unless everything is asked for."""


def derive_ridge(model: KernelRidge, price: float, options: WorkOptions) -> Work:
    """The equations of the first target, whose penalty is `price`."""
    held = model.examples_
    rows, weight, dual = held["rows"], held["weight"], held["dual"][:, 0]
    target = held["target"].reshape(len(weight), -1)[:, 0]
    matrix = priced(gram(model.kernel_, rows), weight, price)
    cells = ((i + 1, *map(float, row)) for i, row in enumerate(zip(weight, target, dual, strict=True)))
    sought = (
        Equation("f(x)", "sum(a[i] * k(x, x[i]) for i in range(n))"),
        Equation("J(f)", "sum(w[i] * (y[i] - f(x[i]))**2 for i in range(n)) + λ * norm(f)**2"),
    )
    values = {"k(x[1], x[1])": float(model.kernel_.block_diagonal(rows[:1])[0]), "λ": price, "w[1]": float(weight[0])}
    diagonal = (Equation("A[1, 1]", "k(x[1], x[1]) + λ / w[1]", values),) if not model.kernel_.precomputed else ()
    system = Equation("A @ a", "y", where={"A": "the kernels of the rows, with ⟦λ / w⟧ on the diagonal"})
    steps = [
        Step("What is sought", sought, note="Of all functions it is the one with the least ⟦J⟧."),
        Step("The matrix ⟦A⟧", (*pair_equation(model.kernel_, rows), *diagonal), indexed_corner(matrix, CORNER)),
        Step(
            "The coefficients",
            system,
            cut_table(("row", "weight ⟦w⟧", "⟦y⟧", "⟦a⟧"), cells, len(weight), most=CORNER),
        ),
    ]
    factor = steady_factor(matrix.copy())
    if factor is None:
        steps.append(_spectral_step(model, matrix, target))
    else:
        steps += _solution_steps(model, matrix, factor, target, options)
    return Work("Kernel ridge regression", steps, [f"k = {model.kernel_!r}. There is no intercept.", *_targets(model)])


def _targets(model: KernelRidge) -> list[str]:
    return [] if model.dual_coef_.ndim == 1 else ["Only the first target is derived."]


def _last(model: KernelRidge) -> tuple[int, ...]:
    return () if model.dual_coef_.ndim == 1 else (0,)


def _solution_steps(
    model: KernelRidge, matrix: Floats, factor: Floats, target: Floats, options: WorkOptions
) -> Iterator[Step]:
    """The equations of the first rows, and what the others say of the first one."""
    dual, letters = model.examples_["dual"][:, 0], ("A", "a", "y")
    for i in range(min(CORNER if options.is_full else EQUATIONS, len(dual))):
        of: tuple[str | int, ...] = ("dual_coef_", i, *_last(model))
        yield Step(f"Equation of row {i + 1}", row_equation(letters, i, matrix, dual, target, of))
    if model.examples_["weight"][0] == 1.0 and len(dual) > 1:
        values = {"y[1]": target[0], "a[1]": dual[0], "inv(A)[1, 1]": inverse_diagonal(factor)[0]}
        of = ("leave_one_out", 0, *_last(model))
        yield Step("The first row left out", Equation("ŷ[1]", "y[1] - a[1] / inv(A)[1, 1]", values, of))


def _spectral_step(model: KernelRidge, matrix: Floats, target: Floats) -> Step:
    """Where the matrix is singular: the shortest coefficients, by its eigenvectors."""
    values, vectors = told_apart(matrix)
    along = {"V[i, 1]": vectors[:, 0], "y": target}
    first = Equation("c[1]", "sum(V[i, 1] * y[i] for i in _)", along)
    shortest = Equation(
        "a[1]",
        "sum(V[1, j] * c[j] / μ[j] for j in _)",
        {"V[1, j]": vectors[0], "c": vectors.T @ target, "μ": values},
        of=("dual_coef_", 0, *_last(model)),
        where={"V[1, j]": "the first entry of each eigenvector of A", "μ": "its eigenvalues", "c": "y along each"},
    )
    note = f"The matrix is not positive definite; {len(values)} of its {len(matrix)} eigenvalues are not 0."
    return Step("The shortest coefficients", (first, shortest), note=note)


def derive_sums(model: KernelRidge, rows: Rows, is_cut: bool) -> Work:
    """Predictions for rows, as sums over rows of the fit."""
    held = model.examples_
    across, dual = model.kernel_.block(rows, held["rows"]), held["dual"][:, 0]
    steps = []
    for r in range(len(across)):
        near = nearest_equation(model.kernel_, held["rows"], dense(rows[[r]])[0], across[r], dual)
        answer = kernel_sum("f(x)", "", "a", "", across[r], dual, ("predict", r, *_last(model)))
        steps.append(Step(f"Row {r + 1}", (*near, answer)))
    notes = [*only_first_rows(len(across), is_cut), *_targets(model)]
    return Work("Predictions of kernel ridge regression", steps, notes)
