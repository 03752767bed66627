"""The improved Sheather–Jones width of one column (Botev, Grotowski and Kroese 2010), which assumes no normal density.

The best width depends on ‖f″‖², which depends on ‖f‴‖² through the width for estimating it, and so on. Botev's width is
the fixed point of that chain, begun seven derivatives up:

    t = ξ γ⁽⁵⁾(t),   width = R √t

over a grid of length R. Norms of derivatives come from the cosine transform of the rows shared out among its points.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.fft import dct
from scipy.optimize import brentq

from novacula.errors import DataError
from novacula.neighbors.kernel_density.grid import bin_linearly
from novacula.table.chunk import Floats
from novacula.table.names import printable

POINTS = 2**12
"""Points of the grid: a width spans many of them unless the column has very few values."""
DERIVATIVES = 7
"""Where the chain begins; beyond five it hardly matters."""
LARGEST = 0.1
"""The largest t that is tried: a width of a third of the grid's length."""


@dataclass(frozen=True, slots=True)
class FixedPoint:
    """The t that solves the equation, and R, the length of the grid: the width is R √t."""

    t: float
    length: float

    @property
    def width(self) -> float:
        """The deviation of the Gaussian kernel."""
        return self.length * float(np.sqrt(self.t))

    @classmethod
    def of(cls, x: Floats, weight: Floats, name: str) -> Self:
        """The fixed point of a column x (n,)."""
        low, high = float(x.min()), float(x.max())
        if low == high:
            raise DataError(
                f"column {printable(name)!r} has the same value in every row, so its bandwidth would be zero: drop the "
                f"column, or give bandwidth as a number"
            )
        margin = 0.5 * (high - low)
        first, length = low - margin, high - low + 2.0 * margin
        # The cosine transform counts from the middles of cells, which the points of the grid are to be.
        step = length / POINTS
        share = bin_linearly(x, weight, first + 0.5 * step, step, POINTS) / weight.sum()
        powers = np.square(0.5 * dct(share)[1:])
        distinct = len(np.unique(x))  # ties say nothing of how fine the density is
        return cls(_solve(distinct, powers, name), length)


def _solve(n: int, powers: Floats, name: str) -> float:
    """The least t at which t − ξγ(t) becomes positive."""
    upper = 1e-9
    while _gap(upper, n, powers) < 0.0:
        upper *= 2.0
        if upper > LARGEST:
            raise DataError(
                f"no bandwidth of column {printable(name)!r} solves the Sheather–Jones equation: {n} different values "
                f"are too few for bandwidth='isj', take 'silverman'"
            )
    return float(brentq(_gap, 0.0, upper, args=(n, powers), xtol=1e-16, rtol=1e-13))


def _gap(t: float, n: int, powers: Floats) -> float:
    """The gap t − ξγ⁽⁵⁾(t) for n rows; powers (g − 1,) are the squared cosine coefficients from the first on."""
    squared = np.arange(1.0, len(powers) + 1.0) ** 2

    def norm(s: int, time: float) -> float:
        """‖f⁽ˢ⁾‖² of the density smoothed for this time."""
        terms = squared**s * powers * np.exp(-squared * np.pi**2 * time)
        return float(2.0 * np.pi ** (2 * s) * terms.sum())

    squared_norm = norm(DERIVATIVES, t)
    for s in range(DERIVATIVES - 1, 1, -1):
        if squared_norm <= 0.0:
            return -np.inf
        odd = float(np.prod(np.arange(1.0, 2 * s, 2.0))) / np.sqrt(2.0 * np.pi)
        time = (2.0 * (1.0 + 0.5 ** (s + 0.5)) / 3.0 * odd / (n * squared_norm)) ** (2.0 / (3.0 + 2.0 * s))
        squared_norm = norm(s, time)
    return t - float((2.0 * n * np.sqrt(np.pi) * squared_norm) ** -0.4) if squared_norm > 0.0 else -np.inf
