"""What every statistic is: a small frozen record of arrays that can be added.

A statistic S over chunks of rows obeys four laws, which `novacula.checks.check_statistic` tests:

- identity: zero + s and s + zero hold the arrays of s, to the bit;
- associativity and commutativity: (a + b) + c ≈ a + (b + c) and a + b ≈ b + a, up to rounding;
- chunk invariance: observe(a ++ b) ≈ observe(a) + observe(b), wherever the rows are cut;
- weights are repetition: a row of weight 3 counts as three rows, one of weight 0 as none, even if it holds NaN.

So the rows may be read in any pieces, by any number of threads or machines: the sum is the statistic of all.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import fields
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from novacula.errors import DataError, ParameterError
from novacula.table.chunk import Chunk, Codes, Floats


class Statistic(ABC):
    """A frozen dataclass of arrays with `zero`, `observe` and `+`, whose size does not grow with the rows."""

    __slots__ = ()

    propagates: ClassVar[frozenset[str]] = frozenset()
    """Which of "missing" and "infinite" values make a number of `observe(chunk)` not finite: a learner's first pass
    then checks rows only where that happens. For statistics of all numeric columns and the target."""

    @abstractmethod
    def __add__(self, other: Self) -> Self:
        """Give the statistic of the rows of both; neither operand is changed."""

    @property
    def nbytes(self) -> int:
        """Bytes held, words counted as their pointers only."""
        return sum(array.nbytes for array in self.arrays().values())

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Every array by the name of its field; those of parts under dotted names."""
        return {
            name: array
            for field in fields(self)  # type: ignore[arg-type]
            for name, array in _named_arrays(field.name, getattr(self, field.name))
        }

    def departure(self, other: Statistic, rtol: float = 0.0) -> str:
        """Say where two statistics differ; empty when they do not.

        With rtol = 0 every bit must agree. Otherwise floats may differ by rtol times the largest entry of
        their array, or by rtol where that is below 1.
        """
        mine, theirs = self.arrays(), other.arrays()
        if type(self) is not type(other) or mine.keys() != theirs.keys():
            return f"{type(self).__name__} and {type(other).__name__} hold different arrays"
        for name in mine:
            if difference := _difference(mine[name], theirs[name], rtol):
                return f"{name} {difference}"
        return ""


def class_codes(chunk: Chunk, n_classes: int) -> Codes:
    """The class of each row; with one class the target is not read, and every row belongs to it."""
    if n_classes == 1:
        return np.zeros(len(chunk), np.int32)
    code = chunk.target
    if code is None or code.dtype != np.int32 or code.ndim != 1:
        raise ParameterError(f"{n_classes} classes need a target of class codes, which this chunk does not have")
    if len(code) and not code.view(np.uint32).max() < n_classes:  # what is below 0 is beyond all classes
        raise DataError(
            f"class codes run from {code.min()} to {code.max()}, but there are {n_classes} classes: "
            "leave out rows without a class and name every class"
        )
    return code  # type: ignore[return-value]


def weighted_counts(place: npt.NDArray[np.integer], weight: Floats, size: int) -> Floats:
    """The sum of the weights that fall on each of the places 0 to size − 1."""
    return np.bincount(place, weight, size).astype(np.float64, copy=False)


def require_same_layout(statistic: Statistic, mine: object, theirs: object) -> None:
    """Refuse to add statistics whose cells do not stand for the same things."""
    if mine != theirs:
        raise ParameterError(f"{type(statistic).__name__}s of layouts {mine} and {theirs} cannot be added")


def _named_arrays(name: str, value: Any) -> Iterator[tuple[str, npt.NDArray[Any]]]:
    if isinstance(value, Statistic):
        yield from ((f"{name}.{inner}", array) for inner, array in value.arrays().items())
    elif isinstance(value, tuple) and any(isinstance(part, Statistic) for part in value):
        for i, part in enumerate(value):
            yield from _named_arrays(f"{name}.{i}", part)
    else:
        yield name, np.array(value, dtype=object) if isinstance(value, tuple) else np.asarray(value)


def _difference(mine: npt.NDArray[Any], theirs: npt.NDArray[Any], rtol: float) -> str:
    if mine.shape != theirs.shape or mine.dtype != theirs.dtype:
        return f"has shape {mine.shape} of {mine.dtype} here, {theirs.shape} of {theirs.dtype} there"
    if mine.dtype != np.float64:
        return "" if np.array_equal(mine, theirs) else "differs"
    if rtol == 0.0:
        return "" if mine.tobytes() == theirs.tobytes() else "differs in some bit"
    finite = np.isfinite(mine) & np.isfinite(theirs)
    if not np.array_equal(mine[~finite], theirs[~finite], equal_nan=True):
        return "is not finite in different places"
    gap = np.abs(mine[finite] - theirs[finite]).max(initial=0.0)
    allowed = rtol * np.abs(mine[finite]).max(initial=1.0)
    return "" if gap <= allowed else f"differs by {gap:.3g}, where rounding may make {allowed:.1g}"
