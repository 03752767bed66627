"""Families: a node given its parents, as a table of probabilities or as a linear Gaussian.

P(X = k | u) = table[u, k]                               a discrete node, u the states of its parents
p(x | u, z)  = N(x; intercept[u] + weights[u]·z, variance[u])     a continuous one, z its continuous parents
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.special import xlogy

from novacula.errors import InputTypeError, ParameterError
from novacula.state import State, each, floats, label, probabilities, text
from novacula.table import Column
from novacula.table.chunk import Floats
from novacula.words import listed

if TYPE_CHECKING:
    from novacula.graph.learning.family_counts import GroupMoments

LOG_2PI = math.log(2.0 * math.pi)
SUM_ERROR = 1e-3
"""How far from 1 the sum of probabilities may be, as of rounded numbers in print, to be divided by it."""
EXACT = 1e-12
"""How far from 1 a sum may be to be left as it is: what rounding does to numbers that were divided before."""


@dataclass(frozen=True, eq=False)
class NodeFamily:
    """What families share: they are equal if all their fields are, which also takes their hash away."""

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        pairs = ((getattr(self, field.name), getattr(other, field.name)) for field in fields(self))
        return all(np.array_equal(a, b) if isinstance(a, np.ndarray) else a == b for a, b in pairs)


@dataclass(frozen=True, eq=False)
class CategoricalFamily(NodeFamily):
    """P(node | parents): `table` has one axis per parent, and a last one for the states, along which it sums to 1.

    Sums that are off by at most 0.001, as of rounded numbers, are divided out; others are refused.

    >>> rain = CategoricalFamily("Rain", ("yes", "no"), ("Cloudy",), [[0.8, 0.2], [0.2, 0.8]])
    >>> rain.n_parameters
    2
    """

    state: ClassVar[State] = {
        "node": text(),
        "states": each(label(), "states"),
        "parents": each(text()),
        "table": probabilities("...", "states"),  # an axis for each parent, which the constructor checks
    }

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

    @property
    def column(self) -> Column:
        """The node as a column of a table."""
        return Column(self.node, "categorical", self.states, declared=True)

    def drawn(self, parents: Sequence[npt.NDArray[Any]], n: int, rng: np.random.RandomState) -> npt.NDArray[Any]:
        """The codes of n draws, given those of the parents."""
        levels = np.cumsum(self.table, axis=-1)
        levels = levels / levels[..., -1:]  # so that the last state that can be ends at exactly 1
        return (rng.random_sample(n)[:, None] >= levels[tuple(parents)]).sum(axis=1)

    def log_conditional(self, codes: npt.NDArray[Any], parents: Sequence[npt.NDArray[Any]]) -> Floats:
        """log P(node | parents) of each row of codes."""
        with np.errstate(divide="ignore"):
            return np.log(self.table[(*parents, codes)])

    def log_likelihood(self, counts: Floats) -> float:
        """ln P of the node in rows with these counts, given its parents."""
        return float(xlogy(counts, self.table).sum())


@dataclass(frozen=True, eq=False)
class GaussianFamily(NodeFamily):
    """p(node | parents, regressors): a line in the continuous parents for each configuration of the discrete ones.

    >>> weight = GaussianFamily("Weight", (), ("Height",), intercept=-80.0, weights=[0.9], variance=64.0)
    >>> weight.n_parameters
    3
    """

    states: ClassVar[tuple[Any, ...]] = ()
    """A continuous node has none."""
    state: ClassVar[State] = {
        "node": text(),
        "parents": each(text()),
        "regressors": each(text(), "regressors"),
        "intercept": floats("..."),  # an axis for each discrete parent, as the constructor checks
        "weights": floats("...", "regressors"),
        "variance": floats("...", least=0.0),
    }

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

    @property
    def column(self) -> Column:
        """The node as a column of a table."""
        return Column(self.node, "numeric")

    def at(self, parents: Sequence[npt.NDArray[Any]]) -> tuple[Floats, Floats]:
        """Mean and variance in each row of the parents' codes and values, discrete ones first."""
        codes = tuple(parents[: len(self.parents)])
        mean = np.asarray(self.intercept[codes])
        for j, values in enumerate(parents[len(self.parents) :]):
            mean = mean + self.weights[..., j][codes] * values
        return mean, np.asarray(self.variance[codes])

    def drawn(self, parents: Sequence[npt.NDArray[Any]], n: int, rng: np.random.RandomState) -> npt.NDArray[Any]:
        """The values of n draws, given the codes and values of the parents."""
        mean, variance = self.at(parents)
        return mean + np.sqrt(variance) * rng.standard_normal(n)

    def log_conditional(self, values: npt.NDArray[Any], parents: Sequence[npt.NDArray[Any]]) -> Floats:
        """log p(node | parents) of each row of values; a variance of zero is refused."""
        mean, variance = self.at(parents)
        if (variance == 0.0).any():
            raise ParameterError(f"node {self.node!r} has variance zero, so its evidence has no density: give it one")
        return -0.5 * ((values - mean) ** 2 / variance + np.log(variance) + LOG_2PI)

    def log_likelihood(self, moments: GroupMoments) -> float:
        """ln p of the node in rows with these moments of [regressors, node], given its parents."""
        intercept, weights, variance = self.flat
        gap = moments.mean[:, -1] - intercept - (weights * moments.mean[:, :-1]).sum(axis=1)
        spread = (moments.squares(weights) + moments.weight * gap**2) / variance
        return float(-0.5 * (moments.weight * np.log(2.0 * np.pi * variance) + spread).sum())

    def number(self, value: Any) -> float:
        """A value as evidence on the node, which must be finite."""
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = math.nan
        if not math.isfinite(number):
            raise ParameterError(
                f"node {self.node!r} is continuous: its evidence must be a finite number, not {value!r}"
            )
        return number


Family: TypeAlias = CategoricalFamily | GaussianFamily


def tables_of(families: Mapping[Any, Family]) -> dict[Any, CategoricalFamily]:
    """The discrete families among these."""
    return {key: family for key, family in families.items() if isinstance(family, CategoricalFamily)}


def lines_of(families: Mapping[Any, Family]) -> dict[Any, GaussianFamily]:
    """The continuous families among these."""
    return {key: family for key, family in families.items() if isinstance(family, GaussianFamily)}


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
