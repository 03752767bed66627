"""The leaderboard: errors with their uncertainty, drawn and in a table, and the choice against best and baseline."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from novacula.evaluate.compare import compare
from novacula.evaluate.metric import Metric
from novacula.learner.figure import COLOURS, INK, Figure, literal
from novacula.report.blocks import Block, FigureBlock, Paragraph, Points, TableBlock
from novacula.report.reading import Reading
from novacula.report.sections.sizes import shown_curve
from novacula.study.leaderboard import Entry, short, with_spread
from novacula.words import capitalised, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDE = 30.0
"""How many times the least error the largest may be before the axis is logarithmic."""


def standing(reading: Reading) -> Iterator[Block]:
    """The figure, the table, the comparisons."""
    folds = len(reading.question.folds)
    who = "Every learner" if len(reading.finished) == len(reading.study.leaderboard) else "Every learner with an error"
    yield Paragraph(
        f"{who} was fitted {folds} times, each time without one of {folds} folds, and measured on the rows of that "
        f"fold by its {reading.measure}; {reading.question.metric.direction}. Preparation, such as scaling and filling "
        "in missing values, was repeated within each fold."
    )
    yield FigureBlock.of(error_figure(reading))
    yield leaderboard(reading)
    for sentences in (comparisons(reading), remarks(reading)):
        points = tuple(sentences)
        if points:
            yield Points(points)


def leaderboard(reading: Reading) -> TableBlock:
    """One row per entry."""
    board = reading.study.leaderboard
    header, rows = board.table()
    lines = []
    for entry, (_, *numbers, _) in zip(board, rows, strict=True):
        size = "" if entry.size is None else f"{entry.size_name} = {short(entry.size)}"
        state = "" if entry.status == "finished" else entry.status
        lines.append((f"{entry.name}{' ✓' if entry is reading.chosen else ''}", size, *numbers, state))
    measure = f"{reading.measure}, {reading.question.metric.direction}"
    names = ("learner", "size", *header[1:-1], "state")
    return TableBlock(names, tuple(lines), f"Learners by their {measure}; ✓ marks the choice")


def remarks(reading: Reading) -> Iterator[str]:
    """Notes on single entries, and why some did not finish."""
    stopped = reading.study.stopped
    yield from (one for one in reading.study.leaderboard.remarks if not stopped or stopped not in one)  # at the top


def comparisons(reading: Reading) -> Iterator[str]:
    """The choice against the best and against the baseline, on the same folds."""
    chosen = reading.chosen
    rivals = {id(one): one for one in (reading.study.choice.best, reading.baseline) if one is not None}
    for rival in rivals.values():
        if rival is not chosen:
            yield _comparison(chosen, rival, reading.question.metric)


def _comparison(chosen: Entry, rival: Entry, measure: Metric) -> str:
    names = (f"the {measure.words} of {chosen.label}", f"that of {rival.label}")
    first, second = (shown_curve(one.fold_errors, measure) for one in (chosen, rival))
    if not np.isfinite(first - second).all():
        return f"{capitalised(names[0])} and {names[1]} cannot be compared: in a fold one of them is infinite."
    return compare(first, second, names=names).sentence()


def error_figure(reading: Reading) -> Figure:
    """Errors with their standard errors, the band of one standard error above the least, and the baseline."""
    entries = [entry for entry in reading.finished if np.isfinite(entry.error)]
    best, measure = reading.study.choice.best, reading.question.metric

    def draw(axes: Axes) -> None:
        _draw_errors(axes, entries, reading)
        if np.isfinite(best.standard_error):
            label = f"within one standard error of the {'highest' if measure.is_complement else 'least'}"
            ends = sorted((measure.shown(best.error), measure.shown(best.error + best.standard_error)))
            axes.axvspan(*ends, color=COLOURS[2], alpha=0.18, lw=0, label=label)
        if reading.baseline is not None and np.isfinite(reading.baseline.error):
            place = measure.shown(reading.baseline.error)
            axes.axvline(place, color=INK, linestyle=":", linewidth=1.2, label="baseline")
        axes.set_xlabel(literal(reading.measure_with_direction))
        axes.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=3, borderaxespad=0.2)

    words = ", ".join(f"{entry.label} {with_spread(entry, measure)}" for entry in entries)
    alt = (
        f"{capitalised(reading.measure_with_direction)} with one standard error on either side, the best first: "
        f"{words}. Chosen: {reading.chosen.label}."
    )
    title = f"{capitalised(reading.measure)} of the learners in cross-validation"
    return Figure(draw, alt, title, (7.2, 1.7 + 0.32 * len(entries)))


def _draw_errors(axes: Axes, entries: Sequence[Entry], reading: Reading) -> None:
    places = np.arange(len(entries), dtype=np.float64)
    errors = np.array([reading.shown(entry.error) for entry in entries])
    spreads = np.nan_to_num([entry.standard_error for entry in entries])
    lowest = (errors - spreads).min()
    # An end near 0 would be far to the left.
    if errors.max() > WIDE * errors.min() and 2 * lowest > errors.min() > 0:
        axes.set_xscale("log")
    axes.errorbar(errors, places, xerr=spreads, fmt="o", color=COLOURS[0], markersize=5, capsize=3)
    mine = [entry is reading.chosen for entry in entries]
    axes.plot(errors[mine], places[mine], "D", color=COLOURS[1], markersize=8, label="chosen", zorder=3)
    axes.set_yticks(places, [literal(shortened(entry.label)) for entry in entries])
    axes.set_ylim(len(entries) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x")
