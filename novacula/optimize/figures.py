"""Pictures of a run: its path on the contours of the function, and its history on a logarithmic scale."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from novacula.arguments import Floats
from novacula.errors import ParameterError
from novacula.learner.figure import COLOURS, FAINT, INK, LINES, Figure, few_digits
from novacula.words import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Levels: TypeAlias = Callable[[Floats], tuple[Floats, Floats]]
"""The values at a place of constraints that must be at most 0, and of those that must be 0."""

CELLS = 120
"""Places along each axis at which the function is evaluated for its contours."""
CONTOURS = 16
OUTSIDE: dict[str, Any] = {"color": INK, "alpha": 0.25, "linewidth": 0.0}
COARSE, WIDENINGS = 17, 4
"""Places along each axis at which constraints are looked for, and how often a picture is doubled to show them all."""
MARGIN = 0.15
"""Room around the path, as a share of its extent."""


def path_figure(
    method: str,
    f: Callable[[Floats], float],
    path: Floats,
    coordinates: tuple[int, int] | None = None,
    levels: Levels | None = None,
) -> Figure:
    """The path over the contours of f, with its constraints; over its graph if there is one coordinate only."""
    if path.shape[1] == 1:
        return graph_figure(method, f, path[:, 0], levels)
    i, j = chosen(coordinates, path.shape[1])
    way = path[:, [i, j]]

    def draw(axes: Axes) -> None:
        sides = window(way, levels, path[-1], (i, j))
        xs, ys = (np.linspace(*side, CELLS) for side in sides)
        draw_contours(axes, xs, ys, over_plane(f, path[-1], (i, j), xs, ys))
        if levels is not None:
            draw_constraints(axes, xs, ys, levels, path[-1], (i, j))
        draw_path(axes, way)
        axes.set_xlabel(f"x[{i}]")
        axes.set_ylabel(f"x[{j}]")

    words = path_in_words(way, f"contours of f over x[{i}] and x[{j}]")
    return Figure(draw, words + constraints_in_words(levels, path[-1]), method, (6.4, 4.8))


def graph_figure(method: str, f: Callable[[Floats], float], path: Floats, levels: Levels | None = None) -> Figure:
    """The iterates on the graph of a function of one variable."""

    def height(x: float) -> float:
        with np.errstate(all="ignore"):
            return float(np.asarray(f(np.array([x]))).reshape(()))

    def draw(axes: Axes) -> None:
        xs = np.linspace(*limits(path), CELLS)
        axes.plot(xs, [height(x) for x in xs], color=INK, linewidth=1)
        if levels is not None:
            inside = [is_allowed(levels(np.array([x]))) for x in xs]
            low, high = axes.get_ylim()
            axes.fill_between(xs, low, high, where=~np.array(inside), label="not allowed", **OUTSIDE)
        draw_path(axes, np.column_stack([path, [height(x) for x in path]]))
        axes.set_xlabel("x")
        axes.set_ylabel("f")
        axes.grid()

    words = path_in_words(path[:, None], "the graph of f")
    return Figure(draw, words + constraints_in_words(levels, path[-1:]), method)


def history_figure(method: str, values: Floats, norms: Floats) -> Figure:
    """How far the values are from the best of them, and the length of the gradient."""
    curves = {"|f − best f|": np.abs(values - best_of(values)), "‖gradient‖": norms}

    def draw(axes: Axes) -> None:
        from matplotlib.ticker import MaxNLocator

        places = np.arange(len(values))
        for k, (name, curve) in enumerate(curves.items()):
            seen = (curve > 0) & np.isfinite(curve)  # 0 has no place on this scale
            marker = "o" if len(values) <= 30 else None
            axes.plot(
                places[seen], curve[seen], color=COLOURS[k], linestyle=LINES[k], marker=marker, markersize=4, label=name
            )
        axes.set_yscale("log")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_xlabel("iteration")
        axes.legend()
        axes.grid()

    iterations = counted(len(values) - 1, "iteration")
    words = (
        f"Over {iterations} the value goes from {few_digits(values[0])} to {few_digits(values[-1])}, "
        f"the length of the gradient from {few_digits(norms[0])} to {few_digits(norms[-1])}; logarithmic scale."
    )
    return Figure(draw, words, method)


def best_of(values: Floats) -> float:
    """The least value of a descent, the largest of a climb."""
    return float(values.min() if values[-1] <= values[0] else values.max())


# --- parts --------------------------------------------------------------------------------------------------


def chosen(coordinates: tuple[int, int] | None, size: int) -> tuple[int, int]:
    """The two coordinates of the plane that is drawn."""
    i, j = (0, 1) if coordinates is None else coordinates
    if i == j or not all(0 <= k < size for k in (i, j)):
        raise ParameterError(f"coordinates are ({i}, {j}); give two different numbers from 0 to {size - 1}")
    return i, j


def limits(way: Floats) -> tuple[float, float]:
    """The ends of an axis that shows the way with some room around it."""
    low, high = float(way.min()), float(way.max())
    room = MARGIN * (high - low) or max(1.0, abs(high))
    return low - room, high + room


def window(way: Floats, levels: Levels | None, x: Floats, plane: tuple[int, int]) -> list[tuple[float, float]]:
    """The ends of both axes around a way (n, 2), wide enough to show every constraint that is not far away."""
    sides = [limits(way[:, k]) for k in (0, 1)]
    if levels is None:
        return sides
    best, most = sides, -1
    for _ in range(WIDENINGS + 1):
        xs, ys = (np.linspace(*side, COARSE) for side in sides)
        seen = [values.min() < 0.0 < values.max() for values in constraint_values(levels, x, plane, xs, ys)]
        if sum(seen) > most:
            best, most = sides, sum(seen)
        if all(seen):
            break
        sides = [(low - (high - low) / 2, high + (high - low) / 2) for low, high in sides]
    return best


def constraint_values(levels: Levels, x: Floats, plane: tuple[int, int], xs: Floats, ys: Floats) -> list[Floats]:
    """The values of each constraint on a grid through x, inequalities first."""
    count = sum(len(part) for part in levels(x))
    return list(np.moveaxis(over_plane(lambda place: np.concatenate(levels(place)), x, plane, xs, ys, count), -1, 0))


def over_plane(
    f: Callable[[Floats], Any], x: Floats, plane: tuple[int, int], xs: Floats, ys: Floats, count: int | None = None
) -> Floats:
    """Values of f on a grid through x, shape (ys, xs), or (ys, xs, count) of a function that gives several."""
    values, place = np.empty((len(ys), len(xs), *([] if count is None else [count]))), x.copy()
    with np.errstate(all="ignore"):
        for row, column in np.ndindex(len(ys), len(xs)):
            place[list(plane)] = xs[column], ys[row]
            values[row, column] = np.asarray(f(place.copy())).reshape(values.shape[2:])
    return values


def draw_contours(axes: Axes, xs: Floats, ys: Floats, values: Floats) -> None:
    """Contours at quantiles, so that they are spread over the plane for any shape of f."""
    seen = values[np.isfinite(values)]
    shares = np.linspace(0, 1, CONTOURS + 2)[1:-1] ** 1.5  # denser where f is low
    levels = np.unique(np.quantile(seen, shares)) if seen.size else seen
    if len(levels) > 1:
        inside = np.ma.masked_invalid(values)
        axes.contourf(xs, ys, inside, levels=levels, cmap="Blues_r", alpha=0.35, extend="both")
        axes.contour(xs, ys, inside, levels=levels, colors=COLOURS[0], linewidths=0.6, linestyles="solid", alpha=0.7)
    else:
        axes.set_facecolor(FAINT)


def draw_constraints(axes: Axes, xs: Floats, ys: Floats, levels: Levels, x: Floats, plane: tuple[int, int]) -> None:
    """A line where each constraint is 0, and shade where an inequality does not hold, in the plane through x."""
    counts = [len(part) for part in levels(x)]
    both = constraint_values(levels, x, plane, xs, ys)
    lines = {"inequality": range(counts[0]), "equality": range(counts[0], sum(counts))}
    if counts[0]:
        worst = np.max(both[: counts[0]], axis=0)
        if (worst > 0.0).any():
            axes.contourf(xs, ys, worst, levels=[0.0, np.inf], colors=[INK], alpha=OUTSIDE["alpha"])
            axes.fill_between([], [], [], label="not allowed", **OUTSIDE)
    for k, (name, places) in enumerate(lines.items()):
        for place in places:
            values = both[place]
            if values.min() < 0.0 < values.max():
                axes.contour(xs, ys, values, levels=[0.0], colors=INK, linewidths=1.6, linestyles=LINES[k])
        if places:
            axes.plot([], [], color=INK, linewidth=1.6, linestyle=LINES[k], label=f"{name} = 0")


def is_allowed(levels: tuple[Floats, Floats]) -> bool:
    """Whether a place satisfies the inequalities; equalities hold at single places, which have no width."""
    return bool((levels[0] <= 0.0).all())


def constraints_in_words(levels: Levels | None, x: Floats) -> str:
    """How many constraints the picture shows."""
    if levels is None:
        return ""
    nouns = ("inequality", "inequalities"), ("equality", "equalities")
    parts = [f"{len(part)} {noun[len(part) > 1]}" for part, noun in zip(levels(x), nouns, strict=True) if len(part)]
    return f" Constraints: {' and '.join(parts)}." if parts else ""


def draw_path(axes: Axes, way: Floats) -> None:
    """The iterates joined by a line, the first hollow, the last a star; a single point is the star alone."""
    if len(way) > 1:
        marker = "." if len(way) <= 200 else None
        axes.plot(*way.T, color=COLOURS[1], linewidth=1.2, marker=marker, markersize=5)
        axes.plot(*way[0], "o", color=COLOURS[1], markerfacecolor="white", markersize=8, label="start")
    axes.plot(*way[-1], "*", color=INK, markersize=13, label="end" if len(way) > 1 else "x")
    axes.legend(frameon=True, framealpha=0.8, edgecolor="none")


def path_in_words(way: Floats, background: str) -> str:
    """What the picture shows."""
    if len(way) == 1:
        return f"The point ({', '.join(few_digits(v) for v in way[0])}) on {background}."
    first, last = (", ".join(few_digits(v) for v in row) for row in (way[0], way[-1]))
    return f"The path of {counted(len(way) - 1, 'step')} from ({first}) to ({last}) on {background}."
