"""k nearest neighbours: a row is of the class that most of the k rows nearest to it are of (Cover and Hart 1967).

ŷ(x) = argmax_t Σ_{i among the k nearest} w_i · [y_i = t],      w_i = 1, or 1 / distance(x, x_i)
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from novacula.learner.base import Classifier
from novacula.learner.card import Card
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Work
from novacula.neighbors.base import PREDICTOR_CARD, CardByMetric, NeighborsPredictor, kept_neighbors
from novacula.neighbors.derivation.answers import derive_votes
from novacula.neighbors.derivation.model import derive_classifier
from novacula.neighbors.kd_tree import Places
from novacula.neighbors.places import Neighbours
from novacula.neighbors.votes import cast_votes, strengths, winners
from novacula.state import State, codes
from novacula.table.chunk import Floats


class KNeighborsClassifier(Classifier, NeighborsPredictor):
    """Classifies by the vote of the k nearest rows.

    Parameters
    ----------
    n_neighbors : int or "loo", default=5
        k. It counts weight: with `sample_weight` a row of weight 2 takes two of the k places. "loo" takes the k up to
        100 with the least leave-one-out error; ties go to the smallest.
    weights : {"uniform", "distance"}, default="uniform"
        Each neighbour has one vote, or one over its distance; where neighbours are at distance 0, they alone vote.
    metric : {"euclidean", "manhattan", "chebyshev", "minkowski", "heom"}, default="euclidean"
        "minkowski" is (Σ|gap|ᵖ)^(1/p). "heom" compares mixed columns: numbers by their difference as a share of the
        column's range, categories by being equal or not, and a missing value is at 1 from every other.
    p : float, default=2
        The power of "minkowski", at least 1.
    scale : {"range", "standard"}, default=None
        Bring numeric columns to [0, 1], or to deviation 1, before distances are taken. "heom" does the former anyway.
    algorithm : {"auto", "kd_tree", "brute"}, default="auto"
        How neighbours are found; they are the same. "auto" takes a tree unless the rows have many dimensions.
    unseen : {"ignore", "error"}, default="ignore"
        What to do when a column to predict from holds a category that was not there at fit: treat it as missing, with
        a warning that says where and how many, or refuse.

    Ties: of rows at one distance the one with the smaller number is nearer. Of classes with as many votes the one whose
    voters are nearer in sum wins, then the first in order.

    Attributes
    ----------
    classes_ : array
        The classes in order.
    n_neighbors_ : int
        k, given or chosen.
    loo_error_ : array
        With "loo", the leave-one-out error for k = 1, 2, ….
    examples_ : dict
        The rows of the fit on one scale, their weights and classes; `scaling_` is that scale.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[0.0], [1.0], [2.0], [6.0], [7.0]]), ["low", "low", "low", "high", "high"]
    >>> model = KNeighborsClassifier(n_neighbors=3).fit(X, y)
    >>> model.predict([[3.9]]).item(), model.predict_proba([[3.9]]).round(3).tolist(), model.loo_score()
    ('low', [[0.333, 0.667]], 0.6)
    """

    card = CardByMetric(
        Card(
            name="k nearest neighbours",
            task="classification",
            summary="The class of most of the k rows of the fit that are nearest.",
            hypothesis_space="Unions of the cells in which the same rows are the nearest (k = 1: Voronoi cells).",
            references=(
                "Cover and Hart, Nearest neighbor pattern classification (1967)",
                "Wilson and Martinez, Improved heterogeneous distance functions (1997), on HEOM",
            ),
            expected_failures={
                "check_classifiers_train": "of classes with as many votes, so as probable, the nearer voters' class "
                "is predicted, where the check wants the first"
            },
            **PREDICTOR_CARD,
        )
    )

    state: ClassVar[State] = kept_neighbors(codes("examples", below="classes"))

    def _votes(self, nearest: Neighbours, k: int) -> Floats:
        """The votes for each class (m, K), with the distances of the voters in sum (m, K)."""
        share = nearest.shares(k)
        code = self.examples_["target"][nearest.row]
        return cast_votes(
            share, strengths(share, nearest.distance, self.weights), nearest.distance, code, len(self.classes_)
        )

    def _loss(self, nearest: Neighbours, k: int, rows: Places) -> Floats:
        wrong = winners(self._votes(nearest, k)) != self.examples_["target"][rows]
        return wrong[:, None].astype(np.float64)

    def predict(self, X: Any) -> Any:
        """Give the class with most votes; ties go to the one with the nearer voters, then to the first."""
        return self._labelled(self._answers_from_nearest(X, self._answer))

    def _answer(self, nearest: Neighbours) -> Any:
        return winners(self._votes(nearest, self.n_neighbors_))

    def _drawn(self, nearest: Neighbours, k: int) -> Any:
        return winners(self._votes(nearest, k))

    def _labelled(self, answers: Any) -> Any:
        return self.classes_[answers]

    def predict_proba(self, X: Any) -> Floats:
        """Give the share of each class in the votes."""
        votes = self._answers_from_nearest(X, lambda nearest: self._votes(nearest, self.n_neighbors_)[:, :, 0])
        return np.asarray(votes / votes.sum(axis=1, keepdims=True))

    def loo_score(self) -> float:
        """The share of rows, by weight, that the other rows classify right."""
        check_is_fitted(self)
        return 1.0 - float(self._left_out([self.n_neighbors_])[0, 0])

    def _derive(self, options: WorkOptions) -> Work:
        """What is kept, and how well it classifies itself."""
        return derive_classifier(self, self._shown_left_out(), self._at_places, options)

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        """Who votes for what."""
        return derive_votes(self, self._asked(X, options), options)
