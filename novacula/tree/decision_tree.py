"""Decision trees: ID3 and C4.5, on mixed columns, with missing values, costs and pruning.

    LEARN(examples): one class → a leaf; otherwise test the attribute that says most about the class, and
    LEARN the examples of each branch.

What an attribute says is its gain, H(examples) − Σ share(branch) · H(branch), where H = −Σ p log₂ p.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from novacula.learner import Card, Classifier, Work
from novacula.learner.card import Admits
from novacula.learner.class_weight import class_weights
from novacula.learner.showing import WorkOptions
from novacula.state import State, each, record, wholes
from novacula.statistics import ClassTotals
from novacula.table import Table
from novacula.table.chunk import Floats
from novacula.tree import settings
from novacula.tree.attributes import Attribute, attributes_of, cut_places
from novacula.tree.base import DecisionTree
from novacula.tree.criterion import CRITERIA
from novacula.tree.exporting import TreeExports
from novacula.tree.growing import ClassCandidates, ClassKind, Grown, grow_tree
from novacula.tree.missing import CLASS_STRATEGIES
from novacula.tree.pruning import (
    PRUNERS,
    PruningEvidence,
    grow_best_first,
    merge_siblings,
    prune_by_alpha,
)
from novacula.tree.routing import leaf_classes, leaf_values, leaf_weights
from novacula.tree.structure import ClassTree, most_frequent
from novacula.tree.trace import CutNodes, TreeTrace
from novacula.words import counted


class DecisionTreeClassifier(TreeExports, DecisionTree, Classifier):
    """A tree of tests on attributes, with a class at each leaf.

    A test on a categorical column has one branch per category and is not repeated below; a test on a numeric column
    is x ≤ t, with t halfway between neighbouring values. Nothing is one-hot encoded, and values may be missing.

    Parameters
    ----------
    criterion : {"gain", "gain_ratio", "plain_gain_ratio", "gini", "tan_schlimmer", "nunez"}
        How tests are compared. `gain_ratio` is C4.5's, the largest ratio among tests of at least the mean gain, and
        `plain_gain_ratio` that among all; `tan_schlimmer` is gain² / cost, `nunez` is
        (2^gain − 1) / (cost + 1)^cost_weight.
    missing : {"fractional", "most_common", "most_common_in_class"}
        What becomes of examples without a value: they go down every branch with its share of the known examples, or
        down the branch that most examples (of their class) take.
    nominal : {"multiway", "subset"}
        One branch per category, or the best division of the categories into two groups.
    costs : mapping of column to cost, default 1 for columns that are not named
    cost_weight : float in [0, 1], how much costs count with `nunez`
    chi2_alpha : float, optional
        A test is made only if its χ² is significant at this level.
    prune : {None, "reduced_error", "pessimistic", "mdl"}
        How the tree is cut back: on rows held out, by C4.5's estimate of errors, or to the least description length.
        To prune its rules one by one, use `RuleListClassifier`.
    validation_fraction : float, the share of rows held out for `reduced_error` (rows in memory)
    confidence : float, of the `pessimistic` estimate; smaller prunes more
    ccp_alpha : float, cost-complexity pruning as in scikit-learn
    release_8 : bool or "auto"
        C4.5's rules against chance: a threshold pays log₂(thresholds tried) / n bits of its gain, each side of it holds
        a tenth of a class's even share (from 2 to 25), two branches hold 2 examples, and a test must gain something.
        "auto": where the criterion is `gain_ratio` and the pruning `pessimistic`, which together are C4.5.
    merge_leaves : bool, whether sibling leaves of one class become one leaf (all pruners do that)
    max_depth, max_leaf_nodes : int, optional
    min_samples_split, min_samples_leaf : int or float
        Weight of examples that a node needs to be tested, and a branch to be made (of a test by category, two of
        its branches); a float is a share of all. The defaults never bind.
    min_gain : float, what a test must gain at least
    thresholds : mapping of numeric column to numbers, which cut it into intervals that are tested like categories
    max_bins : int, optional
        Numeric columns are cut at that many quantiles. From files and clusters the default is 256.
    m : float or "laplace"
        Leaves estimate (n_k + m/K) / (n + m); "laplace" is m = K.
    class_weight : mapping of class to weight, or "balanced"
    unseen : {"ignore", "error"}
        A category that was not there at fit is treated as missing with a warning, or refused.
    random_state : int, RandomState or None, chooses the rows held out

    Attributes
    ----------
    classes_ : the classes in order
    attributes_ : what the tree may ask of each column
    tree_ : the tree as arrays
    trace_ : what was found for every attribute at the first 40 nodes, and what was below the first 20 that were cut

    Examples
    --------
    >>> import novacula as nv
    >>> from novacula.tree import DecisionTreeClassifier
    >>> model = DecisionTreeClassifier().fit(nv.datasets.load("play_tennis"))
    >>> print(model.to_text())
    Outlook = Overcast: Yes (4)
    Outlook = Rain
    |   Wind = Strong: No (2)
    |   Wind = Weak: Yes (3)
    Outlook = Sunny
    |   Humidity = High: No (3)
    |   Humidity = Normal: Yes (2)
    """

    card: ClassVar[Card] = Card(
        name="Decision tree",
        task="classification",
        summary="Tests on attributes, one after the other, with a class at the end of each path.",
        hypothesis_space="Trees of tests: every function of categorical columns, boxes in numeric ones.",
        inductive_bias="Short trees, with tests of high gain near the root.",
        objective="At each node the largest gain (ratio, Gini, or gain for its cost).",
        search="Greedy from the root down, without going back; pruned afterwards, if asked.",
        noise="Fitted to the last row unless stopped or pruned.",
        missing="Down every branch with its share, or down the most common one.",
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
        study_settings={"criterion": "gain_ratio", "nominal": "subset", "prune": "pessimistic"},
        references=(
            "Quinlan, C4.5: Programs for Machine Learning (1993)",
            "Mitchell, Machine Learning (1997), chapter 3",
            "Breiman, Friedman, Olshen and Stone, Classification and Regression Trees (1984)",
        ),
        expected_failures={
            "check_class_weight_classifiers": (
                "it asks trees for leaves of 1% of the weight by min_weight_fraction_leaf, which here is "
                "min_samples_leaf=0.01; with that it passes"
            )
        },
    )
    notations: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "mitchell": {"H": "Entropy"},
        "aima": {"H(S)": "B(q)", "H(S[v])": "B(q[v])", "H": "B"},
    }
    state_types: ClassVar[tuple[type, ...]] = (Attribute, ClassTree, ClassCandidates, CutNodes, TreeTrace)
    state: ClassVar[State] = {
        "attributes_": each(record(Attribute), "attributes"),
        "tree_": record(ClassTree, nodes="nodes", attributes="attributes", classes="classes"),
        "trace_": record(TreeTrace, nodes="nodes", attributes="attributes", classes="classes"),
        "cuts_": wholes("attributes"),
    }

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "criterion": [StrOptions(set(CRITERIA))],
        "missing": [StrOptions(set(CLASS_STRATEGIES))],
        "nominal": [StrOptions({"multiway", "subset"})],
        "costs": [Mapping, None],
        "cost_weight": [Interval(Real, 0, 1, closed="both")],
        "chi2_alpha": [Interval(Real, 0, 1, closed="right"), None],
        "prune": [StrOptions(set(PRUNERS)), None],
        "validation_fraction": [Interval(Real, 0, 1, closed="neither")],
        "confidence": [Interval(Real, 0, 0.5, closed="right")],
        "ccp_alpha": [Interval(Real, 0, None, closed="left")],
        "release_8": ["boolean", StrOptions({"auto"})],
        "merge_leaves": ["boolean"],
        "max_depth": [Interval(Integral, 1, None, closed="left"), None],
        "min_samples_split": [Interval(Integral, 2, None, closed="left"), Interval(Real, 0, 1, closed="neither")],
        "min_samples_leaf": [Interval(Integral, 1, None, closed="left"), Interval(Real, 0, 1, closed="neither")],
        "min_gain": [Interval(Real, 0, None, closed="left")],
        "max_leaf_nodes": [Interval(Integral, 2, None, closed="left"), None],
        "thresholds": [Mapping, None],
        "max_bins": [Interval(Integral, 2, None, closed="left"), None],
        "m": [Interval(Real, 0, None, closed="left"), StrOptions({"laplace"})],
        "class_weight": [Mapping, StrOptions({"balanced"}), None],
        "unseen": [StrOptions({"ignore", "error"})],
        "random_state": ["random_state"],
    }

    tree_: ClassTree
    trace_: TreeTrace

    def __init__(
        self,
        criterion: str = "gain",
        missing: str = "fractional",
        nominal: str = "multiway",
        costs: Mapping[str, float] | None = None,
        cost_weight: float = 1.0,
        chi2_alpha: float | None = None,
        prune: str | None = None,
        validation_fraction: float = 1 / 3,
        confidence: float = 0.25,
        ccp_alpha: float = 0.0,
        release_8: bool | str = "auto",
        merge_leaves: bool = False,
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_gain: float = 0.0,
        max_leaf_nodes: int | None = None,
        thresholds: Mapping[str, Sequence[float]] | None = None,
        max_bins: int | None = None,
        m: float | str = 0.0,
        class_weight: Mapping[Any, float] | str | None = None,
        unseen: str = "ignore",
        random_state: Any = None,
    ) -> None:
        self.criterion = criterion
        self.missing = missing
        self.nominal = nominal
        self.costs = costs
        self.cost_weight = cost_weight
        self.chi2_alpha = chi2_alpha
        self.prune = prune
        self.validation_fraction = validation_fraction
        self.confidence = confidence
        self.ccp_alpha = ccp_alpha
        self.release_8 = release_8
        self.merge_leaves = merge_leaves
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_gain = min_gain
        self.max_leaf_nodes = max_leaf_nodes
        self.thresholds = thresholds
        self.max_bins = max_bins
        self.m = m
        self.class_weight = class_weight
        self.unseen = unseen
        self.random_state = random_state

    # --- fit ---------------------------------------------------------------------------------------------------

    def _learn(self, table: Table) -> None:
        """Grow the tree, then prune it."""
        self.attributes_ = attributes_of(self.schema_, self.thresholds)
        judged = self.prune is not None and "validation" in PRUNERS[self.prune].needs
        training, validation = self._held_out(table) if judged else (table, None)
        grown = self._grow(training)
        self.tree_, self.cuts_ = grown.tree, grown.cuts
        self.trace_ = TreeTrace(grown.candidates, CutNodes.none(len(self.classes_)))
        if self.max_leaf_nodes is not None:
            self._cut(grow_best_first(self.tree_, self.max_leaf_nodes))
        if self.prune is not None:
            pruner = settings.pruner(self.prune, self.confidence)
            passing = None if validation is None else self._passing(validation)
            cuts = self.cuts_ if "cuts" in pruner.needs else None
            evidence = PruningEvidence(self.attributes_, validation=passing, cuts=cuts)
            self._cut(pruner.stop(self.tree_, evidence), evidence)
        if self.ccp_alpha > 0:
            self._cut(prune_by_alpha(self.tree_, self._impurities(), self.ccp_alpha))
        if self.merge_leaves:
            self._cut(merge_siblings(self.tree_))

    def _grow(self, table: Table) -> Grown:
        counts = table.reduce(ClassTotals.observe_numeric, len(self.classes_), ()).weight
        class_weight = class_weights(self.class_weight, self.classes_, counts)
        total = counts * class_weight
        rules = settings.rules(self, self.attributes_, float(total.sum()))
        places = cut_places(self.schema_, self.attributes_)
        return grow_tree(table, self.attributes_, places, ClassKind(class_weight), total, rules, self.max_bins)

    def _prune_by(self, table: Table) -> None:
        evidence = PruningEvidence(self.attributes_, validation=self._passing(table))
        self._cut(PRUNERS["reduced_error"].stop(self.tree_, evidence), evidence)

    def _passing(self, table: Table) -> Floats:
        """The weight of a table's examples of each class that pass each node."""
        return self.tree_.summed_upwards(table.reduce(leaf_weights, self._router(), len(self.classes_)))

    def _cut(self, stop: Any, evidence: PruningEvidence | None = None) -> None:
        """Make leaves of the marked nodes; where there is evidence, keep what was below them."""
        self.trace_ = self.trace_.pruned(self.tree_, stop, evidence)
        self.tree_ = self.tree_.pruned(stop)

    # --- predict -----------------------------------------------------------------------------------------------

    def predict_proba(self, X: Any) -> Floats:
        """Give the class probabilities of each row: those of its leaf, or of its leaves mixed by shares."""
        values = self._leaf_distributions()
        return self._answers(X, leaf_values, self._router(), values, unseen=self.unseen)

    def predict(self, X: Any) -> Any:
        """Give the most probable class of each row; ties go to the first."""
        values = self._leaf_distributions()
        best = most_frequent(values)
        return self.classes_[self._answers(X, leaf_classes, self._router(), values, best, unseen=self.unseen)]

    def _impurities(self) -> Floats:
        return CRITERIA[self.criterion].impurities(self.tree_.counts)

    def _node_values(self) -> Floats:
        return self._leaf_distributions()

    def _leaf_distributions(self) -> Floats:
        check_is_fitted(self)
        return self.tree_.distributions(settings.pseudo_examples(self))

    # --- look at it --------------------------------------------------------------------------------------------

    def code_length(self, n: float) -> tuple[float, str]:
        """The bits of the code with shares, which writes down the tree and the class shares of its leaves.

        1 per node for leaf or test, log₂ d per test for its attribute, log₂ n per threshold, ½ log₂ n per free class
        share of a leaf. `prune="mdl"` has the code with exceptions (`novacula.tree.pruning.mdl`), whose leaves say one
        class.
        """
        check_is_fitted(self)
        tree, leaves = self.tree_, self.get_n_leaves()
        tests, shares = len(tree) - leaves, leaves * (tree.n_classes - 1)
        thresholds = int(np.isfinite(tree.threshold).sum())
        bits = len(tree) + tests * math.log2(len(self.attributes_)) + (thresholds + shares / 2) * math.log2(n)
        words = f"code with shares: a tree of {counted(len(tree), 'node')} and {counted(tests, 'test')}"
        return bits, f"{words}, {counted(shares, 'class share')} in leaves"

    def _symbols(self, notation: str | None) -> Mapping[str, str]:
        """B(q) is the entropy of two classes."""
        return {} if notation == "aima" and len(self.classes_) != 2 else super()._symbols(notation)

    def _derive(self, options: WorkOptions) -> Work:
        """Derive the tree node by node."""
        from novacula.tree.derivation import derive_tree

        return derive_tree(self, options)

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        """Derive the way of each row through the tree."""
        from novacula.tree.derivation import derive_predictions

        chunk, cut = self._first_rows(X, options.rows, self.unseen)
        return derive_predictions(self, chunk, cut, options)
