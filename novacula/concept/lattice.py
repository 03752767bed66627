"""The picture of a small version space: members in layers from S up to G, each joined to those just above it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from novacula.concept.conjunction import ANY, Conjunction, constraint_words
from novacula.learner.figure import COLOURS, INK, Figure, literal
from novacula.words import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_DRAWN = 40
"""Members up to which the picture can be read."""

_LINE = 18  # characters in a line of a stacked label
_LINES = 6  # lines of a stacked label
_WIDE = 3  # members in a layer up to which they are written in one line


def lattice_figure(members: Sequence[Conjunction]) -> Figure:
    """Members of a version space by generality: the most specific at the bottom, the most general on top."""
    above = _covers(members)
    layers = _layers(members, above)
    stacked = max(map(len, layers)) > _WIDE
    labels = [_stacked(h) if stacked else shortened(str(h), 60) for h in members]
    places = _places(layers, above)
    ends = _ends(members, above)

    def draw(axes: Axes) -> None:
        _draw(axes, labels, places, above, ends)

    tallest = max(label.count("\n") + 1 for label in labels)
    widest = max(max(map(len, label.split("\n"))) for label in labels)
    width = max(5.0, max(map(len, layers)) * (0.3 + 0.075 * widest) + 0.6)
    height = len(layers) * (0.55 + 0.14 * tallest) + 0.7
    alt = f"The {len(members)} members of the version space in {len(layers)} layers, from S at the bottom to G on top."
    return Figure(draw, alt, "The version space, from S (blue) up to G (orange)", (width, height))


def _covers(members: Sequence[Conjunction]) -> list[list[int]]:
    """For each member those that are just above it."""
    above = [[k for k, g in enumerate(members) if g > h] for h in members]
    return [[k for k in higher if not any(k in above[between] for between in higher)] for higher in above]


def _layers(members: Sequence[Conjunction], above: Sequence[Sequence[int]]) -> list[list[int]]:
    """Members by the longest way down to S."""
    height = [0] * len(members)
    for _ in members:
        for low, higher in enumerate(above):
            for high in higher:
                height[high] = max(height[high], height[low] + 1)
    return [[k for k, level in enumerate(height) if level == layer] for layer in range(max(height) + 1)]


def _places(layers: Sequence[list[int]], above: Sequence[Sequence[int]]) -> list[tuple[float, float]]:
    """Where each member stands: near the middle of those below it, so that few lines cross."""
    x: dict[int, float] = {}
    for layer in layers:
        below = {k: [x[low] for low in x if k in above[low]] for k in layer}
        layer.sort(key=lambda k: (sum(below[k]) / len(below[k]) if below[k] else 0.0, k))
        for rank, k in enumerate(layer):
            x[k] = rank - (len(layer) - 1) / 2
    widest = max(map(len, layers))
    level = {k: float(y) for y, layer in enumerate(layers) for k in layer}
    spread = {k: widest / len(layer) if len(layer) > 1 else 1.0 for layer in layers for k in layer}
    return [(x[k] * min(spread[k], 1.6), level[k]) for k in range(len(level))]


def _ends(members: Sequence[Conjunction], above: Sequence[Sequence[int]]) -> list[str]:
    """Which boundary each member is on: S, G, both or none."""
    below = {k for higher in above for k in higher}
    return [("" if k in below else "S") + ("" if above[k] else "G") for k in range(len(members))]


def _stacked(h: Conjunction) -> str:
    """The constraints of a member but ?, one per line, with the attribute's name."""
    if h.is_empty:
        return "∅"
    lines = []
    for name, constraint in zip(h.space.names, h.constraints, strict=True):
        if constraint != ANY:
            lines.append(shortened(f"{shortened(name, 10)} {constraint_words(constraint)}", _LINE))
    if len(lines) > _LINES:
        lines = [*lines[: _LINES - 1], f"… {len(lines) - _LINES + 1} more"]
    return "\n".join(lines) if lines else "any"


def _draw(
    axes: Axes,
    labels: Sequence[str],
    places: Sequence[tuple[float, float]],
    above: Sequence[Sequence[int]],
    ends: Sequence[str],
) -> None:
    for low, higher in enumerate(above):
        for high in higher:
            xs, ys = zip(places[low], places[high], strict=True)
            axes.plot(xs, ys, color="#AAAAAA", linewidth=0.9, zorder=1)
    edge = {"S": COLOURS[0], "G": COLOURS[1], "SG": COLOURS[2], "": INK}
    for (x, y), label, end in zip(places, labels, ends, strict=True):
        box = {
            "boxstyle": "round,pad=0.35",
            "facecolor": "white",
            "edgecolor": edge[end],
            "linewidth": 1.6 if end else 0.7,
        }
        text = "\n".join(literal(line) for line in label.split("\n"))
        axes.text(x, y, text, ha="center", va="center", fontsize=7.5, bbox=box, zorder=2)
    xs, ys = zip(*places, strict=True)
    axes.set_xlim(min(xs) - 0.75, max(xs) + 0.75)
    axes.set_ylim(min(ys) - 0.6, max(ys) + 0.6)
    axes.axis("off")
