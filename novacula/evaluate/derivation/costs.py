"""What each action costs, and how costs follow from utilities."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from novacula.learner.derivation import distinct_names, only_first
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Step, Work, WorkTable
from novacula.mathematics import Equation, word

if TYPE_CHECKING:
    from novacula.evaluate.costs import CostMatrix


def derive_costs(matrix: CostMatrix, options: WorkOptions) -> Work:
    """The costs; and where they were found from utilities, what the right action is worth minus what each is."""
    classes, actions = (distinct_names(map(str, names.tolist())) for names in (matrix.classes, matrix.actions))
    costs = Step("What each action costs", table=matrix.table())
    if matrix.utilities is None:
        return Work("Costs", [costs])
    worth = WorkTable(("truth", *actions), tuple(zip(classes, *matrix.utilities.T.tolist(), strict=True)))
    steps = [Step("What each action is worth", table=worth)]
    shown = len(classes) if options.is_full else min(len(classes), options.rows)
    for i, name in enumerate(classes[:shown]):
        free = np.flatnonzero(matrix.costs[i] == 0.0).tolist()  # the class itself, or the best of other actions
        best = i if i in free else free[0]
        right = f"U({word(name)}, {word(actions[best])})"
        equations = []
        for j, action in enumerate(actions):
            value, lost = f"U({word(name)}, {word(action)})", f"L({word(name)}, {word(action)})"
            values = {right: float(matrix.utilities[i, best]), value: float(matrix.utilities[i, j])}
            equations.append(Equation(lost, f"{right} - {value}", values, ("costs", i, j)))
        steps.append(Step(f"What is lost where the truth is {name}", tuple(equations)))
    notes = only_first(shown, len(classes), "class")
    if (matrix.costs < 0.0).any():
        notes.append("A loss below 0 says that an answer is worth more than the one called right.")
    return Work("Costs from utilities", [*steps, costs], notes)
