"""What is said of the rows of a chunk, given centres: clusters, distances, squared distances and silhouettes."""

from __future__ import annotations

from typing import Any

import numpy as np

from novacula.mixture.lloyd.assignment import Assignment, Centres, distances
from novacula.table.chunk import Chunk, Floats


def labels_of(chunk: Chunk, centres: Centres) -> Any:
    """The nearest centre of each row."""
    return Assignment.of(offsets_of(chunk, centres), centres).label


def squares_of(chunk: Chunk, centres: Centres) -> Floats:
    """The squared distance of each row to its nearest centre."""
    return Assignment.of(offsets_of(chunk, centres), centres).square


def distances_of(chunk: Chunk, centres: Centres) -> Floats:
    """The distance of each row to each centre: (n, K)."""
    return distances(offsets_of(chunk, centres), centres)


def centre_silhouettes(chunk: Chunk, centres: Centres) -> Floats:
    """(b − a) / b of each row and its weight, (n, 2), with its distances a and b to the nearest two centres."""
    nearest = np.partition(distances_of(chunk, centres), 1, axis=1)
    a, b = nearest[:, 0], nearest[:, 1]
    return np.column_stack([np.divide(b - a, b, out=np.zeros_like(b), where=b > 0.0), chunk.weight])


def offsets_of(chunk: Chunk, centres: Centres) -> Floats:
    """The numbers of a chunk as offsets from the origin."""
    return centres.space.offsets(chunk.numeric)
