"""How the answers of a model move with one column or two: the mean over rows in which they are set to a value.

    PD(v) = 1/n Σ_i f(xᵢ with the columns set to v)

The terms of the sum are individual conditional expectation curves, one for each row.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from novacula.arguments import whole_number
from novacula.errors import DataError, ParameterError, SchemaError
from novacula.evaluate.loss import Floats
from novacula.explain.answers import SeenAnswers, answers_of
from novacula.explain.curves import dependence_figure
from novacula.explain.derivation.dependence import derive_dependence
from novacula.explain.result import SeenResult
from novacula.explain.rows import Places, SeenRows, column_places, said_once, sample_words, sampled, seen_rows
from novacula.learner.derivation import cut_table
from novacula.learner.figure import Figure
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Cell, Work, WorkTable
from novacula.table.names import did_you_mean
from novacula.table.schema import time_words
from novacula.words import counted, quoted, shortened

POINTS, POINTS_OF_TWO = 20, 10
"""Points of a grid, for one column and for each of two."""
CATEGORIES = 40
"""Categories of a grid, at most: the most frequent ones."""
TICKS = np.linspace(0.0, 1.0, 11)


@dataclass(frozen=True, eq=False)
class GridAxis:
    """The values that a column is set to, in words, and where its data are."""

    name: str
    is_numeric: bool
    values: Any  # (m,) numbers, or codes
    labels: tuple[str, ...]  # of categories
    ticks: Floats  # deciles of a numeric column
    is_time: bool = False  # numbers are seconds since 1970
    part: str = ""  # which of the values are there, if not all, as the end of a title

    def cell(self, i: int) -> Cell:
        """A value as it is read."""
        if self.is_time:
            return time_words(float(self.values[i]))
        return float(self.values[i]) if self.is_numeric else shortened(self.labels[i])


@dataclass(frozen=True, eq=False)
class Dependence(SeenResult):
    """Answers for n rows with one column, or two, set to each value of a grid."""

    axes: tuple[GridAxis, ...]
    outputs: tuple[str, ...]
    scale: str
    curves: Floats  # (n, grid…, k)
    individual: bool  # whether the curves of rows are drawn
    n_rows: int

    @property
    def mean(self) -> Floats:
        """The partial dependence (grid…, k)."""
        return np.asarray(self.curves.mean(axis=0))

    def heading(self, k: int) -> str:
        """What the k-th answer is, in words."""
        return f"{self.scale} of {self.outputs[k]}" if self.outputs[k] else self.scale

    def output(self, which: Any = None) -> int:
        """The place of an answer by its class; by default the one that moves most."""
        if which is None:
            return int(np.argmax(np.ptp(self.mean.reshape(-1, len(self.outputs)), axis=0)))
        if str(which) not in self.outputs:
            raise ParameterError(
                f"there is no dependence of {quoted(which)}{did_you_mean(str(which), self.outputs, 'classes')}"
            )
        return self.outputs.index(str(which))

    @property
    def notes(self) -> tuple[str, ...]:
        """What the means are over."""
        return (f"Means over {sample_words(len(self.curves), self.n_rows)}, each with its other values.",)

    def table(self) -> WorkTable:
        """The means by the values of the grid."""
        header = (*(shortened(axis.name) for axis in self.axes), *map(self.heading, range(len(self.outputs))))
        mean = self.mean
        places = list(np.ndindex(*mean.shape[:-1]))
        rows = [
            (*(axis.cell(i) for axis, i in zip(self.axes, place, strict=True)), *mean[place].tolist())
            for place in places
        ]
        return cut_table(header, rows, len(rows), most=120)

    def figure(self, output: Any = None) -> Figure:
        """Curves of one column with those of some rows, or the surface of two."""
        return dependence_figure(self, None if output is None else self.output(output))

    def _derive(self, options: WorkOptions) -> Work:
        return derive_dependence(self, options)


def dependence(
    model: Any,
    X: Any,
    columns: Any,
    *,
    grid: int | None = None,
    rows: int = 500,
    individual: bool = True,
    random_state: Any = 0,
) -> Dependence:
    """Give the partial dependence of a model on a column, or on two, and the curves of single rows.

    A numeric column is set to `grid` quantiles of its known values, and where those coincide, since most rows have the
    same value, also to quantiles of the distinct others; a categorical one to each of its categories. Of classes there
    is the probability, of two classes that of the second. Of more than so many `rows` a sample is taken.

    >>> import numpy as np
    >>> from novacula.linear import LinearRegression
    >>> X = np.array([[0.0, 5.0], [1.0, 1.0], [2.0, 3.0]])
    >>> result = dependence(LinearRegression().fit(X, X @ [2.0, 1.0]), X, [0])
    >>> result.axes[0].values.tolist(), result.mean[:, 0].round(9).tolist()
    ([0.0, 1.0, 2.0], [3.0, 5.0, 7.0])
    """
    part, n_rows = sampled(X, whole_number(rows, "rows", 1), random_state)
    answers, seen = answers_of(model), seen_rows(model, part)
    places = column_places(seen, columns)
    if len(places) > 2:
        raise ParameterError(f"columns names {counted(len(places), 'column')}: name one column, or two")
    points = (POINTS if len(places) == 1 else POINTS_OF_TWO) if grid is None else whole_number(grid, "grid", 2)
    axes = tuple(grid_axis(seen, j, points) for j in places)
    answers(seen)  # a model that cannot answer says so, and of categories that it does not know once
    with said_once():
        curves = grid_answers(answers, seen, places, axes)
    return Dependence(axes, answers.names, answers.scale, curves, individual, n_rows)


def grid_axis(rows: SeenRows, j: int, points: int) -> GridAxis:
    """The values that a column is set to: numbers that occur, or all categories, the most frequent of many."""
    column, values = rows.columns[j], rows.values(j)
    if column.kind == "text":
        raise SchemaError(f"{column.name!r} holds words, which cannot be set one after the other: take another column")
    if column.kind == "numeric":
        known = values[np.isfinite(values)]
        if not len(known):
            raise DataError(f"{column.name!r} has no known value in these rows, so there is nothing to set it to")
        ticks = np.quantile(known, TICKS, method="inverted_cdf")
        return GridAxis(column.name, True, grid_numbers(known, points), (), ticks, column.is_time)
    codes = np.arange(len(column.categories))
    if len(codes) > CATEGORIES:
        count = np.bincount(values[values >= 0], minlength=len(codes))
        codes = np.sort(np.argsort(-count, kind="stable")[:CATEGORIES])
    if not len(codes):
        raise DataError(f"{column.name!r} has no category, so there is nothing to set it to")
    labels = tuple(str(column.categories[code]) for code in codes)
    return GridAxis(column.name, False, codes.astype(np.int32), labels, np.empty(0))


def grid_numbers(known: Floats, points: int) -> Floats:
    """So many numbers that occur, in order: quantiles of all, and where those coincide also of the distinct others.

    >>> grid_numbers(np.array([0.0] * 90 + [5.0, 6.0, 7.0]), 3).tolist()
    [0.0, 5.0, 7.0]
    """
    grid = np.unique(np.quantile(known, np.linspace(0, 1, points), method="inverted_cdf"))
    others = np.setdiff1d(known, grid)
    if len(grid) < points and len(others):
        more = np.quantile(others, np.linspace(0, 1, points - len(grid)), method="inverted_cdf")
        grid = np.union1d(grid, more)
    return grid


def grid_answers(answers: SeenAnswers, rows: SeenRows, places: list[int], axes: tuple[GridAxis, ...]) -> Floats:
    """The answers (n, grid…, k) with the columns set to each value of the grid."""
    shape = tuple(len(axis.values) for axis in axes)
    n, m = len(rows), int(np.prod(shape))
    repeated: Places = np.repeat(np.arange(n), m)
    asked = rows.take(repeated)
    where = np.unravel_index(np.arange(m), shape)
    for j, axis, at in zip(places, axes, where, strict=True):
        asked = asked.with_values(j, np.tile(axis.values[at], n))
    return answers(asked).reshape(n, *shape, len(answers.names))
