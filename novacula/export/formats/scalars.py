"""Vectors as single numbers with names, for languages that have no vectors: SQL and PMML.

Each entry of a vector becomes a text of the language; one that is long gets a name, so that what is used again is not
written again. Sums are added in their order, a few terms at a time, since an expression may only be so deep.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from novacula.errors import ExportError
from novacula.export.deciding import Demand, Distances, FirstRule, Nearest, Trees
from novacula.export.program import Program
from novacula.export.vectors import (
    COMPARISONS,
    Choose,
    Combine,
    ConstantVector,
    Join,
    Largest,
    Lookup,
    Map,
    Pick,
    Read,
    Reduce,
    Vector,
    WeightedSums,
)

TOGETHER = 50
"""Terms of a sum that are added in one expression."""
SHORT = 60
"""Characters of a text that is written again where it is needed."""


@dataclass(frozen=True)
class Scalar:
    """A number in a language, the names that it uses, and the condition that it is 1, where it is 1 or 0."""

    text: str
    names: frozenset[str] = frozenset()
    condition: str | None = None


class Language(ABC):
    """How a language writes what scalars are made of."""

    @abstractmethod
    def number(self, value: float) -> str:
        """A constant; NaN is a missing value."""

    @abstractmethod
    def name(self, name: str) -> str:
        """A number by its name."""

    @abstractmethod
    def arithmetic(self, operator: str, parts: Sequence[str]) -> str:
        """Parts from left to right with +, −, ×, / or a power between them."""

    @abstractmethod
    def function(self, function: str, argument: str) -> str:
        """A function of one number."""

    @abstractmethod
    def compared(self, operator: str, left: str, right: str) -> str:
        """A condition, which does not hold where a value is missing."""

    @abstractmethod
    def is_missing(self, argument: str) -> str:
        """A condition that a value is missing."""

    @abstractmethod
    def one_of(self, argument: str, codes: Iterable[int]) -> str:
        """A condition that a code is one of some."""

    @abstractmethod
    def all_of(self, conditions: Sequence[str]) -> str:
        """A condition that all hold, of which there is one at least."""

    @abstractmethod
    def cases(self, cases: Sequence[tuple[str, str]], otherwise: str) -> str:
        """The value of the first condition that holds."""

    @abstractmethod
    def read(self, place: int) -> str:
        """The value of a column of the program."""


@dataclass(eq=False)
class Lowering:
    """The named numbers of a program in a language, each after those that it uses, and the entries of its vectors."""

    program: Program
    language: Language
    lines: dict[str, Scalar] = field(default_factory=dict)
    entries: dict[Vector, list[Scalar]] = field(default_factory=dict)

    def run(self) -> None:
        """Write all vectors."""
        for vector in self.program.steps:
            self.entries[vector] = [self.short(scalar) for scalar in self.written(vector)]

    def trees(self, vector: Trees) -> list[Scalar]:
        """The entries of a sum of trees, which each language writes in its own way."""
        raise NotImplementedError

    # --- names ------------------------------------------------------------------------------------------------------

    def short(self, scalar: Scalar) -> Scalar:
        """The scalar itself if it is short, else one that is its name."""
        return scalar if len(scalar.text) <= SHORT else self.named(scalar)

    def named(self, scalar: Scalar) -> Scalar:
        """A scalar by a name of its own."""
        taken = {column.name for column in self.program.columns}
        name = free_name(f"v{len(self.lines)}", taken)
        self.lines[name] = scalar
        return Scalar(self.language.name(name), frozenset([name]))

    def of(self, vector: Vector) -> list[Scalar]:
        """The entries of a vector that was written."""
        return self.entries[vector]

    def number(self, value: float) -> Scalar:
        """A constant."""
        return Scalar(self.language.number(float(value)))

    # --- operations ---------------------------------------------------------------------------------------------------

    def written(self, vector: Vector) -> list[Scalar]:
        """The entries of a vector."""
        match vector:
            case Read():
                return [self.named(Scalar(self.language.read(place))) for place in vector.columns]
            case ConstantVector():
                return [self.number(value) for value in vector.values]
            case Pick():
                return [self.of(vector.source)[place] for place in vector.places]
            case Join():
                return [scalar for part in vector.parts for scalar in self.of(part)]
            case Lookup():
                return self.lookup(self.of(vector.source)[vector.place], vector.table)
            case Map():
                return [self.mapped(vector.function, scalar) for scalar in self.of(vector.source)]
            case Combine():
                pairs = zip(self.wide(vector.left, vector.width), self.wide(vector.right, vector.width), strict=True)
                return [self.combined(vector.operator, left, right) for left, right in pairs]
            case Choose():
                parts = (self.wide(part, vector.width) for part in (vector.condition, vector.yes, vector.no))
                return [self.chosen(*three) for three in zip(*parts, strict=True)]
            case Reduce():
                return [self.reduced(vector.operator, self.of(vector.source))]
            case WeightedSums():
                return self.linear(vector)
            case Trees():
                return self.trees(vector)
            case _:
                return self.compared(vector)

    def compared(self, vector: Vector) -> list[Scalar]:
        """The entries of a vector that compares numbers."""
        match vector:
            case FirstRule():
                return [self.first_rule(vector)]
            case Distances():
                return self.distances(vector)
            case Largest():
                return [self.largest(self.of(vector.source), vector.slack)]
            case Nearest():
                raise ExportError(
                    "nearest neighbours are found by sorting, which one expression cannot: python, c, json and onnx can"
                )
        raise TypeError(f"{type(vector).__name__} is no operation")

    def wide(self, vector: Vector, width: int) -> list[Scalar]:
        """The entries of a vector, one of them as often as it takes."""
        entries = self.of(vector)
        return entries * width if len(entries) == 1 else entries

    def mapped(self, function: str, scalar: Scalar) -> Scalar:
        """A function of a number."""
        if function == "missing":
            return self.truth(self.language.is_missing(scalar.text), scalar.names)
        return Scalar(self.language.function(function, scalar.text), scalar.names)

    def combined(self, operator: str, left: Scalar, right: Scalar) -> Scalar:
        """Two numbers with an operator between them."""
        names = left.names | right.names
        if operator in COMPARISONS:
            return self.truth(self.language.compared(operator, left.text, right.text), names)
        if operator in ("max", "min"):
            left, right = self.short(left), self.short(right)
            holds = self.language.compared(">=" if operator == "max" else "<=", left.text, right.text)
            return Scalar(self.language.cases([(holds, left.text)], right.text), left.names | right.names)
        return Scalar(self.language.arithmetic(operator, [left.text, right.text]), names)

    def truth(self, condition: str, names: frozenset[str]) -> Scalar:
        """1 where a condition holds, else 0."""
        one, zero = self.language.number(1.0), self.language.number(0.0)
        return Scalar(self.language.cases([(condition, one)], zero), names, condition)

    def chosen(self, asked: Scalar, yes: Scalar, no: Scalar) -> Scalar:
        """One of two numbers."""
        condition = asked.condition or self.language.compared("=", asked.text, self.language.number(1.0))
        text = self.language.cases([(condition, yes.text)], no.text)
        return Scalar(text, asked.names | yes.names | no.names)

    def reduced(self, operator: str, entries: Sequence[Scalar]) -> Scalar:
        """The sum or the largest of some numbers."""
        if operator == "sum":
            return self.sum(self.number(0.0), entries)
        most = entries[0]
        for entry in entries[1:]:
            most = self.short(self.combined("max", most, entry))
        return most

    def sum(self, start: Scalar, terms: Sequence[Scalar]) -> Scalar:
        """A number to which terms are added in order."""
        total = start
        for begin in range(0, len(terms), TOGETHER):
            some = [total, *terms[begin : begin + TOGETHER]]
            names = frozenset().union(*(term.names for term in some))
            total = Scalar(self.language.arithmetic("+", [term.text for term in some]), names)
            if begin + TOGETHER < len(terms):
                total = self.named(total)
        return total

    def linear(self, vector: WeightedSums) -> list[Scalar]:
        """b + xW, without the weights that are 0 of numbers that cannot be missing."""
        entries, sums = self.of(vector.source), []
        for k in range(vector.width):
            own = vector.weights[:, k].tolist()
            terms = [
                self.combined("*", entry, self.number(weight)) if weight != 1.0 else entry
                for entry, weight in zip(entries, own, strict=True)
                if weight != 0.0 or not vector.weights[:, k].any()
            ]
            sums.append(self.sum(self.number(vector.bias[k]), terms))
        return sums

    def lookup(self, code: Scalar, table: np.ndarray) -> list[Scalar]:
        """The entries of a row of a table."""
        found = []
        for column in table.T.tolist():
            *values, otherwise = column
            codes: dict[float, list[int]] = {}
            for place, value in enumerate(values):
                if value != otherwise:
                    codes.setdefault(value, []).append(place)
            cases = [(self.language.one_of(code.text, held), self.language.number(v)) for v, held in codes.items()]
            text = self.language.cases(cases, self.language.number(otherwise))
            found.append(Scalar(text, code.names if cases else frozenset()))
        return found

    def largest(self, entries: Sequence[Scalar], slack: float) -> Scalar:
        """The place of the first entry that is large enough."""
        most = self.reduced("max", entries)
        if slack != 1.0:
            most = self.combined("*", most, self.number(slack))
        most = self.short(most)
        cases = [
            (self.language.compared(">=", entry.text, most.text), self.language.number(place))
            for place, entry in enumerate(entries)
        ]
        names = most.names.union(*(entry.names for entry in entries))
        return Scalar(self.language.cases(cases, self.language.number(float("nan"))), names)

    def first_rule(self, vector: FirstRule) -> Scalar:
        """The number of the first rule whose demands are met."""
        entries = self.of(vector.source)
        cases: list[tuple[str, str]] = []
        for number, demands in enumerate(vector.rules):
            conditions = [part for demand in demands for part in self.demanded(demand, entries)]
            if not conditions:  # a rule without a condition always holds
                return Scalar(
                    self.language.cases(cases, self.language.number(number)),
                    frozenset().union(*(entry.names for entry in entries)),
                )
            cases.append((self.language.all_of(conditions), self.language.number(number)))
        text = self.language.cases(cases, self.language.number(len(vector.rules)))
        return Scalar(text, frozenset().union(*(entry.names for entry in entries)))

    def demanded(self, demand: Demand, entries: Sequence[Scalar]) -> Iterable[str]:
        """The conditions of a demand."""
        value = entries[demand.entry].text
        if demand.codes is not None:
            yield self.language.one_of(value, demand.codes)
            return
        if demand.low > -np.inf:
            yield self.language.compared(">", value, self.language.number(demand.low))
        if demand.high < np.inf:
            yield self.language.compared("<=", value, self.language.number(demand.high))

    def distances(self, vector: Distances) -> list[Scalar]:
        """How far each point is."""
        if vector.codes_from is not None or vector.power != 2.0:
            raise ExportError(
                "nearest neighbours are found by sorting, which one expression cannot: python, c, json and onnx can"
            )
        entries, found = self.of(vector.source), []
        for point in vector.points.tolist():
            squares = []
            for entry, value in zip(entries, point, strict=True):
                gap = self.combined("-", entry, self.number(value))
                squares.append(self.combined("*", gap, gap))
            found.append(self.sum(self.number(0.0), squares))
        return found


def free_name(name: str, taken: Container[str]) -> str:
    """The name, with lines behind it while it is taken."""
    while name in taken:
        name += "_"
    return name


def levels(lines: Mapping[str, Scalar]) -> list[list[str]]:
    """The names in groups, each of which uses names of the groups before it only."""
    level: dict[str, int] = {}
    for name, scalar in lines.items():
        level[name] = 1 + max((level[other] for other in scalar.names), default=-1)
    groups: list[list[str]] = [[] for _ in range(1 + max(level.values(), default=-1))]
    for name, at in level.items():
        groups[at].append(name)
    return groups
