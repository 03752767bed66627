"""Why absolute values make zeros: the balls of Lq penalties, and where least squares first touches them.

All weights with Σ |wⱼ|^q ≤ 1 cost no more than 1. For q ≤ 1 this set has corners, and they lie on the axes, where other
weights are zero. The contours of the squared error are ellipses about the least squares solution; the first that
touches the set touches it at the best weights, and a corner that sticks out is easily met.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from novacula.learner.figure import COLOURS, INK, LINES, Figure
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

EXPONENTS = (0.5, 1.0, 2.0, 4.0)
CENTRE = np.array([0.55, 1.8])
"""The least squares solution of the example."""
HESSIAN = np.array([[1.0, 0.3], [0.3, 1.0]])
"""The curvature of its squared error."""


def penalty_figure() -> Figure:
    """The unit balls of |w₁|^q + |w₂|^q for q = ½, 1, 2, 4, and least squares as it touches that of q = 1.

    >>> figure = penalty_figure()
    >>> "corner" in figure.alt
    True
    """
    return Figure(
        draw_penalties,
        "Curves of equal penalty for q = ½, 1, 2 and 4. That of q = 1 is a square on its corner; the ellipses of the "
        "squared error touch it first at the corner where w₁ is zero. That of q = 2 is a circle, touched beside the "
        "axis.",
        "A ball with corners is touched at a corner, where a weight is zero",
        (6.0, 5.4),
    )


def unit_ball(q: float, n: int = 721) -> Floats:
    """The border of |w₁|^q + |w₂|^q ≤ 1, (n, 2).

    >>> (unit_ball(1.0, 5).round(6) + 0.0).tolist()
    [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0], [1.0, 0.0]]
    """
    angle = np.linspace(0.0, 2.0 * np.pi, n)
    points = np.column_stack([np.cos(angle), np.sin(angle)])
    return np.asarray(np.sign(points) * np.abs(points) ** (2.0 / q))


def touching_point(q: float) -> Floats:
    """The point of the unit ball with the least squared error (2,).

    >>> (touching_point(1.0).round(3) + 0.0).tolist()
    [0.0, 1.0]
    """
    border = unit_ball(q, 100_001)
    gap = border - CENTRE
    return np.asarray(border[np.argmin(np.einsum("ij,jk,ik->i", gap, HESSIAN, gap))])


def draw_penalties(axes: Axes) -> None:
    """Draw the balls, the contours, and the points where contours touch the balls of q = 1 and q = 2."""
    for q, colour, line in zip(EXPONENTS, COLOURS, LINES, strict=False):
        axes.plot(*unit_ball(q).T, color=colour, linestyle=line, label=f"q = {'½' if q == 0.5 else f'{q:g}'}")
    axes.fill(*unit_ball(1.0).T, color=COLOURS[1], alpha=0.12, linewidth=0)
    root = np.linalg.inv(np.linalg.cholesky(HESSIAN)).T
    circle = unit_ball(2.0) @ root.T
    for q in (1.0, 2.0):
        point = touching_point(q)
        radius = np.sqrt((point - CENTRE) @ HESSIAN @ (point - CENTRE))
        axes.plot(*(CENTRE + radius * circle).T, color=INK, linewidth=0.8)
        axes.plot(*point, "o", color=COLOURS[EXPONENTS.index(q)], markersize=7)
    axes.plot(*CENTRE, "+", color=INK, markersize=10)
    axes.annotate("least squares", (CENTRE[0], CENTRE[1]), (0, 8), textcoords="offset points", ha="center")
    axes.axhline(0.0, color=INK, linewidth=0.6)
    axes.axvline(0.0, color=INK, linewidth=0.6)
    axes.set(xlabel="w₁", ylabel="w₂", xlim=(-1.25, 1.9), ylim=(-1.25, 3.0))
    axes.set_aspect("equal")
    axes.legend(loc="lower right")
