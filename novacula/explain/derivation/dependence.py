"""Partial dependence with the numbers put in: the mean over the rows at some points of the grid."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from novacula.learner.derivation import heaviest
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Step, Work
from novacula.mathematics import Equation
from novacula.mathematics.notation import TextNotation
from novacula.words import counted, shortened

if TYPE_CHECKING:
    from novacula.explain.dependence import Dependence

SOME = 5
"""Points of the grid that are derived, unless everything is asked for."""


def derive_dependence(result: Dependence, options: WorkOptions) -> Work:
    """The mean at some points of the grid, from the first to the last."""
    places, k = list(np.ndindex(*result.mean.shape[:-1])), result.output()
    most = len(places) if options.is_full else min(SOME, len(places))
    chosen = [places[i] for i in np.unique(np.linspace(0, len(places) - 1, most).astype(int))]
    steps = [Step(_set_to(result, place), _mean(result, place, k)) for place in chosen]
    steps[0] = Step(steps[0].title, steps[0].equation, figure=result.figure())
    notes = [*result.notes, f"Derived is the {result.heading(k)}."]
    if len(chosen) < len(places):
        notes.append(f"{len(chosen)} of {counted(len(places), 'point')} of the grid are derived.")
    return Work("Partial dependence", steps, notes)


def _set_to(result: Dependence, place: tuple[int, ...]) -> str:
    cells = [axis.cell(i) for axis, i in zip(result.axes, place, strict=True)]
    values = [cell if isinstance(cell, str) else TextNotation().number(float(cell)).text for cell in cells]
    return ", ".join(f"{shortened(a.name)} = {value}" for a, value in zip(result.axes, values, strict=True))


def _mean(result: Dependence, place: tuple[int, ...], k: int) -> Equation:
    terms = np.moveaxis(result.curves, 0, -1)[(*place, k)]
    shown, rest = heaviest(terms)
    where = {"f": "the answers for the rows, set to this value", "n": "rows"}
    values = {"f": terms[shown], "n": len(terms)}
    return Equation("PD", "sum(f[i] for i in _) / n", values, of=("mean", *place, k), where=where, rest=rest)
