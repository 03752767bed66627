"""The multilayer perceptron for numbers: linear outputs over layers of bent units, squared errors.

o = b + Σ w_h o_h        ½ Σ (t − o)² makes δ = t − o at an output, and δ_h = g′ Σ w_hk δ_k below
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils._param_validation import StrOptions

from novacula.errors import ModelFileError
from novacula.learner.base import Regressor
from novacula.learner.card import Card
from novacula.linear.rows import is_flat
from novacula.neural.multilayer import MultilayerNetwork
from novacula.neural.network import Architecture, bump_network
from novacula.neural.training.targets import Targets
from novacula.state import State, flag
from novacula.table import Table
from novacula.table.chunk import Floats


class MLPRegressor(MultilayerNetwork, Regressor):
    """A multilayer perceptron for one number or several.

    Parameters and attributes are those of `MLPClassifier`, without `class_weight` and classes; `flat_` says that the
    target was one column given as such, so that predictions are (n,). The loss is squared.
    With `eta0="auto"` the outputs begin at the means of the targets, and the rate of each layer takes their spread
    into account, so that their unit does not matter; a rate that is stated is taken as it is, for all layers.

    >>> import numpy as np
    >>> x = np.linspace(0, 6, 20)[:, None]
    >>> model = MLPRegressor(5, activation="tanh", solver="lm", tol=1e-4, random_state=1).fit(x, np.sin(x[:, 0]))
    >>> bool(np.abs(model.predict(x) - np.sin(x[:, 0])).max() < 1e-3)
    True
    """

    card: ClassVar[Card] = Card(
        name="Multilayer perceptron, regression",
        task="regression",
        summary="Weighted sums of bent weighted sums of the columns, taught by back-propagation.",
        hypothesis_space="All networks with these layers: with one hidden layer, o = b + Σ w_h g(b_h + Σ v_hj xⱼ).",
        inductive_bias="Smooth between the rows; small weights at the start, and with weight_decay at the end.",
        objective="Mean of ½ Σ (t − o)², with prices of large weights, curvature and wrong slopes.",
        search="Gradient descent by back-propagation from random weights, in batches; or conjugate gradients, L-BFGS "
        "or Levenberg–Marquardt on all rows. Local minima: `restarts` tries several starts.",
        noise="Normal errors of one variance; many units follow noise unless weights are held small or rows held out.",
        missing="Not taken: a missing or infinite value raises, with its column.",
        unseen="Not taken: categories have to be encoded as numbers first.",
        takes=("numeric", "sparse"),
        scales=("memory", "stream", "cluster"),
        uses="fold",  # so do sgd and adam; the other solvers would not depend on the order
        interpretability="Low: weights of hidden units have no meaning of their own.",
        answer_cost="One product for each weight, for each row.",
        cost="n times the weights for an epoch. Rows of up to 64 MB are read once, others again for each epoch, and "
        "shuffled within windows of that size. The rows go by in order, so a cluster does not make sgd and adam "
        "faster. Sparse rows are made dense block by block.",
        cost_exponents={"n": 1, "d": 1},
        needs=("scaled",),
        size="hidden",
        sizes=((2,), (4,), (8,), (16,), (32,)),
        study_settings={"solver": "lbfgs", "activation": "tanh", "weight_decay": 1e-3, "tol": None, "max_epochs": 100},
        references=(
            "D. E. Rumelhart, G. E. Hinton and R. J. Williams, Learning representations by back-propagation, 1986",
            "Y. LeCun, L. Bottou, G. Orr and K.-R. Müller, Efficient BackProp, 1998",
        ),
        expected_failures={
            "check_sample_weight_equivalence_on_dense_data": "it puts the rows into another order, on which the "
            "batches depend; in one order, a row of weight 2 is the same as two rows",
            "check_sample_weight_equivalence_on_sparse_data": "as for dense rows",
        },
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **MultilayerNetwork._parameter_constraints,
        "loss": [StrOptions({"auto", "squared"})],
    }
    state: ClassVar[State] = {"flat_": flag()}

    flat_: bool

    @classmethod
    def from_function(cls, function: Callable[[float], Any], low: float, high: float, bumps: int = 10) -> Self:
        """A network that follows a continuous function of one input from low to high, built, not learned.

        Each of the bumps is a hidden unit that rises less one that rises farther on, as high as the function is in
        the middle between them.

        >>> steps = MLPRegressor.from_function(lambda x: 2 * x, 0, 1, bumps=2)
        >>> steps.predict([[0.25], [0.75]]).round(6).tolist()
        [0.5, 1.5]
        """
        architecture, theta, middles = bump_network(function, low, high, bumps)
        places = np.append(middles, [low, high])[:, None]
        return cls((architecture.sizes[1],), dtype="float64").set_network(architecture, theta, places)

    def set_network(self, architecture: Architecture, theta: Any, rows: Floats) -> Self:
        """Become a network of these weights θ for one number, where rows lie as these do, without learning."""
        self.flat_ = True
        return self._become(self._ingest(rows, np.zeros(len(rows)), None), architecture, theta)

    def _read(self, table: Table) -> tuple[Targets, str]:
        self.flat_ = is_flat(table)
        return Targets(len(table.layout.target)), "linear"

    def _check_state(self) -> None:
        super()._check_state()
        if self.out_activation_ != "linear" or (self.flat_ and self.n_outputs_ > 1):
            raise ModelFileError("its outputs are not those of a regression: linear, and one if flat_")

    def predict(self, X: Any) -> Any:
        """The outputs for each row: (n,), or (n, k) for several targets."""
        values = self._outputs(X)
        return values[:, 0] if self.flat_ else values

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
