"""The first rows of a fit, kept so that a sum over rows can be derived with real terms; of the others sums are kept."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from novacula.state import State, flag, floats
from novacula.table import Table
from novacula.table.chunk import Chunk, Floats

MOST_ROWS = 20
MOST_CELLS = 2**12
"""Numbers that the rows hold together, but for one row, which is always kept."""


@dataclass(frozen=True, eq=False)
class FirstRows:
    """The first rows of a fit with their weights, at most 20 and 4096 numbers; rows of weight 0 are left out."""

    state: ClassVar[State] = {
        "x": floats("rows", "columns", finite=False),
        "weight": floats("rows", above=0.0),
        "is_all": flag(),
    }

    x: Floats  # (n, d), NaN where a value is missing
    weight: Floats  # (n,)
    is_all: bool  # whether there were no other rows

    @classmethod
    def of(cls, table: Table) -> Self:
        """The first rows of a table of numbers."""
        most = min(MOST_ROWS, max(MOST_CELLS // max(len(table.layout.features), 1), 1))
        kept, is_all = first_counted(table, most)
        return cls(kept.dense().copy(), kept.weight.copy(), is_all)

    def chunk(self) -> Chunk:
        """The rows as a chunk."""
        return Chunk(self.x, np.empty((len(self.x), 0), np.int32), self.weight)

    def __len__(self) -> int:
        return len(self.x)


def drawn_rows(number: int) -> str:
    """The rows of a picture that does not have all, in words.

    >>> drawn_rows(20), drawn_rows(1)
    ('points are the first 20 rows', 'the point is the first row')
    """
    return "the point is the first row" if number == 1 else f"points are the first {number} rows"


def first_counted(table: Table, most: int) -> tuple[Chunk, bool]:
    """Those of the first rows that have weight, and whether these are all rows.

    Where none of them has any, the first rows that have are looked for: there is always one to show.
    """
    first = Chunk.concatenate(list(table.head(most + 1).chunks()))
    kept = first.rows(0, min(most, len(first))).counted()
    if len(kept):
        return kept, len(first) <= most
    with closing(table.chunks()) as chunks:
        kept = next(rows for chunk in chunks if len(rows := chunk.counted()))
    return kept.rows(0, min(most, len(kept))), False
