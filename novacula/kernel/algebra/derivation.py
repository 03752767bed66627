"""The work of a kernel: k(x, y) of two rows, its features and how they multiply to it, and the Gram matrix."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from novacula.errors import ParameterError
from novacula.kernel.algebra.figures import gram_figure
from novacula.kernel.algebra.formula import kernel_equation
from novacula.kernel.algebra.kernel import Kernel
from novacula.kernel.algebra.mercer import is_symmetric, mercer_series
from novacula.kernel.algebra.radial import Gaussian
from novacula.kernel.algebra.rows import Rows, as_rows, dense, listed
from novacula.kernel.algebra.transforms import OnColumns
from novacula.kernel.algebra.verdict import judge
from novacula.learner.derivation import SHOWN, cut_table, indexed_corner
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Step, Work, WorkTable
from novacula.mathematics import Equation
from novacula.table.chunk import Floats

ROWS = 30
"""Rows whose Gram matrix is shown."""
FEW = 4
"""Rows whose features, and columns whose values, are in a table."""
SERIES = 5
"""Terms of a power series in a table."""
VANISHING = -45.0
"""The logarithm of a term of a power series from which on the others do not count."""
MOST_TERMS = 300


def derive_kernel(kernel: Kernel, X: Any, options: WorkOptions) -> Work:
    """The work of a kernel on the first rows of X, or on two small rows of its own."""
    table = as_rows(example_rows(kernel) if X is None else X)
    rows, names = table[0][:ROWS], table[1]
    resolved = kernel.resolved(table[0], names=names)
    steps = list[Step]()
    if not kernel.precomputed:
        steps.append(Step("The rows", table=_row_table(rows, names)))
        steps += [_value_step(resolved, rows, X is not None)] if rows.shape[0] > 1 else []
    steps += [*_feature_steps(resolved, rows, names, options), *_gram_steps(resolved, rows)]
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
    x = dense(rows[:FEW])
    header = [f"⟦x_{j + 1}⟧" if names is None else names[j] for j in range(min(FEW, x.shape[1]))]
    cut = "" if x.shape[1] <= FEW else f"The first {FEW} of {x.shape[1]} columns."
    return WorkTable(("row", *header), tuple((str(i + 1), *row[:FEW].tolist()) for i, row in enumerate(x)), cut)


def _value_step(kernel: Kernel, rows: Rows, is_given: bool) -> Step:
    """The kernel of the first two rows."""
    one, other = dense(rows[:2])
    return Step(
        "The kernel of rows 1 and 2", kernel_equation(kernel, one, other, of=("__call__", 0, 1)[: 3 * is_given])
    )


# --- features -----------------------------------------------------------------------------------------------


def _feature_steps(kernel: Kernel, rows: Rows, names: Sequence[str] | None, options: WorkOptions) -> Iterator[Step]:
    """The map, where it is finite; otherwise why it is not."""
    try:
        phi = kernel.features(rows[:FEW])
        titles = kernel.feature_names(rows.shape[1] if names is None else list(names))
    except ParameterError as error:
        yield Step("Features", note=f"{error}.")
        if isinstance(kernel, Gaussian) and rows.shape[0] > 1:
            yield _series_step(kernel, dense(rows[:2]))
        return
    cells = ((title, *phi[:, j].tolist()) for j, title in enumerate(titles))
    header = ("feature", *(f"row {i + 1}" for i in range(len(phi))))
    table = cut_table(header, cells, len(titles), most=len(titles) if options.is_full else SHOWN)
    products: tuple[Equation, ...] = ()
    if len(phi) > 1:
        values = {"φ(x)": phi[0], "φ(y)": phi[1], "k(x, y)": float(kernel.block(rows[:1], rows[1:2])[0, 0])}
        products = (Equation("k(x, y)", "sum(φ(x)[j] * φ(y)[j] for j in _)", values),)
    lifted = kernel.figure(rows) if rows.shape[0] > FEW and (rows.shape[1], phi.shape[1]) == (2, 3) else None
    yield Step("Features", products, table, lifted)


def _series_step(kernel: Gaussian, x: Floats) -> Step:
    """exp(−γ‖x − y‖²) as exp(−γ‖x‖²) exp(−γ‖y‖²) times the power series of exp(2γ xᵀy)."""
    rows = {"γ": kernel.rate, "x": x[0], "y": x[1]}
    t = Equation("t", "2 * γ * dot(x, y)", rows)
    head = Equation("h", "-γ * (norm(x)**2 + norm(y)**2)", rows)
    terms = _series(float(t.value), float(head.value))
    exact = float(kernel.block(x[:1], x[1:])[0, 0])
    whole = Equation(
        "k(x, y)",
        "sum(q[n] for n in _)",
        {"q[n]": {str(n): term for n, term in enumerate(terms)}, "k(x, y)": exact},
    )
    cells = tuple((n, term, float(sum(terms[: n + 1]))) for n, term in enumerate(terms[:SERIES]))
    return Step(
        "The power series",
        (t, head, Equation("q[n]", "exp(h) * t**n / product(i for i in range(n))"), *([whole] if terms else [])),
        WorkTable(("⟦n⟧", "⟦q[n]⟧", "sum so far"), cells),
        note="Every ⟦n⟧ has features of its own, the monomials of degree ⟦n⟧, and there is no last one.",
    )


def _series(t: float, head: float) -> list[float]:
    """e^h tⁿ/n! for n = 0, 1, … until they vanish, by logarithms, since factors may overflow; none, if that is far."""
    if t == 0.0:
        return [math.exp(head), *[0.0] * (SERIES - 1)]
    logs = [head + n * math.log(abs(t)) - math.lgamma(n + 1) for n in range(MOST_TERMS)]
    counted = [n for n, log in enumerate(logs) if log > VANISHING]
    last = max([SERIES - 1, *counted])
    if last == MOST_TERMS - 1:
        return []
    return [math.copysign(1.0, t) ** n * math.exp(log) for n, log in enumerate(logs[: last + 1])]


# --- the Gram matrix ----------------------------------------------------------------------------------------


def _gram_steps(kernel: Kernel, rows: Rows) -> Iterator[Step]:
    if kernel.precomputed and rows.shape[0] != rows.shape[1]:
        return
    K = kernel(rows)
    verdict = str(judge(K, 1e-9))
    entry = Equation("K[i, j]", "k(x[i], x[j])")
    note = f"{verdict[0].upper()}{verdict[1:]}."
    yield Step("The Gram matrix", entry, indexed_corner(K, FEW), gram_figure(K), note)
    if len(K) > 1 and np.any(K) and is_symmetric(K):
        yield _mercer_step(K)


def _mercer_step(K: Floats) -> Step:
    """The eigenvalues of the Gram matrix over n, their functions at the rows, and an entry made of them."""
    values, psi = mercer_series(K)
    n = len(K)
    known = {"λ": values, "ψ": psi.T}
    equations = (
        Equation("λ[1] * ψ[1, 1]", "sum(K[1, j] * ψ[1, j] for j in _) / n", {"K": K, "n": n, **known}),
        Equation("K[1, 2]", "sum(λ[i] * ψ[i, 1] * ψ[i, 2] for i in _)", {"K": K, **known}),
    )
    shown = min(FEW, n)
    rows = ((i + 1, float(values[i]), *psi[:shown, i].tolist()) for i in range(len(values)))
    header = ("⟦i⟧", "⟦λ[i]⟧", *(f"⟦ψ[i]⟧ at row {j + 1}" for j in range(shown)))
    note = "⟦ψ[i, j]⟧ is the function ⟦ψ[i]⟧ at row ⟦j⟧; ⟦λ[i]⟧ are the eigenvalues of ⟦K / n⟧."
    return Step("Mercer's series", equations, cut_table(header, rows, len(values), most=SHOWN), note=note)
