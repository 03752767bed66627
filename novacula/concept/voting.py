"""Predictions of learners that keep a version space: each member that fits the examples votes."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from novacula.concept.base import ConceptLearner
from novacula.table.chunk import Floats


class VotingLearner(ConceptLearner):
    """A learner of concepts that predicts what most members of its version space say."""

    @abstractmethod
    def votes(self, X: Any) -> tuple[list[int], int]:
        """How many members say yes to each row, and how many there are."""

    def predict_proba(self, X: Any) -> Floats:
        """Give the share of members that vote for each class, in the order of `classes_`."""
        yes, total = self.votes(X)
        mine = np.array([count / total for count in yes])  # of integers, so each is the nearest double to the fraction
        other = np.array([(total - count) / total for count in yes])
        return np.column_stack([mine if label == self.positive_ else other for label in self.classes_])

    def predict(self, X: Any) -> Any:
        """Give the label that most members vote for; a tie is a no, which is the cautious answer."""
        yes, total = self.votes(X)
        return self._labelled(np.array([2 * count > total for count in yes], bool))
