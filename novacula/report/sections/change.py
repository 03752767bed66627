"""What would change this answer: the other rule, close rivals, other costs, more rows, and what was left out."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from novacula.evaluate.intervals import standard_error
from novacula.evaluate.learning_curve import LearningCurve, learning_curve
from novacula.evaluate.one_standard_error import Rule
from novacula.evaluate.roc import roc
from novacula.report.blocks import Block, FigureBlock, Paragraph, Points, TableBlock, number, quoted_name
from novacula.report.reading import Reading
from novacula.report.sections.opening import with_error
from novacula.study.cell import build
from novacula.study.leaderboard import choice

SHARES = (0.25, 0.5, 0.75, 1.0)
FOLDS = 5
PATIENCE = 5.0
"""Seconds that the learning curve may take."""
TOO_FEW = 40
"""Rows below which no learning curve is drawn."""
COSTS = ((1, 10), (1, 3), (1, 1), (3, 1), (10, 1))
"""The costs of a false alarm and of a miss."""
RARE = 0.1
"""The share of a class below which the error rate says little about it."""


def change(reading: Reading) -> Iterator[Block]:
    """Sentences from what was measured, then costs and rows."""
    yield Points(tuple(facts(reading)))
    yield from other_costs(reading)
    curve = more_rows(reading)
    if curve is not None:
        yield Paragraph(_outlook(curve))
        yield FigureBlock.of(curve.plot())


def facts(reading: Reading) -> Iterator[str]:
    """Who is close, what the other rule chooses, who did not finish, and what else may change the choice."""
    study, chosen, best = reading.study, reading.chosen, reading.study.choice.best
    limit = best.error + np.nan_to_num(best.standard_error)
    near = [one.label for one in reading.finished if one.error <= limit and one is not chosen]
    if near:
        yield f"Also within one standard error of the least error: {'; '.join(near)}. Other folds may prefer these."
    else:
        yield "No other learner is within one standard error of the least error."
    other: Rule = "min" if study.rule == "one_se" else "one_se"
    taken = choice(study.leaderboard, other, reading.question.task).entry
    rule = "the least error, however large the model" if other == "min" else "the simplest within one standard error"
    same = "the same" if taken is chosen else f"{taken.label}, {with_error(taken.error, taken.standard_error)}"
    yield f"The other rule, {rule} (rule={other!r}), would choose {same}."
    yield from _left_out(reading)
    yield from _imbalance(reading)
    n_warnings = sum(finding.gravity == "warning" for finding in study.findings)
    if n_warnings:
        there, them = ("One warning is", "it") if n_warnings == 1 else (f"{n_warnings} warnings are", "them")
        yield f"{there} at the top of this page: acting on {them} may change everything."


def _left_out(reading: Reading) -> Iterator[str]:
    unfinished = [one.name for one in reading.study.leaderboard if one.status != "finished"]
    if unfinished:
        yield f"{', '.join(unfinished)} did not finish or were left out; the leaderboard says why."
    fewer = [one.name for one in reading.finished if one.rows is not None]
    if fewer:
        yield f"{', '.join(fewer)} had only some of the rows; all might do better: allow more time with budget=."


def _imbalance(reading: Reading) -> Iterator[str]:
    question = reading.question
    if question.task != "classification":
        return
    names, counts = np.unique(question.train.y, return_counts=True)
    least = int(counts.argmin())
    share = counts[least] / counts.sum()
    if share < RARE and question.metric.name == "zero_one":
        yield (
            f"{quoted_name(names[least])} is {number(100 * share)}% of the rows, so mistakes about it hardly change "
            "the error rate: metric='log' or 'brier' may choose another learner."
        )


def other_costs(reading: Reading) -> Iterator[Block]:
    """Where to cut the probability of the positive class if one mistake costs more than the other."""
    if reading.score is None:
        return
    answers, score, positive = reading.score
    curve, name = roc(answers.y, score, positive), quoted_name(positive)
    rows = []
    for alarm, miss in COSTS:
        point = curve.operating_point(alarm, miss)
        cut = "never" if np.isinf(point.threshold) else f"from {number(point.threshold)} on"
        rows.append((f"{miss} to {alarm}", cut, point.tpr, point.fpr))
    yield Paragraph(
        f"Where to cut depends on what mistakes cost: if missing a {name} costs more or less than a false alarm, rows "
        "should be called so from another probability on."
    )
    header = ("cost of a miss to a false alarm", f"call it {name}", "share found", "false alarms among the others")
    yield TableBlock(header, tuple(rows), f"Thresholds of least cost on the {answers.rows}")


def more_rows(reading: Reading) -> LearningCurve | None:
    """The error of the choice on growing shares of the rows, if that does not take long."""
    question, entry = reading.question, reading.chosen
    n = len(question.train)
    seconds = FOLDS * sum(reading.seconds(entry, int(share * n)) for share in SHARES)
    if reading.blind or n < TOO_FEW or seconds > PATIENCE:
        return None
    learner = build(entry.learner, entry.size, question.task, question.seed)
    return learning_curve(learner, question.table, sizes=SHARES, folds=FOLDS, loss=question.metric, random_state=0)


def _outlook(curve: LearningCurve) -> str:
    """What twice as many rows might bring, if the rest of the error falls as 1/n."""
    half, full = curve.sizes[1], curve.sizes[-1]
    before, after = curve.validation_mean[1], curve.validation_mean[-1]
    falls = curve.validation[1] - curve.validation[-1]
    words = f"From {half:,} to {full:,} rows the error of the choice goes from {number(before)} to {number(after)}"
    if not np.isfinite(falls).all() or falls.mean() <= standard_error(falls):
        return f"{words}, no more than chance would explain: more rows of this kind are not likely to change much."
    hope = max(after - (before - after) / 2, 0.0)
    return f"{words}. At this rate twice as many rows would bring it to about {number(hope)}: more rows may help."
