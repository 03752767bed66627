"""Maps from a chunk of rows to features whose products approximate a kernel; they travel with a table that is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from novacula.kernel.algebra import Kernel, Rows, gram
from novacula.kernel.chunk_rows import on_finite_rows, rows_of
from novacula.projection.sums import FeatureSpread
from novacula.table import Chunk
from novacula.table.chunk import Floats


@dataclass(frozen=True)
class FourierMap:
    """z(x) = √(2/D) cos(Wx + b)."""

    directions: Floats  # (D, d)
    offsets: Floats  # (D,)

    def __call__(self, chunk: Chunk) -> Floats:
        """Features (n, D)."""
        return on_finite_rows(self.waves, rows_of(chunk))

    def waves(self, rows: Rows) -> Floats:
        """√(2/D) cos(Wx + b) (n, D)."""
        angles = np.asarray(rows @ self.directions.T)
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

    def __call__(self, chunk: Chunk) -> Floats:
        """Features (n, m)."""
        return on_finite_rows(lambda rows: np.asarray(self.similarities(rows) @ self.normalization), rows_of(chunk))

    def similarities(self, rows: Rows) -> Floats:
        """k(x, l) (n, m)."""
        landmarks: Any = self.landmarks
        if not isinstance(rows, np.ndarray):
            from scipy.sparse import csr_matrix

            landmarks = csr_matrix(landmarks)
        return gram(self.kernel, rows, landmarks)


def observe_spread(chunk: Chunk) -> FeatureSpread:
    """Mean and squared deviations of each column."""
    return FeatureSpread.observe(chunk.counted())
