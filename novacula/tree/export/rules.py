"""A tree as rules: one per leaf, its conditions those of the path, joined where they are on the same attribute.

    IF Outlook = Sunny AND Humidity = High THEN No (3/3)
    IF rooms ≤ 5 AND age > 40 THEN 23.41 (12, ± 1.3)

Of a class the numbers are the weights of the training examples that the rule classifies rightly and that it covers,
of a number their weight and deviation. Leaves that no example reached are left out unless the caller wants them:
nothing speaks for their rules.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from novacula.table.chunk import Codes, Floats
from novacula.table.names import printable
from novacula.tree.export.condition import Condition, amount, rounded
from novacula.tree.export.named import NamedClassTree, NamedNumberTree, NamedTree, Path, paths, weight_and_spread


@dataclass(frozen=True, slots=True)
class PathRule(ABC):
    """If all conditions hold, what follows; a rule without conditions holds always."""

    conditions: tuple[Condition, ...]

    def holds(self, numbers: Floats, codes: Codes) -> npt.NDArray[np.bool_]:
        """Whether each row fulfils the conditions; a missing value fulfils none."""
        return all_hold(self.conditions, numbers, codes)

    @abstractmethod
    def conclusion(self) -> str:
        """What follows, in words."""

    def __str__(self) -> str:
        return f"IF {' AND '.join(map(str, self.conditions)) or 'true'} THEN {self.conclusion()}"


@dataclass(frozen=True, slots=True)
class DecisionRule(PathRule):
    """If all conditions hold, the class."""

    class_index: int
    label: Any
    covered: float
    correct: float

    def conclusion(self) -> str:
        """The class, with the weights of the examples that are right and of all: `No (4/5)`."""
        return f"{printable(str(self.label))} ({amount(self.correct)}/{amount(self.covered)})"


@dataclass(frozen=True, slots=True)
class NumberRule(PathRule):
    """If all conditions hold, the number, with the weight of its examples and their deviation from it.

    That is the standard deviation or, of a tree for absolute errors, the mean absolute deviation.
    """

    value: float
    weight: float
    deviation: float

    def conclusion(self) -> str:
        """The number, with the weight and deviation of its examples: `23.41 (12, ± 1.3)`."""
        return f"{rounded(self.value)} ({weight_and_spread(self.weight, self.deviation)})"


def to_rules(named: NamedClassTree, *, empty: bool = False) -> list[DecisionRule]:
    """The rules of the leaves, in the order in which the tree is read; `empty` adds those without examples."""
    rules = []
    for path in _paths_to_rules(named, empty):
        best = int(named.plurality[path.leaf])
        covered, correct = float(named.weight[path.leaf]), float(named.tree.counts[path.leaf, best])
        rules.append(DecisionRule(path.conditions, best, named.classes[best], covered, correct))
    return rules


def to_number_rules(named: NamedNumberTree, *, empty: bool = False) -> list[NumberRule]:
    """The rules of the leaves of a tree for numbers, as `to_rules` gives those of one for classes."""
    numbers = np.column_stack([named.tree.value, named.weight, named.spread]).tolist()
    return [NumberRule(path.conditions, *numbers[path.leaf]) for path in _paths_to_rules(named, empty)]


def _paths_to_rules(named: NamedTree, empty: bool) -> list[Path]:
    """The ways to leaves that have examples, or to all."""
    return [path for path in paths(named) if empty or named.weight[path.leaf] > 0]


def all_hold(conditions: Sequence[Condition], numbers: Floats, codes: Codes) -> npt.NDArray[np.bool_]:
    """Whether each row fulfils every condition: numbers (n, ·) and codes (n, ·) as the attributes place them."""
    holds = np.ones(len(numbers), bool)
    for condition in conditions:
        columns = numbers if condition.attribute.kind == "numeric" else codes
        holds &= condition.holds(columns[:, condition.attribute.place])
    return holds
