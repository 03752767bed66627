"""What the prices of curvature and of wrong slopes come to, row by row, and what they do to weights.

ν c + μ g        c = Σ (∂²oₖ/∂xᵢ²)² / (d·k)        g = ½ Σ (∂oₖ/∂xᵢ − given slope)²
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.learner.work import Step
from novacula.mathematics import Equation
from novacula.neural.network import NetworkObjective, Penalties
from novacula.neural.network.tape import Tape
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.neural.multilayer import MultilayerNetwork


def has_prices(model: MultilayerNetwork) -> bool:
    """Whether derivatives of the outputs have a price."""
    return bool(model.curvature or model.slope_weight)


def derivatives(model: MultilayerNetwork, theta: Floats, rows: Floats) -> tuple[Floats, Floats]:
    """First and second derivatives of the outputs after each column, (n, d, k)."""
    d = model.architecture_.sizes[0]
    jets = Tape.record(model.architecture_, theta, rows, 2).outputs
    return jets[:, 1 : 1 + d], jets[:, 1 + d :]


def row_prices(model: MultilayerNetwork, theta: Floats, rows: Floats, slopes: Floats | None) -> Floats:
    """What each row costs beyond its error (n,)."""
    if not has_prices(model):
        return np.zeros(len(rows))
    first, second = derivatives(model, theta, rows)
    cost = model.curvature * (second**2).mean(axis=(1, 2))
    if slopes is not None:
        cost = cost + 0.5 * model.slope_weight * ((first - slopes.swapaxes(1, 2)) ** 2).sum(axis=(1, 2))
    return np.asarray(cost)


def price_gradient(
    model: MultilayerNetwork, loss: str, theta: Floats, rows: tuple[Floats, Floats, Floats], slopes: Floats | None
) -> Floats:
    """Σ s ∂(ν c + μ g)/∂w over rows, targets and shares (P,)."""
    if not has_prices(model):
        return np.zeros_like(theta)
    priced = Penalties(0.0, float(model.curvature), float(model.slope_weight))
    whole = NetworkObjective(model.architecture_, loss, priced).sums(theta, *rows, slopes)[1]
    return np.asarray(whole - NetworkObjective(model.architecture_, loss).sums(theta, *rows)[1])


def price_step(model: MultilayerNetwork, theta: Floats, row: Floats, slopes: Floats | None, title: str) -> Step:
    """The prices of one row (1, d), written out."""
    first, second = derivatives(model, theta, row)
    found, note = list[Equation](), ""
    if model.curvature:
        values: dict[str, Any] = {"κ": second[0].ravel(), "D": second[0].size, "ν": model.curvature}
        where = {
            "κ": "second derivatives of the outputs after the columns",
            "D": "how many there are, columns times outputs",
            "ν": "price of curvature",
        }
        found.append(Equation("C", "ν * sum(κ[i]**2 for i in _) / D", values, where=where))
        note = "The penalty is also written without ⟦1 / D⟧, as a sum: its ⟦ν⟧ is then smaller by that factor."
    if slopes is not None:
        values = {"φ": first[0].ravel(), "z": slopes[0].T.ravel(), "μ": model.slope_weight}
        where = {"φ": "slopes of the outputs", "z": "slopes that were given", "μ": "price of slopes"}
        found.append(Equation("S", "μ * sum((φ[i] - z[i])**2 for i in _) / 2", values, where=where))
    return Step(f"{title}, prices of its derivatives", tuple(found), note=note)
