"""Sampling: draw parents before children; with evidence, keep it fixed and weigh each draw by its likelihood.

    P(q | e) ≈ Σ wᵢ [qᵢ = q] / Σ wᵢ        wᵢ = Π over evidence of P(e_j | parents as drawn)

The error falls with the root of the effective sample size (Σ w)² / Σ w², which is small where evidence is far from
what its parents usually bring about.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state

from novacula.errors import ParameterError
from novacula.graph.families import Family
from novacula.graph.inference.distribution import Estimate, MeanEstimate
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.graph.inference.evidence import NodeEvidence
    from novacula.graph.network import Network

BLOCK = 2**16
"""Rows that are drawn at once."""


def sample(network: Network, n: int, random_state: Any = None) -> Any:
    """Draw rows as a PyArrow table with one column per node."""
    import pyarrow as pa

    rng, rows = check_random_state(random_state), at_least(n, "n", 0)
    places = range(len(network.families))
    blocks = [draw(network, places, min(BLOCK, rows - start), rng) for start in range(0, rows, BLOCK)]
    columns = {
        family.node: _column(family, np.concatenate([block[i] for block in blocks]) if blocks else np.empty(0, int))
        for i, family in enumerate(network.families)
    }
    return pa.table(columns)


def _column(family: Family, values: npt.NDArray[Any]) -> Any:
    import pyarrow as pa

    if not family.states:
        return pa.array(values, pa.float64())
    try:
        states = pa.array(family.states)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        kinds = ", ".join(sorted({type(state).__name__ for state in family.states}))
        raise ParameterError(
            f"the states of {family.node!r} are of several types ({kinds}), and a column has one: name them alike"
        ) from None
    return states.take(pa.array(values, pa.int64()))


def draw(
    network: Network,
    places: Sequence[int],
    n: int,
    rng: np.random.RandomState,
    fixed: Mapping[int, float] | None = None,
) -> dict[int, npt.NDArray[Any]]:
    """Codes or values of n draws, by place, parents first; those in `fixed` are what they are."""
    drawn: dict[int, npt.NDArray[Any]] = {}
    for place in places:
        family = network.families[place]
        parents = [drawn[parent] for parent in network.parent_places[place]]
        if fixed is not None and place in fixed:
            drawn[place] = np.full(n, fixed[place])
        else:
            drawn[place] = family.drawn(parents, n, rng)
    return drawn


def weighted_draws(
    network: Network, nodes: Sequence[int], evidence: NodeEvidence, n: int, rng: np.random.RandomState
) -> tuple[dict[int, npt.NDArray[Any]], Floats]:
    """Draws of all nodes that bear on the query with evidence fixed, and their weights, which sum to 1."""
    fixed = {**evidence.codes, **evidence.values}
    places = sorted(network.ancestral([*nodes, *fixed]))
    drawn = draw(network, places, n, rng, fixed)
    log_weight = np.zeros(n)
    for place in fixed:
        parents = [drawn[parent] for parent in network.parent_places[place]]
        log_weight = log_weight + network.families[place].log_conditional(drawn[place], parents)
    top = log_weight.max()
    if top == -np.inf:
        raise ParameterError(
            f"all {n} draws have weight zero: the evidence has probability zero, or one so small that no draw met it; "
            "raise n_samples, or use method='elimination'"
        )
    weight = np.exp(log_weight - top)
    return drawn, weight / weight.sum()


def likelihood_weighting(
    network: Network, nodes: Sequence[int], evidence: NodeEvidence, n_samples: int = 10_000, random_state: Any = None
) -> Estimate | MeanEstimate:
    """P(asked | evidence) from weighted draws, with standard errors of a ratio of means."""
    rng, n = check_random_state(random_state), at_least(n_samples, "n_samples", 1)
    drawn, weight = weighted_draws(network, nodes, evidence, n, rng)
    size = float(1.0 / (weight**2).sum())
    columns = [drawn[place] for place in nodes]
    if not network.cards[nodes[0]]:
        x = np.column_stack(columns)
        mean = weight @ x
        gap = x - mean
        std_error = np.sqrt((weight**2) @ gap**2)
        return MeanEstimate(_names(network, nodes), mean, (gap * weight[:, None]).T @ gap, std_error, size)
    shape = tuple(network.cards[place] for place in nodes)
    cell = np.ravel_multi_index(tuple(columns), shape)
    share, squares = (np.zeros(int(np.prod(shape))) for _ in range(2))
    np.add.at(share, cell, weight)
    np.add.at(squares, cell, weight**2)
    # Σ w² ([x in cell] − share)², of those inside the cell and of all the others
    std_error = np.sqrt(squares * (1.0 - share) ** 2 + (squares.sum() - squares) * share**2)
    return estimate(network, nodes, share.reshape(shape), std_error.reshape(shape), size)


def estimate(network: Network, nodes: Sequence[int], table: Floats, std_error: Floats, size: float) -> Estimate:
    """Probabilities and their errors under the names of the nodes."""
    exact = network.distribution(nodes, table)
    return Estimate(exact.variables, exact.states, exact.table, std_error, size)


def _names(network: Network, nodes: Sequence[int]) -> tuple[str, ...]:
    return tuple(network.nodes[place] for place in nodes)


def at_least(value: Any, name: str, least: int) -> int:
    """A count that was given."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise ParameterError(f"{name} is {value!r}: it must be a whole number of at least {least}")
    return int(value)
