"""The unbiased learner: its hypotheses are all sets of instances, and so it cannot generalise.

    S = the positives        G = everything but the negatives        |VS| = 2^(instances not seen)

For each hypothesis that fits and each instance that was not seen there is another one that differs there alone. So
exactly half of the version space says yes.
"""

from __future__ import annotations

from typing import Any, ClassVar

from sklearn.utils.validation import check_is_fitted

from novacula.concept.base import ConceptExamples, RowNames, refuse_contradiction
from novacula.concept.cards import CONTRADICTORY, memory_card
from novacula.concept.conjunction import Positions
from novacula.concept.derivation import derive_halves, derive_power_set
from novacula.concept.rote import InstanceMemory
from novacula.concept.space import ConjunctiveSpace, all_places
from novacula.concept.voting import VotingLearner
from novacula.errors import DataError
from novacula.learner.card import Card
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Work
from novacula.table.schema import Category

MAX_LISTED = 10**6
"""Instances up to which G is listed, and bits up to which the size is written out."""


class UnbiasedLearner(InstanceMemory, VotingLearner):
    """Candidate-Elimination over the power set: certain of what it has seen, and split in half on all else.

    Parameters
    ----------
    space : ConjunctiveSpace, default=None
        The attributes and their domains; by default those of the rows.
    positive : label, default=None
        The label of the concept; by default the second of the two in order.
    unseen : {"ignore", "error"}, default="ignore"
        What to do with a value to predict from that no domain holds: warn, or refuse.

    Attributes
    ----------
    log2_size_ : int
        Instances that were not seen: the version space has 2 to that power members.

    Examples
    --------
    >>> import novacula as nv
    >>> from novacula.concept import UnbiasedLearner
    >>> model = UnbiasedLearner().fit(nv.datasets.load("enjoy_sport"))
    >>> model.log2_size_, len(model.specific()), len(model.general())
    (92, 3, 95)
    """

    card: ClassVar[Card] = memory_card(
        name="Unbiased learner",
        summary="The version space over all sets of instances: half of it says yes to whatever was not seen.",
        hypothesis_space="Every set of instances: 2^|X| of them.",
        inductive_bias="None, and so nothing follows for what was not seen.",
        search="None: S is the positives, G is all but the negatives.",
        noise="An instance with both labels is refused; other noise is learned by heart.",
        unseen="Never seen, so the vote is even, with a warning, or it is refused (unseen='error').",
        in_studies=False,  # it shows that without a bias nothing is learned
        log2_hypotheses=lambda n_instances: float(n_instances),
        expected_failures=CONTRADICTORY,
    )

    def _check(self, space: ConjunctiveSpace, examples: ConceptExamples, names: RowNames) -> None:
        refuse_contradiction(examples, names)

    @property
    def log2_size_(self) -> int:
        """How many instances were not seen, which is log₂ of the size of the version space."""
        check_is_fitted(self)
        return self.space_.n_instances - len(self.examples_.positive)

    def version_space_size(self) -> int:
        """How many sets of instances fit the examples."""
        if self.log2_size_ > MAX_LISTED:
            raise DataError(f"the version space has 2^{self.log2_size_} members, too many to write out: see log2_size_")
        return 1 << self.log2_size_

    def specific(self) -> tuple[tuple[Category, ...], ...]:
        """S, the most specific hypothesis: the set of the positives."""
        check_is_fitted(self)
        values = self.space_.values
        rows = (self.examples_.positives // 2).tolist()
        return tuple(tuple(values[j][k] for j, k in enumerate(row)) for row in rows)

    def general(self) -> tuple[tuple[Category, ...], ...]:
        """G, the most general hypothesis: the set of all instances but the negatives."""
        check_is_fitted(self)
        if self.space_.n_instances > MAX_LISTED:
            raise DataError(f"there are {self.space_.n_instances:,} instances, more than the {MAX_LISTED:,} listed")
        out = {tuple(row) for row in self.examples_.negatives.tolist()}
        places = all_places(self.space_.sizes)
        values = self.space_.values
        kept = (row for row in (2 * places).tolist() if tuple(row) not in out)
        return tuple(tuple(values[j][p // 2] for j, p in enumerate(row)) for row in kept)

    def _votes_on(self, rows: Positions) -> tuple[list[int], int]:
        """The vote on each row in halves of the version space: 0, 1 or 2 of them say yes; and 2, as they are two.

        So shares are 0 or 1 for what was seen and one half for the rest, which is a tie.
        """
        return (self._recall(rows) + 1).tolist(), 2

    def _derive(self, options: WorkOptions) -> Work:
        """Say what is remembered."""
        return derive_power_set(self)

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        """Say how the vote on each row comes about."""
        return derive_halves(self, *self._derived_rows(X, options))
