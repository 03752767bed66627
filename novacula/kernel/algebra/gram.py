"""The Gram matrix in blocks, on all threads.

Blocks are small enough that what is done with the products of a block finds them in the cache. A symmetric matrix is
computed above its diagonal and mirrored.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from novacula.kernel.algebra.rows import Rows
from novacula.table.chunk import Floats
from novacula.table.parallel import map_ordered

if TYPE_CHECKING:
    from novacula.kernel.algebra.kernel import Kernel

BLOCK = 512
"""Rows and columns of a block: 2 MB of numbers."""


def gram(kernel: Kernel, A: Rows, B: Rows | None = None) -> Floats:
    """k(x, y) (n, m) for the rows of A and of B, which are not checked; of A with itself if B is omitted."""
    if kernel.precomputed:  # the columns of A are the rows of B already, and cannot be taken apart
        return np.array(kernel.block(A, A if B is None else B))
    other = A if B is None else B
    # A kernel of which nothing is known may not be symmetric, which a mirror would hide.
    mirrored = B is None and kernel.positive is not None
    K = np.empty((A.shape[0], other.shape[0]))

    def fill(place: tuple[slice, slice]) -> None:
        rows, columns = place
        with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is the caller's to find
            K[place] = kernel.block(A[rows], other[columns])
        if mirrored and rows != columns:
            K[columns, rows] = K[place].T

    for _ in map_ordered(fill, _blocks(A.shape[0], other.shape[0], mirrored)):
        pass
    return K


def _blocks(n: int, m: int, mirrored: bool) -> Iterator[tuple[slice, slice]]:
    """The blocks of a matrix, those on and above the diagonal only if it is mirrored."""
    for i in range(0, n, BLOCK):
        for j in range(i if mirrored else 0, m, BLOCK):
            yield slice(i, min(i + BLOCK, n)), slice(j, min(j + BLOCK, m))
