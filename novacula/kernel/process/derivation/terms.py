"""What the works of learners that keep their rows share: kernels of two rows, rows of equations, sums over rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from novacula.kernel.algebra import Kernel, Rows
from novacula.kernel.algebra.formula import kernel_equation
from novacula.kernel.algebra.rows import dense
from novacula.learner.derivation import heaviest
from novacula.mathematics import Equation
from novacula.table.chunk import Floats

CORNER = 5
"""Rows and columns of a matrix that are shown."""


def pair_equation(kernel: Kernel, rows: Rows) -> tuple[Equation, ...]:
    """The kernel of the first two rows; none of a matrix that was given, or of one row."""
    if kernel.precomputed or rows.shape[0] < 2:
        return ()
    one, other = dense(rows[:2])
    return (kernel_equation(kernel, one, other, "k(x[1], x[2])", ("x[1]", "x[2]")),)


def row_equation(
    letters: tuple[str, str, str], i: int, matrix: Floats, dual: Floats, target: Floats, of: tuple[str | int, ...]
) -> Equation:
    """Row i of a system A·u = y, solved for uᵢ; `letters` are those of A, u and y."""
    A, u, y = letters
    row = f"{A}[{i + 1}, j]"
    own, right = f"{A}[{i + 1}, {i + 1}]", f"{y}[{i + 1}]"
    return Equation(
        f"{u}[{i + 1}]",
        f"({right} - sum({row} * {u}[j] for j in _ if j != {i + 1})) / {own}",
        {right: float(target[i]), row: matrix[i], u: dual, own: float(matrix[i, i])},
        of,
    )


def kernel_sum(
    left: str,
    before: str,
    letter: str,
    after: str,
    across: Floats,
    dual: Floats,
    of: tuple[str | int, ...],
    values: Mapping[str, Any] | None = None,
) -> Equation:
    """Σ k(x, xᵢ) uᵢ over the rows of the fit, between what stands before and after it."""
    shown, rest = heaviest(across * dual)
    return Equation(
        left,
        f"{before}sum(k(x, x[i]) * {letter}[i] for i in _){after}",
        {"k(x, x[i])": across[shown], letter: dual[shown], **(values or {})},
        of,
        rest=rest,
    )


def nearest_equation(kernel: Kernel, rows: Rows, query: Floats, across: Floats, dual: Floats) -> tuple[Equation, ...]:
    """The kernel of a row and the row of the fit that counts most for it."""
    if kernel.precomputed:
        return ()
    most = int(np.argmax(np.abs(across * dual)))
    name = f"x[{most + 1}]"
    return (kernel_equation(kernel, query, dense(rows[[most]])[0], f"k(x, {name})", ("x", name)),)
