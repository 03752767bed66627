"""What linear models read off a table and its chunks."""

from __future__ import annotations

from typing import Any

import numpy as np

from novacula.errors import DataError
from novacula.linear.solve import EPS
from novacula.table import Chunk, Table
from novacula.table.chunk import Floats

NUMBERS_CARD: dict[str, Any] = {
    "missing": "Not taken: a missing or infinite value raises, with its column.",
    "unseen": "Not taken: categories have to be encoded as numbers first.",
    "takes": ("numeric", "sparse"),
    "scales": ("memory", "stream", "cluster"),
}
"""What the cards of all linear models have in common."""

DERIVED = 10
"""Rows of X whose predictions are derived."""


def weighted_sums(chunk: Chunk, coef: Floats, intercept: Any) -> Floats:
    """b + Xw of a chunk: coef (d,) or (d, k)."""
    dense = chunk.numeric.shape[1]
    sums = np.asarray(chunk.numeric @ coef[:dense])
    if chunk.sparse is not None:
        sums += chunk.sparse @ coef[dense:]
    sums += intercept
    return sums


def require_squares(table: Table, squares: Floats) -> None:
    """Refuse numbers that are finite, but whose squares are not."""
    if not np.isfinite(squares).all():
        raise DataError(f"{table.source.name} holds numbers whose squares overflow: scale them")


def count_weights(coef: Any, intercept: Any) -> int:
    """Weights and intercepts that are not 0: the parameters of planes."""
    return int(np.count_nonzero(coef) + np.count_nonzero(intercept))


def stored_precision(table: Table) -> Floats:
    """Relative rounding of each feature as it is stored (d,)."""
    dense = table.source.rounding([column.name for column in table.layout.of_kind("numeric")])
    width = sum(column.width for column in table.layout.of_kind("sparse"))
    return np.array([*dense, *[EPS] * width])


def is_flat(table: Table) -> bool:
    """Whether the target is one column given as such, so that predictions are (n,) rather than (n, 1)."""
    target = getattr(table.source, "target", None)
    return len(table.layout.target) == 1 and (target is None or target.ndim == 1)
