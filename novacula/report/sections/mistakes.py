"""How the chosen model errs: measures on rows it has not seen, and figures of its mistakes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from novacula.evaluate.intervals import mean_interval, proportion_interval
from novacula.evaluate.loss import LOSSES, Floats, metric_name
from novacula.evaluate.roc import roc
from novacula.report.blocks import Block, Paragraph, TableBlock, number
from novacula.report.reading import ENOUGH, Answers, Reading
from novacula.report.sections.class_mistakes import class_mistakes
from novacula.report.sections.number_mistakes import number_mistakes


def mistakes(reading: Reading) -> Iterator[Block]:
    """Which rows, the measures, and the figures for the task."""
    answers = reading.answers
    if answers is None:
        yield Paragraph(
            f"Predicting the training rows again would take too long, and there are fewer than {ENOUGH} test rows: "
            "there is nothing to say about single mistakes."
        )
        return
    yield Paragraph(_whose(reading))
    yield measures(reading)
    yield from (
        class_mistakes(reading, answers) if reading.question.task == "classification" else number_mistakes(answers)
    )


def _whose(reading: Reading) -> str:
    if reading.out_of_fold is None:
        return "What follows is about the test rows: predicting the training rows again would take too long."
    words = (
        f"What follows is about the {len(reading.out_of_fold):,} training rows, each predicted by a model that has not "
        "seen it: the chosen learner and size, fitted on the other folds."
    )
    test = reading.question.test
    if test is not None and reading.tested is None:
        words += f" {len(test):,} test rows are too few for more than their error, which is given above."
    return words


def measures(reading: Reading) -> TableBlock:
    """The usual measures, on the training rows out of fold and on the test rows."""
    columns = [answers for answers in (reading.out_of_fold, reading.tested) if answers is not None]
    if reading.question.task == "regression":
        values = [dict(_of_numbers(answers)) for answers in columns]
    else:
        values = [dict(_of_classes(answers, ranked=not reading.blind)) for answers in columns]
    rows = tuple((name, *(column.get(name, "") for column in values)) for name in values[0])
    weighted = columns[0].weight is not None
    caption = "Measures, with 95% intervals as if rows were independent" + ("; rows count once" if weighted else "")
    return TableBlock(("measure", *(f"{answers.rows} ({len(answers):,})" for answers in columns)), rows, caption)


def _of_classes(answers: Answers, ranked: bool) -> Iterator[tuple[str, str]]:
    wrong = LOSSES["zero_one"](answers.y, answers.prediction)
    low, high = proportion_interval(float(wrong.sum()), len(wrong))
    yield metric_name("zero_one"), _between(float(wrong.mean()), low, high)
    if answers.probability is None:
        return
    for name in ("log", "brier"):
        yield metric_name(name), _mean(LOSSES[name](answers.y, answers.probability, answers.classes))
    if ranked and len(answers.classes) == 2 and len(np.unique(answers.y)) == 2:
        curve = roc(answers.y, answers.probability[:, 1], answers.classes[1])
        yield "area under the ROC curve (higher is better)", _between(curve.auc, *curve.interval())


def _of_numbers(answers: Answers) -> Iterator[tuple[str, str]]:
    squares = LOSSES["squared"](answers.y, answers.prediction)
    yield metric_name("squared"), _mean(squares)
    yield "its square root, in units of the target", number(float(np.sqrt(squares.mean())))
    yield metric_name("absolute"), _mean(LOSSES["absolute"](answers.y, answers.prediction))
    spread = float(np.var(answers.y))
    if spread > 0:
        yield "R², the share of the variance that is explained (higher is better)", number(1 - squares.mean() / spread)


def _mean(losses: Floats) -> str:
    if not np.isfinite(losses).all():
        return number(float(losses.mean()))
    low, high = mean_interval(losses)
    return _between(float(losses.mean()), max(low, 0.0), high)


def _between(value: float, low: float, high: float) -> str:
    return f"{number(value)} ({number(low)} to {number(high)})"
