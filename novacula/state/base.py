"""`Form`, what a value may be, and the scope in which dimensions have sizes."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

Dim: TypeAlias = str | int
"""A dimension: its size, its name, a sum of names, as in "columns+targets", any of them with a difference, as in
"columns+1", or "any"."""

_DIM = re.compile(r"([a-z_]+(?:\+[a-z_]+)*)([+-]\d+)?")


class StateError(ValueError):
    """A value is not of the form that was declared: the sentence says which, and what it should be."""


class NotFiniteError(StateError):
    """A number is NaN or infinite where it must not be."""


@dataclass
class Scope:
    """The sizes of named dimensions, the parameters that decide between forms, and choices that others follow."""

    sizes: dict[str, int] = field(default_factory=dict)
    parameter: Callable[[str], Any] | None = None
    choices: dict[str, int] = field(default_factory=dict)

    def fits(self, dim: Dim, size: int) -> bool:
        """Whether a dimension has this size; a name that is new gets it, of a sum the last one."""
        if isinstance(dim, int):
            return dim == size
        if self.sizes.get(dim) == size:  # most names are known, and stand alone
            return True
        (*others, last), difference = parts_of(dim)
        if last == "any" and not others:
            return True
        difference += sum(map(self.size, others))
        return self.sizes.setdefault(last, max(size - difference, 0)) + difference == size

    def size(self, dim: Dim) -> int:
        """The size of a dimension that an earlier attribute, the schema or the classes have given."""
        if isinstance(dim, int):
            return dim
        parts, difference = parts_of(dim)
        for part in parts:
            if part not in self.sizes:
                raise StateError(f"nothing before says how many {part} there are")
        return sum(self.sizes[part] for part in parts) + difference

    def inner(self, names: Mapping[str, Dim]) -> Scope:
        """The scope of a part that has names of its own for some dimensions."""
        sizes = {own: self.size(outer) for own, outer in names.items() if self.knows(outer)}
        return Scope(sizes, self.parameter)

    def learn(self, part: Scope, names: Mapping[str, Dim]) -> None:
        """Take over what a part says of dimensions that are new here."""
        for own, outer in names.items():
            if own in part.sizes and not self.fits(outer, part.sizes[own]):
                raise StateError(f"there are {part.sizes[own]} {own}, which is not the number of {outer}")

    def knows(self, dim: Dim) -> bool:
        """Whether the size of a dimension is known."""
        return isinstance(dim, int) or self.sizes.keys() >= set(parts_of(dim)[0])


@cache
def parts_of(dim: str) -> tuple[tuple[str, ...], int]:
    """The names whose sizes a dimension adds up, and the difference that is added to them."""
    match = _DIM.fullmatch(dim)
    if match is None:
        raise ValueError(f"{dim!r} is not a dimension: say a name, or a name and a difference such as 'columns+1'")
    return tuple(match[1].split("+")), int(match[2] or 0)


class Form(ABC):
    """What a value may be."""

    @abstractmethod
    def check(self, value: Any, where: str, scope: Scope) -> None:
        """Raise `StateError` unless the value has this form; `where` is what the sentence calls it."""

    def check_each(self, values: Sequence[Any], where: str, scope: Scope) -> None:
        """The same for several values."""
        for i, value in enumerate(values):
            self.check(value, f"{where}[{i}]", scope)

    @abstractmethod
    def words(self) -> str:
        """The form in a few words, for people."""

    def forgeries(self, value: Any, random: np.random.Generator) -> list[Any]:
        """Values near a right one that this form does not have, or that may not fit what is beside it."""
        return [None, "forged", -1, 2**40, 0.5, []]

    def refuse(self, value: Any, where: str) -> StateError:
        """The error of a value that does not have this form."""
        return StateError(f"{where} is {kind_of(value)}, where {self.words()} should be")


State: TypeAlias = Mapping[str, Form]
"""What a learner or a dataclass declares: the form of each attribute, by name."""


@dataclass(frozen=True)
class OptionalForm(Form):
    """An attribute that may not be there; `beside`: it is there exactly if that other attribute is."""

    form: Form
    beside: str | None = None

    def check(self, value: Any, where: str, scope: Scope) -> None:
        """Check it where it is."""
        self.form.check(value, where, scope)

    def words(self) -> str:
        """With the condition."""
        return f"{self.form.words()}, " + (f"there with {self.beside}" if self.beside else "not always there")

    def forgeries(self, value: Any, random: np.random.Generator) -> list[Any]:
        """Those of the form."""
        return self.form.forgeries(value, random)


def check_state(state: State, values: Mapping[str, Any], scope: Scope, owner: str = "") -> None:
    """Check attributes against their declaration: none may be missing, and none may be unknown."""
    if not values.keys() <= state.keys():
        unknown = next(name for name in values if name not in state)
        raise StateError(f"{owner}{unknown} is not an attribute that is declared")
    for name, form in state.items():  # in the order of the declaration, which gives dimensions their sizes
        if name in values:
            form.check(values[name], f"{owner}{name}", scope)
        if not isinstance(form, OptionalForm):
            if name not in values:
                raise StateError(f"{owner}{name} is missing")
        elif form.beside is not None and (name in values) != (form.beside in values):
            there, gone = (name, form.beside) if name in values else (form.beside, name)
            raise StateError(f"{owner}{there} is there without its {gone}")


def declared(kind: type) -> Mapping[str, Form]:
    """All that a class declares, with what its bases do."""
    return _with_bases(kind)


@cache
def _with_bases(kind: type) -> Mapping[str, Form]:
    state: dict[str, Form] = {}
    for base in reversed(kind.__mro__):
        state |= vars(base).get("state", {})
    return MappingProxyType(state)


def describe(state: State) -> str:
    """A declaration as lines of text: names, and what they hold."""
    width = max(map(len, state), default=0)
    return "\n".join(f"{name:{width}}  {form.words()}" for name, form in state.items())


def kind_of(value: Any) -> str:
    """What a value is, in a few words that do not repeat it."""
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} of shape {value.shape}"
    return "None" if value is None else f"a {type(value).__name__}"
