"""List-Then-Eliminate: write down every hypothesis, and cross out those that an example contradicts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from novacula.concept.base import ConceptExamples, ConceptLearner, RowNames, refuse_contradiction
from novacula.concept.cards import COLLAPSING, conjunction_card
from novacula.concept.conjunction import NONE, Conjunction, Positions, inside
from novacula.concept.derivation import derive_crossing, derive_list
from novacula.concept.space import ConjunctiveSpace, all_places
from novacula.concept.voting import VotingLearner
from novacula.errors import DataError, ModelFileError
from novacula.learner.card import Card
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Work
from novacula.state import State, codes, record
from novacula.table.chunk import Codes

_BLOCK = 1 << 21  # comparisons made at a time
_LISTED = 1 << 18  # positions listed at a time
_MOST = 10**7  # hypotheses that a list can be allowed to have


@dataclass(frozen=True, eq=False)
class Listing:
    """Hypotheses as their lowest and highest positions: 2·d numbers of 32 bits per hypothesis."""

    state: ClassVar[State] = {
        "low": codes("hypotheses", "columns", least=NONE[1]),
        "high": codes("hypotheses", "columns", least=NONE[1]),
    }

    low: Codes  # (m, d)
    high: Codes  # (m, d)

    @classmethod
    def blocks(cls, space: ConjunctiveSpace) -> Iterator[Listing]:
        """Every hypothesis that differs in meaning, ∅ first, in the order of `ConjunctiveSpace.hypotheses`."""
        ranges = [np.array(space.ranges(j), np.int32) for j in range(len(space.names))]
        yield cls(*(np.full((1, len(ranges)), end, np.int32) for end in NONE))
        sizes, step = np.array([len(each) for each in ranges]), max(1, _LISTED // len(ranges))
        for start in range(0, space.size_semantic - 1, step):
            choice = all_places(sizes, start, min(start + step, space.size_semantic - 1))
            picked = [each[k] for each, k in zip(ranges, choice.T, strict=True)]
            yield cls(*(np.column_stack([each[:, end] for each in picked]) for end in (0, 1)))

    def is_of(self, space: ConjunctiveSpace) -> bool:
        """Whether each is a hypothesis of a space: ∅, or for every attribute one of its constraints."""
        last, step = 2 * space.sizes - 2, max(1, _LISTED // max(1, len(space.names)))
        for start in range(0, len(self.low), step):
            low, high = self.low[start : start + step], self.high[start : start + step]
            nothing = ((low == NONE[0]) & (high == NONE[1])).all(axis=1)
            free = (low == -1) & (high == last + 1)
            inner = (low >= 0) & (low % 2 == 0) & (high % 2 == 0) & (low <= high) & (high <= last)
            allowed = free | (inner & (space.is_ordered | (low == high)))
            if not (nothing | allowed.all(axis=1)).all():
                return False
        return True

    def without(self, row: Positions, positive: bool) -> Listing:
        """Those that agree with an example."""
        kept = inside(self.low, self.high, row) == positive
        return Listing(self.low[kept], self.high[kept])

    def votes(self, rows: Positions) -> npt.NDArray[np.int64]:
        """How many of them accept each row."""
        counts = np.empty(len(rows), np.int64)
        step = max(1, _BLOCK // max(1, self.low.size))
        for start in range(0, len(rows), step):
            block = rows[start : start + step, None]
            counts[start : start + step] = inside(self.low, self.high, block).sum(axis=1)
        return counts


def eliminate(space: ConjunctiveSpace, examples: ConceptExamples) -> tuple[Listing, npt.NDArray[np.int64]]:
    """The hypotheses that agree with all examples, and how many agree with the first 0, 1, … of them (n + 1,)."""
    low, high = bytearray(), bytearray()  # they grow in place: a list can be long, and no part of it is held twice
    left = np.zeros(len(examples.positive) + 1, np.int64)
    for block in Listing.blocks(space):
        left[0] += len(block.low)
        for k, (row, positive) in enumerate(zip(examples.positions, examples.positive, strict=True)):
            block = block.without(row, bool(positive))
            left[k + 1] += len(block.low)
        low += block.low.tobytes()
        high += block.high.tobytes()
    shape = -1, len(space.names)
    return Listing(np.frombuffer(low, np.int32).reshape(shape), np.frombuffer(high, np.int32).reshape(shape)), left


class ListThenEliminate(VotingLearner):
    """Keeps a list of all hypotheses that fit: the plain algorithm, for small spaces.

    Parameters
    ----------
    space : ConjunctiveSpace, default=None
        The attributes and their domains; by default those of the rows.
    positive : label, default=None
        The label of the concept; by default the second of the two in order.
    max_hypotheses : int, default=10**6
        The largest space that is listed, at most 10**7.
    unseen : {"ignore", "error"}, default="ignore"
        What to do with a value to predict from that no domain holds: it satisfies only ?, with a warning, or refuse.

    Attributes
    ----------
    listing_ : Listing
        The hypotheses that fit, which `members()` gives one by one.
    collapsed_ : bool
        Whether none fits.

    Examples
    --------
    >>> import novacula as nv
    >>> from novacula.concept import ListThenEliminate
    >>> model = ListThenEliminate().fit(nv.datasets.load("enjoy_sport"))
    >>> for h in model.members():
    ...     print(h)
    ⟨Sunny, Warm, ?, Strong, ?, ?⟩
    ⟨Sunny, Warm, ?, ?, ?, ?⟩
    ⟨Sunny, ?, ?, Strong, ?, ?⟩
    ⟨Sunny, ?, ?, ?, ?, ?⟩
    ⟨?, Warm, ?, Strong, ?, ?⟩
    ⟨?, Warm, ?, ?, ?, ?⟩
    """

    card: ClassVar[Card] = conjunction_card(
        name="List-Then-Eliminate",
        summary="All conjunctions are listed, and those that an example contradicts are crossed out.",
        inductive_bias="The concept is a conjunction; among those that fit, none is preferred.",
        objective="Agreement with every example.",
        search="Exhaustive.",
        noise="None is tolerated: one wrong label may leave nothing on the list.",
        interpretability="Very high: the conjunctions that fit are listed.",
        answer_cost="d·|VS| for each row.",
        cost="n·d·|H|: exponential in the number of attributes.",
        cost_exponents={"n": 1},
        size="max_hypotheses",
        in_studies=False,  # its answers are candidate elimination's, which lists nothing
        references=("Mitchell, Machine Learning (1997), section 2.5",),
        expected_failures={
            **COLLAPSING,
            **dict.fromkeys(
                ("check_classifiers_one_label_sample_weights", "check_sample_weight_equivalence_on_dense_data"),
                "the space of its rows has more hypotheses than max_hypotheses, and is refused",
            ),
        },
    )
    state_types: ClassVar[tuple[type, ...]] = (*ConceptLearner.state_types, Listing)
    state: ClassVar[State] = {"listing_": record(Listing, columns="columns")}
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **ConceptLearner._parameter_constraints,
        "max_hypotheses": [Interval(Integral, 1, _MOST, closed="both")],
    }

    listing_: Listing

    def __init__(
        self,
        space: ConjunctiveSpace | None = None,
        positive: Any = None,
        max_hypotheses: int = 10**6,
        unseen: str = "ignore",
    ) -> None:
        super().__init__(space, positive, unseen)
        self.max_hypotheses = max_hypotheses

    def _check(self, space: ConjunctiveSpace, examples: ConceptExamples, names: RowNames) -> None:
        refuse_contradiction(examples, names)
        size = space.size_semantic
        if size > self.max_hypotheses:
            raise DataError(
                f"the space has {size:,} hypotheses, more than max_hypotheses={self.max_hypotheses:,}: use "
                f"CandidateElimination, which does not list them"
            )

    def _solve(self) -> None:
        self.listing_, _ = eliminate(self.space_, self.examples_)

    def _check_state(self) -> None:
        super()._check_state()
        if not self.listing_.is_of(self.space_):
            raise ModelFileError("its listing_ holds what is not a hypothesis of its space_")

    def members(self) -> Iterator[Conjunction]:
        """The hypotheses that fit, one by one, in order, ∅ first where it does."""
        check_is_fitted(self)
        return iter(self.conjunctions(self.listing_, len(self.listing_.low)))

    def conjunctions(self, listing: Listing, most: int) -> list[Conjunction]:
        """The first hypotheses of a list."""
        rows = zip(listing.low[:most].tolist(), listing.high[:most].tolist(), strict=True)
        return [Conjunction(self.space_, tuple(low), tuple(high)) for low, high in rows]

    def version_space_size(self) -> int:
        """How many hypotheses fit."""
        check_is_fitted(self)
        return len(self.listing_.low)

    @property
    def collapsed_(self) -> bool:
        """Whether none fits."""
        return self.version_space_size() == 0

    def _votes_on(self, rows: Positions) -> tuple[list[int], int]:
        if self.collapsed_:
            raise DataError("no hypothesis fits the examples: CandidateElimination says which row left none, and why")
        return self.listing_.votes(rows).tolist(), self.version_space_size()

    def decide(self, X: Any) -> npt.NDArray[np.int64]:
        """Give +1 where every hypothesis says yes, −1 where every one says no, and 0 where they differ."""
        yes, total = self.votes(X)
        return np.array([1 if count == total else -1 if count == 0 else 0 for count in yes], np.int64)

    def _derive(self, options: WorkOptions) -> Work:
        """Derive the list."""
        return derive_list(self, options)

    def _derive_iteration(self, iteration: int, options: WorkOptions) -> Work:
        """Derive what one distinct example crosses out."""
        return derive_crossing(self, iteration, options)
