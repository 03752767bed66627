"""What would change this answer: the other rule, close rivals, more rows, and what was left out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from novacula.evaluate.intervals import standard_error
from novacula.evaluate.learning_curve import LearningCurve, learning_curve
from novacula.evaluate.loss import metric_name
from novacula.evaluate.one_standard_error import Rule
from novacula.report.blocks import Block, FigureBlock, Paragraph, Points
from novacula.report.reading import Reading
from novacula.report.sections.opening import warnings
from novacula.report.wording import first_of, series
from novacula.study.leaderboard import choice, deserved, number_cell, with_spread
from novacula.study.trouble.columns import percent
from novacula.table.names import quoted_name

SHARES = (0.25, 0.5, 0.75, 1.0)
FOLDS = 5
PATIENCE = 5.0
"""Seconds that the learning curve may take."""
TOO_FEW = 40
"""Rows below which no learning curve is drawn."""
NEAR = 5
"""Rivals that are named."""
RARE = 0.2
"""The part of the rows that a class would have if all were equal, below which the error rate says little about it."""


def change(reading: Reading) -> Iterator[Block]:
    """Sentences from what was measured, then rows."""
    yield Points(tuple(facts(reading)))
    yield from more_rows(reading)


def facts(reading: Reading) -> Iterator[str]:
    """Who is close, what the other rule chooses, who did not finish, and what else may change the choice."""
    study, chosen, best = reading.study, reading.chosen, reading.study.choice.best
    measure = reading.question.metric
    limit = best.error + np.nan_to_num(best.standard_error)
    near = [one.label for one in reading.finished if one.error <= limit and one is not chosen]
    least = f"the {'highest' if measure.is_complement else 'least'} {measure.words}"
    if near:
        more = [f"{len(near) - NEAR:,} more"] if len(near) > NEAR else []
        named = "; ".join([*near[:NEAR], *more])
        yield f"Also within one standard error of {least}: {named}. Other folds may prefer these."
    else:
        yield f"No other learner is within one standard error of {least}."
    other: Rule = "min" if study.rule == "one_se" else "one_se"
    taken = choice(study.cells, other, reading.question.task, reading.question.metric).entry
    rule = f"{least}, however large the model" if other == "min" else "the simplest within one standard error"
    same = "the same" if taken is chosen else f"{taken.label}, {with_spread(taken, reading.question.metric)}"
    yield f"The other rule, {rule} (rule={other!r}), would choose {same}."
    yield from _left_out(reading)
    yield from _imbalance(reading)
    n_warnings = len(warnings(reading))
    if n_warnings:
        there, them = ("One warning is", "it") if n_warnings == 1 else (f"{n_warnings} warnings are", "them")
        yield f"{there} among what to beware of: acting on {them} may change everything."


def _left_out(reading: Reading) -> Iterator[str]:
    unfinished = [one.name for one in reading.study.leaderboard if one.status != "finished"]
    if unfinished:
        was = "was" if len(unfinished) == 1 else "were"
        yield f"{first_of(unfinished, NEAR)} did not finish or {was} left out; the leaderboard says why."
    fewer = [one.name for one in reading.finished if one.rows is not None]
    if fewer:
        they = "it" if len(fewer) == 1 else "they"
        yield f"{series(fewer)} had only some of the rows; with all {they} might do better: allow more with budget=."


def _imbalance(reading: Reading) -> Iterator[str]:
    question = reading.question
    if question.task != "classification":
        return
    names, counts = np.unique(question.train.y, return_counts=True)
    least = int(counts.argmin())
    share = float(counts[least] / counts.sum())
    if share < RARE / len(names) and question.metric.name in ("error_rate", "accuracy"):
        yield (
            f"{quoted_name(names[least])} is {percent(share)} of the rows, so mistakes about it hardly change the "
            f"{reading.measure}: metric='balanced', 'auc' or 'log_loss' may choose another learner."
        )


def more_rows(reading: Reading) -> Iterator[Block]:
    """The error of the choice on growing shares of the rows, if that does not take long."""
    question, entry = reading.question, reading.chosen
    n = len(question.train)
    if reading.blind or n < TOO_FEW:
        return
    seconds = FOLDS * sum(reading.seconds(entry, int(share * n)) for share in SHARES)
    if not reading.allows(seconds, PATIENCE):
        yield Paragraph(f"What more rows would bring is {reading.too_long(seconds, PATIENCE)}.")
        return
    learner = question.learner(entry.learner, entry.size)
    how: dict[str, Any] = {"sizes": SHARES, "folds": FOLDS, "random_state": 0}
    with reading.limited(PATIENCE):
        curve = learning_curve(learner, question.table, loss=reading.row_loss, **how)
        if not np.isfinite(curve.validation).all():  # what a learner calls impossible has happened
            curve = learning_curve(learner, question.table, **how)
    yield Paragraph(outlook(curve))
    yield FigureBlock.of(curve.plot())


def outlook(curve: LearningCurve) -> str:
    """What twice as many rows might bring, if the rest of the error falls as 1/n."""
    half, full = curve.sizes[1], curve.sizes[-1]
    before, after = curve.validation_mean[1], curve.validation_mean[-1]
    falls = curve.validation[1] - curve.validation[-1]
    digits = deserved(standard_error(curve.validation[-1]), after)
    words = (
        f"From {half:,} to {full:,} rows the {metric_name(curve.loss)} of the choice goes from "
        f"{number_cell(before, digits)} to {number_cell(after, digits)}"
    )
    if not np.isfinite(falls).all() or falls.mean() <= standard_error(falls):
        return f"{words}, no more than chance would explain: more rows of this kind are not likely to change much."
    if after <= 0.0:
        return f"{words}: there is nothing left that more rows could bring."
    hope = max(after - (before - after) / 2, 0.0)
    return (
        f"{words}. At this rate twice as many rows would bring it to about {number_cell(hope, digits)}: more rows may "
        "help."
    )
