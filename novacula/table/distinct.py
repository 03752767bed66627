"""Distinct values of an array, and where each one stands among them."""

from __future__ import annotations

from typing import Any

import numpy as np

from novacula.table.chunk import Codes

CLOSE = 1 << 16
"""Whole numbers within such a range are found by a table, which is some ten times faster than sorting."""


def are_close(values: Any) -> bool:
    """Whether values (n,) are whole numbers within a range that a table can have."""
    return values.dtype.kind in "iub" and len(values) > 0 and int(values.max()) - int(values.min()) < CLOSE


def distinct(values: Any) -> tuple[Any, Codes]:
    """The distinct values in order, and the place among them of each value.

    >>> distinct(np.array([7, 5, 7]))
    (array([5, 7]), array([1, 0, 1], dtype=int32))
    """
    if are_close(values):
        low = values.min().astype(np.int64)  # beyond its end it begins again, as the values do: the distances are right
        shifted = values.astype(np.int64, copy=False) - low
        present = np.bincount(shifted) > 0
        found = (np.flatnonzero(present) + low).astype(values.dtype)
        # Where no number is left out between the first and the last, its distance from the first is its place.
        return found, (shifted if present.all() else np.cumsum(present)[shifted] - 1).astype(np.int32)
    found, places = np.unique(values, return_inverse=True)
    return found, places.astype(np.int32)
