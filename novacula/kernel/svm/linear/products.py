"""Products with the rows of a matrix, dense or CSR: block by block on threads, the sums along a fixed tree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

import numpy as np
from scipy.sparse import issparse

from novacula.table.chunk import Floats, sparse_rows
from novacula.table.parallel import map_ordered, tree_sum

Rows: TypeAlias = Any
"""float64 in C order (n, d), or a CSR matrix of them."""
T = TypeVar("T")

BLOCK = 1 << 19
"""Numbers in a block whose product is with a vector."""
PANEL = 1 << 16
"""Numbers in a block whose product is with itself: few enough that the second reading finds them in the cache."""


def values(X: Rows, w: Floats) -> Floats:
    """X w (n,)."""
    return np.concatenate(in_blocks(X, lambda block, _: block @ w))


def combined(X: Rows, beta: Floats) -> Floats:
    """Xᵀ β (d,)."""
    return np.asarray(tree_sum(in_blocks(X, lambda block, rows: block.T @ beta[rows])))


def combined_rows(X: Rows, rows: Any, weight: Floats) -> Floats:
    """Σ weight · x over some rows (d,). The weights belong to those rows."""
    spans = _spans(len(rows), PANEL // X.shape[1])
    return np.asarray(tree_sum(map_ordered(lambda span: X[rows[span]].T @ weight[span], spans)))


def column_means(X: Rows) -> Floats:
    """The mean of each column (d,)."""
    n = X.shape[0]
    return combined(X, np.full(n, 1.0 / n))


def squared_lengths(X: Rows) -> Floats:
    """‖x‖² of each row (n,)."""
    return np.concatenate(in_blocks(X, lambda block, _: _squares(block)))


def moments(X: Rows, rows: Any, weight: Floats, centre: Floats) -> Floats:
    """Σ weight · z zᵀ over some rows, z = (x − centre, 1): (d + 1, d + 1). The weights belong to those rows."""
    spans = _spans(len(rows), PANEL // (len(centre) + 1))
    return np.asarray(
        tree_sum(map_ordered(lambda span: _weighted_squares(centred(X, rows[span], centre), weight[span]), spans))
    )


def centred(X: Rows, rows: Any, centre: Floats) -> Floats:
    """Some rows less a centre, followed by 1: dense (m, d + 1)."""
    chosen = X[rows]
    z = np.ones((len(rows), X.shape[1] + 1))
    np.subtract(chosen.toarray() if issparse(chosen) else chosen, centre, out=z[:, :-1])
    return z


def in_blocks(X: Rows, product: Callable[[Any, slice], T]) -> list[T]:
    """What a function of a block of rows and its place gives for each block."""
    n, d = X.shape
    sparse = issparse(X)
    spans = _spans(n, BLOCK // ((X.nnz // n if sparse else d) + 1))

    def of_block(span: slice) -> T:
        return product(sparse_rows(X, span.start, span.stop) if sparse else X[span], span)

    return list(map_ordered(of_block, spans))


def _spans(n: int, size: int) -> list[slice]:
    """The places 0 to n in runs of a size; one empty run where there are none."""
    size = max(size, 1)
    return [slice(start, min(start + size, n)) for start in range(0, max(n, 1), size)]


def _weighted_squares(z: Floats, weight: Floats) -> Floats:
    return (z * weight[:, None]).T @ z


def _squares(block: Any) -> Floats:
    if issparse(block):
        return np.asarray(block.multiply(block).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", block, block)
