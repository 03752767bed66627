"""The work of projections: principal components, and columns ranked; and sums that kernel machines still write out."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from novacula.table.chunk import Floats

TERMS = 8
"""Terms of a sum that are written out; the others are one number."""


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
