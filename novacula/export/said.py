"""What a learner says of a row: numbers, or the number of a class and, where it has them, the probabilities of all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from novacula.export.vectors import Vector


@dataclass(frozen=True, eq=False)
class Said:
    """The answer, and of classes their probabilities."""

    answer: Vector
    chances: Vector | None = None

    def through(self, change: Callable[[Vector], Vector]) -> Said:
        """The same after a change of both."""
        return Said(change(self.answer), None if self.chances is None else change(self.chances))
