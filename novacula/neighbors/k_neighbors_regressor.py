"""Regression by k nearest neighbours: the mean of the targets of the k rows that are nearest.

ŷ(x) = Σ_{i among the k nearest} w_i · y_i / Σ w_i,      w_i = 1, or 1 / distance(x, x_i)
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from novacula.errors import DataError, ModelFileError
from novacula.learner.base import Regressor
from novacula.learner.card import Card
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Work
from novacula.neighbors.base import PREDICTOR_CARD, CardByMetric, NeighborsPredictor, kept_neighbors
from novacula.neighbors.derivation.answers import derive_means
from novacula.neighbors.derivation.model import derive_regressor
from novacula.neighbors.kd_tree import Places
from novacula.neighbors.places import Neighbours
from novacula.neighbors.votes import strengths
from novacula.state import State, floats, one_of
from novacula.table.chunk import Floats


class KNeighborsRegressor(Regressor, NeighborsPredictor):
    """Predicts the mean target of the k nearest rows, of one target or several.

    Parameters
    ----------
    n_neighbors : int or "loo", default=5
        k. It counts weight: with `sample_weight` a row of weight 2 takes two of the k places. "loo" takes the k up to
        100 with the least mean squared error of rows left out, over all targets; ties go to the smallest.
    weights : {"uniform", "distance"}, default="uniform"
        Each neighbour counts once, or one over its distance; where neighbours are at distance 0, they alone count.
    metric, p, scale, algorithm, unseen
        As in `KNeighborsClassifier`.

    Attributes
    ----------
    n_neighbors_ : int
        k, given or chosen.
    loo_error_ : array
        With "loo", the leave-one-out mean squared error for k = 1, 2, ….
    examples_ : dict
        The rows of the fit on one scale, their weights and targets; `scaling_` is that scale.

    Examples
    --------
    >>> model = KNeighborsRegressor(n_neighbors=2).fit([[0.0], [1.0], [2.0], [6.0]], [0.0, 1.0, 4.0, 36.0])
    >>> model.predict([[1.4]]).tolist(), model.set_params(weights="distance").predict([[1.4]]).round(6).tolist()
    ([2.5], [2.2])
    """

    card = CardByMetric(
        Card(
            name="k nearest neighbours, regression",
            task="regression",
            summary="The mean target of the k rows of the fit that are nearest.",
            hypothesis_space="Functions that are constant where the same k rows are the nearest.",
            references=("Altman, An introduction to kernel and nearest-neighbor nonparametric regression (1992)",),
            **PREDICTOR_CARD,
        )
    )

    state: ClassVar[State] = kept_neighbors(one_of(floats("examples", "targets"), floats("examples")))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    @property
    def _targets(self) -> Floats:
        """The targets of the fit (n, t)."""
        target = self.examples_["target"]
        return np.asarray(target[:, None] if target.ndim == 1 else target)

    def _means(self, nearest: Neighbours, k: int) -> Floats:
        """What k neighbours say on average: (m, t)."""
        strength = strengths(nearest.shares(k), nearest.distance, self.weights)
        total = np.einsum("mw,mwt->mt", strength, self._targets[nearest.row])
        return np.asarray(total / strength.sum(axis=1, keepdims=True))

    def _loss(self, nearest: Neighbours, k: int, rows: Places) -> Floats:
        return (self._means(nearest, k) - self._targets[rows]) ** 2

    def predict(self, X: Any) -> Floats:
        """Give the mean target of the nearest rows, (m,) or for several targets (m, t)."""
        return self._labelled(self._answers_from_nearest(X, self._answer))

    def _answer(self, nearest: Neighbours) -> Floats:
        return self._means(nearest, self.n_neighbors_)

    def _drawn(self, nearest: Neighbours, k: int) -> Floats:
        return self._means(nearest, k)[:, 0]

    def _labelled(self, answers: Floats) -> Floats:
        return np.asarray(answers[:, 0] if self.examples_["target"].ndim == 1 else answers)

    def loo_score(self) -> float:
        """R² of what the other rows say of each row, the mean over targets."""
        check_is_fitted(self)
        weight, targets = self.examples_["weight"], self._targets
        mean = np.average(targets, axis=0, weights=weight)
        spread = np.average((targets - mean) ** 2, axis=0, weights=weight)
        if not (spread > 0.0).all():
            raise DataError("a target is the same in every row, so R² has no meaning")
        return float(np.mean(1.0 - self._left_out([self.n_neighbors_])[0] / spread))

    def _check_state(self) -> None:
        super()._check_state()
        if not self._targets.shape[1]:
            raise ModelFileError("its examples_ have no target")

    def _derive(self, options: WorkOptions) -> Work:
        """What is kept, and how well it predicts itself."""
        return derive_regressor(self, self._shown_left_out(), self._at_places, options)

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        """The mean of each row's neighbours."""
        return derive_means(self, self._asked(X, options), options)
