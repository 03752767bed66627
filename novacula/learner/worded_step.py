"""Steps whose formula is words and whose arithmetic is an expression of its own: what equations replace."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

from novacula.errors import InputTypeError, ParameterError
from novacula.learner.work import Step, WorkTable
from novacula.mathematics import Equation, parse
from novacula.mathematics.measuring import NameValues, measure
from novacula.mathematics.tree import Node, Symbol, walk

if TYPE_CHECKING:
    from novacula.learner.figure import Figure


@dataclass(frozen=True)
class _Fields:
    title: str
    formula: str = ""
    expression: str = ""
    values: Mapping[str, float] = field(default_factory=dict)
    result: float | None = None
    of: tuple[str | int, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    table: WorkTable | None = None
    figure: Figure | None = None
    note: str = ""
    equation: Equation | tuple[Equation, ...] = ()


@dataclass(frozen=True)
class WordedStep(Step, _Fields):
    """One step of a derivation; it may have any of its parts, and must be consistent in those it has.

    `formula` is read by people, `expression` by the machine: plain arithmetic over the names in `values`.
    `result` is what it comes to. `of` is the path to where the model keeps that number: ("class_prior_", 1),
    or ("predict_proba", 0, 1) for the output of a method. `labels` say in words what a value is.
    """

    def __post_init__(self) -> None:
        values = {_name(name): self._number(value, f"the value of {name!r}") for name, value in self.values.items()}
        labels = {_name(name): label for name, label in self.labels.items()}
        result = None if self.result is None else self._number(self.result, "the result")
        for name, value in {"values": values, "labels": labels, "result": result, "of": tuple(self.of)}.items():
            object.__setattr__(self, name, value)
        self._match_names()
        if self.of and not isinstance(self.of[0], str):
            raise ParameterError(f"step {self.title!r}: `of` starts with the name of an attribute, not {self.of[0]!r}")
        if self.of and self.value is None:
            raise ParameterError(f"step {self.title!r} is tied to {self.of} but has no result")

    def _number(self, value: Any, what: str) -> float:
        try:
            number = float(value)
        except (TypeError, ValueError):
            raise InputTypeError(f"step {self.title!r}: {what} is {value!r}, not a number") from None
        if math.isnan(number):
            raise ParameterError(f"step {self.title!r}: {what} is NaN")
        return number

    def _match_names(self) -> None:
        used = {node.name for node in walk(self.tree) if isinstance(node, Symbol)} if self.tree is not None else set()
        for name in sorted(used - self.values.keys()):
            raise ParameterError(f"step {self.title!r}: the expression uses {name!r}, which has no value")
        for name in sorted(self.values.keys() - used):
            raise ParameterError(f"step {self.title!r}: the expression does not use the value {name!r}")
        for name in sorted(self.labels.keys() - used):
            raise ParameterError(f"step {self.title!r}: the label {name!r} belongs to no value")

    @property
    def tree(self) -> Node | None:
        """The expression as a tree, or None."""
        return parse(self.expression) if self.expression else None

    @property
    def scope(self) -> NameValues:
        """What the names of the expression stand for."""
        return NameValues({Symbol(name): value for name, value in self.values.items()})

    @property
    def value(self) -> float | None:
        """The result as stated or, where none is stated, what the expression comes to."""
        if self.result is not None or self.tree is None:
            return self.result
        return float(measure(self.tree, self.scope).value)


def _name(name: str) -> str:
    """A name as Python reads it in an expression, where the micro sign µ is the Greek letter μ."""
    return normalize("NFKC", name)
