"""Four ways to answer for one instance, and how often each is expected to err.

    error of an answer t = 1 − P(t | x, D)

The most probable hypothesis answers, the likeliest one, all by their votes, or one that is drawn. Where each hypothesis
gives one answer, the one that is drawn errs at most twice as often as the vote.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from novacula.bayes.derivation.answers import derive_compared
from novacula.learner.showing import ShowsWork, WorkOptions
from novacula.learner.work import Work
from novacula.table.chunk import Floats

MAP, ML, OPTIMAL, GIBBS = "MAP", "ML", "Bayes-optimal", "Gibbs"
RULES = (MAP, ML, OPTIMAL, GIBBS)


@dataclass(frozen=True, eq=False)
class ComparedAnswers(ShowsWork):
    """What MAP, ML, the Bayes-optimal vote and a Gibbs draw say of one instance; `Posterior.compare` gives it."""

    names: tuple[Any, ...]
    classes: tuple[Any, ...]
    weights: Floats  # P(h | D), (H,)
    log_likelihood: Floats  # ln P(D | h), (H,)
    each: Floats  # P(t | x, h), (H, K)

    @cached_property
    def votes(self) -> Floats:
        """P(t | x, D) of each class (K,)."""
        return np.asarray(self.weights @ self.each)

    @property
    def choices(self) -> Any:
        """The number of the class that each hypothesis finds most probable (H,)."""
        return np.argmax(self.each, axis=1)

    @property
    def draws(self) -> Floats:
        """The probability that a hypothesis drawn from the posterior answers each class (K,)."""
        return np.asarray(self.weights @ np.eye(len(self.classes))[self.choices])

    @property
    def answers(self) -> dict[str, Any]:
        """The class that each way answers; a draw has no answer that is certain: see `draws`."""
        best = {MAP: self.choices[np.argmax(self.weights)], ML: self.choices[np.argmax(self.log_likelihood)]}
        return {rule: self.classes[k] for rule, k in (best | {OPTIMAL: np.argmax(self.votes)}).items()}

    @property
    def errors(self) -> dict[str, float]:
        """The expected error of each way."""
        certain = {rule: 1.0 - float(self.votes[self.classes.index(t)]) for rule, t in self.answers.items()}
        return certain | {GIBBS: float(self.weights @ (1.0 - self.votes[self.choices]))}

    @property
    def is_bounded(self) -> bool:
        """Whether each hypothesis gives one answer, so that a draw errs at most twice as often as the vote."""
        return bool(np.isin(self.each, (0.0, 1.0)).all())

    def _derive(self, options: WorkOptions) -> Work:
        return derive_compared(self, options)
