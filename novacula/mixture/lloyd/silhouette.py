"""Silhouettes: how much nearer a row is to its own cluster than to the next (Rousseeuw, 1987).

    s = (b − a) / max(a, b)      a: mean distance to the others of its cluster      b: to the next cluster's rows

Every pair of rows is compared, n² distances in blocks, so this is for few rows. For many there is the simplified
silhouette, which takes the distance to a centre for the mean distance to its rows.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from novacula.mixture.lloyd.assignment import Centres
from novacula.mixture.lloyd.queries import centre_silhouettes, labels_of
from novacula.table import Table
from novacula.table.chunk import Floats
from novacula.table.parallel import map_ordered

LARGEST = 10_000
"""Rows up to which every pair is compared: 10⁸ distances, a second or two."""
BLOCK = 2**20
"""Distances that one thread holds at a time: 8 MB."""


class Silhouette(NamedTuple):
    """The mean over all rows, NaN for a single cluster, and whether it is over all pairs of rows."""

    mean: float
    exact: bool


def mean_silhouette(table: Table, centres: Centres) -> Silhouette:
    """The silhouette of a table: exact where its rows are few enough, and at hand, to compare every pair."""
    exact = table.is_local and len(table) <= LARGEST
    if len(centres.offset) < 2:
        return Silhouette(float("nan"), exact)
    if exact:
        chunk = table.to_chunk()
        weight, label = chunk.weight, labels_of(chunk, centres)
        values = silhouettes(chunk.numeric, weight, label, len(centres.offset))
    else:
        values, weight = table.map(centre_silhouettes, centres).T
    return Silhouette(float(np.average(values, weights=weight)), exact)


def silhouettes(x: Floats, weight: Floats, label: npt.NDArray[Any], n_clusters: int) -> Floats:
    """The silhouette of each of rows x (n, d); 0 where a row is the only one of its cluster."""
    from scipy.spatial.distance import cdist

    member = np.zeros((len(x), n_clusters))
    member[np.arange(len(x)), label] = weight
    size = member.sum(axis=0)
    present = size > 0.0

    def block(rows: slice) -> Floats:
        total = cdist(x[rows], x) @ member  # (m, K): of one row's distances the sum by cluster
        own, at = label[rows], np.arange(len(total))
        others = size[own] - 1.0  # a row of weight 2 is two rows, one of which is the other's neighbour
        a = np.divide(total[at, own], others, out=np.zeros(len(total)), where=others > 0.0)
        means = np.where(present, total / np.where(present, size, 1.0), np.inf)
        means[at, own] = np.inf
        b = means.min(axis=1)
        larger = np.maximum(a, b)
        defined = (others > 0.0) & (larger > 0.0) & np.isfinite(b)
        return np.divide(b - a, larger, out=np.zeros(len(total)), where=defined)

    step = max(1, BLOCK // len(x))
    return np.concatenate(list(map_ordered(block, [slice(s, s + step) for s in range(0, len(x), step)])))
