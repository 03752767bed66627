"""What each answer costs where the truth is a class, and the answer of least expected cost.

answer = argmin_a Σ_t P(t) · cost(t, a)        ties go to the first
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Self

import numpy as np

from novacula.errors import ParameterError
from novacula.table.chunk import Floats
from novacula.words import listed, quoted


@dataclass(frozen=True, eq=False)
class AnswerCosts:
    """Costs (classes, answers) in the order of a model's classes, and the answers.

    >>> costs = {"ham": {"ham": 0, "spam": 10}, "spam": {"ham": 1, "spam": 0}}
    >>> AnswerCosts.of(costs, ["ham", "spam"]).cheapest(np.array([[0.2, 0.8], [0.05, 0.95]])).tolist()
    ['ham', 'spam']
    """

    matrix: Floats
    answers: Any

    @classmethod
    def of(cls, costs: Mapping[Any, Mapping[Any, float]], classes: Sequence[Any]) -> Self:
        """From what each answer costs by the truth, for a model of these classes."""
        for label in classes:
            if not isinstance(costs.get(label), Mapping):
                raise ParameterError(f"costs does not say what answers cost where the truth is {quoted(label)}")
        answers = list(costs[classes[0]])
        for label in classes:
            if set(costs[label]) != set(answers) or not answers:
                raise ParameterError(
                    f"costs prices the answers {listed(costs[label])} where the truth is {quoted(label)}, and "
                    f"{listed(answers)} where it is {quoted(classes[0])}: give the same answers for every class"
                )
            for answer, cost in costs[label].items():
                if not isinstance(cost, Real) or not math.isfinite(cost):
                    raise ParameterError(f"the cost of {quoted(answer)} where the truth is {quoted(label)} is {cost!r}")
        matrix = np.array([[float(costs[label][answer]) for answer in answers] for label in classes])
        return cls(matrix, np.array(answers))

    def cheapest(self, proba: Floats) -> Any:
        """The answer of least expected cost for each row of probabilities (n, classes)."""
        return self.answers[np.argmin(proba @ self.matrix, axis=1)]
