"""What a network says over one column, as curves, or over two, as regions or a surface, with rows on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.learner.figure import COLOURS, INK, LINES, Figure, literal
from novacula.table.chunk import Floats
from novacula.words import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GRID = 160
"""Points along each side of a plane."""
LINE = 400
"""Points along a curve."""
MARGIN = 0.08
"""How far a picture reaches beyond what it shows, as a share of that."""
CURVES = 6
"""Outputs that are drawn over one column."""
MARKERS = "osD^vPX*"


@dataclass(frozen=True, eq=False)
class Landscape:
    """The outputs of a network over a box of d = 1 or 2 columns."""

    outputs: Callable[[Floats], Floats]  # rows (n, d) to outputs (n, k)
    names: tuple[str, ...]  # d columns
    outcomes: tuple[str, ...]  # k classes or targets
    classes: bool  # whether outcomes are classes, of which the largest output wins
    points: Floats  # (m, d), what must be in the box
    rows: Floats | None = None  # (n, d)
    targets: Any = None  # classes of the rows by number (n,), or their targets (n, k)

    def figure(self, title: str, alt: str, decorate: Callable[[Axes], None] = lambda _: None) -> Figure:
        """The picture, with decorations on top."""

        def draw(axes: Axes) -> None:
            if len(self.names) == 1:
                self._draw_curves(axes)
            elif self.classes:
                self._draw_regions(axes)
            else:
                self._draw_surface(axes)
            decorate(axes)
            axes.set_xlim(*self._limits()[0])
            axes.set_xlabel(literal(shortened(self.names[0])))
            if len(self.names) == 2:
                axes.set_ylim(*self._limits()[1])
                axes.set_ylabel(literal(shortened(self.names[1])))

        return Figure(draw, alt, title, (6.4, 4.6))

    def _limits(self) -> list[tuple[float, float]]:
        low, high = self.points.min(axis=0), self.points.max(axis=0)
        margin = MARGIN * np.where(high > low, high - low, 1.0)
        return list(zip((low - margin).tolist(), (high + margin).tolist(), strict=True))

    def _draw_curves(self, axes: Axes) -> None:
        x = np.linspace(*self._limits()[0], LINE)
        values = self.outputs(x[:, None])
        for k, name in enumerate(self.outcomes[:CURVES]):
            colour = COLOURS[k % len(COLOURS)]
            axes.plot(x, values[:, k], LINES[k % len(LINES)], color=colour, label=literal(shortened(name)))
            if self.rows is None:
                continue
            if not self.classes and self.targets is not None:
                axes.plot(self.rows[:, 0], self.targets[:, k], MARKERS[k], color=colour, markersize=4, alpha=0.7)
            else:
                own = self.rows[self.targets == k, 0] if self.targets is not None else self.rows[:, 0]
                colour = INK if self.targets is None else colour
                axes.plot(own, np.full(len(own), 0.98), "|", color=colour, transform=axes.get_xaxis_transform())
        axes.set_ylabel("output" if len(self.outcomes) > 1 else literal(shortened(self.outcomes[0])))
        if len(self.outcomes) > 1:
            axes.legend(loc="center left", bbox_to_anchor=(1.02, 0.5))
        axes.grid()

    def _plane(self) -> tuple[Floats, Floats, Floats]:
        """The two axes of the plane, and the outputs at its points (GRID, GRID, k)."""
        x, y = (np.linspace(*limits, GRID) for limits in self._limits())
        grid = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
        return x, y, self.outputs(grid).reshape(GRID, GRID, -1)

    def _draw_regions(self, axes: Axes) -> None:
        from matplotlib.colors import ListedColormap

        x, y, outputs = self._plane()
        shades = ListedColormap([COLOURS[t % len(COLOURS)] for t in range(len(self.outcomes))])
        most = len(self.outcomes) - 0.5
        axes.pcolormesh(x, y, outputs.argmax(axis=-1), cmap=shades, vmin=-0.5, vmax=most, alpha=0.25, rasterized=True)
        for t, name in enumerate(self.outcomes):
            own = np.empty((0, 2)) if self.rows is None or self.targets is None else self.rows[self.targets == t]
            look: dict[str, Any] = {"color": COLOURS[t % len(COLOURS)], "markeredgecolor": "white", "markersize": 6}
            axes.plot(*own.T, MARKERS[t % len(MARKERS)], label=literal(shortened(name)), **look)
        if self.rows is not None and self.targets is None:
            axes.plot(*self.rows.T, ".", color=INK)
        axes.legend(loc="center left", bbox_to_anchor=(1.02, 0.5))

    def _draw_surface(self, axes: Axes) -> None:
        x, y, outputs = self._plane()
        heights = outputs[..., 0] if self.targets is None else np.append(outputs[..., 0], self.targets[:, 0])
        low, high = float(heights.min()), float(heights.max())
        shades = axes.pcolormesh(x, y, outputs[..., 0], vmin=low, vmax=high, rasterized=True)
        axes.figure.colorbar(shades, ax=axes, label=literal(shortened(self.outcomes[0])))
        if self.rows is not None and self.targets is not None:
            look: dict[str, Any] = {"edgecolors": INK, "s": 22, "linewidths": 0.8}
            axes.scatter(self.rows[:, 0], self.rows[:, 1], c=self.targets[:, 0], vmin=low, vmax=high, **look)
        elif self.rows is not None:
            axes.plot(*self.rows.T, ".", color="white", markeredgecolor=INK)
