"""Rows set aside to judge a tree by, chosen by what they hold, so that their order does not matter.

Each row gets a key, mixed from its values, its class, the seed and, among rows that are alike, its number. Of each
class, or of all numbers, the rows with the smallest keys are set aside.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state

from novacula.table import Chunk, Table
from novacula.table.row_keys import mixed, row_keys


def split_rows(table: Table, fraction: float, random_state: Any) -> tuple[Table, Table]:
    """The rows of a table in memory to learn from, and those that are set aside; in each the others weigh nothing."""
    chunk = table.to_chunk()
    aside = hold_out(chunk, fraction, check_random_state(random_state).randint(2**31))
    weights = np.where(aside, 0.0, chunk.weight), np.where(aside, chunk.weight, 0.0)
    return table.reweighted(weights[0]), table.reweighted(weights[1])


def hold_out(chunk: Chunk, fraction: float, seed: int) -> npt.NDArray[np.bool_]:
    """The rows that are set aside: the fraction of each class, to the nearest row, but never all of it."""
    key = row_keys(chunk, seed)
    order = np.argsort(key, kind="stable")
    alike = np.concatenate([[True], np.diff(key[order]) != 0]) if len(key) else np.zeros(0, bool)
    starts = np.flatnonzero(alike)[np.cumsum(alike) - 1] if len(key) else np.zeros(0, np.int64)
    repeat = np.empty(len(key), np.uint64)
    repeat[order] = np.arange(len(key)) - starts
    key = mixed(key, repeat)
    target: Any = chunk.target
    if target.dtype == np.float64:  # numbers have no classes to be drawn from evenly
        target = np.zeros(len(key), np.int32)
    aside = np.zeros(len(key), bool)
    for k in np.unique(target):
        rows = np.flatnonzero((target == k) & (chunk.weight > 0))
        count = min(int(fraction * len(rows) + 0.5), len(rows) - 1)
        aside[rows[np.argsort(key[rows], kind="stable")[: max(count, 0)]]] = True
    return aside
