"""The nodes of a network as columns of a table: which are discrete, with what states, and where a chunk holds them.

A node is a categorical column, a numeric column, the target, or hidden: never seen, but with states.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from novacula.errors import DataError, ParameterError, SchemaError
from novacula.graph.families import Family
from novacula.graph.structure.dag import Dag, Edges
from novacula.table.chunk import MISSING, Chunk, Codes, Floats
from novacula.table.names import did_you_mean
from novacula.table.schema import Category, Column, Schema

NOWHERE = -1
"""The place of a node that the chunk does not hold: every cell of it is empty."""
BESIDE = -2
"""The place of a node that is the chunk's target."""


@dataclass(frozen=True)
class Variables:
    """The discrete nodes with their states, hidden ones last, and the continuous ones."""

    states: Mapping[str, tuple[Category, ...]]
    continuous: tuple[str, ...]
    hidden: tuple[str, ...] = ()

    @classmethod
    def of(cls, columns: Iterable[Column], hidden: Mapping[str, Any] | None) -> Self:
        """The nodes of these columns, and those that are hidden: by their number of states, or by a list of them."""
        held = {column.name: column for column in columns}
        states = {name: column.categories for name, column in held.items() if column.kind == "categorical"}
        for name, known in states.items():
            if not known:
                raise DataError(f"column {name!r} has no category: every cell of it is empty, so drop it or hide it")
        for name, given in (hidden or {}).items():
            if name in held:
                raise ParameterError(
                    f"the hidden node {name!r} is a column of the table: rename it, or drop the column"
                )
            states[name] = _hidden_states(name, given)
        return cls(states, tuple(name for name, c in held.items() if c.kind == "numeric"), tuple(hidden or ()))

    @classmethod
    def of_families(cls, families: Iterable[Family], hidden: Iterable[str]) -> Self:
        """The nodes of a network that was learned before."""
        family_list = list(families)
        states = {family.node: family.states for family in family_list if family.states}
        last = tuple(name for name in states if name in set(hidden))
        ordered = {name: states[name] for name in (*(n for n in states if n not in last), *last)}
        return cls(ordered, tuple(family.node for family in family_list if family.node not in states), last)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """All nodes: columns first, then hidden ones."""
        seen = [name for name in self.states if name not in self.hidden]
        return (*seen, *self.continuous, *self.hidden)

    @cached_property
    def place(self) -> dict[str, int]:
        """The place of each node among those of its kind."""
        return {name: i for kind in (self.states, self.continuous) for i, name in enumerate(kind)}

    @cached_property
    def cards(self) -> tuple[int, ...]:
        """How many states each discrete node has."""
        return tuple(map(len, self.states.values()))

    def graph(self, edges: Edges | None) -> Dag:
        """The graph of these edges; every node of it must be one of ours, and its parents of a kind that it takes."""
        dag = Dag.of([] if edges is None else edges, self.names)
        for node in dag.nodes:
            if node not in self.place:
                raise SchemaError(
                    f"the edges name {node!r}, which is neither a column nor hidden"
                    f"{did_you_mean(node, self.names, 'nodes')}"
                )
        for parent, child in dag.edges:
            if child in self.states and parent not in self.states:
                raise ParameterError(
                    f"the parent {parent!r} of {child!r} is continuous, and a discrete node cannot depend on a "
                    "continuous one in a conditional linear Gaussian network: turn the edge round, or cut the parent "
                    "into intervals"
                )
        for name in self.hidden:
            if not dag.markov_blanket(name):
                raise ParameterError(
                    f"the hidden node {name!r} has no edge, so no row says anything about it: give it children"
                )
        return dag


def _hidden_states(name: str, given: Any) -> tuple[Category, ...]:
    states = tuple(range(given)) if isinstance(given, int) else tuple(given) if isinstance(given, (list, tuple)) else ()
    if len(states) < 2 or len(set(states)) < len(states):
        raise ParameterError(
            f"the hidden node {name!r} has {given!r} for its states: give a number of at least 2, or a list of labels"
        )
    return states


@dataclass(frozen=True)
class Cells:
    """Where a chunk holds each node: a column of its kind, BESIDE the columns, or NOWHERE."""

    discrete: tuple[int, ...]
    continuous: tuple[int, ...]

    @classmethod
    def of(cls, variables: Variables, layout: Schema, without: str | None = None) -> Self:
        """The places of all nodes in chunks of this layout; `without` is a node whose cells count as empty."""
        coded = {column.name: i for i, column in enumerate(layout.of_kind("categorical"))}
        numeric = {column.name: i for i, column in enumerate(layout.of_kind("numeric"))}
        held = {**coded, **numeric, **dict.fromkeys(layout.target, BESIDE)}
        if without is not None:
            held[without] = NOWHERE
        discrete, continuous = (
            tuple(held.get(name, NOWHERE) for name in names) for names in (variables.states, variables.continuous)
        )
        return cls(discrete, continuous)

    def codes(self, chunk: Chunk) -> Codes:
        """The states of the discrete nodes (n, D), negative where unknown; a view where the chunk holds just them."""
        if self.discrete == tuple(range(chunk.codes.shape[1])):
            return chunk.codes
        return _gathered(
            chunk.codes, chunk.target, self.discrete, np.full((len(chunk), len(self.discrete)), MISSING, np.int32)
        )

    def numbers(self, chunk: Chunk) -> Floats:
        """The values of the continuous nodes (n, C), NaN where unknown; a view where the chunk holds just them."""
        if self.continuous == tuple(range(chunk.numeric.shape[1])):
            return chunk.numeric
        empty = np.full((len(chunk), len(self.continuous)), np.nan)
        return np.asarray(_gathered(chunk.numeric, chunk.target, self.continuous, empty))


def _gathered(columns: Any, target: Any, places: tuple[int, ...], out: Any) -> Any:
    for i, place in enumerate(places):
        if place != NOWHERE:
            out[:, i] = target if place == BESIDE else columns[:, place]
    return out
