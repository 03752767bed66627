"""Predictions over the only column that a model of numbers has, in the units of the table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.evaluate.loss import Floats
from novacula.explain.rows import said_once, seen_rows
from novacula.learner.figure import COLOURS, INK, Figure, date_axis, few_digits, literal
from novacula.report.reading import Reading
from novacula.study.question import subsample
from novacula.table.names import name_of, quoted_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

POINTS, PLACES = 1000, 200
"""Rows that are drawn as points, and places of a curve."""


def over_one_column(reading: Reading) -> Figure | None:
    """The curve of a model's predictions with the rows around it; None where it has not one numeric column."""
    if reading.blind or reading.question.task != "regression":
        return None
    if [column.kind for column in reading.model.schema_.features] != ["numeric"]:
        return None
    rows = subsample(reading.question.train, POINTS, reading.question.seed)
    seen, y = seen_rows(reading.model, rows.X), np.asarray(rows.y, np.float64)
    x = seen.values(0)
    known = np.isfinite(x)
    if y.ndim != 1 or not known.any():
        return None
    places = np.linspace(x[known].min(), x[known].max(), PLACES)
    asked = seen.take(np.zeros(PLACES, np.intp)).with_values(0, places)
    with said_once():
        said = np.asarray(reading.model.predict(asked.given()), np.float64)
    return _curve_figure(reading, (x[known], y[known]), (places, said))


def _curve_figure(reading: Reading, points: tuple[Floats, Floats], curve: tuple[Floats, Floats]) -> Figure:
    column, target = reading.model.schema_.features[0], name_of(reading.question.target)
    interval: Any = getattr(reading.study.best_, "interval_", None)
    places, said = curve

    def draw(axes: Axes) -> None:
        axes.plot(*points, "o", color=INK, markersize=3, alpha=0.4, markeredgewidth=0, label="rows")
        axes.plot(places, said, color=COLOURS[0], linewidth=2.0, label="prediction")
        if interval is not None:
            label = f"{interval.level:.0%} of new rows"
            axes.fill_between(places, *interval.around(said).T, color=COLOURS[0], alpha=0.15, linewidth=0, label=label)
        if column.is_time:
            date_axis(axes.xaxis)
        axes.set_xlabel(literal(name_of(column.name)))
        axes.set_ylabel(literal(target))
        axes.grid()
        axes.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=3, borderaxespad=0.2)

    ends = " to ".join(few_digits(float(said[k])) for k in (0, -1))
    alt = f"Predictions of {target} over {name_of(column.name)}, from {ends}, and {len(points[0]):,} rows."
    return Figure(draw, alt, f"What it predicts over {quoted_name(column.name)}")
