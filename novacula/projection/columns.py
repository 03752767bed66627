"""A sentence for columns that hold what cannot be used."""

from __future__ import annotations

import numpy as np

from novacula.errors import DataError, overflow
from novacula.statistics import ClassMoments
from novacula.table import Table


def require_known(table: Table, moments: ClassMoments) -> None:
    """Given the moments of known values, refuse columns without any, and those whose squares overflow."""
    empty = np.flatnonzero(moments.weight[0] == 0.0)
    if len(empty):
        [name] = table.layout.column_names(empty[:1])
        raise DataError(f"column {name!r} holds no value at all, only missing ones: drop it")
    large = np.flatnonzero(~np.isfinite(moments.ssd[0]))
    if len(large):
        raise overflow(*table.layout.column_names(large[:1]))
