"""Functions called with the settings of a command line: what they do not take, or lack, is refused in a sentence."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from novacula.errors import ParameterError
from novacula.words import counted

Settings = dict[str, Any]


def parameters_of(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """The parameters of a function, or of the constructor of a class."""
    if not isinstance(function, type):
        return dict(inspect.signature(function).parameters)
    of_constructor = dict(inspect.signature(function.__init__).parameters)  # type: ignore[misc]  # of this very class
    del of_constructor["self"]
    return of_constructor


def called(function: Callable[..., Any], settings: Settings) -> Any:
    """Call a function with settings by name; one that it does not take, or lacks, is refused in a sentence."""
    name, parameters = function.__name__, parameters_of(function)
    for key in settings:
        if key not in parameters:
            raise ParameterError(f"{name} has no setting {key!r}: it has {', '.join(parameters)}")
    lacking = [p.name for p in parameters.values() if p.default is p.empty and p.name not in settings]
    if lacking:
        missing = counted(len(lacking), "setting")
        raise ParameterError(f"{name} lacks {missing}: say {' '.join(f'--set {key}=…' for key in lacking)}")
    return function(**settings)


def taken(name: str, settings: Settings, key: str) -> Any:
    """A setting that a function cannot do without, taken out of the others."""
    if key not in settings:
        raise ParameterError(f"{name} needs {key}: say --set {key}=…")
    return settings.pop(key)
