"""What gradient boosting for classes and for numbers share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from novacula.ensemble.binned import MOST_BINS
from novacula.ensemble.boosting import settings
from novacula.ensemble.boosting.coded_table import CodedTable, coded_table
from novacula.ensemble.boosting.losses import BoostingLoss
from novacula.ensemble.boosting.rounds import Plan, Rounds
from novacula.ensemble.boosting.trace import BoostingTrace
from novacula.ensemble.trees import BinaryTrees, LeafFinder, leaf_sums, leaves_of
from novacula.errors import ModelFileError
from novacula.learner.base import Learner
from novacula.learner.card import Admits, Card
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Work
from novacula.state import State, each, floats, record, whole
from novacula.statistics.base import weighted_counts
from novacula.table import Table
from novacula.table.chunk import Codes, Floats
from novacula.table.parallel import thread_pool
from novacula.tree.additive import AdditiveTrees
from novacula.tree.attributes import Attribute, attributes_of

SHARED_CARD: Mapping[str, Any] = {
    "summary": "Small trees added one by one, each fitted to what those before it leave.",
    "hypothesis_space": "Sums of trees of a few tests each.",
    "inductive_bias": "Many small steps; tests that lower the loss most come first.",
    "search": "Greedy: round by round, and in a tree leaf by leaf; nothing is taken back. A row of weight 2 is two "
    "rows, which are drawn or held out together.",
    "noise": "Followed in the end; shrinkage, leaves of many rows and rows held out stop it before.",
    "missing": "They take the better branch at each test.",
    "admits": Admits(missing=True),
    "unseen": "Treated as missing with a warning, or refused (unseen='error').",
    "takes": ("numeric", "categorical"),
    "scales": ("memory", "stream", "cluster"),
    "uses": "reduce",
    "interpretability": "Low: hundreds of trees; `novacula.explain` and `work(X)` look inside.",
    "answer_cost": "A test per level of each tree.",
    "cost": "n·d per level of each tree; rows from files are kept as two bytes per value on disk, and those of a "
    "cluster come home as such.",
    "cost_exponents": {"n": 1, "d": 1},
    "size": "max_leaf_nodes",
    "sizes": (4, 31),
    "study_settings": {"early_stopping": True, "max_iter": 200},
    "references": (
        "Friedman, Greedy function approximation: a gradient boosting machine, Annals of Statistics 29 (2001)",
        "Ke and others, LightGBM: a highly efficient gradient boosting decision tree (2017)",
    ),
}
"""What the cards of both say."""


class GradientBoosting(Learner):
    """A learner whose model is `constant_` and `trees_`."""

    card: ClassVar[Card]
    state_types: ClassVar[tuple[type, ...]] = (Attribute, BinaryTrees, BoostingTrace)
    state: ClassVar[State] = {
        "attributes_": each(record(Attribute), "attributes"),
        "constant_": floats("scores"),
        "trees_": record(BinaryTrees, attributes="attributes", values=1),
        "n_iter_": whole(least=1),
        "history_": floats("rounds"),
        "held_out_history_": floats("tried"),
        "trace_": record(BoostingTrace, scores="scores"),
    }

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "max_leaf_nodes": [Interval(Integral, 2, None, closed="left"), None],
        "max_depth": [Interval(Integral, 1, None, closed="left"), None],
        "min_samples_leaf": [Interval(Integral, 1, None, closed="left")],
        "l2_regularization": [Interval(Real, 0, None, closed="left")],
        "max_features": [Interval(Real, 0, 1, closed="right")],
        "subsample": [Interval(Real, 0, 1, closed="right")],
        "max_bins": [Interval(Integral, 2, MOST_BINS, closed="both")],
        "monotonic_cst": [Mapping, "array-like", None],
        "early_stopping": [StrOptions({"auto"}), "boolean"],
        "validation_fraction": [Interval(Real, 0, 1, closed="neither")],
        "n_iter_no_change": [Interval(Integral, 1, None, closed="left")],
        "unseen": [StrOptions({"ignore", "error"})],
        "random_state": ["random_state"],
    }

    attributes_: tuple[Attribute, ...]
    constant_: Floats
    trees_: BinaryTrees
    n_iter_: int
    history_: Floats
    held_out_history_: Floats
    trace_: BoostingTrace

    def __init__(
        self,
        learning_rate: float = 0.1,
        max_iter: int = 100,
        max_leaf_nodes: int | None = 31,
        max_depth: int | None = None,
        min_samples_leaf: int = 20,
        l2_regularization: float = 0.0,
        max_features: float = 1.0,
        subsample: float = 1.0,
        max_bins: int = MOST_BINS,
        monotonic_cst: Mapping[str, int] | Sequence[int] | None = None,
        early_stopping: bool | str = "auto",
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 10,
        unseen: str = "ignore",
        random_state: Any = None,
    ) -> None:
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.l2_regularization = l2_regularization
        self.max_features = max_features
        self.subsample = subsample
        self.max_bins = max_bins
        self.monotonic_cst = monotonic_cst
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.unseen = unseen
        self.random_state = random_state

    # --- what a kind of boosting says of itself ------------------------------------------------------------------

    @abstractmethod
    def _loss(self) -> BoostingLoss:
        """The loss that is lowered."""

    def _factor(self, table: Table) -> Floats | None:
        """By how much the rows of each class count more."""

    def _check_target(self, coded: CodedTable) -> None:
        """Refuse targets that the loss does not take."""

    # --- fit ---------------------------------------------------------------------------------------------------

    def _learn(self, table: Table) -> None:
        """Add trees, and keep as many rounds as serve rows held out."""
        loss, self.attributes_ = self._loss(), attributes_of(self.schema_)
        rules = settings.growth_rules(self, self.attributes_, loss)
        with thread_pool() as pool:
            coded = coded_table(table, self.attributes_, self.max_bins, self._factor(table), pool)
            self._check_target(coded)
            share = settings.held_out_share(self, float(coded.weight.sum()))
            seed = int(check_random_state(self.random_state).randint(2**31))
            plan = Plan(self.max_iter, self.learning_rate, self.subsample, self.n_iter_no_change, share, seed)
            boosted = Rounds(coded, loss, rules, plan, pool).run()
        self.n_iter_ = n = boosted.n_rounds
        self.constant_ = boosted.constant
        trees = [tree for trees in boosted.trees[:n] for tree in trees]
        self.trees_ = BinaryTrees.joined(trees, [*range(loss.n_scores)] * n)
        self.history_ = np.array(boosted.train_loss[: n + 1])
        self.held_out_history_ = np.array(boosted.held_out_loss)
        self.trace_ = BoostingTrace.of(boosted.totals, boosted.nodes, boosted.rows, n)

    def _check_state(self) -> None:
        """After loading: attributes must be those of the columns, and trees ask them and answer as many scores."""
        k = len(self.constant_)
        if k != self._loss().n_scores:
            raise ModelFileError("its constant_ does not have a number for each score")
        if attributes_of(self.schema_) != self.attributes_:
            raise ModelFileError("its attributes_ are not those of its columns")
        if not self.trees_.is_whole(self.attributes_, k):
            raise ModelFileError("its trees_ are not trees over its attributes")
        if self.trees_.output.tolist() != [*range(k)] * self.n_iter_ or len(self.history_) != self.n_iter_ + 1:
            raise ModelFileError("its trees_ and history_ are not those of n_iter_ rounds")
        rounds = self.trace_.iteration - 1
        if len(rounds) == 0 or not ((np.diff(rounds) > 0).all() and rounds[-1] < self.n_iter_):
            raise ModelFileError("its trace_ is of rounds that there are not")
        sizes = np.diff(self.trees_.start).reshape(self.n_iter_, k)
        if len(self.trace_.gradient) != sizes[rounds].sum():
            raise ModelFileError("its trace_ is of other trees")

    # --- answers -----------------------------------------------------------------------------------------------

    @property
    def _finder(self) -> LeafFinder:
        return LeafFinder(self.trees_, self.attributes_)

    def _scores(self, X: Any) -> Floats:
        """The raw scores (n, K)."""
        check_is_fitted(self)
        return self._answers(X, leaf_sums, self._finder, self.constant_, unseen=self.unseen)

    def _staged_scores(self, X: Any) -> Iterator[Floats]:
        """The raw scores (n, K) after each round."""
        leaves, k = self.apply(X), len(self.constant_)
        scores = np.tile(self.constant_, (len(leaves), 1))
        for r in range(self.n_iter_):
            scores = scores + self.trees_.value[leaves[:, r * k : (r + 1) * k], 0]
            yield scores

    def apply(self, X: Any) -> Codes:
        """Give the leaf of each row in each tree (n, T), as a node of `trees_`."""
        check_is_fitted(self)
        return self._answers(X, leaves_of, self._finder, unseen=self.unseen)

    # --- look at it --------------------------------------------------------------------------------------------

    @property
    def feature_importances_(self) -> Floats:
        """The share of each attribute in all that the tests gained."""
        check_is_fitted(self)
        inner = ~self.trees_.is_leaf
        gained = weighted_counts(self.trees_.feature[inner], self.trees_.gain[inner], len(self.attributes_))
        return gained / max(float(gained.sum()), np.finfo(float).tiny)

    @property
    def n_parameters_(self) -> int:
        """The constants, the tests, and a number for each leaf."""
        return len(self.constant_) + len(self.trees_.feature)

    def additive_trees(self) -> AdditiveTrees:
        """Give the raw score as a sum of trees."""
        check_is_fitted(self)
        return self.trees_.additive(self.constant_, self.attributes_)

    def _derive(self, options: WorkOptions) -> Work:
        """Derive the constant and the first round."""
        from novacula.ensemble.boosting.derivation import derive_boosting

        return derive_boosting(self, options)

    def _derive_iteration(self, iteration: int, options: WorkOptions) -> Work:
        """Derive a round."""
        from novacula.ensemble.boosting.derivation import derive_round

        return derive_round(self, iteration, options)

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        """Derive the answers for rows, round by round."""
        from novacula.ensemble.boosting.derivation import derive_answers

        chunk, cut = self._first_rows(X, options.rows, self.unseen)
        return derive_answers(self, chunk, cut, options)
