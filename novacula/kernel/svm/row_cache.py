"""Rows of the kernel matrix, kept in bounded memory: the least recently used one makes room.

    f += Σ δᵢ k(xᵢ, ·)

is what they are for: after each working set the rows of the variables that moved are added to f.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from novacula.kernel.svm.dual import Places
from novacula.kernel.svm.kernel_rows import KernelRows
from novacula.table.chunk import Floats
from novacula.table.parallel import map_ordered

ENTRIES = 1 << 18
"""Numbers that a thread works on at a time: 2 MB, which stay in the cache of its core."""
SIDE = 512
"""Rows and columns of a block where both are many."""
EMPTY = -1


class RowCache:
    """Rows k(x, ·) over some columns; in single precision where that is precise enough."""

    def __init__(self, rows: KernelRows, columns: Places, max_bytes: float, dtype: Any) -> None:
        self.rows, self.columns = rows, columns
        width = max(1, len(columns) * np.dtype(dtype).itemsize)
        capacity = int(min(max(max_bytes // width, 2), len(rows)))
        self.store = np.empty((capacity, len(columns)), dtype)
        self.slot = np.full(len(rows), EMPTY)  # where a row is kept
        self.row_in_slot = np.full(capacity, EMPTY)  # which row a slot holds
        self.used = np.full(capacity, EMPTY)  # when it was needed last
        self.clock = 0
        self.computed = np.zeros(len(rows), bool)  # whether a row has been computed before
        self.repeated = 0  # how many rows were computed once more, since they had made room for others

    def product(self, places: Places, change: Floats) -> Floats:
        """Σ δ k(x, ·) (columns,) for the rows at these places and their changes δ."""
        total, capacity = np.zeros(len(self.columns)), len(self.store)
        for start in range(0, len(places), capacity):
            batch = slice(start, start + capacity)
            total += self._product(places[batch], change[batch])
        return total

    def _product(self, places: Places, change: Floats) -> Floats:
        missing = places[self.slot[places] == EMPTY]
        self._make_room(places, missing)
        room, slots, coefficients = self.slot[missing], self.slot[places], change.astype(self.store.dtype)
        step = max(1, ENTRIES // max(1, len(missing) or len(places)))

        def piece(start: int) -> Any:
            columns = slice(start, start + step)
            if len(missing):
                self.store[room, columns] = self.rows.block(missing, self.columns[columns])
            return coefficients @ self.store[slots, columns]

        return np.concatenate(list(map_ordered(piece, range(0, len(self.columns), step))))

    def _make_room(self, places: Places, missing: Places) -> None:
        """Give the rows that are missing the slots of those that were not needed for longest."""
        self.clock += 1
        slots = self.slot[places]
        self.used[slots[slots != EMPTY]] = self.clock
        room = np.argsort(self.used, kind="stable")[: len(missing)]
        gone = self.row_in_slot[room]
        self.slot[gone[gone != EMPTY]] = EMPTY
        self.slot[missing], self.row_in_slot[room], self.used[room] = room, missing, self.clock
        self.repeated += int(self.computed[missing].sum())
        self.computed[missing] = True


def products(rows: KernelRows, left: Places, right: Places, coefficients: Floats) -> Floats:
    """Σ k(x, y) c over the rows y at `right`, for each row x at `left`: in full precision, and nothing is kept."""

    def one(start: int) -> Floats:
        some = left[start : start + SIDE]
        total = np.zeros(len(some))
        for piece in range(0, len(right), SIDE):
            total += rows.block(some, right[piece : piece + SIDE]) @ coefficients[piece : piece + SIDE]
        return total

    return np.concatenate([np.empty(0), *map_ordered(one, range(0, len(left), SIDE))])
