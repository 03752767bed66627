"""How much a model needs each column: the rise of its loss where the column is permuted over the rows.

    I_j = 1/R Σ_r L(model, rows with column j in order π_r) − L(model, rows)

A row keeps its other values. The error of I_j has two sources, and its interval holds both: other rows would have had
other losses (a), and other permutations other partners (b).

    I_j ± t·√(a² + b²),      a² = s²(mean rise of each row)/n,      b² = s²(rise of each permutation)/R
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from novacula.arguments import whole_number
from novacula.errors import DataError
from novacula.evaluate.loss import Floats, LossFunction, LossLike, loss, metric_name
from novacula.evaluate.rows import predictions, rows_for
from novacula.explain.answers import says_classes
from novacula.explain.derivation.importance import derive_importance
from novacula.explain.result import SeenResult
from novacula.explain.rows import Places, SeenRows, column_places, drawn, said_once, sample_words, sampled, seen_rows
from novacula.learner import ingest
from novacula.learner.figure import Figure, bar_figure, number_words
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Cell, Work, WorkTable
from novacula.words import counted, shortened

LEVEL = 0.95
AT_ONCE = 16_384
"""Rows that a model is given at once: they stay near the processor, where copies of more take twice as long."""
DRAWN = 20
"""Columns that are drawn."""


@dataclass(frozen=True, eq=False)
class Importance(SeenResult):
    """The rise of the mean loss for each of d columns, with its 95% interval; below 0: better without its order."""

    names: tuple[str, ...]
    loss: str
    losses: Floats  # (n,) of the rows as they are
    weight: Floats  # (n,)
    baseline: float  # their mean
    permuted: Floats  # (d, R) the mean loss with the column permuted
    rise: Floats  # (d,)
    row_error: Floats  # (d,) the part of the standard error that is due to the rows
    order_error: Floats  # (d,) and the part that is due to the permutations
    t: Floats  # (d,) the quantile of Student's distribution
    n_rows: int  # of which the rows here are a sample, or all

    @property
    def error(self) -> Floats:
        """The standard error of each rise (d,)."""
        return np.hypot(self.row_error, self.order_error)

    @property
    def low(self) -> Floats:
        """The lower ends of the intervals (d,)."""
        return self.rise - self.t * self.error

    @property
    def high(self) -> Floats:
        """The upper ends of the intervals (d,)."""
        return self.rise + self.t * self.error

    @property
    def order(self) -> Places:
        """The columns, the most important first; ties in their order."""
        return np.argsort(-self.rise, kind="stable")

    @property
    def measure(self) -> str:
        """What rises."""
        return metric_name(self.loss)

    @property
    def notes(self) -> tuple[str, ...]:
        """What the numbers rest on."""
        sample, orders = sample_words(len(self.losses), self.n_rows), counted(self.permuted.shape[1], "permutation")
        words = (
            f"The {self.measure} is {number_words(self.baseline)} on {sample}, and rises by this where a column is "
            f"permuted; 95% intervals hold what other rows and other than these {orders} would change."
        )
        return (words,)

    def known(self, values: Floats) -> Floats:
        """Numbers about each column (d,) to two digits of the standard error of its rise; others are not known."""
        places = 1.0 - np.floor(np.log10(self.error, out=np.zeros(len(values)), where=self.error > 0.0))
        unit = np.where(self.error > 0.0, 10.0**-places, 1e-12)
        return np.round(values / unit) * unit + 0.0  # no number is shown as −0

    def table(self) -> WorkTable:
        """The columns by their rise."""
        numbers = np.column_stack([self.known(one) for one in (self.rise, self.low, self.high)])
        rows: list[tuple[Cell, ...]] = [(shortened(self.names[j]), *numbers[j].tolist()) for j in self.order]
        return WorkTable(("column", f"rise of the {self.measure}", "95% from", "to"), tuple(rows))

    def figure(self) -> Figure:
        """Bars with their intervals, the most important column on top."""
        shown = self.order[:DRAWN]
        return bar_figure(
            [self.names[j] for j in shown],
            self.known(self.rise)[shown],
            intervals=np.column_stack([self.low, self.high])[shown],
            title="What the model needs most",
            xlabel=f"rise of the {self.measure} where the column is permuted",
        )

    def _derive(self, options: WorkOptions) -> Work:
        return derive_importance(self, options)


def importance(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    metric: LossLike | None = None,
    repeats: int = 10,
    columns: Any = None,
    rows: int = 10_000,
    random_state: Any = 0,
) -> Importance:
    """Give the rise of a fitted model's loss where columns are permuted, on rows that it need not have seen.

    A table brings its target, or y names it. The metric is a loss of `novacula.evaluate`; zero-one or squared loss
    unless another is given. Of more than so many `rows` a sample is taken. Every column is permuted in the same
    `repeats` orders, so that what is found of one does not depend on which others are asked for.

    >>> import novacula as nv
    >>> from novacula.tree import DecisionTreeClassifier
    >>> table = nv.datasets.load("iris")
    >>> result = importance(DecisionTreeClassifier(max_depth=2).fit(table), table)
    >>> [result.names[j] for j in result.order if result.rise[j] > 0]
    ['petal length (cm)', 'petal width (cm)']
    """
    repeats, rows = whole_number(repeats, "repeats", 2), whole_number(rows, "rows", 1)
    rng = np.random.default_rng(random_state)
    supervised, n_rows = _sampled_with_target(model, X, y, rows, rng)
    usual = "zero_one" if says_classes(model) else "squared"
    which, seen = loss(usual if metric is None else metric), seen_rows(model, supervised.X)
    places = column_places(seen, columns)
    losses = _losses(model, seen.given(), supervised.y, which)
    weight = np.ones(len(seen)) if supervised.weight is None else supervised.weight
    orders = np.array([rng.permutation(len(seen)) for _ in range(repeats)])
    with said_once():
        means, by_row = _rises(model, seen, supervised.y, which, places, orders, losses, weight / weight.sum())
    return _measured(tuple(seen.names[j] for j in places), which.name, losses, weight, means, by_row, n_rows)


def _sampled_with_target(model: Any, X: Any, y: Any, most: int, rng: np.random.Generator) -> tuple[Any, int]:
    """Rows with their targets, of more than `most` a sample, and how many there are."""
    from sklearn.utils import _safe_indexing
    from sklearn.utils.validation import check_consistent_length

    table = ingest.as_table(X, y, None)
    if table is not None:
        part, n = sampled(table, most, rng)
        return rows_for(model, part), n
    if y is None:
        raise DataError("the target y is None: give it, or a Table that names its target")
    check_consistent_length(X, y)
    target = np.asarray(y)
    places = drawn(len(target), most, rng)
    part = X if len(places) == len(target) else _safe_indexing(X, places)
    return rows_for(model, part, target[places]), len(target)


def _losses(model: Any, given: Any, y: Any, which: LossFunction) -> Floats:
    losses = which(y, predictions(model, given, which), getattr(model, "classes_", None))
    if not np.isfinite(losses).all():
        raise DataError(
            f"the {metric_name(which)} of row {int(np.argmin(np.isfinite(losses))) + 1} is infinite, so nothing can be "
            "said of its rise: take metric='brier'"
        )
    return losses


def _rises(
    model: Any, seen: SeenRows, y: Any, which: LossFunction, places: list[int], orders: Places, losses: Floats,
    share: Floats,
) -> tuple[Floats, Floats]:  # fmt: skip
    """How losses rise with each column in each of the orders: the means by order (d, R), and those by row (d, n).

    The rows are copied once, and a column is put into the copy and taken out again: to copy all of them for each column
    would take longer than most predictions.
    """
    n, means, by_row = len(seen), np.zeros((len(places), len(orders))), np.zeros((len(places), len(seen)))
    at_once = max(1, AT_ONCE // n)
    for start in range(0, len(orders), at_once):
        some = orders[start : start + at_once]
        copy = seen.take(np.tile(np.arange(n), len(some)))
        truth = np.tile(y, (len(some), *[1] * (y.ndim - 1))) if y.ndim > 1 else np.tile(y, len(some))
        for i, j in enumerate(places):
            if seen.is_constant(j):
                continue
            column, values = copy.values(j), seen.values(j)
            column[:] = values[some].ravel()
            found = _losses(model, copy.given(), truth, which)
            column[:] = np.tile(values, len(some))
            rises = found.reshape(some.shape) - losses
            means[i, start : start + len(some)] = rises @ share
            by_row[i] += rises.sum(axis=0) / len(orders)
    return means, by_row


def _measured(
    names: tuple[str, ...], metric: str, losses: Floats, weight: Floats, means: Floats, by_row: Floats, n_rows: int
) -> Importance:
    from scipy.special import stdtrit

    repeats, n, share = means.shape[1], len(losses), weight / weight.sum()
    rise = means.mean(axis=1)
    scale = n / (n - 1) if n > 1 else np.nan
    row_error = np.sqrt(scale * ((by_row - rise[:, None]) ** 2 @ share**2)) if n > 1 else np.zeros(len(rise))
    order_error = means.std(axis=1, ddof=1) / np.sqrt(repeats)
    squares = row_error**2, order_error**2
    below = squares[0] ** 2 / max(n - 1, 1) + squares[1] ** 2 / (repeats - 1)
    freedom = np.divide((squares[0] + squares[1]) ** 2, below, out=np.full(len(rise), n - 1.0), where=below > 0)
    t = np.asarray(stdtrit(np.maximum(freedom, 1.0), (1 + LEVEL) / 2))
    baseline = float(losses @ share)
    return Importance(
        names, metric, losses, weight, baseline, baseline + means, rise, row_error, order_error, t, n_rows
    )  # fmt: skip
