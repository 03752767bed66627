"""The picture of draws from a density: their trace, their running mean, and how often they fall where."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from novacula.learner.figure import COLOURS, INK, LINES, Figure, few_digits

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from novacula.bayes.sampling import DensitySample

TRACED = 500
"""Draws of the trace."""
ROOM = 0.1
"""Beyond the draws of two numbers, as a share of their extent."""
PLACES = 400
"""Places at which the running mean is drawn."""


def draws_figure(sample: DensitySample) -> Figure:
    """Three panels: the trace, the running mean with the exact one, and the draws with the density."""
    n, d = sample.draws.shape
    names = ["θ"] if d == 1 else ["θ₁", "θ₂"]
    places = np.unique(np.geomspace(1, n, PLACES).astype(int))
    running = sample.running_mean[places - 1]

    def draw(axes: Axes) -> None:
        figure = axes.figure
        axes.remove()
        trace, mean, where = figure.subplots(1, 3, gridspec_kw={"wspace": 0.06})
        for k, name in enumerate(names):
            trace.plot(np.arange(1, min(n, TRACED) + 1), sample.draws[:TRACED, k], color=COLOURS[k], linewidth=0.8)
            mean.plot(places, running[:, k], color=COLOURS[k], linestyle=LINES[k], label=name)
            mean.axhline(sample.exact_mean[k], color=INK, linewidth=0.8)
        mean.set_xscale("log")
        _draw_density(where, sample)
        for panel, title, label in (
            (trace, "The first draws", "draw"),
            (mean, "Running mean; exact as a line", "draws"),
        ):
            panel.set_title(title, fontsize=10)
            panel.set_xlabel(label)
            panel.grid()
        where.set_title("Draws beside the density", fontsize=10)
        if d == 2:
            mean.legend()

    ends = "; ".join(
        f"the mean of {name} is {few_digits(sample.mean[k])} beside {few_digits(sample.exact_mean[k])}"
        for k, name in enumerate(names)
    )
    alt = f"{n} draws, {sample.acceptance:.0%} of proposals accepted: {ends}."
    return Figure(draw, alt, f"Draws from a density: {sample.method}", (10.0, 3.4))


def _draw_density(axes: Axes, sample: DensitySample) -> None:
    if sample.draws.shape[1] == 1:
        axes.hist(sample.draws[:, 0], bins=60, density=True, color=COLOURS[4], alpha=0.6)
        axes.plot(sample.target.grid.axes[0], sample.target.density, color=INK)
        axes.set_xlabel("θ")
        return
    first, second = sample.target.grid.axes
    axes.plot(*sample.draws[: 4 * TRACED].T, ".", color=COLOURS[4], markersize=2)
    axes.contour(first, second, sample.target.density.T, colors=INK, linewidths=0.8)
    axes.set_xlabel("θ₁")
    axes.set_ylabel("θ₂")
    low, high = sample.draws.min(axis=0), sample.draws.max(axis=0)
    room = ROOM * np.where(high > low, high - low, 1.0)
    axes.set_xlim(low[0] - room[0], high[0] + room[0])
    axes.set_ylim(low[1] - room[1], high[1] + room[1])
