"""The mean of kernels as a function of the place: by tree, on a grid, without a row, within bounds, and drawn from.

All that it needs is rows, weights, one shape and one width, so that a model, the widths it chooses among and the curves
of a figure are the same thing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np
from scipy.linalg import solve_triangular

from novacula.neighbors.kernel_density.bandwidth import widths_of
from novacula.neighbors.kernel_density.boundary import fold, image, mirror_cells
from novacula.neighbors.kernel_density.grid import GridDensity, KernelGrid
from novacula.neighbors.kernel_density.shapes import Shape
from novacula.neighbors.kernel_density.sums import KernelSums
from novacula.table.chunk import Floats

SHOWN_WIDTHS = 4.0
"""How far beyond the rows a density is shown, at most."""


@dataclass(eq=False)
class RowsDensity:
    """p̂(x) = (1/W) Σ wⱼ c k(‖A⁻¹(x − xⱼ)‖) / det A, folded at bounds where there are any; logarithms throughout."""

    shape: Shape
    rows: Floats  # (n, d)
    weight: Floats  # (n,), all positive
    root: Floats  # (d, d): A, lower triangular
    bounds: Floats | None = None  # (d, 2)

    @cached_property
    def total(self) -> float:
        """W."""
        return float(self.weight.sum())

    @property
    def log_norm(self) -> float:
        """ln (c / det A), the logarithm of a kernel's top."""
        return self.shape.log_norm(len(self.root)) - float(np.log(np.diag(self.root)).sum())

    @property
    def _top(self) -> float:
        """c / det A, infinite for a kernel that is next to nothing wide."""
        with np.errstate(over="ignore"):
            return float(np.exp(self.log_norm))

    # --- by tree -----------------------------------------------------------------------------------------------

    def log_density(self, x: Floats, rtol: float, atol: float) -> Floats:
        """ln p̃ at places (m, d), where |p̃ − p̂| ≤ rtol · p̂ + atol: (m,)."""
        log_scale = self.log_norm - math.log(self.total)
        allowed = 0.0 if atol == 0.0 else math.exp(min(math.log(atol) - log_scale, 700.0)) / self._n_images
        parts = (self.sums.log_sums(self.in_widths(place), rtol, allowed) for place in self.images(x))
        return self._within(x, reduce(np.logaddexp, parts) + log_scale)

    def log_density_left_out(self, rtol: float) -> Floats:
        """ln p̂ at each row without one repetition of it, or all of it if it weighs less: (n,)."""
        parts = (self.sums.log_sums_without_own(self.in_widths(place), rtol) for place in self.images(self.rows))
        left = self.total - np.minimum(self.weight, 1.0)
        return np.asarray(reduce(np.logaddexp, parts) + self.log_norm - np.log(left))

    @cached_property
    def sums(self) -> KernelSums:
        """The tree of the rows."""
        return KernelSums.build(self.shape, self.in_widths(self.rows), self.weight)

    @cached_property
    def _ends(self) -> tuple[Floats, Floats]:
        """The least and the greatest value of each column: (d,), (d,)."""
        return self.rows.min(axis=0), self.rows.max(axis=0)

    def in_widths(self, x: Floats) -> Floats:
        """Places (m, d) as A⁻¹(x − centre): differences of large numbers are taken before they are divided."""
        low, high = self._ends
        with np.errstate(over="ignore"):  # what is infinite is too far away to matter
            gap = x - (0.5 * low + 0.5 * high)
            if np.count_nonzero(self.root) == len(self.root):
                return np.asarray(gap / np.diag(self.root))
            return np.ascontiguousarray(solve_triangular(self.root, gap.T, lower=True, check_finite=False).T)

    # --- on a grid ---------------------------------------------------------------------------------------------

    def grid(self, atol: float) -> KernelGrid:
        """One column on a grid whose error, once it is a density, is at most atol; 0 leaves that to the grid."""
        error = atol / self._top / self._n_images
        low, high = (float(end[0]) for end in self._ends)
        return KernelGrid.build(self.shape, self.rows[:, 0], self.weight, (low, high), float(self.root[0, 0]), error)

    def log_density_by(self, grid: KernelGrid, x: Floats) -> Floats:
        """ln p̃ at places (m, 1), interpolated: (m,)."""
        total = reduce(np.add, (grid.at(place[:, 0]) for place in self.images(x)))
        with np.errstate(divide="ignore"):
            return self._within(x, np.log(total) + self.log_norm)

    def on_points(self, grid: KernelGrid, x: Floats) -> GridDensity:
        """The density at points (m,) of one column, and its error bound."""
        density = np.exp(self.log_density_by(grid, x[:, None]))
        return GridDensity(x, density, grid.error * self._n_images * self._top)

    # --- bounds ------------------------------------------------------------------------------------------------

    @cached_property
    def _cells(self) -> list[tuple[int, ...]] | None:
        return None if self.bounds is None else mirror_cells(self.bounds, widths_of(self.root) * self.shape.end)

    @property
    def _n_images(self) -> int:
        return 1 if self._cells is None else len(self._cells)

    def images(self, x: Floats) -> Iterator[Floats]:
        """The places where kernels are summed up for each of x (m, d): itself and, with bounds, its mirror images."""
        if self.bounds is None or self._cells is None:
            yield x
        else:
            yield from (image(x, self.bounds, cell) for cell in self._cells)

    def _within(self, x: Floats, scores: Floats) -> Floats:
        """Scores (m,), −∞ beyond the bounds."""
        if self.bounds is None:
            return scores
        beyond = (x < self.bounds[:, 0]) | (x > self.bounds[:, 1])
        return np.where(beyond.any(axis=1), -np.inf, scores)

    def shown_range(self, column: int) -> tuple[float, float]:
        """Where the density along a column begins and ends for the eye."""
        margin = min(self.shape.end, SHOWN_WIDTHS) * widths_of(self.root)[column]
        low, high = (float(end[column]) for end in self._ends)
        least, most = (-math.inf, math.inf) if self.bounds is None else self.bounds[column]
        return float(max(low - margin, least)), float(min(high + margin, most))

    # --- chance ------------------------------------------------------------------------------------------------

    def draw(self, n: int, rng: np.random.Generator) -> Floats:
        """Places (n, d): a row by its weight, then a step by its kernel, folded at bounds."""
        reached = np.cumsum(self.weight)
        chosen = np.searchsorted(reached, rng.random(n) * reached[-1], side="right")
        direction = rng.normal(size=(n, len(self.root)))
        direction /= np.linalg.norm(direction, axis=1, keepdims=True)
        step = direction * self.shape.radius(rng, n, len(self.root))[:, None]
        drawn = self.rows[np.minimum(chosen, len(self.rows) - 1)] + step @ self.root.T
        return drawn if self.bounds is None else fold(drawn, self.bounds)
