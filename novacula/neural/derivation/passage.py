"""Rows on their way through a network, and back: net inputs and outputs forward, δ backward, in double precision.

net = b + Σ w·input        o = g(net)
δ = −∂E/∂net               at an output from the error, below δ_h = g′(o_h) Σ w_hk δ_k
−∂E/∂w = Σ δ · input
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from novacula.neural.network import ACTIVATIONS, Architecture, Layers
from novacula.table.chunk import Floats


@dataclass(frozen=True, eq=False)
class RowPassage:
    """Rows (n, d) with the net inputs and outputs of every layer (n, units)."""

    architecture: Architecture
    layers: Layers
    x: Floats
    nets: list[Floats]
    outputs: list[Floats]

    @classmethod
    def of(cls, architecture: Architecture, theta: Floats, x: Floats) -> Self:
        """Push rows through the network of weights θ."""
        layers = architecture.layers(np.asarray(theta, np.float64))
        nets, outputs = list[Floats](), list[Floats]()
        for (W, b), function in zip(layers, architecture.functions, strict=True):
            nets.append((outputs[-1] if outputs else x) @ W + b)
            fired = nets[-1].copy()
            function.apply(fired)
            outputs.append(fired)
        return cls(architecture, layers, x, nets, outputs)

    def row(self, i: int) -> Self:
        """One of the rows alone."""
        parts = ([part[i : i + 1] for part in several] for several in (self.nets, self.outputs))
        return type(self)(self.architecture, self.layers, self.x[i : i + 1], *parts)

    def inputs(self, layer: int) -> Floats:
        """What a layer reads (n, in)."""
        return self.outputs[layer - 1] if layer else self.x

    def deltas(self, targets: Floats, loss: str) -> list[Floats]:
        """δ of every layer (n, units), for targets (n, k)."""
        delta = targets - self.outputs[-1]
        if loss == "squared":
            self.architecture.functions[-1].chain(self.outputs[-1], delta, np.empty_like(delta))
        deltas = [delta]
        hidden = ACTIVATIONS[self.architecture.activation]
        for layer in range(len(self.layers) - 1, 0, -1):
            deltas.insert(0, hidden.first(self.outputs[layer - 1]) * (deltas[0] @ self.layers[layer][0].T))
        return deltas

    def losses(self, targets: Floats, loss: str) -> Floats:
        """The loss of each row (n,)."""
        o = self.outputs[-1]
        if loss == "squared":
            return np.asarray(0.5 * ((targets - o) ** 2).sum(axis=1))
        net = self.nets[-1]
        if self.architecture.output == "softmax":
            top = net.max(axis=1, keepdims=True)
            return np.asarray(np.log(np.exp(net - top).sum(axis=1)) - (targets * (net - top)).sum(axis=1))
        return np.asarray((np.logaddexp(0.0, net) - targets * net).sum(axis=1))

    def sums(self, deltas: list[Floats], shares: Floats) -> Floats:
        """Σ share · δ · input of each weight, and Σ share · δ of each bias, as one vector like θ."""
        parts = []
        for layer, delta in enumerate(deltas):
            weighted = shares[:, None] * delta
            parts += [(self.inputs(layer).T @ weighted).ravel(), weighted.sum(axis=0)]
        return np.concatenate(parts)
