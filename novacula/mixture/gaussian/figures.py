"""Pictures of a mixture: its curve in one dimension, its ellipses in two, and the climb of its likelihood."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.learner.figure import COLOURS, INK, LINES, Figure, curve_figure, few_digits, literal
from novacula.learner.first_rows import drawn_rows
from novacula.mixture.gaussian.density import GaussianComponents, lower_factors
from novacula.table.chunk import Floats
from novacula.words import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CURVES = 6
"""Components drawn as curves."""
ELLIPSES = 40
"""Components drawn as ellipses."""
REACH = 4.0
"""Deviations shown on each side of a mean."""


def density_figure(components: GaussianComponents, name: str) -> Figure:
    """The density of one column, and the weighted Gaussians that it is the sum of, the heaviest first."""
    means, deviations = components.means[:, 0], np.sqrt(components.matrices()[:, 0, 0])
    heavy = np.argsort(-components.weights, kind="stable")[:CURVES]
    x = np.linspace((means - REACH * deviations).min(), (means + REACH * deviations).max(), 600)
    z = (x[:, None] - means) / deviations
    parts = components.weights * np.exp(-0.5 * z**2) / (deviations * np.sqrt(2.0 * np.pi))
    curves = {"mixture": parts.sum(axis=1), **{f"component {k}": parts[:, k] for k in heavy}}
    cut = f", the heaviest {CURVES} of {len(means)}" if len(means) > CURVES else ""
    return curve_figure(
        x,
        curves if len(means) > 1 else {"mixture": curves["mixture"]},
        title=f"Density of {name} and its components{cut}" if len(means) > 1 else f"Density of {name}",
        xlabel=shortened(name),
        ylabel="density",
        alt=f"The density of {name}: {_places(components.weights, components.means)}.",
    )


def ellipse_figure(components: GaussianComponents, names: tuple[str, ...], rows: Floats) -> Figure:
    """Each component in the first two columns: its mean, and ellipses of one and two deviations, over some rows."""
    rows = rows[:, :2][np.isfinite(rows[:, :2]).all(axis=1)]
    heavy = np.sort(np.argsort(-components.weights, kind="stable")[:ELLIPSES])
    means = components.means[heavy, :2]
    lower = lower_factors(components.matrices()[heavy, :2, :2])
    angle = np.linspace(0.0, 2.0 * np.pi, 200)
    circle = np.stack([np.cos(angle), np.sin(angle)])

    def draw(axes: Axes) -> None:
        for i, k in enumerate(heavy):
            colour = COLOURS[i % len(COLOURS)]
            for deviations in (1.0, 2.0):
                x, y = means[i][:, None] + deviations * lower[i] @ circle
                axes.fill(x, y, color=colour, alpha=0.12, linewidth=0)
                axes.plot(x, y, color=colour, linestyle=LINES[i // len(COLOURS) % len(LINES)], linewidth=1.2)
            axes.annotate(
                f"{k}: {few_digits(components.weights[k])}", means[i], (0, 6), textcoords="offset points",
                ha="center", color=INK, fontsize=9,
            )  # fmt: skip
        axes.plot(*rows.T, "o", color=INK, markersize=3, alpha=0.6)
        axes.plot(*means.T, "+", color=INK, markersize=8)
        axes.set_xlabel(literal(shortened(names[0])))
        axes.set_ylabel(literal(shortened(names[1])))
        axes.grid()

    cut = f", the heaviest {ELLIPSES}" if len(components.weights) > ELLIPSES else ""
    places = f"{_places(components.weights[heavy], means)}; {drawn_rows(len(rows))}"
    return Figure(
        draw,
        f"Ellipses over {names[0]} and {names[1]}: {places}.",
        f"Components{cut}, by number and weight: one and two deviations",
        (6.4, 5.0),
    )


def climb_figure(history: Floats) -> Figure:
    """The mean log-likelihood of a row, from the start on."""
    return curve_figure(
        np.arange(len(history)),
        {"ln p": history},
        title="The log-likelihood never falls",
        xlabel="iteration",
        ylabel="mean ln p(x)",
        alt=f"The mean log-likelihood of a row rises from {few_digits(history[0])} to {few_digits(history[-1])}."
        if len(history) > 1
        else f"The mean log-likelihood of a row is {few_digits(history[0])} at the start, where no step was made.",
    )


def _places(weights: Floats, means: Floats) -> str:
    told = [
        f"weight {few_digits(w)} at {', '.join(map(few_digits, mean))}" for w, mean in zip(weights, means, strict=True)
    ]
    return "; ".join(told[:5]) + (f"; and {len(told) - 5} more" if len(told) > 5 else "")


def path_figure(iterations: Any, means: Floats, names: tuple[str, ...]) -> Figure:
    """The way of the means (m, K, d): against the iterations for one column, in the plane of the first two for more."""
    _, k, d = means.shape
    colours = [COLOURS[c % len(COLOURS)] for c in range(k)]

    def draw(axes: Axes) -> None:
        for c, colour in enumerate(colours):
            across, up = (iterations, means[:, c, 0]) if d == 1 else (means[:, c, 0], means[:, c, 1])
            axes.plot(across, up, color=colour, marker="o", markersize=3, label=f"component {c}")
            axes.plot(across[:1], up[:1], "s", color=colour, markersize=7, fillstyle="none")
        axes.set_xlabel("iteration" if d == 1 else literal(names[0]))
        axes.set_ylabel(literal(f"mean of {names[0]}" if d == 1 else names[1]))
        axes.grid()
        if 1 < k <= len(COLOURS):
            axes.legend()

    ends = (", ".join(few_digits(x) for x in means[-1, c, :2]) for c in range(min(k, len(COLOURS))))
    alt = f"The means of {k} components from their start, an open square, to their end: {'; '.join(ends)}."
    return Figure(draw, alt, "The path of the means")
