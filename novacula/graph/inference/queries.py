"""Which method answers which query, and what cannot be asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from novacula.errors import ParameterError
from novacula.graph.inference.distribution import Distribution, Estimate, MeanEstimate
from novacula.graph.inference.elimination import most_probable, posterior, require_discrete, require_possible
from novacula.graph.inference.gaussian_inference import continuous_query
from novacula.graph.inference.gibbs import gibbs
from novacula.graph.inference.normal import NormalMixture
from novacula.graph.inference.sampling import likelihood_weighting
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.graph.inference.evidence import NodeEvidence
    from novacula.graph.network import Network

Answer: TypeAlias = Distribution | NormalMixture | Estimate | MeanEstimate

METHODS: Mapping[str, tuple[str, ...]] = {
    "elimination": (),
    "junction_tree": (),
    "likelihood_weighting": ("n_samples", "random_state"),
    "gibbs": ("n_samples", "n_chains", "burn_in", "random_state"),
}
"""The methods and the options that each takes."""


def answer(
    network: Network, nodes: Sequence[int], evidence: NodeEvidence, method: str, options: Mapping[str, Any]
) -> Answer:
    """P(asked | evidence) by the method of that name."""
    continuous = [network.nodes[node] for node in nodes if not network.cards[node]]
    if continuous and len(continuous) < len(nodes):
        raise ParameterError(
            f"a query asks for discrete or for continuous nodes, and {continuous[0]!r} is continuous: ask for it "
            "apart, or give the states of the others as evidence"
        )
    if method not in METHODS:
        raise ParameterError(f"there is no method {method!r}: it is one of {', '.join(METHODS)}")
    for option in options:
        if option not in METHODS[method]:
            takes = f"its options are {', '.join(METHODS[method])}" if METHODS[method] else "it is exact and has none"
            raise ParameterError(f"method={method!r} has no option {option!r}: {takes}")
    if method == "likelihood_weighting":
        return likelihood_weighting(network, nodes, evidence, **options)
    if method == "gibbs":
        return gibbs(network, nodes, evidence, **options)
    tables = _exact(network, evidence, method)
    if continuous:
        return continuous_query(network, nodes, evidence, tables)
    return network.distribution(nodes, tables(tuple(nodes)))


def _exact(network: Network, evidence: NodeEvidence, method: str) -> Callable[[tuple[int, ...]], Floats]:
    """A function from discrete nodes to their probabilities given the evidence."""
    if method == "junction_tree":
        return network.junction_tree.calibrated(evidence).table
    return lambda nodes: posterior(network, nodes, evidence)


def best_assignment(network: Network, nodes: Sequence[int], evidence: NodeEvidence) -> dict[int, int]:
    """The most probable codes of discrete nodes."""
    require_discrete(network, nodes)
    codes, log_best = most_probable(network, nodes, evidence)
    require_possible(log_best)
    return codes
