"""A learner that takes parameters of another one: they are written once, in the constructor of that other."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from inspect import Parameter, signature
from typing import Any

Constructor = Callable[..., None]


def with_parameters_of(lender: type, names: Sequence[str]) -> Callable[[Constructor], Constructor]:
    """Let a constructor take and store these parameters of another learner, by keyword, after its own.

    The defaults are the lender's. scikit-learn, `help` and notebooks read one signature with all parameters.

    >>> class Lender:
    ...     def __init__(self, depth=3, leaves=8, seed=0): ...
    >>> class Borrower:
    ...     @with_parameters_of(Lender, ["depth", "seed"])
    ...     def __init__(self, share=0.5):
    ...         self.share = share
    >>> signature(Borrower)
    <Signature (share=0.5, *, depth=3, seed=0)>
    >>> vars(Borrower(0.1, depth=5))
    {'share': 0.1, 'depth': 5, 'seed': 0}
    """
    lent = signature(lender).parameters
    borrowed = [lent[name].replace(kind=Parameter.KEYWORD_ONLY) for name in names]

    def decorate(init: Constructor) -> Constructor:
        own = signature(init)
        whole = own.replace(parameters=[*own.parameters.values(), *borrowed])

        @functools.wraps(init)
        def store(self: Any, *args: Any, **parameters: Any) -> None:
            bound = whole.bind(self, *args, **parameters)  # refuses a name that is not there, as any call does
            bound.apply_defaults()
            init(**{name: bound.arguments[name] for name in own.parameters})
            for name in names:
                setattr(self, name, bound.arguments[name])

        store.__signature__ = whole  # type: ignore[attr-defined]
        return store

    return decorate
