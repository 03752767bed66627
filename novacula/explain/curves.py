"""Partial dependence as a picture: curves, points by category, or a surface."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.evaluate.loss import Floats
from novacula.explain.labels import told_apart
from novacula.learner.figure import COLOURS, INK, LINES, Figure, date_axis, few_digits, literal
from novacula.words import capitalised, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from novacula.explain.dependence import Dependence, GridAxis

ROWS_DRAWN = 50
"""Rows whose own curves are drawn."""
CURVES, CURVES_OF_MANY = 6, 4
"""Curves that are told apart; where there are more answers, only the ones that move most are drawn."""
LEGEND, A_LINE = 50, 0.22
"""Characters of a line of the legend, and inches of its height."""
QUIET = "#9DB8CC"
WIDTH = 5.4
"""Inches: two stand side by side in a page, and one fits a phone."""


def dependence_figure(result: Dependence, k: int | None) -> Figure:
    """The figure of one column or two; k: of one answer alone."""
    if len(result.axes) == 2:
        return _of_two(result, result.output() if k is None else k)
    every = [k] if k is not None else _most_moving(result.mean)
    axis = result.axes[0]
    title = f"How the {result.scale} moves with {shortened(axis.name)}{axis.part}{_which(result, every)}"
    ends = "; ".join(
        f"{result.heading(c)} from {few_digits(result.mean[0, c])} to {few_digits(result.mean[-1, c])}" for c in every
    )
    own = result.individual and len(every) == 1
    columns = 2 if own else max(1, min(3, LEGEND // (max(len(_name(result, c)) for c in every) + 6)))
    height = 3.8 if axis.is_numeric else 1.5 + 0.34 * len(axis.labels)
    height += A_LINE * ((len(every) - 1) // columns)

    def draw(axes: Axes) -> None:
        draw_one = _draw_numbers if axis.is_numeric else _draw_categories
        draw_one(axes, result, axis, every, own)
        if len(every) > 1 or own:
            axes.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=columns, borderaxespad=0.2)

    return Figure(draw, f"{title}: {ends}.", title, (WIDTH, height))


def _most_moving(mean: Floats) -> list[int]:
    """The answers that move most, in their order."""
    moved = np.ptp(mean, axis=0)
    most = CURVES if len(moved) <= CURVES else CURVES_OF_MANY
    return sorted(np.argsort(-moved, kind="stable")[:most].tolist())


def _which(result: Dependence, every: list[int]) -> str:
    """Which of many answers are drawn, as the end of a title."""
    n, what = len(result.outputs), "targets" if result.scale == "prediction" else "classes"
    return f": the {len(every)} of {n} {what} for which it moves most" if 1 < len(every) < n else ""


def _some_rows(result: Dependence) -> Floats:
    """The curves of some rows (rows, m, k)."""
    n = len(result.curves)
    return result.curves[np.unique(np.linspace(0, n - 1, min(ROWS_DRAWN, n)).astype(int))]


def _name(result: Dependence, c: int) -> str:
    return literal(told_apart(result.outputs, 24)[c]) if len(result.outputs) > 1 else "mean"


def _draw_numbers(axes: Axes, result: Dependence, axis: GridAxis, every: list[int], own: bool) -> None:
    """The mean as a line, those of rows behind it, and deciles of the data on the axis."""
    if own:
        lines = _some_rows(result)[:, :, every[0]].T
        axes.plot(axis.values, lines[:, :1], color=QUIET, linewidth=0.6, label="single rows")
        axes.plot(axis.values, lines[:, 1:], color=QUIET, linewidth=0.6, alpha=0.8)
    for i, c in enumerate(every):
        style: dict[str, Any] = {"color": COLOURS[i], "linestyle": LINES[i % len(LINES)], "linewidth": 2.0}
        axes.plot(axis.values, result.mean[:, c], marker="o", markersize=3, label=_name(result, c), **style)
    axes.plot(
        axis.ticks, np.zeros(len(axis.ticks)), "|", color=INK, markersize=12, transform=axes.get_xaxis_transform()
    )
    if axis.is_time:
        date_axis(axes.xaxis)
    axes.set_xlabel(f"{literal(shortened(axis.name))}\n(marks: deciles of the rows)")
    axes.set_ylabel(literal(capitalised(shortened(result.heading(every[0]) if len(every) == 1 else result.scale))))
    axes.grid()


def _draw_categories(axes: Axes, result: Dependence, axis: GridAxis, every: list[int], own: bool) -> None:
    """The mean as a point for each category, those of rows behind it."""
    places = np.arange(len(axis.labels), dtype=np.float64)
    if own:
        lines = _some_rows(result)[:, :, every[0]].T
        axes.plot(lines[:, :1], places, "|", color=QUIET, markersize=9, label="single rows")
        axes.plot(lines[:, 1:], places, "|", color=QUIET, markersize=9)
    marks = ("o", "s", "^", "D", "v", "P")
    for i, c in enumerate(every):
        axes.plot(result.mean[:, c], places, marks[i], color=COLOURS[i], markersize=7, label=_name(result, c))
    axes.set_yticks(places, [literal(shortened(label, 28)) for label in axis.labels])
    axes.set_ylim(len(places) - 0.5, -0.5)
    axes.set_ylabel(literal(shortened(axis.name)))
    axes.set_xlabel(literal(capitalised(shortened(result.heading(every[0]) if len(every) == 1 else result.scale))))
    axes.grid()


def _of_two(result: Dependence, k: int) -> Figure:
    """A surface: coloured cells, and level lines where both columns are numbers."""
    first, second = result.axes
    mean = result.mean[:, :, k]
    title = (
        f"{capitalised(shortened(result.heading(k)))} by {shortened(first.name, 24)} and {shortened(second.name, 24)}"
    )

    def draw(axes: Axes) -> None:
        from matplotlib.colors import LinearSegmentedColormap

        colours = LinearSegmentedColormap.from_list("answers", [COLOURS[0], "#F2F2F2", COLOURS[1]])
        if first.is_numeric and second.is_numeric and min(mean.shape) > 1:
            surface: Any = axes.contourf(first.values, second.values, mean.T, levels=12, cmap=colours)
            for ticks, style, transform in (
                (first.ticks, "|", axes.get_xaxis_transform()),
                (second.ticks, "_", axes.get_yaxis_transform()),
            ):
                zero = np.zeros(len(ticks))
                points = (ticks, zero) if style == "|" else (zero, ticks)
                axes.plot(*points, style, color=INK, markersize=12, transform=transform)
        else:
            surface = axes.imshow(mean.T, aspect="auto", origin="lower", cmap=colours)
            _label_cells(axes, first, second)
        axes.figure.colorbar(surface, ax=axes)
        axes.set_xlabel(literal(shortened(first.name)))
        axes.set_ylabel(literal(shortened(second.name)))

    low, high = (np.unravel_index(pick(mean), mean.shape) for pick in (np.argmin, np.argmax))
    words = " and ".join(
        f"{few_digits(mean[at])} at {first.cell(int(at[0]))}, {second.cell(int(at[1]))}" for at in (low, high)
    )
    return Figure(draw, f"{title}: between {words}.", title, (WIDTH, 4.4))


def _label_cells(axes: Axes, first: GridAxis, second: GridAxis) -> None:
    for axis, set_ticks, turned in ((first, axes.set_xticks, 30), (second, axes.set_yticks, 0)):
        labels = [cell if isinstance(cell := axis.cell(i), str) else few_digits(cell) for i in range(len(axis.values))]
        set_ticks(range(len(labels)), [literal(shortened(label, 16)) for label in labels], rotation=turned)
