"""Families side by side: which columns each has, and where its table is among all tables.

Kernels take this as flat arrays: start, column, stride and offset.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from novacula.errors import DataError
from novacula.graph.variables import Variables
from novacula.statistics.contingency import side_by_side
from novacula.table.chunk import Codes, Floats

if TYPE_CHECKING:
    from novacula.graph.learning.family_counts import FamilyCounts

Places: TypeAlias = npt.NDArray[np.int64]
FamilyName: TypeAlias = tuple[str, tuple[str, ...]]
"""A node, and its parents in their order."""

MOST_ENTRIES = 2**25
"""Numbers that all tables of families may hold together."""
JOINT = 512
"""Numbers that a table of several families may hold."""


@dataclass(frozen=True)
class FamilyLayout:
    """Families side by side: the columns of each, and the shape of its table.

    A discrete family has its parents' places and then its own; a continuous one the places of its discrete parents,
    and those of its regressors and then its own.
    """

    tables: tuple[tuple[int, ...], ...]
    shapes: tuple[tuple[int, ...], ...]
    groups: tuple[tuple[int, ...], ...]
    group_shapes: tuple[tuple[int, ...], ...]
    lines: tuple[tuple[int, ...], ...]
    discrete: tuple[bool, ...]  # whether each family is, in their order

    @classmethod
    def of(cls, families: Iterable[FamilyName], variables: Variables) -> Self:
        """The layout of these families, in their order within each kind."""
        tables, groups, lines, discrete = [], [], [], []
        place, cards = variables.place, variables.cards
        for node, parents in families:
            above = tuple(place[parent] for parent in parents if parent in variables.states)
            shape = tuple(cards[p] for p in above)
            discrete.append(node in variables.states)
            if discrete[-1]:
                tables.append(((*above, place[node]), (*shape, cards[place[node]])))
                _check_size(node, parents, tables[-1][1])
            else:
                groups.append((above, shape))
                lines.append((*(place[parent] for parent in parents if parent not in variables.states), place[node]))
                _check_size(node, parents, (*shape, len(lines[-1]) ** 2))
        _check_total(sum(math.prod(shape) for _, shape in tables))
        return cls(
            tuple(members for members, _ in tables), tuple(shape for _, shape in tables),
            tuple(members for members, _ in groups), tuple(shape for _, shape in groups), tuple(lines), tuple(discrete),
        )  # fmt: skip

    @cached_property
    def offsets(self) -> Places:
        """Where the table of each discrete family starts, and where the last one ends."""
        return side_by_side([math.prod(shape) for shape in self.shapes])

    @cached_property
    def flat(self) -> tuple[Places, Places, Places, Places]:
        """Start, column, stride and offset of the discrete families, as kernels take them."""
        return flat_scopes(self.tables, self.shapes)

    @cached_property
    def joint(self) -> JointTables:
        """Tables of several discrete families each."""
        return JointTables.of(self)

    def split(self, counts: Floats) -> list[Floats]:
        """The table of each discrete family, as views."""
        pieces = zip(self.offsets[:-1], self.offsets[1:], self.shapes, strict=True)
        return [counts[start:stop].reshape(shape) for start, stop, shape in pieces]

    def each(self, family_counts: FamilyCounts) -> Iterator[Any]:
        """The counts of each discrete family and the moments of each continuous one, in the order of families."""
        tables, moments = iter(self.split(family_counts.counts)), iter(family_counts.moments)
        return (next(tables) if discrete else next(moments) for discrete in self.discrete)


@dataclass(frozen=True)
class JointTables:
    """Tables that hold several families each, so that a row is added once for all of these.

    The k-th link says that entry source[k] of the joint tables is a part of entry into[k] of the families' tables.
    """

    flat: tuple[Places, Places, Places, Places]
    size: int
    source: Places
    into: Places

    @classmethod
    def of(cls, layout: FamilyLayout) -> Self:
        """The joint tables of a layout's discrete families."""
        groups = _neighbours(layout)
        shapes = [tuple(cards.values()) for cards, _ in groups]
        offsets = side_by_side([math.prod(shape) for shape in shapes])
        source, into = [], []
        for (cards, families), shape, start, stop in zip(groups, shapes, offsets[:-1], offsets[1:], strict=True):
            states = np.indices(shape).reshape(len(shape), -1)  # (columns, entries)
            steps = [dict(zip(layout.tables[f], _strides(layout.shapes[f]), strict=True)) for f in families]
            strides = np.array([[step.get(column, 0) for column in cards] for step in steps])
            source.append(np.tile(np.arange(start, stop), len(families)))
            into.append((layout.offsets[families, None] + strides @ states).ravel())
        flat = flat_scopes([tuple(cards) for cards, _ in groups], shapes)
        return cls(flat, int(offsets[-1]), np.concatenate(source), np.concatenate(into))


def _neighbours(layout: FamilyLayout) -> list[tuple[dict[int, int], list[int]]]:
    """Successive families whose table together has at most JOINT entries: the card of each column, and the families."""
    groups: list[tuple[dict[int, int], list[int]]] = []
    for f, (columns, shape) in enumerate(zip(layout.tables, layout.shapes, strict=True)):
        cards = dict(zip(columns, shape, strict=True))
        if groups and math.prod((groups[-1][0] | cards).values()) <= JOINT:
            groups[-1][0].update(cards)
            groups[-1][1].append(f)
        else:
            groups.append((cards, [f]))
    return groups


def flat_scopes(
    scopes: Sequence[Sequence[int]], shapes: Sequence[Sequence[int]], first: int = 0
) -> tuple[Places, Places, Places, Places]:
    """Tables over variables as flat arrays: start, variable, stride (in C order) and offset, from `first` on."""
    strides = [stride for shape in shapes for stride in _strides(shape)]
    columns = [column for scope in scopes for column in scope]
    offsets = side_by_side([math.prod(shape) for shape in shapes])[:-1] + first
    return side_by_side([len(scope) for scope in scopes]), _places(columns), _places(strides), offsets


def _strides(shape: Sequence[int]) -> list[int]:
    return [math.prod(shape[k + 1 :]) for k in range(len(shape))]


def _places(values: Sequence[int]) -> Places:
    return np.array(values, np.int64)


def _check_size(node: str, parents: tuple[str, ...], shape: tuple[int, ...]) -> None:
    if math.prod(shape) > MOST_ENTRIES:
        raise DataError(
            f"the table of {node!r} given {', '.join(map(repr, parents))} would have {math.prod(shape):,} entries, "
            f"more than {MOST_ENTRIES:,}: take parents away, or merge states that are rare"
        )


def _check_total(size: int) -> None:
    if size > MOST_ENTRIES:
        raise DataError(
            f"the families' tables would have {size:,} entries together, more than {MOST_ENTRIES:,}: take edges away, "
            "or merge states that are rare"
        )


def configuration(states: Codes, shape: Sequence[int]) -> Places:
    """The number of each row's configuration of states (n, k), the last one turning fastest."""
    place = np.zeros(len(states), np.int64)
    for k, card in enumerate(shape):
        place = place * card + states[:, k]
    return place
