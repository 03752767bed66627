"""One cell of a study: a learner of one size, fitted on all folds but one, measured on that one.

A cell is a job for any worker: it takes the question and names, and gives numbers. What goes wrong inside is told in a
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

PROBED = 1000
"""Rows of a trial run, from which the time for more is reckoned."""


@dataclass(frozen=True)
class Job:
    """Which learner, with which size (None: as it comes), on which fold, from how many of its rows (None: all)."""

    learner: str
    size: Any
    fold: int
    rows: int | None = None


@dataclass(frozen=True)
class Measurement:
    """What came of a job; `failure` says why nothing did."""

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
    train, held = question.folds.pairs[job.fold]
    return _measured(question, job, question.train.take(train), question.train.take(held))


def probe(question: Question, job: Job) -> tuple[Measurement, Measurement]:
    """The same on a quarter of few rows and on few rows, to see how long it takes and how that grows."""
    train, held = question.folds.pairs[job.fold]
    rows = subsample(question.train.take(train), PROBED, question.seed)
    shown = subsample(question.train.take(held), PROBED, question.seed)
    quarter = subsample(rows, PROBED // 4, question.seed)
    _measured(question, job, quarter, shown)  # the first call loads kernels, which is no part of the growth
    return _measured(question, job, quarter, shown), _measured(question, job, rows, shown)


def _measured(question: Question, job: Job, train: SupervisedRows, held: SupervisedRows) -> Measurement:
    train = subsample(train, job.rows, question.seed + job.fold)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            return _fit_and_measure(question, job, train, held, caught)
        except MemoryError:
            return Measurement(failure="it ran out of memory")
        except Exception as error:  # whatever a learner raises is one row of the leaderboard, not the end of the study
            return Measurement(failure=told(error))


def _fit_and_measure(
    question: Question, job: Job, train: SupervisedRows, held: SupervisedRows, caught: list[Any]
) -> Measurement:
    started = time.perf_counter()
    model = train.fit(build(job.learner, job.size, question.task, question.seed))
    fitted = time.perf_counter()
    error = held.loss(model, question.metric)
    measured = time.perf_counter()
    # As many training rows as were held out tell the training error well enough.
    trained = subsample(train, max(len(held), 100), question.seed).loss(model, question.metric)
    sentences = dict.fromkeys(told(warning.message) for warning in caught)
    return Measurement(
        trained, error, float(n_parameters(model)), fitted - started, measured - fitted, warnings=tuple(sentences)
    )


def told(error: BaseException | Any) -> str:
    """What an error or a warning says, as one line that is not too long."""
    words = " ".join(str(error).split()) or type(error).__name__
    return words if len(words) <= 300 else f"{words[:299]}…"
