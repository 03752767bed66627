"""The test: rows that no learner has seen, the error on them with an interval, and whether it is a surprise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from novacula.evaluate.intervals import mean_interval, proportion_interval
from novacula.evaluate.loss import Floats, LossFunction, metric_name
from novacula.evaluate.rows import SupervisedRows
from novacula.study.leaderboard import Entry, short

NORMAL_95 = 1.959964
"""Standard errors on either side of a mean that hold a normal variable with a probability of 95%."""


@dataclass(frozen=True)
class Verdict:
    """The error on the test rows, its 95% interval, and a sentence."""

    error: float
    low: float
    high: float
    n_rows: int
    sentence: str
    surprising: bool


def verdict(model: Any, rows: SupervisedRows, metric: LossFunction, entry: Entry) -> Verdict:
    """Measure a fitted model on the test rows, and compare with what cross-validation promised."""
    losses = rows.losses(model, metric)
    error = float(np.average(losses, weights=rows.weight))
    low, high = _interval(losses, rows.weight, metric)
    surprising = not low <= entry.error <= high
    words = f"On {len(losses):,} test rows that no learner had seen, the {metric_name(metric)} is {short(error)}"
    words += f" (95% interval {short(low)} to {short(high)})."
    if surprising:
        words += (
            f" Cross-validation promised {short(entry.error)}, which is outside that interval: the test rows may "
            "differ, or choosing among many learners made the promise too good."
        )
    return Verdict(error, low, high, len(losses), words, surprising)


def _interval(losses: Floats, weight: Floats | None, metric: LossFunction) -> tuple[float, float]:
    """A 95% interval of the error; a loss is never below 0."""
    if weight is None and metric.name == "zero_one":
        return proportion_interval(float(losses.sum()), len(losses))
    if weight is None:
        low, high = mean_interval(losses)
        return max(low, 0.0), high
    share = weight / weight.sum()
    mean = float(share @ losses)
    half = NORMAL_95 * float(np.sqrt(share**2 @ (losses - mean) ** 2))
    return max(mean - half, 0.0), mean + half
