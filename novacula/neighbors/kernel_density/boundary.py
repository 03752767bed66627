"""Bounds of columns, beyond which there is nothing: kernels are folded back at them as a sheet of paper is.

What a kernel would put beyond a bound is put where the bound mirrors it, so that the density within the bounds still
integrates to one. To fold the kernels is to unfold the query: the density at x is the sum of the densities at all
images of x,

    x,  2·low − x,  2·high − x,  x ± 2(high − low),  …

one in each cell of the lattice of mirrors. Cells farther than a kernel reaches are left out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from novacula.errors import DataError, ParameterError
from novacula.table.chunk import Floats
from novacula.table.names import printable

MOST_IMAGES = 10_000
"""Images of one query, at most."""


def read_bounds(bounds: Any, names: Sequence[str]) -> Floats:
    """Low and high of each column (d, 2), from one pair for all or a pair for each; None leaves a side open."""
    d = len(names)
    try:
        given = np.array(bounds, dtype=np.float64)  # None becomes NaN
        filled = np.where(np.isnan(given), [-math.inf, math.inf], given)
        filled = np.tile(filled, (d, 1)) if filled.shape == (2,) else filled
    except (TypeError, ValueError):
        filled = np.empty(0)
    if bounds is None or filled.shape != (d, 2):
        raise ParameterError(
            f"bounds is {bounds!r}; boundary='reflect' needs a pair (low, high), or one for each of {d} columns"
        )
    for name, (low, high) in zip(names, filled, strict=True):
        if not low < high:
            raise ParameterError(f"the bounds of {printable(name)!r} are {low:g} and {high:g}: low must be less")
    return filled


def require_within(rows: Floats, bounds: Floats, names: Sequence[str]) -> None:
    """Refuse rows (n, d) of the fit beyond the bounds, with column and row."""
    beyond = (rows < bounds[:, 0]) | (rows > bounds[:, 1])
    if beyond.any():
        row, column = (int(place) for place in np.argwhere(beyond)[0])
        low, high = bounds[column]
        raise DataError(
            f"column {printable(names[column])!r} is {rows[row, column]:g} in row {row + 1}, beyond its bounds "
            f"{low:g} and {high:g}: widen them or drop the row"
        )


def mirror_cells(bounds: Floats, reach: Floats) -> list[tuple[int, ...]]:
    """The cells of the lattice of mirrors, by numbers along each axis, from which kernels of a reach (d,) arrive."""
    cells = [_cells(low, high, far) for (low, high), far in zip(bounds, reach, strict=True)]
    count = math.prod(map(len, cells))
    if count > MOST_IMAGES:
        raise DataError(
            f"the bounds are so narrow for the bandwidth that each row has {count} images, more than {MOST_IMAGES}: "
            f"take a smaller bandwidth or bound fewer columns"
        )
    return list(product(*cells))


def image(x: Floats, bounds: Floats, cell: tuple[int, ...]) -> Floats:
    """The images (m, d) of places (m, d) in a cell."""
    return np.stack([_image(x[:, j], bounds[j, 0], bounds[j, 1], c) for j, c in enumerate(cell)], axis=1)


def _cells(low: float, high: float, reach: float) -> range:
    """The numbers of the cells along one axis; 0 is that of the data.

    A row is at most a cell away from the query itself, and at least a cell less than its number from an image: beyond
    these numbers an image is so much farther away than the query that its kernel does not count against the query's.
    """
    if math.isinf(high - low):
        return range(-1 if math.isfinite(low) else 0, 2 if math.isfinite(high) else 1)
    last = 1 + math.ceil(min(reach / (high - low), MOST_IMAGES))
    return range(-last, last + 1)


def _image(x: Floats, low: float, high: float, cell: int) -> Floats:
    if cell == 0:
        return x
    if math.isinf(high - low):
        return 2.0 * (low if cell < 0 else high) - x
    shift = cell * (high - low)
    return x + shift if cell % 2 == 0 else 2.0 * low + (shift + (high - low)) - x


def fold(x: Floats, bounds: Floats) -> Floats:
    """Places (n, d) anywhere, folded back within the bounds."""
    folded = x.copy()
    for j, (low, high) in enumerate(bounds):
        if math.isinf(high - low):
            folded[:, j] = low + np.abs(x[:, j] - low) if math.isfinite(low) else x[:, j]
            folded[:, j] = high - np.abs(high - folded[:, j]) if math.isfinite(high) else folded[:, j]
        else:
            # The distance from low to the nearest even mirror: a zigzag of period 2(high − low).
            away = np.abs(np.remainder(x[:, j] - high, 2.0 * (high - low)) - (high - low))
            folded[:, j] = np.clip(low + away, low, high)
    return folded
