"""Prices besides the loss: γ Σ w² of large weights, ν of curvature, μ of slopes other than those that were given."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from novacula.arguments import nonnegative_number
from novacula.neural.network.architecture import Architecture
from novacula.neural.network.jet import Array


@dataclass(frozen=True)
class Penalties:
    """γ, ν and μ.

    >>> Penalties(curvature=0.1).order, Penalties(slope_weight=1.0).order, Penalties(weight_decay=0.1).order
    (2, 1, 0)
    """

    weight_decay: float = 0.0
    curvature: float = 0.0
    slope_weight: float = 0.0

    def __post_init__(self) -> None:
        for name in ("weight_decay", "curvature", "slope_weight"):
            nonnegative_number(getattr(self, name), name)

    @property
    def order(self) -> int:
        """The highest derivative of the outputs that has a price."""
        return 2 if self.curvature else 1 if self.slope_weight else 0

    def jet_prices(self, architecture: Architecture) -> Array:
        """The price of ½(…)² of each entry of an output's jet, (1 + order·d,); the value's is the loss's business."""
        d, k = architecture.sizes[0], architecture.sizes[-1]
        prices = np.zeros(1 + self.order * d)
        prices[1 : 1 + d] = self.slope_weight
        prices[1 + d :] = 2 * self.curvature / (d * k)
        return prices


def why_no_curvature(architecture: Architecture) -> str | None:
    """Why a price on curvature cannot smooth this network, in a sentence; None if it can.

    >>> print(why_no_curvature(Architecture((1, 5, 1), "tanh", "linear")))
    None
    """
    hidden = architecture.n_layers > 1
    if hidden and architecture.activation == "relu":
        return (
            "curvature cannot smooth relu units, which are straight but for kinks that second derivatives do not see: "
            "take activation='tanh' or 'logistic', or curvature=0"
        )
    if architecture.output == "linear" and (not hidden or architecture.activation == "linear"):
        return (
            "curvature cannot smooth a network of linear units, which is straight everywhere: take hidden units with "
            "activation='tanh' or 'logistic', or curvature=0"
        )
    return None
