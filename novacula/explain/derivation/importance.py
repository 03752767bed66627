"""Importance with the numbers put in: the loss as it is and with a column permuted, and how far that may be off."""

from __future__ import annotations

from typing import TYPE_CHECKING

from novacula.learner.derivation import SHOWN, heaviest, only_first
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Step, Work
from novacula.mathematics import Equation
from novacula.words import shortened

if TYPE_CHECKING:
    from novacula.explain.importance import Importance


def derive_importance(result: Importance, options: WorkOptions) -> Work:
    """The loss of the rows, and for the most important columns what permutations make of it."""
    terms = result.losses * result.weight
    places, rest = heaviest(terms)
    mean = Equation(
        "L_0",
        "sum(l[i] for i in _) / n",
        {"l": terms[places], "n": float(result.weight.sum())},
        of=("baseline",),
        where={"l": "the losses of the rows, each times its weight", "n": "the weight of the rows"},
        rest=rest,
    )
    steps = [Step(f"The {result.measure} of the rows as they are", mean, figure=result.figure())]
    most = len(result.names) if options.is_full else min(SHOWN, len(result.names))
    steps += [Step(f"{shortened(result.names[j])} is permuted", _column(result, int(j))) for j in result.order[:most]]
    return Work("Importance by permutation", steps, [*result.notes, *only_first(most, len(result.names), "column")])


def _column(result: Importance, j: int) -> tuple[Equation, ...]:
    losses, spread = result.permuted[j], {"a": float(result.row_error[j]), "b": float(result.order_error[j])}
    where = {"L": "the mean loss with each permutation", "R": "permutations"}
    rise = Equation(
        "I", "sum(L[r] for r in _) / R - L_0", {"L": losses, "R": len(losses), "L_0": result.baseline},
        of=("rise", j), where=where,
    )  # fmt: skip
    meanings = {"a": "standard error due to the rows", "b": "due to the permutations", "t": "Student's quantile"}
    numbers = {"I": float(result.rise[j]), "t": float(result.t[j]), **spread}
    ends = (
        Equation(name, f"I {sign} t * sqrt(a ** 2 + b ** 2)", numbers, of=(name, j), where=meanings)
        for name, sign in (("low", "-"), ("high", "+"))
    )
    return (rise, *ends)
