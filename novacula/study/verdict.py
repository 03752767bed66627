"""The test: rows that nothing has looked at, the error on them with an interval, and whether it is a surprise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from novacula.evaluate.intervals import mean_interval, proportion_interval
from novacula.evaluate.loss import LossFunction
from novacula.evaluate.rows import Rows
from novacula.study.leaderboard import Entry, short


@dataclass(frozen=True)
class Verdict:
    """The error on the test rows, its 95% interval, and a sentence."""

    error: float
    low: float
    high: float
    n_rows: int
    sentence: str
    surprising: bool


def verdict(model: Any, rows: Rows, metric: LossFunction, entry: Entry) -> Verdict:
    """Measure a fitted model on the test rows, and compare with what cross-validation promised."""
    losses = rows.losses(model, metric)
    error = float(np.average(losses, weights=rows.weight))
    if metric.name == "zero_one" and rows.weight is None:
        low, high = proportion_interval(float(losses.sum()), len(losses))
    else:
        low, high = mean_interval(losses)
        low = max(low, 0.0)
    surprising = not low <= entry.error <= high
    words = f"On {len(losses):,} test rows that nothing had looked at, the error is {short(error)}"
    words += f" (95% interval {short(low)} to {short(high)})."
    if surprising:
        words += (
            f" Cross-validation promised {short(entry.error)}, which lies outside of that: the rows may differ, or the "
            "choice among many learners flattered it."
        )
    return Verdict(error, low, high, len(losses), words, surprising)
