"""Small networks with random weights, and what they compute in plain loops over plain numbers."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from novacula.neural.network import Architecture, forward

ACTIVATION = {
    "logistic": lambda z: 1 / (1 + math.exp(-z)),
    "tanh": math.tanh,
    "relu": lambda z: max(z, 0.0),
    "linear": lambda z: z,
}


def output_in_loops(architecture, theta, x):
    """The outputs for one row: unit by unit, the weights taken from θ one after the other."""
    numbers, values = iter(theta.tolist()), list(x)
    for layer, width in enumerate(architecture.sizes[1:]):
        weights = [[next(numbers) for _ in range(width)] for _ in values]
        nets = [next(numbers) + sum(v * row[j] for v, row in zip(values, weights, strict=True)) for j in range(width)]
        if layer < architecture.n_layers - 1:
            values = [ACTIVATION[architecture.activation](z) for z in nets]
        elif architecture.output == "softmax":
            values = [math.exp(z) / sum(map(math.exp, nets)) for z in nets]
        else:
            values = [ACTIVATION[architecture.output](z) for z in nets]
    return values


@pytest.fixture(scope="session")
def by_hand():
    return output_in_loops


def draw(activation, output, depth, seed=0, rows=4):
    """A network of 3 inputs and 2 outputs and its examples; relu units stay away from their kinks."""
    architecture = Architecture((3, *[3] * (depth - 1), 2), activation, output)
    rng = np.random.default_rng(seed)
    while True:
        theta, X = 1.5 * architecture.initial(rng), rng.normal(size=(rows, 3))
        linear = Architecture(architecture.sizes, "relu", "linear")
        hidden = forward(linear, theta, X)[:-1]
        nets = [before @ W + b for before, (W, b) in zip([X, *hidden[:-1]], linear.layers(theta)[:-1], strict=False)]
        if activation != "relu" or all(np.abs(net).min() > 0.03 for net in nets):
            break
    return SimpleNamespace(
        architecture=architecture,
        theta=theta,
        X=X,
        T=np.eye(2)[rng.integers(0, 2, rows)],
        weight=rng.uniform(0.2, 2, rows),
        slopes=rng.normal(size=(rows, 2, 3)),
        rng=rng,
    )


@pytest.fixture(scope="session")
def problem():
    return draw
