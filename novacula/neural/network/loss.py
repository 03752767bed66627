"""Losses of an example with outputs o and targets t, and the δ = ∂E/∂net that they start the way back with.

    squared         E = ½ Σₖ (tₖ − oₖ)²                 δ = J (o − t), J the derivative of the output function
    cross_entropy   E = −Σₖ tₖ ln oₖ  (softmax)         δ = o − t
                    E = −Σₖ tₖ ln oₖ + (1−tₖ) ln(1−oₖ)  (logistic outputs, one or several labels)

At logistic outputs under squared loss, −δₖ = oₖ(1−oₖ)(tₖ−oₖ) is the textbook's rule. The targets of a softmax row
are shares of classes: they sum to 1.
"""

from __future__ import annotations

from typing import ClassVar, TypeAlias

import numpy as np

from novacula.errors import ParameterError
from novacula.neural.network.activation import ACTIVATIONS
from novacula.neural.network.jet import Array
from novacula.neural.network.layer_function import LayerFunction
from novacula.neural.network.softmax import Softmax

OUTPUTS: dict[str, LayerFunction] = {
    "linear": ACTIVATIONS["linear"],
    "logistic": ACTIVATIONS["logistic"],
    "softmax": Softmax(),
}
"""What turns the net inputs of the last layer into outputs."""


class Squared:
    """½ Σ (t − o)², for any output."""

    name: ClassVar[str] = "squared"

    def check(self, output: str) -> None:
        """Any output will do."""

    def settle(
        self, output: LayerFunction, net: Array, target: Array, delta: Array, scratch: Array, rows: Array
    ) -> None:
        """Turn net (n, k) into outputs, in place; write δ (n, k), and each row's loss into rows (n,)."""
        output.apply(net)
        np.subtract(net, target, out=delta)
        np.einsum("nk,nk->n", delta, delta, out=rows)
        rows *= 0.5
        output.chain(net, delta, scratch)


class CrossEntropy:
    """−ln P(t), for outputs that are probabilities."""

    name: ClassVar[str] = "cross_entropy"

    def check(self, output: str) -> None:
        """Refuse outputs that are not probabilities."""
        if not OUTPUTS[output].gives_probabilities:
            raise ParameterError(
                f"loss is 'cross_entropy' and output is {output!r}: cross-entropy needs probabilities, so take "
                "'logistic' or 'softmax' outputs, or the 'squared' loss"
            )

    def settle(
        self, output: LayerFunction, net: Array, target: Array, delta: Array, scratch: Array, rows: Array
    ) -> None:
        """Turn net (n, k) into outputs, in place; write δ (n, k), and each row's loss into rows (n,)."""
        output.surprise(net, target, scratch, rows)
        np.subtract(net, target, out=delta)


Loss: TypeAlias = Squared | CrossEntropy
LOSSES: dict[str, Loss] = {loss.name: loss for loss in (Squared(), CrossEntropy())}
