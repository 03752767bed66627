"""The structure of a network as flat arrays: families, and a tree of cliques that holds each of them.

The moral graph is triangulated in min-fill order. A variable, with the neighbours that it has when it is eliminated,
is a clique, and the clique of the neighbour that goes first is its parent. A clique inside its child is merged with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from novacula.errors import DataError
from novacula.graph.family_counts import FamilyLayout, Places, flat_scopes
from novacula.graph.triangulation import interactions, members, min_fill
from novacula.statistics.contingency import side_by_side

MOST_ENTRIES = 2**24
"""Entries of cliques and messages that may be held for one row."""


@dataclass(frozen=True, eq=False)
class CliqueTree:
    """Families and cliques as the kernel `expect` takes them.

    The first `n_tables` families have tables that all rows share; the others are evidence, `width` numbers a row.
    """

    flat: tuple[Places, ...]
    n_tables: int
    width: int
    home: tuple[int, ...]  # a clique that holds the variable
    inside: npt.NDArray[np.float64]  # (D, cliques), the logarithm of a variable's states if the clique holds it
    uses: npt.NDArray[np.float64]  # (cliques,), numbers kept for each entry of a clique

    @classmethod
    def of(cls, layout: FamilyLayout, cards: Sequence[int], evidence: Sequence[tuple[int, ...]]) -> Self:
        """The tree for these families, and for evidence on these sets of variables."""
        scopes = (*layout.tables, *evidence)
        shapes = (*layout.shapes, *(tuple(cards[v] for v in scope) for scope in evidence))
        tables = flat_scopes(layout.tables, layout.shapes)
        rows = flat_scopes(evidence, shapes[len(layout.tables) :])
        start = np.concatenate([tables[0], tables[0][-1] + rows[0][1:]])
        families = (start, *(np.concatenate([a, b]) for a, b in zip(tables[1:], rows[1:], strict=True)))
        cliques, parent = _cliques(scopes, cards)
        holder = _holders(scopes, cliques)
        held = [[f for f, c in enumerate(holder) if c == k] for k in range(len(cliques))]
        shared = [v in cliques[p] if p >= 0 else False for c, p in zip(cliques, parent, strict=True) for v in c]
        flat = (
            np.array(cards, np.int64), *families,
            side_by_side(list(map(len, cliques))), _flat(cliques), _flat([shared]), _flat([parent]),
            side_by_side(list(map(len, held))), _flat(held),
        )  # fmt: skip
        inside = np.array([[np.log(cards[v]) * (v in c) for c in cliques] for v in range(len(cards))])
        uses = np.array([2.0 + len(h) + parent.count(k) for k, h in enumerate(held)])
        home = tuple(next(k for k, c in enumerate(cliques) if v in c) for v in range(len(cards)))
        width = sum(int(np.prod(shape)) for shape in shapes[len(layout.tables) :])
        return cls(flat, len(layout.tables), width, home, inside.reshape(len(cards), len(cliques)), uses)

    def room(self, free: npt.NDArray[np.bool_]) -> int:
        """Numbers that the largest of these rows needs, where free (n, D) says which cells are empty."""
        # A row's cliques need the products of their free variables' states: sums of logarithms, by BLAS.
        most = float((np.exp(free.astype(np.float64) @ self.inside) @ self.uses).max(initial=1.0))
        if most > MOST_ENTRIES:
            raise DataError(
                f"a row with {int(free.sum(axis=1).max())} empty cells needs cliques of {most:,.0f} entries, more than "
                f"{MOST_ENTRIES:,}: take edges away, merge states, or leave out columns that are mostly empty"
            )
        return int(most) + 1


def _cliques(scopes: Sequence[tuple[int, ...]], cards: Sequence[int]) -> tuple[list[tuple[int, ...]], list[int]]:
    """Cliques with children first, and the parent of each, −1 for roots."""
    neighbours = interactions(scopes)
    eliminated = list(min_fill(neighbours, range(len(cards)), cards))
    step = {node: i for i, (node, _) in enumerate(eliminated)}
    around = [bits for _, bits in eliminated]
    clique = [bits | 1 << node for node, bits in eliminated]
    parent = [min((step[v] for v in members(bits)), default=-1) for bits in around]
    merged = list(range(len(clique)))  # where each clique went
    for i, p in enumerate(parent):
        if p >= 0 and around[i] == clique[p]:
            clique[p], merged[i] = clique[i], p
    kept = [i for i in range(len(clique)) if merged[i] == i]
    number = {i: k for k, i in enumerate(kept)}

    def place(i: int) -> int:
        while merged[i] != i:
            i = merged[i]
        return number[i]

    # A clique that took another one in has that one's children, whose parent it now is.
    return [tuple(members(clique[i])) for i in kept], [place(parent[i]) if parent[i] >= 0 else -1 for i in kept]


def _holders(scopes: Sequence[tuple[int, ...]], cliques: Sequence[tuple[int, ...]]) -> list[int]:
    """For each family the smallest clique that holds all its variables, the first of equals."""
    sets = [set(clique) for clique in cliques]
    order = sorted(range(len(cliques)), key=lambda k: len(sets[k]))
    return [next(k for k in order if sets[k].issuperset(scope)) for scope in scopes]


def _flat(lists: Sequence[Sequence[int]]) -> Places:
    return np.array([value for values in lists for value in values], np.int64)
