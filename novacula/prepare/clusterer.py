"""A learner of clusters for tables as they are: numbers, categories and missing values become what it takes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from sklearn.base import ClusterMixin

from novacula.learner.base import Unsupervised
from novacula.prepare.base import CardOfLearner, PreparedLearner
from novacula.prepare.classifier import PreparedClassifier


class PreparedClusterer(ClusterMixin, Unsupervised, PreparedLearner):
    """Fits a learner of clusters on columns that are prepared as its card asks.

    `learner` is one of this library's; k-means unless another is given. The rest is as in `PreparedClassifier`.

    >>> import pandas as pd
    >>> from novacula.mixture import KMeans
    >>> rooms = pd.DataFrame({"kind": ["flat", "house", "house", "flat"], "size": [40.0, 190.0, 220.0, 60.0]})
    >>> PreparedClusterer(KMeans(2)).fit(rooms).labels_.tolist()
    [1, 0, 0, 1]
    """

    card: ClassVar[Any] = CardOfLearner(
        replace(
            PreparedClassifier.card,
            name="Prepared clusters",
            task="clustering",
            summary="A learner of clusters behind the encoding, scaling and filling in that its card asks for.",
        )
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **PreparedClassifier._parameter_constraints,
        "learner": [None, Unsupervised],
    }

    def inner_learner(self) -> Any:
        """The learner behind the preparation; k-means with two clusters if none was given."""
        from novacula.mixture import KMeans

        return KMeans(n_clusters=2) if self.learner is None else self.learner

    @property
    def labels_(self) -> Any:
        """The cluster of each row of the fit."""
        return self.model_.labels_

    def predict(self, X: Any) -> Any:
        """Give the cluster of each row."""
        return self._answer("predict", X)
