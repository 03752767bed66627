"""One cell of a study: a learner of one size, fitted on all folds but one, measured on that one.

A cell is a job for any worker: it takes the question and names, and gives numbers. An error inside it becomes a
sentence, so that a learner that fails costs its own row and no more. What it learns from is what a file of those rows
would hold: categories that stand in the held-out rows alone are not known.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from novacula.errors import UnseenCategoryWarning
from novacula.evaluate.rows import SupervisedRows
from novacula.learner.parameter_count import n_parameters
from novacula.study.question import Question, subsample

TRAINING_ROWS = 10_000
"""Rows from which the training error is measured, of more drawn at random in each fold."""
FEW, FEW_ROWS = 3, 50
"""Columns of each kind, and rows, that are enough to load what a learner needs."""
FIXED_ROWS = 100
"""Rows that a learner is tried on to see what it takes whatever the number of rows."""


@dataclass(frozen=True)
class Job:
    """Which learner, with which size (None: as it comes), on which fold, from how many of its rows (None: all)."""

    learner: str
    size: Any
    fold: int
    rows: int | None = None


@dataclass(frozen=True)
class Measurement:
    """What was measured in a job; `failure` says why nothing was."""

    train_error: float = np.nan
    error: float = np.nan
    n_parameters: float = np.nan
    fit_seconds: float = np.nan
    seconds: float = np.nan  # in all: to fit, and to predict held-out and training rows
    failure: str = ""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class TrialRun:
    """A learner on few rows of the first fold: what each size takes and how it errs, and what a fit takes at least."""

    rows: int
    fixed_seconds: float
    sizes: Mapping[int, Measurement]  # by their places


_loaded: set[str] = set()
"""Learners that were fitted in this process."""


def run(question: Question, job: Job) -> Measurement:
    """Fit and measure; a learner that is given fewer rows is measured on no more, since answers take time as well."""
    _load(question, job)
    pair = (question.train.take(places) for places in question.folds.pairs[job.fold])
    return _measure(question, job, *(subsample(rows, job.rows, question.seed + job.fold) for rows in pair))


def _load(question: Question, job: Job) -> None:
    """Fit a learner to a few cells, if this process has not done so yet: it loads kernels, which is not to be timed."""
    if job.learner in _loaded:
        return
    _loaded.add(job.learner)
    kinds = ("numeric", "categorical", "text", "sparse")
    layout = question.table.layout
    names = [column.name for kind in kinds for column in layout.of_kind(kind)[:FEW]]  # type: ignore[arg-type]
    few = subsample(question.train, FEW_ROWS, question.seed)
    rows = replace(few, X=few.X.select(names))
    _measure(question, job, rows, rows)


def try_sizes(question: Question, learner: str, sizes: Mapping[int, Any], rows: int, seconds: float) -> TrialRun:
    """Fit and measure sizes, by their places, on some rows of the first fold; none is begun after so many seconds."""
    started = time.perf_counter()
    train, held_out = question.folds.pairs[0]
    every, others = question.train.take(train), subsample(question.train.take(held_out), rows, question.seed)
    few, part = (subsample(every, n, question.seed) for n in (FIXED_ROWS, rows))
    smallest = Job(learner, next(iter(sizes.values())), 0, FIXED_ROWS)
    _load(question, smallest)
    fixed = _measure(question, smallest, few, few).seconds
    tried: dict[int, Measurement] = {}
    for k, size in sizes.items():
        if tried and time.perf_counter() - started > seconds:
            break
        tried[k] = _measure(question, Job(learner, size, 0, rows), part, others)
    return TrialRun(rows, fixed, tried)


def _measure(question: Question, job: Job, train: SupervisedRows, held_out: SupervisedRows) -> Measurement:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", UnseenCategoryWarning)  # one finding of the study speaks of all learners
        try:
            return _fit_and_measure(question, job, train, held_out, caught)
        except MemoryError:
            return Measurement(failure="it ran out of memory")
        except Exception as error:  # an error of a learner is one row of the leaderboard, not the end of the study
            return Measurement(failure=message_line(error))


def _fit_and_measure(
    question: Question, job: Job, train: SupervisedRows, held_out: SupervisedRows, caught: list[Any]
) -> Measurement:
    started = time.perf_counter()
    model = question.fit(job.learner, job.size, train)
    fitted = time.perf_counter()
    error = held_out.error(model, question.metric)
    trained = subsample(train, TRAINING_ROWS, question.seed + job.fold).error(model, question.metric)
    if np.isnan(error):
        return Measurement(failure=f"the {question.metric.words} of a fold of one class is not defined")
    sentences = dict.fromkeys(message_line(warning.message) for warning in caught)
    seconds = time.perf_counter() - started
    return Measurement(trained, error, float(n_parameters(model)), fitted - started, seconds, warnings=tuple(sentences))


def message_line(error: BaseException | Any) -> str:
    """The message of an error or a warning, as one line that is not too long."""
    words = " ".join(str(error).split()) or type(error).__name__
    return words if len(words) <= 300 else f"{words[:299]}…"
