"""Generalisation loss: what hypotheses cost on average over a stated distribution of examples, and the best of them.

    GenLoss_L(h) = Σ_(x, y) L(y, h(x)) P(x, y)        h* = argmin_h GenLoss_L(h)

No sample is needed where P(x, y) is known; a sample only estimates it. No function of x that gives some of the answers
costs less than the one that takes, for each x, the answer of least expected loss.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from novacula.errors import ParameterError
from novacula.evaluate.costs import CostMatrix
from novacula.evaluate.derivation.generalisation import derive_generalisation
from novacula.evaluate.loss import Floats, LossLike, metric_name
from novacula.evaluate.loss import loss as as_loss
from novacula.evaluate.printing import TabularResult
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Work, WorkTable
from novacula.words import quoted


@dataclass(frozen=True, eq=False)
class Generalisation(TabularResult):
    """The generalisation loss of each hypothesis, the best of them, and for each x the best answer of all."""

    cells: tuple[tuple[Hashable, Hashable], ...]  # (x, y)
    probability: Floats  # (cells,)
    answers: Mapping[str, tuple[Any, ...]]  # of each hypothesis, by cell
    cell_losses: Mapping[str, Floats]  # (cells,) each
    loss: str
    expected: Mapping[Hashable, Mapping[Any, float]]
    """By x, of each answer Σ_y L(y, answer) P(x, y): the values of y and what hypotheses say, or a matrix's actions."""

    @property
    def losses(self) -> dict[str, float]:
        """The generalisation loss of each hypothesis."""
        return {name: float(each @ self.probability) for name, each in self.cell_losses.items()}

    @property
    def best(self) -> str:
        """h*, the hypothesis of least loss; of equal ones the first."""
        losses = self.losses
        return min(losses, key=losses.__getitem__)

    @property
    def best_answers(self) -> dict[Hashable, Any]:
        """The answer of least expected loss for each x; of equal ones the first."""
        return {x: min(costs, key=costs.__getitem__) for x, costs in self.expected.items()}

    @property
    def least(self) -> float:
        """What these cost, the least that any function of x with these answers does."""
        return float(sum(min(costs.values()) for costs in self.expected.values()))

    def _derive(self, options: WorkOptions) -> Work:
        return derive_generalisation(self)

    def table(self) -> WorkTable:
        """The loss of each hypothesis, and of the best of all their answers for each x."""
        rows = [(name, value, "h*" if name == self.best else "") for name, value in self.losses.items()]
        rows.append(("best of the answers for each x", self.least, ""))
        return WorkTable(("hypothesis", f"expected {metric_name(self.loss)}", ""), tuple(rows), "Over P(x, y)")


def generalisation_loss(
    hypotheses: Mapping[str, Any],
    P: Mapping[tuple[Any, Any], float],
    loss: LossLike = "zero_one",
) -> Generalisation:
    """Measure hypotheses on a stated P(x, y), and say which is h*.

    A hypothesis is a function of x, or a mapping from x to its answer. `P` maps (x, y) to a probability; these sum to
    1. The loss is a name, a function L(y, ŷ) or a `CostMatrix`, and compares answers with truth.

    >>> P = {("dark", "rain"): 0.3, ("dark", "dry"): 0.1, ("bright", "rain"): 0.1, ("bright", "dry"): 0.5}
    >>> found = generalisation_loss({"rain": lambda x: "rain", "look": {"dark": "rain", "bright": "dry"}}, P)
    >>> found.best, round(found.losses["look"], 6), found.best_answers
    ('look', 0.2, {'dark': 'rain', 'bright': 'dry'})
    """
    which = as_loss(loss)
    if which.needs not in ("labels", "numbers"):
        raise ParameterError(f"the {metric_name(which)} needs {which.needs}, and hypotheses give answers: take another")
    if not hypotheses:
        raise ParameterError("there are no hypotheses to compare: give at least one")
    cells, probability = _distribution(P)
    xs, truth = list(dict.fromkeys(x for x, _ in cells)), [y for _, y in cells]

    def costs(answers: list[Any]) -> Floats:
        return which(truth, answers)

    answers = {name: tuple(_answer(name, h, x) for x, _ in cells) for name, h in hypotheses.items()}
    said = [answer for each in answers.values() for answer in each]
    actions = which.actions.tolist() if isinstance(which, CostMatrix) else list(dict.fromkeys([*truth, *said]))
    by_action = {action: costs([action] * len(cells)) * probability for action in actions}
    at = {place: np.array([x == place for x, _ in cells]) for place in xs}
    return Generalisation(
        cells,
        probability,
        answers,
        {name: costs(list(said)) for name, said in answers.items()},
        which.name,
        {x: {action: float(parts[there].sum()) for action, parts in by_action.items()} for x, there in at.items()},
    )


def _distribution(P: Mapping[tuple[Any, Any], float]) -> tuple[tuple[tuple[Any, Any], ...], Floats]:
    """The cells of P(x, y) that can occur, and their probabilities."""
    for cell, share in P.items():
        if not isinstance(cell, tuple) or len(cell) != 2:
            raise ParameterError(f"P has the key {quoted(cell)}; its keys are pairs (x, y)")
        if not 0.0 <= share <= 1.0:
            raise ParameterError(f"P of {quoted(cell)} is {share!r}; a probability is from 0 to 1")
    total = math.fsum(P.values())
    if not math.isclose(total, 1.0, abs_tol=1e-9):
        raise ParameterError(f"the probabilities of P sum to {total:g}; they must sum to 1")
    cells = tuple(cell for cell, share in P.items() if share > 0.0)
    return cells, np.array([P[cell] for cell in cells], dtype=np.float64)


def _answer(name: str, hypothesis: Any, x: Any) -> Any:
    """What a hypothesis says of x."""
    if callable(hypothesis):
        return hypothesis(x)
    if not isinstance(hypothesis, Mapping) or x not in hypothesis:
        raise ParameterError(f"the hypothesis {quoted(name)} says nothing of x = {quoted(x)}: give a function of x")
    return hypothesis[x]
