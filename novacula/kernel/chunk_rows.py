"""The rows of a chunk as kernels take them, dense or sparse."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from novacula.kernel.algebra import Rows
from novacula.table import Chunk
from novacula.table.chunk import Floats


def rows_of(chunk: Chunk) -> Rows:
    """Numeric columns as an array; sparse ones, where there are no others, as they are."""
    return chunk.sparse if chunk.sparse is not None and not chunk.numeric.shape[1] else chunk.dense()


def on_finite_rows(function: Callable[[Rows], Floats], rows: Rows) -> Floats:
    """What a function says of each row, and NaN for rows that are not finite, with which kernels cannot deal."""
    if isinstance(rows, np.ndarray):
        finite = np.isfinite(rows).all(axis=1)
    else:
        finite = np.diff(np.append(0, np.cumsum(~np.isfinite(rows.data)))[rows.indptr]) == 0
    if finite.all():
        return function(rows)
    some = function(rows[finite])
    answers = np.full((rows.shape[0], some.shape[1]), np.nan)
    answers[finite] = some
    return answers
