"""Rows as records of codes, target, weight and key: how they come home from where they are."""

from __future__ import annotations

from typing import Any

import numpy as np

from novacula.ensemble.binned import BinnedColumns
from novacula.ensemble.row_keys import row_keys
from novacula.table import Chunk


def coded_records(chunk: Chunk, binned: BinnedColumns) -> Any:
    """The rows of a chunk, a byte per attribute (two, where one has many categories) and 24 for the rest."""
    width = (len(binned.attributes),)
    kind = [("codes", binned.dtype, width), ("target", np.float64), ("weight", np.float64), ("key", np.uint64)]
    rows = np.empty(len(chunk), kind)
    binned.fill(chunk, rows["codes"])
    rows["target"] = np.asarray(chunk.target, np.float64).reshape(len(chunk))
    rows["weight"], rows["key"] = chunk.weight, row_keys(chunk)
    return rows
