"""What a query answers: the probabilities of the states of some discrete nodes, exact or estimated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import Any

import numpy as np

from novacula.errors import ParameterError
from novacula.table.chunk import Floats
from novacula.table.schema import printable
from novacula.words import listed

ROWS = 20
"""Rows that are printed."""


@dataclass(frozen=True, eq=False, repr=False)
class Distribution:
    """P(variables): an axis of `table` for each variable, its states in order.

    >>> rain = Distribution(("Rain",), (("yes", "no"),), np.array([0.2, 0.8]))
    >>> rain["yes"], rain.mode
    (0.2, {'Rain': 'no'})
    >>> rain
    Rain  P
    yes   0.2
    no    0.8
    """

    variables: tuple[str, ...]
    states: tuple[tuple[Any, ...], ...]
    table: Floats

    def __getitem__(self, states: Any) -> float:
        """The probability of a state, or of a tuple of states, one per variable."""
        named = (states,) if len(self.variables) == 1 else tuple(states)
        if len(named) != len(self.variables):
            raise ParameterError(f"{states!r} does not name a state for each of {listed(self.variables)}")
        return float(self.table[tuple(map(self._code, range(len(named)), named))])

    def _code(self, axis: int, state: Any) -> int:
        try:
            return self.states[axis].index(state)
        except ValueError:
            known = listed(self.states[axis])
            raise ParameterError(f"{self.variables[axis]!r} has no state {state!r}: its states are {known}") from None

    @property
    def mode(self) -> dict[str, Any]:
        """The most probable state of each variable, jointly; ties go to the first."""
        place = np.unravel_index(int(np.argmax(self.table)), self.table.shape)
        return {name: states[k] for name, states, k in zip(self.variables, self.states, place, strict=True)}

    def to_dict(self) -> dict[Any, float]:
        """Probabilities by state, or by tuples of states if there are several variables."""
        keys = product(*self.states) if len(self.variables) > 1 else self.states[0]
        return dict(zip(keys, self.table.ravel().tolist(), strict=True))

    def marginal(self, variables: str | Sequence[str]) -> Distribution:
        """The distribution of some of the variables, in the order given."""
        names = (variables,) if isinstance(variables, str) else tuple(variables)
        for name in names:
            if name not in self.variables:
                raise ParameterError(f"{name!r} is not one of the variables {listed(self.variables)}")
        axes = [self.variables.index(name) for name in names]
        table = self.table.sum(axis=tuple(i for i in range(self.table.ndim) if i not in axes))
        kept = sorted(axes)
        table = table.transpose([kept.index(axis) for axis in axes])
        return Distribution(names, tuple(self.states[axis] for axis in axes), table)

    def _columns(self) -> dict[str, Floats]:
        """The numbers that are printed after the states."""
        return {"P": self.table}

    def __repr__(self) -> str:
        columns = self._columns()
        cells = [[printable(name) for name in (*self.variables, *columns)]]
        rows: Iterator[tuple[Any, ...]] = zip(
            product(*self.states), *(values.ravel() for values in columns.values()), strict=True
        )
        for states, *values in islice(rows, ROWS):
            cells.append([*(printable(str(state)) for state in states), *(f"{value:.6g}" for value in values)])
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells
        ]
        rest = self.table.size - ROWS
        return "\n".join(lines + ([f"… and {rest} more rows"] if rest > 0 else []))


@dataclass(frozen=True, eq=False, repr=False)
class Estimate(Distribution):
    """Probabilities from samples, each with its standard error."""

    std_error: Floats  # of the shape of the table
    effective_sample_size: float  # independent samples that would say as much

    def _columns(self) -> dict[str, Floats]:
        return {"P": self.table, "± one standard error": self.std_error}


@dataclass(frozen=True, eq=False)
class MeanEstimate:
    """Mean and covariance of continuous variables from samples, the means with their standard errors."""

    variables: tuple[str, ...]
    mean: Floats  # (d,)
    cov: Floats  # (d, d)
    std_error: Floats  # (d,), of the means
    effective_sample_size: float
