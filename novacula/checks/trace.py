"""What a fit keeps for its derivation must be proved by it: a trace that is a little wrong has to be found out.

A sum that is made of its own result agrees with any trace, and so proves nothing. Here each numeric field of `trace_`
is changed a little, one at a time, and the checks of the work must notice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from novacula.checks.work import check_equations
from novacula.errors import ModelFileError, ParameterError

SCALED, SHIFTED = 1.001, 1e-3


def unproved_fields(model: Any, X: Any = None) -> list[str]:
    """The numeric fields of a model's trace that could be wrong without any check of its work failing.

    Fields that a trace names in `only_drawn` are left out: they are seen in a figure, and claim nothing. A fit that
    keeps no trace, since its settings need none, has nothing to prove.
    """
    kept = getattr(model, "trace_", None)
    return [] if kept is None else [path for path, trace in perturbed(kept) if _passes(model, trace, X)]


def perturbed(trace: Any, path: str = "trace_") -> Iterator[tuple[str, Any]]:
    """Copies of a trace, each with one numeric field changed, and the name of that field."""
    drawn = getattr(trace, "only_drawn", ())
    for field in fields(trace):
        if field.name not in drawn:
            for place, changed in _changed(getattr(trace, field.name), f"{path}.{field.name}"):
                yield place, replace(trace, **{field.name: changed})


def _changed(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    """A value with its numbers changed; of several records one field at a time, in all of them at once."""
    if is_dataclass(value) and not isinstance(value, type):
        yield from perturbed(value, path)
    elif (numbers := _numbers(value)) is not None:
        is_whole = np.issubdtype(numbers.dtype, np.integer)
        changed = numbers + 1 if is_whole else numbers * SCALED + SHIFTED
        yield path, changed if isinstance(value, np.ndarray) else _as_given(changed, value)
    elif isinstance(value, Mapping):
        for place, changed in _changed(tuple(value.values()), path):
            yield place, dict(zip(value, changed, strict=True))
    elif isinstance(value, tuple | list):
        versions = [dict(_changed(part, f"{path}[]")) for part in value]
        for place in dict.fromkeys(place for version in versions for place in version):
            yield place, type(value)(version.get(place, part) for version, part in zip(versions, value, strict=True))


def _numbers(value: Any) -> np.ndarray[Any, Any] | None:
    """A value as an array of numbers, or None if it holds none."""
    if value is None or isinstance(value, str | bytes | bool):
        return None
    try:
        array = np.asarray(value)
    except ValueError:  # rows of several lengths
        return None
    return array if array.size and array.dtype.kind in "iuf" else None


def _as_given(changed: np.ndarray[Any, Any], value: Any) -> Any:
    return tuple(changed.tolist()) if isinstance(value, tuple) else changed.tolist()


def _passes(model: Any, trace: Any, X: Any) -> bool:
    """Whether every check of the work passes with another trace in the model."""
    other = copy(model)
    other.trace_ = trace
    ways: list[dict[str, Any]] = [{}, {"detail": "full"}, {"iteration": 1}]
    if X is not None:
        ways.append({"X": X})
    return not any(_fails(other, how) for how in ways)


def _fails(model: Any, how: dict[str, Any]) -> bool:
    try:
        check_equations(model, **how)
    except AssertionError:
        return True
    except ModelFileError:  # the trace contradicts the model so much that nothing can be derived
        return True
    except ParameterError as error:
        return "keeps no iterations" not in str(error)
    return False
