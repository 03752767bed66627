"""The multilayer perceptron for classes: outputs that are probabilities over layers of bent units.

    two classes   o = 1 / (1 + e⁻ᶻ), the probability of the second          loss −t ln o − (1 − t) ln(1 − o)
    more          oₖ = e^zₖ / Σ e^zₗ                                        loss −Σ tₖ ln oₖ
    labels        one logistic output each, none of which excludes another

Under cross-entropy δ = t − o at the outputs; under squared loss δ = o(1 − o)(t − o); below δ_h = g′ Σ w_hk δ_k.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from novacula.errors import DataError, ModelFileError, ParameterError
from novacula.learner import ingest
from novacula.learner.base import Classifier
from novacula.learner.card import Admits, Card
from novacula.learner.class_weight import class_weights
from novacula.learner.constructor import with_parameters_of
from novacula.neural.mlp_regressor import MLPRegressor
from novacula.neural.multilayer import MultilayerNetwork
from novacula.neural.network import Architecture, boolean_network
from novacula.neural.training.targets import Targets
from novacula.state import State, flag
from novacula.statistics import ClassTotals
from novacula.table import Chunk, Column, Table
from novacula.table.chunk import Floats


class MLPClassifier(MultilayerNetwork, Classifier):
    """A multilayer perceptron for two classes, more, or several labels (y of 0 and 1 with one column per label).

    In batches a row of weight s is shown s times in an epoch, a last fraction counting its share; so divide weights
    that are large by their mean.

    Parameters
    ----------
    hidden : tuple of int, default=(100,)
        Units of each hidden layer; () is a network without one.
    activation : {"logistic", "tanh", "relu", "linear"}, default="logistic"
        What bends the hidden units.
    loss : {"auto", "cross_entropy", "squared"}, default="auto"
        Of one example; "auto" is cross-entropy for classes and squared for numbers.
    solver : {"sgd", "adam", "batch", "cg", "lbfgs", "lm"}, default="sgd"
        In batches of rows, with momentum or after Kingma and Ba; or on all rows at once: gradient descent, conjugate
        gradients, L-BFGS, or Levenberg–Marquardt for small networks under squared loss.
    eta0 : float or "auto", default="auto"
        The rate η. "auto" is 0.15 under sgd, 0.01 for numbers, 0.003 under adam, all times √(batch / 128) for smaller
        batches; for batch, a line search in each step.
    schedule : {"constant", "decay", "robbins_monro"}, default="constant"
        The rate of epoch k = 0, 1, …: η, η/√(1 + k) or η/(1 + k/100).
    momentum : float, default=0.9
        α: the share of the last step that sgd and batch take again.
    weight_decay, curvature, slope_weight : float, default=0
        γ, ν and μ: the prices of Σ w² (not of biases), of (∂²o/∂x²)², a mean over rows, columns and outputs, and of
        the outputs' slopes that differ from `slopes` of fit.
    tied : mapping, list of lists or function, default=None
        Groups of weights (layer, i, j) that are kept equal; i is None for a bias. See `novacula.neural.network.Tying`.
    batch_size : int or "auto", default="auto"
        Rows of a batch; "auto" is a sixteenth of them, but 32 at least and 128 at most, and in `partial_fit` 1.
    max_epochs : int, default=200
        Passes over the rows, or iterations of a solver of all rows, at most.
    tol : float, "auto" or None, default="auto"
        In batches it ends when `n_iter_no_change` epochs in a row lower the loss by less than tol of the first
        epoch's; otherwise when the gradient's length is at most tol · max(1, f). None: never.
    early_stopping, validation_fraction, n_iter_no_change : default False, 0.1, 10
        Whether rows, this share of them, are held out in batches. Their loss then ends the training, and the weights
        of its lowest value are kept.
    start_weights : sequence of arrays, default=None
        Weights to begin with: for each layer (inputs + 1, units), the biases in the first row. None: random ones.
    restarts : int, default=1
        Random starts; that of the lowest training loss is kept.
    warm_start : bool, default=False
        Whether fit goes on from the weights that are there.
    shuffle : bool, default=True
        A new order of the rows each epoch, within windows of 2²⁴ numbers where there are more.
    class_weight : dict or "balanced", default=None
        The factor by which the rows of each class count.
    dtype : {"float32", "float64"}, default="float32"
        The precision of the weights; solvers of all rows work in double precision and round at the end.
    random_state : int or RandomState, default=0
        For the start, the orders and what is held out.

    Attributes
    ----------
    coefs_, intercepts_
        W (in, out) and b (out,) of each layer; `weights_` is all of them as one vector.
    loss_, history_, learning_curve_, n_iter_, converged_
        The objective at the end, that of each epoch, both with the held-out loss, the epochs, and whether it settled.
    starts_ : tuple of Start
        How each start ended.
    architecture_, n_layers_, n_outputs_, n_parameters_, out_activation_, eta_, trace_
        The network, its free parameters (tied weights are one), the rate, and what the fit keeps for its derivation.
    n_free_, target_scale_, rule_
        Weights that could be chosen, the spread of numeric targets that rates are adapted to, and what `partial_fit`
        remembers of its last steps.
    classes_ : ndarray
        The classes in order; of labels their numbers.
    multilabel_ : bool
        Whether they are labels, none of which excludes another.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0])
    >>> model = MLPClassifier(2, activation="tanh", solver="lbfgs", restarts=3).fit(X, y)
    >>> model.predict(X).tolist()
    [0, 1, 1, 0]
    """

    card: ClassVar[Card] = replace(
        MLPRegressor.card,
        name="Multilayer perceptron",
        task="classification",
        hypothesis_space="All networks with these layers, with logistic or softmax outputs: boundaries of any shape.",
        objective="Mean of −ln P(class of the row), or of ½ Σ (t − o)², with prices of large weights, curvature and "
        "wrong slopes.",
        noise="Classes may overlap; many units follow wrong labels unless weights are held small or rows held out.",
        admits=Admits(classes=2),
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **MultilayerNetwork._parameter_constraints,
        "class_weight": [dict, StrOptions({"balanced"}), None],
    }
    state: ClassVar[State] = {"multilabel_": flag()}

    multilabel_: bool

    @with_parameters_of(MultilayerNetwork)
    def __init__(
        self,
        hidden: int | Sequence[int] = (100,),
        *,
        class_weight: Mapping[Any, float] | str | None = None,
        **network: Any,
    ) -> None:
        super().__init__(hidden, **network)
        self.class_weight = class_weight

    @classmethod
    def from_boolean(cls, table: Sequence[Any] | Mapping[tuple[Any, ...], Any]) -> Self:
        """The network of a boolean function of n inputs, built, not learned: one hidden unit per row of its table.

        `table` holds its 2ⁿ values in counting order, the first input counting most, or maps tuples of inputs to them.

        >>> MLPClassifier.from_boolean([0, 1, 1, 0]).predict([[0, 0], [0, 1], [1, 0], [1, 1]]).tolist()
        [0, 1, 1, 0]
        """
        architecture, theta = boolean_network(table)
        return cls((architecture.sizes[1],), dtype="float64").set_network(architecture, theta)

    def set_network(self, architecture: Architecture, theta: Any) -> Self:
        """Become a network of these weights θ for the classes 0 and 1, without rows to learn from."""
        rows = np.array(list(product((0.0, 1.0), repeat=architecture.sizes[0])))
        self.multilabel_ = False
        return self._become(self._ingest(rows, np.arange(len(rows)) % 2, None), architecture, theta)

    # --- targets --------------------------------------------------------------------------------------------

    def _targets_beside(self, source: Any, X: Any, y: Any, classes: Any) -> list[Column]:
        labels = np.asarray(y)
        if not self._are_labels(labels.shape[1] if labels.ndim == 2 else 1):
            return super()._targets_beside(source, X, y, classes)
        source.target = ingest.numbers_of(y, X)
        return ingest.number_columns(source)

    def _with_target(self, table: Table, classes: Any = None) -> Table:
        if not self._are_labels(len(table.layout.target)):
            return super()._with_target(table, classes)
        return ingest.with_numbers(table, type(self).__name__)

    def _are_labels(self, targets: int) -> bool:
        """Whether targets are labels, which several are; a network that goes on must have as many outputs."""
        if hasattr(self, "coefs_"):
            before = self.n_outputs_ if self.multilabel_ else 1
            if targets != before:
                raise ParameterError(
                    f"the network has learned {before} target{'s' * (before > 1)}, and now there "
                    f"{'is 1' if targets == 1 else f'are {targets}'}: to begin again, fit with warm_start=False"
                )
        return targets > 1

    def _keep_classes(self, table: Table) -> None:
        if len(table.layout.target) == 1:
            super()._keep_classes(table)

    def _teaches_by_batches(self) -> bool:
        if isinstance(self.class_weight, str):
            raise AttributeError("class_weight='balanced' needs all rows at once: use fit, or state the weights")
        return super()._teaches_by_batches()

    def _read(self, table: Table) -> tuple[Targets, str]:
        columns = table.layout.target_columns
        self.multilabel_ = len(columns) > 1
        if self.multilabel_:
            return self._read_labels(table), "logistic"
        k = len(self.classes_)
        factor = None
        if self.class_weight is not None:
            counts = table.reduce(ClassTotals.observe_numeric, k, ()).weight
            factor = class_weights(self.class_weight, self.classes_, counts)
        outputs = 1 if k == 2 else k
        return Targets(outputs, k, factor), "logistic" if k == 2 else "softmax"

    def _read_labels(self, table: Table) -> Targets:
        """Columns of 0 and 1, one per label."""
        if self.class_weight is not None:
            raise ParameterError("class_weight is for classes that exclude each other, not for labels: weight the rows")
        odd = ~table.map(of_zeros_and_ones).all(axis=0)
        if odd.any():
            name = table.layout.target[int(np.argmax(odd))]
            raise DataError(f"the label {name!r} has other values than 0 and 1: give an indicator for each label")
        self.classes_ = np.arange(len(table.layout.target))
        return Targets(len(self.classes_))

    def _check_state(self) -> None:
        super()._check_state()
        k = len(self.classes_)
        expected = (k, "logistic") if self.multilabel_ else (1, "logistic") if k == 2 else (k, "softmax")
        if (self.n_outputs_, self.out_activation_) != expected:
            raise ModelFileError(f"its outputs do not fit its classes_: they should be {expected[0]}, {expected[1]}")

    # --- answers --------------------------------------------------------------------------------------------

    def predict_proba(self, X: Any) -> Floats:
        """The probability of each class, or of each label, (n, K)."""
        values = self._outputs(X)
        return np.hstack([1.0 - values, values]) if len(self.classes_) == 2 and not self.multilabel_ else values

    def predict(self, X: Any) -> Any:
        """The most probable class of each row, or an indicator (n, K) of the labels that are more likely than not."""
        values = self._outputs(X)
        if self.multilabel_:
            return (values > 0.5).astype(int)
        return self.classes_[(values[:, 0] > 0.5).astype(int) if len(self.classes_) == 2 else values.argmax(axis=1)]

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Mean accuracy on X, for labels that of whole rows; a table brings its own target."""
        check_is_fitted(self)
        if not (isinstance(X, Table) and self.multilabel_):
            return super().score(X, y, sample_weight)
        table = X if y is None else X.with_target(y)
        right = (self.predict(table) == ingest.target_values(table)).all(axis=1)
        return float(np.average(right, weights=ingest.weight_values(table)))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags


def of_zeros_and_ones(chunk: Chunk) -> Any:
    """Whether each target of a chunk holds 0 and 1 only, as one row."""
    target: Any = chunk.target
    return ((target == 0.0) | (target == 1.0)).all(axis=0, keepdims=True)
