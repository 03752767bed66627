"""Short vectors of numbers, by how they are computed: what programs are made of.

NaN is a missing value, and what is computed from one is missing too. A comparison with one is false.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import Literal, TypeAlias

from novacula.table.chunk import Floats

Function: TypeAlias = Literal["exp", "log", "sqrt", "tanh", "floor", "sin", "cos", "abs", "missing"]
Operator: TypeAlias = Literal["+", "-", "*", "/", "**", "max", "min", "<", "<=", ">", ">=", "="]
COMPARISONS = ("<", "<=", ">", ">=", "=")
"""Operators that give 1 where they hold and else 0."""
LARGEST_EXPONENT = 700.0
"""e to more than this is no number."""


class Vector(ABC):
    """Some numbers of a row, by how they are found. Each is compared by identity; `x + y` is a vector too."""

    @property
    @abstractmethod
    def width(self) -> int:
        """How many numbers there are."""

    @property
    def sources(self) -> tuple[Vector, ...]:
        """The vectors that it is computed from."""
        held: list[Vector] = []
        for field in fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            held += [value] if isinstance(value, Vector) else []
            held += [part for part in value if isinstance(part, Vector)] if isinstance(value, tuple) else []
        return tuple(held)

    def __add__(self, other: Vector | float) -> Combine:
        return Combine("+", self, as_vector(other))

    def __sub__(self, other: Vector | float) -> Combine:
        return Combine("-", self, as_vector(other))

    def __mul__(self, other: Vector | float) -> Combine:
        return Combine("*", self, as_vector(other))

    def __truediv__(self, other: Vector | float) -> Combine:
        return Combine("/", self, as_vector(other))


def as_vector(value: Vector | float) -> Vector:
    """A vector as it is, or one number."""
    return value if isinstance(value, Vector) else constant(value)


@dataclass(frozen=True, eq=False, repr=False)
class Read(Vector):
    """The row's values in these columns of the program: numbers as they are, categories by their codes."""

    columns: tuple[int, ...]

    @property
    def width(self) -> int:
        """One number for each column."""
        return len(self.columns)


@dataclass(frozen=True, eq=False, repr=False)
class CountWords(Vector):
    """How often each word is in the text of a column, in small letters; never in one that is missing."""

    column: int
    words: tuple[str, ...]

    @property
    def width(self) -> int:
        """One number for each word."""
        return len(self.words)


@dataclass(frozen=True, eq=False, repr=False)
class ConstantVector(Vector):
    """Numbers that are the same for every row."""

    values: tuple[float, ...]

    @property
    def width(self) -> int:
        """As many as there are."""
        return len(self.values)


@dataclass(frozen=True, eq=False, repr=False)
class Pick(Vector):
    """Some entries of a vector."""

    source: Vector
    places: tuple[int, ...]

    @property
    def width(self) -> int:
        """One number for each place."""
        return len(self.places)


@dataclass(frozen=True, eq=False, repr=False)
class Join(Vector):
    """Vectors behind each other."""

    parts: tuple[Vector, ...]

    @property
    def width(self) -> int:
        """All of them."""
        return sum(part.width for part in self.parts)


@dataclass(frozen=True, eq=False, repr=False)
class Lookup(Vector):
    """The row of a table (categories + 1, k) that one entry of a vector names; the last row if it is missing."""

    source: Vector
    place: int
    table: Floats

    @property
    def width(self) -> int:
        """The columns of the table."""
        return self.table.shape[1]


@dataclass(frozen=True, eq=False, repr=False)
class Map(Vector):
    """A function of each entry; `missing` is 1 where there is no value and else 0."""

    function: Function
    source: Vector

    @property
    def width(self) -> int:
        """That of the source."""
        return self.source.width


@dataclass(frozen=True, eq=False, repr=False)
class Combine(Vector):
    """Two vectors entry by entry; one of width 1 goes with each entry of the other."""

    operator: Operator
    left: Vector
    right: Vector

    @property
    def width(self) -> int:
        """That of the wider one."""
        return max(self.left.width, self.right.width)


@dataclass(frozen=True, eq=False, repr=False)
class Choose(Vector):
    """Entry by entry the one of two vectors, where a condition is 1 or is not; those of width 1 go with all."""

    condition: Vector
    yes: Vector
    no: Vector

    @property
    def width(self) -> int:
        """That of the widest."""
        return max(self.condition.width, self.yes.width, self.no.width)


@dataclass(frozen=True, eq=False, repr=False)
class Reduce(Vector):
    """The sum of all entries from the first to the last, or the largest."""

    operator: Literal["sum", "max"]
    source: Vector

    @property
    def width(self) -> int:
        """1."""
        return 1


@dataclass(frozen=True, eq=False, repr=False)
class WeightedSums(Vector):
    """b + xW for weights (d, k) and a bias (k,)."""

    source: Vector
    weights: Floats
    bias: Floats

    @property
    def width(self) -> int:
        """The columns of the weights."""
        return self.weights.shape[1]


@dataclass(frozen=True, eq=False, repr=False)
class Largest(Vector):
    """The place of the first entry that is at least `slack` times the largest."""

    source: Vector
    slack: float = 1.0

    @property
    def width(self) -> int:
        """1."""
        return 1


# --- short ways to say things ---------------------------------------------------------------------------------------


def constant(*values: float) -> ConstantVector:
    """The same numbers for every row."""
    return ConstantVector(tuple(map(float, values)))


def join(*parts: Vector) -> Vector:
    """Vectors behind each other, without those of no entry; one alone is itself."""
    held = tuple(part for part in parts if part.width)
    return held[0] if len(held) == 1 else Join(held)


def logistic(z: Vector) -> Vector:
    """1 / (1 + e⁻ᶻ)."""
    below = Combine("min", constant(0.0) - z, constant(LARGEST_EXPONENT))
    return constant(1.0) / (constant(1.0) + Map("exp", below))


def softmax(z: Vector) -> Vector:
    """Each e to the z, as a share of all; the largest is taken off first."""
    powers = Map("exp", z - Reduce("max", z))
    return powers / Reduce("sum", powers)


def two_chances(second: Vector) -> Vector:
    """The probabilities of two classes, of which one is that of the second."""
    return join(constant(1.0) - second, second)
