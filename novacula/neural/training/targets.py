"""What the outputs of a network should be, read off a chunk: indicators of classes, labels or numbers, and slopes."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from novacula.errors import DataError, InputTypeError
from novacula.learner import ingest
from novacula.table import Chunk, Table
from novacula.table.chunk import Floats


@dataclass(frozen=True, eq=False)
class Targets:
    """How a chunk's target becomes rows of k numbers, one per output, with k·d slopes behind them where they are given.

    Two classes share one output, which says the second; of more, each has its own.
    """

    outputs: int
    classes: int = 0  # that the target holds codes of; none where it holds numbers
    factor: Floats | None = None  # (classes,), by which the weight of each class's rows is multiplied
    slopes: int = 0  # columns of slopes behind the numbers: 0 or k·d

    def of(self, chunk: Chunk) -> Floats:
        """The targets of a chunk's rows: (n, k), or (n, k + k·d) with slopes."""
        target: Any = chunk.target
        if not self.classes:
            return np.asarray(target, np.float64).reshape(len(chunk), self.outputs + self.slopes)
        if self.outputs == 1:
            return (target == 1).astype(np.float64)[:, None]
        return np.asarray(target[:, None] == np.arange(self.outputs), np.float64)

    def weight(self, chunk: Chunk) -> Floats:
        """The weights of a chunk's rows, multiplied by those of their classes."""
        return chunk.weight if self.factor is None else chunk.weight * self.factor[np.asarray(chunk.target)]

    def split(self, rows: Any) -> tuple[Any, Any]:
        """The targets (n, k) of rows as `of` gives them, and their slopes (n, k, d), None where there are none."""
        if not self.slopes:
            return rows, None
        return rows[:, : self.outputs], rows[:, self.outputs :].reshape(len(rows), self.outputs, -1)


def with_slopes(table: Table, targets: Targets, slopes: Any, d: int) -> tuple[Table, Targets]:
    """The table with slopes behind its targets, which become numbers, and how to read them."""
    chunk, k = table.to_chunk(), targets.outputs
    source: Any = copy(table.source)
    source.target = np.hstack([targets.of(chunk), as_slopes(slopes, len(chunk), d, k)])
    source.weight = np.ascontiguousarray(targets.weight(chunk))
    return ingest.memory_table(source, ingest.number_columns(source)), Targets(k, slopes=k * d)


def require_arrays(X: Any) -> None:
    """Refuse slopes for a table, whose rows cannot be matched with them."""
    if isinstance(X, Table) or hasattr(X, "to_delayed"):
        raise InputTypeError("slopes go with rows in memory, one entry per row: give X as an array or a frame")


def as_slopes(slopes: Any, n: int, d: int, k: int) -> Floats:
    """Slopes as rows of k·d numbers, from (n, k, d), or from (n, d) where there is one output."""
    array = np.asarray(slopes, np.float64)
    fits = array.shape == (n, k, d) or (k == 1 and array.shape == (n, d))
    if not fits:
        wanted = f"({n}, {d})" if k == 1 else f"({n}, {k}, {d})"
        raise DataError(
            f"slopes have shape {array.shape}; they must have shape {wanted}: the derivative of each output after each "
            "column, row by row"
        )
    strange = np.argwhere(~np.isfinite(array.reshape(n, -1)))
    if len(strange):
        raise DataError(f"slopes hold a missing or infinite value in row {strange[0][0] + 1}: give all of them")
    return array.reshape(n, k * d)
