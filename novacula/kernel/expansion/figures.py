"""How near the products of features come to the kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from novacula.learner.figure import COLOURS, INK, Figure, few_digits
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def agreement_figure(exact: Floats, near: Floats) -> Figure:
    """A point for each pair of rows: the kernel, and the product of features; on the line they agree."""

    def draw(axes: Axes) -> None:
        low, high = min(exact.min(), near.min()), max(exact.max(), near.max())
        margin = 0.04 * (high - low) or 0.04
        axes.plot([low, high], [low, high], color=INK, linewidth=0.8)
        axes.scatter(exact, near, s=9, color=COLOURS[0], alpha=0.45, linewidths=0)
        axes.set_xlim(low - margin, high + margin)
        axes.set_ylim(low - margin, high + margin)
        axes.set_aspect("equal")
        axes.set_xlabel("kernel")
        axes.set_ylabel("product of features")
        axes.grid()

    worst = few_digits(abs(near - exact).max())
    alt = f"Kernel and product of features for {len(exact)} pairs of rows; they differ by {worst} at most."
    return Figure(draw, alt, "The kernel and its approximation", (4.6, 4.4))
