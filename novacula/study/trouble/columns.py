"""The rows that trouble is looked for in, column by column, with equal values numbered."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from novacula.table import Chunk, Column, Schema, Table
from novacula.table.names import printable

Bools: TypeAlias = npt.NDArray[np.bool_]
Numbers: TypeAlias = npt.NDArray[np.intp]

MAX_ROWS = 100_000
"""Rows that are checked; from a longer table they are drawn at random."""
MAX_COLUMNS = 2_000
"""Columns that are checked one by one: the first ones."""
MOST_NAMES = 6
"""Names of columns, or values, that a sentence lists."""
NAME_WIDTH = 60
"""Characters of a name that a sentence shows."""


@dataclass(frozen=True, eq=False)
class Feature:
    """A column of numbers, codes or words."""

    column: Column
    values: Any  # (n,) float64 with NaN, int32 codes, or str with None

    @property
    def name(self) -> str:
        """The name of the column."""
        return self.column.name

    @cached_property
    def missing(self) -> Bools:
        """Which rows have no value."""
        if self.column.kind == "numeric":
            return np.isnan(self.values)
        if self.column.kind == "categorical":
            return np.asarray(self.values < 0)
        return np.array([word is None for word in self.values], bool)

    @cached_property
    def known_values(self) -> Any:
        """The values that are not missing."""
        return self.values[~self.missing]

    @cached_property
    def numbers(self) -> Numbers:
        """Equal values as equal numbers from 0 on, those of a numeric column by size; −1 where missing."""
        numbers = np.full(len(self.values), -1, np.intp)
        numbers[~self.missing] = self._distinct_and_places[1]
        return numbers

    @cached_property
    def _distinct_and_places(self) -> tuple[Any, Any]:
        """The distinct values, and the place of each known value among them."""
        if self.column.kind == "text":
            place: dict[str, int] = {}
            numbers = [place.setdefault(word, len(place)) for word in self.known_values]
            return list(place), np.array(numbers, np.intp)
        return np.unique(self.known_values, return_inverse=True)

    @property
    def distinct(self) -> Any:
        """The distinct values: numbers by size, codes, or words."""
        return self._distinct_and_places[0]

    @cached_property
    def counts(self) -> Numbers:
        """How often each of the distinct values occurs."""
        return np.bincount(self._distinct_and_places[1])

    @property
    def n_values(self) -> int:
        """How many distinct values there are; a gap counts as one."""
        return len(self.counts) + bool(self.missing.any())

    @cached_property
    def is_whole(self) -> bool:
        """Whether it is a numeric column of whole numbers."""
        return self.column.kind == "numeric" and bool((self.known_values == np.floor(self.known_values)).all())

    @cached_property
    def is_measured(self) -> bool:
        """Whether it holds decimals, which seldom agree by chance."""
        return self.column.kind == "numeric" and not self.is_whole and len(self.counts) >= 10


def features_of(chunk: Chunk, schema: Schema) -> tuple[Feature, ...]:
    """The columns of a chunk in the order of its schema, without sparse blocks."""
    values: dict[str, Any] = {}
    values |= {column.name: chunk.numeric[:, j] for j, column in enumerate(schema.of_kind("numeric"))}
    values |= {column.name: chunk.codes[:, j] for j, column in enumerate(schema.of_kind("categorical"))}
    values |= {column.name: chunk.text[j] for j, column in enumerate(schema.of_kind("text"))}
    columns = [column for column in schema.features if column.name in values][:MAX_COLUMNS]
    return tuple(Feature(column, values[column.name]) for column in columns)


def sample_rows(table: Table, seed: int) -> Any:
    """The numbers of the rows that are checked, rising: all, or some at random."""
    n = len(table)
    if n <= MAX_ROWS:
        return np.arange(n)
    return np.sort(np.random.default_rng(seed).choice(n, MAX_ROWS, replace=False))


# --- words ------------------------------------------------------------------------------------------------


def safe_quote(value: Any) -> str:
    """A name or a value of the user's as a sentence shows it: without control characters, and not too long."""
    return (
        repr(printable(value, NAME_WIDTH))
        if isinstance(value, str)
        else f"{value:g}"
        if _is_number(value)
        else str(value)
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


def with_and(values: Iterable[Any]) -> str:
    """Names or values with an "and" before the last: 'a', 'b' and 'c'; of many the first, and how many more."""
    every = list(values)
    quotes = [safe_quote(value) for value in every[:MOST_NAMES]]
    if len(every) > MOST_NAMES:
        return f"{', '.join(quotes)} and {len(every) - MOST_NAMES:,} more"
    return quotes[0] if len(quotes) == 1 else f"{', '.join(quotes[:-1])} and {quotes[-1]}"


def columns_named(names: Sequence[str]) -> str:
    """The columns by name, as the beginning of a sentence."""
    return f"Column{'' if len(names) == 1 else 's'} {with_and(names)}"


def percent(share: float) -> str:
    """A share in percent: 0.5%, 31%, 99.8%; never rounded to none or all."""
    if share <= 0.0 or share >= 1.0:
        return f"{100 * share:.0f}%"
    if share < 0.001:
        return "less than 0.1%"
    if share > 0.999:
        return "more than 99.9%"
    return f"{100 * share:.1f}%" if share < 0.1 or share > 0.9 else f"{100 * share:.0f}%"


def rows_counted(n: int) -> str:
    """A number of rows, with its noun."""
    return f"{n:,} row{'' if n == 1 else 's'}"
