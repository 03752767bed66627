"""An order in which rounding decides nothing."""

from __future__ import annotations

import numpy as np

from novacula.table.chunk import Floats
from novacula.tree.structure import Integers


def ranks(values: Floats, noise: Floats) -> Integers:
    """The place of each value from the largest down; neighbours that fall by no more than `noise` share a place.

    >>> ranks(np.array([1.0, 3.0, 0.1 + 0.2, 0.3]), np.full(4, 1e-9))
    array([1, 0, 2, 2])
    """
    order = np.argsort(-values, kind="stable")
    falls = -np.diff(values[order], prepend=values[order][:1]) > noise[order]
    place = np.empty(len(values), np.int64)
    place[order] = np.cumsum(falls)
    return place
