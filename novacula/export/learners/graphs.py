"""Bayesian network classifiers: messages from the leaves of a tree of columns up to the class.

    m_i(k, u) = log Σ_x P(x | k, u) Π over children of i of m_c(k, x)            a column of categories
    m_i(k, u) = −½ A u² + B u + C                                               a number below a number u

A value that is known leaves one term of the sum; of one that is missing all remain, so that the file needs no sum over
cases. Numbers are measured from about their mean, so that the squares keep their digits.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from novacula.errors import ExportError
from novacula.export.inputs import Inputs
from novacula.export.learners.bayes import IMPOSSIBLE, logarithms
from novacula.export.learners.trees import ALMOST
from novacula.export.said import Said
from novacula.export.vectors import (
    Choose,
    Combine,
    Largest,
    Map,
    Pick,
    Reduce,
    Vector,
    WeightedSums,
    constant,
    join,
    softmax,
)
from novacula.table.chunk import Floats


def network_classes(model: Any, inputs: Inputs) -> Said:
    """The most probable class given the known cells of the row."""
    target, families = model.target_names_[0], model.families_
    tree = _NetworkTree(families, target, inputs, _parents(families, target), len(model.classes_))
    scores: Vector = constant(*logarithms(families[target].table).tolist())
    for node, parent in tree.parent.items():
        if parent is None:
            scores = scores + tree.to_class(node)
    shares = softmax(scores)
    return Said(Largest(shares, ALMOST), shares)


def _parents(families: Any, target: str) -> dict[str, str | None]:
    """The one parent besides the class of each column."""
    parents: dict[str, str | None] = {}
    for node, family in families.items():
        others = [parent for parent in family.all_parents if parent != target]
        if (node == target and family.all_parents) or len(others) > 1:
            raise ExportError(
                "A Bayesian network classifier can be exported if the class has no parents and each column at most one "
                f"besides the class; {node!r} has {len(family.all_parents)}"
            )
        if node != target:
            parents[node] = others[0] if others else None
    return parents


@dataclass(frozen=True, eq=False)
class _NetworkTree:
    """Families below a class of k states, with the one other parent of each column."""

    families: Any
    target: str
    inputs: Inputs
    parent: dict[str, str | None]
    k: int

    def children(self, node: str) -> list[str]:
        """The columns below a column."""
        return [child for child, parent in self.parent.items() if parent == node]

    def is_number(self, node: str) -> bool:
        """Whether a column holds numbers."""
        return not self.families[node].states

    def place(self, node: str) -> int:
        """Where a column is among those of its kind."""
        kind = "numeric" if self.is_number(node) else "categorical"
        return [column.name for column in self.inputs.schema.of_kind(kind)].index(node)  # type: ignore[arg-type]

    def to_class(self, node: str) -> Vector:
        """The message (K,) of a column without another parent."""
        return _Number(self, node).level() if self.is_number(node) else self.of_categories(node)

    def of_categories(self, node: str) -> Vector:
        """The message (K · states of the parent) of a column of categories, class by class."""
        table = self.table(node)
        k, u, states = table.shape
        children = self.children(node)
        if not children:
            known = logarithms(table.reshape(k * u, states).T)
            return self.inputs.one_of(self.place(node), np.vstack([known, np.zeros((1, k * u))]))
        below = self.below(node, states)
        here = np.vstack([np.where(np.eye(states) > 0.0, 0.0, IMPOSSIBLE), np.zeros((1, states))])
        evidence = self.inputs.one_of(self.place(node), here)
        return join(*(self._summed(evidence, below, table[c], c) for c in range(k)))

    def below(self, node: str, states: int) -> Vector:
        """The messages (K · states) of all children of a column of categories, added."""
        parts = [
            _Number(self, child).level() if self.is_number(child) else self.of_categories(child)
            for child in self.children(node)
        ]
        return _sum(parts)

    def _summed(self, evidence: Vector, below: Vector, table: Floats, c: int) -> Vector:
        """log Σ_x P(x | u) e^(evidence + below) for class c and each u: table (u, states)."""
        states = table.shape[1]
        logs = evidence + Pick(below, tuple(range(c * states, (c + 1) * states)))
        highest = Reduce("max", logs)
        powers = Map("exp", logs - highest)
        sums = WeightedSums(powers, np.ascontiguousarray(table.T), np.zeros(len(table)))
        above = Combine(">", sums, constant(0.0))
        log = Choose(above, Map("log", Choose(above, sums, constant(1.0))), constant(IMPOSSIBLE))
        return highest + log

    def table(self, node: str) -> Floats:
        """P(x | class, parent) as (K, states of the parent or 1, states)."""
        family = self.families[node]
        return self.by_class(family.table, family.parents)

    def by_class(self, array: Floats, parents: tuple[str, ...]) -> Floats:
        """An array whose first axes are discrete parents as (K, states of the other parent or 1, …)."""
        if self.target not in parents:
            array = np.broadcast_to(array, (self.k, *array.shape))
        else:
            array = np.moveaxis(array, parents.index(self.target), 0)
        others = [parent for parent in parents if parent != self.target]
        return np.ascontiguousarray(array if others else array[:, None])

    def centre(self, node: str) -> float:
        """About what a number is."""
        family, parent = self.families[node], self.parent[node]
        mean = float(family.intercept.mean())
        if parent is not None and self.is_number(parent):
            mean += float(family.weights.mean()) * self.centre(parent)
        return mean


class _Number:
    """A column of numbers: mean b₀ + b₁·parent and variance v for each class and state of a discrete parent."""

    def __init__(self, tree: _NetworkTree, node: str) -> None:
        family, parent, centre = tree.families[node], tree.parent[node], tree.centre(node)
        lines = parent is not None and tree.is_number(parent)
        slope = family.weights[..., 0] if lines else np.zeros_like(family.intercept)
        level = family.intercept - centre + (slope * tree.centre(parent) if lines and parent is not None else 0.0)
        variance, slope, level = (tree.by_class(array, family.parents) for array in (family.variance, slope, level))
        if not (variance > 0.0).all():
            raise ExportError(f"column {node!r} does not vary within a class, so the network has no density to export")
        self.shape = variance.shape
        self.v, self.b0, self.b1 = (constant(*array.ravel().tolist()) for array in (variance, level, slope))
        self.height = constant(*(-0.5 * np.log(2.0 * math.pi * variance)).ravel().tolist())
        self.x = Pick(tree.inputs.numeric, (tree.place(node),)) - centre
        self.children = [_Number(tree, child) for child in tree.children(node)]

    def level(self) -> Vector:
        """The message where no number is above."""
        return self._if_known(self._density(self.b0), self._curve_if_missing()[2])

    def at(self, parent: Vector) -> Vector:
        """The message where the number above is known: from the gap itself, which keeps its digits."""
        a, b, c = self._curve_if_missing()
        return self._if_known(self._density(self.b0 + self.b1 * parent), _curve_at(a, b, c, parent))

    def curve(self) -> tuple[Vector, Vector, Vector]:
        """A, B and C of the message, where the number above is missing."""
        gap = self.x - self.b0
        known = (self.b1 * self.b1 / self.v, self.b1 * gap / self.v, self._density(self.b0))
        a, b, c = map(self._if_known, known, self._curve_if_missing())
        return a, b, c

    def _density(self, mean: Vector) -> Vector:
        """The logarithm of the density of a known value, and what its children say at it."""
        gap = self.x - mean
        density: Vector = self.height - gap * gap / (self.v * 2.0)
        for child in self.children:
            density = density + self._by_state(child.at(self.x))
        return density

    def _curve_if_missing(self) -> tuple[Vector, Vector, Vector]:
        """A, B and C of what the children say, over all values that a missing one may have."""
        if not self.children:
            return constant(0.0), constant(0.0), constant(0.0)
        curves = zip(*(child.curve() for child in self.children), strict=True)
        a, b, c = (_sum(map(self._by_state, parts)) for parts in curves)
        whole = self.v * a + 1.0
        tilted = self.v * b * b + self.b0 * b * 2.0 - a * self.b0 * self.b0
        return (
            a * self.b1 * self.b1 / whole,
            self.b1 * (b - a * self.b0) / whole,
            c - Map("log", whole) * 0.5 + tilted / (whole * 2.0),
        )

    def _by_state(self, message: Vector) -> Vector:
        """A number for each class as one for each class and state of a discrete parent."""
        k, u = self.shape
        return Pick(message, tuple(c for c in range(k) for _ in range(u)))

    def _if_known(self, known: Vector, missing: Vector) -> Vector:
        return Choose(Map("missing", self.x), missing, known)


def _curve_at(a: Vector, b: Vector, c: Vector, x: Vector) -> Vector:
    """−½Ax² + Bx + C."""
    return b * x - a * x * x * 0.5 + c


def _sum(parts: Iterable[Vector]) -> Vector:
    return reduce(operator.add, parts)


GRAPHS = {"bayesian-network-classifier": network_classes}
