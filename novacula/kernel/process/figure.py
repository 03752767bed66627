"""A picture of a process over one column: the mean, where the function and new targets are expected, and draws."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.kernel.algebra.rows import dense
from novacula.learner.figure import COLOURS, FAINT, INK, Figure, few_digits, literal
from novacula.table.chunk import Floats
from novacula.words import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from novacula.kernel.process.fitted import FittedProcess

PLACES = 301
"""Points of a curve."""
MARGIN = 0.1
"""How far the picture goes beyond the rows, as a share of their range."""
WIDE = 1.96
"""Standard deviations to either side of a mean that hold 95% of a normal distribution."""


def posterior_figure(model: FittedProcess, n_samples: int, random_state: Any) -> Figure:
    """The posterior of one target over one column, with functions drawn from it."""
    x, y = dense(model.examples_["rows"])[:, 0], model.examples_["target"]
    low, high = float(x.min()), float(x.max())
    margin = MARGIN * (high - low) or 1.0
    places = np.linspace(low - margin, high + margin, PLACES)
    mean, std = model.predict(places[:, None], return_std=True)
    outer = model.predict(places[:, None], return_std=True, with_noise=True)[1]
    drawn = model.sample_y(places[:, None], n_samples, random_state) if n_samples else np.empty((PLACES, 0))
    [name] = model.schema_.column_names()

    def draw(axes: Axes) -> None:
        draw_bands(axes, places, mean, std, outer)
        for function in drawn.T:
            axes.plot(places, function, color=COLOURS[1], linewidth=0.9, alpha=0.7)
        axes.plot(places, mean, color=COLOURS[0], linewidth=2.0, label="mean")
        axes.plot(x, y, "o", color=INK, markersize=4 if len(x) <= 200 else 2, label="rows")
        if n_samples:
            axes.lines[0].set_label("drawn functions")
        axes.set_xlabel(literal(shortened(name)))
        axes.set_ylabel("target")
        axes.set_xlim(places[0], places[-1])
        axes.grid(color=FAINT)
        axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))

    alt = (
        f"The mean goes from {few_digits(mean[0])} to {few_digits(mean[-1])} over {name}; the function is surest, to "
        f"{few_digits(float(std.min()))}, near rows, and least sure, to {few_digits(float(std.max()))}, far from them."
    )
    return Figure(draw, alt, "The posterior of the function, and where new targets are expected", (7.6, 4.0))


def draw_bands(axes: Axes, x: Floats, mean: Floats, std: Floats, outer: Floats) -> None:
    """95% of functions, and around them 95% of new targets."""
    for spread, alpha, label in ((outer, 0.12, "95% of targets"), (std, 0.25, "95% of functions")):
        low, high = mean - WIDE * spread, mean + WIDE * spread
        axes.fill_between(x, low, high, color=COLOURS[0], alpha=alpha, linewidth=0, label=label)
