"""The rows of a fit as a forest grows on them: codes, targets, weights and keys, in an order of their own.

    row ──▶ (code of each attribute, target, weight, key)        a byte per attribute, and 24 for the rest

Rows stand in the order of their keys, and equal rows are one row with the sum of their weights. So it does not matter
in which order they came, how they were cut into chunks, or where they were read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from novacula.ensemble.binned import BinnedColumns, CodeMatrix
from novacula.ensemble.row_keys import Keys, row_keys
from novacula.table import Chunk, Table
from novacula.table.chunk import Floats


@dataclass(frozen=True, eq=False)
class CodedRows:
    """n different rows of weight above 0."""

    codes: CodeMatrix  # (F, n)
    target: Floats  # (n,)
    weight: Floats  # (n,)
    keys: Keys  # (n,) rising

    @classmethod
    def of(cls, table: Table, binned: BinnedColumns) -> CodedRows:
        """The rows of a table, in one pass."""
        rows = table.map(_coded, binned)
        rows = rows[rows["weight"] > 0.0]
        order = np.argsort(rows["key"], kind="stable")
        keys = rows["key"][order]
        first = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
        weight = np.add.reduceat(rows["weight"][order], first)
        order = order[first]
        codes = np.empty((len(binned.attributes), len(order)), binned.dtype)
        for f in range(len(codes)):
            codes[f] = rows["codes"][order, f]
        return cls(codes, rows["target"][order], weight, keys[first])

    def __len__(self) -> int:
        return len(self.keys)


def _coded(chunk: Chunk, binned: BinnedColumns) -> Any:
    """The rows of a chunk as records."""
    width = (len(binned.attributes),)
    kind = [("codes", binned.dtype, width), ("target", np.float64), ("weight", np.float64), ("key", np.uint64)]
    rows = np.empty(len(chunk), kind)
    binned.fill(chunk, rows["codes"])
    rows["target"] = np.asarray(chunk.target, np.float64).reshape(len(chunk))
    rows["weight"], rows["key"] = chunk.weight, row_keys(chunk)
    return rows
