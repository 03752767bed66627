"""Maps from a chunk of rows to features whose products approximate a kernel; they travel with a table that is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from novacula.errors import DataError
from novacula.kernel.algebra import Kernel, Rows, gram
from novacula.projection.columns import column_name
from novacula.projection.sums import Spread
from novacula.table import Chunk, Schema
from novacula.table.chunk import Floats


@dataclass(frozen=True)
class FourierMap:
    """z(x) = √(2/D) cos(Wx + b)."""

    directions: Floats  # (D, d)
    offsets: Floats  # (D,)
    schema: Schema

    def __call__(self, chunk: Chunk) -> Floats:
        """Features (n, D)."""
        angles = np.asarray(rows_of(chunk, self.schema) @ self.directions.T)
        angles += self.offsets
        np.cos(angles, out=angles)
        angles *= np.sqrt(2.0 / len(self.offsets))
        return angles


@dataclass(frozen=True)
class NystroemMap:
    """z(x) = N [k(x, l₁) … k(x, l_m)]ᵀ, for landmarks l."""

    kernel: Kernel
    landmarks: Floats  # (m, d)
    normalization: Floats  # (m, m)
    schema: Schema

    def __call__(self, chunk: Chunk) -> Floats:
        """Features (n, m)."""
        return np.asarray(self.similarities(rows_of(chunk, self.schema)) @ self.normalization)

    def similarities(self, rows: Rows) -> Floats:
        """k(x, l) (n, m)."""
        landmarks: Any = self.landmarks
        if not isinstance(rows, np.ndarray):
            from scipy.sparse import csr_matrix

            landmarks = csr_matrix(landmarks)
        return gram(self.kernel, rows, landmarks)


def rows_of(chunk: Chunk, schema: Schema) -> Rows:
    """The rows of a chunk as kernels take them; DataError where one is not finite."""
    rows = chunk.sparse if chunk.sparse is not None and chunk.numeric.shape[1] == 0 else chunk.dense()
    stored = rows if isinstance(rows, np.ndarray) else rows.data
    if not np.isfinite(stored).all():
        first = np.unravel_index(np.argmin(np.isfinite(stored)), stored.shape)
        column = first[1] if isinstance(rows, np.ndarray) else rows.indices[first]
        raise DataError(
            f"column {column_name(schema, int(column))!r} holds {stored[first]}, and a kernel needs finite numbers: "
            "impute, replace or drop it"
        )
    return rows


def observe_spread(chunk: Chunk, schema: Schema) -> Spread:
    """Mean and squared deviations of each column, of rows that are finite."""
    counted = chunk.counted()
    rows_of(counted, schema)
    return Spread.observe(counted)
