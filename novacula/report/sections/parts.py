"""Bias and variance of the finalists: each is fitted on many samples of the rows, and its error split into parts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from novacula.evaluate.bias_variance import BiasVariance, SplitLoss, bias_variance
from novacula.evaluate.loss import metric_name
from novacula.learner.figure import COLOURS, INK, Figure, few_digits, literal, number_words
from novacula.report.blocks import Block, FigureBlock, Paragraph, Points, TableBlock
from novacula.report.reading import Reading
from novacula.study.cell import message_line
from novacula.study.leaderboard import Entry
from novacula.study.question import subsample
from novacula.table.time_limit import TimeLimitError
from novacula.words import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FINALISTS = 3
"""Learners with the least errors; the choice comes on top."""
ROWS, SETS = 2000, 20
"""How many rows are drawn from, and how many training sets."""
PATIENCE = 3.0
"""Seconds that a learner may take."""


def parts(reading: Reading) -> Iterator[Block]:
    """The parts of each finalist's error, in a figure and a table; who is left out, and why."""
    split_errors, left_out = finalist_parts(reading)
    loss = _loss(reading)
    n = min(ROWS, len(reading.question.train))
    if split_errors:
        yield Paragraph(
            f"Each of these learners was fitted on {SETS} samples of {n:,} training rows, drawn with replacement, and "
            "measured on the rows that a sample did not hold. Bias is the error of its average prediction, including "
            "the noise of the target; variance is what changes from sample to sample."
        )
        yield FigureBlock.of(parts_figure(split_errors, loss))
        rows = tuple(
            (entry.label, *map(number_words, (split.bias_squared, split.variance, split.error)))
            for entry, split in split_errors
        )
        yield TableBlock(
            ("learner", "bias² and noise", "variance", "error"), rows, "The error and its parts, lower is better"
        )
    if loss == "zero_one" and any(split.variance < 0 for _, split in split_errors):
        yield Paragraph(
            "Variance below 0 helps: where a learner is wrong on average, changing its answer makes it right at times."
        )
    if left_out:
        yield Points(tuple(left_out)) if len(left_out) > 1 else Paragraph(left_out[0])


def finalist_parts(reading: Reading) -> tuple[list[tuple[Entry, BiasVariance]], list[str]]:
    """The finalists with the parts of their errors, and sentences for those that were left out."""
    question = reading.question
    finalists = [*reading.finished[:FINALISTS]]
    if not any(entry is reading.chosen for entry in finalists):
        finalists.append(reading.chosen)
    rows = subsample(question.train, ROWS, question.seed)
    split_errors, left_out = [], []
    if not reading.left:
        return [], [f"Fitting the finalists {SETS} times each is {reading.too_long(PATIENCE, PATIENCE)}."]
    for entry in finalists:
        seconds = SETS * reading.seconds(entry, len(rows))
        if not reading.allows(seconds, PATIENCE):
            left_out.append(f"{entry.label}, fitted {SETS} times, is {reading.too_long(seconds, PATIENCE)}.")
            continue
        learner = question.learner(entry.learner, entry.size)
        try:
            with reading.limited(PATIENCE):
                split = bias_variance(learner, rows.X, n_sets=SETS, loss=_loss(reading), random_state=question.seed)
        except TimeLimitError as error:
            left_out.append(f"{entry.label} is left out: {error} to be fitted {SETS} times.")
            continue
        except Exception as error:  # a sample may lack what a learner cannot do without, such as a class
            left_out.append(
                f"{entry.label} is left out, since it could not be fitted on a sample: {message_line(error)}"
            )
            continue
        split_errors.append((entry, split))
    return split_errors, left_out


def _loss(reading: Reading) -> SplitLoss:
    return "zero_one" if reading.question.task == "classification" else "squared"


def parts_figure(split_errors: list[tuple[Entry, BiasVariance]], loss: str) -> Figure:
    """Three bars per learner: bias, variance, and their sum."""
    bars = {
        "bias² and noise": [split.bias_squared for _, split in split_errors],
        "variance": [split.variance for _, split in split_errors],
        "error": [split.error for _, split in split_errors],
    }

    def draw(axes: Axes) -> None:
        places = np.arange(len(split_errors), dtype=np.float64)
        for i, (name, lengths) in enumerate(bars.items()):
            axes.barh(places + 0.26 * (i - 1), lengths, height=0.24, color=(*COLOURS[:2], INK)[i], label=name)
        axes.axvline(0, color=INK, linewidth=0.8)
        axes.set_yticks(places, [literal(shortened(entry.label)) for entry, _ in split_errors])
        axes.set_ylim(len(split_errors) - 0.5, -0.5)
        axes.tick_params(axis="y", length=0)
        axes.set_xlabel(f"{metric_name(loss)} (lower is better)")
        axes.grid(axis="x")
        axes.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=3, borderaxespad=0.2)

    words = "; ".join(
        f"{entry.label}: bias² and noise {few_digits(split.bias_squared)}, variance {few_digits(split.variance)}"
        for entry, split in split_errors
    )
    return Figure(
        draw, f"The error and its parts. {words}.", "Bias and variance", (7.2, 1.4 + 0.75 * len(split_errors))
    )
