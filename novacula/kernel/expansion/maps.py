"""Maps from a chunk of rows to features whose products approximate a kernel; they travel with a table that is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from novacula.kernel.algebra import Kernel, Rows, gram
from novacula.kernel.chunk_rows import finite_rows, require_finite
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
        angles = np.asarray(finite_rows(chunk, self.schema) @ self.directions.T)
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
        return np.asarray(self.similarities(finite_rows(chunk, self.schema)) @ self.normalization)

    def similarities(self, rows: Rows) -> Floats:
        """k(x, l) (n, m)."""
        landmarks: Any = self.landmarks
        if not isinstance(rows, np.ndarray):
            from scipy.sparse import csr_matrix

            landmarks = csr_matrix(landmarks)
        return gram(self.kernel, rows, landmarks)


def observe_spread(chunk: Chunk, schema: Schema) -> Spread:
    """Mean and squared deviations of each column, of rows that are finite."""
    counted = chunk.counted()
    require_finite(counted, schema)
    return Spread.observe(counted)
