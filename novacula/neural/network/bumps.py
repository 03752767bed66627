"""A continuous function of one input as a network: a bump for each piece of its range.

A bump from a to e is σ(c(x − a)) − σ(c(x − e)): a steep rise and, farther on, a steep fall. Its height is the value of
the function in the middle. The more bumps, the nearer their sum comes to the function.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from novacula.arguments import as_numbers, whole_number
from novacula.errors import InputTypeError, ParameterError
from novacula.neural.network.architecture import Architecture
from novacula.neural.network.jet import Array
from novacula.words import quoted

STEEP = 100.0
"""The factor c, in units of the width of a bump."""
MOST_BUMPS = 10_000


def bump_network(
    function: Callable[[float], Any], low: float, high: float, bumps: int
) -> tuple[Architecture, Array, Array]:
    """A network of two logistic hidden units for each bump, its weights θ, and the middles of the bumps.

    >>> from novacula.neural.network import forward
    >>> network, theta, middles = bump_network(lambda x: x * x, 0.0, 1.0, 2)
    >>> forward(network, theta, middles[:, None])[-1].round(6).ravel().tolist()  # of 0.25 and 0.75
    [0.0625, 0.5625]
    """
    if not callable(function):
        raise InputTypeError(f"the function is {quoted(function)}; give a function of one number")
    bumps = whole_number(bumps, "bumps", 1)
    ends = as_numbers([low, high], "low and high")
    if bumps > MOST_BUMPS or ends.shape != (2,) or not (np.isfinite(ends).all() and low < high):
        raise ParameterError(
            f"{bumps} bumps from {low!r} to {high!r} cannot be made: give numbers low < high, and at most "
            f"{MOST_BUMPS} bumps"
        )
    edges = np.linspace(low, high, bumps + 1)
    middles = (edges[1:] + edges[:-1]) / 2.0
    heights = as_numbers([function(float(x)) for x in middles], "what the function gives")
    if heights.shape != middles.shape:
        raise ParameterError(f"the function gives an array of shape {heights.shape[1:]}; it must give one number")
    if not np.isfinite(heights).all():
        raise ParameterError(f"the function is not finite at {middles[~np.isfinite(heights)][0]:g}")
    architecture = Architecture((1, 2 * bumps, 1), "logistic", "linear")
    theta = np.zeros(architecture.n_parameters)
    (W, b), (V, _) = architecture.layers(theta)
    steep = STEEP * bumps / (high - low)
    W[0] = steep
    b[0::2], b[1::2] = -steep * edges[:-1], -steep * edges[1:]
    V[0::2, 0], V[1::2, 0] = heights, -heights
    return architecture, theta, middles
