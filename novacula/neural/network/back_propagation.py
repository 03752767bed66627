"""Back-propagation in mini-batches, in arrays that are made once.

    δ of the outputs comes from the loss;  δₗ₋₁ = g′ ⊙ δₗ Wₗᵀ;  ∂E/∂Wₗ = oₗ₋₁ᵀ δₗ;  ∂E/∂bₗ = Σ δₗ over the rows

An epoch of small batches is thousands of steps like this: no array is made in one. The matrices are small, so hold
BLAS to one thread around the epoch (threadpoolctl); threads that wait for each other cost more than they bring.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from novacula.arguments import one_of, whole_number
from novacula.errors import ParameterError
from novacula.neural.network.architecture import Architecture, Layers
from novacula.neural.network.jet import Array
from novacula.neural.network.loss import LOSSES


class BackPropagation:
    """A workspace for batches of up to `batch_rows` rows of one dtype, float32 or float64.

    >>> line = Architecture((1, 1), "linear", "linear")
    >>> theta, gradient = np.array([2.0, 1.0]), np.empty(2)  # o = 2x + 1
    >>> rows = BackPropagation(line, "squared", 8, np.float64)
    >>> rows.gradient(line.layers(theta), np.array([[3.0]]), np.array([[5.0]]), None, line.layers(gradient))
    2.0
    >>> gradient  # (o − t)x and o − t
    array([6., 2.])
    """

    def __init__(self, architecture: Architecture, loss: str, batch_rows: int, dtype: npt.DTypeLike) -> None:
        self.loss = LOSSES[one_of(loss, "loss", tuple(LOSSES))]
        self.loss.check(architecture.output)
        self.architecture = architecture
        self.batch_rows = whole_number(batch_rows, "batch_rows", 1)
        *self.hidden, self.last = architecture.functions
        widths = architecture.sizes[1:]
        *self.values, self.net = (np.empty((batch_rows, w), dtype) for w in widths)
        self.deltas = [np.empty((batch_rows, w), dtype) for w in widths]
        self.scratch = [np.empty((batch_rows, w), dtype) for w in widths]
        self.losses, self.ones = np.empty(batch_rows, dtype), np.ones(batch_rows, dtype)

    def outputs(self, layers: Layers, X: Array, out: Array) -> Array:
        """Write the outputs of the network for X (n, d) to out (n, k)."""
        below = self._hidden_values(layers, X)[-1]
        np.matmul(below, layers[-1][0], out=out)
        self.last.fire(out, layers[-1][1])
        return out

    def gradient(self, layers: Layers, X: Array, T: Array, weight: Array | None, into: Layers) -> float:
        """Write the gradient of Σ sᵢℓᵢ over the rows of X (n, d) and T (n, k) to `into`, and give that sum.

        `layers` and `into` are what `Architecture.layers` gives, of θ and of the gradient; `weight` (n,) holds the
        sᵢ, and None stands for ones. All arrays are of the workspace's dtype and in C order.
        """
        n, top = len(X), len(layers) - 1
        values, deltas = self._hidden_values(layers, X), [delta[:n] for delta in self.deltas]
        net, losses, ones = self.net[:n], self.losses[:n], self.ones[:n]
        np.matmul(values[top], layers[top][0], out=net)
        net += layers[top][1]
        self.loss.settle(self.last, net, T, deltas[top], self.scratch[top][:n], losses)
        if weight is not None:
            deltas[top] *= weight[:, None]
        for i in range(top, -1, -1):
            np.matmul(values[i].T, deltas[i], out=into[i][0])
            np.matmul(ones, deltas[i], out=into[i][1])
            if i:
                np.matmul(deltas[i], layers[i][0].T, out=deltas[i - 1])
                self.hidden[i - 1].chain(values[i], deltas[i - 1], self.scratch[i - 1][:n])
        return float(losses @ (ones if weight is None else weight))

    def _hidden_values(self, layers: Layers, X: Array) -> list[Array]:
        """What each layer reads: X, and the values of the hidden layers."""
        n = len(X)
        if n > self.batch_rows:
            raise ParameterError(f"a batch has {n} rows; this workspace was made for {self.batch_rows}")
        values = [X, *(value[:n] for value in self.values)]
        for i, function in enumerate(self.hidden):
            np.matmul(values[i], layers[i][0], out=values[i + 1])
            function.fire(values[i + 1], layers[i][1])
        return values
