"""The receiver operating characteristic: the share of the positives that is found, over the share of false alarms.

The area under it is the probability that a positive row has a higher score than a negative one, ties halved. Its
variance is DeLong's (1988), from the share of the other side that each row is above:

    V(A) = s²(V₁₀)/m + s²(V₀₁)/n,      V₁₀(xᵢ) = share of negatives below xᵢ,      V₀₁(yⱼ) = share of positives above yⱼ
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from novacula.arguments import proportion
from novacula.errors import ParameterError
from novacula.evaluate.derivation.classes import derive_roc
from novacula.evaluate.intervals import Interval
from novacula.evaluate.loss import Floats
from novacula.evaluate.printing import TabularResult
from novacula.evaluate.two_classes import sides
from novacula.learner.figure import COLOURS, INK, Figure, few_digits, literal
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Work, WorkTable
from novacula.words import quoted, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

AucMethod: TypeAlias = Literal["logit", "plain"]


class OperatingPoint(NamedTuple):
    """Where to cut: rows whose score is at least `threshold` are called positive, at `cost` per row on average."""

    threshold: float
    fpr: float
    tpr: float
    cost: float


@dataclass(frozen=True, eq=False)
class RocCurve(TabularResult):
    """The curve from (0, 0), where nothing is called positive, to (1, 1), where everything is."""

    fpr: Floats  # rising
    tpr: Floats  # rising
    thresholds: Floats  # falling, the first is ∞
    auc: float
    auc_standard_error: float  # DeLong's; NaN where a side has one row
    positive: Any
    n_positive: int
    n_negative: int
    true_positives: Floats  # rows of the positive class that are called so at each threshold
    false_positives: Floats  # others that are called so

    def interval(self, level: float = 0.95, method: AucMethod = "logit") -> Interval:
        """DeLong's interval of the area, on the logit scale, where it stays between 0 and 1, or plain.

        An area of 0 or 1 has no variance. Then the bound is that of the smaller side's pairs, each in order with the
        probability A: A^min(m, n) = α/2.
        """
        if method not in ("logit", "plain"):
            raise ParameterError(f"method is {quoted(method)}; it must be 'logit' or 'plain'")
        alpha = 1.0 - float(proportion(level, "level"))
        if math.isnan(self.auc_standard_error):
            return Interval(0.0, 1.0)
        if self.auc in (0.0, 1.0):
            bound = (alpha / 2) ** (1 / min(self.n_positive, self.n_negative))
            return Interval(bound, 1.0) if self.auc == 1.0 else Interval(0.0, 1.0 - bound)
        from scipy.special import expit, logit, ndtri

        half = float(ndtri(1.0 - alpha / 2)) * self.auc_standard_error
        if method == "plain":
            return Interval(max(self.auc - half, 0.0), min(self.auc + half, 1.0))
        centre, half = float(logit(self.auc)), half / (self.auc * (1.0 - self.auc))
        return Interval(float(expit(centre - half)), float(expit(centre + half)))

    def operating_point(self, cost_fp: float, cost_fn: float, prevalence: float | None = None) -> OperatingPoint:
        """The cut with the least expected cost; ties go to the one that calls the fewest rows positive.

        `prevalence` is the share of positives where the model will be used; without it, their share in these rows.

        >>> curve = roc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
        >>> curve.operating_point(1, 1).threshold, curve.operating_point(1, 5).threshold
        (0.8, 0.35)
        """
        if not (cost_fp >= 0 and cost_fn >= 0 and 0 < cost_fp + cost_fn < math.inf):
            raise ParameterError(
                f"costs of {quoted(cost_fp)} and {quoted(cost_fn)} are negative, infinite or both zero"
            )
        pi = self.n_positive / (self.n_positive + self.n_negative) if prevalence is None else prevalence
        if not 0 <= pi <= 1:
            raise ParameterError(f"prevalence is {quoted(prevalence)}; it must be a share between 0 and 1")
        cost = cost_fp * (1.0 - pi) * self.fpr + cost_fn * pi * (1.0 - self.tpr)
        i = int(np.argmin(cost))
        return OperatingPoint(*(float(values[i]) for values in (self.thresholds, self.fpr, self.tpr, cost)))

    def _derive(self, options: WorkOptions) -> Work:
        return derive_roc(self, options)

    def table(self) -> WorkTable:
        """The area and its interval."""
        low, high = self.interval()
        row = (str(self.positive), self.n_positive, self.n_negative, self.auc, low, high)
        return WorkTable(("positive", "rows of it", "others", "AUC", "95% from", "to"), (row,))

    def plot(self) -> Figure:
        """The curve, and the diagonal of scores that say nothing."""
        low, high = self.interval()
        area = f"AUC {few_digits(self.auc)} ({few_digits(low)} to {few_digits(high)})"

        def draw(axes: Axes) -> None:
            axes.plot([0, 1], [0, 1], color=INK, linestyle=":", linewidth=1, label="chance")
            axes.plot(self.fpr, self.tpr, color=COLOURS[0], label=area, clip_on=False)
            unit_square(axes, "false positive rate", "true positive rate")
            axes.legend(loc="lower right")

        alt = f"ROC curve of {self.positive} against the rest: {area}, 95% interval by DeLong, chance is 0.5."
        return Figure(draw, alt, f"ROC, positive: {shortened(str(self.positive))}", (4.8, 4.6))


def roc(y: Any, score: Any, positive: Any = None) -> RocCurve:
    """Give the curve of a score, which is higher for rows that are more likely of the positive class.

    With two classes the second in order is positive unless another is named; with more, the named one against the rest.

    >>> curve = roc(["no", "no", "yes", "yes"], [0.1, 0.4, 0.35, 0.8])
    >>> curve.auc, curve.fpr.tolist(), curve.tpr.tolist()
    (0.75, [0.0, 0.0, 0.5, 0.5, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0])
    """
    from sklearn.metrics import roc_curve

    is_positive, scores, label = sides(y, score, positive)
    area, spread = delong(scores[is_positive], scores[~is_positive])
    n = int(is_positive.sum())
    fpr, tpr, thresholds = roc_curve(is_positive, scores)
    called = [np.sort(scores[side]) for side in (is_positive, ~is_positive)]
    counts = [(len(part) - np.searchsorted(part, thresholds)).astype(np.float64) for part in called]
    return RocCurve(fpr, tpr, thresholds, area, spread, label, n, len(is_positive) - n, *counts)


def delong(positives: Floats, negatives: Floats) -> tuple[float, float]:
    """The area and its standard error, from midranks (Sun and Xu 2014); NaN where a side has one row."""
    m, n = len(positives), len(negatives)
    both = midranks(np.concatenate([positives, negatives]))
    above = (both[:m] - midranks(positives)) / n  # V₁₀, the share of negatives below each positive
    below = 1.0 - (both[m:] - midranks(negatives)) / m  # V₀₁
    area = float(above.mean())
    if min(m, n) == 1:
        return area, math.nan
    return area, math.sqrt(above.var(ddof=1) / m + below.var(ddof=1) / n)


def midranks(values: npt.NDArray[np.float64]) -> Floats:
    """Ranks from 1 on; equal values share the mean of theirs."""
    group, count = np.unique(values, return_inverse=True, return_counts=True)[1:]
    return np.asarray((np.cumsum(count) - (count - 1) / 2)[group])


def unit_square(axes: Axes, xlabel: str, ylabel: str) -> None:
    """Axes from 0 to 1 with equal units."""
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)
    axes.set_aspect("equal")
    axes.set_xlabel(literal(xlabel))
    axes.set_ylabel(literal(ylabel))
    axes.grid()
