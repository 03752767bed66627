"""The generalisation loss of each hypothesis, cell by cell of P(x, y), the best of them, and the best answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from novacula.evaluate.loss import metric_name
from novacula.learner.derivation import cut_table, distinct_names
from novacula.learner.work import Cell, Step, Work
from novacula.mathematics import Equation, word

if TYPE_CHECKING:
    from novacula.evaluate.generalisation import Generalisation

WHERE = {"P[i]": "probability of the cell ⟦i⟧, an x with a y", "L[i]": "loss there, of the answer for x against y"}


def derive_generalisation(result: Generalisation) -> Work:
    """The loss of each hypothesis, h*, and the best of their answers for each x."""
    steps = []
    for name, shown in zip(result.losses, distinct_names(result.losses), strict=True):
        values = {"P[i]": result.probability, "L[i]": result.cell_losses[name]}
        total = Equation(
            f"GenLoss({word(shown)})", "sum(P[i] * L[i] for i in _)", values, of=("losses", name), where=WHERE
        )
        cells = zip(result.cells, result.probability, result.answers[name], result.cell_losses[name], strict=True)
        rows = [(str(x), str(y), float(share), str(said), float(cost)) for (x, y), share, said, cost in cells]
        header = ("x", "y", "⟦P(x, y)⟧", "⟦h(x)⟧", "loss")
        steps.append(Step(f"The expected loss of {shown}", total, cut_table(header, rows, len(rows))))
    losses = dict(zip(distinct_names(result.losses), result.losses.values(), strict=True))
    best = Equation("h_best", "argmin(GenLoss[h] for h in _)", {"GenLoss[h]": losses}, of=("best",), therefore=True)
    steps.append(Step("The best of them", best))
    parts = [min(costs.values()) for costs in result.expected.values()]
    meaning = {"R[x]": "expected loss of the best answer for x, its share of the whole"}
    floor = Equation("GenLoss_min", "sum(R[x] for x in _)", {"R[x]": parts}, of=("least",), where=meaning)
    by_x: list[tuple[Cell, ...]] = [
        (str(x), *costs.values(), str(result.best_answers[x])) for x, costs in result.expected.items()
    ]
    actions = [str(action) for action in next(iter(result.expected.values()))]
    table = cut_table(("x", *(f"loss of {name}" for name in distinct_names(actions)), "best answer"), by_x, len(by_x))
    steps.append(
        Step(
            "The answer of least expected loss for each x: no function of x with these answers costs less", floor, table
        )
    )
    return Work(f"Generalisation: the expected {metric_name(result.loss)}", steps)
