"""Random forests of classes.

    share(class | row) = Σ over trees of the share of the class in the row's leaf / T

Every tree is grown to the end on its own sample of the rows, and draws a few columns at each of its nodes. So trees err
in different places, and their mean errs less than each of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import StrOptions

from novacula.ensemble.forest.base import RandomForest
from novacula.ensemble.forest.coded_rows import CodedRows
from novacula.ensemble.forest.constants import ENTROPY, GINI
from novacula.ensemble.forest.trace import ForestTrace
from novacula.ensemble.trees import BinaryTrees
from novacula.learner import Card, Classifier, Work
from novacula.learner.card import Admits
from novacula.learner.class_weight import class_weights
from novacula.learner.constructor import with_parameters_of
from novacula.learner.showing import WorkOptions
from novacula.state import State, floats, number, optional, record
from novacula.table import Table
from novacula.table.chunk import Floats


class RandomForestClassifier(RandomForest, Classifier):
    """The mean of many trees, each grown on a sample of the rows that draws columns at every node.

    A row belongs to the sample of a tree by a hash of its values, so the forest is the same for any order of the rows,
    in memory, from files and on a cluster. Equal rows are drawn together. Numbers are put into bins, categories are
    divided into two groups, and missing values take the branch that is better for them.

    Parameters
    ----------
    n_estimators : int, the number of trees
    criterion : {"gini", "entropy"}
    max_depth, max_leaf_nodes : int, optional
        Trees grow to the end unless stopped; with `max_leaf_nodes` the test that gains most is made first.
    min_samples_split, min_samples_leaf : int or float
        Weight of drawn examples that a node needs to be tested, and a branch to be made; a float is a share of all.
    max_features : {"sqrt", "log2"}, int, float or None, the columns drawn at each node
    bootstrap : bool
        Whether each tree has a sample: a Poisson number of each row, of mean 1. Otherwise it has every row once.
    max_samples : int or float, optional, the size of a sample, or its share of the rows
    oob_score : bool, whether rows are answered by the trees that did not draw them
    max_bins : int, at most 255, the bins of a numeric column
    class_weight : mapping of class to weight, or "balanced"
    unseen : {"ignore", "error"}
        A category that was not there at fit is treated as missing with a warning, or refused.
    random_state : int, RandomState or None

    Attributes
    ----------
    classes_ : the classes in order
    attributes_ : what the trees may ask of each column
    trees_ : the trees side by side, with the class shares of every node
    feature_importances_ : what the tests on each column gained, as a share, in the mean of the trees
    oob_score_, oob_decision_function_ : accuracy and class shares out of bag, if `oob_score`
    seed_, mean_draws_ : by which rows are drawn, and how often in the mean
    trace_ : what the trees say of a few rows that they did not draw

    Examples
    --------
    >>> import novacula as nv
    >>> from novacula.ensemble import RandomForestClassifier
    >>> model = RandomForestClassifier(n_estimators=50, oob_score=True).fit(nv.datasets.load("iris"))
    >>> bool(model.oob_score_ > 0.9)
    True
    """

    card: ClassVar[Card] = Card(
        name="Random forest",
        task="classification",
        summary="The mean of many trees that each saw a sample of the rows and of the columns.",
        hypothesis_space="Means of trees: class shares that are constant in boxes.",
        inductive_bias="What many deep trees agree on, each short of some rows and columns.",
        objective="In each tree and at each node the largest fall of the Gini impurity.",
        search="Greedy in each tree; none over the trees. Equal rows are drawn together: a row of weight 2 "
        "is two rows.",
        noise="Fitted by each tree, and averaged out over the trees.",
        missing="Sent down the branch that is better for them.",
        admits=Admits(missing=True),
        unseen="Treated as missing with a warning, or refused (unseen='error').",
        takes=("numeric", "categorical"),
        scales=("memory", "stream", "cluster"),
        uses="reduce",
        interpretability="Low: thousands of tests; votes, importances and the surrogate look inside.",
        answer_cost="One test per level of every tree, for each row.",
        cost="T·√d·n·log n; rows are held as codes, a byte per value and 24 per row, also from files and clusters.",
        cost_exponents={"n": 1, "d": 0.5},
        size="n_estimators",
        sizes=(100,),
        expected_failures={
            "check_class_weight_classifiers": (
                "it asks trees for leaves of 1% of the weight by min_weight_fraction_leaf, which here is "
                "min_samples_leaf=0.01; with that it passes"
            )
        },
        references=("Breiman, Random Forests, Machine Learning 45 (2001)",),
    )
    state: ClassVar[State] = {
        "trees_": record(BinaryTrees, attributes="attributes", values="classes"),
        "trace_": record(ForestTrace, values="classes"),
        "oob_score_": optional(number()),
        "oob_decision_function_": optional(floats("examples", "classes", finite=False), beside="oob_score_"),
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **RandomForest._parameter_constraints,
        "criterion": [StrOptions({"gini", "entropy"})],
        "class_weight": [Mapping, StrOptions({"balanced"}), None],
    }

    @with_parameters_of(RandomForest)
    def __init__(
        self,
        n_estimators: int = 100,
        criterion: str = "gini",
        *,
        max_features: Any = "sqrt",
        class_weight: Mapping[Any, float] | str | None = None,
        **forest: Any,
    ) -> None:
        super().__init__(**forest)
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_features = max_features
        self.class_weight = class_weight

    def _criterion(self) -> int:
        return ENTROPY if self.criterion == "entropy" else GINI

    def _scale(self, rows: CodedRows) -> tuple[Floats, float, float]:
        counts = np.bincount(rows.target.astype(np.int64), rows.weight, len(self.classes_)).astype(np.float64)
        return class_weights(self.class_weight, self.classes_, counts), 0.0, 1.0

    # --- predict -----------------------------------------------------------------------------------------------

    def predict_proba(self, X: Any) -> Floats:
        """Give the class shares of each row: the mean of those of its leaves."""
        return self._means(X)

    def predict(self, X: Any) -> Any:
        """Give the class of the largest mean share; ties go to the first."""
        means = self._means(X)
        return self.classes_[np.argmax(means, axis=1)]

    # --- out of bag --------------------------------------------------------------------------------------------

    def _keep_out_of_bag(self, answers: Floats, table: Table) -> None:
        self.oob_decision_function_ = answers
        self.oob_score_ = 1.0 - self._out_of_bag_error(answers, table)

    def _out_of_bag_error(self, answers: Floats, table: Table) -> float:
        truth, said, weight = self._judged(answers, table)
        return float(np.average(self.classes_[np.argmax(said, axis=1)] != truth, weights=weight))

    # --- derive ------------------------------------------------------------------------------------------------

    def _derive(self, options: WorkOptions) -> Work:
        """Derive the root tests of the first trees, the importance of columns, and what was said out of bag."""
        from novacula.ensemble.forest.derivation import derive_forest

        return derive_forest(self, options)

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        """Derive the mean of what the trees say of each row."""
        from novacula.ensemble.forest.derivation import derive_votes

        chunk, cut = self._first_rows(X, options.rows, self.unseen)
        return derive_votes(self, chunk, cut)
