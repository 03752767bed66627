"""Forms of single values: numbers, truth values, words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from novacula.state.arrays import is_label
from novacula.state.base import Dim, Form, NotFiniteError, Scope, StateError


@dataclass(frozen=True)
class NumberForm(Form):
    """A number; `size` is a dimension whose size it is, `most` may be one that it must not exceed."""

    is_whole: bool
    least: float | None = None
    most: float | Dim | None = None
    finite: bool = True
    size: Dim | None = None
    above: float | None = None

    def check(self, value: Any, where: str, scope: Scope) -> None:
        """Its type and its range."""
        kinds = (int, np.integer) if self.is_whole else (int, float, np.integer, np.floating)
        if not isinstance(value, kinds) or isinstance(value, bool):
            raise self.refuse(value, where)
        if isinstance(value, int) and value.bit_length() > 63:
            raise StateError(f"{where} is a whole number of more than 64 bits")
        if self.finite and not math.isfinite(value):
            raise NotFiniteError(f"{where} is not finite")
        most = scope.size(self.most) if isinstance(self.most, str) else self.most
        low = self.least is not None and not value >= self.least
        low = low or (self.above is not None and not value > self.above)
        if low or (most is not None and not value <= most):
            raise StateError(f"{where} is out of its range: {self.words()}")
        if self.size is not None and not scope.fits(self.size, int(value)):
            raise StateError(f"{where} is not the number of {self.size}, {scope.size(self.size)}")

    def check_each(self, values: Sequence[Any], where: str, scope: Scope) -> None:
        """Histories are long: of plain numbers that are finite the least and the largest speak for all."""
        kinds = set(map(type, values))
        are_plain = kinds == {int} or (kinds == {float} and not self.is_whole and math.isfinite(sum(values)))
        if are_plain and self.size is None:
            try:
                self.check(min(values), where, scope)
                self.check(max(values), where, scope)
            except StateError:  # the sentence is to name the first that is wrong
                pass
            else:
                return
        super().check_each(values, where, scope)

    def words(self) -> str:
        """The noun and the bounds."""
        noun = "a whole number" if self.is_whole else "a number"
        if self.size is not None:
            return f"the number of {self.size}"
        least = "" if self.least is None else f" of at least {self.least:g}"
        least += "" if self.above is None else f" above {self.above:g}"
        most = "" if self.most is None else f", at most {self.most if isinstance(self.most, str) else f'{self.most:g}'}"
        return f"{noun}{least}{most}"

    def forgeries(self, value: Any, random: np.random.Generator) -> list[Any]:
        """Others, large and small, and some that are not numbers."""
        return [*super().forgeries(value, random), 0, 1, value + 1, -value, 10**6, 2**31, 1e300, math.nan, math.inf]


@dataclass(frozen=True)
class FlagForm(Form):
    """True or false."""

    def check(self, value: Any, where: str, scope: Scope) -> None:
        """Python's or NumPy's."""
        if not isinstance(value, bool | np.bool_):
            raise self.refuse(value, where)

    def words(self) -> str:
        """As people say it."""
        return "true or false"

    def forgeries(self, value: Any, random: np.random.Generator) -> list[Any]:
        """The other one, too."""
        return [*super().forgeries(value, random), not value]


@dataclass(frozen=True)
class TextForm(Form):
    """A text; one of some words, if these are stated."""

    options: tuple[str, ...] = ()

    def check(self, value: Any, where: str, scope: Scope) -> None:
        """Its type, and whether it is one of the words."""
        if not isinstance(value, str) or (self.options and value not in self.options):
            raise self.refuse(value, where)

    def check_each(self, values: Sequence[Any], where: str, scope: Scope) -> None:
        """Vocabularies are long: one look at all types, where that is enough."""
        if self.options or not set(map(type, values)) <= {str}:
            super().check_each(values, where, scope)

    def words(self) -> str:
        """The words."""
        return " or ".join(f"'{word}'" for word in self.options) if self.options else "a text"

    def forgeries(self, value: Any, random: np.random.Generator) -> list[Any]:
        """Other words."""
        return [*super().forgeries(value, random), "", value * 2, *self.options]


@dataclass(frozen=True)
class ScalarLabelForm(Form):
    """A label: a text, a number or a truth value."""

    def check(self, value: Any, where: str, scope: Scope) -> None:
        """Python's or NumPy's."""
        if not is_label(value.item() if isinstance(value, np.generic) else value):
            raise self.refuse(value, where)

    def words(self) -> str:
        """The noun."""
        return "a label"


def number(
    *, least: float | None = None, most: float | None = None, finite: bool = True, above: float | None = None
) -> Form:
    """A number; at `least` a bound, or `above` it."""
    return NumberForm(False, least, most, finite, above=above)


def whole(*, least: int | None = 0, most: int | str | None = None, size: Dim | None = None) -> Form:
    """A whole number; with `size`, that of a dimension."""
    return NumberForm(True, least, most, size=size)


def flag() -> Form:
    """True or false."""
    return FlagForm()


def word(*options: str) -> Form:
    """One of some words."""
    return TextForm(options)


def text() -> Form:
    """A text."""
    return TextForm()


def label() -> Form:
    """The label of a class or the like."""
    return ScalarLabelForm()
