"""Pictures of what neighbours say: the regions of the classes, the surface of a regression, a density."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from novacula.learner.figure import COLOURS, INK, Figure, literal
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


def means_figure(model: KNeighborsRegressor, ask: Answers) -> Figure | None:
    """The prediction over one or two numeric columns; None where there are more, or more than one target."""
    target = model.examples_["target"]
    several = target.ndim == 2 and target.shape[1] > 1
    return None if several else _values_figure(model, ask, "The mean of neighbours", "prediction")


def density_figure(model: KNeighborsDensity, ask: Answers) -> Figure | None:
    """The logarithm of the density over one or two columns; None where there are more."""
    return _values_figure(model, ask, "The logarithm of the density", "ln p̂")


def _values_figure(model: NeighborsLearner, ask: Answers, what: str, label: str) -> Figure | None:
    d = _plain_columns(model)
    if d not in (1, 2):
        return None
    points, kept = _drawn(model)
    target = model.examples_["target"]

    def draw(axes: Axes) -> None:
        if d == 1:
            x = np.linspace(*_limits(points)[0], LINE)
            axes.plot(x, ask(x[:, None]), color=COLOURS[0])
            if target is not None:
                axes.plot(points[:, 0], target.reshape(len(target), -1)[kept, 0], "o", color=COLOURS[1], markersize=4)
            else:
                axes.plot(points[:, 0], np.zeros(len(points)), "|", color=INK, transform=axes.get_xaxis_transform())
            axes.set_ylabel(literal(label))
            axes.grid()
        else:
            x, y, grid = _plane(points)
            shades = axes.pcolormesh(x, y, ask(grid).reshape(GRID, GRID), rasterized=True)
            axes.figure.colorbar(shades, ax=axes, label=literal(label))
            axes.plot(*points.T, ".", color="white", markeredgecolor=INK, markersize=6)
        _name_axes(model, axes)

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
