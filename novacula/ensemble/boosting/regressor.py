"""Gradient boosting for numbers: squared or absolute error, or counts with a rate that is an exponential.

s ← constant;   s ← s + η · answer −G/(H + λ) of the row's leaf, tree by tree
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from sklearn.utils._param_validation import StrOptions

from novacula.ensemble.boosting.base import SHARED_CARD, GradientBoosting
from novacula.ensemble.boosting.coded_table import CodedTable
from novacula.ensemble.boosting.losses import AbsoluteError, BoostingLoss, PoissonLoss, SquaredError
from novacula.errors import DataError
from novacula.learner import Card, Regressor, ingest
from novacula.learner.constructor import with_parameters_of
from novacula.table import Table
from novacula.table.chunk import Floats

LOSSES: Mapping[str, type[BoostingLoss]] = {loss.name: loss for loss in (SquaredError, AbsoluteError, PoissonLoss)}


class GradientBoostingRegressor(GradientBoosting, Regressor):
    """Trees added one by one, each a step down the loss of numbers.

    Numbers are cut into bins, categories are tested in groups, and missing values take the better branch. The model is
    the same to the bit for any order of the rows and any number of threads, from files and on a cluster, where bins are
    the same.

    Parameters
    ----------
    loss : {"squared_error", "absolute_error", "poisson"}
        What is lowered: half the squared error, the absolute error (leaves then hold medians of residuals), or the
        Poisson loss of a rate eˢ, for targets of at least 0.
    learning_rate : float, the share η of each tree's answer that is added
    max_iter : int, rounds, each of which adds a tree
    max_leaf_nodes, max_depth : int or None, the size of a tree
    min_samples_leaf : int
        Weight of rows that a leaf needs; 1 never binds.
    l2_regularization : float, λ in the answer −G/(H + λ) of a leaf
    max_features : float, the share of the columns that may be tested at a node, drawn for each node
    subsample : float, the share of the rows that a tree is grown on, drawn for each round
    max_bins : int, bins of a numeric column, at most 255
    monotonic_cst : mapping of column to 1, -1 or 0, or one of these for each column
        Numeric columns along which answers must not fall (1), or not rise (-1).
    early_stopping : {"auto", True, False}
        Whether rows are held out. "auto": where the weight of all is above 10,000 and max_iter · learning_rate, all
        steps together, above 10.
    validation_fraction, n_iter_no_change : float, int
        The share of the rows held out, and after how many rounds without a lower loss on them it stops. Kept are the
        fewest rounds whose loss is within one standard error of the lowest, by the differences row by row.
    unseen : {"ignore", "error"}
        A category that was not there at fit is treated as missing with a warning, or refused.
    random_state : int, RandomState or None, for rows and columns that are drawn

    Attributes
    ----------
    constant_, trees_ : what every row begins with, and what is added
    n_iter_, history_, held_out_history_
        Rounds kept, and the mean loss before and after each round: of training rows, and of rows held out (empty where
        there are none), here of all rounds that were tried.
    feature_importances_ : the share of each column in what all tests gained

    Examples
    --------
    >>> model = GradientBoostingRegressor(max_iter=3, max_leaf_nodes=3)
    >>> X = [[i / 10] for i in range(60)]
    >>> model.fit(X, [round(x) for [x] in X]).predict([[0.0], [5.9]]).round(2).tolist()
    [2.51, 3.36]
    """

    card: ClassVar[Card] = Card(
        name="Gradient boosting",
        task="regression",
        objective="Mean squared, absolute or Poisson loss.",
        **SHARED_CARD,
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **GradientBoosting._parameter_constraints,
        "loss": [StrOptions(set(LOSSES))],
    }

    @with_parameters_of(GradientBoosting)
    def __init__(self, loss: str = "squared_error", **boosting: Any) -> None:
        super().__init__(**boosting)
        self.loss = loss

    def _loss(self) -> BoostingLoss:
        return LOSSES[self.loss]()

    def _learn(self, table: Table) -> None:
        ingest.require_one_number(table, type(self).__name__)
        super()._learn(table)

    def _check_target(self, coded: CodedTable) -> None:
        lowest = float(coded.target.min())
        if self.loss == "poisson" and lowest < 0.0:
            raise DataError(f"loss='poisson' takes targets of at least 0, and one is {lowest:g}: use another loss")

    def predict(self, X: Any) -> Floats:
        """Give a number for each row."""
        return self._loss().answers(self._scores(X))[:, 0]

    def staged_predict(self, X: Any) -> Iterator[Floats]:
        """Give the numbers after each round."""
        loss = self._loss()
        return (loss.answers(scores)[:, 0] for scores in self._staged_scores(X))
