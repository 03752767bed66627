"""The mean of the target, for any row: the constant with the least squared error."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from novacula.baseline.derivation import derive_mean
from novacula.baseline.plurality import PluralityClassifier, count_rows
from novacula.learner import Card, Regressor, Work
from novacula.learner.derivation import SHOWN
from novacula.learner.showing import WorkOptions
from novacula.state import State, floats, number, one_of, record
from novacula.statistics import CoMoments
from novacula.statistics.base import Statistic
from novacula.statistics.comoments import targets
from novacula.table import Table
from novacula.table.chunk import Chunk, Floats

KEPT = 20
"""Rows of the fit that a derivation shows."""


@dataclass(frozen=True, eq=False)
class MeanTrace:
    """The targets of the first rows, and the sum over the others: 21 numbers a target at most, of 12 targets."""

    state: ClassVar[State] = {
        "first": floats("kept_rows", "kept_targets"),
        "weight": floats("kept_rows", least=0.0),
        "rest": floats("kept_targets"),
    }

    first: Floats  # (rows, targets)
    weight: Floats  # (rows,)
    rest: Floats  # (targets,), Σ w·y over the rows that are not kept


@dataclass(frozen=True, eq=False)
class TargetSums(Statistic):
    """Moments, sum and first rows of the targets: T² + 22 T numbers, for any number of rows."""

    moments: CoMoments
    n_rows: int
    total: Floats  # (T,)
    first: Floats  # (KEPT, SHOWN) at most
    weight: Floats  # (KEPT,) at most

    def __add__(self, other: Self) -> Self:
        return type(self)(
            self.moments + other.moments,
            self.n_rows + other.n_rows,
            self.total + other.total,
            np.concatenate([self.first, other.first])[:KEPT],
            np.concatenate([self.weight, other.weight])[:KEPT],
        )

    @property
    def trace(self) -> MeanTrace:
        """What a derivation needs."""
        if self.n_rows <= KEPT:
            return MeanTrace(self.first, self.weight, np.zeros(self.first.shape[1]))
        with np.errstate(over="ignore", invalid="ignore"):
            return MeanTrace(self.first, self.weight, self.total[:SHOWN] - self.weight @ self.first)


class MeanRegressor(Regressor):
    """Predicts the mean of each target.

    >>> MeanRegressor().fit([[0], [1]], [1.0, 3.0]).predict([[7]]).tolist()
    [2.0]
    """

    card: ClassVar[Card] = replace(
        PluralityClassifier.card,
        name="Mean",
        task="regression",
        summary="The mean of the target, for any row.",
        hypothesis_space="One constant per target.",
        objective="Squared error on the training rows.",
        search="None: the mean.",
        noise="Averages out.",
        expected_failures={},
    )

    state_types: ClassVar[tuple[type, ...]] = (MeanTrace,)
    not_compared: ClassVar[Mapping[str, str]] = {
        "trace_": "which rows are the first depends on their order and repetition"
    }
    state: ClassVar[State] = {
        "moments_": record(CoMoments, columns="targets"),
        "mean_": one_of(number(), floats("targets")),
        "trace_": record(MeanTrace),
    }

    def _learn(self, table: Table) -> None:
        """Take the mean."""
        sums = table.reduce(observe_targets)
        self.moments_, self.trace_ = sums.moments, sums.trace
        array = getattr(table.source, "target", None)  # one target in a column of its own stays one
        several = len(table.layout.target) > 1 if array is None else array.ndim == 2
        self.mean_ = self.moments_.mean if several else float(self.moments_.mean[0])

    def predict(self, X: Any) -> Floats:
        """Give the same numbers for every row."""
        check_is_fitted(self)
        n = int(self._answers(X, count_rows).sum())
        return np.full(n, self.mean_) if isinstance(self.mean_, float) else np.tile(self.mean_, (n, 1))

    @property
    def n_parameters_(self) -> int:
        """The mean of each target."""
        return int(np.size(self.mean_))

    def _derive(self, options: WorkOptions) -> Work:
        """The mean, and the squared error that is left."""
        return derive_mean(self)

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        """The same for every row, which is the point."""
        return derive_mean(self, len(self._first_rows(X, options.rows)[0]))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        tags.target_tags.multi_output = True
        return tags


def observe_targets(chunk: Chunk) -> TargetSums:
    """Moments of the targets alone, their sum, and the first rows."""
    rows = chunk.counted()
    moments = CoMoments.observe(replace(rows, numeric=np.empty((len(rows), 0)), sparse=None))
    y = targets(rows)
    with np.errstate(over="ignore", invalid="ignore"):  # a sum that overflows is refused when the fit ends
        total = rows.weight @ y
    return TargetSums(moments, len(rows), total, y[:KEPT, :SHOWN], rows.weight[:KEPT])
