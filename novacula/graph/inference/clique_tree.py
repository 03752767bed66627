"""The structure of a network as flat arrays: families, and a tree of cliques that holds each of them.

The cliques are those of `triangulation.clique_tree`, the moral graph eliminated in min-fill order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from novacula.errors import DataError
from novacula.graph.inference.triangulation import clique_tree
from novacula.graph.learning.family_layout import FamilyLayout, Places, flat_scopes
from novacula.statistics.contingency import side_by_side

MOST_ENTRIES = 2**24
"""Entries of cliques and messages that may be held for one row."""


@dataclass(frozen=True, eq=False)
class CliqueTree:
    """Families and cliques as the kernel `expect` takes them.

    The first `n_tables` families have tables that all rows share; the others are evidence, `width` numbers per row.
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
        cliques, parent = _children_first(scopes, cards)
        holder = _holders(scopes, cliques)
        families_of: list[list[int]] = [[] for _ in cliques]
        for family, clique in enumerate(holder):
            families_of[clique].append(family)
        shared = [v in cliques[p] if p >= 0 else False for c, p in zip(cliques, parent, strict=True) for v in c]
        flat = (
            np.array(cards, np.int64), *families,
            side_by_side(list(map(len, cliques))), _flat(cliques), _flat([shared]), _flat([parent]),
            side_by_side(list(map(len, families_of))), _flat(families_of),
        )  # fmt: skip
        inside = np.zeros((len(cards), len(cliques)))
        for k, clique_variables in enumerate(cliques):
            inside[list(clique_variables), k] = np.log([cards[v] for v in clique_variables])
        children = np.bincount([p for p in parent if p >= 0], minlength=len(cliques))
        uses = 2.0 + np.array([len(held) for held in families_of]) + children
        first_home = {v: k for k in reversed(range(len(cliques))) for v in cliques[k]}
        home = tuple(first_home[v] for v in range(len(cards)))
        width = sum(int(np.prod(shape)) for shape in shapes[len(layout.tables) :])
        return cls(flat, len(layout.tables), width, home, inside, uses)

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


def _children_first(scopes: Sequence[tuple[int, ...]], cards: Sequence[int]) -> tuple[list[tuple[int, ...]], list[int]]:
    """Cliques with children before their parents, and the parent of each, −1 for roots."""
    cliques, parent = clique_tree(scopes, cards)
    last = len(cliques) - 1
    return cliques[::-1], [last - above if above >= 0 else -1 for above in reversed(parent)]


def _holders(scopes: Sequence[tuple[int, ...]], cliques: Sequence[tuple[int, ...]]) -> list[int]:
    """For each family the smallest clique that holds all its variables; ties go to the first."""
    sets = [set(clique) for clique in cliques]
    order = sorted(range(len(cliques)), key=lambda k: len(sets[k]))
    return [next(k for k in order if sets[k].issuperset(scope)) for scope in scopes]


def _flat(lists: Sequence[Sequence[int]]) -> Places:
    return np.array([value for values in lists for value in values], np.int64)
