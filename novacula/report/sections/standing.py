"""The leaderboard: errors with their uncertainty, drawn and in a table, and the choice against best and baseline."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from novacula.evaluate.compare import compare
from novacula.learner.figure import COLOURS, INK, Figure, few_digits, literal
from novacula.learner.work import Cell
from novacula.report.blocks import Block, FigureBlock, Paragraph, Points, TableBlock
from novacula.report.reading import Reading
from novacula.study.leaderboard import Entry, short
from novacula.words import capitalised, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDE = 30.0
"""How many times the least error the largest may be before the axis is logarithmic."""


def standing(reading: Reading) -> Iterator[Block]:
    """The figure, the table, the comparisons."""
    folds = len(reading.question.folds)
    yield Paragraph(
        f"Every learner was fitted {folds} times, each time without one of {folds} folds, and measured on the rows of "
        f"that fold. The measure is the {reading.measure}: lower is better. Preparation, such as scaling and filling "
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
    header = ("learner", "size", "error", "± s.e.", "training error", "parameters", "fit, seconds", "state")
    rows = [_row(entry, entry is reading.chosen) for entry in reading.study.leaderboard]
    return TableBlock(header, tuple(rows), f"Learners by their {reading.measure}; ✓ marks the choice")


def _row(entry: Entry, chosen: bool) -> tuple[Cell, ...]:
    size = "" if entry.size is None else f"{entry.size_name} = {short(entry.size)}"
    numbers = (entry.error, entry.standard_error, entry.train_error, entry.n_parameters, entry.fit_seconds)
    return (f"{entry.name}{' ✓' if chosen else ''}", size, *numbers, entry.status)


def remarks(reading: Reading) -> Iterator[str]:
    """Notes on single entries, and why some did not finish."""
    for entry in reading.study.leaderboard:
        if entry.remark and entry.note != reading.study.stopped:  # which is at the top of the page
            yield entry.remark


def comparisons(reading: Reading) -> Iterator[str]:
    """The choice against the best and against the baseline, on the same folds."""
    chosen = reading.chosen
    rivals = {id(one): one for one in (reading.study.choice.best, reading.baseline) if one is not None}
    for rival in rivals.values():
        if rival is not chosen:
            yield _comparison(chosen, rival)


def _comparison(chosen: Entry, rival: Entry) -> str:
    names = (f"the error of {chosen.label}", f"that of {rival.label}")
    first, second = np.asarray(chosen.fold_errors), np.asarray(rival.fold_errors)
    if not np.isfinite(first - second).all():
        return f"{capitalised(names[0])} and {names[1]} cannot be compared: in a fold one of them is infinite."
    return compare(first, second, names=names).sentence()


def error_figure(reading: Reading) -> Figure:
    """Errors with their standard errors, the band of one standard error above the least, and the baseline."""
    entries = [entry for entry in reading.finished if np.isfinite(entry.error)]
    best = reading.study.choice.best

    def draw(axes: Axes) -> None:
        _draw_errors(axes, entries, reading.chosen)
        if np.isfinite(best.standard_error):
            label = "within one standard error of the least"
            axes.axvspan(best.error, best.error + best.standard_error, color=COLOURS[2], alpha=0.18, lw=0, label=label)
        if reading.baseline is not None:
            axes.axvline(reading.baseline.error, color=INK, linestyle=":", linewidth=1.2, label="baseline")
        axes.set_xlabel(literal(f"{reading.measure} (lower is better)"))
        axes.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=3, borderaxespad=0.2)

    words = ", ".join(
        f"{e.label} {few_digits(e.error)} ± {few_digits(np.nan_to_num(e.standard_error))}" for e in entries
    )
    alt = f"Errors with one standard error on either side, the least first: {words}. Chosen: {reading.chosen.label}."
    return Figure(draw, alt, "Errors of the learners in cross-validation", (7.2, 1.7 + 0.32 * len(entries)))


def _draw_errors(axes: Axes, entries: Sequence[Entry], chosen: Entry) -> None:
    places = np.arange(len(entries), dtype=np.float64)
    errors = np.array([entry.error for entry in entries])
    spreads = np.nan_to_num([entry.standard_error for entry in entries])
    lowest = (errors - spreads).min()
    if errors.max() > WIDE * errors.min() and 2 * lowest > errors.min():  # an end near 0 would be far to the left
        axes.set_xscale("log")
    axes.errorbar(errors, places, xerr=spreads, fmt="o", color=COLOURS[0], markersize=5, capsize=3)
    mine = [entry is chosen for entry in entries]
    axes.plot(errors[mine], places[mine], "D", color=COLOURS[1], markersize=8, label="chosen", zorder=3)
    axes.set_yticks(places, [literal(shortened(entry.label)) for entry in entries])
    axes.set_ylim(len(entries) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x")
