"""A study as the sections read it: who finished, who is the baseline, what the chosen model predicts, and the time."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import cached_property
from typing import Any

import numpy as np

from novacula.evaluate.loss import LOSSES, Floats, LossFunction
from novacula.evaluate.metric import rarer
from novacula.evaluate.rows import SupervisedRows
from novacula.explain import Importance
from novacula.learner.card import Card
from novacula.report.mattering import measure_importance
from novacula.study import Study
from novacula.study.answers import Answers
from novacula.study.candidates import BASELINES
from novacula.study.cell import message_line
from novacula.study.leaderboard import Entry
from novacula.study.question import Question, subsample
from novacula.table.interruption import Interruption
from novacula.table.time_limit import TimeLimitError, time_limit

PATIENCE = 60.0
"""Seconds that predictions for the training rows may take; beyond, only the test rows are used."""
ENOUGH = 20
"""Test rows from which more than their error is reported."""
TESTED = 100
"""Test rows from which the chosen model is seen into; of fewer, other rows would say other things."""
SLACK, SHORTEST = 2.0, 0.5
"""By how much a part may take longer than it should at most, and seconds that any may take."""
LEAST = 2.0
"""Seconds that a report may take in any case, so that what is made in no time is not left out."""
MARGIN = 1.0
"""Seconds that are kept for what is written in any case: tables, and the figures of what was measured."""
TRIED = 200
"""Rows by which the time of a prediction is measured."""


class Reading:
    """The study, and what several sections need of it.

    `seconds` is about how long the report may take; None: what is left of the study's budget.
    """

    def __init__(self, study: Study, seconds: float | None = None) -> None:
        self.study = study
        allowed = study.clock.left if seconds is None else seconds
        self.deadline = time.monotonic() + max(allowed, LEAST)
        self.interruption = Interruption()

    # --- time ---------------------------------------------------------------------------------------------------

    @property
    def left(self) -> float:
        """Seconds that are left for parts that take long."""
        return 0.0 if self.interruption.happened else max(self.deadline - time.monotonic() - MARGIN, 0.0)

    def allows(self, seconds: float, most: float) -> bool:
        """Whether a part that takes about so many seconds is made: it fits into what is left, and is at most `most`."""
        return seconds <= min(most, self.left)

    def limited(self, most: float) -> AbstractContextManager[None]:
        """Ends with a `TimeLimitError` what takes longer than estimated: than what is left, or than twice `most`."""
        return time_limit(max(min(SLACK * most, self.left), SHORTEST))

    def too_long(self, seconds: float, most: float) -> str:
        """Why a part is not made, as the end of a sentence."""
        if self.interruption.happened:
            return "not made: interrupted"
        if seconds > most:
            return f"left out, since it would take about {_seconds(seconds)} s"
        return f"left out, since it would take about {_seconds(seconds)} s, which the time for the study did not allow"

    # --- the study ------------------------------------------------------------------------------------------------

    @property
    def question(self) -> Question:
        """What was asked."""
        return self.study.question

    @property
    def chosen(self) -> Entry:
        """The entry that was taken."""
        return self.study.choice.entry

    @property
    def card(self) -> Card:
        """The card of the chosen learner."""
        return self.question.card(self.chosen.learner)

    @property
    def measure(self) -> str:
        """What learners were compared by, in words."""
        return self.question.metric.words

    @property
    def row_loss(self) -> LossFunction:
        """The loss of single rows by which parts of the page measure: of errors their size, in the target's unit."""
        own = self.question.metric
        return LOSSES["absolute"] if own.loss is LOSSES["squared"] and own.name != "mse" else own.loss

    @property
    def measure_with_direction(self) -> str:
        """What an axis of it is called."""
        return f"{self.measure} ({self.question.metric.direction})"

    def shown(self, errors: Any) -> Any:
        """What people read of errors."""
        return self.question.metric.shown(errors)

    @cached_property
    def finished(self) -> list[Entry]:
        """Entries with an error, the least first."""
        return [entry for entry in self.study.leaderboard if entry.status == "finished"]

    @cached_property
    def baseline(self) -> Entry | None:
        """The entry that uses no column."""
        return next((one for one in self.finished if one.learner == BASELINES[self.question.task]), None)

    @property
    def blind(self) -> bool:
        """Whether the chosen learner uses no column."""
        return self.chosen is self.baseline

    @property
    def model(self) -> Any:
        """The chosen model, fitted without the test rows."""
        return self.study.best_ if self.study.tested_model is None else self.study.tested_model

    @property
    def disappoints(self) -> bool:
        """Whether the test error is worse than cross-validation promised, by more than chance would explain."""
        test = self.study.test
        return test is not None and test.surprising and test.error > self.chosen.error

    def seconds(self, entry: Entry, n_rows: int) -> float:
        """About how long a fit of an entry takes on n_rows."""
        measured = entry.rows or self.question.extent.n_rows
        exponent = self.question.card(entry.learner).cost_exponents.get("n", 1.0)
        return float(entry.fit_seconds * (n_rows / measured) ** exponent)

    # --- answers for rows that were not seen ------------------------------------------------------------------------

    @property
    def seconds_out_of_fold(self) -> float:
        """About how long it takes to predict the training rows fold by fold."""
        if "out_of_fold" in vars(self.study):
            return 0.0
        return self.seconds(self.chosen, self.question.extent.n_rows) * len(self.question.folds)

    @cached_property
    def out_of_fold(self) -> Answers | None:
        """Answers for the training rows, each by a model that has not seen it; None where it would take too long."""
        if not self.allows(self.seconds_out_of_fold, PATIENCE):
            return None
        try:
            with self.limited(PATIENCE):
                return self.study.out_of_fold
        except TimeLimitError:
            return None

    @cached_property
    def tested(self) -> Answers | None:
        """Answers for the test rows; None where there are too few to report more than their error."""
        rows: SupervisedRows | None = self.question.test
        return self.study.on_test if rows is not None and len(rows) >= ENOUGH else None

    @property
    def answers(self) -> Answers | None:
        """The answers to be drawn."""
        return self.out_of_fold or self.tested

    @cached_property
    def score(self) -> tuple[Answers, Floats, Any] | None:
        """For two classes: answers, how much speaks for the rarer class of the training rows, and which that is."""
        answers = self.answers
        if self.blind or answers is None or answers.classes is None or len(answers.classes) != 2:
            return None
        positive = rarer(self.question.train.y)
        scores = answers.scores(answers.classes.tolist().index(positive))
        return None if scores is None or len(np.unique(answers.y)) != 2 else (answers, scores, positive)

    # --- rows that the chosen model is asked about ------------------------------------------------------------------

    @cached_property
    def asked(self) -> tuple[SupervisedRows, str]:
        """The rows that the model is asked about where it is seen into, and which they are."""
        test = self.question.test
        if test is not None and len(test) >= TESTED:
            return test, "test rows"
        return self.question.train, "training rows, which the model has seen"

    @cached_property
    def matters(self) -> Importance | str:
        """The importance of the columns, or why it was not measured."""
        try:
            return measure_importance(self)
        except Exception as error:  # a learner may raise anything, and the rest of the first screen is not lost by that
            return f"What the model looks at could not be measured: {message_line(error)}."

    @cached_property
    def seconds_per_row(self) -> float:
        """How long a prediction takes."""
        rows, _ = self.asked
        few = subsample(rows, TRIED, 0).X
        self.model.predict(few)  # what is compiled or loaded at the first call is not counted
        return _timed(lambda: self.model.predict(few)) / min(TRIED, len(rows))


def _timed(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def _seconds(seconds: float) -> str:
    return f"{seconds:,.0f}" if seconds >= 1.5 else "1" if seconds >= 0.5 else f"{seconds:.1f}"
