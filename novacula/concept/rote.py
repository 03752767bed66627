"""Rote learning: remember the examples, and answer what has been seen."""

from __future__ import annotations

from collections import defaultdict
from numbers import Real
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from novacula.concept.base import ConceptLearner
from novacula.concept.cards import memory_card
from novacula.concept.conjunction import Positions
from novacula.concept.derivation import derive_memory, derive_recall
from novacula.concept.space import ConjunctiveSpace
from novacula.errors import ParameterError
from novacula.learner.card import Card
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Work
from novacula.state import State, floats, label
from novacula.table import Chunk
from novacula.table.chunk import Floats
from novacula.table.equal_rows import equal_rows


class InstanceMemory(ConceptLearner):
    """What rote and unbiased learners share: instances that were seen have their label, the others none."""

    outside: ClassVar[str] = "are like none that was seen"

    def _recall(self, rows: Positions) -> npt.NDArray[np.int64]:
        """+1 or −1 for rows that were seen, 0 for those that were not, or with both labels."""
        verdicts: defaultdict[bytes, int] = defaultdict(int)
        for row, positive in zip(self.examples_.positions, self.examples_.positive, strict=True):
            verdicts[row.tobytes()] += 1 if positive else -1
        return np.array([verdicts.get(row.tobytes(), 0) for row in np.ascontiguousarray(rows)], np.int64)

    def n_recalled(self) -> int:
        """How many instances were seen with one label."""
        instances = self.examples_.positions[equal_rows(self.examples_.positions).first]
        return int((self._recall(instances) != 0).sum())

    def decide(self, X: Any) -> npt.NDArray[np.int64]:
        """Give +1 or −1 for instances that were seen with one label, and 0 for all others."""
        check_is_fitted(self)
        return self._recall(self._rows(X))

    def _solve(self) -> None:
        """What was seen is all there is."""


class RoteLearner(InstanceMemory):
    """Answers what it has seen, and nothing else: the learner without any bias to generalise by.

    Parameters
    ----------
    default : label, default=None
        What `predict` says of an instance that was never seen, where `decide` abstains; by default the more frequent
        label; a tie goes to the negative one.
    space : ConjunctiveSpace, default=None
        The attributes and their domains; by default those of the rows.
    positive : label, default=None
        The label of the concept; by default the second of the two in order.
    unseen : {"ignore", "error"}, default="ignore"
        What to do with a value to predict from that no domain holds: warn, or refuse.

    Attributes
    ----------
    default_ : label
        What `predict` says of an instance that was never seen.
    class_count_ : array of shape (2,)
        The weight of the rows of each class.
    examples_ : ConceptExamples
        The distinct examples.

    Examples
    --------
    >>> import novacula as nv
    >>> from novacula.concept import RoteLearner
    >>> table = nv.datasets.load("enjoy_sport")
    >>> RoteLearner().fit(table).decide(table).tolist()
    [1, 1, -1, 1]
    """

    card: ClassVar[Card] = memory_card(
        name="Rote learner",
        summary="Remembers the examples and answers those alone.",
        hypothesis_space="Every set of instances.",
        inductive_bias="None: nothing follows for what was not seen.",
        search="None: look-up.",
        noise="Learned by heart; of an instance that was seen with both labels it says nothing.",
        unseen="Never seen, so decide abstains, with a warning, or it is refused (unseen='error').",
    )

    state: ClassVar[State] = {"class_count_": floats(2, least=0.0), "default_": label()}

    class_count_: Floats
    default_: Any

    def __init__(
        self,
        default: Any = None,
        space: ConjunctiveSpace | None = None,
        positive: Any = None,
        unseen: str = "ignore",
    ) -> None:
        super().__init__(space, positive, unseen)
        self.default = default

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **ConceptLearner._parameter_constraints,
        "default": ["boolean", Real, str, None],
    }

    def _count(self, chunk: Chunk, codes: Any) -> None:
        counts = np.bincount(codes, weights=chunk.weight, minlength=2).astype(np.float64)
        self.class_count_ = counts + getattr(self, "class_count_", np.zeros(2))

    def _solve(self) -> None:
        """Find the label of an instance that was never seen."""
        if self.default is None:
            yes = self.classes_ == self.positive_
            self.default_ = self._labelled(self.class_count_[yes] > self.class_count_[~yes])[0]
        elif self.default not in self.classes_.tolist():
            raise ParameterError(f"default={self.default!r} is none of the labels {self.classes_.tolist()}")
        else:
            self.default_ = self.default

    def predict(self, X: Any) -> Any:
        """Give the label of instances that were seen, and the default for others."""
        verdicts = self.decide(X)
        return self._labelled(np.where(verdicts == 0, bool(self.default_ == self.positive_), verdicts > 0))

    def _derive(self, options: WorkOptions) -> Work:
        """Say what is remembered, and how much of the instance space that is."""
        return derive_memory(self)

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        """Say what is recalled of each row."""
        return derive_recall(self, *self._derived_rows(X, options))
