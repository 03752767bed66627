"""Mistakes about numbers: true values against predictions, the residuals, and the interval of a prediction."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.evaluate.loss import Floats
from novacula.explain import Importance
from novacula.learner.figure import COLOURS, INK, Figure, date_axis, few_digits, literal
from novacula.report.blocks import Block, FigureBlock, FigureRow, Paragraph
from novacula.report.reading import Reading
from novacula.report.sections.data import histogram
from novacula.study.answers import Answers
from novacula.study.verdict import distance_words
from novacula.table.names import name_of, quoted_name
from novacula.words import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DRAWN = 2000
"""Points of a figure; of more rows this many are drawn at random."""
COLUMNS = 2
"""Columns against which residuals are drawn: those that matter most, else the first."""
CATEGORIES = 12
"""Categories that have a place on an axis; others of a column are left out."""


def number_mistakes(reading: Reading, answers: Answers) -> Iterator[Block]:
    """Predictions against the truth, residuals against predictions and columns, and how residuals are spread."""
    truth, prediction = (np.asarray(values, np.float64) for values in (answers.y, answers.prediction))
    rows = np.arange(len(truth))
    if len(rows) > DRAWN:
        rows = np.sort(np.random.default_rng(0).choice(rows, DRAWN, replace=False))
        yield Paragraph(f"{DRAWN:,} of the rows, drawn at random, are shown as points.")
    left = truth - prediction
    together = float(np.corrcoef(truth, prediction)[0, 1]) if min(np.ptp(truth), np.ptp(prediction)) > 0 else 0.0
    pictures = [
        against_truth(truth[rows], prediction[rows], together),
        against_prediction(prediction[rows], left[rows]),
        *(against_column(reading, answers, name, rows, left[rows]) for name in _columns(reading)),
    ]
    yield FigureRow(tuple(map(FigureBlock.of, pictures)))
    title = "Residuals, true − predicted"
    yield FigureBlock.of(histogram(left, title, "rows", "residual"))
    yield from _interval(reading)


def _columns(reading: Reading) -> list[str]:
    """The columns that matter most and can be drawn."""
    layout = reading.question.table.layout
    names = [column.name for column in layout.features if column.kind in ("numeric", "categorical")]
    if isinstance(reading.matters, Importance):
        order = [reading.matters.names[j] for j in reading.matters.order]
        names.sort(key=lambda name: order.index(name) if name in order else len(order))
    return names[:COLUMNS]


def _interval(reading: Reading) -> Iterator[Block]:
    """Between which numbers a new target is, where the model knows."""
    interval, test = getattr(reading.study.best_, "interval_", None), reading.study.test
    if interval is None:
        return
    words = (
        f"Of new rows {interval.level:.0%} are expected from {distance_words(interval.below)} to "
        f"{distance_words(interval.above)} their prediction, as {interval.n_rows:,} rows show that the model had "
        "not seen; predict_interval gives both ends."
    )
    if test is not None and test.coverage is not None:
        words += f" Of {test.n_rows:,} test rows {test.coverage:.1%} were."
    yield Paragraph(words)


def against_truth(truth: Floats, prediction: Floats, together: float) -> Figure:
    """Points on the diagonal are predicted exactly."""

    def draw(axes: Axes) -> None:
        ends = [min(truth.min(), prediction.min()), max(truth.max(), prediction.max())]
        axes.plot(ends, ends, color=INK, linestyle=":", linewidth=1, label="exact")
        _points(axes, prediction, truth)
        axes.set_xlabel("predicted")
        axes.set_ylabel("true")
        axes.legend(loc="upper left")

    alt = f"True values over predicted ones for {len(truth):,} rows; their correlation is {few_digits(together)}."
    return Figure(draw, alt, "True against predicted", (4.8, 4.6))


def against_prediction(prediction: Floats, left: Floats) -> Figure:
    """A bend or a fan would show what the model misses."""

    def draw(axes: Axes) -> None:
        axes.axhline(0.0, color=INK, linestyle=":", linewidth=1)
        _points(axes, prediction, left)
        axes.set_xlabel("predicted")
        axes.set_ylabel("residual: true − predicted")

    low, high = np.quantile(left, [0.05, 0.95])
    alt = f"Residuals over predicted values for {len(left):,} rows; nine in ten are between {few_digits(low)} and "
    return Figure(draw, f"{alt}{few_digits(high)}.", "What is left", (4.8, 4.6))


def against_column(reading: Reading, answers: Answers, name: str, rows: Any, left: Floats) -> Figure:
    """Residuals over the values of a column: a bend shows what the model misses in it."""
    test = reading.question.test
    table = test.X if answers.which == "test rows" and test is not None else reading.question.train.X
    part = table.take(answers.places[rows])
    column, chunk = part.layout[name], part.to_chunk()
    place = part.layout.of_kind(column.kind).index(column)
    values = chunk.numeric[:, place] if column.kind == "numeric" else chunk.codes[:, place].astype(np.float64)
    labels: list[str] = []
    if column.kind == "categorical":
        values, labels = _places_of(values, column.categories)
    there = np.isfinite(values)

    def draw(axes: Axes) -> None:
        axes.axhline(0.0, color=INK, linestyle=":", linewidth=1)
        _points(axes, values[there], left[there])
        axes.set_xlabel(literal(shortened(name)))
        axes.set_ylabel("residual: true − predicted")
        if column.kind == "categorical":
            axes.set_xticks(
                range(len(labels)), [literal(shortened(one, 16)) for one in labels], rotation=45, ha="right"
            )
        elif column.is_time:
            date_axis(axes.xaxis)

    alt = f"Residuals over the values of {name_of(name)} for {int(there.sum()):,} rows."
    return Figure(draw, alt, f"What is left, by {quoted_name(name)}", (4.8, 4.6))


def _places_of(codes: Floats, categories: Any) -> tuple[Floats, list[str]]:
    """The most frequent categories side by side; NaN for the others."""
    count = np.bincount(codes[codes >= 0].astype(np.intp), minlength=len(categories))
    first = np.sort(np.argsort(-count, kind="stable")[:CATEGORIES])
    first = first[count[first] > 0]
    place = np.full(len(categories) + 1, np.nan)
    place[first] = np.arange(len(first))
    return place[np.where(codes >= 0, codes, len(categories)).astype(np.intp)], [name_of(categories[k]) for k in first]


def _points(axes: Axes, x: Floats, y: Floats) -> None:
    axes.plot(x, y, "o", color=COLOURS[0], markersize=3, alpha=0.5, markeredgewidth=0)
    axes.grid()
