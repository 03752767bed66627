"""The mean of the target, for any row: the constant with the least squared error."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from novacula.baseline.plurality import PluralityClassifier, count_rows
from novacula.learner import Card, Regressor, Work
from novacula.learner.worded_step import WordedStep as Step
from novacula.state import State, floats, number, one_of, record
from novacula.statistics import CoMoments
from novacula.table import Table
from novacula.table.chunk import Chunk, Floats


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

    state: ClassVar[State] = {
        "moments_": record(CoMoments, columns="targets"),
        "mean_": one_of(number(), floats("targets")),
    }

    def _learn(self, table: Table) -> None:
        """Take the mean."""
        self.moments_ = table.reduce(target_moments)
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

    def _work(self, X: Any = None) -> Work:
        """The mean, and the squared error that is left; with X nothing changes, which is the point."""
        check_is_fitted(self)
        total, means = self.moments_.weight, np.ravel(self.mean_)
        several = not isinstance(self.mean_, float)
        steps = [
            Step(
                "The mean" if not several else f"The mean of target {k + 1}",
                formula="ȳ = Σ y / n",
                expression="S / n",
                values={"S": float(mean) * total, "n": total},
                result=float(mean),
                of=("mean_", k) if several else ("mean_",),
                labels={"S": "the sum of the target"},
                note=f"The squared error left is {self.moments_.scatter[k, k] / total:g} per row.",
            )
            for k, mean in enumerate(means[:20])
        ]
        return Work("Mean", steps)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        tags.target_tags.multi_output = True
        return tags


def target_moments(chunk: Chunk) -> CoMoments:
    """Weight, mean and scatter of the targets alone."""
    return CoMoments.observe(replace(chunk, numeric=np.empty((len(chunk), 0)), sparse=None))
