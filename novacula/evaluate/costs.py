"""What each mistake costs, and the action with the least expected cost.

cost of utilities: L(y, ŷ) = U(y, y) − U(y, ŷ)        expected cost of an action: Σ_t P(t) · cost(t, action)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from novacula.arguments import as_numbers
from novacula.errors import DataError, ParameterError
from novacula.evaluate.derivation.costs import derive_costs
from novacula.evaluate.loss import Floats, Labels, Needs, hits
from novacula.evaluate.printing import TabularResult
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Work, WorkTable
from novacula.words import capitalised


@dataclass(frozen=True, eq=False)
class CostMatrix(TabularResult):
    """What it costs to take an action where the truth is a class: one row per class, one column per action.

    The actions are to predict a class, in the same order, unless others are named, such as to ask somebody.

    >>> cost = CostMatrix(["ham", "spam"], [[0, 10], [1, 0]])  # a letter that is lost costs ten that are read in vain
    >>> cost(["ham", "spam"], ["spam", "ham"]).tolist()
    [10.0, 1.0]
    >>> decide([[0.2, 0.8], [0.05, 0.95]], cost).tolist()
    ['ham', 'spam']
    """

    classes: Any
    costs: Any
    actions: Any = None
    name: str = "cost"
    needs: Needs = "labels"
    utilities: Any = None  # what each action is worth, where costs were found from that

    def __post_init__(self) -> None:
        classes, costs = np.asarray(self.classes), as_numbers(self.costs, "the costs", DataError)
        actions = classes if self.actions is None else np.asarray(self.actions)
        if costs.shape != (len(classes), len(actions)) or not costs.size:
            raise ParameterError(
                f"costs of shape {costs.shape} do not fit {len(classes)} classes and {len(actions)} actions: give one "
                "row per class and one column per action"
            )
        if not np.isfinite(costs).all():
            raise ParameterError("a cost is NaN or infinite: give finite costs")
        for what, names in (("class", classes), ("action", actions)):
            if len(np.unique(names)) != len(names):
                raise ParameterError(f"a {what} of the costs is named twice: name each once")
        for field, value in (("classes", classes), ("costs", costs), ("actions", actions)):
            object.__setattr__(self, field, value)

    @classmethod
    def of_utility(cls, classes: Sequence[Any], utilities: npt.ArrayLike, actions: Sequence[Any] | None = None) -> Self:
        """What is lost against the right action: U(y) − U(ŷ), which is 0 where ŷ is y.

        `utilities` has one row per class and one column per action. The right action is to predict the class; where
        other actions are named it is the best of them.

        >>> CostMatrix.of_utility(["ham", "spam"], [[10, -90], [-1, 0]]).costs.tolist()
        [[0.0, 100.0], [1.0, 0.0]]
        """
        gained = as_numbers(utilities, "the utilities", DataError)
        if gained.ndim != 2 or (actions is None and gained.shape != (len(classes), len(classes))):
            raise ParameterError(
                f"utilities of shape {gained.shape} do not fit {len(classes)} classes: give one row per class and one "
                "column per action"
            )
        right = np.diagonal(gained) if actions is None else gained.max(axis=1)
        return cls(classes, right[:, None] - gained, actions, "lost utility", utilities=gained)

    def __call__(self, y: Any, prediction: Any, classes: Any = None) -> Floats:
        """The cost of each row."""
        truth, taken = np.asarray(y), np.asarray(prediction)
        if len(truth) != len(taken):
            raise DataError(f"{len(taken)} predictions were given for {len(truth)} rows")
        costs: Floats = self.costs
        return costs[_places(truth, self.classes, "classes"), _places(taken, self.actions, "actions")]

    def table(self) -> WorkTable:
        """What each action costs, a row for each class."""
        classes, costs = map(str, self.classes.tolist()), self.costs.tolist()
        rows = tuple((name, *row) for name, row in zip(classes, costs, strict=True))
        header = ("truth", *map(str, self.actions.tolist()))
        return WorkTable(header, rows, f"{capitalised(self.name)} of each action")

    def _derive(self, options: WorkOptions) -> Work:
        return derive_costs(self, options)


def _places(values: Labels, names: Labels, what: str) -> npt.NDArray[np.intp]:
    """The place of each value among the classes or actions of a cost matrix."""
    matches = hits(values, names)
    if not matches.any(axis=1).all():
        row = int(np.argmin(matches.any(axis=1)))
        raise DataError(f"row {row + 1} has {values.tolist()[row]!r}, which is not one of the {what} of the costs")
    return matches.argmax(axis=1)


def decide(proba: npt.ArrayLike, cost_matrix: CostMatrix | npt.ArrayLike, classes: Any = None) -> Labels:
    """Give the action with the least expected cost Σ_t P(t)·cost(t, action) for each row; ties go to the first.

    `classes` names the columns of the probabilities; without it they are in the order of the costs.
    """
    if not isinstance(cost_matrix, CostMatrix):
        table = as_numbers(cost_matrix, "the costs", DataError)
        cost_matrix = CostMatrix(np.arange(len(table)) if classes is None else classes, table)
    shares = as_numbers(proba, "the probabilities", DataError)
    column_classes = cost_matrix.classes if classes is None else np.asarray(classes)
    if shares.ndim != 2 or shares.shape[1] != len(column_classes):
        raise DataError(
            f"probabilities of shape {shares.shape} do not fit {len(column_classes)} classes: give one column per class"
        )
    place = _places(column_classes, cost_matrix.classes, "classes")
    return np.asarray(cost_matrix.actions[np.argmin(shares @ cost_matrix.costs[place], axis=1)])
