"""Random forests of numbers.

    answer(row) = Σ over trees of the mean of the row's leaf / T

Every tree is grown to the end on its own sample of the rows, and draws a few columns at each of its nodes. So trees err
in different places, and their mean errs less than each of them.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import StrOptions

from novacula.ensemble.forest.base import RandomForest
from novacula.ensemble.forest.coded_rows import CodedRows
from novacula.ensemble.forest.constants import SQUARES
from novacula.ensemble.forest.trace import ForestTrace
from novacula.ensemble.trees import BinaryTrees
from novacula.learner import Card, Regressor, Work, ingest
from novacula.learner.card import Admits
from novacula.learner.constructor import with_parameters_of
from novacula.learner.showing import WorkOptions
from novacula.state import State, floats, number, optional, record
from novacula.table import Table
from novacula.table.chunk import Floats


class RandomForestRegressor(RandomForest, Regressor):
    """The mean of many trees, each grown on a sample of the rows that draws columns at every node.

    A row belongs to the sample of a tree by a hash of its values, so the forest is the same for any order of the rows,
    in memory, from files and on a cluster. Equal rows are drawn together. Numbers are put into bins, categories are
    divided into two groups, and missing values take the branch that is better for them.

    Parameters
    ----------
    n_estimators : int, the number of trees
    criterion : {"squared_error"}
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
    unseen : {"ignore", "error"}
        A category that was not there at fit is treated as missing with a warning, or refused.
    random_state : int, RandomState or None

    Attributes
    ----------
    attributes_ : what the trees may ask of each column
    trees_ : the trees side by side, with the mean of every node
    feature_importances_ : what the tests on each column gained, as a share, in the mean of the trees
    oob_score_, oob_prediction_ : R² and numbers out of bag, if `oob_score`
    seed_, mean_draws_ : by which rows are drawn, and how often in the mean
    trace_ : what the trees say of a few rows that they did not draw

    Examples
    --------
    >>> from novacula.ensemble import RandomForestRegressor
    >>> model = RandomForestRegressor(n_estimators=20).fit([[i] for i in range(100)], [i % 50 for i in range(100)])
    >>> bool(abs(model.predict([[70]])[0] - 20.0) < 2.0)
    True
    """

    card: ClassVar[Card] = Card(
        name="Random forest of numbers",
        task="regression",
        summary="The mean of many trees that each saw a sample of the rows and of the columns.",
        hypothesis_space="Means of trees: numbers that are constant in boxes.",
        inductive_bias="What many deep trees agree on, each short of some rows and columns.",
        objective="In each tree and at each node the largest fall of the squared deviation from the mean.",
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
        cost="T·d·n·log n; rows are held as codes, a byte per value and 24 per row, also from files and clusters.",
        cost_exponents={"n": 1, "d": 1},
        size="n_estimators",
        sizes=(100,),
        references=("Breiman, Random Forests, Machine Learning 45 (2001)",),
    )
    state: ClassVar[State] = {
        "trees_": record(BinaryTrees, attributes="attributes", values=1),
        "trace_": record(ForestTrace, values=1),
        "oob_score_": optional(number()),
        "oob_prediction_": optional(floats("examples", finite=False), beside="oob_score_"),
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **RandomForest._parameter_constraints,
        "criterion": [StrOptions({"squared_error"})],
    }

    @with_parameters_of(RandomForest)
    def __init__(
        self,
        n_estimators: int = 100,
        criterion: str = "squared_error",
        *,
        max_features: Any = 1.0,
        **forest: Any,
    ) -> None:
        super().__init__(**forest)
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_features = max_features

    def _learn(self, table: Table) -> None:
        ingest.require_one_number(table, "RandomForestRegressor")
        super()._learn(table)

    def _criterion(self) -> int:
        return SQUARES

    def _scale(self, rows: CodedRows) -> tuple[Floats, float, float]:
        centre = float(np.average(rows.target, weights=rows.weight))
        unit = float(np.abs(rows.target - centre).max())
        return np.ones(1), centre, unit if unit > 0.0 else 1.0

    # --- predict -----------------------------------------------------------------------------------------------

    def predict(self, X: Any) -> Floats:
        """Give the mean of what the trees say of each row."""
        return self._means(X)[:, 0]

    # --- out of bag --------------------------------------------------------------------------------------------

    def _keep_out_of_bag(self, answers: Floats, table: Table) -> None:
        self.oob_prediction_ = answers[:, 0]
        truth, _, weight = self._judged(answers, table)
        spread = float(np.average((truth - np.average(truth, weights=weight)) ** 2, weights=weight))
        self.oob_score_ = 1.0 - self._out_of_bag_error(answers, table) / spread if spread > 0.0 else 0.0

    def _out_of_bag_error(self, answers: Floats, table: Table) -> float:
        truth, said, weight = self._judged(answers, table)
        return float(np.average((truth - said[:, 0]) ** 2, weights=weight))

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
