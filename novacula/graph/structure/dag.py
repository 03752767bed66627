"""Directed acyclic graphs: which node depends on which, and what follows for independence.

A node is independent of its non-descendants given its parents. All other independences that the graph implies
are d-separations: a path is blocked by a given node that it passes through, and by a collider → v ← of which
neither v nor a descendant is given.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import heapify, heappop, heappush
from typing import Any, Self, TypeAlias

from novacula.errors import InputTypeError, ParameterError
from novacula.words import listed

Names: TypeAlias = str | Iterable[str]
Edges: TypeAlias = Iterable[Sequence[str]] | Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Dag:
    """The parents of each node, in an order in which parents come first; ties keep the order that was given.

    >>> dag = Dag.of([("Cloudy", "Sprinkler"), ("Cloudy", "Rain"), ("Sprinkler", "Wet"), ("Rain", "Wet")])
    >>> dag.parents["Wet"]
    ('Sprinkler', 'Rain')
    >>> dag.d_separated("Sprinkler", "Rain", given="Cloudy")
    True
    >>> dag.d_separated("Sprinkler", "Rain", given=["Cloudy", "Wet"])
    False
    """

    parents: Mapping[str, tuple[str, ...]]

    def __post_init__(self) -> None:
        checked = {_name(node): _parents(node, parents) for node, parents in self.parents.items()}
        for parent in [parent for parents in checked.values() for parent in parents]:
            checked.setdefault(parent, ())
        object.__setattr__(self, "parents", {node: checked[node] for node in _sorted(checked)})

    @classmethod
    def of(cls, edges: Edges | Self, nodes: Iterable[str] = ()) -> Self:
        """A graph from pairs (parent, child) or from a mapping of nodes to their parents.

        `nodes` names those without edges, and says in which order nodes are given.
        """
        parents: dict[str, list[str]] = {_name(node): [] for node in nodes}
        if isinstance(edges, Dag):
            edges = edges.parents
        if isinstance(edges, Mapping):
            named: dict[str, Any] = {**dict.fromkeys(parents, ()), **edges}  # parents that are not a tuple become one
            return cls(named)
        for parent, child in map(_pair, edges):
            parents.setdefault(parent, [])
            parents.setdefault(child, []).append(parent)
        return cls({node: tuple(given) for node, given in parents.items()})

    @property
    def nodes(self) -> tuple[str, ...]:
        """All nodes, parents first."""
        return tuple(self.parents)

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """All pairs (parent, child), by child."""
        return tuple((parent, child) for child, parents in self.parents.items() for parent in parents)

    def children(self, node: str) -> tuple[str, ...]:
        """The nodes that have this one for a parent."""
        self._require([node])
        return tuple(self._children[node])

    def ancestors(self, nodes: Names) -> tuple[str, ...]:
        """The nodes from which a path leads to one of these: parents, their parents, and so on."""
        return self._reached(nodes, self.parents)

    def descendants(self, nodes: Names) -> tuple[str, ...]:
        """The nodes to which a path leads from one of these: children, their children, and so on."""
        return self._reached(nodes, self._children)

    def markov_blanket(self, node: str) -> tuple[str, ...]:
        """Parents, children, and the children's other parents: given these, nothing else matters to the node."""
        children = self.children(node)
        blanket = {*self.parents[node], *children, *(parent for child in children for parent in self.parents[child])}
        return self._in_order(blanket - {node})

    def d_separated(self, a: Names, b: Names, given: Names = ()) -> bool:
        """Whether the graph makes a and b independent given the rest, for any probabilities."""
        first, second, known = self._require(a), self._require(b), self._require(given)
        for one, other in ((first, second), (first, known), (second, known)):
            for node in self._in_order(one & other):
                raise ParameterError(f"node {node!r} is named twice: a, b and given must have no node in common")
        return not second & self._active(first, known)

    def moral(self) -> dict[str, set[str]]:
        """Neighbours of each node once parents of one child are joined and directions dropped."""
        neighbours: dict[str, set[str]] = {node: set() for node in self.parents}
        for child, parents in self.parents.items():
            family = {child, *parents}
            for node in family:
                neighbours[node] |= family - {node}
        return neighbours

    def with_edge(self, parent: str, child: str) -> Self:
        """The graph with one edge more; its parent comes last among the child's."""
        self._require([parent, child])
        return type(self)({**self.parents, child: (*self.parents[child], parent)})

    def without_edge(self, parent: str, child: str) -> Self:
        """The graph with one edge less."""
        self._require([parent, child])
        if parent not in self.parents[child]:
            raise ParameterError(f"there is no edge {parent} → {child} to take away")
        return type(self)({**self.parents, child: tuple(p for p in self.parents[child] if p != parent)})

    @cached_property
    def _children(self) -> dict[str, list[str]]:
        children: dict[str, list[str]] = {node: [] for node in self.parents}
        for parent, child in self.edges:
            children[parent].append(child)
        return children

    def _require(self, nodes: Names) -> set[str]:
        """The nodes as a set, if all are known."""
        names = {nodes} if isinstance(nodes, str) else set(nodes)
        for node in names:
            if node not in self.parents:
                raise ParameterError(f"there is no node {node!r}: the nodes are {listed(self.parents)}")
        return names

    def _in_order(self, nodes: Iterable[str]) -> tuple[str, ...]:
        found = set(nodes)
        return tuple(node for node in self.parents if node in found)

    def _reached(self, nodes: Names, steps: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
        reached: set[str] = set()
        waiting = list(self._require(nodes))
        while waiting:
            new = set(steps[waiting.pop()]) - reached
            reached |= new
            waiting += new
        return self._in_order(reached)

    def _active(self, sources: set[str], given: set[str]) -> set[str]:
        """The nodes that a path reaches unblocked: a ball rolls along edges, and bounces as the rules say."""
        opens = given | set(self.ancestors(given))  # colliders that let the ball pass
        visited: set[tuple[str, bool]] = set()
        waiting = [(node, True) for node in sources]
        while waiting:
            node, from_child = visit = waiting.pop()
            if visit in visited:
                continue
            visited.add(visit)
            if node not in given:
                waiting += [(child, False) for child in self._children[node]]
            if (from_child and node not in given) or (not from_child and node in opens):
                waiting += [(parent, True) for parent in self.parents[node]]
        return {node for node, _ in visited} - given


def _name(node: Any) -> str:
    if not isinstance(node, str):
        raise InputTypeError(f"a node is named by a string, not by {node!r}")
    return node


def _pair(edge: Any) -> tuple[str, str]:
    if isinstance(edge, str) or not isinstance(edge, Sequence) or len(edge) != 2:
        raise InputTypeError(f"an edge is a pair (parent, child), not {edge!r}")
    return _name(edge[0]), _name(edge[1])


def _parents(node: str, parents: Any) -> tuple[str, ...]:
    if isinstance(parents, str) or not isinstance(parents, Iterable):
        raise InputTypeError(f"the parents of {node!r} are a list of names, not {parents!r}")
    names = tuple(map(_name, parents))
    seen: set[str] = set()
    for parent in names:
        if parent == node:
            raise ParameterError(f"node {node!r} is its own parent: take the edge {node} → {node} away")
        if parent in seen:
            raise ParameterError(f"the edge {parent} → {node} is given twice: give it once")
        seen.add(parent)
    return names


def _sorted(parents: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    """Nodes with parents first; of those that are ready, the one that was given first."""
    place = {node: i for i, node in enumerate(parents)}
    names, waits = list(parents), {node: len(given) for node, given in parents.items()}
    children: dict[str, list[str]] = {node: [] for node in parents}
    for child, given in parents.items():
        for parent in given:
            children[parent].append(child)
    ready = [place[node] for node, count in waits.items() if count == 0]
    heapify(ready)
    while ready:
        node = names[heappop(ready)]
        del waits[node]
        yield node
        for child in children[node]:
            waits[child] -= 1
            if waits[child] == 0:
                heappush(ready, place[child])
    if waits:
        raise ParameterError(f"the edges form a cycle, {_cycle(parents, waits)}: take one of them away")


def _cycle(parents: Mapping[str, tuple[str, ...]], left: Iterable[str]) -> str:
    """A cycle among the nodes that are left, each of which has a parent that is left."""
    inside = set(left)
    path = [next(node for node in parents if node in inside)]
    place = {path[0]: 0}
    while True:
        parent = next(p for p in parents[path[-1]] if p in inside)
        if parent in place:
            return " → ".join([parent, *reversed(path[place[parent] :])])
        place[parent] = len(path)
        path.append(parent)
