"""What the chosen model learns from answers for rows out of fold: how far targets are from its predictions, or how sure
of its answers it should be.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from novacula.errors import DataError
from novacula.prepare.calibration import Sureness, mean_surprise
from novacula.study.answers import Answers, fold_answers
from novacula.study.clock import Clock
from novacula.study.finding import Finding
from novacula.study.leaderboard import Entry
from novacula.study.question import Question
from novacula.study.refit import FittedChoice

SHARE = 0.3
"""The part of the time that is left which these answers may take."""
FEWEST = 40
"""Rows from which a model's sureness is looked at."""
LEVEL = 0.9
"""The share of new targets that an interval should hold."""


def with_honesty(fitted: FittedChoice, question: Question, entry: Entry, clock: Clock) -> tuple[FittedChoice, Any]:
    """The model with a prediction interval, or as sure as it should be, where there is time; and the answers used."""
    seconds = entry.fit_seconds if np.isfinite(entry.fit_seconds) else 0.0
    affordable = int(SHARE * clock.left / seconds) if SHARE * clock.left < seconds * len(question.folds) else None
    if affordable == 0:
        return fitted, None
    try:
        known = getattr(fitted.model, "classes_", None)
        answers = fold_answers(entry, question, known, affordable)
    except KeyboardInterrupt:
        return replace(fitted, stopped="The study was interrupted: the model has no intervals of its answers."), None
    except Exception:  # a learner that fails without some rows has no such answers; its cells have said so
        return fitted, None
    if question.task == "regression":
        findings = _set_interval(fitted.model, answers)
    else:
        findings = _set_sureness(fitted.model, answers, question)
    return replace(fitted, findings=(*fitted.findings, *findings)), answers if affordable is None else None


def _set_interval(model: Any, answers: Answers) -> Sequence[Finding]:
    try:
        model.set_interval(answers.y - answers.prediction, LEVEL)
    except DataError as error:
        return (Finding("no-interval", f"The model has no prediction interval: {error}."),)
    return ()


def _set_sureness(model: Any, answers: Answers, question: Question) -> Sequence[Finding]:
    """Make the model as sure as it should be, where that clearly brings its probabilities nearer to the truth."""
    scores = answers.decision if answers.probability is None else answers.probability
    if scores is None or len(answers.y) < FEWEST or np.isnan(scores).any() or question.costs is not None:
        return ()
    of_decision = answers.probability is None
    if question.metric.needs == "probabilities":  # its error was measured with the probabilities as they are
        return ()
    if of_decision or _is_clearly_better(answers, scores):
        model.set_sureness(scores, answers.y, answers.weight)
        factor = model.sureness_.factor
        how = "less" if factor < 1.0 else "more"
        words = (
            f"gives decision values s, and its probabilities are made of exp({factor:.3g}·s)"
            if of_decision
            else f"is made {how} sure of its answers than its learner is: each probability P becomes P to the power of "
            f"{factor:.3g}, divided by the sum of all"
        )
        sentence = f"The model {words}, as rows that it had not seen show; which answer it gives does not change."
        return (Finding("sureness", sentence),)
    return ()


def _is_clearly_better(answers: Answers, scores: Any) -> bool:
    """Whether the factor that the other folds suggest makes the classes of a fold likelier, by two standard errors."""
    codes = np.searchsorted(answers.classes, answers.y)
    gains = []
    for fold in np.unique(answers.fold):
        inside = answers.fold == fold
        if inside.all():
            return False
        factor = Sureness.of(scores[~inside], codes[~inside], False).factor
        logs = np.log(np.maximum(scores[inside], 1e-12))
        gains.append(mean_surprise(logs, codes[inside]) - mean_surprise(factor * logs, codes[inside]))
    spread = float(np.std(gains, ddof=1)) / np.sqrt(len(gains)) if len(gains) > 1 else np.inf
    return bool(np.mean(gains) > 2.0 * spread)
