"""An equation from symbol to number: its two sides are written once, and the arithmetic is made by putting values in.

    >>> prior = Equation("P(No)", "n_No / n", {"n_No": 5, "n": 14}, of=("class_prior_", 0))
    >>> print(prior)
    P(No) = n_No/n
          = 5/14 = 0.357143

The value of the right side is the value of the left. `of` says where the model keeps it, and
`novacula.checks.check_work` compares the two.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple
from unicodedata import combining

import numpy as np

from novacula.errors import InputTypeError, ParameterError
from novacula.mathematics.layout import TERMS, Layout
from novacula.mathematics.measuring import COMPARED, CONSTANTS, Measured, NameValues, compared, describe, measure
from novacula.mathematics.notation import Notation, TextNotation
from novacula.mathematics.reading import parse
from novacula.mathematics.rounding import without_noise
from novacula.mathematics.tree import Apply, Node, Number, Symbol, parts, renamed, walk

EQUAL = ("=", "←")  # what the right side comes to is what the left side is, or becomes
SIGNS = (*EQUAL, *(sign for sign in COMPARED if sign not in ("=", "∈")), "∝", "~", "≈")
RTOL = 1e-9
NOISE = 1e-13
"""Where terms cancel, the last digits are noise of about 1e-16 times the size of the terms."""
TRUSTED = 14
"""Digits up to which what rounding leaves of terms that cancel is written as 0."""


class Row(NamedTuple):
    """One line of an equation as it is written; the left side is empty where the line goes on."""

    left: str
    sign: str
    right: str


@dataclass(frozen=True)
class Equation:
    """Two sides, and the values of the names in them.

    Parameters
    ----------
    left : what is found, as in "P(No)"; with another sign than = it is evaluated too
    right : what it comes to, in the language of `novacula.mathematics.reading`; several members make a chain,
        each of which must come to the same
    values : what names stand for: numbers, arrays, or by the index of a sum a sequence or a mapping of them.
        None leaves the equation without numbers: a rule that is stated, not a result
    of : where the model keeps the value: ("class_prior_", 1), or ("predict_proba", 0, 1) for what a method gives
    where : what names mean, in words
    rest : by the index of a sum, what is added to the terms that are given, in one number
    sign : "=" or "←", an inequality, which must hold, or "∝", "~", "≈", which are not evaluated further
    therefore : whether it is a conclusion, marked ∴
    """

    left: str
    right: str | tuple[str, ...]
    values: Mapping[str, Any] | None = None
    of: tuple[str | int, ...] = ()
    where: Mapping[str, str] = field(default_factory=dict)
    rest: Mapping[str, float] = field(default_factory=dict)
    sign: str = "="
    therefore: bool = False

    def __post_init__(self) -> None:
        members = (self.right,) if isinstance(self.right, str) else tuple(self.right)
        for name, value in (("right", members), ("of", tuple(self.of)), ("where", dict(self.where))):
            object.__setattr__(self, name, value)
        if self.sign not in SIGNS:
            raise ParameterError(
                f"the equation of {self.left!r} has the sign {self.sign!r}; use one of {' '.join(SIGNS)}"
            )
        if self.values is not None:
            object.__setattr__(self, "values", {name: self._value(name, v) for name, v in self.values.items()})
        self._match_names()
        if self.of and (not isinstance(self.of[0], str) or self.values is None):
            raise ParameterError(
                f"the equation of {self.left!r}: `of` starts with the name of an attribute, and needs values"
            )

    def _value(self, name: str, value: Any) -> Any:
        """A value in the form in which it is evaluated: floats, arrays of floats, words, or mappings of these."""
        if isinstance(value, str):
            return value
        if isinstance(value, Mapping):
            return {str(label): self._value(name, part) for label, part in value.items()}
        if isinstance(value, list | tuple) and value and all(isinstance(part, str) for part in value):
            return list(value)
        try:
            array = np.asarray(value if value is not None else "", float)
        except (TypeError, ValueError):
            raise InputTypeError(
                f"the equation of {self.left!r}: the value of {name!r} is {value!r}, not numbers"
            ) from None
        if np.isnan(array).any():
            raise ParameterError(f"the equation of {self.left!r}: the value of {name!r} is NaN")
        return float(array) if array.ndim == 0 else array

    def _match_names(self) -> None:
        everywhere = {node for tree in (self.left_tree, *self.members) for node in walk(tree)}
        for what, names in (("value", self.values or {}), ("meaning", self.where), ("rest", self.rest)):
            for name in names:
                node = parse(name)
                if node not in everywhere and not any(getattr(other, "index", None) == name for other in everywhere):
                    raise ParameterError(
                        f"the equation of {self.left!r} does not use {name!r}, of which it has a {what}"
                    )

    # --- trees and values

    @property
    def left_tree(self) -> Node:
        """The left side as a tree."""
        return parse(self.left)

    @property
    def members(self) -> tuple[Node, ...]:
        """The right side, or the members of a chain, as trees."""
        return tuple(parse(member) for member in self.right)

    @cached_property
    def scope(self) -> NameValues:
        """What the names stand for."""
        return NameValues({parse(name): value for name, value in (self.values or {}).items()}, rests=dict(self.rest))

    @property
    def is_evaluated(self) -> bool:
        """Whether it comes to a value."""
        return self.values is not None and self.sign in (*EQUAL, *COMPARED)

    @cached_property
    def measured(self) -> tuple[Measured, ...]:
        """The members with the scales on which they can be trusted."""
        return tuple(measure(member, self.scope) for member in self.members) if self.is_evaluated else ()

    @property
    def value(self) -> Any:
        """What the right side comes to: a number, an array or a word; None without values."""
        return self.measured[-1].value if self.measured else None

    @property
    def left_value(self) -> Measured | None:
        """What the left side comes to by itself, where its names have values."""
        if not self.is_evaluated or self.sign == "←" or (self.sign == "=" and not self._is_known(self.left_tree)):
            return None
        return measure(self.left_tree, self.scope)

    def _is_known(self, node: Node) -> bool:
        if node in self.scope.values or node in CONSTANTS or isinstance(node, Number):
            return True
        inside = list(parts(node))
        return isinstance(node, Apply) and bool(inside) and all(map(self._is_known, inside))

    def fault(self) -> str | None:
        """What is wrong with it as mathematics, in words; None: it is true."""
        if not self.is_evaluated:
            return None
        try:
            left, members = self.left_value, self.measured
        except ParameterError as error:
            return f"has no value: {error}"
        for text, member in zip(self.right[1:], members[1:], strict=True):
            if not _same(members[0], member):
                return f"says {self.right[0]} = {text}, which come to {members[0].value} and {member.value}"
        if left is None:
            return None
        if self.sign == "=":
            says = f"says {self.left} = {self.right[0]}, which come to {left.value} and {members[0].value}"
            return None if _same(left, members[0]) else says
        try:
            is_even = _same(left, members[0])
            true = self.sign in ("≤", "≥") if is_even else compared(self.sign, left.value, members[0].value)
        except ParameterError as error:
            return f"has no value: {error}"
        return None if true else f"says that {left.value} {self.sign} {members[0].value}"

    def shown_value(self, node: Node) -> float | None:
        """The number that is written beside the meaning of a name, if it is one number."""
        value = self.scope.values.get(node)
        return value if isinstance(value, float) else None

    # --- writing

    def rows(
        self,
        notation: Notation,
        *,
        terms: int = TERMS,
        names: Mapping[Node, Node] | None = None,
        hidden: Set[Node] = frozenset(),
        is_result_hidden: bool = False,
        is_broken: bool = False,
    ) -> list[Row]:
        """The lines of the equation: with names, with numbers, and what it comes to; no line twice.

        `is_broken` gives long lines of numbers in several rows, for notations that break no lines by themselves.
        """
        names = names or {}
        symbols = Layout(notation, terms=terms)
        numbers = Layout(notation, self.scope, terms=terms, hidden=hidden, names=names)
        left = symbols.write(renamed(self.left_tree, names))
        written = [symbols.write(renamed(member, names)) for member in self.members]
        rows = [Row(left, self.sign, written[0]), *(Row("", "=", text) for text in written[1:])]
        if not self.is_evaluated:
            return rows
        result = notation.blank().text if is_result_hidden else value_text(self._shown(notation), notation)
        if self.sign in EQUAL:
            lines = numbers.lines(self.members[-1]) if is_broken else [numbers.write(self.members[-1])]
            if lines != [rows[-1].right] and lines != [result]:
                rows += [Row("", "" if i else "=", line) for i, line in enumerate(lines)]
            return rows if rows[-1].right == result else [*rows, Row("", "=", result)]
        left_value = without_noise(*measure(self.left_tree, self.scope))
        pairs = [
            (numbers.write(self.left_tree), numbers.write(self.members[-1])),
            (value_text(left_value, notation), result),
        ]
        return [*rows, *(Row(a, self.sign, b) for a, b in dict.fromkeys(pairs) if (a, b) != (left, written[0]))]

    def _shown(self, notation: Notation) -> Any:
        """The value, without the rounding of terms that cancel unless more digits are asked for than can be trusted."""
        return self.value if notation.digits > TRUSTED else without_noise(*self.measured[-1])

    def __str__(self) -> str:
        return "\n".join(text_lines(self.rows(TextNotation()), self.therefore))


def value_text(value: Any, notation: Notation) -> str:
    """A value as the notation writes it: a number, a word, or a small array."""
    return Layout(notation, NameValues({Symbol("x"): value})).result(value)


def text_lines(rows: Iterable[Row], therefore: bool = False) -> list[str]:
    """The rows of an equation as lines of plain text: names, and under them the numbers and the value."""
    first, *others = rows
    first = Row(f"{'∴ ' if therefore else ''}{first.left}", first.sign, first.right)
    whole = [first, *(row for row in others if row.left)]
    tail = " = ".join(row.right for row in others if not row.left)
    width = max(_width(row.left) for row in whole)
    lines = [f"{' ' * (width - _width(row.left))}{row.left} {row.sign} {row.right}" for row in whole]
    return [*lines, f"{' ' * width} = {tail}"] if tail else lines


def _width(text: str) -> int:
    """The columns that a text takes: marks over letters take none."""
    return sum(not combining(character) for character in text)


def _same(one: Measured, other: Measured) -> bool:
    scale = np.maximum(one.scale, other.scale) if np.shape(one.scale) == np.shape(other.scale) else 0.0
    return agree(one.value, other.value, scale)


def agree(one: Any, other: Any, scale: Any = 0.0) -> bool:
    """Whether two values are the same up to rounding on a scale."""
    if isinstance(one, str) or isinstance(other, str):
        return bool(one == other)
    try:
        one, other = np.asarray(one, float), np.asarray(other, float)
    except (TypeError, ValueError):  # several words, or several values by their labels
        return bool(one == other) if type(one) is type(other) else False
    if one.shape != other.shape:
        return False
    noise = NOISE * np.where(np.isfinite(scale), scale, 0.0)
    with np.errstate(invalid="ignore"):
        near = np.abs(one - other) <= np.maximum(RTOL * np.maximum(np.abs(one), np.abs(other)), noise)
    near &= np.isfinite(one) & np.isfinite(other)  # infinity is near to nothing
    return bool(np.all((one == other) | near))


__all__ = ["Equation", "Row", "agree", "describe", "text_lines", "value_text"]
