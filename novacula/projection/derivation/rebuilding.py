"""Rows made again from their scores, and directions from the products of few rows with each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.learner.derivation import heaviest, largest
from novacula.learner.trace import FewRows
from novacula.learner.work import Step
from novacula.mathematics import Equation
from novacula.mathematics.rounding import without_noise
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.projection.components import ComponentLearner

FEW = 6
"""Columns of a row that are made again one by one, unless everything is asked for."""
TELLING = 1e-6
"""Lengths below this share of the largest are rounding."""


def rebuilt_step(model: ComponentLearner, x: Floats, r: int, is_full: bool) -> Step:
    """x̂ = μ + Σ z v of a row, and the squared distance from the row: what the directions left out would add."""
    row, centred = r + 1, x - model.mean_
    z = model.components_ @ centred
    deviations = np.sqrt(np.where(model.explained_variance_ > 0.0, model.explained_variance_, 1.0))
    again = model.mean_ + z @ model.components_
    score, values = "z[{row}, i]", {f"z[{row}, i]": z}
    if model.whiten:
        score, values = "z[{row}, i] * s[i]", {f"z[{row}, i]": z / deviations, "s": deviations}
    shown = range(len(x)) if is_full or len(x) <= FEW else largest(x - again, FEW)
    equations = [
        Equation(
            f"x̂_{row}[{j + 1}]",
            f"μ[{j + 1}] + sum({score.format(row=row)} * v[i, {j + 1}] for i in _)",
            {**values, "μ": model.mean_, f"v[i, {j + 1}]": model.components_[:, j]},
            where={"s": "the deviation of each score, by which it was divided"} if model.whiten else {},
        )
        for j in shown
    ]
    places, rest = heaviest((x - again) ** 2, "j")
    lost = Equation(
        f"norm(x_{row} - x̂_{row})**2",
        f"sum((x_{row}[j] - x̂_{row}[j])**2 for j in _)",
        {f"x_{row}[j]": x[places], f"x̂_{row}[j]": again[places]},
        rest=rest,
    )
    note = "" if len(shown) == len(x) else f"{len(shown)} of {len(x)} columns are written out."
    return Step(f"Row {row}, made again from its scores", (*equations, lost), note=note)


def dual_steps(model: ComponentLearner, most: int) -> Iterator[Step]:
    """The products of few rows with each other, whose eigenvectors give the directions, and X as three factors."""
    trace = getattr(model, "trace_", None)
    if not isinstance(trace, FewRows):
        return
    x = without_noise(trace.rows, np.abs(trace.rows) + np.abs(model.mean_)).T
    u, s, q = np.linalg.svd(x, full_matrices=False)
    r = int((s > TELLING * s[0]).sum()) if s[0] > 0.0 else 0
    k = min(r, len(model.components_))
    if not k or not np.allclose(np.abs(np.sum(model.components_[:k] * u.T[:k], axis=1)), 1.0, atol=1e-6):
        return  # no variance, or lengths so near each other that directions are a matter of choice
    sign = np.ones(r)
    sign[:k] = np.sign(np.sum(model.components_[:k] * u.T[:k], axis=1))
    # the entries of a vector of length 1 are known up to rounding of 1
    u, s, q = without_noise(u[:, :r] * sign, 1.0), s[:r], without_noise(q[:r].T * sign, 1.0)
    gram = Equation(
        "D",
        "X.T @ X",
        {"X": x},
        where={"X": "the rows about their mean as columns, each times the root of its weight"},
    )
    note = (
        f"⟦D⟧ has {x.shape[1]} rows, where ⟦C⟧ has {x.shape[0]}: if ⟦q⟧ is an eigenvector of it, ⟦X @ q⟧ is one of ⟦C⟧."
    )
    yield Step("The dual trick: products of rows with each other", gram, note=note)
    for i in range(min(k, most)):
        n = i + 1
        values: dict[str, Any] = {"X": x, f"q_{n}": q[:, i], f"s_{n}": s[i]}
        yield Step(
            f"Direction {n} from an eigenvector of ⟦D⟧",
            (
                Equation(f"s_{n}**2 * q_{n}", f"D @ q_{n}", {"D": x.T @ x, f"q_{n}": q[:, i], f"s_{n}": s[i]}),
                Equation(f"v_{n}", f"X @ q_{n} / s_{n}", values, of=("components_", i)),
            ),
        )
    factors = {"X": x, "U": u, "S": np.diag(s), "Q": q}
    words = {
        "U": "the directions ⟦v⟧ as columns",
        "S": "their lengths ⟦s⟧ on the diagonal",
        "Q": "the eigenvectors ⟦q⟧ as columns",
    }
    yield Step("Singular values: ⟦X⟧ as three factors", Equation("X", "U @ S @ Q.T", factors, where=words))
