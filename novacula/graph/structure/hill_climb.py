"""Which edges to draw: hill climbing through graphs by adding, deleting and reversing one edge at a time.

The score is a sum over families, so a move changes one term or two, and each family is counted once. Of moves that
are equally good the first is made, by the order of nodes. It may end in a local maximum; `tabu` walks on from there
for a while, without coming back to graphs that it has just left, and the best graph on the way is kept.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal, TypeAlias

from novacula.errors import ParameterError
from novacula.graph.structure.dag import Dag
from novacula.graph.structure.scores import FamilyScores
from novacula.graph.variables import Variables
from novacula.state import State, number, text, word
from novacula.words import listed

Kind: TypeAlias = Literal["add", "delete", "reverse"]
Parents: TypeAlias = Mapping[str, frozenset[str]]

TIE = 1e-9
"""Gains that differ by less, as a share of the score, are equal: rounding alone must not choose an edge."""


@dataclass(frozen=True)
class Move:
    """A step of the search: what was done to parent → child, what it gained, and the score that it led to."""

    state: ClassVar[State] = {
        "kind": word("add", "delete", "reverse"),
        "parent": text(),
        "child": text(),
        "gain": number(),
        "score": number(),
    }

    kind: Kind
    parent: str
    child: str
    gain: float
    score: float


@dataclass(frozen=True)
class Limits:
    """Which graphs are allowed: required edges are in all of them, forbidden ones in none."""

    max_parents: int
    required: frozenset[tuple[str, str]]
    forbidden: frozenset[tuple[str, str]]

    @classmethod
    def of(
        cls,
        variables: Variables,
        max_parents: int,
        whitelist: Iterable[Sequence[str]],
        blacklist: Iterable[Sequence[str]],
    ) -> Limits:
        """Check the lists against the nodes; edges from continuous to discrete nodes are always forbidden."""
        if max_parents < 0:
            raise ParameterError(f"max_parents is {max_parents!r}; it must not be negative")
        required, forbidden = Dag.of(whitelist), frozenset((str(a), str(b)) for a, b in blacklist)
        for name in {*required.nodes, *(name for edge in forbidden for name in edge)}:
            if name not in variables.place:
                raise ParameterError(
                    f"there is no node {name!r} for an edge to touch: {listed(variables.names)} are there"
                )
        if both := forbidden & frozenset(required.edges):
            parent, child = min(both)
            raise ParameterError(f"the edge {parent} → {child} is on the whitelist and on the blacklist: choose one")
        variables.graph(required.edges)
        wrong = frozenset((z, d) for z in variables.continuous for d in variables.states)
        return cls(max_parents, frozenset(required.edges), forbidden | wrong)


@dataclass
class HillClimb:
    """A search for the graph with the highest score."""

    scores: FamilyScores
    limits: Limits
    tabu: int = 0
    max_moves: int = 10_000
    moves: list[Move] = field(default_factory=list)

    def run(self) -> tuple[Dag, tuple[Move, ...]]:
        """Climb until no move gains anything; the best graph, and the moves that led to it."""
        names = self.scores.variables.names
        parents: Parents = {n: frozenset(p for p, c in self.limits.required if c == n) for n in names}
        score = self.scores.total(parents)
        best, best_score, best_length = parents, score, 0
        recent: deque[Parents] = deque([parents], maxlen=max(self.tabu, 1))
        while len(self.moves) < self.max_moves and len(self.moves) - best_length <= self.tabu:
            move = self._best_move(parents, score, recent)
            if move is None or (not self.tabu and move.gain <= TIE * max(abs(score), 1.0)):
                break
            parents, score = _moved(parents, move), move.score
            recent.append(parents)
            self.moves.append(move)
            if score > best_score + TIE * max(abs(best_score), 1.0):
                best, best_score, best_length = parents, score, len(self.moves)
        order = self.scores.order
        edges = {name: sorted(best[name], key=order.__getitem__) for name in names}
        return Dag.of(edges), tuple(self.moves[:best_length])

    def _best_move(self, parents: Parents, score: float, recent: Iterable[Parents]) -> Move | None:
        candidates = list(self._candidates(parents))
        self.scores.need(
            (node, above) for kind, a, b in candidates for node, above in _changed(parents, kind, a, b).items()
        )
        best: Move | None = None
        for kind, parent, child in candidates:
            changed = _changed(parents, kind, parent, child)
            gain = sum(self.scores(node, above) - self.scores(node, parents[node]) for node, above in changed.items())
            if best is None or gain > best.gain + TIE * max(abs(score), 1.0):
                if self.tabu and {**parents, **changed} in recent:
                    continue
                best = Move(kind, parent, child, gain, score + gain)
        return best

    def _candidates(self, parents: Parents) -> Iterator[tuple[Kind, str, str]]:
        """The moves that keep the graph free of cycles and within the limits."""
        names, limits = self.scores.variables.names, self.limits
        below = _descendants(parents)
        for child in names:
            room = len(parents[child]) < limits.max_parents
            for parent in names:
                edge = parent, child
                if parent == child:
                    continue
                if parent not in parents[child]:
                    if room and edge not in limits.forbidden and parent not in below[child]:
                        yield "add", parent, child
                elif edge not in limits.required:
                    yield "delete", parent, child
                    detour = any(
                        child in below[other] for other in names if parent in parents[other] and other != child
                    )
                    full = len(parents[parent]) >= limits.max_parents
                    if not detour and not full and (child, parent) not in limits.forbidden:
                        yield "reverse", parent, child


def _changed(parents: Parents, kind: Kind, parent: str, child: str) -> dict[str, frozenset[str]]:
    """The families that a move changes, as they are after it."""
    if kind == "add":
        return {child: parents[child] | {parent}}
    without = {child: parents[child] - {parent}}
    return without if kind == "delete" else {**without, parent: parents[parent] | {child}}


def _moved(parents: Parents, move: Move) -> dict[str, frozenset[str]]:
    return {**parents, **_changed(parents, move.kind, move.parent, move.child)}


def _descendants(parents: Parents) -> dict[str, set[str]]:
    """The nodes to which a path leads from each node, itself among them."""
    dag = Dag.of({name: tuple(above) for name, above in parents.items()})
    below = {name: {name} for name in parents}
    for name in reversed(dag.nodes):
        for parent in dag.parents[name]:
            below[parent] |= below[name]
    return below
