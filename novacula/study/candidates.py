"""Who takes part: every learner whose card fits the question, found in the registry; the rest with the reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from novacula.errors import ParameterError
from novacula.evaluate.loss import metric_name
from novacula.learner.base import Learner
from novacula.learner.card import Card
from novacula.learner.registry import find, learners, look_up
from novacula.study.question import Question

BASELINES = {"classification": "plurality-classifier", "regression": "mean-regressor"}
"""What every learner is measured against."""


@dataclass(frozen=True)
class LearnerCandidate:
    """A learner, the sizes to try from the simplest on (one None: as it comes), and why it cannot take part."""

    learner: str
    card: Card
    sizes: tuple[object, ...]
    obstacle: str = ""


def candidates(question: Question, names: Sequence[str] | None) -> list[LearnerCandidate]:
    """The learners of a study, the baseline first: those that were named, or all whose cards fit."""
    baseline = BASELINES[question.task]
    if names is None:
        chosen = [name for name, kind in learners().items() if kind.card.task == question.task and kind.card.in_studies]
    else:
        chosen = [look_up(name, question.task) for name in names]
    if not chosen:
        raise ParameterError(
            "the list of learners is empty: name some that `novacula learners` lists, or leave it out for all that fit"
        )
    return [_candidate(name, question) for name in dict.fromkeys([baseline, *chosen])]


def _candidate(name: str, question: Question) -> LearnerCandidate:
    kind = find(name)
    card = kind.card
    sizes = card.size_path(question.extent) or (None,)
    return LearnerCandidate(name, card, sizes, _obstacle(kind, question))


def _obstacle(kind: type[Learner], question: Question) -> str:
    card = kind.card
    if card.conjunctive and question.extent.n_classes != 2:
        return f"it learns two classes, and there are {question.extent.n_classes}"
    needed = {"probabilities": "predict_proba", "decision": "decision_function"}.get(question.metric.needs)
    if needed and not hasattr(kind(**card.study_settings), needed):  # for some learners a setting decides
        what = {"probabilities": "probabilities", "decision": "decision values"}[question.metric.needs]
        return f"it gives no {what}, which the {metric_name(question.metric)} needs"
    return ""
