"""Continuous nodes in queries: their evidence as factors over discrete nodes, and mixtures of what is not known.

Given its discrete parents d a component of continuous nodes is jointly normal. So evidence in it is a factor over d,
and what is not known is a mixture of normal densities with the weights P(d | evidence).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from novacula.graph.inference.components import Completed, Component, JointGaussian, components
from novacula.graph.inference.factor import DiscreteFactor, require_size, spread_shape
from novacula.graph.inference.normal import NormalMixture
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.graph.inference.evidence import NodeEvidence
    from novacula.graph.network import Network


def evidence_factors(network: Network, evidence: NodeEvidence) -> list[DiscreteFactor]:
    """The log density of continuous evidence as factors over the discrete parents of its components."""
    if not evidence.values:
        return []
    return [
        DiscreteFactor(_scope(network, part.joint.component), part.log_density.reshape(part.joint.component.shape))
        for part in _completed(network, evidence.values, evidence)
    ]


def _completed(network: Network, nodes: Iterable[int], evidence: NodeEvidence) -> Iterator[Completed]:
    """The evidence as one row, in each component that holds one of the nodes."""
    names, variables = network.nodes, network.variables
    wanted = {names[place] for place in nodes}
    relevant = {names[place] for place in network.ancestral([*nodes, *evidence.values])}
    known = {names[place]: value for place, value in (*evidence.codes.items(), *evidence.values.items())}
    row = np.array([[known.get(name, np.nan) for name in variables.continuous]])
    for component in components(network.dag, variables, known, relevant, _require_joint_size):
        if wanted.isdisjoint(component.nodes):
            continue
        joint = JointGaussian.of(component, network.lines, known)
        joint.require_density(~np.isnan(row[0, list(component.columns)]))
        yield joint.completed(row)


def _require_joint_size(nodes: Sequence[str], shape: Sequence[int]) -> None:
    what = "the joint density of continuous nodes, one for each state of their discrete parents,"
    require_size([*shape, len(nodes), len(nodes)], what)


def _scope(network: Network, component: Component) -> tuple[int, ...]:
    """The discrete parents of a component by their places in the network."""
    discrete = tuple(network.factors)
    return tuple(discrete[place] for place in component.scope)


def continuous_query(
    network: Network, nodes: Sequence[int], evidence: NodeEvidence, posterior: Callable[[tuple[int, ...]], Floats]
) -> NormalMixture:
    """p(asked | evidence), with `posterior` giving the probabilities of discrete nodes given the evidence."""
    names = tuple(network.nodes[node] for node in nodes)
    used = list(_completed(network, nodes, evidence))
    scopes = [_scope(network, part.joint.component) for part in used]
    scope = tuple(sorted({node for each in scopes for node in each}))
    cards, d = [network.cards[node] for node in scope], len(nodes)
    require_size([*cards, d, d], "the mixture of normal densities")
    mean, cov = np.zeros((*cards, d)), np.zeros((*cards, d, d))
    for part, own in zip(used, scopes, strict=True):
        component, (gap,) = part.joint.component, part.gaps
        shape = spread_shape(own, component.shape, scope)
        wanted = [(i, component.nodes.index(name)) for i, name in enumerate(names) if name in component.nodes]
        for i, k in wanted:
            mean[..., i] = part.node(k)[0].reshape(shape)
            for j, other in wanted:
                cov[..., i, j] = gap.covariance[:, gap.place(k), gap.place(other)].reshape(shape)
    weights = posterior(scope).ravel()
    likely = weights > 0.0
    return NormalMixture(names, weights[likely], mean.reshape(-1, d)[likely], cov.reshape(-1, d, d)[likely])
