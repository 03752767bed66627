"""A tree with the words it speaks and the way it predicts: all that an export needs to know.

A row without a value at a test goes down every branch with its share of the examples, or whole down one of them. A
category that the tree never saw counts as no value. The prediction is the mixture of the leaves that are reached: of
classes the most probable one, where ties go to the first; of numbers the mean.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from novacula.errors import InputTypeError, ParameterError
from novacula.table.chunk import Floats
from novacula.table.names import printable
from novacula.tree.attributes import Attribute
from novacula.tree.constants import NOISE
from novacula.tree.export.condition import Condition, amount, branch_conditions, rounded
from novacula.tree.structure import LEAF, ClassTree, Integers, NumberTree, Tree
from novacula.words import listed


@dataclass(frozen=True, eq=False)
class NamedTree(ABC):
    """A tree and its attributes, in the order in which it numbers them.

    `fractional` says that a missing value goes down every branch.
    """

    tree: Tree
    attributes: tuple[Attribute, ...]
    fractional: bool = field(default=True, kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "attributes", tuple(self.attributes))

    @cached_property
    def weight(self) -> Floats:
        """The weight of the training examples at each node."""
        return self.tree.weight

    def is_leaf(self, node: int) -> bool:
        """Whether a node is a leaf."""
        return bool(self.tree.feature[node] == LEAF)

    def branches(self, node: int) -> list[tuple[int, Condition]]:
        """The children of a node, each with the condition of its branch; of a leaf none."""
        if self.is_leaf(node):
            return []
        conditions = branch_conditions(self.tree, self.attributes[self.tree.feature[node]], node)
        return list(zip(self.tree.children(node), conditions, strict=True))

    def verdict(self, node: int) -> str:
        """The answer of a node in words, and in brackets what its training examples say of it."""
        return f"{self.answer(node)} ({self.support(node)})"

    @abstractmethod
    def answer(self, node: int) -> str:
        """The answer of a node in words."""

    @abstractmethod
    def support(self, node: int) -> str:
        """The weight of a node's training examples, and how far they differ from its answer."""


@dataclass(frozen=True, eq=False)
class NamedClassTree(NamedTree):
    """A tree with the labels of its classes; `m` is that of the leaves' m-estimates."""

    tree: ClassTree
    classes: tuple[Any, ...]
    m: float = 0.0

    def __post_init__(self) -> None:
        NamedTree.__post_init__(self)
        object.__setattr__(self, "classes", tuple(plain(label, "a class") for label in self.classes))
        if len(self.classes) != self.tree.n_classes:
            raise ParameterError(f"{len(self.classes)} classes are named for a tree of {self.tree.n_classes}")

    @cached_property
    def plurality(self) -> Integers:
        """The class that each node predicts."""
        return self.tree.plurality()

    @cached_property
    def probabilities(self) -> Floats:
        """The probability of each class at each node."""
        return self.tree.distributions(self.m)

    def answer(self, node: int) -> str:
        """The class of a node."""
        return printable(str(self.classes[self.plurality[node]]))

    def support(self, node: int) -> str:
        """The weight of a node's training examples, and after a stroke of those of other classes: `5/1`."""
        weight, right = self.weight[node], self.tree.counts[node, self.plurality[node]]
        wrong = f"/{amount(weight - right)}" if weight - right > NOISE * weight else ""
        return f"{amount(weight)}{wrong}"

    def place_of(self, class_: Any) -> int:
        """The number of a class."""
        if class_ not in self.classes:
            raise ParameterError(f"{class_!r} is not a class of the tree; its classes are {listed(self.classes, 8)}")
        return self.classes.index(class_)


@dataclass(frozen=True, eq=False)
class NamedNumberTree(NamedTree):
    """A tree that answers with numbers; `absolute` says that its deviations are absolute, not squared."""

    tree: NumberTree
    absolute: bool = False

    @cached_property
    def spread(self) -> Floats:
        """How far the examples of each node are from its value: the standard, or the mean absolute, deviation.

        What is no more than rounding is 0.
        """
        mean = self.tree.impurities()
        spread = mean if self.absolute else np.sqrt(mean)
        return np.where(spread > NOISE * np.maximum(np.abs(self.tree.value), spread[0]), spread, 0.0)

    def answer(self, node: int) -> str:
        """The value of a node."""
        return rounded(self.tree.value[node])

    def support(self, node: int) -> str:
        """The weight of a node's training examples and, if they differ, their deviation: `12, ± 1.3`."""
        return weight_and_spread(self.weight[node], self.spread[node])


AnyNamedTree: TypeAlias = NamedClassTree | NamedNumberTree


def weight_and_spread(weight: float, spread: float) -> str:
    """What examples say of a number, in words."""
    return f"{amount(weight)}, ± {rounded(spread, 2)}" if spread > 0 else amount(weight)


@dataclass(frozen=True, slots=True)
class Path:
    """The way to a leaf: one condition an attribute, in the order of the tests."""

    leaf: int
    conditions: tuple[Condition, ...]


def paths(named: NamedTree) -> Iterator[Path]:
    """The ways to all leaves, in the order in which a tree is read."""
    waiting: list[tuple[int, dict[int, Condition]]] = [(0, {})]
    while waiting:
        node, asked = waiting.pop()
        if named.is_leaf(node):
            yield Path(node, tuple(asked.values()))
            continue
        feature = int(named.tree.feature[node])
        for child, condition in reversed(named.branches(node)):
            both = asked[feature] & condition if feature in asked else condition
            waiting.append((child, {**asked, feature: both}))


def plain(label: Any, what: str) -> Any:
    """A label as a plain Python value, which other languages can write down."""
    value = label.item() if isinstance(label, np.generic) else label
    if not isinstance(value, (str, bool, int, float)) or (isinstance(value, float) and not math.isfinite(value)):
        raise InputTypeError(f"{what} is {label!r}; labels can be text, finite numbers, True and False")
    return value
