"""Constructors that take the parameters of another class too, so that each parameter has its default in one place."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, signature
from typing import Any, TypeVar

Constructor = TypeVar("Constructor", bound=Callable[..., None])


def with_parameters_of(base: type) -> Callable[[Constructor], Constructor]:
    """For an `__init__` that hands its **keywords on to that of `base`: its signature then names them all.

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
    inherited = signature(vars(base)["__init__"]).parameters

    def extended(init: Constructor) -> Constructor:
        own = signature(init)
        stated = [p for p in own.parameters.values() if p.kind is not Parameter.VAR_KEYWORD]
        rest = [p.replace(kind=Parameter.KEYWORD_ONLY) for name, p in inherited.items() if name not in own.parameters]
        merged: Any = init
        merged.__signature__ = own.replace(parameters=[*stated, *rest])
        return init

    return extended
