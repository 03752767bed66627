"""Regression trees: tests on attributes, with a number at each leaf.

    LEARN(examples): equal numbers → a leaf; otherwise make the test whose branches lie furthest apart, and
    LEARN the examples of each branch.

What a test gains is by how much the mean squared deviation falls, Σ share(branch) · (mean(branch) − mean)²; or, with
medians in place of means, the mean absolute deviation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from novacula.errors import ParameterError
from novacula.learner import Card, Regressor, Work, ingest
from novacula.learner.card import Admits
from novacula.learner.showing import WorkOptions
from novacula.state import State, by_parameter, each, record, wholes
from novacula.table import Table
from novacula.table.chunk import Floats
from novacula.tree import settings
from novacula.tree.attributes import Attribute, attributes_of, cut_places
from novacula.tree.base import DecisionTree
from novacula.tree.criterion import NUMBER_CRITERIA
from novacula.tree.exporting import ABSOLUTE, NumberTreeExports
from novacula.tree.growing import (
    DeviationCandidates,
    DeviationKind,
    Grown,
    NumberCandidates,
    NumberKind,
    TargetScale,
    grow_tree,
)
from novacula.tree.missing import NUMBER_STRATEGIES
from novacula.tree.pruning import grow_best_first, prune_by_alpha, prune_by_deviations, prune_by_squares
from novacula.tree.routing import leaf_moments, leaf_values, moments_upwards, node_deviations
from novacula.tree.structure import NumberTree
from novacula.tree.trace import DeviationTrace, NumberTrace


class DecisionTreeRegressor(NumberTreeExports, DecisionTree, Regressor):
    """A tree of tests on attributes, with the mean, or the median, of its examples at each leaf.

    Tests are those of `DecisionTreeClassifier`: one branch per category or two groups of categories, and x ≤ t for
    numbers, with t halfway between neighbouring values. Nothing is one-hot encoded, and values may be missing.

    Parameters
    ----------
    criterion : {"squared_error", "absolute_error"}
        Tests are compared by how much the mean squared deviation from the mean falls, or the mean absolute deviation
        from the median, which few numbers far away do not move. That takes the rows themselves, in memory; the two
        groups of `nominal="subset"` are then the best along the order of medians.
    missing : {"fractional", "most_common", "better"}
        What becomes of examples without a value: they go down every branch with its share of the known examples, down
        the branch that most examples take, or down the one in which they make the gain largest.
    nominal : {"multiway", "subset"}
        One branch per category, or the best division of the categories into two groups, which is found along the order
        of their means (exact, as long as no `min_samples_leaf` stands in its way).
    costs : mapping of column to cost, by which gains are divided, default 1 for columns that are not named
    prune : {None, "reduced_error"}
        Whether the tree is cut back on rows held out, as long as their error does not rise.
    validation_fraction : float, the share of rows held out for `reduced_error` (rows in memory)
    ccp_alpha : float, cost-complexity pruning as in scikit-learn
    max_depth, max_leaf_nodes : int, optional
    min_samples_split, min_samples_leaf : int or float
        Weight of examples that a node needs to be tested, and a branch to be made (of a test by category, two of its
        branches); a float is a share of all. The defaults never bind.
    min_gain : float, by how much a test must lower the mean deviation, as `criterion` says, at its node
    thresholds : mapping of numeric column to numbers, which cut it into intervals that are tested like categories
    max_bins : int, optional
        Numeric columns are cut at that many quantiles. From files and clusters the default is 256.
    unseen : {"ignore", "error"}
        A category that was not there at fit is treated as missing with a warning, or refused.
    random_state : int, RandomState or None, chooses the rows held out

    Attributes
    ----------
    attributes_ : what the tree may ask of each column
    tree_ : the tree as arrays: of each node the weight of its examples, their mean and their squared deviations, or
        their median and their absolute deviations
    trace_ : what was found for every attribute at the first 40 nodes

    Examples
    --------
    >>> from novacula.tree import DecisionTreeRegressor
    >>> model = DecisionTreeRegressor(max_leaf_nodes=3).fit([[1], [2], [3], [4], [5]], [1.0, 1.2, 3.0, 3.4, 9.0])
    >>> print(model.to_text())
    x0 ≤ 4.5
    |   x0 ≤ 2.5: 1.1 (2, ± 0.1)
    |   x0 > 2.5: 3.2 (2, ± 0.2)
    x0 > 4.5: 9 (1)
    """

    card: ClassVar[Card] = Card(
        name="Regression tree",
        task="regression",
        summary="Tests on attributes, one after the other, with a number at the end of each path.",
        hypothesis_space="Trees of tests: every function of categorical columns, steps over boxes in numeric ones.",
        inductive_bias="Short trees, with tests that lower the squared error most near the root.",
        objective="At each node the largest fall of the squared deviation from the mean, or of the absolute one from "
        "the median.",
        search="Greedy from the root down, without going back; pruned afterwards, if asked.",
        noise="Fitted to the last row unless stopped or pruned.",
        missing="Down every branch with its share, down the most common one, or down the better one.",
        admits=Admits(missing=True),
        unseen="Treated as missing with a warning, or refused (unseen='error').",
        takes=("numeric", "categorical"),
        scales=("memory", "stream", "cluster"),
        uses="reduce",
        interpretability="Very high while it is small: an answer is a path of tests.",
        answer_cost="One test per level, for each row.",
        cost="n·d·log n to sort, then n·d per level; from files one pass per level.",
        cost_exponents={"n": 1, "d": 1},
        size="max_leaf_nodes",
        sizes=settings.leaf_counts,
        study_settings={"nominal": "subset", "missing": "better"},
        references=("Breiman, Friedman, Olshen and Stone, Classification and Regression Trees (1984), chapter 8",),
    )
    state_types: ClassVar[tuple[type, ...]] = (
        Attribute,
        NumberTree,
        NumberCandidates,
        NumberTrace,
        DeviationCandidates,
        DeviationTrace,
    )
    state: ClassVar[State] = {
        "attributes_": each(record(Attribute), "attributes"),
        "tree_": record(NumberTree, nodes="nodes", attributes="attributes"),
        "trace_": by_parameter(
            "criterion",
            {
                "squared_error": record(NumberTrace, nodes="nodes", attributes="attributes"),
                "absolute_error": record(DeviationTrace, nodes="nodes", attributes="attributes"),
            },
        ),
        "cuts_": wholes("attributes"),
    }

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "criterion": [StrOptions(set(NUMBER_CRITERIA))],
        "missing": [StrOptions(set(NUMBER_STRATEGIES))],
        "nominal": [StrOptions({"multiway", "subset"})],
        "costs": [Mapping, None],
        "prune": [StrOptions({"reduced_error"}), None],
        "validation_fraction": [Interval(Real, 0, 1, closed="neither")],
        "ccp_alpha": [Interval(Real, 0, None, closed="left")],
        "max_depth": [Interval(Integral, 1, None, closed="left"), None],
        "min_samples_split": [Interval(Integral, 2, None, closed="left"), Interval(Real, 0, 1, closed="neither")],
        "min_samples_leaf": [Interval(Integral, 1, None, closed="left"), Interval(Real, 0, 1, closed="neither")],
        "min_gain": [Interval(Real, 0, None, closed="left")],
        "max_leaf_nodes": [Interval(Integral, 2, None, closed="left"), None],
        "thresholds": [Mapping, None],
        "max_bins": [Interval(Integral, 2, None, closed="left"), None],
        "unseen": [StrOptions({"ignore", "error"})],
        "random_state": ["random_state"],
    }

    tree_: NumberTree
    trace_: NumberTrace

    def __init__(
        self,
        criterion: str = "squared_error",
        missing: str = "fractional",
        nominal: str = "multiway",
        costs: Mapping[str, float] | None = None,
        prune: str | None = None,
        validation_fraction: float = 1 / 3,
        ccp_alpha: float = 0.0,
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_gain: float = 0.0,
        max_leaf_nodes: int | None = None,
        thresholds: Mapping[str, Sequence[float]] | None = None,
        max_bins: int | None = None,
        unseen: str = "ignore",
        random_state: Any = None,
    ) -> None:
        self.criterion = criterion
        self.missing = missing
        self.nominal = nominal
        self.costs = costs
        self.prune = prune
        self.validation_fraction = validation_fraction
        self.ccp_alpha = ccp_alpha
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_gain = min_gain
        self.max_leaf_nodes = max_leaf_nodes
        self.thresholds = thresholds
        self.max_bins = max_bins
        self.unseen = unseen
        self.random_state = random_state

    # --- fit ---------------------------------------------------------------------------------------------------

    def _learn(self, table: Table) -> None:
        """Grow the tree, then prune it."""
        ingest.require_one_number(table, "DecisionTreeRegressor")
        if self.is_absolute and not table.is_local:
            raise ParameterError(
                f"criterion='absolute_error' needs the rows of {table.source.name} in memory: take some of them with "
                "table.take, or use criterion='squared_error'"
            )
        self.attributes_ = attributes_of(self.schema_, self.thresholds)
        training, validation = (table, None) if self.prune is None else self._held_out(table)
        grown = self._grow(training)
        self.tree_, self.cuts_ = grown.tree, grown.cuts
        self.trace_ = DeviationTrace(grown.candidates) if self.is_absolute else NumberTrace(grown.candidates)
        if self.max_leaf_nodes is not None:
            self._cut(grow_best_first(self.tree_, self.max_leaf_nodes))
        if validation is not None:
            self._prune_by(validation)
        if self.ccp_alpha > 0:
            self._cut(prune_by_alpha(self.tree_, self._impurities(), self.ccp_alpha))

    def _grow(self, table: Table) -> Grown:
        scale, total = TargetScale.of(table)
        rules = settings.number_rules(self, self.attributes_, float(total[0]))
        places = cut_places(self.schema_, self.attributes_)
        kind = DeviationKind(scale) if self.is_absolute else NumberKind(scale)
        return grow_tree(table, self.attributes_, places, kind, total, rules, self.max_bins)

    @property
    def is_absolute(self) -> bool:
        """Whether tests are compared by absolute deviations from the median."""
        return self.criterion == ABSOLUTE

    def _prune_by(self, table: Table) -> None:
        if self.is_absolute:
            *errors, weight = table.reduce(node_deviations, self._router(), self.tree_.value)
            self._cut(prune_by_deviations(self.tree_, np.array(errors), weight))
            return
        moments = table.reduce(leaf_moments, self._router())
        self._cut(prune_by_squares(self.tree_, moments_upwards(self.tree_, moments)))

    def _cut(self, stop: Any) -> None:
        """Make leaves of the marked nodes."""
        self.trace_ = self.trace_.pruned(self.tree_, stop)
        self.tree_ = self.tree_.pruned(stop)

    def _impurities(self) -> Floats:
        return self.tree_.impurities()

    def _node_values(self) -> Floats:
        return self.tree_.value[:, None]

    def _without_trace(self) -> NumberTrace:
        if self.is_absolute:
            return DeviationTrace(DeviationCandidates.none(self.attributes_))
        return NumberTrace(NumberCandidates.none(self.attributes_))

    # --- predict -----------------------------------------------------------------------------------------------

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Give the mean (or median) of each row's leaf, or of its leaves mixed by shares.

        With `return_std`, for squared errors only, give (numbers, standard deviations): of the training examples in
        the leaf, and of a mixture of leaves the deviation of all of it.
        """
        check_is_fitted(self)
        values = self._node_values()
        if return_std and self.is_absolute:
            raise ParameterError("a tree for absolute errors has no standard deviations: leave out return_std")
        if not return_std:
            return self._answers(X, leaf_values, self._router(), values, unseen=self.unseen)[:, 0]
        centre = float(self.tree_.value[0])
        gap = values - centre  # second moments about the mean of all, so that less of them cancels
        both = np.hstack([gap, self._impurities()[:, None] + gap**2])
        mean, square = self._answers(X, leaf_values, self._router(), both, unseen=self.unseen).T
        return centre + mean, np.sqrt(np.maximum(square - mean**2, 0.0))

    # --- derive ------------------------------------------------------------------------------------------------

    def _derive(self, options: WorkOptions) -> Work:
        """Derive the tree node by node."""
        from novacula.tree.derivation.numbers import derive_number_tree

        return derive_number_tree(self, options)

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        """Derive the way of each row through the tree."""
        from novacula.tree.derivation.numbers import derive_number_predictions

        chunk, cut = self._first_rows(X, options.rows, self.unseen)
        return derive_number_predictions(self, chunk, cut, options)
