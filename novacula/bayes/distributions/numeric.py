"""What distributions of numbers share: one factor per column whose value is known, and a table of their parameters."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Any, ClassVar

from novacula.bayes.distributions.base import ClassFactor, DistributionPart, Smoothing
from novacula.learner.work import WorkTable
from novacula.table.chunk import Chunk, Floats
from novacula.table.schema import Kind

SHOWN_COLUMNS = 12
"""Columns in the table of a derivation."""


class NumericPart(DistributionPart):
    """A part whose columns are numbers."""

    __slots__ = ()
    kinds: ClassVar[tuple[Kind, ...]] = ("numeric",)

    def factors(self, chunk: Chunk, statistic: Any, smoothing: Smoothing, k: int, mark: str) -> list[ClassFactor]:
        """One factor per column whose value is known."""
        row = self.group.numeric(chunk).numeric[0].tolist()
        return [self.factor(k, j, x, f"{mark}{j}") for j, x in enumerate(row) if not math.isnan(x)]

    @abstractmethod
    def factor(self, k: int, j: int, x: float, mark: str) -> ClassFactor:
        """The factor of class k for the value x of column j; names of values end in `mark`."""

    def table_by_class(self, parameter: Floats, classes: list[str]) -> WorkTable:
        """A parameter (K, d) of the first columns, one row per column."""
        rows = [(name, *parameter[:, j].tolist()) for j, name in enumerate(self.group.names[:SHOWN_COLUMNS])]
        return WorkTable(("column", *classes), tuple(rows), self.left_out_columns)

    @property
    def left_out_columns(self) -> str:
        """A sentence about the columns that a table leaves out, if there are any."""
        n = len(self.group.names)
        return f"The first {SHOWN_COLUMNS} of {n} columns." if n > SHOWN_COLUMNS else ""
