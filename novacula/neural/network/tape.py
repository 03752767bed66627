"""The way of jets through a network, and back: exact derivatives to weights of values, slopes and curvatures.

Forward, a layer is one product with its weights and one lift through its function; the bias moves the value alone.
Backward, adjoints (∂E/∂ of every entry of a jet) go the same way in reverse: pulled through the function, then

    W̄ = jetᵀ z̄, summed over rows and directions        b̄ = Σ z̄ of the values        ō = z̄ Wᵀ

With jets of order 0 this is plain back-propagation.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from novacula.neural.network.architecture import Architecture, Layers
from novacula.neural.network.jet import Array, input_jets


@dataclass(frozen=True, eq=False)
class Tape:
    """What a forward pass leaves for the way back."""

    architecture: Architecture
    layers: Layers
    order: int  # 0: values; 1: and slopes; 2: and curvatures
    jets: list[Array]  # those that each layer reads, (n, 1 + order·d, width); last those of the outputs
    nets: list[Array]  # those of each layer's net inputs

    @classmethod
    def record(cls, architecture: Architecture, theta: Array, X: Array, order: int) -> Tape:
        """Push the jets of X (n, d) through the network with weights θ."""
        layers, jets, nets = architecture.layers(theta), [input_jets(X, order)], list[Array]()
        for (W, b), function in zip(layers, architecture.functions, strict=True):
            net = times(jets[-1], W)
            net[:, 0] += b
            nets.append(net)
            jets.append(function.lift(net, order))
        return cls(architecture, layers, order, jets, nets)

    @property
    def outputs(self) -> Array:
        """The jets of the outputs, (n, 1 + order·d, k)."""
        return self.jets[-1]

    def pull_outputs(self, adjoint: Array) -> Array:
        """Adjoints of the last net inputs' jets from those of the outputs' jets, (…, n, 1 + order·d, k)."""
        return self.architecture.functions[-1].pull(self.nets[-1], self.outputs, adjoint, self.order)

    def unwind(self, adjoint: Array) -> Iterator[tuple[int, Array]]:
        """The adjoints of each layer's net inputs from the last layer to the first, given those of the last."""
        for i in range(len(self.layers) - 1, -1, -1):
            yield i, adjoint
            if i:
                below = times(adjoint, self.layers[i][0].T)
                adjoint = self.architecture.functions[i - 1].pull(self.nets[i - 1], self.jets[i], below, self.order)

    def gradient(self, adjoint: Array) -> Array:
        """The gradient to θ, given the adjoints (n, 1 + order·d, k) of the last net inputs."""
        gradient = np.empty(self.architecture.n_parameters, adjoint.dtype)
        slopes = self.architecture.layers(gradient)
        for i, z in self.unwind(adjoint):
            W, b = slopes[i]
            np.matmul(flat(self.jets[i]).T, flat(z), out=W)
            np.sum(z[:, 0], axis=0, out=b)
        return gradient

    def jacobian(self, adjoint: Array) -> Array:
        """The derivative to θ of each row separately, (q, n, P), for q adjoints (q, n, 1 + order·d, k)."""
        jacobian = np.empty((*adjoint.shape[:2], self.architecture.n_parameters), adjoint.dtype)
        start = jacobian.shape[-1]
        for i, z in self.unwind(adjoint):
            W = self.jets[i].swapaxes(-1, -2) @ z  # (q, n, in, out)
            both = np.concatenate([W, z[..., :1, :]], axis=-2)  # the bias is behind its layer's weights
            stop, start = start, start - both.shape[-2] * both.shape[-1]
            jacobian[..., start:stop] = both.reshape(*adjoint.shape[:2], -1)
        return jacobian


def flat(jets: Array) -> Array:
    """Jets (…, s, w) as the rows of one matrix."""
    return jets.reshape(-1, jets.shape[-1])


def times(jets: Array, W: Array) -> Array:
    """Jets (…, s, a) times W (a, b): one large product, where a stack of matrices would be many small ones."""
    return (flat(jets) @ W).reshape(*jets.shape[:-1], -1)
