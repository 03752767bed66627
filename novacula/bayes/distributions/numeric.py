"""What distributions of numbers share: one factor per column whose value is known, and a table of their parameters."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar

from novacula.bayes.distributions.base import ClassFactor, DistributionPart, PartFacts
from novacula.learner.work import WorkTable
from novacula.mathematics import Equation, word
from novacula.table.chunk import Chunk, Floats
from novacula.table.schema import Kind

SHOWN_COLUMNS = 12
"""Columns in the table of a derivation."""
WRITTEN = 600.0
"""Logarithms beyond this are of numbers too small, or too large, to be held."""
LARGEST = 1e150
"""Numbers beyond this have squares that are too large to be held."""


class NumericPart(DistributionPart):
    """A part whose columns are numbers."""

    __slots__ = ()
    kinds: ClassVar[tuple[Kind, ...]] = ("numeric",)

    def factors(self, chunk: Chunk, facts: PartFacts, k: int) -> list[ClassFactor]:
        """One factor per column whose value is known."""
        row = self.group.numeric(chunk).numeric[0].tolist()
        known = [(j, x) for j, x in enumerate(row) if not math.isnan(x)]
        logs = {j: self.log_factor(k, j, x) for j, x in known}
        return [
            ClassFactor(
                f"{self.group.names[j]} = {x:g}",
                logs[j],
                partial(self.factor, facts, k, j, x) if abs(logs[j]) < WRITTEN and self.is_moderate(k, j, x) else None,
            )
            for j, x in known
        ]

    @abstractmethod
    def log_factor(self, k: int, j: int, x: float) -> float:
        """The logarithm of the probability or density of the value x of column j in class k."""

    @abstractmethod
    def factor(self, facts: PartFacts, k: int, j: int, x: float) -> Equation:
        """The probability or density of the value x of column j in class k."""

    def is_moderate(self, k: int, j: int, x: float) -> bool:
        """Whether no number on the way to a factor is too large or too small to be held."""
        return abs(x) < LARGEST

    def at(self, j: int, class_: str) -> str:
        """The index of a parameter of a column in a class."""
        return f"[{self.group.places[j] + 1}, {word(class_)}]"

    def value_name(self, j: int) -> str:
        """How the value of a column is written: x with the number of the column."""
        return f"x[{self.group.places[j] + 1}]"

    def meaning(self, j: int, k: int) -> dict[str, str]:
        """What the value of a column is, said once for all classes."""
        return {self.value_name(j): self.group.names[j]} if k == 0 else {}

    def shown_cells(self, facts: PartFacts, is_written: Any) -> list[tuple[int, int]]:
        """The classes and columns whose parameters are written out: the first, or all."""
        cells = [(k, j) for j in range(len(self.group.names)) for k in range(facts.n_shown) if is_written[k, j]]
        return cells if facts.is_full else cells[:1]

    def table_by_class(self, parameter: Floats, classes: Sequence[str]) -> WorkTable:
        """A parameter (K, d) of the first columns, one row per column."""
        rows = [(name, *parameter[:, j].tolist()) for j, name in enumerate(self.group.names[:SHOWN_COLUMNS])]
        return WorkTable(("column", *classes), tuple(rows), self.left_out_columns)

    @property
    def left_out_columns(self) -> str:
        """A sentence about the columns that a table leaves out, if there are any."""
        n = len(self.group.names)
        return f"The first {SHOWN_COLUMNS} of {n} columns." if n > SHOWN_COLUMNS else ""
