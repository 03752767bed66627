"""What a forest keeps of a few rows, so that its out-of-bag arithmetic can be shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from novacula.ensemble.binned import BinnedColumns
from novacula.ensemble.forest.coded_rows import CodedRows
from novacula.ensemble.forest.growing import RowDraws
from novacula.ensemble.trees import BinaryTrees
from novacula.state import State, floats, wholes
from novacula.table import Chunk
from novacula.table.chunk import Floats
from novacula.tree.attributes import Attribute

KEPT = 3
"""Rows that are kept: those of the lowest keys among those that a tree did not draw."""


@dataclass(frozen=True, eq=False)
class ForestTrace:
    """R rows: how often each of T trees drew them, what it answers, and the mean over the trees that did not."""

    state: ClassVar[State] = {
        "draws": wholes("kept", "trees"),
        "answers": floats("kept", "trees", "values"),
        "out_of_bag": floats("kept", "values"),
    }

    draws: npt.NDArray[np.int64]  # (R, T)
    answers: Floats  # (R, T, K)
    out_of_bag: Floats  # (R, K)

    @classmethod
    def of(
        cls, rows: CodedRows, binned: BinnedColumns, trees: BinaryTrees, attributes: tuple[Attribute, ...],
        drawing: RowDraws,
    ) -> ForestTrace:  # fmt: skip
        """The first rows that at least one tree did not draw; none where every tree has every row."""
        looked = 4 * KEPT if drawing.mean is not None else 0
        keys = rows.keys[:looked]
        draws = np.array([drawing.counts(keys, t) for t in range(len(trees))]).T.astype(np.int64)
        kept = np.flatnonzero((draws == 0).any(axis=1))[:KEPT]
        leaves = trees.finder(attributes).leaves(decoded(rows.codes[:, kept], binned))
        answers = trees.value[leaves]
        away = (draws[kept] == 0)[:, :, None]
        return cls(draws[kept], answers, (answers * away).sum(axis=1) / away.sum(axis=1))


def decoded(codes: npt.NDArray, binned: BinnedColumns) -> Chunk:
    """Rows with these codes (F, n): of each bin its lowest value."""
    n = codes.shape[1]
    numeric = [f for f, attribute in enumerate(binned.attributes) if attribute.kind == "numeric"]
    numbers, categories = np.empty((n, len(numeric))), np.empty((n, len(codes) - len(numeric)), np.int32)
    for f, attribute in enumerate(binned.attributes):
        if attribute.kind == "numeric":
            low = binned.bins[numeric.index(f)].low
            numbers[:, attribute.place] = np.append(low, np.nan)[codes[f]]
        else:
            whole = codes[f].astype(np.int32)  # a byte has no −1
            categories[:, attribute.place] = np.where(whole == binned.sizes[f], -1, whole)
    return Chunk(numbers, categories, np.ones(n))
