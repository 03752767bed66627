"""A picture of a Gram matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from novacula.learner.figure import Figure, few_digits
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def gram_figure(K: Floats) -> Figure:
    """A Gram matrix as shades: the darker, the more alike two rows are."""

    def draw(axes: Axes) -> None:
        from matplotlib.ticker import MaxNLocator

        low = min(0.0, float(K.min()))
        # Where something is negative, 0 is white and the two signs have a colour each.
        limits = (-np.abs(K).max(), np.abs(K).max()) if low < 0.0 else (0.0, float(K.max()) or 1.0)
        shown = axes.imshow(
            K, cmap="RdBu" if low < 0.0 else "Blues", vmin=limits[0], vmax=limits[1], extent=_cells(len(K))
        )
        axes.figure.colorbar(shown, ax=axes, label="k(x, y)", shrink=0.85)
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
        axes.set_xlabel("row")
        axes.set_ylabel("row")

    alt = f"The Gram matrix of {len(K)} rows, from {few_digits(K.min())} to {few_digits(K.max())}."
    return Figure(draw, alt, f"Gram matrix of {len(K)} rows", (5.0, 4.2))


def _cells(n: int) -> tuple[float, float, float, float]:
    """The corners of the matrix, so that rows are counted from 1 and the first is on top."""
    return (0.5, n + 0.5, n + 0.5, 0.5)
