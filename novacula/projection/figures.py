"""Pictures of principal components: the scree of their variances, and rows and columns in one plane."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from novacula.learner.figure import COLOURS, FAINT, INK, Figure, few_digits, finite, literal
from novacula.table.chunk import Floats
from novacula.words import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from novacula.projection.components import ComponentLearner

BARS = 30
"""Directions of a scree."""
POINTS = 5_000
"""Rows of a biplot."""
ARROWS = 12
"""Columns of a biplot."""
NAME = 18
"""Characters of a column's name beside its arrow."""


def scree_figure(eigenvalues: Floats, total: float, kept: int) -> Figure:
    """The share of the variance of each direction as a bar, pale where it was left out, and their running sum."""
    shares = eigenvalues / total if total > 0.0 else np.zeros_like(eigenvalues)
    shown, places = shares[:BARS], np.arange(1, min(BARS, len(shares)) + 1)
    cut = f", the first {BARS} of {len(shares)}" if len(shares) > BARS else ""

    def draw(axes: Axes) -> None:
        from matplotlib.ticker import MaxNLocator, PercentFormatter

        colours = [COLOURS[0] if place <= kept else FAINT for place in places]
        axes.bar(places, shown, width=0.7, color=colours, label="each direction")
        axes.plot(places, np.cumsum(shares)[:BARS], color=COLOURS[1], marker="o", markersize=4, label="together")
        axes.set_ylim(0.0, 1.05)
        axes.set_xlim(0.4, len(places) + 0.6)
        axes.yaxis.set_major_formatter(PercentFormatter(1.0))
        axes.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10], min_n_ticks=1))
        axes.set_xlabel("direction" + (" (pale: left out)" if kept < len(places) else ""))
        axes.set_ylabel("share of the variance")
        axes.grid(axis="y")
        axes.legend(loc="center right")

    listed = ", ".join(f"{i} {100 * share:.1f}%" for i, share in zip(places[:10], shown, strict=False))
    together = 100 * float(shares[:kept].sum())
    alt = f"Shares of the variance by direction: {listed}; the {kept} kept have {together:.1f}% together."
    return Figure(draw, alt, f"Variance along principal components{cut}")


def biplot_figure(model: ComponentLearner, scores: Floats, pair: tuple[int, int]) -> Figure:
    """Scores (n, 2) as points; columns as arrows v·√λ, scaled together to the size of the cloud."""
    points = finite(scores, "a score")[:: -(-len(scores) // POINTS)]
    loadings = model.components_[list(pair)].T * np.sqrt(model.explained_variance_[list(pair)])
    order = np.argsort(-np.linalg.norm(loadings, axis=1), kind="stable")[:ARROWS]
    names = model.schema_.column_names(order)
    reach = np.abs(points).max(initial=0.0), np.abs(loadings).max(initial=0.0)
    arrows = loadings[order] * (0.9 * reach[0] / reach[1] if reach[1] > 0.0 else 0.0)

    middle, side = box(np.concatenate([points, arrows, np.zeros((1, 2))]))

    def draw(axes: Axes) -> None:
        axes.scatter(points[:, 0], points[:, 1], s=9, color=COLOURS[0], alpha=0.45, linewidth=0)
        draw_arrows(axes, arrows, names, 0.042 * side)
        for axis, place in ((axes.xaxis, pair[0]), (axes.yaxis, pair[1])):
            share = 100 * float(model.explained_variance_ratio_[place])
            axis.set_label_text(f"direction {place + 1} ({share:.1f}% of the variance)")
        axes.axhline(0.0, color=FAINT, linewidth=0.8, zorder=0)
        axes.axvline(0.0, color=FAINT, linewidth=0.8, zorder=0)
        axes.set_aspect("equal")
        # Wider than high: names stand to the left and right of the arrows.
        axes.set_xlim(middle[0] - 0.7 * side, middle[0] + 0.7 * side)
        axes.set_ylim(middle[1] - 0.55 * side, middle[1] + 0.55 * side)

    ends = zip(names, loadings[order], strict=True)
    listed = "; ".join(f"{name} {few_digits(a)}, {few_digits(b)}" for name, (a, b) in ends)
    left = [f"{len(points)} of {len(scores)} rows"] if len(points) < len(scores) else []
    left += [f"the {ARROWS} longest of {len(loadings)} arrows"] if len(loadings) > ARROWS else []
    title = "Rows and columns along two directions" + (f" ({', '.join(left)})" if left else "")
    return Figure(draw, f"Points for {len(points)} rows; arrows for columns: {listed}.", title, (7.2, 5.4))


def draw_arrows(axes: Axes, arrows: Floats, names: list[str], gap: float) -> None:
    """Arrows from the origin with names beside their tips, on either side pushed apart by `gap` in height."""
    heights = np.empty(len(arrows))
    for side in (arrows[:, 0] >= 0.0, arrows[:, 0] < 0.0):
        heights[side] = spaced(arrows[side, 1], gap)
    for (x, y), height, name in zip(arrows, heights, names, strict=True):
        axes.annotate("", (x, y), (0.0, 0.0), arrowprops={"arrowstyle": "-|>", "color": COLOURS[1], "shrinkB": 0})
        place = x + np.copysign(0.6 * gap, x)
        axes.plot([x, place], [y, height], color=INK, linewidth=0.5)
        axes.text(
            place,
            height,
            literal(shortened(name, NAME)),
            ha="left" if x >= 0.0 else "right",
            va="center",
            fontsize=9,
            bbox={"facecolor": "white", "alpha": 0.8, "edgecolor": "none", "pad": 0.8},
        )


def spaced(heights: Floats, gap: float) -> Floats:
    """Heights moved as little as can be, by squares, until neighbours are `gap` apart."""
    from scipy.optimize import isotonic_regression

    if not len(heights):
        return heights
    order, steps = np.argsort(heights, kind="stable"), np.arange(len(heights)) * gap
    found = np.empty_like(heights)
    found[order] = isotonic_regression(heights[order] - steps).x + steps
    return found


def box(points: Floats) -> tuple[Floats, float]:
    """The middle of points (n, 2) and the side of the square about them, of length 1 where they are one point."""
    low, high = points.min(axis=0), points.max(axis=0)
    return (low + high) / 2.0, float((high - low).max()) or 1.0
