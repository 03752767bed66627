"""Forms of what holds other values: tuples, lists, dictionaries, dataclasses, and choices between forms."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from novacula.state.base import Dim, Form, NotFiniteError, OptionalForm, Scope, StateError, check_state, declared


@dataclass(frozen=True)
class NullableForm(Form):
    """A value that may be None."""

    form: Form

    def check(self, value: Any, where: str, scope: Scope) -> None:
        """Check it where it is not None."""
        if value is not None:
            self.form.check(value, where, scope)

    def words(self) -> str:
        """With the alternative."""
        return f"{self.form.words()}, or None"

    def forgeries(self, value: Any, random: np.random.Generator) -> list[Any]:
        """None in place of something, and those of the form."""
        return super().forgeries(value, random) if value is None else [None, *self.form.forgeries(value, random)]


@dataclass(frozen=True)
class EachForm(Form):
    """A tuple or list of values of one form, as many as a dimension says."""

    form: Form
    dim: Dim | None = None

    def check(self, value: Any, where: str, scope: Scope) -> None:
        """How many, then one by one."""
        if type(value) not in (tuple, list):
            raise self.refuse(value, where)
        if self.dim is not None and not scope.fits(self.dim, len(value)):
            raise StateError(f"{where} holds {len(value)}, but there are {scope.size(self.dim)} {self.dim}")
        if value:
            self.form.check_each(value, where, scope)

    def words(self) -> str:
        """What there is for each."""
        return f"for each of the {self.dim}: {self.form.words()}" if self.dim else f"any number of: {self.form.words()}"

    def forgeries(self, value: Any, random: np.random.Generator) -> list[Any]:
        """One less, one more, another order, one of them forged."""
        kind = type(value)
        forged = [*super().forgeries(value, random), kind(), kind([*value, *value[-1:]]), kind(value[:-1])]
        return forged + _one_forged(value, dict(enumerate(value)), self.form, random)


@dataclass(frozen=True)
class PartsForm(Form):
    """A tuple or list of so many values, each of its own form."""

    forms: tuple[Form, ...]

    def check(self, value: Any, where: str, scope: Scope) -> None:
        """As many, then each by its form."""
        if type(value) not in (tuple, list) or len(value) != len(self.forms):
            raise self.refuse(value, where)
        for i, (item, form) in enumerate(zip(value, self.forms, strict=True)):
            form.check(item, f"{where}[{i}]", scope)

    def words(self) -> str:
        """One after the other."""
        return f"({'; '.join(form.words() for form in self.forms)})"

    def forgeries(self, value: Any, random: np.random.Generator) -> list[Any]:
        """One less, one more, one of them forged."""
        kind = type(value)
        forged = [*super().forgeries(value, random), kind(value[:-1]), kind([*value, *value[-1:]])]
        for i, form in enumerate(self.forms):
            forged += _one_forged(value, {i: value[i]}, form, random)
        return forged


@dataclass(frozen=True)
class KeyedForm(Form):
    """A dictionary with stated keys, each with its form."""

    state: Mapping[str, Form]

    def check(self, value: Any, where: str, scope: Scope) -> None:
        """These keys and no others."""
        if type(value) is not dict:
            raise self.refuse(value, where)
        check_state(self.state, value, scope, f"{where}.")

    def words(self) -> str:
        """Key by key."""
        return "a dictionary: " + "; ".join(f"{name}: {form.words()}" for name, form in self.state.items())

    def forgeries(self, value: Any, random: np.random.Generator) -> list[Any]:
        """Without a key, and with one forged."""
        forged = [
            *super().forgeries(value, random),
            {},
            *({k: v for k, v in value.items() if k != key} for key in value),
        ]
        for name, item in value.items():
            forged += _one_forged(value, {name: item}, self.state[name], random)
        return forged


@dataclass(frozen=True)
class MappingForm(Form):
    """A dictionary from names to values of one form, as many as a dimension says."""

    form: Form
    dim: Dim | None = None

    def check(self, value: Any, where: str, scope: Scope) -> None:
        """Names are text; then value by value."""
        if type(value) is not dict or not all(type(name) is str for name in value):
            raise self.refuse(value, where)
        if self.dim is not None and not scope.fits(self.dim, len(value)):
            raise StateError(f"{where} holds {len(value)}, but there are {scope.size(self.dim)} {self.dim}")
        for name, item in value.items():
            self.form.check(item, f"{where}[{name!r}]", scope)

    def words(self) -> str:
        """What there is for each name."""
        return f"a dictionary of {self.dim or 'names'}, for each: {self.form.words()}"

    def forgeries(self, value: Any, random: np.random.Generator) -> list[Any]:
        """Without the first, under other names, and one forged."""
        renamed = dict(zip([*list(value)[1:], "forged"], value.values(), strict=True))
        forged = [*super().forgeries(value, random), {}, renamed, dict(list(value.items())[1:])]
        return forged + _one_forged(value, value, self.form, random)


@dataclass(frozen=True)
class RecordForm(Form):
    """A dataclass, which declares its own fields; `sizes` says what its dimensions are called outside of it."""

    kind: type
    sizes: Mapping[str, Dim] = field(default_factory=dict)
    or_derived: bool = False

    def check(self, value: Any, where: str, scope: Scope) -> None:
        """The fields that its constructor takes, by their declaration."""
        if not (isinstance(value, self.kind) if self.or_derived else type(value) is self.kind):
            raise self.refuse(value, where)
        inner = scope.inner(self.sizes)
        kind: type = type(value)
        check_state(declared(kind), {name: getattr(value, name) for name in _given(kind)}, inner, f"{where}.")
        scope.learn(inner, self.sizes)

    def words(self) -> str:
        """Its name."""
        return f"a {self.kind.__name__}"

    def forgeries(self, value: Any, random: np.random.Generator) -> list[Any]:
        """With one field forged, as far as its constructor allows."""
        forged = super().forgeries(value, random)
        kind: type = type(value)
        state = declared(kind)
        for name in [name for name in _given(kind) if name in state]:
            for other in state[name].forgeries(getattr(value, name), random):
                changed = copy.copy(value)
                object.__setattr__(changed, name, other)  # past the constructor, which may refuse it
                forged.append(changed)
        return forged


@cache
def _given(kind: type) -> tuple[str, ...]:
    """The fields of a dataclass that its constructor takes."""
    return tuple(one.name for one in dataclasses.fields(kind) if one.init)


@dataclass(frozen=True)
class InstanceForm(Form):
    """A value of some class that checks itself, such as a schema or a learner that was loaded with its own state."""

    kinds: tuple[type, ...]

    def check(self, value: Any, where: str, scope: Scope) -> None:
        """Its class."""
        if not isinstance(value, self.kinds):
            raise self.refuse(value, where)

    def words(self) -> str:
        """The classes."""
        return " or ".join(f"a {kind.__name__}" for kind in self.kinds)


@dataclass(frozen=True)
class ChoiceForm(Form):
    """A value of one of several forms: the first that it has, or where others are `alike` the one that they have."""

    forms: tuple[Form, ...]
    alike: str | None = None

    def check(self, value: Any, where: str, scope: Scope) -> None:
        """One after the other; the sentence is that of the last, or of one that only a number is not finite for."""
        made = None if self.alike is None else scope.choices.get(self.alike)
        if made is not None:
            self.forms[made].check(value, where, scope)
            return
        fault = StateError()
        for form in self.forms:
            trial = Scope(dict(scope.sizes), scope.parameter, scope.choices)
            try:
                form.check(value, where, trial)
            except StateError as error:
                fault = fault if isinstance(fault, NotFiniteError) else error
                continue
            scope.sizes.update(trial.sizes)
            self._choose(form, scope)
            return
        raise fault

    def _choose(self, form: Form, scope: Scope) -> None:
        if self.alike is not None:
            scope.choices[self.alike] = self.forms.index(form)

    def words(self) -> str:
        """All of them."""
        return ", or ".join(form.words() for form in self.forms)

    def forgeries(self, value: Any, random: np.random.Generator) -> list[Any]:
        """Those of the form that the value has, of some."""
        for form in self.forms:
            try:
                return form.forgeries(value, random)
            except (TypeError, AttributeError, KeyError, IndexError):
                continue
        return super().forgeries(value, random)


@dataclass(frozen=True)
class ByParameterForm(Form):
    """A value whose form a parameter of the learner decides."""

    parameter: str
    forms: Mapping[Any, Form]

    def check(self, value: Any, where: str, scope: Scope) -> None:
        """By the form that the parameter chooses."""
        if scope.parameter is None or scope.parameter(self.parameter) not in self.forms:
            raise StateError(f"{where} has no form for this {self.parameter}")
        self.forms[scope.parameter(self.parameter)].check(value, where, scope)

    def words(self) -> str:
        """By the parameter."""
        return f"by {self.parameter}: " + "; ".join(f"{name!r}: {form.words()}" for name, form in self.forms.items())

    def forgeries(self, value: Any, random: np.random.Generator) -> list[Any]:
        """Those of the first form."""
        return next(iter(self.forms.values())).forgeries(value, random)


def _one_forged(whole: Any, items: Mapping[Any, Any], form: Form, random: np.random.Generator) -> list[Any]:
    """Copies of a holder in which one of these items is forged."""
    if not items:
        return []
    key = list(items)[int(random.integers(len(items)))]
    forged = []
    for other in form.forgeries(items[key], random):
        if isinstance(whole, dict):
            forged.append({**whole, key: other})
        else:
            forged.append(type(whole)([*whole[:key], other, *whole[key + 1 :]]))
    return forged


def optional(form: Form, beside: str | None = None) -> Form:
    """An attribute that may not be there, or is there exactly if another one is, `beside` it."""
    return OptionalForm(form, beside)


def nullable(form: Form) -> Form:
    """A value that may be None."""
    return NullableForm(form)


def each(form: Form, dim: Dim | None = None) -> Form:
    """A tuple or list of values of one form."""
    return EachForm(form, dim)


def parts(*forms: Form) -> Form:
    """A tuple or list of values, each of its own form."""
    return PartsForm(forms)


def keyed(state: Mapping[str, Form]) -> Form:
    """A dictionary with these keys."""
    return KeyedForm(state)


def mapping(form: Form, dim: Dim | None = None) -> Form:
    """A dictionary from names to values of one form."""
    return MappingForm(form, dim)


def record(kind: type, **sizes: Dim) -> Form:
    """A dataclass with a declaration of its own; `record(Tree, classes="classes")` passes sizes on."""
    return RecordForm(kind, sizes)


def any_record(base: type, **sizes: Dim) -> Form:
    """A dataclass of this base, by the declaration of its own class."""
    return RecordForm(base, sizes, or_derived=True)


def instance(*kinds: type) -> Form:
    """A value of one of these classes, which checks itself."""
    return InstanceForm(kinds)


def one_of(*forms: Form, alike: str | None = None) -> Form:
    """A value of one of these forms; all that are `alike` by one name have their first form, or all their second."""
    return ChoiceForm(forms, alike)


def by_parameter(parameter: str, forms: Mapping[Any, Form]) -> Form:
    """A value whose form a parameter decides."""
    return ByParameterForm(parameter, forms)
