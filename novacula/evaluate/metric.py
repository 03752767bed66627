"""Metrics: how well a model does on a set of rows, as one number that learners are compared by.

    error = the mean of a loss over the rows, or a measure of them together:
    rmse √(mean (y − ŷ)²)    r2 Σ (y − ŷ)² / Σ (y − ȳ)²    balanced 1 − mean recall    f1 1 − F1    auc 1 − area

Inside, every metric is an error: lower is better. Some are read as what is left to 1: accuracy, AUC, F1, R².
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np

from novacula.errors import DataError, ParameterError
from novacula.evaluate.confusion import confusion
from novacula.evaluate.intervals import Interval, mean_interval, proportion_interval
from novacula.evaluate.loss import LOSSES, Floats, Labels, LossFunction, LossLike, Needs, hits, loss, metric_name
from novacula.evaluate.roc import roc
from novacula.words import listed, quoted

MetricNeeds: TypeAlias = Needs | Literal["scores"]
MetricLike: TypeAlias = "Metric | LossLike"

RESAMPLES = 400
"""Samples of rows, drawn with replacement, from which the interval of a measure of them together is found."""
NORMAL_95 = 1.959964
"""Standard errors on either side of a mean that hold a normal variable with a probability of 95%."""


@dataclass(frozen=True)
class Metric:
    """An error of a set of rows, and how people call and read it.

    >>> measure = metric("accuracy")
    >>> error = measure.error(["a", "b", "b", "b"], ["a", "b", "b", "a"])
    >>> error, measure.words, measure.shown(error)
    (0.25, 'accuracy', 0.75)
    """

    name: str
    words: str  # what the number that people read is called
    loss: LossFunction  # of single rows: its mean is the error, or what comes nearest to it
    of: Callable[[Labels, Any, Labels, Floats], float] | None = None  # of truth, answers, classes and weights
    asks: MetricNeeds | None = None  # what `of` compares the truth with, if it is not what the loss does
    is_complement: bool = False  # people read 1 − error, where higher is better

    @property
    def needs(self) -> MetricNeeds:
        """What the truth is compared with; "scores" are probabilities or decision values."""
        return self.asks or self.loss.needs

    @property
    def direction(self) -> str:
        """Which way is better, of the number that people read."""
        return "higher is better" if self.is_complement else "lower is better"

    def shown(self, error: float) -> float:
        """The number that people read."""
        return 1.0 - error if self.is_complement else error

    def error(self, y: Any, answers: Any, classes: Any = None, weight: Any = None) -> float:
        """The error of answers for rows, by weight."""
        truth = np.asarray(y)
        if self.of is None:
            return float(np.average(self.loss(truth, answers, classes), weights=weight))
        w = np.ones(len(truth)) if weight is None else np.asarray(weight, np.float64)
        return self.of(truth, np.asarray(answers), np.unique(truth) if classes is None else np.asarray(classes), w)

    def interval(self, y: Any, answers: Any, classes: Any = None, weight: Any = None, seed: int = 0) -> Interval:
        """A 95% interval of the error on new rows like these."""
        if self.of is not None:
            return self._resampled(np.asarray(y), np.asarray(answers), classes, weight, seed)
        losses = self.loss(y, answers, classes)
        if weight is None and self.loss is LOSSES["zero_one"]:
            return proportion_interval(float(losses.sum()), len(losses))
        if weight is None:
            low, high = mean_interval(losses)
            return Interval(max(low, 0.0), high)
        share = np.asarray(weight) / np.sum(weight)
        mean = float(share @ losses)
        half = NORMAL_95 * float(np.sqrt(share**2 @ (losses - mean) ** 2))
        return Interval(max(mean - half, 0.0), mean + half)

    def _resampled(self, y: Labels, answers: Any, classes: Any, weight: Any, seed: int) -> Interval:
        """The middle 95% of the error over samples of the rows; those of one class, where there is no error, aside."""
        rng = np.random.default_rng(seed)
        errors = []
        for _ in range(RESAMPLES):
            rows = rng.integers(len(y), size=len(y))
            w = None if weight is None else np.asarray(weight)[rows]
            errors.append(self.error(y[rows], answers[rows], classes, w))
        known = np.array([error for error in errors if not math.isnan(error)])
        if not len(known):
            return Interval(0.0, math.inf)
        low, high = np.quantile(known, [0.025, 0.975])
        return Interval(float(low), float(high))


def _rmse(y: Labels, prediction: Any, _: Labels, weight: Floats) -> float:
    return math.sqrt(float(np.average(LOSSES["squared"](y, prediction), weights=weight)))


def _unexplained(y: Labels, prediction: Any, _: Labels, weight: Floats) -> float:
    """1 − R²; 0 where a target that does not vary is met, infinite where it is not."""
    residual = float(weight @ LOSSES["squared"](y, prediction))
    around = float(weight @ (y - np.average(y, weights=weight)) ** 2)
    return residual / around if around > 0.0 else (math.inf if residual > 0.0 else 0.0)


def _balanced(y: Labels, prediction: Any, _: Labels, weight: Floats) -> float:
    wrong = LOSSES["zero_one"](y, prediction)
    return float(np.mean([np.average(wrong[y == label], weights=weight[y == label]) for label in np.unique(y)]))


def _f1(y: Labels, prediction: Any, classes: Labels, weight: Floats, positive: Any = None) -> float:
    """1 − F1 of a class, by default the second of two; of more the mean over those with rows. 1 if none is found."""
    labels = np.unique(np.concatenate([np.unique(y), np.unique(classes), np.unique(prediction)]))
    scores = np.nan_to_num(confusion(y, prediction, labels, weight).f1)
    if positive is not None:
        return 1.0 - float(scores[hits(np.array([positive]), labels)[0]].sum())
    if len(labels) == 2:
        return 1.0 - float(scores[1])
    return 1.0 - float(scores[np.isin(labels, y)].mean())


def _outside(y: Labels, scores: Any, classes: Labels, weight: Floats) -> float:
    """1 − the area under the ROC curve; of more than two classes the mean of each against the rest; NaN of one."""
    present = np.unique(y)
    if len(present) < 2:
        return math.nan
    table = np.column_stack([-scores, scores]) if scores.ndim == 1 else scores
    areas = []
    for k, label in enumerate(classes.tolist()):
        mine = hits(y, np.array([label]))[:, 0]
        if mine.any() and not mine.all():
            areas.append(_area(mine, table[:, k], weight))
        if len(classes) == 2 and areas:
            break  # the other class has the same
    return 1.0 - float(np.mean(areas)) if areas else math.nan


def _area(mine: Any, score: Floats, weight: Floats) -> float:
    """How likely a row of the class has a higher score than another, ties halved, by weight."""
    if (weight == weight[0]).all():
        return float(roc(mine, score, positive=True).auc)
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(mine, score, sample_weight=weight))


_ZERO_ONE, _SQUARED = LOSSES["zero_one"], LOSSES["squared"]
METRICS = {
    one.name: one
    for one in (
        Metric("accuracy", "accuracy", _ZERO_ONE, is_complement=True),
        Metric("error_rate", "error rate", _ZERO_ONE),
        Metric("balanced", "balanced accuracy", _ZERO_ONE, _balanced, is_complement=True),
        Metric("f1", "F1", _ZERO_ONE, _f1, is_complement=True),
        Metric("auc", "AUC", LOSSES["log"], _outside, "scores", is_complement=True),
        Metric("log_loss", "log loss", LOSSES["log"]),
        Metric("brier", "Brier score", LOSSES["brier"]),
        Metric("hinge", "hinge loss", LOSSES["hinge"]),
        Metric("rmse", "root mean squared error", _SQUARED, _rmse),
        Metric("mae", "mean absolute error", LOSSES["absolute"]),
        Metric("mse", "mean squared error", _SQUARED),
        Metric("r2", "R²", _SQUARED, _unexplained, is_complement=True),
    )
}
USUAL = {"classification": "error_rate", "regression": "rmse"}
"""The metric of a study where none is named."""


def metric(which: MetricLike) -> Metric:
    """Give a metric by its name, or of a loss: the mean of that over the rows.

    >>> metric("rmse").error([1.0, 2.0], [1.0, 5.0]), metric("auc").direction
    (2.1213203435596424, 'higher is better')
    """
    if isinstance(which, Metric):
        return which
    if isinstance(which, str) and which in METRICS:
        return METRICS[which]
    try:
        row_loss = loss(which)
    except ParameterError as error:
        raise ParameterError(f"there is no metric {which!r}: take one of {listed(METRICS)}, or a loss") from error
    return next(
        (one for one in METRICS.values() if one.of is None and one.loss is row_loss and not one.is_complement),
        Metric(row_loss.name, metric_name(row_loss), row_loss),
    )


def of_rarer(measure: Metric, y: Any) -> Metric:
    """The metric for these classes: F1 of two is that of the rarer one, or of the second where both are as rare."""
    if measure is not METRICS["f1"] or len(np.unique(np.asarray(y))) != 2:
        return measure
    positive = rarer(y)
    return replace(measure, words=f"F1 of {quoted(positive)}", of=partial(_f1, positive=positive))


def rarer(y: Any) -> Any:
    """The rarer of two classes, which is usually what one looks for; the second where both are as rare.

    >>> rarer(["no", "yes", "no"]), rarer([1, 0, 1]), rarer(["a", "b"])
    ('yes', 0, 'b')
    """
    labels, count = np.unique(np.asarray(y), return_counts=True)
    return labels.tolist()[0 if count[0] < count[1] else 1]


def require_task(measure: Metric, task: str) -> None:
    """Refuse a metric of classes for numbers, and one of numbers for classes."""
    if (measure.needs == "numbers") != (task == "regression"):
        usual = [name for name, one in METRICS.items() if (one.needs == "numbers") == (task == "regression")]
        raise ParameterError(f"the {measure.words} is not a measure of {task}: take one of {listed(usual)}")


def require_classes(measure: Metric, classes: Any) -> None:
    """Refuse costs of other classes than those of the target."""
    known = getattr(measure.loss, "classes", None)
    if known is not None and (
        lacking := [label for label in np.asarray(classes).tolist() if label not in known.tolist()]
    ):
        raise DataError(f"the costs say nothing of the class {lacking[0]!r}: name it in the CostMatrix")
