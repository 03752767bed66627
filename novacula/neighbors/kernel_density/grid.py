"""The density of one column on a grid: rows shared out among its points, then one convolution (Silverman 1982).

Each row gives its weight to the two points around it, more to the nearer one. That replaces its kernel at every point
by the line between two values of the kernel, so that the error is known before the work begins:

    |p̃ − p̂| ≤ norm · min(δ²/8 · max|k″|, δ/2 · max|k′|)       δ: the step, in widths

and as much again between the points, where values are interpolated.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft

from novacula.errors import DataError, ParameterError
from novacula.neighbors.kernel_density.shapes import Shape
from novacula.table.chunk import Floats

PER_WIDTH = 64
"""Points per width, where no error is given: for the Gaussian kernel 6e-5 of its top."""
MOST_POINTS = 2**22
"""Points of a grid, at most: 32 MiB, and some five times that for a convolution."""
SMALLEST_STEP = 1e-300
"""Steps from which on one over them is finite."""
ROUNDING = 1e-14
"""What the Fourier transform may lose, as a share of the kernel's top."""


class GridDensity(NamedTuple):
    """Points, the density at each, and how far it can be from the exact one."""

    x: Floats
    density: Floats
    error: float


@dataclass(frozen=True, slots=True, eq=False)
class KernelGrid:
    """The mean kernel (1/W) Σ w k at equally spaced points, and a bound on its error there and between them."""

    first: float
    step: float
    mean: Floats  # (g,)
    error: float

    @classmethod
    def build(
        cls, shape: Shape, x: Floats, weight: Floats, ends: tuple[float, float], width: float, error: float
    ) -> Self:
        """Of a column x (n,) between these ends whose kernels have this width; an error of 0 leaves the step to us."""
        if math.isinf(shape.slope):
            raise ParameterError("a kernel that jumps has no error bound on a grid: take another one, or no grid")
        low, high = ends
        delta = _step(shape, error)
        margin = shape.end + 2.0 * delta
        count = ((high - low) / width + 2.0 * margin) / delta + 2.0
        if not count <= MOST_POINTS:
            raise DataError(
                f"a grid over {(high - low) / width:.3g} bandwidths needs {count:.3g} points, more than {MOST_POINTS}: "
                f"take algorithm='tree', a wider bandwidth, or a larger atol"
            )
        first, step = low - margin * width, delta * width
        if not step > SMALLEST_STEP:
            raise DataError(f"a grid of steps of {step:.3g} is too fine to be computed with: take a wider bandwidth")
        share = bin_linearly(x, weight, first, step, int(count))
        lags = shape.profile(delta * np.arange(1.0 + math.ceil(shape.end / delta)))
        mean = np.maximum(_convolve(share, lags) / share.sum(), 0.0)
        return cls(first, step, mean, 2.0 * shape.bin_error(delta) + ROUNDING)

    def at(self, x: Floats) -> Floats:
        """The mean kernel at places (m,), 0 beyond the grid."""
        points = self.first + self.step * np.arange(len(self.mean))
        return np.asarray(np.interp(x, points, self.mean, left=0.0, right=0.0))


def bin_linearly(x: Floats, weight: Floats, first: float, step: float, count: int) -> Floats:
    """The weight that each of `count` points gets from the column x (n,)."""
    from novacula.neighbors.kernel_density._kernels import share_out

    share = np.zeros(count)
    share_out(x, weight, first, step, share)
    return share


def _step(shape: Shape, error: float) -> float:
    """The distance of points, in widths, that keeps the error of the mean kernel below a bound, or a small one."""
    if error <= 0.0:
        return 1.0 / PER_WIDTH
    wanted = 0.5 * max(error - ROUNDING, 0.0)
    return min(1.0, max(math.sqrt(8.0 * wanted / shape.bend), 2.0 * wanted / shape.slope, 1e-12))


def _convolve(share: Floats, lags: Floats) -> Floats:
    """Sums of shares (g,) times an even kernel of which lags 0, 1, … are given."""
    size = next_fast_len(len(share) + len(lags), real=True)
    kernel = np.zeros(size)
    kernel[: len(lags)] = lags
    kernel[size - len(lags) + 1 :] = lags[:0:-1]
    return np.asarray(irfft(rfft(share, size) * rfft(kernel), size)[: len(share)])
