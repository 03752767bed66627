"""Vectors that decide: trees, rules, distances and nearest points."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from novacula.export.vectors import Vector
from novacula.table.chunk import Floats


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A node of a tree: a leaf that has values, or a test of an entry with branches to other nodes.

    A test with a threshold has two branches, x ≤ threshold and the rest; a test by code has for each branch the codes
    that take it. Without a value a row goes down branch `default`, or down each with its share where there are shares.
    """

    values: tuple[float, ...] = ()
    entry: int = -1
    threshold: float | None = None
    codes: tuple[tuple[int, ...], ...] = ()
    branches: tuple[int, ...] = ()
    default: int = 0
    shares: tuple[float, ...] = ()

    @property
    def is_leaf(self) -> bool:
        """Whether it asks nothing."""
        return not self.branches


@dataclass(frozen=True, eq=False, repr=False)
class OneTree:
    """A tree, each of whose nodes stands before its branches, and the first of the numbers that it adds to."""

    nodes: tuple[TreeNode, ...]
    output: int = 0

    @cached_property
    def n_values(self) -> int:
        """How many numbers a leaf has."""
        return len(next(node.values for node in self.nodes if node.is_leaf))

    @cached_property
    def divides(self) -> bool:
        """Whether a row without a value goes down several branches."""
        return any(node.shares for node in self.nodes)

    @cached_property
    def depth(self) -> int:
        """The number of tests on the longest path."""
        depths = [0] * len(self.nodes)
        for place, node in enumerate(self.nodes):
            for branch in node.branches:
                depths[branch] = depths[place] + 1
        return max(depths)


@dataclass(frozen=True, eq=False, repr=False)
class Trees(Vector):
    """A constant to which each tree in turn adds the values of the row's leaf, or of its leaves mixed by shares."""

    source: Vector
    trees: tuple[OneTree, ...]
    constant: tuple[float, ...]

    @property
    def width(self) -> int:
        """That of the constant."""
        return len(self.constant)


@dataclass(frozen=True, slots=True)
class Demand:
    """What an entry must be: low < x ≤ high, or one of some codes. A missing value is never."""

    entry: int
    low: float = -np.inf
    high: float = np.inf
    codes: tuple[int, ...] | None = None


@dataclass(frozen=True, eq=False, repr=False)
class FirstRule(Vector):
    """The number of the first rule whose demands are all met; the number of rules if there is none."""

    source: Vector
    rules: tuple[tuple[Demand, ...], ...]

    @property
    def width(self) -> int:
        """1."""
        return 1


@dataclass(frozen=True, eq=False, repr=False)
class Distances(Vector):
    """Σ |x − y|ᵖ to each of some points (m, d), for p = ∞ the largest gap.

    From entry `codes_from` on, entries are codes: their gap is 0 if they are the same and else 1. Then a missing value
    is at a gap of 1 from everything.
    """

    source: Vector
    points: Floats
    power: float = 2.0
    codes_from: int | None = None

    @property
    def width(self) -> int:
        """One number for each point."""
        return len(self.points)


@dataclass(frozen=True, eq=False, repr=False)
class Nearest(Vector):
    """What the k points at the least distances say, of which point i takes weight[i] places, the last a part of it.

    Distances are given as sums of powers, by which points are compared; their roots are taken afterwards. A
    point's voice is its places, or by distance its places / distance; beside points at distance 0 others have none.
    Gives Σ voice · values (t,), Σ voice, and Σ places · distance · values (t,).
    """

    source: Vector
    weight: Floats
    values: Floats
    k: float
    by_distance: bool
    power: float = 2.0

    @property
    def width(self) -> int:
        """Two numbers for each value, and one."""
        return 2 * self.values.shape[1] + 1
