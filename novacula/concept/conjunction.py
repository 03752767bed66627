"""A conjunction: one constraint per attribute, compared and combined by what it means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from novacula.errors import DataError, InputTypeError
from novacula.state import State, each, instance, whole
from novacula.table.chunk import Codes
from novacula.table.names import printable
from novacula.table.schema import Category

if TYPE_CHECKING:
    from novacula.concept.space import ConjunctiveSpace

Positions: TypeAlias = npt.NDArray[np.int64]
Range: TypeAlias = tuple[int, int]  # lowest and highest position; see `novacula.concept.space`

ANY = "?"
NONE: Range = (1, -1)
"""The range of ∅: nothing is at least 1 and at most −1."""
_SHOWN = 40  # characters of a value that are printed


@dataclass(frozen=True, eq=False, repr=False)
class Conjunction:
    """A hypothesis of a `ConjunctiveSpace`, made by its `conjunction`.

    `h(x)` says whether an instance satisfies it, `h >= g` whether it is more general than g or equal, `h | x` is the
    least general conjunction above h that x satisfies. Two conjunctions with an ∅ are equal, since none has an
    instance.
    """

    state: ClassVar[State] = {
        "space": instance(object),  # which its constructor checks, and the learner compares with its own
        "low": each(whole(least=-1), "columns"),
        "high": each(whole(least=-1), "columns"),
    }

    space: ConjunctiveSpace
    low: tuple[int, ...]
    high: tuple[int, ...]

    @classmethod
    def of_ranges(cls, space: ConjunctiveSpace, ranges: Sequence[Range]) -> Self:
        """Make a conjunction of one range per attribute."""
        low, high = zip(*ranges, strict=True)
        return cls(space, low, high)

    @property
    def ranges(self) -> tuple[Range, ...]:
        """The constraint on each attribute as a range of positions."""
        return tuple(zip(self.low, self.high, strict=True))

    @property
    def n_parameters_(self) -> int:
        """One constraint for each attribute."""
        return len(self.low)

    @property
    def is_empty(self) -> bool:
        """Whether an ∅ keeps every instance out."""
        return NONE in self.ranges

    # --- instances -------------------------------------------------------------------------------------------------

    def __call__(self, x: Sequence[Any] | Mapping[str, Any]) -> bool:
        """Whether an instance satisfies every constraint; it is a tuple in order, or a mapping by name."""
        return bool(self.covers(self.space.instance(x)[None])[0])

    def covers(self, positions: Positions) -> npt.NDArray[np.bool_]:
        """Which rows of positions (n, d) satisfy every constraint."""
        return inside(np.array(self.low), np.array(self.high), positions)

    def predict(self, X: Any) -> npt.NDArray[np.bool_]:
        """Which rows of a table, frame, array or list of instances satisfy it."""
        from novacula.concept.rows import read_positions

        return self.covers(read_positions(self.space, X))

    def consistent_with(self, X: Any, y: Any, positive: Any = True) -> bool:
        """Whether it says yes to exactly the rows of X whose label in y is `positive`."""
        labels = np.asarray(y).ravel()
        answers = self.predict(X)
        if len(labels) != len(answers):
            raise DataError(f"there are {len(answers)} rows in X and {len(labels)} labels in y")
        if positive is True and not set(labels.tolist()) <= {True, False}:
            raise DataError("y holds labels other than true and false: name the concept's with positive=")
        return bool(np.array_equal(labels == positive, answers))

    # --- order -----------------------------------------------------------------------------------------------------

    def __ge__(self, other: Conjunction) -> bool:
        if not self._comparable(other):
            return NotImplemented
        if other.is_empty or self.is_empty:
            return other.is_empty
        pairs = zip(self.ranges, other.ranges, strict=True)
        return all(low <= a and b <= high for (low, high), (a, b) in pairs)

    def __le__(self, other: Conjunction) -> bool:
        return other.__ge__(self) if self._comparable(other) else NotImplemented

    def __gt__(self, other: Conjunction) -> bool:
        return self >= other and self != other if self._comparable(other) else NotImplemented

    def __lt__(self, other: Conjunction) -> bool:
        return other.__gt__(self) if self._comparable(other) else NotImplemented

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Conjunction):
            return NotImplemented
        return self.space == other.space and self._meaning == other._meaning

    def __hash__(self) -> int:
        return hash(self._meaning)

    def _comparable(self, other: object) -> bool:
        return isinstance(other, Conjunction) and self.space == other.space

    @property
    def _meaning(self) -> tuple[Range, ...]:
        return () if self.is_empty else self.ranges

    @property
    def order_key(self) -> tuple[Any, ...]:
        """A key to sort by: constraints before ?, in the order of their values."""
        return tuple((low < 0, low, high) for low, high in self._meaning)

    # --- neighbours ------------------------------------------------------------------------------------------------

    def __or__(self, x: Sequence[Any] | Mapping[str, Any] | Conjunction) -> Conjunction:
        """The least general conjunction above this one that the instance x, or all of another one, satisfies."""
        if isinstance(x, Conjunction):
            if not self._comparable(x):
                raise InputTypeError("the two conjunctions are of different spaces")
            if self.is_empty or x.is_empty:
                return x if self.is_empty else self
            low, high = np.array(x.low), np.array(x.high)
        else:
            low = high = self.space.instance(x)
        box = None if self.is_empty else (np.array(self.low), np.array(self.high))
        return boxed(self.space, *join(self.space, box, low[None], high[None]))

    def specializations(self, x: Sequence[Any] | Mapping[str, Any]) -> tuple[Conjunction, ...]:
        """The most general conjunctions below this one that x does not satisfy; itself, where x does not anyway."""
        if not self(x):
            return (self,)
        found = []
        for j, position in enumerate(self.space.instance(x).tolist()):
            for narrower in self._narrower(j, position):
                ranges = (*self.ranges[:j], narrower, *self.ranges[j + 1 :])
                found.append(type(self).of_ranges(self.space, ranges))
        return tuple(found) or (self.space.most_specific,)

    def _narrower(self, attribute: int, position: int) -> list[Range]:
        """The widest ranges within that of an attribute which leave a position out."""
        low, high = self.ranges[attribute]
        m = len(self.space.values[attribute])
        if not self.space.is_ordered[attribute]:
            return [(2 * k, 2 * k) for k in range(m) if 2 * k != position] if low < 0 else []
        low, high = max(low, 0), min(high, 2 * m - 2)
        if not 0 <= position <= 2 * m - 2:  # a number beyond the domain, which only ? lets in
            return [(low + 2, high), (low, high - 2)] if m > 1 else []
        sides = (low, 2 * ((position - 1) // 2)), (2 * (position // 2) + 2, high)
        return [(a, b) for a, b in sides if a <= b]

    # --- words -----------------------------------------------------------------------------------------------------

    @property
    def constraints(self) -> tuple[Category | tuple[Category, Category], ...]:
        """The constraints as `ConjunctiveSpace.conjunction` takes them: a value, "?", "∅" or a pair of ends."""
        return tuple(self._constraint(j) for j in range(len(self.low)))

    def _constraint(self, attribute: int) -> Category | tuple[Category, Category]:
        low, high = self.ranges[attribute]
        if low > high or low < 0:
            return "∅" if low > high else ANY
        values = self.space.values[attribute]
        return values[low // 2] if low == high else (values[low // 2], values[high // 2])

    def __str__(self) -> str:
        return f"⟨{', '.join(map(constraint_words, self.constraints))}⟩"

    def __repr__(self) -> str:
        return f"Conjunction({self})"


def join(
    space: ConjunctiveSpace, box: tuple[Positions, Positions] | None, low: Positions, high: Positions
) -> tuple[Positions, Positions]:
    """The least constraints that hold a box, or nothing, and each row of ranges: low and high (n, d)."""
    top = 2 * space.sizes - 2
    beyond = (low < 0) | (high > top)  # what is not in the domain satisfies ? only
    low, high = low - low % 2, high + high % 2
    if box is not None:
        beyond |= (box[0] < 0) | (box[1] > top)
        low, high = np.minimum(low, box[0]), np.maximum(high, box[1])
    free = beyond | np.where(space.is_ordered, (low <= 0) & (high >= top), low != high)
    return np.where(free, -1, low), np.where(free, top + 1, high)


def inside(low: Positions | Codes, high: Positions | Codes, rows: Positions) -> npt.NDArray[np.bool_]:
    """Which rows lie in a box; the last axis is that of attributes."""
    return np.asarray(((low <= rows) & (rows <= high)).all(axis=-1))


def boxed(space: ConjunctiveSpace, low: Positions, high: Positions) -> Conjunction:
    """A conjunction of the one row of low and high (1, d)."""
    return Conjunction(space, tuple(low[0].tolist()), tuple(high[0].tolist()))


def constraint_words(constraint: Category | tuple[Category, Category]) -> str:
    """A constraint as it is printed: an interval in brackets, anything else as it stands."""
    return f"[{', '.join(map(shown, constraint))}]" if isinstance(constraint, tuple) else shown(constraint)


def shown(value: Category) -> str:
    """A value as it is printed: whole numbers without a point, words in one line."""
    whole = isinstance(value, float) and value.is_integer() and abs(value) < 1e15
    return printable(str(int(value)) if whole else str(value), _SHOWN)
