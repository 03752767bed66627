"""How the nearest rows are found: by tree, by products or one by one, with the same answer to the last bit.

`auto` takes the tree in few dimensions. In many it asks the tree for the neighbours of some rows, and keeps it if it
passed over most of the others: data in many columns may still lie along few directions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from novacula.errors import DataError
from novacula.neighbors.kd_tree import KDTree, Places
from novacula.neighbors.metric import MIXED, power, rooted
from novacula.neighbors.mixed_rows import MixedRows
from novacula.neighbors.point_blocks import PointBlocks
from novacula.table.chunk import Floats
from novacula.table.parallel import map_ordered

QUERIES = 512
"""Queries that one thread takes at a time, where their neighbours are few."""
ANSWERS = 2**21
"""Neighbours that one thread holds at a time."""
FEW_ROWS = 4096
"""Rows up to which a tree is tried without a second thought, and of which larger data give a sample."""
FEW_COLUMNS = 8
"""Dimensions up to which the tree wins for any data."""
PROBES = 32
"""Rows that a tree is tried on."""
HOPELESS = 0.95
"""The visited share of a sample from which on a tree of all rows need not be built: about 14 dimensions."""
WORTH_A_TREE = 0.1
"""The visited share of all rows up to which the tree wins: a product costs about a tenth of a distance."""


@dataclass(frozen=True, slots=True, eq=False)
class Index:
    """n rows of one form, and how to find those nearest to others of that form."""

    structure: KDTree | PointBlocks | MixedRows
    number: Places  # (n,): what each row is called
    p: float

    @classmethod
    def build(cls, rows: Floats, weight: Floats, n_numbers: int, metric: str, p: float, algorithm: str, k: int) -> Self:
        """Of those rows (n, c), numbers and then codes, that weigh something; queries will want k neighbours."""
        number, p = np.flatnonzero(weight > 0.0), power(metric, p)
        weighty = rows if len(number) == len(rows) else rows[number]
        if metric == MIXED:
            return cls(MixedRows.build(weighty, n_numbers), number, p)
        with np.errstate(over="ignore", invalid="ignore"):  # what overflows here is refused when it is searched
            return cls(_structure(weighty, p, algorithm, min(k, len(weighty))), number, p)

    @property
    def algorithm(self) -> str:
        """What was chosen: "kd_tree" or "brute"."""
        return "kd_tree" if isinstance(self.structure, KDTree) and len(self.structure.start) > 1 else "brute"

    def search(self, queries: Floats, k: int) -> tuple[Floats, Places]:
        """Distances and numbers of the k nearest rows to each of queries (m, c), nearest first, then by number."""
        with np.errstate(over="ignore", invalid="ignore"):  # distances that overflow are refused once they are there
            total, row = self.structure.search(queries, k, self.p)
        if not np.isfinite(total).all():
            raise DataError("a row to look up is so far from the others that its distances overflow: scale the columns")
        return rooted(total, self.p), self.number[row]


def _structure(rows: Floats, p: float, algorithm: str, k: int) -> KDTree | PointBlocks:
    if algorithm == "brute":
        # For other powers a tree of one leaf is brute force.
        return PointBlocks.build(rows) if p == 2.0 else KDTree.build(rows, leaf_size=len(rows))
    doubtful = algorithm == "auto" and p == 2.0 and len(rows) > FEW_ROWS and rows.shape[1] > FEW_COLUMNS
    if not doubtful:
        return KDTree.build(rows)
    probes = _spread_out(rows, PROBES)
    if KDTree.build(_spread_out(rows, FEW_ROWS)).share_looked_at(probes, min(k, FEW_ROWS), p) < HOPELESS:
        tree = KDTree.build(rows)
        if tree.share_looked_at(probes, k, p) < WORTH_A_TREE:
            return tree
    return PointBlocks.build(rows)


def _spread_out(rows: Floats, size: int) -> Floats:
    """`size` of the rows, evenly from the first to the last."""
    return rows[np.linspace(0, len(rows) - 1, size).astype(np.intp)]


def in_blocks(function: Callable[[slice], Any], n: int, width: int) -> list[Any]:
    """What a function says of each block of n rows that have `width` neighbours each, in order, on several threads."""
    step = max(1, min(QUERIES, ANSWERS // width))
    return list(map_ordered(function, [slice(a, min(a + step, n)) for a in range(0, max(n, 1), step)]))
