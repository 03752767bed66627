"""Radial basis network for classification: one output per class, fitted to 1 for the class of a row and 0 for others.

    oₜ = bₜ + Σ wₖₜ φ(‖x − μₖ‖ / σₖ)        the class with the largest output

Least squares on these indicators aims at P(t | x), and the outputs of all classes add up to 1.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from novacula.learner.base import Classifier
from novacula.learner.card import Admits, Card
from novacula.neural.rbf.network import SHARED_CARD, RadialNetwork
from novacula.state import State, floats, probabilities
from novacula.table import Table
from novacula.table.chunk import Floats


class RBFNetworkClassifier(RadialNetwork, Classifier):
    """One layer of radial units, and one linear output per class.

    Parameters
    ----------
    centers, basis, width, alpha, fine_tune, random_state
        As in `RBFNetworkRegressor`. Centres are found without looking at the classes.

    Attributes
    ----------
    classes_ : array
    coef_, intercept_ : arrays (classes, K), (classes,)
        Output weights and biases.
    centers_, widths_, feature_mean_, target_mean_, solver_, rank_, history_, n_iter_, converged_
        As in `RBFNetworkRegressor`; the mean target is the share of each class.

    Examples
    --------
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["same", "different", "different", "same"]
    >>> model = RBFNetworkClassifier(X, width=0.5).fit(X, y)
    >>> model.predict([[0.1, 0.1], [0.9, 0.2]]).tolist()
    ['same', 'different']
    """

    card: ClassVar[Card] = Card(
        name="Radial basis network",
        task="classification",
        summary="A weighted sum of bumps around centres for each class; the largest sum wins.",
        hypothesis_space="oₜ = bₜ + Σ wₖₜφ(‖x − μₖ‖ / σₖ), for all weights and biases; centres and widths by the rows.",
        objective="Σ (1[class] − o)² + α Σ wₖₜ², over rows and classes.",
        noise="Outputs aim at the share of each class around x; few centres or a penalty average noise out.",
        admits=Admits(classes=2),
        **SHARED_CARD,
    )
    state: ClassVar[State] = {
        "coef_": floats("classes", "units"),
        "intercept_": floats("classes"),
        "target_mean_": probabilities("classes"),
    }

    def _learn(self, table: Table) -> None:
        layer = self._output_layer(table, n_classes=len(self.classes_))
        self.coef_, self.intercept_ = np.ascontiguousarray(layer.coef.T), layer.intercept

    def decision_function(self, X: Any) -> Floats:
        """The output of each class (n, classes); with two classes how far the second is ahead (n,)."""
        outputs = self._outputs(X)
        return np.asarray(outputs[:, 1] - outputs[:, 0]) if len(self.classes_) == 2 else outputs

    def predict_proba(self, X: Any) -> Floats:
        """The outputs as probabilities: those below 0 become 0, and all are divided by their sum."""
        # They add up to 1 before, so the largest is positive and the sum is not 0.
        outputs = np.maximum(self._outputs(X), 0.0)
        return np.asarray(outputs / outputs.sum(axis=1, keepdims=True))

    def predict(self, X: Any) -> Any:
        """The class with the largest output; ties go to the first."""
        values = self.decision_function(X)
        return self.classes_[(values > 0.0).astype(int) if values.ndim == 1 else values.argmax(axis=1)]
