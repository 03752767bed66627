"""The test: rows that no learner has seen, the error on them with an interval, and whether it is a surprise."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

from novacula.errors import UnseenCategoryWarning
from novacula.evaluate.rows import predictions
from novacula.study.finding import Finding
from novacula.study.leaderboard import Entry, short, with_interval, with_spread
from novacula.study.question import Question


@dataclass(frozen=True)
class Verdict:
    """The error on the test rows, its 95% interval, and a sentence."""

    error: float
    low: float
    high: float
    n_rows: int
    sentence: str
    surprising: bool
    coverage: float | None = None  # the share of rows inside the prediction interval, where there is one


def distance_words(distance: float) -> str:
    """How far something is from a prediction.

    >>> distance_words(-164675.2), distance_words(0.25)
    ('164,675 below', '0.25 above')
    """
    return f"{short(abs(distance))} {'below' if distance < 0 else 'above'}"


def verdict(model: Any, question: Question, entry: Entry) -> tuple[Verdict, tuple[Finding, ...]]:
    """Measure a fitted model on the test rows, compare with what cross-validation promised, and what it met there."""
    rows, metric = question.test, question.metric
    assert rows is not None  # noqa: S101  (without test rows nobody asks)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UnseenCategoryWarning)
        answers, classes = predictions(model, rows.X, metric), getattr(model, "classes_", None)
    sentences = dict.fromkeys(str(one.message) for one in caught)
    met = tuple(Finding("unseen", f"Test rows: {sentence}.") for sentence in sentences)
    error = metric.error(rows.y, answers, classes, rows.weight)
    low, high = metric.interval(rows.y, answers, classes, rows.weight)
    surprising = not low <= entry.error <= high
    ends = sorted(metric.shown(end) for end in (low, high))
    words = (
        f"On {len(rows):,} test rows that no learner had seen, the {metric.words} is "
        f"{with_interval(metric.shown(error), *ends).replace('(', '(95% interval ')}."
    )
    if surprising:
        words += f" Cross-validation promised {with_spread(entry, metric)}, which is outside that interval: "
        words += (
            "the test rows may differ, or choosing among many learners made the promise too good."
            if error > entry.error
            else "the test rows may be easier, by chance or since they differ, and in the folds it had fewer rows to "
            "learn from."
        )
    interval, covered = getattr(model, "interval_", None), None
    if interval is not None:
        covered = interval.coverage(rows.y, model.predict(rows.X))
        words += (
            f" Of these rows {covered:.0%} are from {distance_words(interval.below)} to "
            f"{distance_words(interval.above)} their prediction, where {interval.level:.0%} are expected."
        )
    return Verdict(error, low, high, len(rows), words, surprising, covered), met
