"""Junction trees: cliques of the triangulated graph in a tree, where two passes of messages answer every query.

    message i → j = Σ over clique i without separator of  ψ_i Π messages to i, but for that from j

Once calibrated, a clique's table times its messages is P(clique, evidence). The cliques that hold a node are
connected, or, what is the same, the tree is a maximum spanning tree by the size of separators.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.graph.inference.distribution import Distribution
from novacula.graph.inference.elimination import in_order, posterior, require_discrete, require_possible
from novacula.graph.inference.factor import DiscreteFactor, normalised, product, require_size
from novacula.graph.inference.gaussian_inference import evidence_factors
from novacula.graph.inference.triangulation import clique_tree

if TYPE_CHECKING:
    from novacula.graph.inference.evidence import NodeEvidence
    from novacula.graph.network import Network


class JunctionTree:
    """The cliques of a network's discrete nodes, built once for many queries; `calibrate` takes the evidence.

    `cliques` are ordered so that each comes after the one that it hangs on, `parent` (−1 for a root).
    """

    def __init__(self, network: Network, also: Iterable[Sequence[int]] = ()) -> None:
        """`also`: scopes, besides those of families, that a clique must hold."""
        self.network = network
        self.also = frozenset(map(tuple, also))
        scopes = [factor.scope for factor in network.factors.values()]
        cliques, parent = clique_tree([*scopes, *self.also], network.cards)
        for clique in cliques:
            require_size((network.cards[node] for node in clique), "the junction tree")
        self.cliques, self.parent = tuple(cliques), tuple(parent)
        self._holding: dict[int, set[int]] = {node: set() for clique in cliques for node in clique}
        for k, clique in enumerate(cliques):
            for node in clique:
                self._holding[node].add(k)

    def holding(self, scope: Sequence[int]) -> set[int]:
        """The cliques that hold all these nodes."""
        each = [self._holding[node] for node in scope]
        return set.intersection(*each) if each else set(range(len(self.cliques)))

    @cached_property
    def assigned(self) -> tuple[tuple[DiscreteFactor, ...], ...]:
        """The factors of the families that each clique takes."""
        factors: list[list[DiscreteFactor]] = [[] for _ in self.cliques]
        for factor in self.network.log_factors.values():
            factors[min(self.holding(factor.scope))].append(factor)
        return tuple(map(tuple, factors))

    def calibrate(self, evidence: Mapping[str, Any] | None = None) -> CalibratedTree:
        """Take the evidence and pass all messages."""
        return self.calibrated(self.network.read_evidence(evidence))

    def calibrated(self, evidence: NodeEvidence) -> CalibratedTree:
        """The same, of evidence that was read."""
        extra = evidence_factors(self.network, evidence)
        loose = [factor.scope for factor in extra if factor.scope and not self.holding(factor.scope)]
        if loose:  # continuous nodes tie discrete ones that no clique holds together
            return JunctionTree(self.network, [*self.also, *loose]).calibrated(evidence)
        return CalibratedTree(self, evidence, *self._pass(evidence, extra))

    def _pass(
        self, evidence: NodeEvidence, extra: Sequence[DiscreteFactor]
    ) -> tuple[tuple[DiscreteFactor, ...], float]:
        codes, cards = evidence.codes, self.network.cards
        scopes = [tuple(node for node in clique if node not in codes) for clique in self.cliques]
        added: list[list[DiscreteFactor]] = [[f.at(codes) for f in factors] for factors in self.assigned]
        constant = sum(float(factor.table) for factor in extra if not factor.scope)
        for factor in extra:
            if factor.scope:
                added[min(self.holding(factor.scope))].append(factor)
        beliefs = [DiscreteFactor(s, product(f, s, cards)) for s, f in zip(scopes, added, strict=True)]
        sent: dict[int, DiscreteFactor] = {}
        for k in reversed(range(len(beliefs))):  # towards the roots
            above = self.parent[k]
            if above >= 0:
                sent[k] = beliefs[k].marginal(scopes[above])
                beliefs[above] = _times(beliefs[above], sent[k])
            else:
                constant += float(beliefs[k].marginal(()).table)
        for k, above in enumerate(self.parent):  # and back
            if above >= 0:
                message = beliefs[above].marginal(scopes[k])
                beliefs[k] = _times(beliefs[k], DiscreteFactor(message.scope, _without(message.table, sent[k].table)))
        return tuple(beliefs), constant


@dataclass(frozen=True, eq=False)
class CalibratedTree:
    """A junction tree with evidence in it, which answers for any nodes."""

    tree: JunctionTree
    evidence: NodeEvidence
    beliefs: tuple[DiscreteFactor, ...]  # log P(clique, evidence), up to a constant per tree
    log_probability: float  # of the evidence

    def marginal(self, variables: str | Sequence[str]) -> Distribution:
        """P(variables | evidence); by elimination where no clique holds all of them."""
        network = self.tree.network
        nodes = network.query_places(variables, self.evidence)
        require_discrete(network, nodes)
        return network.distribution(nodes, self.table(nodes))

    def marginals(self) -> dict[str, Distribution]:
        """P(node | evidence) of every discrete node that is not given."""
        network = self.tree.network
        free = [node for node in network.factors if node not in self.evidence.codes]
        return {network.nodes[node]: network.distribution((node,), self.table((node,))) for node in free}

    def table(self, nodes: Sequence[int]) -> Any:
        """The probabilities of discrete nodes given the evidence, one axis per node, in their order."""
        require_possible(self.log_probability)
        holding = self.tree.holding(nodes)
        if not holding:
            return posterior(self.tree.network, nodes, self.evidence)
        return normalised(in_order(self.beliefs[min(holding)].marginal(nodes), nodes))[0]


def _times(belief: DiscreteFactor, message: DiscreteFactor) -> DiscreteFactor:
    return DiscreteFactor(belief.scope, belief.table + message.spread(belief.scope))


def _without(message: Any, sent: Any) -> Any:
    """The message back, without what was sent: where that was zero, the belief that it goes to is zero in any case."""
    return np.where(sent == -np.inf, -np.inf, message - np.where(sent == -np.inf, 0.0, sent))
