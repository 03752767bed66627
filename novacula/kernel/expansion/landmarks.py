"""Landmarks: distinct rows drawn by their weight, the same ones however the rows are cut, ordered or repeated.

Every row has a key, mixed from what it holds. The rows of the least keys are an even sample of the distinct ones, whose
weights are complete. Of those a race draws the landmarks: each runs an exponential time at the rate of its weight, and
the first to arrive are taken (Efraimidis and Spirakis).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from novacula.mixture.gaussian.start import RowSample
from novacula.projection.projecting import blocks
from novacula.table import Chunk, Table
from novacula.table.chunk import Floats
from novacula.table.parallel import tree_sum
from novacula.table.row_keys import mixed

POOL = 8
"""How many times more rows take part in the race than are drawn."""


def draw_landmarks(table: Table, count: int, seed: int) -> Floats:
    """Up to `count` distinct rows (m, d), fewer where there are no more."""
    pool = table.reduce(observe_pool, seed, POOL * count)
    drawn = np.sort(np.argsort(arrival_times(pool), kind="stable")[:count])
    return pool.rows[drawn]


def arrival_times(pool: RowSample) -> Floats:
    """−ln(u) / w of each row, where u is mixed from its key once more: among the least keys, keys are not even."""
    again = mixed(pool.key, np.zeros_like(pool.key))
    uniform = ((again >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53
    return np.asarray(-np.log(uniform) / pool.weight)


def observe_pool(chunk: Chunk, seed: int, capacity: int) -> RowSample:
    """The rows of the least keys; sparse ones are made dense a few at a time."""
    if chunk.sparse is None:
        return RowSample.observe(chunk, seed, capacity)
    if len(chunk) == 0:
        return RowSample.zero(chunk.numeric.shape[1] + chunk.sparse.shape[1], capacity)
    return tree_sum(RowSample.observe(piece, seed, capacity) for piece in dense_pieces(chunk))


def dense_pieces(chunk: Chunk) -> Iterator[Chunk]:
    """The rows of a chunk with their zeros, some at a time."""
    start = 0
    for block in blocks(chunk):
        yield replace(chunk.rows(start, start + len(block)), numeric=block, sparse=None)
        start += len(block)
