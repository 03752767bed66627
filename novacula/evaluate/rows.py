"""The rows that a learner is given, some of which can be taken: a table, a frame or arrays with their target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from novacula.errors import DataError, InputTypeError, ParameterError
from novacula.evaluate.intervals import Interval
from novacula.evaluate.loss import Floats, LossFunction, LossLike, loss, metric_name
from novacula.evaluate.metric import Metric
from novacula.table import Table
from novacula.words import quoted


@dataclass(frozen=True, eq=False)
class SupervisedRows:
    """Rows with their targets and weights; a table holds its own as well."""

    X: Any
    y: Any
    weight: Floats | None = None

    def __len__(self) -> int:
        return len(self.y)

    def take(self, rows: Any) -> SupervisedRows:
        """Some of the rows, by their numbers."""
        from sklearn.utils import _safe_indexing

        X = self.X.take(rows) if isinstance(self.X, Table) else _safe_indexing(self.X, rows)
        return SupervisedRows(X, self.y[rows], None if self.weight is None else self.weight[rows])

    def fit(self, learner: Any) -> Any:
        """A learner like this one, fitted on the rows."""
        from sklearn.base import clone

        model = clone(learner)
        if isinstance(self.X, Table):
            return model.fit(self.X)
        if self.weight is None:
            return model.fit(self.X, self.y)
        name = f"{learner.steps[-1][0]}__sample_weight" if hasattr(learner, "steps") else "sample_weight"
        return model.fit(self.X, self.y, **{name: self.weight})

    def loss(self, model: Any, which: LossFunction) -> float:
        """The mean loss of a fitted model on the rows, by weight."""
        return float(np.average(self.losses(model, which), weights=self.weight))

    def losses(self, model: Any, which: LossFunction) -> Floats:
        """The loss of a fitted model on each row."""
        return which(self.y, predictions(model, self.X, which), getattr(model, "classes_", None))

    def error(self, model: Any, which: Metric) -> float:
        """The error of a fitted model on the rows, by weight."""
        return which.error(self.y, predictions(model, self.X, which), getattr(model, "classes_", None), self.weight)

    def interval(self, model: Any, which: Metric, seed: int = 0) -> Interval:
        """A 95% interval of that error on new rows."""
        answers = predictions(model, self.X, which)
        return which.interval(self.y, answers, getattr(model, "classes_", None), self.weight, seed)


METHODS: dict[str, tuple[str, ...]] = {
    "labels": ("predict",),
    "numbers": ("predict",),
    "probabilities": ("predict_proba",),
    "decision": ("decision_function",),
    "scores": ("predict_proba", "decision_function"),
}
"""The methods that give what is needed; the first that a model has is asked."""


def rows_for(learner: Any, X: Any, y: Any = None, sample_weight: Any = None) -> SupervisedRows:
    """The rows in the form that the learner takes: ours take tables as they are, others the table's frame."""
    from sklearn.utils import check_consistent_length

    from novacula.learner import ingest
    from novacula.learner.base import Classifier, Learner

    if not (hasattr(learner, "fit") or hasattr(learner, "predict")):
        raise InputTypeError(f"{quoted(learner)} is not a learner: give an object with fit and predict")
    table = ingest.as_table(X, y, sample_weight)
    if table is None:
        if y is None:
            raise DataError("the target y is None: give it, or a Table that names its target")
        target = np.asarray(y)
        check_consistent_length(X, target)
        return SupervisedRows(X, target, ingest.weights_of(sample_weight, X))
    if not table.layout.target:
        raise DataError("the table has no target: name one with with_target")
    if isinstance(learner, Classifier):
        table = ingest.with_classes(table, type(learner).__name__)
    elif is_classifier(learner):
        table = as_classes(table)
    target, weight = ingest.target_values(table), ingest.weight_values(table)
    if isinstance(learner, Learner):
        return SupervisedRows(table.in_memory(), target, weight)
    names = [column.name for column in table.layout.features]
    return SupervisedRows(table.to_pandas()[names], target, weight)


def as_classes(table: Table) -> Table:
    """The table with a categorical target, so that its values are labels."""
    column = table.layout.target_columns[0]
    return table.with_types({column.name: "categorical"}) if column.kind == "numeric" else table


def is_classifier(learner: Any) -> bool:
    """Whether a learner, or the last step of a pipeline, predicts classes."""
    from sklearn.base import is_classifier

    return bool(is_classifier(learner))


def loss_for(learner: Any, which: LossLike | None) -> LossFunction:
    """The loss that was given; by default zero-one loss for classes, squared loss for numbers."""
    if which is not None:
        return loss(which)
    return loss("zero_one" if is_classifier(learner) else "squared")


def predictions(model: Any, X: Any, which: LossFunction | Metric) -> Any:
    """What a loss or a metric needs of a fitted model on rows."""
    method = answering_method(model, which)
    if method is None:
        name = which.words if isinstance(which, Metric) else metric_name(which)
        what = METHODS[which.needs][0]
        raise ParameterError(f"{type(model).__name__} has no {what}, which the {name} needs: take another loss")
    return getattr(model, method)(X)


def answering_method(model: Any, which: LossFunction | Metric) -> str | None:
    """The method of a model that gives what a loss or a metric needs; None if it has none."""
    return next((method for method in METHODS[which.needs] if hasattr(model, method)), None)


def empirical_loss(model: Any, X: Any, y: Any = None, loss: LossLike | None = None, sample_weight: Any = None) -> float:
    """Give the mean loss of a fitted model on rows; a table brings its own target and weights.

    >>> import novacula as nv
    >>> from novacula.bayes import NaiveBayes
    >>> table = nv.datasets.load("play_tennis")
    >>> model = NaiveBayes().fit(table)
    >>> print(f"{empirical_loss(model, table):.4f}, {empirical_loss(model, table, loss='log'):.4f}")
    0.0714, 0.3432
    """
    return rows_for(model, X, y, sample_weight).loss(model, loss_for(model, loss))
