"""A picture of a network: nodes in layers, parents above their children, evidence shaded."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from novacula.errors import ParameterError
from novacula.graph.drawing.layers import GAP, layered
from novacula.graph.structure.dag import Dag
from novacula.learner.figure import COLOURS, FAINT, INK, Figure, literal
from novacula.words import listed, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LABEL = 16
"""Characters of a name."""
CHARACTER, PADDING = 0.085, 0.3  # inches
HEIGHT, LEVEL = 0.3, 0.85
"""Of a node, and from layer to layer, in inches."""
DRAWN = 300
"""Nodes up to which a network is drawn: a larger one would be a black square."""


def network_figure(dag: Dag, evidence: Iterable[str] = (), title: str = "") -> Figure:
    """The graph in layers; nodes named in `evidence` are shaded."""
    shaded = set(evidence)
    for node in shaded:
        if node not in dag.parents:
            raise ParameterError(f"there is no node {node!r} to shade: the nodes are {listed(dag.nodes)}")
    if not 0 < len(dag.nodes) <= DRAWN:
        raise ParameterError(
            f"a network of {len(dag.nodes)} nodes cannot be drawn: up to {DRAWN} can, and at least one"
        )
    labels = {node: shortened(node, LABEL) for node in dag.nodes}
    widths = {node: max(0.5, CHARACTER * len(label) + PADDING) for node, label in labels.items()}
    layout = layered(dag, widths)

    def draw(axes: Axes) -> None:
        from matplotlib.patches import FancyBboxPatch

        for path in layout.edges.values():
            _draw_edge(axes, [(x, LEVEL * y) for x, y in path])
        for node, (x, y) in layout.nodes.items():
            low = (x - widths[node] / 2.0, LEVEL * y - HEIGHT / 2.0)
            colour = FAINT if node in shaded else "white"
            box = FancyBboxPatch(
                low, widths[node], HEIGHT, boxstyle="round,pad=0,rounding_size=0.12", facecolor=colour, edgecolor=INK
            )
            axes.add_patch(box)
            axes.text(x, LEVEL * y, literal(labels[node]), ha="center", va="center_baseline", fontsize=9)
        axes.set_xlim(-0.1, layout.width + 0.1)
        axes.set_ylim(LEVEL * (layout.depth - 1) + HEIGHT, -HEIGHT)
        axes.set_aspect("equal")
        axes.set_axis_off()

    size = (max(3.0, layout.width + 0.4), max(1.5, LEVEL * (layout.depth - 1) + 1.0 + 0.3 * bool(title)))
    return Figure(draw, _words(dag, shaded), title, size)


def _draw_edge(axes: Axes, points: Sequence[tuple[float, float]]) -> None:
    """A smooth curve that leaves its parent downwards and enters its child from above, with a head at its end."""
    from matplotlib.patches import FancyArrowPatch
    from matplotlib.path import Path

    lean = [(b[0] - a[0]) / (b[1] - a[1]) for a, b in pairwise(points)]
    slopes = [0.0, *(_slope(a, b) for a, b in pairwise(lean)), 0.0]
    half = HEIGHT / 2.0
    # Between nodes the line is straight; it turns in the free space between layers.
    stations = [
        (x + side * slope * half, y + side * half, slope)
        for (x, y), slope in zip(points, slopes, strict=True)
        for side in (-1.0, 1.0)
    ]
    outside = stations[1:-1]  # from below the parent to above the child
    vertices = [outside[0][:2]]
    for (x0, y0, slope0), (x1, y1, slope1) in pairwise(outside):
        reach = 0.4 * (y1 - y0)
        vertices += [(x0 + slope0 * reach, y0 + reach), (x1 - slope1 * reach, y1 - reach), (x1, y1)]
    axes.add_patch(
        FancyArrowPatch(
            path=Path(vertices, [Path.MOVETO] + [Path.CURVE4] * (len(vertices) - 1)),
            arrowstyle="-|>,head_length=0.5,head_width=0.22",
            mutation_scale=10,
            color=COLOURS[0],
            linewidth=1.1,
            shrinkA=0,
            shrinkB=0,
        )
    )


def _slope(one: float, other: float) -> float:
    """How a line leans at a bend: as the steeper of its sides, and so that it keeps off the nodes next to it."""
    if one * other <= 0.0:
        return 0.0
    return math.copysign(min(abs(one), abs(other), 2.0 * GAP / HEIGHT), one)


def _words(dag: Dag, shaded: set[str]) -> str:
    edges = [f"{parent} → {child}" for parent, child in dag.edges]
    rest = f", and {len(edges) - 12} more" if len(edges) > 12 else ""
    joined = f"Edges: {', '.join(edges[:12])}{rest}." if edges else "There are no edges."
    given = f" Given: {', '.join(node for node in dag.nodes if node in shaded)}." if shaded else ""
    return f"A network of {len(dag.nodes)} nodes. {joined}{given}"
