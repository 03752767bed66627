"""The rows that a mixture sees: those of a table, or in cross-validation those of some folds.

Folds are chosen by keys mixed from what rows hold, so they do not depend on the order of rows, and copies of a row
stay together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from novacula.table import Chunk, Table
from novacula.table.parallel import Addable
from novacula.table.row_keys import row_keys

S = TypeVar("S", bound=Addable)


@dataclass(frozen=True, slots=True)
class RowFold:
    """One of `count` parts of the rows, or with `without` all the others."""

    number: int
    count: int
    seed: int
    without: bool = True

    def reweighted(self, chunk: Chunk) -> Chunk:
        """The chunk with no weight on the rows that are left out."""
        inside = row_keys(chunk, self.seed) % np.uint64(self.count) == self.number
        return replace(chunk, weight=np.where(inside != self.without, chunk.weight, 0.0))


@dataclass(frozen=True, slots=True)
class MixtureRows:
    """A table and, perhaps, a fold of it."""

    table: Table
    fold: RowFold | None = None

    def reduce(self, observe: Callable[..., S], *args: Any) -> S:
        """Add what `observe` says of the chunks."""
        if self.fold is None:
            return self.table.reduce(observe, *args)
        return self.table.reduce(observe_fold, self.fold, observe, args)


def observe_fold(chunk: Chunk, fold: RowFold, observe: Callable[..., S], args: Any) -> S:
    """Observe a chunk's rows of a fold."""
    return observe(fold.reweighted(chunk), *args)
