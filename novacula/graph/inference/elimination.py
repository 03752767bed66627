"""Variable elimination: multiply the factors that hold a variable, sum it out, go on with the result.

    P(Q, e) = Σ_z Π φ        one variable z at a time, in min-fill order

Nodes that lead neither to the query nor to evidence are left out first (barren), and the factors are taken at the
evidence. What is done does not depend on the values of the evidence, so it is an
`EliminationPlan`, which a network keeps.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from novacula.errors import ParameterError
from novacula.graph.inference.factor import DiscreteFactor, log_sum, normalised, require_size, spread_shape
from novacula.graph.inference.gaussian_inference import evidence_factors
from novacula.graph.inference.triangulation import interactions, members, min_fill
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.graph.inference.evidence import NodeEvidence
    from novacula.graph.network import Network

TIE = 1e-12
"""Difference of logarithms within which two assignments are equally probable: what rounding leaves of a tie."""
KEPT_PLANS = 1024
"""Plans that a network keeps."""

Aligned: TypeAlias = tuple[tuple[int, tuple[int, ...]], ...]
"""Factors by their number, each with the shape that aligns it with the others."""


@dataclass(frozen=True, slots=True)
class EliminationStep:
    """One step: these factors are multiplied over `scope`, and `node`, which is at `axis`, goes."""

    node: int
    scope: tuple[int, ...]
    axis: int
    inputs: Aligned

    @property
    def left(self) -> tuple[int, ...]:
        """The scope of the result."""
        return (*self.scope[: self.axis], *self.scope[self.axis + 1 :])


@dataclass(frozen=True, slots=True)
class EliminationPlan:
    """Steps over numbered factors: first those of `places`, then any that are given, then the results of steps."""

    places: tuple[int, ...]  # of the discrete nodes whose families take part
    steps: tuple[EliminationStep, ...]
    scope: tuple[int, ...]  # of what is left in the end
    rest: Aligned


def plan(
    network: Network,
    kept: frozenset[int],
    evidence: NodeEvidence,
    extra: Sequence[DiscreteFactor],
    last: frozenset[int],
) -> EliminationPlan:
    """The plan that leaves the nodes `kept`; those in `last` go after all others, as for a maximum."""
    known_states = frozenset(evidence.codes)
    key = (kept, last, known_states, frozenset(evidence.values), tuple(factor.scope for factor in extra))
    ready = network.plans.get(key)
    if ready is None:
        asked = {*kept, *last, *known_states, *evidence.values, *(node for factor in extra for node in factor.scope)}
        relevant = network.ancestral(asked)
        places = tuple(place for place in network.factors if place in relevant)
        scopes = [tuple(n for n in network.factors[place].scope if n not in known_states) for place in places]
        ready = _plan(network.cards, places, [*scopes, *(f.scope for f in extra)], kept, last)
        if len(network.plans) >= KEPT_PLANS:
            network.plans.clear()
        network.plans[key] = ready
    return ready


def _plan(
    cards: Sequence[int],
    places: tuple[int, ...],
    scopes: list[tuple[int, ...]],
    kept: frozenset[int],
    last: frozenset[int],
) -> EliminationPlan:
    neighbours = interactions(scopes)
    holders: dict[int, set[int]] = {node: set() for node in neighbours}  # the live factors that hold each node
    for number, scope in enumerate(scopes):
        for node in scope:
            holders[node].add(number)
    live, steps = set(range(len(scopes))), []
    for group in (neighbours.keys() - kept - last, last):
        for node, around in min_fill(neighbours, group, cards):
            scope = tuple(members(around | 1 << node))
            require_size((cards[n] for n in scope), "to eliminate all other nodes")
            used = sorted(holders[node])
            step = EliminationStep(node, scope, scope.index(node), _aligned(used, scopes, scope, cards))
            for number in used:
                live.remove(number)
                for other in scopes[number]:
                    holders[other].discard(number)
            for other in step.left:
                holders[other].add(len(scopes))
            live.add(len(scopes))
            scopes.append(step.left)
            steps.append(step)
    final = tuple(sorted(kept))
    require_size((cards[n] for n in final), "the joint distribution of the nodes of the query")
    return EliminationPlan(places, tuple(steps), final, _aligned(sorted(live), scopes, final, cards))


def _aligned(
    numbers: Sequence[int], scopes: Sequence[tuple[int, ...]], scope: tuple[int, ...], cards: Sequence[int]
) -> Aligned:
    return tuple((k, spread_shape(scopes[k], [cards[n] for n in scopes[k]], scope)) for k in numbers)


def eliminate(network: Network, kept: Sequence[int], evidence: NodeEvidence) -> DiscreteFactor:
    """log P(kept, evidence) for discrete nodes; where continuous evidence is given, it is a density."""
    extra = evidence_factors(network, evidence)
    todo = plan(network, frozenset(kept), evidence, extra, frozenset())
    if not extra:
        try:
            return _eliminated(network, todo, evidence)
        except FloatingPointError:  # a product is too small for a double
            pass
    tables = starting_tables(network, todo, evidence, extra)
    for step in todo.steps:
        tables.append(log_sum(multiplied(tables, step.inputs), step.axis))
    return DiscreteFactor(todo.scope, multiplied(tables, todo.rest))


def _eliminated(network: Network, todo: EliminationPlan, evidence: NodeEvidence) -> DiscreteFactor:
    """The same without logarithms, several times as fast; a product that loses digits raises."""
    codes = evidence.codes
    with np.errstate(under="raise", divide="ignore"):
        tables = [network.factors[place].at(codes).table for place in todo.places]
        for step in todo.steps:
            tables.append(np.add.reduce(multiplied(tables, step.inputs, np.multiply), axis=step.axis))
        return DiscreteFactor(todo.scope, np.log(multiplied(tables, todo.rest, np.multiply)))


def posterior(network: Network, nodes: Sequence[int], evidence: NodeEvidence) -> Floats:
    """P(nodes | evidence) of discrete nodes, one axis per node, in their order."""
    table, log_total = normalised(in_order(eliminate(network, nodes, evidence), nodes))
    require_possible(log_total)
    return table


def require_discrete(network: Network, nodes: Sequence[int]) -> None:
    """Refuse continuous nodes where states are wanted."""
    for node in nodes:
        if not network.cards[node]:
            raise ParameterError(
                f"node {network.nodes[node]!r} is continuous and has no states: ask for its density with query"
            )


def require_possible(log_probability: float) -> None:
    """Refuse evidence that cannot be."""
    if log_probability == -math.inf:
        raise ParameterError(
            "the evidence has probability zero: some of it contradicts the rest, or what the network allows"
        )


def starting_tables(
    network: Network, todo: EliminationPlan, evidence: NodeEvidence, extra: Sequence[DiscreteFactor]
) -> list[Floats]:
    """The logarithms of the families at the evidence, and of the factors that come with them."""
    return [network.log_factors[place].at(evidence.codes).table for place in todo.places] + [f.table for f in extra]


def multiplied(tables: Sequence[Floats], inputs: Aligned, times: Any = np.add) -> Floats:
    """The product of aligned tables; of logarithms, unless it is said how to multiply."""
    if not inputs:
        return np.full((), times.identity, np.float64)
    first, shape = inputs[0]
    total = tables[first].reshape(shape)
    for number, shape in inputs[1:]:
        total = times(total, tables[number].reshape(shape))
    return total


def most_probable(network: Network, nodes: Sequence[int], evidence: NodeEvidence) -> tuple[dict[int, int], float]:
    """The codes of the nodes at which P(nodes, evidence) is largest, and its logarithm there."""
    extra = evidence_factors(network, evidence)
    todo = plan(network, frozenset(), evidence, extra, frozenset(nodes))
    tables = starting_tables(network, todo, evidence, extra)
    choices: list[tuple[EliminationStep, Any]] = []
    wanted = set(nodes)
    for step in todo.steps:
        total = multiplied(tables, step.inputs)
        if step.node not in wanted:
            tables.append(log_sum(total, step.axis))
            continue
        best = total.max(axis=step.axis, keepdims=True)
        choices.append((step, (total >= best - TIE).argmax(axis=step.axis)))
        tables.append(best.squeeze(step.axis))
    codes: dict[int, int] = {}
    for step, choice in reversed(choices):  # what is eliminated last is chosen first
        codes[step.node] = int(choice[tuple(codes[node] for node in step.left)])
    return codes, float(multiplied(tables, todo.rest))


def in_order(factor: DiscreteFactor, nodes: Sequence[int]) -> Floats:
    """The table with its axes in the order of the nodes."""
    return factor.table.transpose([factor.scope.index(node) for node in nodes])
