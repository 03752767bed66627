"""A class of a tree as a formula: the disjunction of the paths to its leaves.

    (Outlook = Overcast) ∨ (Outlook = Rain ∧ Wind = Weak) ∨ (Outlook = Sunny ∧ Humidity = Normal)

Leaves without training examples are paths too: the formula is true of the rows that the tree gives the class,
as long as no value is missing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from novacula.table.chunk import Codes, Floats
from novacula.tree.export.condition import Condition
from novacula.tree.export.named import NamedClassTree, paths
from novacula.tree.export.rules import all_hold


@dataclass(frozen=True, slots=True)
class DNF:
    """A disjunction of conjunctions; without terms it is false, with an empty term true."""

    terms: tuple[tuple[Condition, ...], ...]

    def holds(self, numbers: Floats, codes: Codes) -> npt.NDArray[np.bool_]:
        """Whether each row fulfils some term."""
        holds = np.zeros(len(numbers), bool)
        for term in self.terms:
            holds |= all_hold(term, numbers, codes)
        return holds

    def __str__(self) -> str:
        if not all(self.terms):
            return "true"
        return " ∨ ".join(f"({' ∧ '.join(map(str, term))})" for term in self.terms) or "false"


def to_dnf(named: NamedClassTree, class_: Any) -> DNF:
    """The formula of a class, its terms in the order in which the tree is read."""
    wanted = named.place_of(class_)
    return DNF(tuple(path.conditions for path in paths(named) if named.plurality[path.leaf] == wanted))
