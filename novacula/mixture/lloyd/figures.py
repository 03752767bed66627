"""Pictures of k-means: the Voronoi cells of two columns, and the fall of the inertia."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from novacula.learner.figure import COLOURS, INK, Figure, curve_figure, few_digits, literal
from novacula.learner.first_rows import drawn_rows
from novacula.mixture.lloyd.assignment import Assignment, centres_at
from novacula.table.chunk import Floats
from novacula.words import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from novacula.mixture.k_means import KMeans

GRID = 400
"""Points along each side of a picture."""
MARGIN = 0.15
"""How far the picture reaches beyond centres and rows, as a share of their extent."""
NAMED = 40
"""Clusters up to which each is written at its centre."""


def cells_figure(model: KMeans, names: tuple[str, ...], rows: Floats) -> Figure | None:
    """The cell of each centre in the plane of two columns, with some rows (n, 2); None for other than two columns."""
    if len(names) != 2:
        return None
    centres = model.cluster_centers_
    shown = np.concatenate([centres, rows])
    low, high = shown.min(axis=0), shown.max(axis=0)
    margin = MARGIN * np.where(high > low, high - low, 1.0)
    low, high = low - margin, high + margin

    def draw(axes: Axes) -> None:
        from matplotlib.colors import ListedColormap

        x, y = (np.linspace(low[j], high[j], GRID) for j in range(2))
        grid = np.stack(np.meshgrid(x, y), axis=-1)
        cells = centres_at(model.origin_, centres)
        label = Assignment.of(cells.space.offsets(grid.reshape(-1, 2)), cells).label.reshape(GRID, GRID)
        shades = ListedColormap([COLOURS[k % len(COLOURS)] for k in range(len(centres))])
        axes.pcolormesh(x, y, label, cmap=shades, vmin=-0.5, vmax=len(centres) - 0.5, alpha=0.22, rasterized=True)
        axes.plot(*rows.T, "o", color=INK, markersize=3, alpha=0.6)
        axes.plot(*centres.T, "X", color=INK, markeredgecolor="white", markersize=10)
        if len(centres) <= NAMED:
            for k, centre in enumerate(centres):
                axes.annotate(str(k), centre, (7, 5), textcoords="offset points", color=INK, fontsize=10)
        axes.set_xlim(low[0], high[0])
        axes.set_ylim(low[1], high[1])
        axes.set_xlabel(literal(shortened(names[0])))
        axes.set_ylabel(literal(shortened(names[1])))

    places = "; ".join(f"{k} at {', '.join(map(few_digits, centre))}" for k, centre in enumerate(centres[:5]))
    more = f"; and {len(centres) - 5} more" if len(centres) > 5 else ""
    return Figure(
        draw,
        f"Voronoi cells of centres over {names[0]} and {names[1]}: {places}{more}; {drawn_rows(len(rows))}.",
        "Voronoi cells",
        (6.4, 5.0),
    )


def fall_figure(history: Floats) -> Figure:
    """The inertia from the start on."""
    return curve_figure(
        np.arange(len(history)),
        {"inertia": history},
        title="The inertia never rises",
        xlabel="iteration",
        ylabel="inertia J",
        alt=f"The inertia falls from {few_digits(history[0])} to {few_digits(history[-1])}.",
    )
