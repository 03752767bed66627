"""The fidelity of a surrogate with the numbers put in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from novacula.learner.derivation import heaviest
from novacula.learner.work import Step, Work
from novacula.mathematics import Equation

if TYPE_CHECKING:
    from novacula.explain.surrogate import Surrogate


def derive_surrogate(result: Surrogate) -> Work:
    """The trees that were compared, and the fidelity of the one that was taken."""
    steps = [
        Step("The trees that were compared", table=result.table()),
        Step("The tree that stands for the model", _fidelity(result), figure=result.figure()),
    ]
    return Work("A surrogate tree", steps, result.notes)


def _fidelity(result: Surrogate) -> tuple[Equation, ...]:
    n = len(result.agrees)
    if result.is_classes:
        values = {"a": float(result.agrees.sum()), "n": n}
        where = {"a": "rows on which tree and model say the same", "n": "rows that were held out"}
        return (Equation("fidelity", "a / n", values, of=("fidelity",), where=where),)
    if not result.spread.sum() > 0.0:
        values = {"s": float(result.spread.sum())}
        return (Equation("V", "s", values, where={"s": "the model says the same of all rows"}),)
    (errors, rest_e), (gaps, rest_s) = heaviest(result.agrees), heaviest(result.spread)
    left = Equation(
        "E", "sum(e[i] for i in _)", {"e": result.agrees[errors]}, rest=rest_e,
        where={"e": "squared differences of tree and model"},
    )  # fmt: skip
    total = Equation(
        "V", "sum(s[i] for i in _)", {"s": result.spread[gaps]}, rest=rest_s,
        where={"s": "squared distances of the model's answers from their mean"},
    )  # fmt: skip
    numbers = {"E": float(result.agrees.sum()), "V": float(result.spread.sum())}
    return left, total, Equation("fidelity", "1 - E / V", numbers, of=("fidelity",))
