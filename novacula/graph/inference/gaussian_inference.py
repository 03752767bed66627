"""Continuous nodes, exactly: joint Gaussians for each configuration of their discrete parents.

Continuous nodes that depend on each other form a block. Given its discrete parents d a block is jointly normal,

    mean_i = a_i(d) + Σ_j w_ij(d) mean_j     cov_ik = Σ_j w_ij(d) cov_jk     cov_ii = v_i(d) + Σ_j w_ij(d) cov_ij

so evidence in it is a factor over d, and what is not seen is a mixture with the weights P(d | evidence). A
regressor whose value is known moves the intercept and ties nothing, so evidence makes blocks smaller.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np

from novacula.errors import ParameterError
from novacula.graph.families import GaussianFamily
from novacula.graph.inference.factor import Factor, require_size, spread_shape
from novacula.graph.inference.normal import NormalMixture, conditioned, flat_variable
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.graph.inference.evidence import Evidence
    from novacula.graph.network import Network


@dataclass(frozen=True, eq=False)
class Block:
    """A joint Gaussian of nodes for each configuration of the discrete nodes in `scope`."""

    scope: tuple[int, ...]  # ascending, those of known state left out
    nodes: tuple[int, ...]  # parents first
    mean: Floats  # (*cards, m)
    cov: Floats  # (*cards, m, m)

    def split(self, evidence: Evidence, names: Sequence[str]) -> tuple[Floats, tuple[int, ...], Floats, Floats]:
        """The log density of what is seen (*cards), the nodes that are not, their mean and covariance given it."""
        seen = [i for i, node in enumerate(self.nodes) if node in evidence.values]
        hidden = [i for i in range(len(self.nodes)) if i not in seen]
        nodes = tuple(self.nodes[i] for i in hidden)
        if not seen:
            return np.zeros(self.mean.shape[:-1]), nodes, self.mean, self.cov
        fault = flat_variable(self.cov[..., seen, :][..., seen])
        if fault is not None:
            raise ParameterError(
                f"the evidence on {names[self.nodes[seen[fault]]]!r} has no density: given the other evidence its "
                "variance is zero in some configuration of discrete nodes; leave it out, or give its family a variance"
            )
        values = np.array([evidence.values[self.nodes[i]] for i in seen])
        log, mean, cov = conditioned(self.mean, self.cov, seen, hidden, values)
        return log, nodes, mean, cov


def blocks(network: Network, asked: Iterable[int], evidence: Evidence) -> Iterator[Block]:
    """The blocks of the continuous nodes that bear on those asked for or given."""
    relevant = network.ancestral([*asked, *evidence.values])
    nodes = sorted(node for node in relevant if isinstance(network.families[node], GaussianFamily))
    for tied in _tied(network, nodes, evidence):
        yield _block(network, tied, evidence)


def _tied(network: Network, nodes: Sequence[int], evidence: Evidence) -> list[list[int]]:
    """Nodes in groups that unseen regressors tie together, each ascending."""
    group = {node: [node] for node in nodes}
    for node in nodes:
        for parent in network.parent_places[node]:
            if parent in group and parent not in evidence.values and group[parent] is not group[node]:
                group[parent] += group[node]
                for member in group[node]:
                    group[member] = group[parent]
    return [sorted(members) for node, members in group.items() if node == min(members)]


def _block(network: Network, nodes: Sequence[int], evidence: Evidence) -> Block:
    discrete = {p for node in nodes for p in network.parent_places[node] if network.cards[p]}
    scope = tuple(sorted(discrete - evidence.codes.keys()))
    cards, m = [network.cards[place] for place in scope], len(nodes)
    require_size([*cards, m, m], "the joint density of continuous nodes, one for each state of their discrete parents,")
    place = {node: i for i, node in enumerate(nodes)}
    mean, cov = np.zeros((*cards, m)), np.zeros((*cards, m, m))
    for i, node in enumerate(nodes):
        intercept, weights, variance = _line(network, node, scope, evidence)
        parents = network.parent_places[node][-weights.shape[-1] :] if weights.shape[-1] else ()
        mean[..., i] = intercept
        for j, parent in enumerate(parents):
            w = weights[..., j]
            if parent in evidence.values:
                mean[..., i] += w * evidence.values[parent]
            else:
                mean[..., i] += w * mean[..., place[parent]]
                cov[..., i, :i] += w[..., None] * cov[..., place[parent], :i]
        cov[..., :i, i] = cov[..., i, :i]
        inside = [(j, place[parent]) for j, parent in enumerate(parents) if parent not in evidence.values]
        cov[..., i, i] = variance + sum((weights[..., j] * cov[..., i, k] for j, k in inside), np.zeros(()))
    return Block(scope, tuple(nodes), mean, cov)


def _line(network: Network, node: int, scope: tuple[int, ...], evidence: Evidence) -> tuple[Floats, Floats, Floats]:
    """Intercept, weights and variance of a family, aligned with the axes of `scope`."""
    family = cast("GaussianFamily", network.families[node])
    axes = network.parent_places[node][: len(family.parents)]
    columns = [family.intercept, *np.moveaxis(family.weights, -1, 0), family.variance]
    intercept, *weights, variance = (Factor.of(axes, c).given(evidence.codes).spread(scope) for c in columns)
    shape = intercept.shape
    return intercept, np.stack(weights, axis=-1) if weights else np.empty((*shape, 0)), variance


def evidence_factors(network: Network, evidence: Evidence) -> list[Factor]:
    """The log density of continuous evidence as factors over the discrete parents of its blocks."""
    if not evidence.values:
        return []
    names = network.nodes
    return [Factor(b.scope, b.split(evidence, names)[0]) for b in blocks(network, (), evidence)]


def continuous_query(
    network: Network, asked: Sequence[int], evidence: Evidence, posterior: Callable[[tuple[int, ...]], Floats]
) -> NormalMixture:
    """p(asked | evidence), with `posterior` giving the probabilities of discrete nodes given the evidence."""
    used = [block for block in blocks(network, asked, evidence) if not set(asked).isdisjoint(block.nodes)]
    scope = tuple(sorted({node for block in used for node in block.scope}))
    cards, d = [network.cards[node] for node in scope], len(asked)
    require_size([*cards, d, d], "the mixture of normal densities")
    mean, cov = np.zeros((*cards, d)), np.zeros((*cards, d, d))
    for block in used:
        _, nodes, block_mean, block_cov = block.split(evidence, network.nodes)
        wanted = [(i, nodes.index(node)) for i, node in enumerate(asked) if node in nodes]
        shape = spread_shape(block.scope, [network.cards[node] for node in block.scope], scope)
        for i, k in wanted:
            mean[..., i] = block_mean[..., k].reshape(shape)
            for j, other in wanted:
                cov[..., i, j] = block_cov[..., k, other].reshape(shape)
    weights = posterior(scope).ravel()
    likely = weights > 0.0
    names = tuple(network.nodes[node] for node in asked)
    return NormalMixture(names, weights[likely], mean.reshape(-1, d)[likely], cov.reshape(-1, d, d)[likely])
