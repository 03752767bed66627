"""Pictures of a kernel: its Gram matrix, and rows of two columns as their three features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.learner.figure import COLOURS, Figure, few_digits, literal
from novacula.table.chunk import Floats
from novacula.words import shortened

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


POINTS = 1000
"""Rows that are drawn."""
MARKERS = "osD^vPX"
LEGEND = 6
"""Classes in a line of the legend."""


def lifted_figure(x: Floats, phi: Floats, labels: Any, columns: Sequence[str], features: Sequence[str]) -> Figure:
    """Rows (n, 2) in their plane, and as features (n, 3) in space, with a mark for each of their classes."""
    shown = np.linspace(0, len(x) - 1, min(len(x), POINTS)).astype(np.intp)
    kinds = [None] if labels is None else np.unique(labels[shown]).tolist()

    def draw(axes: Axes) -> None:
        figure = axes.figure
        axes.remove()
        plane, space = figure.add_subplot(1, 2, 1), figure.add_subplot(1, 2, 2, projection="3d")
        for panel, points, names in ((plane, x, columns), (space, phi, features)):
            for i, kind in enumerate(kinds):
                own = shown if kind is None else shown[labels[shown] == kind]
                colour, mark, label = COLOURS[i % len(COLOURS)], MARKERS[i % len(MARKERS)], shortened(str(kind))
                panel.plot(*points[own].T, mark, color=colour, markersize=4, label=literal(label))
            for axis, name in zip("xyz", names, strict=False):
                getattr(panel, f"set_{axis}label")(literal(shortened(name)))
        space.set_box_aspect(None, zoom=0.8)  # room for the name of the upright axis
        plane.set_aspect("equal", adjustable="datalim")
        plane.grid()
        if labels is not None:
            # below the panels, where it covers no point
            figure.legend(*plane.get_legend_handles_labels(), loc="outside lower center", ncols=min(len(kinds), LEGEND))

    alt = f"{len(shown)} rows in the plane of {' and '.join(columns)}, and in the space of {', '.join(features)}."
    return Figure(draw, alt, "From two dimensions to three", (9.0, 4.2))


def _cells(n: int) -> tuple[float, float, float, float]:
    """The corners of the matrix, so that rows are counted from 1 and the first is on top."""
    return (0.5, n + 0.5, n + 0.5, 0.5)
