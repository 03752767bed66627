"""Predictions of learners that keep a version space: each member that fits the examples votes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np

from novacula.concept.base import ConceptLearner
from novacula.concept.conjunction import Conjunction, Positions
from novacula.concept.derivation import derive_votes
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Work
from novacula.table.chunk import Floats

LISTED = 12
"""Members up to which a derivation lists their votes."""


class VotingLearner(ConceptLearner):
    """A learner of concepts that predicts what most members of its version space say."""

    def votes(self, X: Any) -> tuple[list[int], int]:
        """How many members say yes to each row, and how many there are: exact integers."""
        return self._votes_on(self._rows(X))

    @abstractmethod
    def _votes_on(self, rows: Positions) -> tuple[list[int], int]:
        """The same for rows of positions."""

    def members(self) -> Iterator[Conjunction]:
        """Every hypothesis that fits the examples, one by one; there may be very many."""
        raise NotImplementedError(f"the members of {type(self).__name__} are not conjunctions")

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        """Derive the vote on each row."""
        rows, notes = self._derived_rows(X, options)
        votes = self._votes_on(rows)
        members = list(self.members()) if votes[1] <= LISTED else None
        return derive_votes(self, rows, votes, members, notes, self._boundaries())

    def _boundaries(self) -> tuple[tuple[Conjunction, ...], tuple[Conjunction, ...]] | None:
        """S and G, where they are kept and short enough to be shown."""
        return None

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
