"""A fitted plane as steps of a work: its coefficients, and predictions as sums of what each column adds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.learner.derivation import TABLE_ROWS, largest, only_first
from novacula.learner.work import Step, Work, WorkTable
from novacula.mathematics import Equation
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.linear.model import LinearModel

TARGETS = 2
"""Targets, and planes of a classifier, that are derived unless everything is asked for."""
PLANE: Mapping[str, Mapping[str, str]] = {"mitchell": {"b": "w_0"}, "aima": {"b": "w_0"}}
"""Both books write the intercept as the weight of a column of ones."""


def derive_predictions(model: LinearModel, x: Floats, cut: bool, is_full: bool) -> Work:
    """The predictions for rows x, as sums of what each column adds; `cut`: there were more rows."""
    targets = shown_targets(model, is_full)
    steps = [coefficient_table(model, k) for k in targets]
    for i, row in enumerate(x):
        for k in targets:
            of = ("predict", i) if model.coef_.ndim == 1 else ("predict", i, k)
            title = f"Row {i + 1}" + ("" if model.coef_.ndim == 1 else f", {model.target_names_[k]}")
            bias = intercept_of(model, k) if model.fit_intercept else None
            steps.append(Step(title, plane_value("ŷ", of_target(model.coef_, k), bias, row, of)))
    return Work("Predictions of a linear model", steps, [*cap_notes(model, is_full), *cut_note(len(x), cut)])


def plane_value(name: str, w: Floats, bias: float | None, row: Floats, of: tuple[str | int, ...] = ()) -> Equation:
    """The weighted sum of a row's numbers, by its name; without a bias where that is None."""
    values: dict[str, Any] = {"w": w, "x": row} if bias is None else {"b": bias, "w": w, "x": row}
    return Equation(name, weighted_columns(bias is not None), values, of)


def weighted_columns(intercept: bool, row: str = "") -> str:
    """The hypothesis, for any row or for a row that has an index."""
    place = f"{row}, j" if row else "j"
    return f"{'b + ' if intercept else ''}sum(w[j] * x[{place}] for j in _)"


def coefficient_table(model: LinearModel, k: int) -> Step:
    """The coefficients by column."""
    w = of_target(model.coef_, k)
    return Step(f"The plane for {model.target_names_[k]}", table=weight_table(model, w))


def weight_table(model: Any, w: Floats, bias: float | None = None) -> WorkTable:
    """The largest of the weights by column, and the bias if there is one."""
    shown = largest(w, TABLE_ROWS)
    rows = [
        (f"⟦w[{j + 1}]⟧", name, float(w[j])) for j, name in zip(shown, model.schema_.column_names(shown), strict=True)
    ]
    if bias is not None:
        rows.append(("⟦b⟧", "ones", bias))
    caption = f"The {TABLE_ROWS} largest of {len(w)}." if len(w) > TABLE_ROWS else ""
    return WorkTable(("", "column", "weight"), tuple(rows), caption)


def limit_step(model: LinearModel, k: int, factor: Floats, l1_ratio: float) -> Step:
    """The limit of the weights' complexity that belongs to their price: within it there is no smaller error."""
    w, plain = of_target(model.coef_, k), bool((factor == 1.0).all())
    f = "" if plain else "f[j] * "
    sizes, squares = f"sum({f}abs(w[j]) for j in _)", f"sum({f}w[j]**2 for j in _)"
    both, mixed = f"ρ * {sizes} + (1 - ρ) / 2 * {squares}", 0.0 < l1_ratio < 1.0
    values = {"w": w, **({} if plain else {"f": factor}), **({"ρ": l1_ratio} if mixed else {})}
    cost = both if mixed else sizes if l1_ratio else squares
    note = "Of all weights with a complexity of no more than ⟦c⟧ these have the least squared error: ⟦α⟧ is its price."
    return Step("The limit that belongs to ⟦α⟧: Complexity ≤ ⟦c⟧", Equation("c", cost, values), note=note)


def place(model: LinearModel, name: str, k: int, *j: int) -> tuple[str | int, ...]:
    """Where a model keeps something of target k, or number j of it."""
    return (name, *j) if model.coef_.ndim == 1 else (name, k, *j)


def of_target(coef: Any, k: int) -> Floats:
    """The coefficients of target k."""
    return np.asarray(coef if coef.ndim == 1 else coef[k])


def intercept_of(model: LinearModel, k: int) -> float:
    """The intercept of target k."""
    return float(np.broadcast_to(model.intercept_, len(model.target_names_))[k])


def shown_targets(model: LinearModel, is_full: bool = False) -> range:
    """The targets that are derived."""
    return range(len(model.target_names_) if is_full else min(TARGETS, len(model.target_names_)))


def cap_notes(model: LinearModel, is_full: bool = False) -> list[str]:
    """What is left out."""
    return only_first(len(shown_targets(model, is_full)), len(model.target_names_), "target")


def cut_note(n: int, cut: bool) -> list[str]:
    """That there were more rows, if there were."""
    return [f"Only the first {'row is' if n == 1 else f'{n} rows are'} derived."] if cut else []
