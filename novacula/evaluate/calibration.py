"""Calibration: of the rows that were given a probability of 0.8, are 80% positive?

Rows go into bins by their predicted probability. With shares n_b/n, mean predictions p̄_b, observed shares ō_b and ō
the share of all, the Brier score (1/n) Σ (p − o)² is

    reliability Σ n_b/n (p̄_b − ō_b)²  −  resolution Σ n_b/n (ō_b − ō)²  +  uncertainty ō(1 − ō)  +  within

(Murphy 1973), where `within` is what predictions that differ within a bin add (Stephenson 2008); it is 0 if none do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from novacula.arguments import whole_number
from novacula.errors import DataError, ParameterError
from novacula.evaluate.derivation.classes import derive_calibration
from novacula.evaluate.intervals import proportion_interval
from novacula.evaluate.loss import Floats
from novacula.evaluate.printing import TabularResult
from novacula.evaluate.roc import unit_square
from novacula.evaluate.two_classes import sides
from novacula.learner.figure import COLOURS, INK, Figure, few_digits
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Work, WorkTable
from novacula.words import quoted, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Strategy: TypeAlias = Literal["quantile", "uniform"]


@dataclass(frozen=True, eq=False)
class Calibration(TabularResult):
    """b bins that have rows: the mean prediction, the share that came true, and the parts of the Brier score."""

    predicted: Floats  # (b,)
    observed: Floats  # (b,)
    count: Floats  # (b,)
    intervals: Floats  # (b, 2), Wilson's, of what comes true
    level: float
    positive: Any
    brier: float
    reliability: float
    resolution: float
    uncertainty: float
    within: float

    def _derive(self, options: WorkOptions) -> Work:
        return derive_calibration(self)

    def table(self) -> WorkTable:
        """The bins, and in the caption the Brier score and its parts."""
        columns = (self.predicted, self.observed, *self.intervals.T)
        rows = [(int(n), *map(float, cells)) for n, *cells in zip(self.count.tolist(), *columns, strict=True)]
        parts = ("reliability", "resolution", "uncertainty", "within")
        words = ", ".join(f"{part} {few_digits(getattr(self, part))}" for part in parts)
        header = ("rows", "predicted", "observed", "from", "to")
        return WorkTable(header, tuple(rows), f"Brier score {few_digits(self.brier)}, lower is better: {words}")

    def plot(self) -> Figure:
        """Observed shares over predicted ones, with their intervals; the diagonal is perfect calibration."""

        def draw(axes: Axes) -> None:
            axes.plot([0, 1], [0, 1], color=INK, linestyle=":", linewidth=1, label="perfect")
            axes.vlines(self.predicted, *self.intervals.T, color=COLOURS[0], linewidth=1.5)
            axes.plot(
                self.predicted, self.observed, "o-", color=COLOURS[0], markersize=5, label="observed", clip_on=False
            )
            unit_square(axes, "predicted probability", "observed share")
            axes.legend(loc="upper left")

        gap = int(np.argmax(np.abs(self.predicted - self.observed)))
        alt = (
            f"Observed share of {self.positive} over its predicted probability in {len(self.count)} bins, with "
            f"{few_digits(100 * self.level)}% intervals. The largest gap: predicted {few_digits(self.predicted[gap])}, "
            f"observed {few_digits(self.observed[gap])}. Brier score {few_digits(self.brier)}."
        )
        return Figure(draw, alt, f"Calibration, positive: {shortened(str(self.positive))}", (4.8, 4.6))


def calibration(
    y: Any,
    proba: Any,
    positive: Any = None,
    *,
    bins: int = 10,
    strategy: Strategy = "quantile",
    level: float = 0.95,
) -> Calibration:
    """Compare probabilities of the positive class with what came true, in bins of equal numbers or of equal width.

    >>> result = calibration([0, 0, 1, 0, 1, 1], [0.2, 0.2, 0.2, 0.7, 0.7, 0.7], bins=2)
    >>> result.predicted.round(3).tolist(), result.observed.round(3).tolist(), round(result.brier, 4)
    ([0.2, 0.7], [0.333, 0.667], 0.2317)
    """
    is_positive, probability, label = sides(y, proba, positive)
    if ((probability < 0) | (probability > 1)).any():
        row = int(np.argmax((probability < 0) | (probability > 1)))
        raise DataError(
            f"row {row + 1} has {probability[row]:g}, which is not a probability: give those of predict_proba"
        )
    code = _bin_of(probability, whole_number(bins, "bins", 1), strategy)
    n = np.bincount(code).astype(np.float64)
    predicted, observed = np.bincount(code, probability) / n, np.bincount(code, is_positive) / n
    rate, shares = float(is_positive.mean()), n / n.sum()
    reliability = float(shares @ (predicted - observed) ** 2)
    resolution = float(shares @ (observed - rate) ** 2)
    uncertainty = rate * (1.0 - rate)
    brier = float(np.mean((probability - is_positive) ** 2))
    spread = probability - predicted[code]
    within = float(np.mean(spread**2) - 2.0 * np.mean(spread * is_positive))
    positives = np.bincount(code, is_positive)
    limits = [proportion_interval(k, m, level) for k, m in zip(positives.tolist(), n.tolist(), strict=True)]
    return Calibration(
        predicted, observed, n, np.array(limits), level, label, brier, reliability, resolution, uncertainty, within
    )


def _bin_of(probability: Floats, bins: int, strategy: Strategy) -> Any:
    """The bin of each row, numbered without gaps; equal predictions share a bin."""
    if strategy == "uniform":
        edges = np.linspace(0, 1, bins + 1)[1:-1]
    elif strategy == "quantile":
        edges = np.quantile(probability, np.linspace(0, 1, bins + 1)[1:-1])
    else:
        raise ParameterError(f"strategy is {quoted(strategy)}; it must be 'quantile' or 'uniform'")
    return np.unique(np.searchsorted(edges, probability, side="right"), return_inverse=True)[1]
