"""What a joint table is made of: values of variables, combinations of them, and how often rows have each."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import Any

from novacula.bayes.probabilities import as_weights, refuse_doubled
from novacula.errors import DataError, InputTypeError, ParameterError
from novacula.table.names import as_names
from novacula.words import quoted

MAX_CELLS = 1 << 24
"""Entries of the largest table that is held."""


def are_swapped(probabilities: Any, variables: Any) -> bool:
    """Whether variables stand where probabilities should: names with their values, or words beside a mapping."""
    if isinstance(variables, Mapping):
        return any(isinstance(p, Real) for p in variables.values())
    if isinstance(probabilities, Mapping):
        return any(isinstance(v, (list, tuple, set)) for v in probabilities.values())
    return isinstance(probabilities, str) or (
        isinstance(probabilities, (list, tuple)) and all(isinstance(name, str) for name in probabilities)
    )


def as_key(key: Any) -> tuple[Any, ...]:
    """A combination of values; of one variable the value itself will do."""
    return key if isinstance(key, tuple) else (key,)


def as_number(p: Any, key: Any) -> float:
    """A probability, or a sentence about what it is instead."""
    try:
        return float(p)
    except (TypeError, ValueError):
        raise InputTypeError(f"the probability of {quoted(key)} is {quoted(p)}, not a number") from None


def distinct(name: str, values: Iterable[Any]) -> tuple[Any, ...]:
    """The values of a variable, each once."""
    if isinstance(values, str) or not hasattr(values, "__iter__"):
        raise InputTypeError(f"the values of {quoted(name)} are a sequence, not {quoted(values)}")
    refuse_doubled(found := tuple(values), f"values of {quoted(name)}")
    return found


def found_states(probabilities: Mapping[Any, Any], variables: Any) -> dict[str, tuple[Any, ...]]:
    """The values of each variable: as stated, or as they come."""
    names = tuple(variables) if isinstance(variables, Mapping) else as_names(variables)
    refuse_doubled(names, "variables")
    for key in probabilities:
        if len(as_key(key)) != len(names):
            raise ParameterError(
                f"the combination {quoted(key)} has {len(as_key(key))} values for {len(names)} variables"
            )
    if isinstance(variables, Mapping):
        return {name: distinct(name, values) for name, values in variables.items()}
    return {
        name: distinct(name, dict.fromkeys(as_key(key)[i] for key in probabilities)) for i, name in enumerate(names)
    }


def shape_of(states: Mapping[str, Sequence[Any]]) -> tuple[int, ...]:
    """The shape of the table, if it can be held."""
    shape = tuple(len(values) for values in states.values())
    if math.prod(shape) > MAX_CELLS:
        raise ParameterError(f"the table would have {math.prod(shape):,} cells; at most {MAX_CELLS:,} are held")
    return shape


def shares_of_rows(
    rows: Sequence[Any], variables: Sequence[str] | None, weight: Any
) -> tuple[dict[Any, float], Sequence[str]]:
    """The share of each combination of values, and the variables."""
    if not rows:
        raise DataError("there are no rows; give at least one")
    if variables is None:
        if not isinstance(rows[0], Mapping):
            raise ParameterError("rows are tuples, so variables must name their values")
        variables = tuple(rows[0])
    counts: dict[Any, float] = {}
    for i, (row, w) in enumerate(zip(rows, as_weights(weight, len(rows)).tolist(), strict=True)):
        values = tuple(row.get(name) for name in variables) if isinstance(row, Mapping) else tuple(row)
        for name, value in zip(variables, values, strict=False):
            if value is None or value != value:
                raise DataError(f"row {i + 1} has no value for {quoted(name)}; leave the row out")
        counts[values] = counts.get(values, 0.0) + w
    total = total_of(sum(counts.values()))
    return {values: count / total for values, count in counts.items()}, variables


def total_of(weight: float) -> float:
    """The weight of all rows, which must be above 0."""
    if not weight > 0:
        raise DataError("the weights sum to zero: no row counts")
    return weight
