"""The rows of a chunk as kernels take them, dense or sparse, and the refusal of numbers that are not finite."""

from __future__ import annotations

import numpy as np

from novacula.errors import DataError
from novacula.kernel.algebra import Rows
from novacula.linear.rows import column_names
from novacula.table import Chunk, Schema
from novacula.table.names import printable


def rows_of(chunk: Chunk) -> Rows:
    """Numeric columns as an array; sparse ones, where there are no others, as they are."""
    return chunk.sparse if chunk.sparse is not None and not chunk.numeric.shape[1] else chunk.dense()


def finite_rows(chunk: Chunk, layout: Schema) -> Rows:
    """The same, once it is known that they are finite."""
    require_finite(chunk, layout)
    return rows_of(chunk)


def require_finite(chunk: Chunk, layout: Schema, *, tells_row: bool = False) -> None:
    """Refuse missing and infinite numbers in rows that have weight, with column and, where the chunk is all, row."""
    held = chunk.sparse.data if chunk.sparse is not None else np.empty(0)
    targets = [] if chunk.target is None else [chunk.target.reshape(len(chunk), -1)]
    if all(np.isfinite(values).all() for values in (chunk.numeric, held, *targets)):
        return
    whole = np.hstack([chunk.dense(), *targets])
    bad = np.argwhere(~np.isfinite(whole) & (chunk.weight > 0.0)[:, None])
    if len(bad):
        row, column = (int(place) for place in bad[0])
        what = "misses a value (NaN)" if np.isnan(whole[row, column]) else "is infinite (infinity)"
        where = f" in row {row + 1}" if tells_row else ""
        name = printable(column_names(layout)[column])
        raise DataError(f"column {name!r} {what}{where}: a kernel needs finite numbers; impute or drop it")
