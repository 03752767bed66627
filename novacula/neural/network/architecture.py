"""The shape of a network and where its weights are in one flat vector θ.

    zₗ = oₗ₋₁ Wₗ + bₗ        oₗ = g(zₗ)        o₀ = x

Layers are numbered from 0, the one that reads the inputs; W has a row for each input and a column for each unit.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt

from novacula.arguments import one_of, whole_number
from novacula.errors import ParameterError
from novacula.neural.network.activation import ACTIVATIONS
from novacula.neural.network.jet import Array
from novacula.neural.network.layer_function import LayerFunction
from novacula.neural.network.loss import OUTPUTS
from novacula.state import State, each, whole, word

Layers: TypeAlias = list[tuple[Array, Array]]
"""W (in, out) and b (out,) of each layer."""


@dataclass(frozen=True)
class Architecture:
    """A layered network: `sizes` (d, h₁, …, k), the activation of hidden units, and the output function.

    >>> xor = Architecture((2, 2, 1), "tanh", "logistic")
    >>> xor.n_parameters
    9
    >>> [W.shape for W, b in xor.layers(np.zeros(9))]
    [(2, 2), (2, 1)]
    """

    state: ClassVar[State] = {
        "sizes": each(whole(least=1), "layers+1"),
        "activation": word(*ACTIVATIONS),
        "output": word(*OUTPUTS),
    }

    sizes: tuple[int, ...]
    activation: str
    output: str

    def __post_init__(self) -> None:
        if len(self.sizes) < 2:
            raise ParameterError(f"sizes is {self.sizes!r}; it must name the inputs and the outputs at least")
        for size in self.sizes:
            whole_number(size, "a size of the network", 1)
        one_of(self.activation, "activation", tuple(ACTIVATIONS))
        one_of(self.output, "output", tuple(OUTPUTS))

    @property
    def n_layers(self) -> int:
        """Layers of weights: hidden layers, and one for the outputs."""
        return len(self.sizes) - 1

    @property
    def n_parameters(self) -> int:
        """Weights and biases."""
        return sum((a + 1) * b for a, b in pairwise(self.sizes))

    @property
    def functions(self) -> list[LayerFunction]:
        """What each layer does with its net inputs."""
        hidden: list[LayerFunction] = [ACTIVATIONS[self.activation]] * (self.n_layers - 1)
        return [*hidden, OUTPUTS[self.output]]

    @cached_property
    def is_weight(self) -> npt.NDArray[np.bool_]:
        """Which entries of θ are weights; the others are biases, which weight decay leaves alone."""
        mask = np.zeros(self.n_parameters, bool)
        for W, _ in self.layers(mask):
            W[...] = True
        return mask

    def layers(self, theta: Array) -> Layers:
        """W and b of each layer as views into θ: layer after layer, W row by row and then b."""
        if theta.shape != (self.n_parameters,):
            raise ParameterError(
                f"the weights have shape {theta.shape}; a network of sizes {self.sizes} has {self.n_parameters}"
            )
        views, start = [], 0
        for a, b in pairwise(self.sizes):
            middle, stop = start + a * b, start + (a + 1) * b
            views.append((theta[start:middle].reshape(a, b), theta[middle:stop]))
            start = stop
        return views

    def initial(self, rng: np.random.Generator, dtype: npt.DTypeLike = np.float64) -> Array:
        """Random θ: weights and biases of a layer uniform in ±g√(3/in), so that net inputs have the variance g².

        That is LeCun's start for columns of variance 1. Hidden logistic units have g = 2, all others g = 1: theirs is
        the gentler slope, and from smaller weights a network of them is stuck at what no hidden unit at all can do.
        Numbers are drawn as float64 for either type, so that both types start from the same weights. Biases are
        not 0, since the units of one input would all bend in the same place.
        """
        theta = np.empty(self.n_parameters)
        spreads = [2.0 if self.activation == "logistic" else 1.0] * (self.n_layers - 1) + [1.0]
        for (W, b), g in zip(self.layers(theta), spreads, strict=True):
            bound = g * np.sqrt(3 / len(W))
            W[...] = rng.uniform(-bound, bound, W.shape)
            b[...] = rng.uniform(-bound, bound, b.shape)
        return theta.astype(dtype)


def forward(architecture: Architecture, theta: Array, X: Array) -> list[Array]:
    """The outputs of every layer for the rows of X (n, d): the hidden ones (n, h) in order, and o (n, k) last.

    >>> line = Architecture((1, 1), "linear", "linear")
    >>> forward(line, np.array([2.0, 1.0]), np.array([[3.0]]))  # w = 2, b = 1
    [array([[7.]])]
    """
    outputs: list[Any] = []
    for (W, b), function in zip(architecture.layers(theta), architecture.functions, strict=True):
        net = (outputs[-1] if outputs else X) @ W
        function.fire(net, b)
        outputs.append(net)
    return outputs
