"""A tree as rules: one per leaf, its conditions those of the path, joined where they are on the same attribute.

    IF Outlook = Sunny AND Humidity = High THEN No (3/3)

The numbers are the weights of the training examples that the rule classifies rightly and that it covers. Leaves
that no example reached are left out unless the caller wants them: nothing speaks for their rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from novacula.table.chunk import Codes, Floats
from novacula.table.names import printable
from novacula.tree.export.condition import Condition, amount
from novacula.tree.export.named import NamedTree, paths


@dataclass(frozen=True, slots=True)
class DecisionRule:
    """If all conditions hold, the class; a rule without conditions holds always."""

    conditions: tuple[Condition, ...]
    class_index: int
    label: Any
    covered: float
    correct: float

    def holds(self, numbers: Floats, codes: Codes) -> npt.NDArray[np.bool_]:
        """Whether each row fulfils the conditions; a missing value fulfils none."""
        return all_hold(self.conditions, numbers, codes)

    def __str__(self) -> str:
        conditions = " AND ".join(map(str, self.conditions)) or "true"
        weights = f"({amount(self.correct)}/{amount(self.covered)})"
        return f"IF {conditions} THEN {printable(str(self.label))} {weights}"


def to_rules(named: NamedTree, *, empty: bool = False) -> list[DecisionRule]:
    """The rules of the leaves, in the order in which the tree is read; `empty` adds those without examples."""
    rules = []
    for path in paths(named):
        best, covered = int(named.plurality[path.leaf]), float(named.weight[path.leaf])
        if covered > 0 or empty:
            correct = float(named.tree.counts[path.leaf, best])
            rules.append(DecisionRule(path.conditions, best, named.classes[best], covered, correct))
    return rules


def all_hold(conditions: Sequence[Condition], numbers: Floats, codes: Codes) -> npt.NDArray[np.bool_]:
    """Whether each row fulfils every condition: numbers (n, ·) and codes (n, ·) as the attributes place them."""
    holds = np.ones(len(numbers), bool)
    for condition in conditions:
        columns = numbers if condition.attribute.kind == "numeric" else codes
        holds &= condition.holds(columns[:, condition.attribute.place])
    return holds
