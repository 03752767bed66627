"""Mistakes about numbers: true values against predictions, and the residuals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from novacula.evaluate.loss import Floats
from novacula.learner.figure import COLOURS, INK, Figure, few_digits
from novacula.report.blocks import Block, FigureBlock, FigureRow, Paragraph
from novacula.report.reading import Answers
from novacula.report.sections.data import histogram

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DRAWN = 2000
"""Points of a figure; of more rows this many are drawn at random."""


def number_mistakes(answers: Answers) -> Iterator[Block]:
    """Predictions against the truth, residuals against predictions, and how residuals are spread."""
    truth, prediction = (np.asarray(values, np.float64) for values in (answers.y, answers.prediction))
    rows = np.arange(len(truth))
    if len(rows) > DRAWN:
        rows = np.sort(np.random.default_rng(0).choice(rows, DRAWN, replace=False))
        yield Paragraph(f"{DRAWN:,} of the rows, drawn at random, are shown as points.")
    left = truth - prediction
    together = float(np.corrcoef(truth, prediction)[0, 1]) if min(np.ptp(truth), np.ptp(prediction)) > 0 else 0.0
    yield FigureRow(
        (
            FigureBlock.of(against_truth(truth[rows], prediction[rows], together)),
            FigureBlock.of(against_prediction(prediction[rows], left[rows])),
        )
    )
    title = "Residuals, true − predicted"
    yield FigureBlock.of(histogram(left, title, "rows", "residual"))


def against_truth(truth: Floats, prediction: Floats, together: float) -> Figure:
    """Points on the diagonal are predicted exactly."""

    def draw(axes: Axes) -> None:
        ends = [min(truth.min(), prediction.min()), max(truth.max(), prediction.max())]
        axes.plot(ends, ends, color=INK, linestyle=":", linewidth=1, label="exact")
        axes.plot(prediction, truth, "o", color=COLOURS[0], markersize=3, alpha=0.5, markeredgewidth=0)
        axes.set_xlabel("predicted")
        axes.set_ylabel("true")
        axes.grid()
        axes.legend(loc="upper left")

    alt = f"True values over predicted ones for {len(truth):,} rows; their correlation is {few_digits(together)}."
    return Figure(draw, alt, "True against predicted", (4.8, 4.6))


def against_prediction(prediction: Floats, left: Floats) -> Figure:
    """A bend or a fan would show what the model misses."""

    def draw(axes: Axes) -> None:
        axes.axhline(0.0, color=INK, linestyle=":", linewidth=1)
        axes.plot(prediction, left, "o", color=COLOURS[0], markersize=3, alpha=0.5, markeredgewidth=0)
        axes.set_xlabel("predicted")
        axes.set_ylabel("residual: true − predicted")
        axes.grid()

    low, high = np.quantile(left, [0.05, 0.95])
    alt = f"Residuals over predicted values for {len(left):,} rows; nine in ten are between {few_digits(low)} and "
    return Figure(draw, f"{alt}{few_digits(high)}.", "What is left", (4.8, 4.6))
