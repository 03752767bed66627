"""What linear models read off a table and its chunks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from novacula.linear.solve import EPS
from novacula.table import Chunk, Schema, Table
from novacula.table.chunk import Floats


def weighted_sums(chunk: Chunk, coef: Floats, intercept: Any) -> Floats:
    """b + Xw of a chunk: coef (d,) or (d, k)."""
    dense = chunk.numeric.shape[1]
    sums = np.asarray(chunk.numeric @ coef[:dense])
    if chunk.sparse is not None:
        sums += chunk.sparse @ coef[dense:]
    sums += intercept
    return sums


def finite_columns(chunk: Chunk) -> Any:
    """Whether each column of [X, y] holds numbers only, as one row; rows without weight do not count."""
    targets = [] if chunk.target is None else [chunk.target.reshape(len(chunk), -1)]
    counted = chunk.weight > 0.0
    blocks = [np.isfinite(block[counted]).all(axis=0) for block in (chunk.dense(), *targets)]
    return np.concatenate(blocks)[None]


def count_weights(coef: Any, intercept: Any) -> int:
    """Weights and intercepts that are not 0: the parameters of planes."""
    return int(np.count_nonzero(coef) + np.count_nonzero(intercept))


def column_names(schema: Schema, places: Iterable[int] | None = None) -> list[str]:
    """The names of columns of [X, y]: numeric columns, then those of sparse blocks, then targets."""
    names = [column.name for column in schema.of_kind("numeric")]
    names += [f"{column.name}[{j}]" for column in schema.of_kind("sparse") for j in range(column.width)]
    names += schema.target
    return names if places is None else [names[j] for j in places]


def stored_precision(table: Table) -> Floats:
    """Relative rounding of each feature as it is stored (d,)."""
    dense = table.source.rounding([column.name for column in table.layout.of_kind("numeric")])
    width = sum(column.width for column in table.layout.of_kind("sparse"))
    return np.array([*dense, *[EPS] * width])


def is_flat(table: Table) -> bool:
    """Whether the target is one column given as such, so that predictions are (n,) rather than (n, 1)."""
    held = getattr(table.source, "target", None)
    return len(table.layout.target) == 1 and (held is None or held.ndim == 1)
