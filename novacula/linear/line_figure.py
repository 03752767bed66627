"""Rows as points, and lines through them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from novacula.learner.figure import COLOURS, INK, LINES, Figure, literal
from novacula.table.chunk import Floats
from novacula.words import counted, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LINE = 400
"""Points along a line."""
POINTS = 1000
"""Rows that are drawn."""
MARGIN = 0.25
"""How far beyond the targets lines are shown, in their range."""


def line_figure(
    x: Floats, y: Floats, lines: Mapping[str, Callable[[Floats], Floats]], xlabel: str, ylabel: str, title: str
) -> Figure:
    """Rows x (n,) with targets y (n,), and lines over them by name; a line that leaves the targets far is cut."""
    shown = np.linspace(0, len(x) - 1, min(len(x), POINTS)).astype(np.intp)
    places = np.linspace(x.min(), x.max(), LINE)

    def draw(axes: Axes) -> None:
        axes.plot(x[shown], y[shown], "o", color=INK, markersize=5)
        for i, (name, line) in enumerate(lines.items()):
            colour, style = COLOURS[i % len(COLOURS)], LINES[i % len(LINES)]
            axes.plot(places, line(places), color=colour, linestyle=style, label=literal(name))
        room = MARGIN * max(float(np.ptp(y)), np.finfo(float).tiny)
        axes.set_ylim(float(y.min()) - room, float(y.max()) + room)
        axes.set_xlabel(literal(shortened(xlabel)))
        axes.set_ylabel(literal(shortened(ylabel)))
        axes.grid()
        if len(lines) > 1:
            axes.legend()

    alt = f"{counted(len(shown), 'row')} as points over {shortened(xlabel)}, with lines: {', '.join(lines)}."
    return Figure(draw, alt, title)
