"""Probabilities and weights as they are given: checked, put in order, and taken to logarithms."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from novacula.arguments import as_numbers, require_finite
from novacula.errors import DataError, ParameterError
from novacula.table.chunk import Floats
from novacula.table.names import repeated
from novacula.words import listed, quoted

SUM = 1e-9
"""How far from 1 a sum of probabilities may be: what was typed to ten digits is meant."""


def as_probabilities(values: Any, names: Sequence[Hashable], what: str) -> Floats:
    """One probability a name, given in the order of the names or by name; they must sum to 1."""
    given = as_numbers(in_order(values, names, what) if isinstance(values, Mapping) else values, what)
    if given.shape != (len(names),):
        raise ParameterError(f"{what} has shape {given.shape}; give one probability for each of {listed(names)}")
    require_finite(given, what)
    if (given < 0).any():
        worst = int(given.argmin())
        raise ParameterError(f"{what} has {given[worst]:g} for {quoted(names[worst])}; probabilities are at least 0")
    total = float(given.sum())
    if abs(total - 1.0) > SUM:
        raise ParameterError(f"{what} sums to {total:.10g}; probabilities must sum to 1")
    return given / total


def in_order(values: Mapping[Any, Any], names: Sequence[Hashable], what: str) -> list[Any]:
    """The values of a mapping in the order of the names, which must be its keys."""
    for name in values:
        if name not in names:
            raise ParameterError(f"{what} names {quoted(name)}, which is none of {listed(names)}")
    for name in names:
        if name not in values:
            raise ParameterError(f"{what} has nothing for {quoted(name)}; give one for each of {listed(names)}")
    return [values[name] for name in names]


def as_weights(weight: Any, n: int) -> Floats:
    """How often each of n observations was seen; once, if nothing is said."""
    if weight is None:
        return np.ones(n)
    given = as_numbers(weight, "weight")
    if given.shape != (n,):
        raise DataError(f"weight has shape {given.shape} for {n} observations; give one number each")
    require_finite(given, "weight")
    if (given < 0).any():
        place = int(given.argmin())
        raise DataError(f"weight has {given[place]:g} in place {place + 1}; an observation is seen 0 times or more")
    return given


def logarithm(probabilities: Floats) -> Floats:
    """Natural logarithms, −∞ for 0."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(probabilities))


def log_sum(logs: Floats) -> float:
    """ln Σ exp(logs), without underflow; −∞ where every term is 0."""
    peak = float(logs.max())
    return peak if peak == -np.inf else peak + float(np.log(np.exp(logs - peak).sum()))


def refuse_doubled(names: Sequence[Hashable], what: str) -> None:
    """Refuse no names at all, and names that stand twice."""
    if not names:
        raise ParameterError(f"there are no {what}; give at least one")
    if (twice := repeated(names)) is not None:
        raise ParameterError(f"the name {quoted(twice)} stands twice among the {what}; give each a name of its own")
