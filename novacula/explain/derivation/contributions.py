"""Contributions with the numbers put in: what a row begins with, what each column adds, and the prediction."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from novacula.learner.derivation import only_first
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Step, Work, WorkTable
from novacula.mathematics import Equation
from novacula.words import shortened

if TYPE_CHECKING:
    from novacula.explain.contributions import Contributions

WHERE = {"base": "the answer where no column is known", "c[j]": "what column ⟦j⟧ adds"}


def derive_contributions(result: Contributions, options: WorkOptions) -> Work:
    """For each of the first rows the sum; of several answers the largest, or all of them if everything is asked for."""
    most = min(options.rows, len(result))
    steps = []
    for i in range(most):
        every = range(len(result.outputs)) if options.is_full else [result.output(None, i)]
        sums = tuple(_sum(result, i, k) for k in every)
        title = f"Row {i + 1}: {' and '.join(result.heading(k) for k in list(every)[:3])}"
        steps.append(Step(title, sums, table=_values(result, i, every[0]), figure=result.figure(i)))
    return Work("Contributions of the columns", steps, [*result.notes, *only_first(most, len(result), "row")])


def _sum(result: Contributions, i: int, k: int) -> Equation:
    parts = dict(zip(result.names, result.values[i, :, k], strict=True))
    values = {"base": float(result.base[k]), "c[j]": parts}
    return Equation("f(x)", "base + sum(c[j] for j in _)", values, of=("prediction", i, k), where=WHERE)


def _values(result: Contributions, i: int, k: int) -> WorkTable:
    """What the row holds in the columns that add most."""
    order = np.argsort(-np.abs(result.values[i, :, k]), kind="stable")[:20]
    rows = tuple((shortened(result.names[j]), result.rows.cell(i, j), float(result.values[i, j, k])) for j in order)
    return WorkTable(("column", "value", "adds"), rows, "" if len(order) == len(result.names) else "The largest 20.")
