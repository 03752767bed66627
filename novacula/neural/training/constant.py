"""Whether a network says more than a constant would: some starts end where it does not."""

from __future__ import annotations

import numpy as np
from scipy import special

from novacula.neural.network import Architecture, NetworkObjective
from novacula.neural.training.record import NetworkTrace
from novacula.table.chunk import Floats

GAIN = 0.02
"""The share of a constant's loss that a network must spare to be better."""


def why_constant(architecture: Architecture, loss: str, theta: Floats, trace: NetworkTrace) -> str | None:
    """A sentence where a network that was trained on the rows of a trace is no better on them than a constant."""
    if not trace.by_epoch or architecture.n_layers == 1:
        return None
    T, shares = trace.wanted(architecture.sizes[-1]), trace.shares
    mean = np.average(T, axis=0, weights=shares)
    if loss == "squared":
        constant = 0.5 * float(np.average((T - mean) ** 2, axis=0, weights=shares).sum())
    elif architecture.output == "softmax":
        constant = float(special.entr(mean).sum())
    else:
        constant = float((special.entr(mean) + special.entr(1.0 - mean)).sum())
    found = NetworkObjective(architecture, loss).value(theta.astype(np.float64), trace.rows, T, shares)
    if not constant or found < (1.0 - GAIN) * constant:
        return None
    return (
        f"its loss of {found:.4g} on the rows is no better than the {constant:.4g} of one constant answer: try more "
        "restarts, another eta0 or activation, or solver='lbfgs'"
    )
