"""Who takes part: every learner whose card fits the question, found in the registry; the rest with the reason."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from novacula.errors import ParameterError
from novacula.evaluate.rows import METHODS
from novacula.learner.base import Learner
from novacula.learner.card import Card
from novacula.learner.registry import find, learners, look_up
from novacula.study.guest import label
from novacula.study.question import Question
from novacula.table.equal_rows import equal_rows
from novacula.words import quoted

BASELINES = {"classification": "plurality-classifier", "regression": "mean-regressor"}
"""What every learner is measured against."""


@dataclass(frozen=True)
class LearnerCandidate:
    """A learner, the sizes to try from the simplest on (one None: as it comes), and why it cannot take part."""

    learner: str  # its name
    card: Card
    sizes: tuple[object, ...]
    obstacle: str = ""


def candidates(
    question: Question, names: Sequence[str] | None, without: Collection[str] = ()
) -> list[LearnerCandidate]:
    """The learners of a study, the baseline first: those that were named, or all whose cards fit, but for some.

    Learners of conjunctions take part unasked where a conjunction may be right: two classes, columns of categories, and
    no two equal rows of different classes.
    """
    baseline = BASELINES[question.task]
    if names is None:
        chosen = [name for name, kind in learners().items() if kind.card.task == question.task and kind.card.in_studies]
        if any(find(name).card.conjunctive for name in chosen) and not _may_be_conjunction(question):
            chosen = [name for name in chosen if not find(name).card.conjunctive]
    else:
        chosen = [name if name in question.guests else look_up(name, question.task) for name in names]
    left_out = {look_up(name, question.task) for name in without}
    chosen = [name for name in chosen if name not in left_out]
    if not chosen:
        raise ParameterError(
            "the list of learners is empty: name some that `novacula learners` lists, or leave it out for all that fit"
        )
    return [_candidate(name, question) for name in dict.fromkeys([baseline, *chosen])]


def _may_be_conjunction(question: Question) -> bool:
    """Whether there are two classes, categories only, and no rows that contradict each other."""
    layout = question.table.layout
    if question.extent.n_classes != 2 or len(layout.of_kind("categorical")) < len(layout.features):
        return False
    chunk = question.table.to_chunk()
    if (chunk.codes < 0).any():
        return False
    kind = equal_rows(chunk.codes).kind
    both = np.column_stack([kind, np.asarray(chunk.target)])
    return len(equal_rows(both)) == len(np.unique(kind))


def _candidate(name: str, question: Question) -> LearnerCandidate:
    learner = question.unprepared(name)
    card, obstacle = learner.card, _obstacle(learner, question)
    if name in question.guests:  # takes part as it is
        return LearnerCandidate(name, replace(card, name=label(question.estimator(name))), (None,), obstacle)
    return LearnerCandidate(name, card, card.size_path(question.extent) or (None,), obstacle)


def _obstacle(learner: Learner, question: Question) -> str:
    card = learner.card
    if card.conjunctive and question.extent.n_classes != 2:
        return f"it learns two classes, and there are {question.extent.n_classes}"
    if "measured" in card.needs and (texts := question.table.layout.of_kind("text")):
        return f"it takes densities of numbers, and {quoted(texts[0].name)} would be counts of words"
    measure = question.metric
    if not any(hasattr(learner, method) for method in METHODS[measure.needs]):
        what = {"probabilities": "probabilities", "decision": "decision values", "scores": "scores"}[measure.needs]
        return f"it gives no {what}, which the {measure.words} needs"
    return ""
