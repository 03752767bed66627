"""Gradient boosting for classes: trees whose sum is the logarithm of odds, or of one score for each class.

two classes   P(second) = 1 / (1 + e⁻ˢ)        more   P(k) = e^s_k / Σ e^s_l, with a tree per class and round
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from novacula.ensemble.boosting.base import SHARED_CARD, GradientBoosting
from novacula.ensemble.boosting.losses import BoostingLoss, LogisticLoss, SoftmaxLoss
from novacula.errors import ModelFileError
from novacula.learner import Card, Classifier
from novacula.learner.card import Admits
from novacula.learner.class_weight import class_weights
from novacula.learner.constructor import with_parameters_of
from novacula.statistics import ClassTotals
from novacula.table import Table
from novacula.table.chunk import Floats


class GradientBoostingClassifier(GradientBoosting, Classifier):
    """Trees added one by one, each a step down the logarithmic loss of classes.

    Numbers are cut into bins, categories are tested in groups, and missing values take the better branch. The model is
    the same to the bit for any order of the rows and any number of threads, from files and on a cluster, where bins are
    the same.

    Parameters
    ----------
    loss : {"log_loss"}
        −ln of the probability of a row's class. With more than two classes a round adds a tree for each.
    class_weight : dict or "balanced", default=None
        The factor by which the rows of each class count.
    learning_rate, max_iter, max_leaf_nodes, max_depth, min_samples_leaf, l2_regularization, max_features, subsample, \
max_bins, monotonic_cst, early_stopping, validation_fraction, n_iter_no_change, unseen, random_state
        As in `GradientBoostingRegressor`. Of more than two classes, each class's score is monotone by itself.

    Attributes
    ----------
    constant_, trees_ : what the score of every row begins with, and what is added
    n_iter_, history_, held_out_history_
        Rounds kept, and the mean loss before and after each round: of training rows, and of rows held out (empty where
        there are none), here of all rounds that were tried.
    feature_importances_ : the share of each column in what all tests gained

    Examples
    --------
    >>> import novacula as nv
    >>> table = nv.datasets.load("iris")
    >>> model = GradientBoostingClassifier(max_iter=20).fit(table)
    >>> model.n_iter_, len(model.trees_), round(model.score(table), 2)
    (20, 60, 0.98)
    """

    card: ClassVar[Card] = Card(
        name="Gradient boosting",
        task="classification",
        objective="Mean of −ln P(class of the row).",
        **{**SHARED_CARD, "admits": Admits(missing=True, classes=2)},
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **GradientBoosting._parameter_constraints,
        "loss": [StrOptions({"log_loss"})],
        "class_weight": [dict, StrOptions({"balanced"}), None],
    }

    @with_parameters_of(GradientBoosting)
    def __init__(
        self, loss: str = "log_loss", *, class_weight: Mapping[Any, float] | str | None = None, **boosting: Any
    ) -> None:
        super().__init__(**boosting)
        self.loss = loss
        self.class_weight = class_weight

    def _check_state(self) -> None:
        super()._check_state()
        if len(self.classes_) < 2:
            raise ModelFileError("its classes_ are not two or more")

    def _loss(self) -> BoostingLoss:
        k = len(self.classes_)
        return LogisticLoss() if k == 2 else SoftmaxLoss(k)

    def _factor(self, table: Table) -> Floats | None:
        if self.class_weight is None:
            return None
        counts = table.reduce(ClassTotals.observe_numeric, len(self.classes_), ()).weight
        return class_weights(self.class_weight, self.classes_, counts)

    def decision_function(self, X: Any) -> Floats:
        """Give the score of the second of two classes (n,), or the score of each class (n, K)."""
        scores = self._scores(X)
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def predict_proba(self, X: Any) -> Floats:
        """Give the probability of each class (n, K)."""
        scores = self._scores(X)
        return self._loss().answers(scores)

    def predict(self, X: Any) -> Any:
        """Give the most probable class of each row."""
        return self._most_probable(self._scores(X))

    def staged_predict_proba(self, X: Any) -> Iterator[Floats]:
        """Give the probabilities after each round."""
        check_is_fitted(self)
        loss = self._loss()
        return (loss.answers(scores) for scores in self._staged_scores(X))

    def staged_predict(self, X: Any) -> Iterator[Any]:
        """Give the most probable classes after each round."""
        return (self._most_probable(scores) for scores in self._staged_scores(X))

    def _most_probable(self, scores: Floats) -> Any:
        best = (scores[:, 0] > 0.0).astype(np.intp) if len(self.classes_) == 2 else scores.argmax(axis=1)
        return self.classes_[best]
