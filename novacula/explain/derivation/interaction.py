"""Interaction with the numbers put in: what is joint, as a share of what both columns do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from novacula.learner.derivation import SHOWN, only_first
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Step, Work
from novacula.mathematics import Equation
from novacula.words import shortened

if TYPE_CHECKING:
    from novacula.explain.interaction import Interaction

JOINT = "the sum over rows of the square of what is joint"


def derive_interaction(result: Interaction, options: WorkOptions) -> Work:
    """H² of the columns with all others, and of the strongest pairs."""
    steps = [Step("The strongest pairs", figure=result.figure(), table=result.table())]
    most = len(result.pairs) if options.is_full else min(SHOWN, len(result.pairs))
    if result.spread > 0.0:
        steps += [
            Step(f"{shortened(name)} × all others", _with_rest(result, j))
            for j, name in enumerate(result.names[:SHOWN])
        ]
    steps += [Step(result.pair_name(p), _of_pair(result, p)) for p in result.order[:most]]
    return Work("Interaction by Friedman's H²", steps, [*result.notes, *only_first(most, len(result.pairs), "pair")])


def _with_rest(result: Interaction, j: int) -> Equation:
    values = {"J": float(result.joint_with_rest[j]), "V": result.spread}
    where = {"J": JOINT, "V": "that of the answers, less their mean"}
    return Equation("H ** 2", "J / V", values, of=("h2_with_rest", j), where=where)


def _of_pair(result: Interaction, p: int) -> tuple[Equation, ...]:
    values = {"J": float(result.joint[p]), "n": result.sample}
    strength = Equation("s", "sqrt(J / n)", values, of=("strength", p), where={"J": JOINT, "n": "rows"})
    if np.isnan(result.h2[p]):
        return (strength,)
    values = {"J": float(result.joint[p]), "W": float(result.moved[p])}
    where = {"J": JOINT, "W": "that of what the pair does"}
    return strength, Equation("H ** 2", "J / W", values, of=("h2", p), where=where)
