"""The rows of a fit as a forest grows on them: codes, targets, weights and keys, in an order of their own.

    row ──▶ (code of each attribute, target, weight, key)        a byte per attribute, and 24 for the rest

Rows stand in the order of their keys, and equal rows are one row with the sum of their weights. So it does not matter
in which order they came, how they were cut into chunks, or where they were read.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from novacula.ensemble.binned import BinnedColumns, CodeMatrix
from novacula.ensemble.coded_records import coded_records
from novacula.ensemble.row_keys import Keys
from novacula.table import Table
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
        rows = table.map(coded_records, binned)
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
