"""Bagging of regressors: the mean of numbers over models of samples.

answer(row) = Σ over models of answer_m(row) / M
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from novacula.ensemble.bagging.base import Bagging
from novacula.ensemble.mean_derivation import derive_means
from novacula.ensemble.members import CardOfMembers, all_answers
from novacula.learner import Card, Regressor, Work, ingest
from novacula.learner.card import Admits
from novacula.learner.showing import WorkOptions
from novacula.state import State, floats, number, optional
from novacula.table import Table
from novacula.table.chunk import Floats
from novacula.tree import DecisionTreeRegressor


class BaggingRegressor(Bagging, Regressor):
    """The mean of what models of one learner say, each fitted on a sample of the rows, and of the columns if asked.

    Parameters
    ----------
    estimator : a regressor of this library; a regression tree unless another is given
    n_estimators : int, the number of models
    max_samples, max_features : float or int, the size of a sample of rows and of columns, or its share
    bootstrap : bool
        Whether a sample has a Poisson number of each row; otherwise it has a row once or not at all. Which rows it has
        is a hash of the row, so that equal rows are drawn together and their order does not matter.
    oob_score : bool, whether rows are answered by the models whose sample lacks them
    unseen : {"ignore", "error"}
        A category that was not there at fit is the learner's to treat, with a warning, or refused.
    random_state : int, RandomState or None

    Attributes
    ----------
    estimators_ : the models
    sample_weights_ : the weight of the rows of each model
    oob_score_, oob_prediction_ : R² and numbers out of bag, if `oob_score`

    Examples
    --------
    >>> from novacula.ensemble import BaggingRegressor
    >>> from novacula.linear import LinearRegression
    >>> X, y = [[i] for i in range(20)], [2 * i + 1 for i in range(20)]
    >>> model = BaggingRegressor(LinearRegression(), n_estimators=5).fit(X, y)
    >>> round(float(model.predict([[10]])[0]), 6)
    21.0
    """

    card: ClassVar[Any] = CardOfMembers(
        Card(
            name="Bagging of numbers",
            task="regression",
            summary="The mean of models that were fitted on samples of the rows.",
            hypothesis_space="Means of the learner's hypotheses.",
            inductive_bias="What models of different samples agree on.",
            objective="The learner's, on each sample.",
            search="The learner's, on each sample. Equal rows are drawn together: a row of weight 2 is two "
            "rows, as far as it is for the learner.",
            noise="Averages out over the models.",
            missing="As the learner.",
            admits=Admits(missing=True),
            unseen="As the learner, with a warning, or refused (unseen='error').",
            takes=("numeric", "categorical"),
            scales=("memory",),
            uses="reduce",
            interpretability="Lower than the learner's: many models instead of one.",
            answer_cost="That of all models.",
            cost="A fit of the learner per model.",
            cost_exponents={"n": 1, "d": 1},
            size="n_estimators",
            in_studies=False,  # forests are the bagging that a study tries
            references=("Breiman, Bagging Predictors, Machine Learning 24 (1996)",),
        )
    )
    state: ClassVar[State] = {
        "oob_score_": optional(number()),
        "oob_prediction_": optional(floats("examples", finite=False), beside="oob_score_"),
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Bagging._parameter_constraints,
        "estimator": [None, Regressor],
    }

    def inner_learner(self) -> Any:
        """The learner of the models; a regression tree if none was given."""
        return DecisionTreeRegressor() if self.estimator is None else self.estimator

    def _learn(self, table: Table) -> None:
        ingest.require_one_number(table, "BaggingRegressor")
        super()._learn(table)

    def predict(self, X: Any) -> Floats:
        """Give the mean of the models' numbers."""
        check_is_fitted(self)
        answers = self._answers(X, all_answers, *self._asked(), unseen=self.unseen)
        return answers.mean(axis=1)[:, 0]

    def _asked(self) -> tuple[Any, ...]:
        return self._layout(), tuple(self.estimators_), "predict"

    def _keep_out_of_bag(self, rows: Table, away: npt.NDArray[np.bool_]) -> None:
        chunk = rows.to_chunk()
        self.oob_prediction_ = self._mean_away(rows.map(all_answers, *self._asked()), away)[:, 0]
        said = ~np.isnan(self.oob_prediction_)
        truth, weight = np.asarray(chunk.target, np.float64)[said].reshape(-1), chunk.weight[said]
        spread = np.average((truth - np.average(truth, weights=weight)) ** 2, weights=weight)
        error = np.average((truth - self.oob_prediction_[said]) ** 2, weights=weight)
        self.oob_score_ = float(1.0 - error / spread) if spread > 0.0 else 0.0

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        """Derive the mean of what the models say of each row."""
        chunk, cut = self._first_rows(X, options.rows, self.unseen)
        answers = all_answers(chunk, *self._asked())
        return derive_means("Bagging: the votes", answers, None, "model", "what model t says", cut)
