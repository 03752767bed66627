"""What learners with a tree share, whether their leaves say a class or a number."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from sklearn.utils import Bunch
from sklearn.utils.validation import check_is_fitted

from novacula.errors import ModelFileError, ParameterError
from novacula.learner.base import Learner
from novacula.statistics.base import weighted_counts
from novacula.table import Table
from novacula.table.chunk import Floats
from novacula.tree import settings
from novacula.tree.additive import AdditiveTrees
from novacula.tree.attributes import Attribute, attributes_of, cut_places
from novacula.tree.holding_out import split_rows
from novacula.tree.missing import STRATEGIES
from novacula.tree.pruning import cost_complexity_path
from novacula.tree.routing import Router, costs_paid, leaves, nodes_passed
from novacula.tree.structure import Integers


class DecisionTree(Learner):
    """A learner whose model is `tree_`, over `attributes_`."""

    missing: str
    thresholds: Any
    costs: Any
    validation_fraction: float
    random_state: Any
    unseen: str
    attributes_: tuple[Attribute, ...]
    tree_: Any
    trace_: Any
    cuts_: Integers

    # --- what a kind of tree says of itself ----------------------------------------------------------------------

    @abstractmethod
    def _impurities(self) -> Floats:
        """The impurity of each node (m,)."""

    @abstractmethod
    def _node_values(self) -> Floats:
        """What the nodes answer (m, k)."""

    @abstractmethod
    def _prune_by(self, table: Table) -> None:
        """Prune by reduced error on the rows of a table."""

    # --- pruning on other rows -----------------------------------------------------------------------------------

    def _held_out(self, table: Table) -> tuple[Table, Table]:
        """The rows to learn from, and those to judge the tree by."""
        if not table.is_local:
            raise ParameterError(
                "prune='reduced_error' holds out rows in memory only: fit without it and call prune_ with a table of "
                "other rows"
            )
        return split_rows(table, self.validation_fraction, self.random_state)

    def prune_(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Prune by reduced error on these rows: from now on they are not fit to measure the tree by."""
        check_is_fitted(self)
        table = self._ingest(X, y, sample_weight, first=False, piece=True)
        self._prune_by(table.conform(self.schema_, "ignore", keep_roles=True))
        return self

    # --- rows --------------------------------------------------------------------------------------------------

    def _router(self) -> Router:
        places = cut_places(self.schema_, self.attributes_)
        return Router(self.tree_, self.attributes_, places, STRATEGIES[self.missing].is_fractional)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "tree_")

    def _check_state(self) -> None:
        """After loading: attributes must be those of the columns, and the arrays a tree that asks them."""
        if attributes_of(self.schema_, self.thresholds) != self.attributes_:
            raise ModelFileError("its attributes_ are not those of its columns and thresholds")
        if not self.tree_.is_whole():
            raise ModelFileError("its tree_ is not a tree: each node but the root must be one branch of a node before")
        sizes = np.array([a.size for a in self.attributes_], np.int32)
        if not self.tree_.asks(sizes):
            raise ModelFileError("its tree_ has a test that does not fit its attribute, or has no arm for a category")
        if self.trace_.candidates.codes.shape[1] != sizes.sum():
            raise ModelFileError("its trace_ does not count the categories of its attributes")

    def apply(self, X: Any) -> Integers:
        """Give the leaf of each row, as a node of `tree_`; of a row in several leaves, the one with most of it."""
        check_is_fitted(self)
        return self._answers(X, leaves, self._router(), unseen=self.unseen)

    def decision_path(self, X: Any) -> Any:
        """Give the nodes that each row passes, as a sparse matrix (rows × nodes) of the shares of the row."""
        from scipy.sparse import csr_matrix, vstack

        table, router = self._query(X, self.unseen), self._router()
        parts = [nodes_passed(chunk, router) for chunk in table.chunks()]
        return csr_matrix(vstack(parts)) if parts else csr_matrix((0, len(self.tree_)))

    def expected_cost(self, X: Any) -> float:
        """Give the mean cost of the tests that rows of X go through; an attribute is paid for once, if it is known."""
        check_is_fitted(self)
        costs = settings.costs(self.costs, self.attributes_)
        return float(self._answers(X, costs_paid, self._router(), costs, unseen=self.unseen).mean())

    # --- look at it --------------------------------------------------------------------------------------------

    @property
    def feature_importances_(self) -> Floats:
        """The share of each attribute in all that the tests gained, weighted by their examples."""
        check_is_fitted(self)
        inner = ~self.tree_.is_leaf
        gained = self.tree_.gain[inner] * self.tree_.weight[inner]
        importance = weighted_counts(self.tree_.feature[inner], gained, len(self.attributes_))
        return importance / max(float(importance.sum()), np.finfo(float).tiny)

    @property
    def n_parameters_(self) -> int:
        """The parameters of the tree: tests, and what leaves say."""
        return self.tree_.n_parameters

    def additive_trees(self) -> AdditiveTrees:
        """Give the tree as a sum of one tree, whose values are those of its leaves."""
        check_is_fitted(self)
        values, places = self._node_values(), cut_places(self.schema_, self.attributes_)
        fractional = STRATEGIES[self.missing].is_fractional
        return AdditiveTrees(np.zeros(values.shape[1]), (self.tree_,), (values,), self.attributes_, places, fractional)

    def get_depth(self) -> int:
        """Give the number of tests on the longest path."""
        check_is_fitted(self)
        return sum(1 for _ in self.tree_.levels()) - 1

    def get_n_leaves(self) -> int:
        """Give the number of leaves."""
        check_is_fitted(self)
        return int(self.tree_.is_leaf.sum())

    def cost_complexity_pruning_path(self, X: Any, y: Any = None, sample_weight: Any = None) -> Bunch:
        """Give the alphas at which pruning a tree on these rows changes it, and the impurities, as in scikit-learn."""
        from sklearn.base import clone

        whole = clone(self).set_params(ccp_alpha=0.0).fit(X, y, sample_weight)
        alphas, impurities = cost_complexity_path(whole.tree_, whole._impurities())
        return Bunch(ccp_alphas=alphas, impurities=impurities)
