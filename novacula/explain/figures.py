"""Contributions as pictures: the bars of one row, and all rows at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from novacula.evaluate.loss import Floats
from novacula.learner.figure import COLOURS, INK, Figure, few_digits, literal
from novacula.words import capitalised, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from novacula.explain.contributions import Contributions

SHOWN = 12
"""Columns that are drawn; the others are one bar."""
POINTS = 400
"""Rows whose points are drawn."""
LOW, HIGH = COLOURS[0], COLOURS[1]


def row_figure(result: Contributions, row: int, k: int) -> Figure:
    """Bars from the base to the prediction, the largest contribution first."""
    parts = result.values[row, :, k]
    order = np.argsort(-np.abs(parts), kind="stable")
    shown, rest = order[:SHOWN], order[SHOWN:]
    labels = [f"{shortened(result.names[j], 24)} = {_cell_words(result.rows.cell(row, j))}" for j in shown]
    lengths = [float(parts[j]) for j in shown]
    if len(rest):
        labels.append(f"{len(rest)} other columns")
        lengths.append(float(parts[rest].sum()))
    base, said = float(result.base[k]), float(result.prediction[row, k])

    def draw(axes: Axes) -> None:
        draw_steps(axes, labels, np.array(lengths), base)
        axes.set_xlabel(literal(capitalised(shortened(result.heading(k)))))

    title = f"From {few_digits(base)} on average to {few_digits(said)}"
    words = "; ".join(f"{label}: {few_digits(length)}" for label, length in zip(labels, lengths, strict=True))
    alt = f"{title}, the {result.heading(k)} of this row. {words}."
    return Figure(draw, alt, title, (7.0, 1.3 + 0.34 * len(labels)))


def _cell_words(cell: str | float) -> str:
    return shortened(cell, 16) if isinstance(cell, str) else few_digits(cell)


def draw_steps(axes: Axes, labels: list[str], lengths: Floats, base: float) -> None:
    """Bars of which each begins where the last one ended; their colour is that of their sign, their number says it."""
    ends = base + np.cumsum(lengths)
    starts = np.concatenate([[base], ends[:-1]])
    places = np.arange(len(labels), dtype=np.float64)
    axes.barh(places, lengths, left=starts, height=0.7, color=[HIGH if v > 0 else LOW for v in lengths])
    for place, end in zip(places[:-1], ends[:-1], strict=True):
        axes.plot([end, end], [place, place + 1], color=INK, linewidth=0.6)
    axes.axvline(base, color=INK, linewidth=0.8, linestyle=":")
    axes.axvline(float(ends[-1]), color=INK, linewidth=0.8)
    axes.set_yticks(places, [literal(label) for label in labels])
    axes.set_ylim(len(labels) - 0.4, -0.6)
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x")
    for place, length in zip(places, lengths, strict=True):
        number = few_digits(length) if length <= 0 else f"+{few_digits(length)}"
        axes.text(1.02, place, number, transform=axes.get_yaxis_transform(), va="center_baseline")


def summary_figure(result: Contributions, k: int) -> Figure:
    """A line of points for each column, one point for each row, coloured from low values to high ones."""
    strength = result.strength[:, k]
    shown = np.argsort(-strength, kind="stable")[:SHOWN]
    rows = np.unique(np.linspace(0, len(result) - 1, min(POINTS, len(result))).astype(int))
    numeric = [result.rows.columns[j].kind == "numeric" for j in shown]

    def draw(axes: Axes) -> None:
        from matplotlib.colors import LinearSegmentedColormap

        colours = LinearSegmentedColormap.from_list("low to high", [LOW, "#BBBBBB", HIGH])
        for place, j in enumerate(shown):
            parts = result.values[rows, j, k]
            shade = _ranks(result.rows.values(j)[rows]) if numeric[place] else None
            heights = place + _spread(parts)
            points = {"c": INK} if shade is None else {"c": shade, "cmap": colours, "vmin": 0.0, "vmax": 1.0}
            axes.scatter(parts, heights, s=9, linewidths=0, alpha=0.8, **points)
        axes.axvline(0, color=INK, linewidth=0.8)
        axes.set_yticks(range(len(shown)), [literal(shortened(result.names[j], 28)) for j in shown])
        axes.set_ylim(len(shown) - 0.4, -0.6)
        axes.tick_params(axis="y", length=0)
        axes.grid(axis="x")
        axes.set_xlabel(literal(f"what the column adds to the {shortened(result.heading(k))}"))
        if any(numeric):
            for colour, words in ((LOW, "low value"), ("#BBBBBB", "middle"), (HIGH, "high value")):
                axes.scatter([], [], s=16, c=colour, label=words)
            axes.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=3, borderaxespad=0.2, handletextpad=0.1)

    words = ", ".join(f"{result.names[j]} {few_digits(strength[j])}" for j in shown)
    alt = f"Contributions to the {result.heading(k)} for {len(rows)} rows. Their mean size: {words}."
    return Figure(draw, alt, "What each column adds, row by row", (7.0, 1.5 + 0.42 * len(shown)))


def _ranks(values: Floats) -> Floats:
    """The share of values that are below each, the middle for a missing one."""
    known = np.sort(values[~np.isnan(values)])
    low, high = np.searchsorted(known, values, "left"), np.searchsorted(known, values, "right")
    middle = (low + high) / (2 * max(len(known), 1))
    return np.where(np.isnan(values), 0.5, middle)


def _spread(parts: Floats) -> Floats:
    """Heights at which points that lie close together do not cover each other."""
    width = float(np.ptp(parts)) or 1.0
    bins = np.floor((parts - parts.min()) / width * 60).astype(int)
    heights = np.zeros(len(parts))
    for b in np.unique(bins):
        inside = np.flatnonzero(bins == b)
        step = min(0.05, 0.7 / len(inside))
        heights[inside] = (np.arange(len(inside)) - (len(inside) - 1) / 2) * step
    return heights
