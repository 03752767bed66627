"""Families: a node given its parents, as a table of probabilities or as a linear Gaussian.

P(X = k | u) = table[u, k]                               a discrete node, u the states of its parents
p(x | u, z)  = N(x; intercept[u] + weights[u]·z, variance[u])     a continuous one, z its continuous parents
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from novacula.errors import InputTypeError, ParameterError
from novacula.table.chunk import Floats
from novacula.words import listed

SUM_ERROR = 1e-3
"""How far from 1 the sum of probabilities may be, as of rounded numbers in print, to be divided by it."""
EXACT = 1e-12
"""How far from 1 a sum may be to be left as it is: what rounding does to numbers that were divided before."""


@dataclass(frozen=True, eq=False)
class _Family:
    """What families share: they are equal if all their fields are, which also takes their hash away."""

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        pairs = ((getattr(self, field.name), getattr(other, field.name)) for field in fields(self))
        return all(np.array_equal(a, b) if isinstance(a, np.ndarray) else a == b for a, b in pairs)


@dataclass(frozen=True, eq=False)
class CategoricalFamily(_Family):
    """P(node | parents): `table` has an axis a parent, and a last one for the states, along which it sums to 1.

    Sums that are off by at most 0.001, as of rounded numbers, are divided out; others are refused.

    >>> rain = CategoricalFamily("Rain", ("yes", "no"), ("Cloudy",), [[0.8, 0.2], [0.2, 0.8]])
    >>> rain.n_parameters
    2
    """

    node: str
    states: tuple[Any, ...]
    parents: tuple[str, ...]
    table: Floats  # (*cards of parents, len(states))

    def __post_init__(self) -> None:
        states = tuple(state.item() if isinstance(state, np.generic) else state for state in self.states)
        if isinstance(self.states, str) or not states or len(set(states)) < len(states):
            raise ParameterError(f"the states of {self.node!r} must be a list of different labels, not {self.states!r}")
        parents, table = _names(self.parents, self.node), numbers(self.table, f"the table of {self.node!r}")
        if table.ndim != len(parents) + 1 or table.shape[-1] != len(states):
            raise ParameterError(
                f"the table of {self.node!r} has shape {table.shape}: it needs an axis for each of its "
                f"{len(parents)} parents and a last one of {len(states)} states"
            )
        _set(self, states=states, parents=parents, table=self._normalised(table))

    def _normalised(self, table: Floats) -> Floats:
        if (table < 0.0).any():
            raise ParameterError(f"the table of {self.node!r} holds {table.min():g}: a probability is not negative")
        sums = table.sum(axis=-1, keepdims=True)
        gap = np.abs(sums - 1.0)
        if gap.max(initial=0.0) > SUM_ERROR:
            worst = tuple(int(i) for i in np.unravel_index(np.argmax(gap), gap.shape))[:-1]
            where = f" at row {worst}" if worst else ""
            raise ParameterError(
                f"the probabilities of {self.node!r}{where} sum to {float(sums[worst][0]):.6g}: they must sum to 1"
            )
        table = np.where(gap > EXACT, table / np.where(gap > EXACT, sums, 1.0), table)
        table.flags.writeable = False
        return table

    @property
    def all_parents(self) -> tuple[str, ...]:
        """The parents, all of them discrete."""
        return self.parents

    @property
    def cards(self) -> tuple[int, ...]:
        """How many states each parent has."""
        return self.table.shape[:-1]

    @property
    def n_parameters(self) -> int:
        """Parameters: one less than states, for each configuration of the parents."""
        return math.prod(self.cards) * (len(self.states) - 1)

    @cached_property
    def codes(self) -> dict[Any, int]:
        """The place of each state."""
        return {state: k for k, state in enumerate(self.states)}

    def code(self, state: Any) -> int:
        """The place of a state, which must be known."""
        try:
            return self.codes[state]
        except (KeyError, TypeError):
            raise ParameterError(
                f"node {self.node!r} has no state {state!r}: its states are {listed(self.states)}"
            ) from None


@dataclass(frozen=True, eq=False)
class GaussianFamily(_Family):
    """p(node | parents, regressors): a line in the continuous parents for each configuration of the discrete ones.

    >>> weight = GaussianFamily("Weight", (), ("Height",), intercept=-80.0, weights=[0.9], variance=64.0)
    >>> weight.n_parameters
    3
    """

    node: str
    parents: tuple[str, ...]  # discrete
    regressors: tuple[str, ...]  # continuous
    intercept: Floats  # (*cards of parents)
    weights: Floats  # (*cards of parents, len(regressors))
    variance: Floats  # (*cards of parents)

    def __post_init__(self) -> None:
        parents, regressors = _names(self.parents, self.node), _names(self.regressors, self.node)
        intercept = numbers(self.intercept, f"the intercept of {self.node!r}")
        weights = numbers(self.weights, f"the weights of {self.node!r}")
        variance = numbers(self.variance, f"the variance of {self.node!r}")
        if intercept.ndim != len(parents) or variance.shape != intercept.shape:
            raise ParameterError(
                f"intercept and variance of {self.node!r} have shapes {intercept.shape} and {variance.shape}: "
                f"each needs an axis for each of {len(parents)} discrete parents, and the same number of states"
            )
        if weights.shape != (*intercept.shape, len(regressors)):
            raise ParameterError(
                f"the weights of {self.node!r} have shape {weights.shape}, not {(*intercept.shape, len(regressors))}: "
                "one for each continuous parent, in each configuration of the discrete ones"
            )
        if (variance < 0.0).any():
            raise ParameterError(f"the variance of {self.node!r} is {variance.min():g}: it must not be negative")
        _set(self, parents=parents, regressors=regressors, intercept=intercept, weights=weights, variance=variance)

    @property
    def all_parents(self) -> tuple[str, ...]:
        """The discrete parents, then the continuous ones."""
        return (*self.parents, *self.regressors)

    @property
    def cards(self) -> tuple[int, ...]:
        """How many states each discrete parent has."""
        return self.intercept.shape

    @property
    def n_parameters(self) -> int:
        """Parameters: intercept, weights and variance, for each configuration of the discrete parents."""
        return math.prod(self.cards) * (len(self.regressors) + 2)

    @property
    def flat(self) -> tuple[Floats, Floats, Floats]:
        """Intercept (q,), weights (q, k) and variance (q,), a row for each configuration of the discrete parents."""
        q = self.intercept.size
        return self.intercept.reshape(q), self.weights.reshape(q, len(self.regressors)), self.variance.reshape(q)


Family: TypeAlias = CategoricalFamily | GaussianFamily


def numbers(values: npt.ArrayLike, what: str) -> Floats:
    """Finite numbers as an array that nobody can change."""
    try:
        array = np.array(values, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        raise InputTypeError(f"{what} must be an array of numbers, not {values!r}") from None
    if not np.isfinite(array).all():
        raise ParameterError(f"{what} holds a value that is missing or infinite")
    array.flags.writeable = False
    return array


def _names(names: Sequence[str], node: str) -> tuple[str, ...]:
    if isinstance(names, str):
        raise InputTypeError(f"the parents of {node!r} are a list of names, not {names!r}")
    return tuple(names)


def _set(family: Family, **values: Any) -> None:
    for name, value in values.items():
        object.__setattr__(family, name, value)
