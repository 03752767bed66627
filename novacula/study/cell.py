"""One cell of a study: a learner of one size, fitted on all folds but one, measured on that one.

A cell is a job for any worker: it takes the question and names, and gives numbers. An error inside it becomes a
sentence, so that a learner that fails costs its own row and no more.
"""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from novacula.evaluate.rows import SupervisedRows
from novacula.learner.parameter_count import n_parameters
from novacula.learner.registry import find
from novacula.study.question import Question, Task, subsample

PROBE_ROWS = 1000
"""Rows of a trial run, from which the time for more rows is estimated."""


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
    predict_seconds: float = np.nan
    failure: str = ""
    warnings: tuple[str, ...] = ()

    @property
    def seconds(self) -> float:
        """Time in all."""
        return self.fit_seconds + self.predict_seconds


def build(learner: str, size: Any, task: Task, seed: int) -> Any:
    """The learner of this size behind its preparation."""
    from novacula.prepare import PreparedClassifier, PreparedRegressor

    kind = find(learner)
    model: Any = kind(**kind.card.study_settings)
    if size is not None:
        model.set_params(**{str(kind.card.size): size})
    if "random_state" in model.get_params():
        model.set_params(random_state=seed)
    return PreparedClassifier(model) if task == "classification" else PreparedRegressor(model)


def run(question: Question, job: Job) -> Measurement:
    """Fit and measure."""
    train, held_out = question.folds.pairs[job.fold]
    return _measure(question, job, question.train.take(train), question.train.take(held_out))


def probe(question: Question, job: Job) -> tuple[Measurement, Measurement]:
    """The same on few rows and on a quarter of these, to see how long it takes and how that grows."""
    train, held_out = question.folds.pairs[job.fold]
    rows = subsample(question.train.take(train), PROBE_ROWS, question.seed)
    others = subsample(question.train.take(held_out), PROBE_ROWS, question.seed)
    quarter = subsample(rows, PROBE_ROWS // 4, question.seed)
    _measure(question, job, quarter, others)  # the first call loads kernels, which is not part of the growth
    return _measure(question, job, quarter, others), _measure(question, job, rows, others)


def _measure(question: Question, job: Job, train: SupervisedRows, held_out: SupervisedRows) -> Measurement:
    train = subsample(train, job.rows, question.seed + job.fold)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
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
    model = train.fit(build(job.learner, job.size, question.task, question.seed))
    fitted = time.perf_counter()
    error = held_out.loss(model, question.metric)
    measured = time.perf_counter()
    # As many training rows as were held out give the training error well enough.
    trained = subsample(train, max(len(held_out), 100), question.seed).loss(model, question.metric)
    sentences = dict.fromkeys(message_line(warning.message) for warning in caught)
    return Measurement(
        trained, error, float(n_parameters(model)), fitted - started, measured - fitted, warnings=tuple(sentences)
    )


def message_line(error: BaseException | Any) -> str:
    """The message of an error or a warning, as one line that is not too long."""
    words = " ".join(str(error).split()) or type(error).__name__
    return words if len(words) <= 300 else f"{words[:299]}…"
