"""A range of one or two numbers, cut into equal cells, and what can be read off from a density on it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from novacula.arguments import as_matrix
from novacula.errors import ParameterError
from novacula.table.chunk import Floats

Bounds: TypeAlias = tuple[tuple[float, float], ...]

_TAIL = 1e-10  # probability that may be left out at an end of an axis
_NARROW = 0.5  # share of an axis below which the rest deserves a grid of its own
_FINEST = 1e-12  # of the numbers themselves: a cell that differences of doubles still show


@dataclass(frozen=True)
class PosteriorGrid:
    """Cells within bounds, one pair of them per axis, as many along each."""

    bounds: Bounds
    points: int

    @property
    def n_dimensions(self) -> int:
        """How many numbers there are."""
        return len(self.bounds)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of arrays with one value per cell."""
        return (self.points,) * self.n_dimensions

    @cached_property
    def axes(self) -> tuple[Floats, ...]:
        """The middles of the cells along each axis."""
        steps = (np.arange(self.points) + 0.5) / self.points
        return tuple(low + (high - low) * steps for low, high in self.bounds)

    @cached_property
    def mesh(self) -> tuple[Floats, ...]:
        """Each number at every cell."""
        return tuple(np.meshgrid(*self.axes, indexing="ij"))

    @property
    def log_cell(self) -> float:
        """The logarithm of a cell's length or area."""
        return sum(math.log((high - low) / self.points) for low, high in self.bounds)

    def marginals(self, masses: Floats) -> list[Floats]:
        """The mass along each axis, summed over the other."""
        return [masses] if self.n_dimensions == 1 else [masses.sum(axis=1 - k) for k in range(2)]

    def peak(self, logs: Floats) -> list[float]:
        """Where a log-density is highest: the top of the parabola through the highest cell and its neighbours."""
        top = np.unravel_index(int(np.argmax(logs)), logs.shape)
        return [self._peak(np.moveaxis(logs, k, -1)[(*top[:k], *top[k + 1 :])], k) for k in range(self.n_dimensions)]

    def _peak(self, line: Floats, axis: int) -> float:
        i, (low, high) = int(np.argmax(line)), self.bounds[axis]
        shift = 0.0
        if 0 < i < self.points - 1 and np.isfinite(line[i - 1 : i + 2]).all():
            left, here, right = line[i - 1 : i + 2].tolist()
            bend = left - 2.0 * here + right
            shift = 0.5 * (left - right) / bend if bend < 0 else 0.0
        return low + (high - low) * (i + 0.5 + shift) / self.points

    def near(self, place: Sequence[float]) -> PosteriorGrid:
        """A grid of the few cells about a place."""
        found = []
        for (low, high), x in zip(self.bounds, place, strict=True):
            reach = 2.0 * (high - low) / self.points
            found.append((max(low, x - reach), min(high, x + reach)))
        return PosteriorGrid(tuple(found), self.points)

    def around(self, logs: Floats) -> PosteriorGrid:
        """A grid on which a log-density is not narrow; this one, where it is not."""
        found = []
        for (low, high), line in zip(self.bounds, self.marginals(np.exp(logs - logs.max())), strict=True):
            below, cell = np.cumsum(line) / line.sum(), (high - low) / self.points
            first, last = np.searchsorted(below, [_TAIL, 1.0 - _TAIL]).tolist()
            ends = max(low, low + (first - 1) * cell), min(high, low + (last + 2) * cell)
            narrow = ends[1] - ends[0] < _NARROW * (high - low) and cell > _FINEST * max(abs(low), abs(high))
            found.append(ends if narrow else (low, high))
        return PosteriorGrid(tuple(found), self.points)

    def tops(self, density: Floats, least: float) -> list[tuple[list[float], float]]:
        """Places that are higher than all around, and how high, the highest first; a plateau is one, at its middle.

        `least` is the share of the largest height from which a place counts.
        """
        from scipy.ndimage import binary_dilation, label, maximum_filter

        neighbours = np.ones((3,) * self.n_dimensions)
        numbered, count = label(
            (density == maximum_filter(density, 3)) & (density >= least * density.max()), neighbours
        )
        found = []
        for k in range(1, count + 1):
            plateau = numbered == k
            cells, height = np.argwhere(plateau), float(density[plateau].max())
            around = binary_dilation(plateau, neighbours) & ~plateau
            if not (density[around] >= height).any():  # else it is a step on the way up
                found.append(([float(axis[cells[:, i]].mean()) for i, axis in enumerate(self.axes)], height))
        return sorted(found, key=lambda top: -top[1])


def as_bounds(bounds: Sequence[Any]) -> Bounds:
    """One pair of ends, or two."""
    pairs = as_matrix(bounds, "bounds", 2)
    if len(pairs) > 2:
        raise ParameterError(f"bounds has {len(pairs)} pairs; a grid serves one or two numbers")
    for low, high in pairs.tolist():
        if not low < high:
            raise ParameterError(f"bounds has low {low:g} and high {high:g}; low must be below high")
    return tuple((low, high) for low, high in pairs.tolist())
