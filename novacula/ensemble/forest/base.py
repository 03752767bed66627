"""What forests of classes and of numbers share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from novacula.ensemble.binned import MOST_BINS, BinnedColumns
from novacula.ensemble.forest.coded_rows import CodedRows
from novacula.ensemble.forest.growing import Forester, ForestRules, RowDraws, grow_forest
from novacula.ensemble.forest.out_of_bag import mean_out_of_bag, out_of_bag
from novacula.ensemble.forest.trace import ForestTrace
from novacula.ensemble.trees import BinaryTrees, leaf_sums, leaves_of
from novacula.errors import ModelFileError, ParameterError
from novacula.learner import Learner
from novacula.learner.ingest import target_values, weight_values
from novacula.state import State, each, floats, nullable, number, record, whole
from novacula.table import Table
from novacula.table.chunk import Floats
from novacula.tree.additive import AdditiveTrees
from novacula.tree.attributes import Attribute, attributes_of
from novacula.tree.settings import least_weight

POSITIVE = Interval(Integral, 1, None, closed="left")
SHARE = Interval(Real, 0, 1, closed="right")


class RandomForest(Learner):
    """A learner whose model is `trees_`, over `attributes_`; an answer is the mean of the trees' answers."""

    n_estimators: int
    max_depth: int | None
    min_samples_split: float
    min_samples_leaf: float
    max_features: Any
    max_leaf_nodes: int | None
    bootstrap: bool
    max_samples: Any
    oob_score: bool
    max_bins: int
    unseen: str
    random_state: Any
    attributes_: tuple[Attribute, ...]
    trees_: BinaryTrees
    trace_: ForestTrace
    seed_: int
    mean_draws_: float | None

    state_types: ClassVar[tuple[type, ...]] = (Attribute, BinaryTrees, ForestTrace)
    state: ClassVar[State] = {
        "attributes_": each(record(Attribute), "attributes"),
        "feature_importances_": floats("attributes", least=0.0),
        "seed_": whole(),
        "mean_draws_": nullable(number(least=0.0)),
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_estimators": [POSITIVE],
        "max_depth": [POSITIVE, None],
        "min_samples_split": [Interval(Integral, 2, None, closed="left"), Interval(Real, 0, 1, closed="neither")],
        "min_samples_leaf": [POSITIVE, Interval(Real, 0, 1, closed="neither")],
        "max_features": [POSITIVE, Interval(Real, 0, 1, closed="right"), StrOptions({"sqrt", "log2"}), None],
        "max_leaf_nodes": [Interval(Integral, 2, None, closed="left"), None],
        "bootstrap": ["boolean"],
        "max_samples": [POSITIVE, SHARE, None],
        "oob_score": ["boolean"],
        "max_bins": [Interval(Integral, 2, MOST_BINS, closed="both")],
        "unseen": [StrOptions({"ignore", "error"})],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        max_leaf_nodes: int | None = None,
        bootstrap: bool = True,
        max_samples: Any = None,
        oob_score: bool = False,
        max_bins: int = MOST_BINS,
        unseen: str = "ignore",
        random_state: Any = 0,
    ) -> None:
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.max_leaf_nodes = max_leaf_nodes
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.oob_score = oob_score
        self.max_bins = max_bins
        self.unseen = unseen
        self.random_state = random_state

    # --- what a kind of forest says of itself --------------------------------------------------------------------

    @abstractmethod
    def _criterion(self) -> int:
        """How tests are compared."""

    @abstractmethod
    def _scale(self, rows: CodedRows) -> tuple[Floats, float, float]:
        """The factor of each class, and the centre and the unit of numbers."""

    @abstractmethod
    def _keep_out_of_bag(self, answers: Floats, table: Table) -> None:
        """Set what is said out of bag, and how good that is."""

    @abstractmethod
    def _out_of_bag_error(self, answers: Floats, table: Table) -> float:
        """The error of out-of-bag answers (n, K) on the rows of a table, those without one left out."""

    # --- fit ---------------------------------------------------------------------------------------------------

    def _learn(self, table: Table) -> None:
        """Bring the rows together as codes, and grow the trees."""
        if self.oob_score and not self.bootstrap:
            raise ParameterError("oob_score=True needs bootstrap=True: without it every tree has seen every row")
        self.attributes_ = attributes_of(self.schema_)
        self.seed_ = int(check_random_state(self.random_state).randint(2**31 - 1))
        binned = BinnedColumns.of(table, self.attributes_, self.max_bins)
        rows = CodedRows.of(table, binned)
        factor, centre, unit = self._scale(rows)
        total = float(rows.weight.sum())
        self.mean_draws_ = self._mean_draws(total)
        forester = Forester(rows, binned, self._rules(total), factor, centre, unit)
        self.trees_ = grow_forest(forester, self.n_estimators, table.runner.client)
        self.feature_importances_ = self.tree_importances().mean(axis=0)
        self.trace_ = ForestTrace.of(rows, binned, self.trees_, self.attributes_, self._row_draws())
        if self.oob_score:
            self._keep_out_of_bag(self._out_of_bag(table), table)

    def _rules(self, total: float) -> ForestRules:
        """How the trees are grown from examples of this total weight."""
        drawn = total if self.mean_draws_ is None else total * self.mean_draws_
        return ForestRules(
            self._criterion(), self._n_classes(), columns_drawn(self.max_features, len(self.attributes_)),
            self.max_depth, least_weight(self.min_samples_split, 2, drawn),
            least_weight(self.min_samples_leaf, 1, drawn), self.max_leaf_nodes, self._row_draws(),
        )  # fmt: skip

    def _mean_draws(self, total: float) -> float | None:
        """How often a row is drawn in the mean."""
        if not self.bootstrap:
            return None
        if self.max_samples is None:
            return 1.0
        share = float(self.max_samples)
        return min(share / total, 1.0) if isinstance(self.max_samples, Integral) else share

    def _row_draws(self) -> RowDraws:
        return RowDraws(self.seed_, self.mean_draws_)

    def _n_classes(self) -> int:
        return len(getattr(self, "classes_", ()))

    def _out_of_bag(self, table: Table, shuffled: Attribute | None = None) -> Floats:
        """The mean answer of the trees that did not draw each row."""
        finder = self.trees_.finder(self.attributes_)
        return mean_out_of_bag(table.map(out_of_bag, finder, self._row_draws(), shuffled))

    @staticmethod
    def _judged(answers: Floats, table: Table) -> tuple[Any, Floats, Floats]:
        """Of the rows that some tree did not draw: target, answers and weight."""
        said = ~np.isnan(answers[:, 0])
        if not said.any():
            raise ParameterError("every tree has drawn every row, so that nothing is out of bag: grow more trees")
        weight = weight_values(table)
        return target_values(table)[said], answers[said], np.ones(int(said.sum())) if weight is None else weight[said]

    # --- predict -----------------------------------------------------------------------------------------------

    def _means(self, X: Any) -> Floats:
        """The mean answer (n, K) of the trees for each row."""
        check_is_fitted(self)
        zero = np.zeros(self.trees_.value.shape[1])
        sums: Floats = self._answers(X, leaf_sums, self.trees_.finder(self.attributes_), zero, unseen=self.unseen)
        return sums / len(self.trees_)

    # --- look at it --------------------------------------------------------------------------------------------

    def additive_trees(self) -> AdditiveTrees:
        """Give the forest as a sum of trees, each of whose values are divided by their number."""
        check_is_fitted(self)
        whole_ = self.trees_.additive(np.zeros(self.trees_.value.shape[1]), self.attributes_)
        shares = tuple(values / len(self.trees_) for values in whole_.values)
        return AdditiveTrees(whole_.constant, whole_.trees, shares, self.attributes_, (), False)

    def tree_importances(self) -> Floats:
        """Give the importances (T, F) of each tree: what the tests on a column gained, as a share of all gains."""
        check_is_fitted(self)
        trees, inner = self.trees_, np.flatnonzero(~self.trees_.is_leaf)
        tree = np.searchsorted(trees.start, inner, side="right") - 1
        gained = np.zeros((len(trees), len(self.attributes_)))
        np.add.at(gained, (tree, trees.feature[inner]), trees.gain[inner] * trees.mass[inner])
        total = gained.sum(axis=1, keepdims=True)
        return np.divide(gained, total, out=np.zeros_like(gained), where=total > 0.0)

    def tree_answers(self, X: Any) -> Floats:
        """Give what each tree says of each row: (n, T, K) class shares, or (n, T, 1) numbers."""
        check_is_fitted(self)
        finder = self.trees_.finder(self.attributes_)
        return self.trees_.value[self._answers(X, leaves_of, finder, unseen=self.unseen)]

    def oob_importances(self, X: Any, y: Any = None, sample_weight: Any = None) -> Mapping[str, float]:
        """Give by how much the out-of-bag error rises when a column's values are shuffled among the rows of the fit.

        X and y are the rows of the fit: which trees drew a row follows from the row itself.
        """
        check_is_fitted(self)
        if not self.bootstrap:
            raise ParameterError("every tree has seen every row, since bootstrap=False: there is nothing out of bag")
        table = self._ingest(X, y, sample_weight, first=False)
        before = self._out_of_bag_error(self._out_of_bag(table), table)
        return {
            attribute.name: self._out_of_bag_error(self._out_of_bag(table, attribute), table) - before
            for attribute in self.attributes_
        }

    @property
    def n_parameters_(self) -> int:
        """A number for each test, or one for each category that it lists, and those that the leaves hold."""
        check_is_fitted(self)
        leaves, k = int(self.trees_.is_leaf.sum()), self.trees_.value.shape[1]
        numeric = int((~self.trees_.is_leaf & ~np.isnan(self.trees_.threshold)).sum())
        return numeric + len(self.trees_.code) + leaves * (k - 1 if self._n_classes() else k)

    def _check_state(self) -> None:
        """After loading: rows must find their way down the trees."""
        if not self.trees_.is_whole(self.attributes_, self.trees_.value.shape[1]):
            raise ModelFileError("its trees_ are not trees over its attributes_")
        if attributes_of(self.schema_) != tuple(self.attributes_):
            raise ModelFileError("its attributes_ are not those of its schema_")


def columns_drawn(asked: Any, n_columns: int) -> int:
    """How many columns are drawn at each node."""
    if asked is None:
        return n_columns
    if isinstance(asked, str):
        return max(1, int(np.sqrt(n_columns) if asked == "sqrt" else np.log2(n_columns)))
    if isinstance(asked, Integral):
        return min(int(asked), n_columns)
    return max(1, int(asked * n_columns))
