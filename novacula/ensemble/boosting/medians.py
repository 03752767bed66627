"""Weighted medians, in which weights are numbers of repetitions."""

from __future__ import annotations

import numpy as np

from novacula.table.chunk import Floats


def weighted_middles(values: Floats, weight: Floats, unit: float) -> tuple[float, float]:
    """The lowest and the highest number that have half of the weight on either side; weights count in units."""
    if not len(values):
        return 0.0, 0.0
    if (weight == weight[0]).all():
        low, high = (len(values) - 1) // 2, len(values) // 2
        placed = np.partition(values, (low, high))
        return float(placed[low]), float(placed[high])
    order = np.argsort(values, kind="stable")
    upto = np.cumsum(np.rint(weight[order] / unit).astype(np.int64))
    low = np.searchsorted(2 * upto, upto[-1], side="left")
    high = np.searchsorted(2 * upto, upto[-1], side="right")
    return float(values[order[low]]), float(values[order[min(high, len(values) - 1)]])
