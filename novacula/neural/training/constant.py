"""Whether a network says more than a constant would, and is right where it could be: some starts end elsewhere."""

from __future__ import annotations

import numpy as np
from scipy import special

from novacula.neural.network import Architecture, NetworkObjective, forward
from novacula.neural.training.record import NetworkTrace
from novacula.table.chunk import Floats
from novacula.words import counted

GAIN = 0.02
"""The share of a constant's loss that a network must spare to be better."""


def why_constant(architecture: Architecture, loss: str, theta: Floats, trace: NetworkTrace) -> str | None:
    """A sentence where a network is no better, or hardly, on the rows of its trace than a constant."""
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
    beside = "no better" if found >= constant else "hardly better"
    return (
        f"its loss of {found:.4g} on the rows is {beside} than the {constant:.4g} of one constant answer: try more "
        "restarts, another eta0 or activation, or solver='lbfgs'"
    )


def why_wrong(architecture: Architecture, theta: Floats, trace: NetworkTrace) -> str | None:
    """A sentence where a classifier has weights enough for the few rows of a trace, and is wrong on some of them.

    No network is right on equal rows of different classes, so there is nothing to say where there are such; and one
    with fewer weights than rows cannot be expected to be.
    """
    if not trace.by_epoch or architecture.n_layers == 1:
        return None
    counted_rows = trace.shares > 0.0
    T, X = trace.wanted(architecture.sizes[-1])[counted_rows], trace.rows[counted_rows]
    labels = T.argmax(axis=1) if T.shape[1] > 1 else (T[:, 0] > 0.5).astype(int)
    rows, place = np.unique(X, axis=0, return_inverse=True)
    of_row = np.full(len(rows), -1)
    of_row[place.ravel()] = labels
    if (of_row[place.ravel()] != labels).any() or architecture.n_parameters < len(rows):
        return None
    outputs = forward(architecture, theta.astype(np.float64), X)[-1]
    said = outputs.argmax(axis=1) if T.shape[1] > 1 else (outputs[:, 0] > 0.5).astype(int)
    wrong = int((said != labels).sum())
    if not wrong:
        return None
    return (
        f"it has settled with {wrong} of {counted(len(labels), 'row')} wrong, though no equal rows are of different "
        "classes: try more restarts, more hidden units, or another activation"
    )
