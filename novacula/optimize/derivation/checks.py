"""Works of what checks an answer: a derivative beside its differences, and the conditions of a minimum."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from novacula.arguments import Floats
from novacula.learner.derivation import cut_table
from novacula.learner.work import Step, Work
from novacula.mathematics import Equation

if TYPE_CHECKING:
    from novacula.optimize.differences import GradientCheck
    from novacula.optimize.kkt import KKTResiduals, KKTTerms


def derive_gradient_check(check: GradientCheck) -> Work:
    """The differences at the worst entry, how far the derivative is from them, and the verdict."""
    given, differences = float(check.given[check.worst]), float(check.differences[check.worst])
    around = [float(values[check.worst[:-1]]) for values in check.points.values]
    values = {"a": around[0], "b": around[1], "c": around[2], "d": around[3], "h": check.points.h}
    meanings = dict(zip("abcd", ("⟦x + h⟧", "⟦x - h⟧", "⟦x + 2 * h⟧", "⟦x - 2 * h⟧"), strict=True))
    where = {name: f"the function at {place}" for name, place in meanings.items()} | {"h": "the step"}
    slope = Equation("D", "(8 * (a - b) - (c - d)) / (12 * h)", values, of=("differences", *check.worst), where=where)
    entry = "coordinate" if len(check.worst) == 1 else "entry"
    place = ", ".join(str(i + 1) for i in check.worst)
    error = Equation(
        "ε", "abs(g - D) / max(abs(g), abs(D), s)", {"g": given, "D": differences, "s": check.floor}, of=("error",),
        where={"g": "the derivative that was given", "s": "the least that counts: below it digits are rounding"},
    )  # fmt: skip
    verdict = Equation(
        "ε", "tol", {"ε": check.error, "tol": check.tol}, sign="≤" if check.passed else ">", therefore=True
    )
    rows = [
        (", ".join(str(i + 1) for i in at), float(check.given[at]), float(check.differences[at]))
        for at in np.ndindex(check.given.shape)
    ]
    table = cut_table((entry, "given", "differences"), rows, len(rows))
    steps = [
        Step("The derivative and its differences", table=table),
        Step(f"Central differences at {entry} {place}, the worst", slope),
        Step("How far they are apart", error),
        Step("The derivative passes" if check.passed else "The derivative fails", verdict),
    ]
    return Work("A derivative beside central differences", steps)


def derive_residuals(residuals: KKTResiduals, terms: KKTTerms) -> Work:
    """Each condition as the largest of what it is missed by."""
    note = f"A condition is missed by {residuals.worst:.3g} at most."
    return Work("The conditions of Karush, Kuhn and Tucker", list(_conditions(terms)), [note])


def _conditions(terms: KKTTerms) -> Iterator[Step]:
    slope, h, z, g = terms.slope, terms.at_most_zero, terms.prices, terms.zero
    where = {"s": "slope of the Lagrangian", "h": "inequalities, at most 0", "z": "their prices", "g": "equalities, 0"}

    def largest(parts: list[str], values: dict[str, Floats], of: str) -> Equation:
        right = parts[0] if len(parts) == 1 else f"max({', '.join(parts)})" if parts else "0"
        return Equation("ε", right, values, of=(of,), where={name: where[name] for name in values})

    yield Step("No slope", largest(["max(abs(s[j]) for j in _)"], {"s": slope}, "stationarity"))
    missed, kept = list[str](), dict[str, Floats]()
    if len(g):
        missed, kept = ["max(abs(g[i]) for i in _)"], {"g": g}
    if (h > -np.inf).any():
        missed, kept = [*missed, "max(max(h[j], 0) for j in _)"], kept | {"h": h[h > -np.inf]}
    yield Step("The constraints hold", largest(missed, kept, "primal_feasibility"))
    if len(z):
        yield Step("No price is negative", largest(["max(max(-z[j], 0) for j in _)"], {"z": z}, "dual_feasibility"))
    bound = np.isfinite(h)
    if bound.any():
        both = largest(["max(abs(z[j] * h[j]) for j in _)"], {"z": z[bound], "h": h[bound]}, "complementary_slackness")
        yield Step("A price, or room to spare, but not both", both)
