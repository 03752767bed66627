"""How wide the kernels are: as given, by the normal rules, by Botev's fixed point, or by rows that are left out.

The width is a lower-triangular matrix A: kernels are k(‖A⁻¹(x − xⱼ)‖). Without correlations A is diagonal, and its
diagonal holds one width per column. The normal rules multiply the spread of the data by

    Scott:      n^(−1/(d+4))
    Silverman:  (n · (d + 2) / 4)^(−1/(d+4))

which is SciPy's covariance factor; with spread="full", A Aᵀ is SciPy's kernel covariance. The rules give the deviation
of the kernel. For the Gaussian kernel that is its width; for others the width is the deviation over κ, that of the
kernel of width 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from novacula.errors import DataError
from novacula.neighbors.kernel_density.shapes import Shape
from novacula.table.chunk import Floats
from novacula.table.names import printable

RULES = ("scott", "silverman")
SINGULAR = 1e-12
"""The least eigenvalue of correlations that counts as more than the rounding of a singular matrix."""


@dataclass(frozen=True, slots=True, eq=False)
class BandwidthSpread:
    """How far n weighted rows lie apart: variances and covariances with n − 1 below, as rows of weight are repeated."""

    n: float
    squares: Floats  # (d, d): Σ w (x − μ)(x − μ)ᵀ
    names: Sequence[str]

    @classmethod
    def of(cls, rows: Floats, weight: Floats, names: Sequence[str]) -> Self:
        """The spread of rows (n, d)."""
        n = float(weight.sum())
        if not n > 1.0:
            raise DataError(
                f"a spread takes at least two rows, not n_samples={len(rows)} of total weight {n:g}: give bandwidth as "
                f"a number"
            )
        gap = rows - rows.mean(axis=0)
        gap -= weight @ gap / n
        return cls(n, (gap * weight[:, None]).T @ gap, names)

    @property
    def deviation(self) -> Floats:
        """The standard deviation of each column (d,); one without any is refused."""
        deviation = np.sqrt(np.diag(self.squares) / (self.n - 1.0))
        for name, spread in zip(self.names, deviation, strict=True):
            if not spread > 0.0:
                raise DataError(
                    f"column {printable(name)!r} has the same value in every row, or differences too small to be "
                    f"squared, so its bandwidth would be zero: drop the column, multiply it by some unit, or give "
                    f"bandwidth as a number"
                )
        return np.asarray(deviation)

    def root(self, full: bool) -> Floats:
        """A lower-triangular matrix (d, d) whose square is the covariance, or the variances alone."""
        deviation = self.deviation
        if not full:
            return np.diag(deviation)
        correlation = self.squares / (self.n - 1.0) / np.outer(deviation, deviation)
        values, vectors = np.linalg.eigh(correlation)
        if values[0] < SINGULAR:
            name = self.names[int(np.argmax(np.abs(vectors[:, 0])))]
            raise DataError(
                f"column {printable(name)!r} follows from other columns, so that the data have no volume: drop it, or "
                f"take spread='diagonal'"
            )
        return np.asarray(np.linalg.cholesky(correlation) * deviation[:, None])


def rule_factor(rule: str, n: float, d: int) -> float:
    """Scott's or Silverman's factor for n rows of d columns."""
    base = n if rule == "scott" else n * (d + 2.0) / 4.0
    return float(base ** (-1.0 / (d + 4.0)))


def ruled_root(rule: str, spread: BandwidthSpread, full: bool, shape: Shape) -> Floats:
    """A (d, d) by Scott's or Silverman's rule."""
    d = len(spread.names)
    return spread.root(full) * (rule_factor(rule, spread.n, d) / shape.deviation(d))


def widths_of(root: Floats) -> Floats:
    """The width of the kernel along each axis (d,): of a diagonal A its diagonal."""
    return np.asarray(np.hypot.reduce(root, axis=1))  # squares of narrow kernels would be 0
