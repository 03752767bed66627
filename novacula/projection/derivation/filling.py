"""One iteration of EM over rows that miss values: what they are filled with, expected moments, and the new model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.errors import ModelFileError
from novacula.learner.derivation import cut_table
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Cell, Step, Work
from novacula.mathematics import Equation
from novacula.projection.gaussian import Normal, condition, least_variance
from novacula.table.chunk import Floats
from novacula.words import counted

if TYPE_CHECKING:
    from novacula.projection.pca import PCA
    from novacula.projection.trace import FillingTrace

ENTRIES = 4
"""Entries of a matrix, and values that are missing, that are written out."""


def derive_filling(model: PCA, trace: FillingTrace, iteration: int, options: WorkOptions) -> Work:
    """The E-step and the M-step between two models."""
    d = len(model.mean_)
    if not 1 <= trace.n_directions <= d:
        raise ModelFileError(f"its models have {trace.n_directions} directions, and there are {counted(d, 'column')}")
    before = _normal(trace.path.step(iteration, (d + d * d,))[0], d)
    filled, left = (path.at(iteration, (d, d)) for path in (trace.filled, trace.left))
    at = int(np.searchsorted(trace.path.iterations, iteration))
    names = model.schema_.column_names()
    rows: list[tuple[Cell, ...]] = [
        (name, float(before.mean[j]), *before.covariance[j].tolist()) for j, name in enumerate(names)
    ]
    table = cut_table(("column", "⟦μ⟧", *(f"⟦C⟧ with {name}" for name in names)), rows, d)
    steps = [Step("The model that went in", table=table)]
    if trace.rows is not None and trace.weight is not None:
        steps += _row_steps(trace.rows, trace.weight, before, at, options)
    steps += _moment_steps(filled, left, options)
    floor = least_variance(float(_normal(trace.path.at(0, (d + d * d,)), d).covariance.diagonal().max()))
    steps += _model_steps(filled + left, trace.n_directions, floor, at, options)
    notes = ["A row without any value says nothing, and is left out."] if trace.rows is not None else []
    if trace.rows is None:
        notes.append("The rows are too many to be kept: of them the moments ⟦S⟧ and ⟦R⟧ are what is known.")
    return Work(f"Iteration {iteration} of EM over rows that miss values", steps, notes)


def _normal(state: Floats, d: int) -> Normal:
    return Normal(state[:d], state[d:].reshape(d, d))


def _shown(d: int, options: WorkOptions) -> list[tuple[int, int]]:
    entries = [(i, j) for i in range(d) for j in range(i, d)]
    return entries if options.is_full else entries[:ENTRIES]


def _row_steps(rows: Floats, weight: Floats, before: Normal, at: int, options: WorkOptions) -> Iterator[Step]:
    """Missing values as they are expected, then the mean and the covariance of the filled rows."""
    gaps = np.argwhere(np.isnan(rows))
    for r, j in gaps if options.is_full else gaps[:ENTRIES]:
        yield Step(f"Row {r + 1}, column {j + 1} is missing", _expected(rows[r], before, int(r), int(j)))
    filled = condition(rows, weight, before).filled
    mean, n = np.average(filled, axis=0, weights=weight), float(weight.sum())
    means, spreads = list[Equation](), list[Equation]()
    total = Equation("n", "sum(u[r] for r in _)", {"u": weight}, ("n_samples_",), {"u": "weights of the rows"})
    for j in range(rows.shape[1])[: None if options.is_full else ENTRIES]:
        values: dict[str, Any] = {"u": weight, f"x̂_{j + 1}": filled[:, j], "n": n}
        right = f"sum(u[r] * x̂_{j + 1}[r] for r in _) / n"
        meanings = {f"x̂_{j + 1}": f"column {j + 1} of the filled rows"}
        means.append(Equation(f"μ[{j + 1}]", right, values, ("trace_", "path", "states", at, j), meanings))
    for i, j in _shown(rows.shape[1], options):
        values = {"u": weight, "n": n}
        for c in dict.fromkeys((i, j)):
            values |= {f"x̂_{c + 1}": filled[:, c], f"μ[{c + 1}]": float(mean[c])}
        right = f"sum(u[r] * (x̂_{i + 1}[r] - μ[{i + 1}]) * (x̂_{j + 1}[r] - μ[{j + 1}]) for r in _) / n"
        of = ("trace_", "filled", "states", at, i * rows.shape[1] + j)
        spreads.append(Equation(f"S[{i + 1}, {j + 1}]", right, values, of))
    yield Step("The new mean, of the filled rows", (total, *means))
    yield Step("Their covariance", tuple(spreads))


def _expected(x: Floats, before: Normal, r: int, j: int) -> Equation:
    known = np.flatnonzero(~np.isnan(x))
    name = f"x̂[{r + 1}, {j + 1}]"
    values = {
        f"μ[{j + 1}]": float(before.mean[j]),
        "c": before.covariance[j, known],
        "K": before.covariance[np.ix_(known, known)],
        "o": x[known] - before.mean[known],
    }
    where = {
        "c": "covariances of the missing column with the known ones",
        "K": "covariances of the known ones with each other",
        "o": "the known values of the row about their means",
    }
    return Equation(name, f"μ[{j + 1}] + dot(c, inv(K) @ o)", values, where=where)


def _moment_steps(filled: Floats, left: Floats, options: WorkOptions) -> Iterator[Step]:
    """What is expected of the squares: those of the filled rows, and what missing values still vary by."""
    where = {"S": "covariance of the filled rows", "R": "what missing values still vary by"}
    equations = [
        Equation(
            f"M[{i + 1}, {j + 1}]", f"S[{i + 1}, {j + 1}] + R[{i + 1}, {j + 1}]",
            {f"S[{i + 1}, {j + 1}]": float(filled[i, j]), f"R[{i + 1}, {j + 1}]": float(left[i, j])},
            where={f"{name}[{i + 1}, {j + 1}]": meaning for name, meaning in where.items()},
        )
        for i, j in _shown(len(filled), options)
    ]  # fmt: skip
    yield Step("The expected covariance", tuple(equations))


def _model_steps(expected: Floats, k: int, floor: float, at: int, options: WorkOptions) -> Iterator[Step]:
    """The directions of the expected covariance, the variance of all others, and the new model."""
    d = len(expected)
    values, vectors = np.linalg.eigh(expected)
    values, vectors = values[::-1], vectors[:, ::-1].T
    equations = [
        Equation(f"λ[{i + 1}]", f"dot(v[{i + 1}], M @ v[{i + 1}])", {f"v[{i + 1}]": vectors[i], "M": expected})
        for i in range(k)[: None if options.is_full else ENTRIES]
    ]
    yield Step("The variances along its directions", tuple(equations))
    own, rest = np.maximum(values[:k], floor), floor
    if k < d:
        of_rest = {"M": expected, "λ[i]": values[:k], "d": d, "k": k, "f": floor}
        right = "max((sum(M[j, j] for j in _) - sum(λ[i] for i in _)) / (d - k), f)"
        others = Equation(
            "s", right, of_rest, where={"s": "variance of every other direction", "f": "the least it may be"}
        )
        rest = float(others.value)
        yield Step("All other directions share what is left", others)
    entries = []
    for i, j in _shown(d, options):
        a, b = vectors[:k, i], vectors[:k, j]
        right = "sum((λ[m] - s) * v_a[m] * v_b[m] for m in _)" + (" + s" if i == j else "")
        numbers: dict[str, Any] = {"λ[m]": own, "s": rest, "v_a": a, "v_b": b}
        if i == j:
            right, numbers = "sum((λ[m] - s) * v_a[m] ** 2 for m in _) + s", {"λ[m]": own, "s": rest, "v_a": a}
        right = right.replace("v_a", f"v_{i + 1}").replace("v_b", f"v_{j + 1}")
        named = {key.replace("v_a", f"v_{i + 1}").replace("v_b", f"v_{j + 1}"): value for key, value in numbers.items()}
        of = ("trace_", "path", "states", at, d + i * d + j)
        entries.append(Equation(f"C[{i + 1}, {j + 1}]", right, named, of))
    yield Step("The new model", tuple(entries), note="⟦v_1⟧ holds the first entries of the directions, and so on.")
