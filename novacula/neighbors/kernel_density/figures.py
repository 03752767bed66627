"""Pictures of a density for a third of its width, its width and three times that: over one column, or over two."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from novacula.learner.figure import COLOURS, INK, LINES, Figure, few_digits, literal
from novacula.neighbors.kernel_density.density import RowsDensity
from novacula.table.chunk import Floats
from novacula.words import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from novacula.neighbors.kernel_density.kernel_density import KernelDensity

MULTIPLES = (1.0 / 3.0, 1.0, 3.0)
WORDS = ("h/3", "h", "3h")
LINE = 400
"""Points along a curve."""
GRID = 100
"""Points along each side of a plane."""
POINTS = 500
"""Rows of the fit that are drawn."""
BLANK = 1e-280
"""The largest density of a plane whose points all lie between hills too narrow to be drawn."""
PRECISION = 1e-3
"""What the eye cannot see."""


def widths_figure(model: KernelDensity, density: RowsDensity) -> Figure | None:
    """The density for three widths; None where there are more than two columns."""
    densities = [replace(density, root=multiple * density.root) for multiple in MULTIPLES]
    names = [literal(shortened(name)) for name in model.schema_.column_names()]
    if len(names) == 1:
        return _curves(densities, names[0])
    return _contours(densities, names) if len(names) == 2 else None


def _curves(densities: list[RowsDensity], name: str) -> Figure:
    width = few_digits(float(densities[1].root[0, 0]))

    def draw(axes: Axes) -> None:
        x = np.linspace(*densities[1].shown_range(0), LINE)
        for k, density in enumerate(densities):
            y = np.exp(density.log_density(x[:, None], PRECISION, 0.0))
            own = k == 1
            axes.plot(x, y, color=COLOURS[k], linestyle=LINES[0 if own else k or 3], linewidth=2.0 if own else 1.2)
        axes.legend(axes.lines, [literal(f"{word}{f' = {width}' * (word == 'h')}") for word in WORDS])
        rug = _drawn(densities[1].rows)[:, 0]
        axes.plot(rug, np.zeros(len(rug)), "|", color=INK, alpha=0.5, markersize=9, clip_on=False)
        axes.set_ylim(bottom=0.0)
        axes.set_xlabel(name)
        axes.set_ylabel("density")
        axes.grid()

    alt = f"The density for widths of h/3, h = {width} and 3h, above marks for the rows: the wider, the smoother."
    return Figure(draw, alt, "The density for three widths")


def _contours(densities: list[RowsDensity], names: list[str]) -> Figure:
    def draw(axes: Axes) -> None:
        figure = axes.figure
        axes.remove()
        panels = figure.subplots(1, len(densities), sharex=True, sharey=True)
        x, y = (
            np.linspace(*_between(densities[1].shown_range(j), densities[2].shown_range(j)), GRID) for j in range(2)
        )
        grid = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
        points = _drawn(densities[1].rows)
        for panel, density, word in zip(panels, densities, WORDS, strict=True):
            height = np.exp(density.log_density(grid, PRECISION, 0.0)).reshape(GRID, GRID)
            if height.max() > BLANK:
                levels = np.linspace(0.05, 1.0, 9) * height.max()
                panel.contourf(x, y, height, levels=levels, cmap="Blues")
                panel.contour(x, y, height, levels=levels, colors=COLOURS[0], linewidths=0.6)
            panel.plot(*points.T, ".", color=INK, markersize=2.5, alpha=0.6)
            panel.set_title(word, fontsize=10)
            panel.set_xlabel(names[0])
        panels[0].set_ylabel(names[1])

    alt = "Contours of the density over two columns for widths of h/3, h and 3h: the wider, the smoother."
    return Figure(draw, alt, "The density for three widths", (9.0, 3.4))


def _between(narrow: tuple[float, float], wide: tuple[float, float]) -> tuple[float, float]:
    """A range that shows most of a wide hill and does not lose a narrow one."""
    return 0.5 * (narrow[0] + wide[0]), 0.5 * (narrow[1] + wide[1])


def _drawn(rows: Floats) -> Floats:
    """Some of the rows, evenly chosen."""
    if len(rows) <= POINTS:
        return rows
    return rows[np.linspace(0, len(rows) - 1, POINTS).astype(np.intp)]
