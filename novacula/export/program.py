"""A fitted model as a program: a few operations on short vectors, from the columns of a row to its answer.

    columns ──Read──▶ vector ──WeightedSums, Trees, Lookup, …──▶ vector ──Largest──▶ the number of a class

Every family of learners is turned into such a program by one function (`novacula.export.learners`), and every format
is one writer of programs (`novacula.export.formats`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Literal

import numpy as np

from novacula.export.deciding import FirstRule, Trees
from novacula.export.vectors import Vector
from novacula.table.spelling import Spelling


@dataclass(frozen=True)
class ProgramColumn:
    """A column of the rows: its name, `number`, `category` or `text`, and its categories in the order of codes."""

    name: str
    kind: Literal["number", "category", "text"]
    categories: tuple[Any, ...] = ()
    is_time: bool = False
    spelling: Spelling | None = None  # how numbers or dates are written in text that the model reads


@dataclass(frozen=True, eq=False, repr=False)
class Program:
    """A whole model. Of classes `answer` is the number of the class and `chances` their probabilities, if any."""

    name: str
    columns: tuple[ProgramColumn, ...]
    answer: Vector
    classes: tuple[Any, ...] | None = None
    chances: Vector | None = None

    @cached_property
    def steps(self) -> tuple[Vector, ...]:
        """All vectors, each after those it is computed from."""
        return in_order((self.answer,) if self.chances is None else (self.answer, self.chances))

    @cached_property
    def n_numbers(self) -> int:
        """How many constants the program holds."""
        return sum(map(_n_numbers, self.steps))


def in_order(ends: Iterable[Vector]) -> tuple[Vector, ...]:
    """The vectors that these need, and these, each after its sources."""
    ready: dict[Vector, None] = {}
    waiting = list(reversed(tuple(ends)))
    while waiting:
        vector = waiting[-1]
        missing = [source for source in vector.sources if source not in ready]
        if missing:
            waiting.extend(reversed(missing))
        else:
            ready[waiting.pop()] = None
    return tuple(ready)


def _n_numbers(vector: Vector) -> int:
    if isinstance(vector, Trees):
        return sum(len(node.values) + 2 * len(node.branches) for tree in vector.trees for node in tree.nodes)
    if isinstance(vector, FirstRule):
        return sum(map(len, vector.rules))
    arrays = (getattr(vector, field.name) for field in fields(vector))  # type: ignore[arg-type]
    return sum(array.size for array in arrays if isinstance(array, np.ndarray)) + vector.width
