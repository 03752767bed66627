"""Pictures of densities: one number before and after the data, or a map of two."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from novacula.bayes.grid import PosteriorGrid
from novacula.learner.figure import Figure, curve_figure, few_digits
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MASSES = (0.5, 0.9, 0.99)
"""Probabilities within the contours of a map."""
_TAIL = 5e-4
"""What a map may leave out on either side."""


def density_figure(theta: Floats, prior: Floats, posterior: Floats, n: int) -> Figure:
    """The densities of one number before and after the data."""
    curves = {"prior": prior, "posterior": posterior}
    title, alt = f"θ before and after {n} data", peaks("θ", theta, curves)
    return curve_figure(theta, curves, title=title, xlabel="θ", ylabel="density", alt=alt)


def peaks(of: str, x: Floats, curves: Mapping[str, Floats]) -> str:
    """Where densities are highest, in words."""
    tops = (f"the {name} is highest at {few_digits(x[int(np.argmax(y))])}" for name, y in curves.items())
    return f"Densities of {of} from {few_digits(x[0])} to {few_digits(x[-1])}: {', '.join(tops)}."


def map_figure(grid: PosteriorGrid, density: Floats, n: int) -> Figure:
    """The density of two numbers, with contours of the smallest regions that hold some of it."""
    rows, columns = (_support(share) for share in grid.marginals(density))
    first, second, density = grid.axes[0][rows], grid.axes[1][columns], density[rows, columns]
    levels = [_height(density, mass) for mass in _MASSES]

    def draw(axes: Axes) -> None:
        axes.pcolormesh(first, second, density.T, cmap="Blues", shading="nearest", rasterized=True)
        heights = sorted(set(levels))
        lines = axes.contour(first, second, density.T, levels=heights, colors="#333333", linewidths=0.8)
        words = {height: f"{mass:.0%}" for height, mass in zip(levels, _MASSES, strict=True)}
        axes.clabel(lines, fmt=words, fontsize=8)
        axes.set_xlabel("θ₁")
        axes.set_ylabel("θ₂")

    i, j = np.unravel_index(int(density.argmax()), density.shape)
    alt = f"Density of two numbers after {n} data, highest at ({few_digits(first[i])}, {few_digits(second[j])})."
    return Figure(draw, alt, f"θ after {n} data; contours hold 50%, 90% and 99%", (5.4, 4.6))


def _support(share: Floats) -> slice:
    """The places along an axis that hold all but a thousandth, and a few more on either side."""
    below = np.cumsum(share) / share.sum()
    low, high = np.searchsorted(below, [_TAIL, 1.0 - _TAIL]).tolist()
    more = 1 + (high - low) // 10
    return slice(max(0, low - more), high + more + 1)


def _height(density: Floats, mass: float) -> float:
    """The density above which the cells hold a share of it all."""
    falling = np.sort(density, axis=None)[::-1]
    mass_above = np.cumsum(falling)
    return float(falling[int(np.searchsorted(mass_above, mass * mass_above[-1]))])
