"""Variable elimination step by step, as a work shows it: which factors are multiplied, and what is left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.graph.inference.distribution import Distribution
from novacula.graph.inference.elimination import (
    EliminationPlan,
    in_order,
    multiplied,
    plan,
    require_discrete,
    require_possible,
    starting_tables,
)
from novacula.graph.inference.factor import DiscreteFactor, log_sum, normalised
from novacula.graph.inference.gaussian_inference import evidence_factors
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.graph.inference.evidence import NodeEvidence
    from novacula.graph.network import Network

SHOWN = 64
"""Entries up to which the numbers of a factor are given."""


@dataclass(frozen=True, eq=False)
class TracedFactor:
    """A factor by name, with its nodes and, if they are few, its numbers."""

    name: str  # P(Wet=yes | Rain) of a family, τ3(Rain) of a step, λ1(Class) of continuous evidence
    variables: tuple[str, ...]
    states: tuple[tuple[Any, ...], ...]
    table: Floats | None  # one axis per variable; None if it has more than 64 entries


@dataclass(frozen=True, eq=False)
class TracedStep:
    """One variable goes: the factors that hold it are multiplied, and it is summed out."""

    variable: str
    factors: tuple[TracedFactor, ...]
    result: TracedFactor


@dataclass(frozen=True, eq=False)
class EliminationTrace:
    """A query answered: factors at the evidence, steps in order, what is left, and what it comes to."""

    factors: tuple[TracedFactor, ...]
    order: tuple[str, ...]
    steps: tuple[TracedStep, ...]
    remaining: tuple[TracedFactor, ...]  # their product is P(variables, evidence)
    distribution: Distribution
    log_probability: float  # of the evidence


def elimination_trace(
    network: Network, variables: str | Sequence[str], evidence: Mapping[str, Any] | None = None
) -> EliminationTrace:
    """How P(variables | evidence) of discrete nodes comes about.

    >>> from novacula.graph.families import CategoricalFamily
    >>> from novacula.graph.network import Network
    >>> network = Network((
    ...     CategoricalFamily("Rain", ("yes", "no"), (), [0.2, 0.8]),
    ...     CategoricalFamily("Wet", ("yes", "no"), ("Rain",), [[0.9, 0.1], [0.2, 0.8]]),
    ...     CategoricalFamily("Slippery", ("yes", "no"), ("Wet",), [[0.7, 0.3], [0.0, 1.0]]),
    ... ))
    >>> trace = elimination_trace(network, "Rain", {"Slippery": "yes"})
    >>> [(step.variable, step.result.name, step.result.table.round(3).tolist()) for step in trace.steps]
    [('Wet', 'τ1(Rain)', [0.63, 0.14])]
    """
    node_evidence = network.read_evidence(evidence)
    asked = network.query_places(variables, node_evidence)
    require_discrete(network, asked)
    extra = evidence_factors(network, node_evidence)
    todo = plan(network, frozenset(asked), node_evidence, extra, frozenset())
    tables = starting_tables(network, todo, node_evidence, extra)
    traced = _starting(network, todo, node_evidence, extra, tables)
    start, steps = tuple(traced), list[TracedStep]()
    for number, step in enumerate(todo.steps, start=1):
        tables.append(log_sum(multiplied(tables, step.inputs), step.axis))
        traced.append(_traced(network, _applied(network, f"τ{number}", step.left), step.left, tables[-1]))
        used = tuple(traced[k] for k, _ in step.inputs)
        steps.append(TracedStep(network.nodes[step.node], used, traced[-1]))
    remaining = tuple(traced[k] for k, _ in todo.rest)
    final = DiscreteFactor(todo.scope, multiplied(tables, todo.rest))
    table, log_probability = normalised(in_order(final, asked))
    require_possible(log_probability)
    order = tuple(step.variable for step in steps)
    return EliminationTrace(start, order, tuple(steps), remaining, network.distribution(asked, table), log_probability)


def _starting(
    network: Network,
    todo: EliminationPlan,
    evidence: NodeEvidence,
    extra: Sequence[DiscreteFactor],
    tables: Sequence[Floats],
) -> list[TracedFactor]:
    traced = []
    for place, table in zip(todo.places, tables, strict=False):
        scope = tuple(node for node in network.factors[place].scope if node not in evidence.codes)
        traced.append(_traced(network, _conditional(network, place, evidence), scope, table))
    for number, factor in enumerate(extra, start=1):
        traced.append(_traced(network, _applied(network, f"λ{number}", factor.scope), factor.scope, factor.table))
    return traced


def _traced(network: Network, name: str, scope: Sequence[int], log: Floats) -> TracedFactor:
    names = tuple(network.nodes[node] for node in scope)
    states = tuple(network.states[node] for node in names)
    return TracedFactor(name, names, states, np.exp(log) if log.size <= SHOWN else None)


def _applied(network: Network, name: str, scope: Sequence[int]) -> str:
    return f"{name}({', '.join(network.nodes[node] for node in scope)})"


def _conditional(network: Network, place: int, evidence: NodeEvidence) -> str:
    """P(node | parents), with the states that are known."""
    node, *parents = (
        f"{network.nodes[i]}={network.states[network.nodes[i]][evidence.codes[i]]}"
        if i in evidence.codes
        else network.nodes[i]
        for i in (place, *network.parent_places[place])
    )
    return f"P({node} | {', '.join(parents)})" if parents else f"P({node})"
