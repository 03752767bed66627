"""Pictures of what neighbours say: the regions of the classes, the surface of a regression, a density."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from novacula.learner.figure import COLOURS, INK, LINES, Figure, literal
from novacula.table.chunk import Floats
from novacula.words import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from novacula.neighbors.base import NeighborsLearner
    from novacula.neighbors.k_neighbors_classifier import KNeighborsClassifier
    from novacula.neighbors.k_neighbors_density import KNeighborsDensity
    from novacula.neighbors.k_neighbors_regressor import KNeighborsRegressor

GRID = 160
"""Points along each side of a picture."""
LINE = 400
"""Points along a curve."""
POINTS = 500
"""Rows of the fit that are drawn."""
MARKERS = "osD^vPX*"
Answers: TypeAlias = Callable[[Floats], Any]
"""What neighbours say of places (m, d) in the columns' own units: (m,)."""
AnswersOf: TypeAlias = Callable[[Floats, int], Any]
"""The same of k neighbours."""


def regions_figure(model: KNeighborsClassifier, ask: Answers) -> Figure | None:
    """The class of every point of the plane, and the rows of the fit; None unless there are two numeric columns."""
    if _plain_columns(model) != 2:
        return None
    points, kept = _drawn(model)
    codes = model.examples_["target"][kept]

    def draw(axes: Axes) -> None:
        from matplotlib.colors import ListedColormap

        x, y, grid = _plane(points)
        shades = ListedColormap([COLOURS[t % len(COLOURS)] for t in range(len(model.classes_))])
        codes_of_plane = ask(grid).reshape(GRID, GRID)
        most = len(model.classes_) - 0.5
        axes.pcolormesh(x, y, codes_of_plane, cmap=shades, vmin=-0.5, vmax=most, alpha=0.25, rasterized=True)
        for t in np.unique(codes):
            label = literal(shortened(str(model.classes_[t])))
            axes.plot(
                *points[codes == t].T,
                MARKERS[t % len(MARKERS)],
                color=COLOURS[t % len(COLOURS)],
                markeredgecolor="white",
                markeredgewidth=0.6,
                markersize=6,
                label=label,
            )
        _name_axes(model, axes)
        axes.legend(loc="center left", bbox_to_anchor=(1.02, 0.5))

    what = "Voronoi cells, joined by class" if model.n_neighbors_ == 1 else "Regions of the classes"
    alt = f"{what} for k = {model.n_neighbors_}, and {len(points)} rows of the fit."
    return Figure(draw, alt, f"{what}, k = {model.n_neighbors_}")


def density_figure(model: KNeighborsDensity, ask: AnswersOf) -> Figure | None:
    """The logarithm of the density over one or two columns for k/3, k and 3k; None where there are more columns."""
    d, k = _plain_columns(model), model.n_neighbors_
    if d not in (1, 2):
        return None
    points, most = _drawn(model)[0], int(model.examples_["weight"].sum())
    ks = sorted({max(1, round(k / 3)), k, min(3 * k, most)})

    def draw(axes: Axes) -> None:
        if d == 1:
            _density_curves(axes, points, ks, ask, k)
            _name_axes(model, axes)
        else:
            panels = axes.figure.subplots(1, len(ks), sharex=True, sharey=True, squeeze=False)[0]
            axes.remove()
            _density_planes(panels, points, [ask(_plane(points)[2], few) for few in ks])
            for panel, few in zip(panels, ks, strict=True):
                panel.set_title(f"k = {few}", fontsize=10)
                _name_axes(model, panel)
                panel.label_outer()

    told = ", ".join(map(str, ks))
    what = "The logarithm of the density for three k" if len(ks) == 3 else "The logarithm of the density"
    alt = f"{what}, {told}, over {d} column{'s' * (d > 1)}, and {len(points)} rows of the fit: the more, the smoother."
    return Figure(draw, alt, what, (6.4, 4.0) if d == 1 else (9.0, 3.4))


def _density_curves(axes: Axes, points: Floats, ks: Sequence[int], ask: AnswersOf, own: int) -> None:
    """A curve for each k, that of the model the boldest, above marks for the rows."""
    x = np.linspace(*_limits(points)[0], LINE)
    for i, k in enumerate(ks):
        width = 2.0 if k == own else 1.2
        axes.plot(x, ask(x[:, None], k), color=COLOURS[i], linestyle=LINES[i], linewidth=width, label=f"k = {k}")
    axes.legend()
    axes.plot(points[:, 0], np.zeros(len(points)), "|", color=INK, transform=axes.get_xaxis_transform())
    axes.set_ylabel(literal("ln p̂"))
    axes.grid()


def _density_planes(panels: Sequence[Axes], points: Floats, heights: Sequence[Floats]) -> None:
    """A plane for each k, all with the shades of one scale."""
    x, y, _ = _plane(points)
    low, high = np.nanmin(heights[-1]), np.nanmax(heights[len(heights) // 2])
    for panel, height in zip(panels, heights, strict=True):
        shades = panel.pcolormesh(x, y, height.reshape(GRID, GRID), vmin=low, vmax=high, rasterized=True)
        panel.plot(*points.T, ".", color="white", markeredgecolor=INK, markersize=4, markeredgewidth=0.4)
    panels[0].figure.colorbar(shades, ax=list(panels), label=literal("ln p̂"))


def means_figure(model: KNeighborsRegressor, ask: Answers) -> Figure | None:
    """The prediction over one or two numeric columns; None where there are more, or more than one target."""
    target, d = model.examples_["target"], _plain_columns(model)
    if target[:1].size > 1 or d not in (1, 2):
        return None
    points, kept = _drawn(model)

    def draw(axes: Axes) -> None:
        if d == 1:
            x = np.linspace(*_limits(points)[0], LINE)
            axes.plot(x, ask(x[:, None]), color=COLOURS[0])
            axes.plot(points[:, 0], target.ravel()[kept], "o", color=COLOURS[1], markersize=4)
            axes.set_ylabel("prediction")
            axes.grid()
        else:
            x, y, grid = _plane(points)
            shades = axes.pcolormesh(x, y, ask(grid).reshape(GRID, GRID), rasterized=True)
            axes.figure.colorbar(shades, ax=axes, label="prediction")
            axes.plot(*points.T, ".", color="white", markeredgecolor=INK, markersize=6)
        _name_axes(model, axes)

    what = "The mean of neighbours"
    alt = f"{what} for k = {model.n_neighbors_} over {d} column{'s' * (d > 1)}, and {len(points)} rows of the fit."
    return Figure(draw, alt, f"{what}, k = {model.n_neighbors_}")


def _plain_columns(model: NeighborsLearner) -> int:
    """How many columns there are if all are numeric and none is left out; else 0."""
    unit = model.scaling_.unit
    return len(unit) if len(unit) == len(model.schema_.features) and np.isfinite(unit).all() else 0


def _drawn(model: NeighborsLearner) -> tuple[Floats, Any]:
    """Some of the rows that weigh something and miss nothing, evenly chosen, in their own units, and their numbers."""
    rows = model.examples_["rows"]
    kept = np.flatnonzero((model.examples_["weight"] > 0.0) & np.isfinite(rows).all(axis=1))
    if len(kept) > POINTS:
        kept = kept[np.linspace(0, len(kept) - 1, POINTS).astype(np.intp)]
    return model.scaling_.original(rows[kept]), kept


def _limits(points: Floats) -> list[tuple[float, float]]:
    """Low and high of each column, with a margin."""
    low, high = points.min(axis=0), points.max(axis=0)
    margin = 0.08 * np.where(high > low, high - low, 1.0)
    return list(zip((low - margin).tolist(), (high + margin).tolist(), strict=True))


def _plane(points: Floats) -> tuple[Floats, Floats, Floats]:
    """The points of a grid around rows (n, 2): its two axes, and all of them (GRID², 2)."""
    x, y = (np.linspace(*limits, GRID) for limits in _limits(points))
    return x, y, np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)


def _name_axes(model: NeighborsLearner, axes: Axes) -> None:
    names = [literal(shortened(column.name)) for column in model.schema_.features]
    axes.set_xlabel(names[0])
    if len(names) > 1:
        axes.set_ylabel(names[1])
