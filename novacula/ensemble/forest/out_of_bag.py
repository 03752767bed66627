"""What trees say of rows that they did not draw: an honest answer for a row of the fit.

    answer(row) = Σ over the trees that did not draw it of the value of its leaf / their number

Which trees drew a row is a hash of the row itself, so that it can be found again at any time, without the fit.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from novacula.ensemble.forest.growing import RowDraws
from novacula.ensemble.row_keys import row_keys
from novacula.ensemble.trees import LeafFinder
from novacula.table import Chunk
from novacula.table.chunk import Floats

BLOCK = 1 << 13
"""Rows that are sent down all trees at once."""


def out_of_bag(chunk: Chunk, finder: LeafFinder, draws: RowDraws, shuffled: Any = None) -> Floats:
    """The sum of the answers (n, K) of the trees that did not draw each row, and in the last column their number.

    `shuffled` is an attribute whose values are shuffled among the rows of each block.
    """
    sums = np.zeros((len(chunk), finder.trees.value.shape[1] + 1))
    for start in range(0, len(chunk), BLOCK):
        rows = chunk.rows(start, start + BLOCK)
        keys = row_keys(rows)
        leaves = finder.leaves(rows if shuffled is None else _shuffled(rows, shuffled, keys))
        block = sums[start : start + BLOCK]
        for t in range(len(finder.trees)):
            away = np.flatnonzero(draws.counts(keys, t) == 0.0)
            block[away, :-1] += finder.trees.value[leaves[away, t]]
            block[away, -1] += 1.0
    return sums


def _shuffled(rows: Chunk, attribute: Any, keys: Any) -> Chunk:
    """Rows with the values of an attribute exchanged, in a way that depends on their keys."""
    part: Any = np.array(rows.numeric if attribute.kind == "numeric" else rows.codes)
    order = np.argsort(keys, kind="stable")
    part[order, attribute.place] = part[np.roll(order, max(len(order) // 2, 1)), attribute.place]
    return replace(rows, numeric=part) if attribute.kind == "numeric" else replace(rows, codes=part)


def mean_out_of_bag(sums: Floats) -> Floats:
    """The mean answers (n, K); NaN for rows that every tree drew."""
    with np.errstate(invalid="ignore"):
        return sums[:, :-1] / sums[:, -1:]
