"""The work of a kernel: its features on a few rows, how they multiply to k(x, y), and the Gram matrix's eigenvalues."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np

from novacula.errors import ParameterError
from novacula.kernel.algebra.figures import gram_figure
from novacula.kernel.algebra.kernel import Kernel
from novacula.kernel.algebra.radial import Gaussian
from novacula.kernel.algebra.rows import Rows, as_rows, dense, listed
from novacula.kernel.algebra.transforms import OnColumns
from novacula.kernel.algebra.verdict import judge
from novacula.learner.worded_step import WordedStep as Step
from novacula.learner.work import Work, WorkTable
from novacula.table.chunk import Floats

ROWS = 30
"""Rows whose Gram matrix is shown."""
SHOWN = 4
"""Rows whose features, and columns whose values, are in a table."""
TERMS = 12
"""Features up to which a product is written out."""
SERIES = 5
"""Terms of a power series that are written out."""


def derive_kernel(kernel: Kernel, X: Any) -> Work:
    """The work of a kernel on the first rows of X, or on two small rows of its own."""
    table = as_rows(example_rows(kernel) if X is None else X)
    rows, names = table[0][:ROWS], table[1]
    resolved = kernel.resolved(table[0], names=names)
    steps = chain(
        [Step("The rows", table=_row_table(rows, names))] if not kernel.precomputed else (),
        _feature_steps(resolved, rows, names),
        _gram_steps(resolved, rows),
    )
    notes = [f"The first {ROWS} of {table[0].shape[0]} rows are shown."] if table[0].shape[0] > ROWS else []
    if resolved != kernel:
        notes.append(f"With the numbers that these rows give, the kernel is {resolved!r}.")
    return Work(f"The kernel {kernel!r}", steps, notes)


def example_rows(kernel: Kernel) -> Floats:
    """Two rows of small whole numbers, with as many columns as the kernel uses."""
    if kernel.precomputed:
        return np.array([[2.0, 1.0], [1.0, 2.0]])
    d = max(2, 1 + _last_column(kernel))
    return np.array([[1.0 + j % 3 for j in range(d)], [2.0 - j % 4 for j in range(d)]])


def _last_column(kernel: Kernel) -> int:
    places = [c for c in listed(kernel.columns) if not isinstance(c, str)] if isinstance(kernel, OnColumns) else []
    return max([0, *map(int, places), *(_last_column(part) for _, part in kernel.parts())])


def _row_table(rows: Rows, names: Sequence[str] | None) -> WorkTable:
    x = dense(rows[:SHOWN])
    header = [f"x{j + 1}" if names is None else names[j] for j in range(min(SHOWN, x.shape[1]))]
    cut = "" if x.shape[1] <= SHOWN else f"the first of {x.shape[1]} columns"
    return WorkTable(("row", *header), tuple((str(i + 1), *row[:SHOWN].tolist()) for i, row in enumerate(x)), cut)


# --- features -----------------------------------------------------------------------------------------------


def _feature_steps(kernel: Kernel, rows: Rows, names: Sequence[str] | None) -> Iterator[Step]:
    """The map, where it is finite; otherwise why it is not."""
    try:
        phi = kernel.features(rows[:SHOWN])
        titles = kernel.feature_names(rows.shape[1] if names is None else list(names))
    except ParameterError as error:
        yield Step("Features", note=f"{error}.")
        if isinstance(kernel, Gaussian) and rows.shape[0] > 1:
            yield from _series_steps(kernel, dense(rows[:2]))
        return
    places = range(min(TERMS, len(titles)))
    cut = "" if len(titles) <= TERMS else f"the first {TERMS} of {len(titles)} features"
    table: list[tuple[str | float, ...]] = [(titles[j], *phi[:, j].tolist()) for j in places]
    header = ("feature", *(f"row {i + 1}" for i in range(len(phi))))
    yield Step("Features", formula="k(x, y) = φ(x)ᵀφ(y)", table=WorkTable(header, tuple(table), cut))
    if len(phi) > 1:
        yield _product_step(kernel, rows, phi)


def _product_step(kernel: Kernel, rows: Rows, phi: Floats) -> Step:
    """φ(x)ᵀφ(y) of the first two rows, to compare with k(x, y)."""
    count = min(TERMS, phi.shape[1])
    values = {f"{letter}_{j + 1}": float(phi[i, j]) for j in range(count) for i, letter in enumerate("fg")}
    total = " + ".join(f"f_{j + 1} * g_{j + 1}" for j in range(count))
    if count < phi.shape[1]:
        values["rest"] = float(phi[0, count:] @ phi[1, count:])
        total += " + rest"
    exact = float(kernel.block(rows[:1], rows[1:2])[0, 0])
    return Step(
        "Rows 1 and 2",
        formula="k(x, y) = Σ φ_j(x) φ_j(y)",
        expression=total,
        values=values,
        note=f"The kernel itself, without features, is {exact:.6g}.",
    )


def _series_steps(kernel: Gaussian, x: Floats) -> Iterator[Step]:
    """exp(−γ‖x − y‖²) as exp(−γ‖x‖²) exp(−γ‖y‖²) times the power series of exp(2γ xᵀy)."""
    gamma, inner = kernel.rate, float(x[0] @ x[1])
    t, head = 2.0 * gamma * inner, -gamma * float(x[0] @ x[0] + x[1] @ x[1])
    yield Step(
        "What the series grows with",
        formula="k(x, y) = e^h Σ tⁿ/n!,  t = 2γ xᵀy,  h = −γ(‖x‖² + ‖y‖²)",
        expression="2 * γ * s",
        values={"γ": gamma, "s": inner},
        result=t,
    )
    terms = [_series_term(t, head, n) for n in range(SERIES)]
    rows = [(str(n), term, float(sum(terms[: n + 1]))) for n, term in enumerate(terms)]
    exact = float(kernel.block(x[:1], x[1:])[0, 0])
    yield Step(
        "The first terms of the series",
        table=WorkTable(("n", "e^h tⁿ/n!", "sum so far"), tuple(rows)),
        note=f"Every n has features of its own, the monomials of degree n; the sum of all is k = {exact:.6g}.",
    )


def _series_term(t: float, head: float, n: int) -> float:
    """e^h tⁿ/n!, by logarithms, since its factors may overflow."""
    if t == 0.0:
        return math.exp(head) if n == 0 else 0.0
    return math.copysign(1.0, t) ** n * math.exp(head + n * math.log(abs(t)) - math.lgamma(n + 1))


# --- the Gram matrix ----------------------------------------------------------------------------------------


def _gram_steps(kernel: Kernel, rows: Rows) -> Iterator[Step]:
    if kernel.precomputed and rows.shape[0] != rows.shape[1]:
        return
    K = kernel(rows)
    verdict = str(judge(K, 1e-9))
    yield Step("The Gram matrix", note=f"{verdict[0].upper()}{verdict[1:]}.", figure=gram_figure(K))
