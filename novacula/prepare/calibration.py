"""Probabilities that are right as often as they say: one number makes a model more or less sure of what it answers.

    P(k) = exp(a·s_k) / Σ exp(a·s)        s: logarithms of the learner's probabilities, or its decision values

a is the number that makes the classes of rows which the model had not seen likeliest (Guo et al., 2017, call 1/a the
temperature), where of n rows one in n + 2 is taken to be of another class (Platt, 2000): rows without a mistake are no
proof that there is none. The most probable class stays the same, so nothing changes but how sure the model says it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from novacula.errors import DataError
from novacula.state import State, flag, number
from novacula.table.chunk import Floats

LEAST = 1e-12
"""The smallest probability whose logarithm is taken."""
STEEPEST = 1e4
"""The largest factor."""


@dataclass(frozen=True)
class Sureness:
    """The factor a, and whether the scores are decision values rather than probabilities.

    >>> Sureness(0.5, False).apply(np.array([[0.9, 0.1]])).round(3).tolist()
    [[0.75, 0.25]]
    """

    state: ClassVar[State] = {"factor": number(above=0.0), "of_decision": flag()}

    factor: float
    of_decision: bool

    @classmethod
    def of(cls, answers: Floats, codes: Any, of_decision: bool, weight: Floats | None = None) -> Self:
        """From answers for rows that the model had not seen, and the place of each row's class among the columns."""
        from scipy.optimize import minimize_scalar

        scores = _scores(np.asarray(answers, np.float64), of_decision)
        if len(scores) < 2:
            raise DataError(f"{len(scores)} rows are too few to find out how sure a model should be")
        doubt = 1.0 / (len(scores) + 2.0)

        def surprise(log_a: float) -> float:
            logits = scores * np.exp(log_a)
            own, every = mean_surprise(logits, codes, weight), mean_surprise(logits, None, weight)
            k = scores.shape[1]
            others = (k * every - own) / (k - 1) if k > 1 else own
            return (1.0 - doubt) * own + doubt * others

        found = minimize_scalar(
            surprise,
            bounds=(-np.log(STEEPEST), np.log(STEEPEST)),
            method="bounded",
        )
        return cls(float(np.exp(found.x)), of_decision)

    def apply(self, answers: Floats) -> Floats:
        """Probabilities (n, classes) from the learner's answers."""
        logits = self.factor * _scores(answers, self.of_decision)
        powers = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def _scores(answers: Floats, of_decision: bool) -> Floats:
    """A score for each class; decision values of two classes are one number a row."""
    if not of_decision:
        return np.log(np.maximum(answers, LEAST))
    return np.column_stack([np.zeros(len(answers)), answers]) if answers.ndim == 1 else answers


def mean_surprise(logits: Floats, codes: Any, weight: Floats | None = None) -> float:
    """The mean of −ln P(class) over rows, where P(k) ∝ exp(logit k); without classes over all of these as well."""
    top = logits.max(axis=1)
    total = top + np.log(np.exp(logits - top[:, None]).sum(axis=1))
    own = logits.mean(axis=1) if codes is None else logits[np.arange(len(logits)), codes]
    return float(np.average(total - own, weights=weight))
