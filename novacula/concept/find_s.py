"""FIND-S: the most specific conjunction that the positive examples allow.

h ← ⟨∅, …, ∅⟩, and for each positive x: h ← h | x, the least generalisation that accepts x
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from novacula.concept.base import ConceptLearner
from novacula.concept.cards import conjunction_card
from novacula.concept.conjunction import Conjunction, boxed, join
from novacula.concept.derivation import derive_generalisation, derive_hypothesis, derive_tests
from novacula.concept.version_space import box_of
from novacula.errors import DataWarning, ModelFileError, warn_user
from novacula.learner.card import Card
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Work
from novacula.state import State, flag, record
from novacula.words import counted


class FindS(ConceptLearner):
    """The most specific conjunction that accepts every positive example; negatives are only checked.

    Parameters
    ----------
    space : ConjunctiveSpace, default=None
        The attributes and their domains; by default those of the rows.
    positive : label, default=None
        The label of the concept; by default the second of the two in order.
    unseen : {"ignore", "error"}, default="ignore"
        What to do with a value to predict from that no domain holds: it satisfies only ?, with a warning, or refuse.

    Attributes
    ----------
    hypothesis_ : Conjunction
        What was found.
    consistent_ : bool
        Whether it rejects every negative example. If not, no conjunction fits.

    Examples
    --------
    >>> import novacula as nv
    >>> from novacula.concept import FindS
    >>> model = FindS().fit(nv.datasets.load("enjoy_sport"))
    >>> for h in model.path():
    ...     print(h)
    ⟨Sunny, Warm, Normal, Strong, Warm, Same⟩
    ⟨Sunny, Warm, ?, Strong, Warm, Same⟩
    ⟨Sunny, Warm, ?, Strong, Warm, Same⟩
    ⟨Sunny, Warm, ?, Strong, ?, ?⟩
    """

    card: ClassVar[Card] = conjunction_card(
        name="FIND-S",
        summary="The most specific conjunction that accepts every positive example.",
        inductive_bias="What no positive example shows does not belong to the concept.",
        objective="The least general conjunction above the positives.",
        search="From specific to general, one least step a positive example.",
        noise="A wrong positive widens the hypothesis for good; a wrong negative is noticed (consistent_) and ignored.",
        interpretability="Very high: one conjunction.",
        answer_cost="d for each row.",
        cost="n·d to fit and to predict.",
        references=("Mitchell, Machine Learning (1997), section 2.4",),
        expected_failures={
            "check_classifiers_train": "its classes overlap, and the box of one class then holds much of the other"
        },
    )

    state: ClassVar[State] = {"hypothesis_": record(Conjunction, columns="columns"), "consistent_": flag()}

    hypothesis_: Conjunction
    consistent_: bool

    def _solve(self) -> None:
        had_contradiction = not getattr(self, "consistent_", True)
        self.hypothesis_, self.consistent_ = self._solution()
        if not (self.consistent_ or had_contradiction):
            accepted = int(self.hypothesis_.covers(self.examples_.negatives).sum())
            warn_user(
                f"FIND-S: what accepts every positive example accepts {counted(accepted, 'negative example')} as well "
                f"(consistent_): no conjunction fits all examples, or a label is wrong",
                DataWarning,
            )

    def _solution(self) -> tuple[Conjunction, bool]:
        """The hypothesis of the examples, and whether it rejects the negatives."""
        box = box_of(self.space_, self.examples_.positives)
        found = self.space_.most_specific if box is None else boxed(self.space_, box[0][None], box[1][None])
        return found, not found.covers(self.examples_.negatives).any()

    def _check_state(self) -> None:
        super()._check_state()
        found, consistent = self._solution()
        held = self.hypothesis_
        if (held.space, held.low, held.high, self.consistent_) != (found.space, found.low, found.high, consistent):
            raise ModelFileError("its hypothesis_ is not the one that follows from its examples_")

    def _path(self) -> list[Conjunction]:
        """The hypothesis at the start and after each distinct example."""
        path = [self.space_.most_specific]
        for row, positive in zip(self.examples_.positions, self.examples_.positive, strict=True):
            h = path[-1]
            if positive and not h.covers(row[None])[0]:
                box = None if h.is_empty else (np.array(h.low), np.array(h.high))
                h = boxed(self.space_, *join(self.space_, box, row[None], row[None]))
            path.append(h)
        return path

    def path(self) -> tuple[Conjunction, ...]:
        """The hypothesis after each row that was seen."""
        check_is_fitted(self)
        path = self._path()
        rows = np.arange(1, self.row_names_.n_rows + 1)
        return tuple(path[k] for k in np.searchsorted(self.row_names_.first, rows, side="right").tolist())

    @property
    def n_parameters_(self) -> int:
        """One constraint for each attribute: the hypothesis answers, not the examples."""
        return self.hypothesis_.n_parameters_

    def decide(self, X: Any) -> npt.NDArray[np.int64]:
        """Give +1 for rows that the hypothesis accepts and −1 for the others: it leaves nothing open."""
        check_is_fitted(self)
        return np.where(self.hypothesis_.covers(self._rows(X)), 1, -1)

    def predict(self, X: Any) -> Any:
        """Give the label of each row."""
        return self._labelled(self.decide(X) > 0)

    def _derive(self, options: WorkOptions) -> Work:
        """Derive the hypothesis, example by example."""
        return derive_hypothesis(self, self._path(), options)

    def _derive_iteration(self, iteration: int, options: WorkOptions) -> Work:
        """Derive what one distinct example makes of the hypothesis."""
        return derive_generalisation(self, self._path(), iteration)

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        """Derive the tests of each row."""
        return derive_tests(self, *self._derived_rows(X, options))
