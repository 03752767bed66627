"""A network drawn: units in columns, weights as lines, wider for larger ones; solid and blue above 0, dashed below."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from novacula.learner.figure import COLOURS, INK, Figure, few_digits, literal
from novacula.table.chunk import Floats
from novacula.words import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from novacula.neural.multilayer import MultilayerNetwork

DRAWN = 9
"""Units of a layer that are drawn."""
LABELLED = 16
"""Lines up to which each has its weight written on it."""
WIDEST = 4.5
"""Width of the line of the largest weight."""
NAME = 16
"""Characters of a name that are drawn."""


def network_figure(model: MultilayerNetwork, columns: tuple[str, ...], outcomes: tuple[str, ...]) -> Figure:
    """The network with its weights; of layers that are large, the first units."""
    sizes = model.architecture_.sizes
    counts = [min(size, DRAWN) for size in sizes]
    weights = [np.asarray(W[:a, :b], np.float64) for W, a, b in zip(model.coefs_, counts, counts[1:], strict=False)]
    largest = max(float(np.abs(W).max()) for W in weights) or 1.0
    heights = [_heights(count, more=count < size) for count, size in zip(counts, sizes, strict=True)]

    def draw(axes: Axes) -> None:
        for layer, W in enumerate(weights):
            _lines(axes, layer, W, heights, largest, labelled=sum(map(np.size, weights)) <= LABELLED)
        for layer, ys in enumerate(heights):
            axes.plot(np.full(len(ys), layer), ys, "o", color="white", markeredgecolor=INK, markersize=18, zorder=3)
            if len(ys) < sizes[layer]:
                axes.text(layer, ys[-1] - 0.8, f"⋮ {sizes[layer] - len(ys)} more", ha="center", va="top", color=INK)
        _names(axes, heights, columns, outcomes)
        if sum(counts[1:]) <= LABELLED:
            _biases(axes, heights, [np.asarray(b, np.float64) for b in model.intercepts_])
        axes.set_xlim(-0.5, len(sizes) - 0.5)
        axes.set_ylim(min(ys[-1] for ys in heights) - 1.3, max(ys[0] for ys in heights) + 0.8)
        axes.axis("off")

    whole = "" if counts == list(sizes) else f"; the first {DRAWN} units of a layer are drawn"
    alt = (
        f"A network of {' – '.join(map(str, sizes))} units with lines for weights up to {few_digits(largest)}: "
        f"positive ones solid, negative ones dashed{whole}."
    )
    tall = max(len(ys) for ys in heights)
    none = "; those of 0 have no line" if any((W == 0.0).any() for W in weights) else ""
    title = f"Weights: wider is larger, dashed is below 0{none}{whole}"
    return Figure(draw, alt, title, (2.6 + 1.9 * len(sizes), 1.3 + (0.9 if tall <= 4 else 0.52) * tall))


def _heights(count: int, more: bool) -> Floats:
    """The places of units in a column, from the top, around the middle."""
    return np.asarray((count - 1 + more) / 2.0 - np.arange(count, dtype=np.float64))


def _lines(axes: Axes, layer: int, W: Floats, heights: list[Floats], largest: float, labelled: bool) -> None:
    for i, start in enumerate(heights[layer]):
        for j, end in enumerate(heights[layer + 1]):
            weight = float(W[i, j])
            if weight == 0.0:
                continue  # nothing goes along it
            colour, style = (COLOURS[0], "-") if weight >= 0.0 else (COLOURS[1], (0, (4, 1.5)))
            width = 0.3 + (WIDEST - 0.3) * abs(weight) / largest
            axes.plot([layer, layer + 1], [start, end], color=colour, linestyle=style, linewidth=width, alpha=0.75)
            if labelled:
                # Not in the middle, where lines cross.
                place = 0.28 if (i + j) % 2 == 0 else 0.72
                axes.text(
                    layer + place, start + place * (end - start), few_digits(float(f"{weight:.3g}")), fontsize=8,
                    ha="center", va="center", zorder=2,
                    bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8, "alpha": 0.85},
                )  # fmt: skip


def _names(axes: Axes, heights: list[Floats], columns: tuple[str, ...], outcomes: tuple[str, ...]) -> None:
    for y, name in zip(heights[0], columns, strict=False):
        axes.text(-0.12, y, literal(shortened(name, NAME)), ha="right", va="center")
    last = len(heights) - 1
    for y, name in zip(heights[last], outcomes, strict=False):
        axes.text(last + 0.12, y, literal(shortened(name, NAME)), ha="left", va="center")


def _biases(axes: Axes, heights: list[Floats], biases: list[Floats]) -> None:
    for layer, values in enumerate(biases, start=1):
        for y, bias in zip(heights[layer], values, strict=False):
            axes.text(layer, y - 0.36, f"b = {few_digits(float(f'{bias:.3g}'))}", fontsize=7, ha="center", va="top")
