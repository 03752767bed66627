"""Rows that are known by their kernel: blocks of the Gram matrix of some rows with some others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from novacula.kernel.algebra import Kernel, Linear, Rows, gram
from novacula.table.chunk import Floats


def is_plane(kernel: Kernel) -> bool:
    """Whether a kernel is xᵀy itself, so that w is a row of weights."""
    return type(kernel) is Linear


@dataclass(frozen=True, eq=False)
class KernelRows:
    """n rows and a kernel without open words; of a precomputed kernel the rows are its whole matrix."""

    kernel: Kernel
    rows: Rows

    @classmethod
    def of(cls, kernel: Kernel, rows: Rows) -> Self:
        """The rows, or for kernels that are given as a matrix that matrix, computed through."""
        return cls(kernel, gram(kernel, rows) if kernel.precomputed else rows)

    def __len__(self) -> int:
        return int(self.rows.shape[0])

    def take(self, places: Any) -> Self:
        """Some of the rows."""
        return type(self)(
            self.kernel, self.rows[np.ix_(places, places)] if self.kernel.precomputed else self.rows[places]
        )

    def block(self, left: Any, right: Any) -> Floats:
        """k(x, y) for the rows at the places `left` and those at `right`, on one thread."""
        if self.kernel.precomputed:
            return np.asarray(self.rows[left][:, right])
        return self.kernel.block(self.rows[left], self.rows[right])

    def gram(self, places: Any) -> Floats:
        """k(x, y) of some rows with each other, on all threads."""
        if self.kernel.precomputed:
            return np.ascontiguousarray(self.rows[np.ix_(places, places)])
        return gram(self.kernel, self.rows[places])

    def diagonal(self) -> Floats:
        """k(x, x) of each row."""
        return np.asarray(self.rows.diagonal() if self.kernel.precomputed else self.kernel.finite_diagonal(self.rows))
