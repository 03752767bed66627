"""Radial basis network for regression: a weighted sum of bumps, each around a centre.

    ŷ = b + Σ wₖ φ(‖x − μₖ‖ / σₖ)        σᵢ² = (1/(K−1)) Σ_{j≠i} ‖μⱼ − μᵢ‖²

The centres μ are found without looking at the targets; then the best weights are those of a linear model.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from novacula.errors import ModelFileError
from novacula.learner.base import Regressor
from novacula.learner.card import Card
from novacula.linear.model import by_target
from novacula.linear.rows import is_flat
from novacula.neural.rbf.network import SHARED_CARD, RadialNetwork
from novacula.state import State, each, floats, number, text
from novacula.table import Table
from novacula.table.chunk import Floats


class RBFNetworkRegressor(RadialNetwork, Regressor):
    """One layer of radial units, and outputs that are linear in their answers.

    Parameters
    ----------
    centers : int or array (K, n_columns), default=20
        How many centres k-means is to find, or the centres. With a centre on every row and `alpha=0` the network
        passes through all targets, as SciPy's RBFInterpolator with degree 0.
    basis : {"gaussian", "multiquadric", "inverse_multiquadric", "thin_plate"}, default="gaussian"
        exp(−r²/2σ²), √(1 + r²/σ²), 1/√(1 + r²/σ²) or (r/σ)² ln(r/σ), for a row at distance r from a centre.
    width : {"mean_distance", "nearest"}, float or array (K,), default="mean_distance"
        σ of each unit: the root mean square of the distances from its centre to the others, the distance to the
        nearest other one, or as given.
    alpha : float, default=0
        Price of the squares of the output weights; the bias is free.
    fine_tune : int, default=0
        Steps of L-BFGS that move centres and widths down the gradient of the error; it never ends with a larger one.
    random_state : int, RandomState or None, default=0
        Chooses the start of k-means.

    Attributes
    ----------
    centers_, widths_ : arrays (K, n_columns), (K,)
    coef_, intercept_
        Output weights (K,) and bias; for k targets (k, K) and (k,).
    feature_mean_, target_mean_ : arrays (K,), (k,)
        The mean answer of each unit and the mean of each target, through which the outputs pass.
    target_names_ : list of str
        Their names.
    solver_ : {"interpolation", "cholesky", "qr", "svd"}
        How the weights were found; `rank_` is how many directions the answers span.
    history_, n_iter_, converged_
        With `fine_tune`: the error over its start, step by step, how many steps, and whether nothing was left to gain.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.linspace(0, 6, 50)[:, None]
    >>> model = RBFNetworkRegressor(5).fit(x, np.sin(x.ravel()))
    >>> model.predict([[np.pi / 2]]).round(2).tolist(), round(model.score(x, np.sin(x.ravel())), 3)
    ([1.0], 1.0)
    """

    card: ClassVar[Card] = Card(
        name="Radial basis network, regression",
        task="regression",
        summary="A weighted sum of bumps around centres that k-means finds.",
        hypothesis_space="ŷ = b + Σ wₖφ(‖x − μₖ‖ / σₖ), for all weights and biases; centres and widths by the rows.",
        objective="Σ (y − ŷ)² + α Σ wₖ².",
        noise="Normal errors of one variance in the target; few centres or a penalty average them out.",
        **SHARED_CARD,
    )
    state: ClassVar[State] = {
        "target_names_": each(text(), "outputs"),
        "target_mean_": floats("outputs"),
        "coef_": by_target(floats("units"), floats("outputs", "units")),
        "intercept_": by_target(number(), floats("outputs")),
    }

    def _learn(self, table: Table) -> None:
        layer = self._output_layer(table, n_classes=0)
        if is_flat(table):
            self.coef_, self.intercept_ = layer.coef[:, 0].copy(), float(layer.intercept[0])
        else:
            self.coef_, self.intercept_ = np.ascontiguousarray(layer.coef.T), layer.intercept
        self.target_names_ = list(table.layout.target)

    def _check_state(self) -> None:
        super()._check_state()
        n_targets = len(self.target_names_)
        if n_targets == 0 or (self.coef_.ndim == 1 and n_targets > 1):
            raise ModelFileError(f"its coef_ of shape {self.coef_.shape} does not fit its {n_targets} target_names_")

    def predict(self, X: Any) -> Floats:
        """b + Σ wₖφₖ for each row: (n,), or (n, k) for several targets."""
        return self._outputs(X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
