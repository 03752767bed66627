"""What a branch of a tree asks of one attribute: an interval of numbers, or a set of codes.

    numeric    low < x ≤ high
    nominal    the code is one of `codes`
    cut        the interval of the number is one of `codes`

Two conditions on the same attribute join to one by `&`. A missing value fulfils none.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from novacula.table.names import printable
from novacula.tree.attributes import Attribute
from novacula.tree.structure import Tree

LISTED = 12
"""Of more values than these, those that are not meant are named if they are fewer."""

SHORT = 9
"""Characters of a number that fit on a branch."""


@dataclass(frozen=True, slots=True)
class Condition:
    """low < x ≤ high for a numeric attribute; for the others `codes`, rising."""

    attribute: Attribute
    low: float = -math.inf
    high: float = math.inf
    codes: tuple[int, ...] = ()

    def __and__(self, other: Self) -> Self:
        """What fulfils both, which must be on the same attribute."""
        if self.attribute.kind == "numeric":
            return replace(self, low=max(self.low, other.low), high=min(self.high, other.high))
        return replace(self, codes=tuple(sorted({*self.codes} & {*other.codes})))

    def holds(self, values: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """Whether each value fulfils it: numbers of a numeric attribute, codes of the others."""
        if self.attribute.kind == "numeric":
            known = ~np.isnan(values)
            # An open end is not compared: −∞ is a number that is not above −∞.
            above = values > self.low if self.low > -math.inf else True
            return known & above & (values <= self.high)
        member = np.zeros(self.attribute.size, bool)
        member[list(self.codes)] = True
        return (values >= 0) & member[np.maximum(values, 0)]

    @property
    def intervals(self) -> list[tuple[float, float]]:
        """The numbers that fulfil it, as (low, high]; neighbouring intervals of a cut attribute are one."""
        if self.attribute.kind == "numeric":
            return [(self.low, self.high)]
        edges = (-math.inf, *self.attribute.edges, math.inf)
        intervals: list[tuple[float, float]] = []
        for code in self.codes:
            low = intervals.pop()[0] if intervals and intervals[-1][1] == edges[code] else edges[code]
            intervals.append((low, edges[code + 1]))
        return intervals

    @property
    def others(self) -> tuple[int, ...]:
        """The codes of the domain that do not fulfil it."""
        meant = set(self.codes)
        return tuple(code for code in range(self.attribute.size) if code not in meant)

    # --- in words ----------------------------------------------------------------------------------------------

    def __str__(self) -> str:
        name = printable(self.attribute.name)
        if self.attribute.kind == "nominal":
            return f"{name} {self._values()}"
        parts = [_interval(name, low, high, digits) for low, high in self.intervals]
        if len(parts) == 1:
            return parts[0]
        return f"({' or '.join(parts)})" if parts else f"{name} in {{}}"

    def _values(self) -> str:
        if len(self.codes) == 1:
            return f"= {self._labels(self.codes)}"
        if len(self.codes) > LISTED and 2 * len(self.codes) > self.attribute.size:
            return f"not in {{{self._labels(self.others)}}}"
        return f"in {{{self._labels(self.codes)}}}"

    def _labels(self, codes: tuple[int, ...]) -> str:
        return ", ".join(printable(str(self.attribute.labels[code])) for code in codes)

    def on_branch(self) -> str:
        """The same without the name of the attribute and with shorter numbers, as it is written on a branch."""
        if self.attribute.kind != "nominal":
            return " or ".join(_interval("", low, high, few_digits) for low, high in self.intervals)
        return self._labels(self.codes) if len(self.codes) <= LISTED else self._values()


def branch_conditions(tree: Tree, attribute: Attribute, node: int) -> list[Condition]:
    """What each branch of a node asks, in order."""
    if attribute.kind == "numeric":
        threshold = float(tree.threshold[node])
        return [Condition(attribute, high=threshold), Condition(attribute, low=threshold)]
    branch_of = np.full(attribute.size, tree.otherwise[node])
    codes, branches = tree.arms(node)
    branch_of[codes] = branches
    found: list[list[int]] = [[] for _ in range(tree.arity[node])]
    for code, branch in enumerate(branch_of.tolist()):
        if branch >= 0:
            found[branch].append(code)
    return [Condition(attribute, codes=tuple(codes)) for codes in found]


def _interval(name: str, low: float, high: float, write: Callable[[float], str]) -> str:
    if low == -math.inf and high == math.inf:
        return f"{name} is known".lstrip()
    if low == -math.inf:
        return f"{name} ≤ {write(high)}".lstrip()
    if high == math.inf:
        return f"{name} > {write(low)}".lstrip()
    return f"{write(low)} < {name} ≤ {write(high)}" if name else f"{write(low)} to {write(high)}"


def digits(number: float) -> str:
    """A number in the fewest digits that are this very number.

    >>> digits(2.45), digits(10.0), digits(0.1 + 0.2)
    ('2.45', '10', '0.30000000000000004')
    """
    return repr(float(number) + 0.0).removesuffix(".0")  # + 0.0 for −0.0, which is 0


def few_digits(number: float) -> str:
    """A number where there is little room: six digits of one that is long.

    >>> few_digits(2001.5), few_digits(1.239534528097614)
    ('2001.5', '1.23953')
    """
    exact = digits(number)
    return exact if len(exact) <= SHORT else f"{number:.6g}"


def rounded(number: float, significant: int = 4) -> str:
    """A number at a few significant digits; one that is larger is rounded to a whole number, while that is short.

    >>> rounded(23.4117), rounded(206855.8), rounded(0.00123456), rounded(1.273, 2), rounded(3e12)
    ('23.41', '206856', '0.001235', '1.3', '3e+12')
    """
    whole = f"{number:.0f}"
    is_large = abs(number) >= 10 ** (significant - 1)
    return whole if is_large and len(whole) <= SHORT else f"{number + 0.0:.{significant}g}"


def amount(weight: float) -> str:
    """A weight of examples: a count as it is, a part of one at a few digits.

    >>> amount(14.0), amount(3.3846), amount(0.0625)
    ('14', '3.38', '0.0625')
    """
    return digits(round(weight, 2)) if weight >= 1 else f"{weight:.3g}"
