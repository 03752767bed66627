"""Which node to eliminate next: the one whose neighbours need the fewest new edges between them (min-fill).

Neighbours are bits of an integer, so that counting missing edges is a few machine words per node. Ties go to
the one with the smallest table, then to the first.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from heapq import heapify, heappop, heappush


def interactions(scopes: Iterable[Sequence[int]]) -> dict[int, int]:
    """The neighbours of each node as bits: nodes are neighbours if they meet in a scope."""
    neighbours: dict[int, int] = {}
    for scope in scopes:
        bits = sum(1 << node for node in scope)
        for node in scope:
            neighbours[node] = neighbours.get(node, 0) | bits & ~(1 << node)
    return neighbours


def min_fill(neighbours: dict[int, int], nodes: Iterable[int], cards: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Eliminate nodes one by one: each with its neighbours of that moment, as bits, which become joined.

    `neighbours` is changed on the way: what is left is the graph of the nodes that were not to be eliminated.
    """
    graph = _Elimination(neighbours, cards)
    waiting = set(nodes)
    heap = [(graph.cost(node), node) for node in waiting]
    heapify(heap)
    while heap:
        cost, node = heappop(heap)
        if node not in waiting or cost != graph.cost(node):
            continue  # it was eliminated, or its cost has changed since and is in the heap again
        waiting.remove(node)
        clique = neighbours[node]
        yield node, clique
        for other in graph.join(clique) | set(members(clique)):
            graph.leave(other, node)
            if other in waiting:
                heappush(heap, (graph.cost(other), other))
        del neighbours[node]


class _Elimination:
    """A graph that changes, with the number of edges missing between the neighbours of each node kept up to date.

    To count them again would cost the square of the neighbours of a hub whenever one of these goes.
    """

    def __init__(self, neighbours: dict[int, int], cards: Sequence[int]) -> None:
        self.neighbours, self.cards = neighbours, cards
        self.missing = {
            node: sum((around & ~neighbours[other]).bit_count() - 1 for other in members(around)) // 2
            for node, around in neighbours.items()
        }
        self.size = {
            node: math.prod((cards[other] for other in members(around)), start=cards[node])
            for node, around in neighbours.items()
        }

    def cost(self, node: int) -> tuple[int, int]:
        """Edges that are missing between the neighbours, and the size of the table over them and the node."""
        return self.missing[node], self.size[node]

    def join(self, clique: int) -> set[int]:
        """Put edges between all nodes of a clique; the nodes whose cost has changed by that."""
        changed: set[int] = set()
        for a in members(clique):
            for b in members(clique & ~self.neighbours[a] & ~((2 << a) - 1)):
                both = list(members(self.neighbours[a] & self.neighbours[b]))
                for witness in both:
                    self.missing[witness] -= 1
                for one, other in ((a, b), (b, a)):
                    self.missing[one] += (self.neighbours[one] & ~self.neighbours[other]).bit_count()
                    self.size[one] *= self.cards[other]
                self.neighbours[a] |= 1 << b
                self.neighbours[b] |= 1 << a
                changed.update(both)
        return changed

    def leave(self, node: int, gone: int) -> None:
        """Take one neighbour away from a node, if it is one."""
        if self.neighbours[node] >> gone & 1:
            self.missing[node] -= (self.neighbours[node] & ~self.neighbours[gone]).bit_count() - 1
            self.size[node] //= self.cards[gone]
            self.neighbours[node] ^= 1 << gone


def clique_tree(scopes: Iterable[Sequence[int]], cards: Sequence[int]) -> tuple[list[tuple[int, ...]], list[int]]:
    """The largest cliques that min-fill elimination makes, and the one that each hangs on, −1 for a root.

    A node and the neighbours that it is eliminated with make a clique. It hangs on that of the neighbour that is
    eliminated next, which holds all the others. If that clique holds nothing else, it grows by the node instead.
    """
    neighbours = interactions(scopes)
    eliminated = list(min_fill(neighbours, list(neighbours), cards))
    turn = {node: i for i, (node, _) in enumerate(eliminated)}
    cliques: list[int] = []
    parent: list[int] = []
    home: dict[int, int] = {}
    for node, around in reversed(eliminated):
        above = home[min(members(around), key=turn.__getitem__)] if around else -1
        if around and cliques[above] == around:
            cliques[above] |= 1 << node
            home[node] = above
        else:
            home[node] = len(cliques)
            cliques.append(around | 1 << node)
            parent.append(above)
    return [tuple(members(clique)) for clique in cliques], parent


def members(bits: int) -> Iterator[int]:
    """The nodes whose bits are set, ascending."""
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low
