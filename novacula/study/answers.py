"""What models say of rows that they were not fitted on: the test rows, or the training rows fold by fold."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from novacula.errors import UnseenCategoryWarning
from novacula.evaluate.loss import Floats, differ
from novacula.evaluate.rows import SupervisedRows
from novacula.prepare.calibration import Sureness
from novacula.study.leaderboard import Entry
from novacula.study.question import Question, subsample

Unseen: TypeAlias = Literal["test rows", "training rows, out of fold"]


@dataclass(frozen=True, eq=False)
class Answers:
    """Predictions for rows by models that have not seen them."""

    which: Unseen
    places: npt.NDArray[np.intp]  # among the test rows or the training rows
    fold: npt.NDArray[np.intp]  # in which each was held out; 0 of test rows
    numbers: npt.NDArray[np.intp] | None  # in the table that was read, from 1; None where that is not known
    y: Any
    prediction: Any
    probability: Floats | None  # (n, K)
    decision: Floats | None  # (n,) or (n, K), of a model that gives no probabilities
    classes: Any  # of the columns of both
    weight: Floats | None

    def __len__(self) -> int:
        return len(self.y)

    @property
    def is_right(self) -> npt.NDArray[np.bool_]:
        """Where the prediction is the class of the row."""
        return ~differ(np.asarray(self.y), np.asarray(self.prediction))

    def as_sure_as(self, sureness: Sureness | None) -> Answers:
        """With probabilities as a model gives them that was made more or less sure of its answers."""
        scores = self.decision if self.probability is None else self.probability
        if sureness is None or scores is None:
            return self
        return replace(self, probability=sureness.apply(scores))

    def scores(self, k: int) -> Floats | None:
        """How much speaks for a class in each row: its probability or its decision value; None where neither is."""
        if self.probability is not None:
            return self.probability[:, k]
        if self.decision is None:
            return None
        if self.decision.ndim == 2:
            return self.decision[:, k]
        return self.decision if k == 1 else -self.decision


def test_answers(model: Any, question: Question) -> Answers:
    """What a model says of the test rows."""
    rows = question.test
    assert rows is not None  # noqa: S101  (without test rows nobody asks)
    with _unseen_ignored():
        prediction, probability, decision = _said(model, rows.X)
    return Answers(
        "test rows",
        np.arange(len(rows)),
        np.zeros(len(rows), np.intp),
        question.test_numbers,
        rows.y,
        prediction,
        probability,
        decision,
        getattr(model, "classes_", None),
        rows.weight,
    )


def fold_answers(entry: Entry, question: Question, classes: Any, folds: int | None = None) -> Answers:
    """What models of an entry's size say of the rows of each fold, or the first ones, fitted without them."""
    with _unseen_ignored():
        parts = list(_fold_by_fold(entry, question, folds))
    places = np.concatenate([held_out for held_out, *_ in parts])
    order = np.argsort(places, kind="stable")
    seen = places[order]  # in the order of time, not those of the first block
    probability = _columns([(said, known) for _, _, said, _, known in parts], classes)
    same = all(np.array_equal(known, classes) for *_, known in parts)
    values = [decision for *_, decision, _ in parts]
    decision = np.concatenate(values) if same and all(one is not None for one in values) else None
    train = question.train
    return Answers(
        "training rows, out of fold",
        seen,
        np.repeat(np.arange(len(parts)), [len(held_out) for held_out, *_ in parts])[order],
        None if question.numbers is None else question.numbers[seen],
        train.y[seen],
        np.concatenate([prediction for _, prediction, *_ in parts])[order],
        None if probability is None else probability[order],
        None if decision is None else decision[order],
        classes,
        None if train.weight is None else train.weight[seen],
    )


def _fold_by_fold(entry: Entry, question: Question, folds: int | None) -> Iterator[tuple[Any, Any, Any, Any, Any]]:
    """Of each fold the places held out, predictions, probabilities, decision values, and the classes of the model."""
    for fold, (train, held_out) in enumerate(question.folds.pairs[:folds]):
        rows: SupervisedRows = subsample(question.train.take(train), entry.rows, question.seed + fold)
        model = question.fit(entry.learner, entry.size, rows)
        yield held_out, *_said(model, question.train.take(held_out).X), getattr(model, "classes_", None)


def _said(model: Any, X: Any) -> tuple[Any, Floats | None, Floats | None]:
    """Predictions, and probabilities or else decision values of classes."""
    probability = model.predict_proba(X) if hasattr(model, "predict_proba") else None
    decides = probability is None and hasattr(model, "classes_") and hasattr(model, "decision_function")
    return model.predict(X), probability, model.decision_function(X) if decides else None


def _columns(parts: list[tuple[Any, Any]], classes: Any) -> Floats | None:
    """Probabilities of all folds under each other, 0 for a class that a fold did not have."""
    if classes is None or any(said is None for said, _ in parts):
        return None
    tables = []
    for said, known in parts:
        table = np.zeros((len(said), len(classes)))
        table[:, np.searchsorted(classes, known)] = said
        tables.append(table)
    return np.concatenate(tables)


@contextmanager
def _unseen_ignored() -> Iterator[None]:
    """Categories that a model does not know are a finding of the study."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenCategoryWarning)
        yield
