"""Forms of arrays: the type of their numbers, their dimensions by name, and the range of their values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from novacula.state.base import Dim, Form, NotFiniteError, Scope, StateError, parts_of

ROUNDING = 1e-6
"""By how much the sum of probabilities may differ from 1."""


@dataclass(frozen=True)
class ArrayForm(Form):
    """An array; `below` is a dimension whose size all values are less than.

    With "..." before its dimensions it may have others before them, any number of any size.
    """

    noun: str
    dtypes: tuple[str, ...]
    dims: tuple[Dim, ...]
    least: float | None = None
    most: float | None = None
    below: Dim | None = None
    finite: bool = True
    above: float | None = None

    def check(self, value: Any, where: str, scope: Scope) -> None:
        """Type, dimensions, then values."""
        if type(value) is not np.ndarray or _name(value.dtype) not in self.dtypes:
            raise self.refuse(value, where)
        dims = self.dims[1:] if self.dims[:1] == ("...",) else self.dims
        before = value.ndim - len(dims)
        if before < 0 or (before > 0 and dims is self.dims):
            raise self.refuse(value, where)
        for dim, size in zip(dims, value.shape[before:], strict=True):
            if not scope.fits(dim, size):
                count = "" if isinstance(dim, int) else f", and there are {scope.size(dim)} {dim}"
                raise StateError(f"{self.refuse(value, where)}{count}")
        self.check_values(value, where, scope)

    def check_values(self, value: Any, where: str, scope: Scope) -> None:
        """The range; one sum shows that all values are finite unless it overflows."""
        if value.size == 0:
            return
        if self.finite and value.dtype.kind == "f" and not _all_finite(value):
            raise NotFiniteError(f"{where} holds a number that is not finite")
        most = self.most if self.below is None else scope.size(self.below) - 1
        low = self.least is not None and not np.minimum.reduce(value, axis=None) >= self.least
        low = low or (self.above is not None and not np.minimum.reduce(value, axis=None) > self.above)
        if low or (most is not None and not np.maximum.reduce(value, axis=None) <= most):
            raise StateError(f"{where} holds a number that is out of range, where {self.words()} should be")

    def words(self) -> str:
        """The noun, the dimensions, the range."""
        shape = f" ({', '.join(map(str, self.dims))})" if self.dims else ""
        bounds = f", {self.range_words()}" if self.range_words() else ""
        return f"{self.noun}{shape}{bounds}"

    def range_words(self) -> str:
        """The bounds of the values."""
        if self.above is not None:
            return f"above {self.above:g}" if self.most is None else f"above {self.above:g}, at most {self.most:g}"
        least = "" if self.least is None else f"{self.least:g}"
        if self.below is not None:
            return f"from {least} to below the number of {self.below}"
        most = "" if self.most is None else f"{self.most:g}"
        if least and most:
            return f"from {least} to {most}"
        return f"at least {least}" if least else f"at most {most}" if most else ""

    def forgeries(self, value: Any, random: np.random.Generator) -> list[Any]:
        """Other shapes and types, and values out of range in one place."""
        with np.errstate(all="ignore"):
            return self._forged(value, random)

    def _forged(self, value: Any, random: np.random.Generator) -> list[Any]:
        forged: list[Any] = [*super().forgeries(value, random), value.astype(np.float32), value.astype(np.int64)]
        forged += [value[..., None], value.reshape(-1), np.zeros((0, *value.shape[1:]), value.dtype)]
        if value.ndim:
            axis = int(random.integers(value.ndim))
            forged += [
                value[..., :0],
                np.repeat(value, 2, axis=axis),
                np.delete(value, slice(0, 1), axis=axis),
                value.T.copy(),
            ]
        extremes = [-1, 0, 1, 2**31 - 1, 2**20] if value.dtype.kind in "iub" else [np.nan, np.inf, -1.0, 0.0, 1e300]
        for extreme in extremes if value.size else []:
            changed, number = value.copy(), np.asarray(extreme).astype(value.dtype)
            changed.reshape(-1)[int(random.integers(value.size))] = number
            forged += [changed, np.full_like(value, number)]
        return forged


@dataclass(frozen=True)
class ProbabilityForm(ArrayForm):
    """Probabilities that sum to 1 along the last dimension."""

    def range_words(self) -> str:
        """The noun says it."""
        return ""

    def check_values(self, value: Any, where: str, scope: Scope) -> None:
        """The range, and the sums, which are finite if all values are; none at all sum to 0."""
        with np.errstate(over="ignore", invalid="ignore"):
            is_whole = bool((np.abs(value.sum(axis=-1) - 1.0) <= ROUNDING).all())
        if not is_whole or not value.min(initial=0.0) >= 0.0:
            super().check_values(value, where, scope)
            raise StateError(f"{where} holds probabilities that do not sum to 1")


@dataclass(frozen=True)
class DefiniteForm(ArrayForm):
    """Symmetric positive definite matrices, along the last two dimensions."""

    def check_values(self, value: Any, where: str, scope: Scope) -> None:
        """Finite, symmetric, and with a Cholesky factor."""
        super().check_values(value, where, scope)
        size = np.abs(value).max(initial=0.0)
        if not (np.abs(value - np.swapaxes(value, -1, -2)) <= ROUNDING * size).all():
            raise StateError(f"{where} is not symmetric")
        try:
            np.linalg.cholesky(value)
        except np.linalg.LinAlgError:
            raise StateError(f"{where} is not positive definite") from None


@dataclass(frozen=True)
class OffsetForm(ArrayForm):
    """Where each of several runs of entries begins, and the last ends: 0, rising, up to the number of entries."""

    entries: Dim = "entries"

    def check_values(self, value: Any, where: str, scope: Scope) -> None:
        """They begin at 0, do not fall, and end with the entries."""
        rises = value.size > 0 and value[0] == 0 and bool((np.diff(value) >= 0).all())
        if not rises or not scope.fits(self.entries, int(value[-1])):
            raise StateError(f"{where} does not rise from 0 to the number of {self.entries}")


@dataclass(frozen=True)
class LabelForm(Form):
    """An array of distinct labels in order: words, numbers or truth values."""

    dims: tuple[Dim]
    unique: bool = True

    def check(self, value: Any, where: str, scope: Scope) -> None:
        """One dimension of plain values."""
        if type(value) is not np.ndarray or value.ndim != 1 or value.dtype.kind not in "biufUO":
            raise self.refuse(value, where)
        if not scope.fits(self.dims[0], len(value)):
            raise StateError(
                f"{where} has {len(value)} labels, but there are {scope.size(self.dims[0])} {self.dims[0]}"
            )
        if not all(map(is_label, value.tolist())):
            raise StateError(f"{where} holds a label that is neither text nor a finite number of 64 bits")
        if self.unique and len(set(value.tolist())) != len(value):
            raise StateError(f"{where} holds a label twice")

    def words(self) -> str:
        """The noun, with what there is one for."""
        return f"{'distinct ' if self.unique else ''}labels ({self.dims[0]})"

    def forgeries(self, value: Any, random: np.random.Generator) -> list[Any]:
        """Too few, too many, twice the same, none."""
        return [*super().forgeries(value, random), value[:-1], np.repeat(value, 2), value[:0], value[:, None]]


def is_label(value: Any) -> bool:
    """Whether a plain value can be a label; of larger integers many could hash alike."""
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, str) or (isinstance(value, int) and abs(value) < 2**64)


def _all_finite(value: Any) -> bool:
    with np.errstate(over="ignore", invalid="ignore"):
        total = np.add.reduce(value, axis=None)
    return math.isfinite(total) or bool(np.isfinite(value).all())


@cache
def _name(dtype: Any) -> str:
    """The name of a type of numbers, which NumPy makes again each time that it is asked."""
    return str(dtype.name)


def floats(
    *dims: Dim,
    least: float | None = None,
    most: float | None = None,
    finite: bool = True,
    single: bool = False,
    above: float | None = None,
) -> Form:
    """Numbers in double precision, or `single` too; at `least` a bound, or `above` it."""
    dtypes = ("float64", "float32") if single else ("float64",)
    return ArrayForm("numbers", dtypes, dims, least, most, finite=finite, above=above)


def probabilities(*dims: Dim, whole: bool = True) -> Form:
    """Numbers from 0 to 1, which sum to 1 along the last dimension if they are `whole`."""
    if whole:
        return ProbabilityForm("probabilities", ("float64",), dims, 0.0)
    return ArrayForm("probabilities", ("float64",), dims, 0.0, 1.0)


def definite(*dims: Dim) -> Form:
    """Symmetric positive definite matrices."""
    return DefiniteForm("positive definite matrices", ("float64",), dims)


def wholes(*dims: Dim, least: int | None = 0, most: int | None = None) -> Form:
    """Whole numbers of 64 bits."""
    return ArrayForm("whole numbers", ("int64",), dims, least, most)


def codes(*dims: Dim, below: Dim | None = None, least: int = 0) -> Form:
    """Whole numbers of 32 bits, such as codes of categories."""
    return ArrayForm("codes", ("int32",), dims, least, below=below)


def indices(of: Dim, *dims: Dim, or_none: bool = False) -> Form:
    """Places among `of`, of 32 or 64 bits; −1 stands for none if `or_none`."""
    if isinstance(of, str):
        parts_of(of)
    return ArrayForm("places", ("int32", "int64"), dims, -1.0 if or_none else 0.0, below=of)


def offsets(runs: Dim, entries: Dim) -> Form:
    """Where each run of entries begins, and the last one ends."""
    return OffsetForm("offsets", ("int64",), (runs,), entries=entries)


def flags(*dims: Dim) -> Form:
    """Truth values."""
    return ArrayForm("truth values", ("bool",), dims)


def labels(dim: Dim, *, unique: bool = True) -> Form:
    """Labels of classes, columns or the like, as an array."""
    return LabelForm((dim,), unique)


def texts(dim: Dim) -> Form:
    """Words, as an array; a word may stand twice."""
    return LabelForm((dim,), unique=False)
