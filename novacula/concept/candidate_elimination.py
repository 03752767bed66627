"""Candidate-Elimination: the version space of the examples, kept by its boundaries and counted exactly.

    VS = {h ∈ H : h(x) = label of x for every example x}        S ≤ h ≤ G for each h ∈ VS
    P(yes | x) = |{h ∈ VS : h(x) = 1}| / |VS|

Nothing is listed to fit, to count or to vote; `novacula.concept.counting` says how.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from novacula.arguments import require_function
from novacula.concept.base import ConceptExamples, ConceptLearner, RowNames, refuse_contradiction
from novacula.concept.cards import COLLAPSING, conjunction_card
from novacula.concept.conjunction import Conjunction, Positions
from novacula.concept.derivation import derive_boundaries, derive_version_space
from novacula.concept.diagnosis import collapsed_at, diagnose
from novacula.concept.query import Identification, most_divided, nearest_half, truth_of
from novacula.concept.rows import chunk_positions, instance_values, row_values
from novacula.concept.space import ConjunctiveSpace
from novacula.concept.version_space import VersionSpace
from novacula.concept.voting import LISTED, VotingLearner
from novacula.errors import DataError, DataWarning, ModelFileError, warn_user
from novacula.learner.card import Card
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Work
from novacula.state import State, flag, nullable, text, whole


class CandidateElimination(VotingLearner):
    """Every conjunction that fits the examples: boundaries, exact counts and votes, certainty, queries.

    Parameters
    ----------
    space : ConjunctiveSpace, default=None
        The attributes and their domains. By default those of the rows: categories as the schema has them, and for
        numbers the distinct values seen, with intervals whose ends are among them.
    positive : label, default=None
        The label of the concept; by default the second of the two in order.
    contradiction : {"raise", "collapse"}, default="raise"
        What to do when one instance has both labels: refuse, with both rows, or let the version space be empty.
    unseen : {"ignore", "error"}, default="ignore"
        What to do with a value to predict from that no domain holds: it satisfies only ?, with a warning, or refuse.

    Attributes
    ----------
    collapsed_, collapsed_at_, diagnosis_
        Whether no conjunction fits; the row, from 1 on over all fits, that made it so; and a sentence why.
    space_, classes_, positive_, examples_
        The space, the labels, the concept's label, and the distinct examples as positions in the space.

    Examples
    --------
    >>> import novacula as nv
    >>> from novacula.concept import CandidateElimination
    >>> model = CandidateElimination().fit(nv.datasets.load("enjoy_sport"))
    >>> print(*model.specific())
    ⟨Sunny, Warm, ?, Strong, ?, ?⟩
    >>> print(*model.general())
    ⟨Sunny, ?, ?, ?, ?, ?⟩ ⟨?, Warm, ?, ?, ?, ?⟩
    >>> model.version_space_size()
    6
    """

    card: ClassVar[Card] = conjunction_card(
        name="Candidate-Elimination",
        summary="Every conjunction that fits the examples, kept by its boundaries and counted exactly.",
        inductive_bias="The concept is a conjunction; among those that fit, none is preferred.",
        objective="Agreement with every example.",
        search="The least upper bound of the positives, and minimal hitting sets of the negatives.",
        noise="None is tolerated: one wrong label may empty the version space, and then it says so.",
        interpretability="Very high: S and G bound every conjunction that fits.",
        answer_cost="d for each row that S and G decide; a count of votes for others.",
        cost="n·d to fit; counts take at most 2^d steps for d constrained attributes, mostly far fewer.",
        references=(
            "Mitchell, Machine Learning (1997), chapter 2",
            "Hirsh (1994), Generalizing version spaces",
            "Murakami and Uno (2014), on minimal hitting sets",
        ),
        expected_failures=COLLAPSING,
    )
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **ConceptLearner._parameter_constraints,
        "contradiction": [StrOptions({"raise", "collapse"})],
    }

    state: ClassVar[State] = {
        "collapsed_": flag(),
        "collapsed_at_": nullable(whole(least=1)),
        "diagnosis_": nullable(text()),
    }

    collapsed_: bool
    collapsed_at_: int | None
    diagnosis_: str | None
    _version_space: VersionSpace

    def __init__(
        self,
        space: ConjunctiveSpace | None = None,
        positive: Any = None,
        contradiction: str = "raise",
        unseen: str = "ignore",
    ) -> None:
        super().__init__(space, positive, unseen)
        self.contradiction = contradiction

    # --- fit ---------------------------------------------------------------------------------------------------------

    def _check(self, space: ConjunctiveSpace, examples: ConceptExamples, names: RowNames) -> None:
        if self.contradiction == "raise":
            refuse_contradiction(examples, names)

    def _solve(self) -> None:
        had_collapsed = getattr(self, "collapsed_", False)
        self._version_space = VersionSpace.of(self.space_, self.examples_.positives, self.examples_.negatives)
        self.collapsed_ = self._version_space.is_empty
        self.collapsed_at_ = self.diagnosis_ = None
        if self.collapsed_:
            self.collapsed_at_ = collapsed_at(self.space_, self.examples_, self.row_names_)
            self.diagnosis_ = diagnose(self.space_, self.examples_, self.row_names_)
            if not had_collapsed:
                warn_user(self.diagnosis_, DataWarning)

    def _check_state(self) -> None:
        super()._check_state()
        self._version_space = VersionSpace.of(self.space_, self.examples_.positives, self.examples_.negatives)
        said = self.collapsed_, self.collapsed_at_ is not None, self.diagnosis_ is not None
        if set(said) != {self._version_space.is_empty}:
            raise ModelFileError("its collapsed_ is not what follows from its examples_")

    # --- the version space -------------------------------------------------------------------------------------------

    def specific(self) -> tuple[Conjunction, ...]:
        """S, the most specific members: ∅ before the first positive, none after a collapse."""
        return self._fitted().specific

    def general(self) -> tuple[Conjunction, ...]:
        """G, the most general members, in order; found when first asked for."""
        return self._fitted().general

    def version_space_size(self) -> int:
        """How many conjunctions fit the examples."""
        return self._fitted().size

    def members(self) -> Iterator[Conjunction]:
        """Every conjunction that fits the examples, one by one; there may be very many."""
        return self._fitted().members()

    def _fitted(self) -> VersionSpace:
        check_is_fitted(self)
        return self._version_space

    def _alive(self) -> VersionSpace:
        """The version space to predict with."""
        version_space = self._fitted()
        if self.collapsed_:
            raise DataError(f"there is no hypothesis to predict with: {self.diagnosis_}")
        return version_space

    # --- predict -----------------------------------------------------------------------------------------------------

    def _votes_on(self, rows: Positions) -> tuple[list[int], int]:
        version_space = self._alive()
        return version_space.votes(rows), version_space.size

    def decide(self, X: Any) -> npt.NDArray[np.int64]:
        """Give +1 where every member says yes, −1 where every one says no, and 0 where they differ."""
        rows = self._rows(X)
        return self._alive().decide(rows)

    # --- ask ---------------------------------------------------------------------------------------------------------

    def query(self, candidates: Any = None) -> Mapping[str, Any] | None:
        """The instance whose vote is nearest one half, as values by attribute; None if no instance divides the members.

        It is looked for among `candidates`, rows of any kind that `predict` takes, or in the whole instance space. That
        search is exact for up to 20 constrained nominal attributes (2²⁰ patterns of agreement with S) once there is a
        positive example, and up to 4,096 instances before. Beyond, values are exchanged one attribute at a time for as
        long as that helps.
        """
        version_space = self._alive()
        if candidates is None:
            row = most_divided(version_space)
            return None if row is None else instance_values(self.space_, row)
        table = self._query(candidates, "error")
        chunk = table.to_chunk()
        best = nearest_half(version_space, chunk_positions(self.space_, table.layout, chunk))
        return None if best is None else row_values(self.space_, table.layout, chunk, best)

    def identify(self, oracle: Callable[[Mapping[str, Any]], Any], max_queries: int | None = None) -> Identification:
        """Ask an oracle about one instance after the other until no question is left, and learn from its answers.

        The oracle is given an instance as values by attribute, and answers with a label or with true and false. A
        learner that was not fitted begins with nothing but its `space`. What is left is the concept if that is a
        conjunction: of instances that were not asked for nothing is known.
        """
        require_function(oracle, "oracle", "an instance")
        if not hasattr(self, "examples_"):
            self._begin()
        sizes = [self.version_space_size()]
        answers: list[tuple[Mapping[str, Any], bool]] = []
        while max_queries is None or len(answers) < max_queries:
            row = most_divided(self._alive())
            if row is None:
                break
            instance = instance_values(self.space_, row)
            answer = truth_of(oracle(instance), self.classes_, self.positive_)
            self._add(row, answer)
            answers.append((instance, answer))
            sizes.append(self.version_space_size())
        return Identification(self.specific()[0], tuple(answers), tuple(sizes))

    def _boundaries(self) -> tuple[tuple[Conjunction, ...], tuple[Conjunction, ...]] | None:
        held = self._alive()
        try:
            return tuple(held.specific), held.most_general(LISTED)
        except DataError:
            return None

    # --- explain -----------------------------------------------------------------------------------------------------

    def _derive(self, options: WorkOptions) -> Work:
        """Derive boundaries and size."""
        return derive_version_space(self, self._fitted(), options)

    def _derive_iteration(self, iteration: int, options: WorkOptions) -> Work:
        """Derive what one distinct example changes in the boundaries."""
        return derive_boundaries(self, iteration, options)
