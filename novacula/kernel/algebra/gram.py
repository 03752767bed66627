"""The Gram matrix in blocks, on all threads.

Blocks are small enough that what is done with the products of a block finds them in the cache. A symmetric matrix is
computed above its diagonal and mirrored.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from novacula.kernel.algebra.rows import Rows
from novacula.table.chunk import Floats
from novacula.table.parallel import map_ordered

if TYPE_CHECKING:
    from novacula.kernel.algebra.kernel import Kernel

Place: TypeAlias = tuple[slice, slice]
"""Rows and columns of a block."""

BLOCK = 512
"""Rows and columns of a block: 2 MB of numbers."""


def gram(kernel: Kernel, A: Rows, B: Rows | None = None) -> Floats:
    """k(x, y) (n, m) for the rows of A and of B, which are not checked; of A with itself if B is omitted."""
    other = A if B is None else B
    # A kernel of which nothing is known may not be symmetric, which a mirror would hide.
    mirrored = B is None and kernel.positive is not None
    K = np.empty((A.shape[0], other.shape[0]))

    def fill(place: Place) -> None:
        rows, columns = place
        with np.errstate(over="ignore", invalid="ignore"):  # callers check for values that are not finite
            K[place] = kernel.block(A[rows], other[columns])
        if mirrored and rows != columns:
            K[columns, rows] = K[place].T

    for _ in map_ordered(fill, blocks(kernel, A.shape[0], other.shape[0], upper=mirrored)):
        pass
    return K


def blocks(kernel: Kernel, n: int, m: int, upper: bool) -> Iterator[Place]:
    """The blocks of a matrix (n, m) of a kernel; only those on and above the diagonal if `upper`."""
    # The columns of rows that are precomputed are rows already, and cannot be taken apart.
    step = max(n, m) if kernel.precomputed else BLOCK
    for i in range(0, n, step):
        for j in range(i if upper else 0, m, step):
            yield slice(i, min(i + step, n)), slice(j, min(j + step, m))
