"""A fitted plane as steps of a work: its coefficients, and predictions as sums of what each column adds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.learner.worded_step import WordedStep as Step
from novacula.learner.work import Work, WorkTable
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.linear.model import LinearModel

TERMS = 8
"""Terms of a sum that are written out; the others are one number."""
SHOWN = 20
"""Rows of a table."""
TARGETS = 2
"""Targets that are derived."""


def derive_predictions(model: LinearModel, x: Floats, cut: bool) -> Work:
    """The predictions for rows x, as sums of what each column adds; `cut`: there were more rows."""
    steps = [coefficient_table(model, k) for k in shown_targets(model)]
    for i in range(len(x)):
        for k in shown_targets(model):
            total, values = weighted_sum("w", of_target(model.coef_, k), "x", x[i])
            steps.append(
                Step(
                    f"Row {i + 1}" + ("" if model.coef_.ndim == 1 else f", {model.target_names_[k]}"),
                    formula=plane(model),
                    expression=f"b + {total}" if model.fit_intercept else total,
                    values=({"b": intercept_of(model, k)} if model.fit_intercept else {}) | values,
                    of=("predict", i) if model.coef_.ndim == 1 else ("predict", i, k),
                )
            )
    notes = cap_notes(model)
    if cut:
        notes.append(f"Only the first {len(x)} rows are derived.")
    return Work("Predictions of a linear model", steps, notes)


def coefficient_table(model: LinearModel, k: int) -> Step:
    """The coefficients by column."""
    w = of_target(model.coef_, k)
    shown = np.arange(len(w)) if len(w) <= SHOWN else np.sort(np.argsort(-np.abs(w), kind="stable")[:SHOWN])
    names = model.schema_.column_names(shown)
    rows = tuple((f"w_{j + 1}", name, float(w[j])) for j, name in zip(shown, names, strict=True))
    caption = f"The {SHOWN} largest of {len(w)}." if len(w) > SHOWN else ""
    return Step(f"The plane for {model.target_names_[k]}", table=WorkTable(("j", "column", "wⱼ"), rows, caption))


def weighted_sum(
    one: str, weights: Floats, other: str, values: Floats, numbers: Any = None
) -> tuple[str, dict[str, float]]:
    """Σ weights·values as an expression, and the values of its names; small terms are one number together."""
    numbers = np.arange(len(weights)) if numbers is None else numbers
    products = weights * values
    largest = np.arange(len(weights))
    if len(largest) > TERMS:
        largest = np.sort(np.argsort(-np.abs(products), kind="stable")[:TERMS])
    terms, named = list[str](), dict[str, float]()
    for i in largest:
        name = numbers[i] + 1
        terms.append(f"{one}_{name} * {other}_{name}")
        named |= {f"{one}_{name}": float(weights[i]), f"{other}_{name}": float(values[i])}
    if len(largest) < len(weights):
        terms.append("rest")
        named["rest"] = float(np.delete(products, largest).sum())
    return " + ".join(terms) or "0", named


def place(model: LinearModel, name: str, k: int, j: int) -> tuple[str | int, ...]:
    """Where a model keeps coefficient j of target k."""
    return (name, j) if model.coef_.ndim == 1 else (name, k, j)


def of_target(coef: Any, k: int) -> Floats:
    """The coefficients of target k."""
    return np.asarray(coef if coef.ndim == 1 else coef[k])


def intercept_of(model: LinearModel, k: int) -> float:
    """The intercept of target k."""
    return float(np.broadcast_to(model.intercept_, len(model.target_names_))[k])


def shown_targets(model: LinearModel) -> range:
    """The targets that are derived."""
    return range(min(TARGETS, len(model.target_names_)))


def plane(model: LinearModel) -> str:
    """The hypothesis."""
    return "ŷ = b + Σ wⱼxⱼ" if model.fit_intercept else "ŷ = Σ wⱼxⱼ"


def cap_notes(model: LinearModel) -> list[str]:
    """What is left out."""
    k = len(model.target_names_)
    return [f"Only the first {TARGETS} of {k} targets are derived."] if k > TARGETS else []
