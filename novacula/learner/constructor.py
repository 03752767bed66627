"""Constructors that take the parameters of another class too, so that each parameter has its default in one place."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from inspect import Parameter, signature
from typing import Any, TypeVar

from novacula.errors import InputTypeError

Constructor = TypeVar("Constructor", bound=Callable[..., None])


def with_parameters_of(other: type, names: Sequence[str] | None = None) -> Callable[[Constructor], Constructor]:
    """For an `__init__` whose **keywords are parameters of another class, all or those named: its signature lists them.

    scikit-learn, `help` and notebooks read the parameters of a learner off that signature.

    >>> class Plane:
    ...     def __init__(self, C=1.0, *, tol=1e-3):
    ...         self.C, self.tol = C, tol
    >>> class Tube(Plane):
    ...     @with_parameters_of(Plane)
    ...     def __init__(self, C=1.0, *, epsilon=0.1, **plane):
    ...         super().__init__(C, **plane)
    ...         self.epsilon = epsilon
    >>> signature(Tube)
    <Signature (C=1.0, *, epsilon=0.1, tol=0.001)>
    """
    theirs = signature(vars(other)["__init__"]).parameters

    def extended(init: Constructor) -> Constructor:
        own = signature(init)
        stated = [p for p in own.parameters.values() if p.kind is not Parameter.VAR_KEYWORD]
        added = [name for name in (theirs if names is None else names) if name not in own.parameters]
        keywords = [theirs[name].replace(kind=Parameter.KEYWORD_ONLY) for name in added]
        merged: Any = init
        merged.__signature__ = own.replace(parameters=[*stated, *keywords])
        return init

    return extended


def store_parameters_of(other: type, names: Sequence[str], learner: Any, given: Mapping[str, Any]) -> None:
    """Set the named parameters of another class on a learner that does not derive from it: those given, or defaults."""
    unknown = sorted(given.keys() - set(names))
    if unknown:
        raise InputTypeError(f"{type(learner).__name__} has no parameter {unknown[0]!r}")
    theirs = signature(other).parameters
    for name in names:
        setattr(learner, name, given.get(name, theirs[name].default))
