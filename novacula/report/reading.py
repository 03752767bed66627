"""A study as the sections read it: who finished, who is the baseline, and what the chosen model predicts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from novacula.evaluate.loss import Floats, metric_name
from novacula.evaluate.rows import SupervisedRows
from novacula.learner.card import Card
from novacula.learner.registry import find
from novacula.study import Study
from novacula.study.candidates import BASELINES
from novacula.study.leaderboard import Entry
from novacula.study.question import Question

PATIENCE = 60.0
"""Seconds that predictions for the training rows may take; beyond, only the test rows are used."""
ENOUGH = 20
"""Test rows from which more than their error is reported."""


@dataclass(frozen=True, eq=False)
class Answers:
    """Predictions for rows by models that have not seen them."""

    rows: str  # which rows, in words
    y: Any
    prediction: Any
    probability: Floats | None  # (n, K)
    classes: Any
    weight: Floats | None

    def __len__(self) -> int:
        return len(self.y)


class Reading:
    """The study, and what several sections need of it."""

    def __init__(self, study: Study) -> None:
        self.study = study

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
        return find(self.chosen.learner).card

    @property
    def measure(self) -> str:
        """What the error is, in words."""
        return metric_name(self.question.metric)

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

    def seconds(self, entry: Entry, n_rows: int) -> float:
        """About how long a fit of an entry takes on n_rows."""
        measured = entry.rows or self.question.extent.n_rows
        exponent = find(entry.learner).card.cost_exponents.get("n", 1.0)
        return float(entry.fit_seconds * (n_rows / measured) ** exponent)

    @cached_property
    def out_of_fold(self) -> Answers | None:
        """Answers for the training rows, each by a model that has not seen it; None where it would take too long."""
        question = self.question
        if self.seconds(self.chosen, question.extent.n_rows) * len(question.folds) > PATIENCE:
            return None
        own = self.study.out_of_fold
        rows = "training rows, out of fold"
        return Answers(rows, own.y, own.prediction, own.probability, own.classes, question.train.weight)

    @cached_property
    def tested(self) -> Answers | None:
        """Answers for the test rows; None where there are too few to report more than their error."""
        rows: SupervisedRows | None = self.question.test
        if rows is None or len(rows) < ENOUGH:
            return None
        model = self.study.best_
        probability = model.predict_proba(rows.X) if hasattr(model, "predict_proba") else None
        classes = getattr(model, "classes_", None)
        return Answers("test rows", rows.y, model.predict(rows.X), probability, classes, rows.weight)

    @property
    def answers(self) -> Answers | None:
        """The answers to be drawn."""
        return self.out_of_fold or self.tested

    @cached_property
    def score(self) -> tuple[Answers, Floats, Any] | None:
        """For two classes: answers, the probability of the second class, and which that is."""
        answers = self.answers
        if self.blind or answers is None or answers.probability is None or len(answers.classes) != 2:
            return None
        positive = answers.classes[1]
        return (answers, answers.probability[:, 1], positive) if len(np.unique(answers.y)) == 2 else None
