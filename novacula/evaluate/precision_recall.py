"""Precision over recall: the share of rows called positive that are positive, over the share of positives found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.evaluate.derivation.classes import derive_precision_recall
from novacula.evaluate.loss import Floats
from novacula.evaluate.printing import TabularResult
from novacula.evaluate.roc import unit_square
from novacula.evaluate.two_classes import sides
from novacula.learner.figure import COLOURS, INK, Figure, few_digits
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Work, WorkTable
from novacula.words import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False)
class PrecisionRecall(TabularResult):
    """The curve from calling everything positive to calling nothing so, where precision is 1 by convention."""

    precision: Floats  # (t + 1,)
    recall: Floats  # (t + 1,), falling
    thresholds: Floats  # (t,), rising
    average_precision: float  # Σ (Rᵢ − Rᵢ₊₁)·Pᵢ
    positive: Any
    prevalence: float

    def f1(self) -> Floats:
        """The harmonic mean of precision and recall at each threshold (t,)."""
        total = self.precision[:-1] + self.recall[:-1]
        product = 2 * self.precision[:-1] * self.recall[:-1]
        return np.divide(product, total, out=np.zeros_like(total), where=total > 0)

    def _derive(self, options: WorkOptions) -> Work:
        return derive_precision_recall(self)

    def table(self) -> WorkTable:
        """The average precision, with the share of positives, which is that of a score that says nothing."""
        row = (str(self.positive), self.prevalence, self.average_precision)
        return WorkTable(("positive", "share of rows", "average precision"), (row,))

    def plot(self) -> Figure:
        """The curve, and the level of a score that says nothing."""
        area = f"average precision {few_digits(self.average_precision)}"

        def draw(axes: Axes) -> None:
            axes.axhline(self.prevalence, color=INK, linestyle=":", linewidth=1, label="chance")
            axes.plot(self.recall, self.precision, color=COLOURS[0], drawstyle="steps-post", label=area, clip_on=False)
            unit_square(axes, "recall", "precision")
            axes.legend(loc="best")

        level = few_digits(self.prevalence)
        alt = f"Precision over recall of {self.positive} against the rest: {area}, chance is {level}."
        return Figure(draw, alt, f"Precision and recall, positive: {shortened(str(self.positive))}", (4.8, 4.6))


def precision_recall(y: Any, score: Any, positive: Any = None) -> PrecisionRecall:
    """Give the curve of a score; classes are named as in `roc`.

    >>> curve = precision_recall([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> curve.precision.round(3).tolist(), curve.recall.tolist(), round(curve.average_precision, 4)
    ([0.5, 0.667, 0.5, 1.0, 1.0], [1.0, 1.0, 0.5, 0.5, 0.0], 0.8333)
    """
    from sklearn.metrics import precision_recall_curve

    is_positive, scores, label = sides(y, score, positive)
    precision, recall, thresholds = precision_recall_curve(is_positive, scores)
    area = float(-np.diff(recall) @ precision[:-1])
    return PrecisionRecall(precision, recall, thresholds, area, label, float(is_positive.mean()))
