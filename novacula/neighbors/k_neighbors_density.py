"""The density of nearest neighbours: k rows over the volume of the smallest ball around x that holds k.

    p̂(x) = k / (N · V_d · r_k(x)ᵈ)

r_k is the distance to the k-th nearest row and V_d the volume of the unit ball (Loftsgaarden and Quesenberry 1965).
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from scipy.special import digamma, polygamma
from sklearn.base import DensityMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from novacula.errors import DataWarning, warn_user
from novacula.learner.base import Unsupervised
from novacula.learner.card import Card
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Work
from novacula.neighbors.base import LAZY_CARD, NeighborsLearner, kept_neighbors
from novacula.neighbors.derivation.answers import derive_densities
from novacula.neighbors.derivation.model import derive_density
from novacula.neighbors.kd_tree import Places
from novacula.neighbors.metric import METRICS, log_ball_volume
from novacula.neighbors.places import ROUNDING, Neighbours
from novacula.state import State, floats, nullable
from novacula.table.chunk import Floats

FEW = 5
"""Neighbours with which all others are compared: so few that the density hardly changes among them."""


class KNeighborsDensity(DensityMixin, Unsupervised, NeighborsLearner):
    """Estimates a density by how far it is to the k-th nearest row.

    Where k rows of the fit are at the very place, r_k = 0 and the density is +∞, with a warning. The estimate is not a
    density in the strict sense: its tails fall so slowly that it does not integrate to one.

    Parameters
    ----------
    n_neighbors : int or "loo", default=5
        k. It counts weight: with `sample_weight` a row of weight 2 takes two of the k places. "loo" takes the k up to
        100 with the least squared error of ln p̂ at rows that are left out, as far as rows can tell it: its variance is
        known, and its bias is seen from five neighbours. "cv_ml" is another name for it.
    metric : {"euclidean", "manhattan", "chebyshev", "minkowski"}, default="euclidean"
        The shape of the ball; "minkowski" is (Σ|gap|ᵖ)^(1/p).
    p : float, default=2
        The power of "minkowski", at least 1.
    scale : {"range", "standard"}, default=None
        Bring columns to [0, 1], or to deviation 1, before distances are taken. Densities are in the columns' own units.
    algorithm : {"auto", "kd_tree", "brute"}, default="auto"
        How neighbours are found; they are the same.

    Attributes
    ----------
    n_neighbors_ : int
        k, given or chosen.
    loo_error_ : array
        With "loo", that squared error for k = 1, 2, …; infinite where a density is.
    log_volume_ : float
        log V_d in the columns' own units.
    examples_ : dict
        The rows of the fit on one scale and their weights; `scaling_` is that scale.

    Examples
    --------
    >>> import numpy as np
    >>> model = KNeighborsDensity(n_neighbors=2).fit([[0.0], [1.0], [3.0], [7.0]])
    >>> np.exp(model.score_samples([[2.0]])).round(6).tolist()  # 2 / (4 · 2 · 1)
    [0.25]
    """

    card: ClassVar[Card] = Card(
        name="Nearest-neighbour density",
        task="density",
        summary="k rows over the volume of the smallest ball around the point that holds them.",
        hypothesis_space="k / (N · V · rᵈ), r the distance to the k-th nearest row of the fit.",
        inductive_bias="The density is even within the ball, whose size follows the rows.",
        objective="None at fit; k by the squared error of ln p̂ at rows left out (n_neighbors='loo').",
        noise="Averages out among the k; small k follow every row.",
        missing="Refused with column and row.",
        unseen="Not taken: categories have no volume.",
        references=(
            "Loftsgaarden and Quesenberry, A nonparametric estimate of a multivariate density (1965)",
            "Kozachenko and Leonenko, Sample estimate of the entropy of a random vector (1987)",
        ),
        **LAZY_CARD,
    )
    state: ClassVar[State] = kept_neighbors(nullable(floats("examples")))
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **NeighborsLearner._parameter_constraints,
        "n_neighbors": [Interval(Integral, 1, None, closed="left"), StrOptions({"loo", "cv_ml"})],
        "metric": [StrOptions(set(METRICS))],
    }

    def __init__(
        self,
        n_neighbors: int | str = 5,
        *,
        metric: str = "euclidean",
        p: float = 2,
        scale: str | None = None,
        algorithm: str = "auto",
    ) -> None:
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.p = p
        self.scale = scale
        self.algorithm = algorithm

    @property
    def _dimension(self) -> int:
        return int(np.isfinite(self.scaling_.unit).sum())

    @property
    def log_volume_(self) -> float:
        """The logarithm of the volume of the unit ball, in the columns' own units."""
        check_is_fitted(self)
        unit = self.scaling_.unit
        return log_ball_volume(self._dimension, self._power) + float(np.log(unit[np.isfinite(unit)]).sum())

    def _log_density(self, nearest: Neighbours, k: int, total: float) -> Floats:
        """The logarithm of k / (total · V · r_kᵈ): (m,)."""
        radius = np.take_along_axis(nearest.distance, nearest.place(k)[:, None], axis=1)[:, 0]
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(k) - np.log(total) - self.log_volume_ - self._dimension * np.log(radius))

    # --- the choice of k ---------------------------------------------------------------------------------------
    #
    # Where the density is even, l_k = ln p̂ − ln k + ψ(k) is ln p on average, with a variance of ψ′(k) (Kozachenko and
    # Leonenko 1987). Its mean is the same for every k and cannot choose one. For j ≤ k the covariance of l_j and l_k is
    # ψ′(k), so that the mean of (l_k − l_j)² is ψ′(j) − ψ′(k) and the squared bias of l_k, seen from l_j.

    def _few_neighbors(self) -> int:
        """How many neighbours others are compared with: five, or as many as reach beyond rows that are equal."""
        rows, weight = self.examples_["rows"], self.examples_["weight"]
        place = np.unique(rows, axis=0, return_inverse=True)[1].ravel()
        most = int(np.bincount(place, weight).max() * (1.0 + ROUNDING))
        return max(min(FEW, int(self._total - 1.0 + ROUNDING)), most)

    def _evened(self, nearest: Neighbours, k: int) -> Floats:
        """The logarithm of the density of rows left out, without the excess that it has on average: (m,)."""
        return np.asarray(self._log_density(nearest, k, self._total - 1.0) - np.log(k) + digamma(k))

    def _left_out(self, ks: Sequence[int]) -> Floats:
        few = self._few_neighbors()
        if few > max(ks):
            return np.full((len(ks), 1), np.inf)

        def squared_gap(nearest: Neighbours, k: int, _rows: Places) -> Floats:
            with np.errstate(invalid="ignore"):
                gap = self._evened(nearest, k) - self._evened(nearest, few)
            return np.where(np.isnan(gap), np.inf, gap)[:, None] ** 2  # where both are infinite, nothing can be said

        spread = 2.0 * polygamma(1, np.maximum(ks, few)) - polygamma(1, few)
        return self._mean_losses(ks, squared_gap) + spread[:, None]

    def _said_by_others(self) -> Floats:
        rows, own = self.examples_["rows"], np.arange(self.n_samples_fit_)
        few, k = self._few_neighbors(), self.n_neighbors_
        nearest = self._neighbours(rows, max(few, k), own)
        return np.stack([self._evened(nearest, k), self._evened(nearest, few)], axis=1)

    def score_samples(self, X: Any) -> Floats:
        """Give log p̂ of each row; +∞ where k rows of the fit are at the very place."""
        check_is_fitted(self)
        k = self.n_neighbors_
        scores = self._answers_from_nearest(
            X, lambda nearest: self._log_density(nearest, k, self._total), logarithms=True
        )
        if (endless := np.isposinf(scores)).any():
            warn_user(
                f"{int(endless.sum())} rows, the first of them row {int(np.argmax(endless)) + 1}, are where {k} rows "
                f"of the fit are, so their density is infinite: take a larger n_neighbors",
                DataWarning,
            )
        return np.asarray(scores)

    def score(self, X: Any, y: Any = None) -> float:
        """Give the log-likelihood of all rows together."""
        return float(self.score_samples(X).sum())

    def _drawn(self, nearest: Neighbours, k: int) -> Floats:
        values = self._log_density(nearest, k, self._total)
        return np.where(np.isfinite(values), values, np.nan)

    def _derive(self, options: WorkOptions) -> Work:
        """What is kept, and the volume of the ball."""
        return derive_density(self, self._shown_left_out(), self._few_neighbors(), self._at_places, options)

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        """The ball and the density of each row."""
        return derive_densities(self, self._asked(X, options), options)
