"""Rows that occur more than once, found by one number a row where that can be had."""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Whole: TypeAlias = npt.NDArray[np.int64]


def distinct_rows(rows: Whole) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Where each distinct row of (n, d) first stands, in lexicographic order, and the number of each row among them."""
    if not len(rows):
        return np.empty(0, np.intp), np.empty(0, np.intp)
    low = rows.min(axis=0)
    spans = (rows.max(axis=0) - low + 1).tolist()
    if math.prod(spans) < 2**62:  # sorting numbers is some fifty times faster than sorting rows
        strides = [math.prod(spans[j + 1 :]) for j in range(len(spans))]
        _, first, number = np.unique((rows - low) @ np.array(strides), return_index=True, return_inverse=True)
    else:
        _, first, number = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return first, number.ravel()
