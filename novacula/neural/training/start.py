"""Weights to begin with that are given: one array for each layer, with the biases in its first row."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from novacula.errors import ParameterError
from novacula.neural.network import Architecture
from novacula.table.chunk import Floats
from novacula.words import counted


def given_start(layers: Any, architecture: Architecture) -> Floats:
    """All weights θ of given layers (inputs + 1, units).

    >>> given_start([[[0.1], [2.0], [3.0]]], Architecture((2, 1), "linear", "linear"))
    array([2. , 3. , 0.1])
    """
    shapes = [(a + 1, b) for a, b in pairwise(architecture.sizes)]
    if isinstance(layers, str) or not hasattr(layers, "__len__") or len(layers) != len(shapes):
        found = counted(len(layers), "layer") if hasattr(layers, "__len__") else f"a {type(layers).__name__}"
        raise ParameterError(
            f"start_weights hold {found}; a network of sizes {architecture.sizes} takes {counted(len(shapes), 'layer')}"
        )
    parts = list[Floats]()
    for number, (layer, shape) in enumerate(zip(layers, shapes, strict=True), start=1):
        try:
            weights = np.asarray(layer, np.float64)
        except (TypeError, ValueError):
            raise ParameterError(f"start_weights of layer {number} are not numbers in rows of one length") from None
        if weights.shape != shape:
            raise ParameterError(
                f"start_weights of layer {number} have shape {weights.shape}; they must have shape {shape}: a row of "
                "biases, and then a row of weights for each input"
            )
        if not np.isfinite(weights).all():
            raise ParameterError(f"start_weights of layer {number} hold a missing or infinite number: give all of them")
        parts += [weights[1:].ravel(), weights[0]]
    return np.concatenate(parts)
