"""How the chosen model errs: measures on rows it has not seen, and pictures of its mistakes."""

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
    """Whose rows, the measures, and the pictures for the task."""
    said = reading.answers
    if said is None:
        yield Paragraph(
            f"To predict the training rows anew would take too long, and there are fewer than {ENOUGH} test rows: "
            "nothing can be told of single mistakes."
        )
        return
    yield Paragraph(_whose(reading))
    yield measures(reading)
    yield from class_mistakes(reading, said) if reading.question.task == "classification" else number_mistakes(said)


def _whose(reading: Reading) -> str:
    if reading.out_of_fold is None:
        return "What follows is of the test rows: to predict the training rows anew would take too long."
    words = (
        f"What follows is of the {len(reading.out_of_fold):,} training rows, each predicted by a model that has not "
        "seen it: the chosen learner and size, fitted on the other folds."
    )
    test = reading.question.test
    if test is not None and reading.tested is None:
        words += f" {len(test):,} test rows are too few for more than their error, which stands above."
    return words


def measures(reading: Reading) -> TableBlock:
    """The usual measures, on the training rows out of fold and on the test rows."""
    columns = [said for said in (reading.out_of_fold, reading.tested) if said is not None]
    if reading.question.task == "regression":
        found = [dict(_of_numbers(said)) for said in columns]
    else:
        found = [dict(_of_classes(said, ranked=not reading.blind)) for said in columns]
    rows = tuple((name, *(values.get(name, "") for values in found)) for name in found[0])
    weighted = columns[0].weight is not None
    caption = "Measures, with 95% intervals as if rows were independent" + ("; rows count once" if weighted else "")
    return TableBlock(("measure", *(f"{said.rows} ({len(said):,})" for said in columns)), rows, caption)


def _of_classes(said: Answers, ranked: bool) -> Iterator[tuple[str, str]]:
    wrong = LOSSES["zero_one"](said.y, said.prediction)
    low, high = proportion_interval(float(wrong.sum()), len(wrong))
    yield metric_name("zero_one"), _between(float(wrong.mean()), low, high)
    if said.probability is None:
        return
    for name in ("log", "brier"):
        yield metric_name(name), _mean(LOSSES[name](said.y, said.probability, said.classes))
    if ranked and len(said.classes) == 2 and len(np.unique(said.y)) == 2:
        curve = roc(said.y, said.probability[:, 1], said.classes[1])
        yield "area under the ROC curve (higher is better)", _between(curve.auc, *curve.interval())


def _of_numbers(said: Answers) -> Iterator[tuple[str, str]]:
    squares = LOSSES["squared"](said.y, said.prediction)
    yield metric_name("squared"), _mean(squares)
    yield "its square root, in units of the target", number(float(np.sqrt(squares.mean())))
    yield metric_name("absolute"), _mean(LOSSES["absolute"](said.y, said.prediction))
    spread = float(np.var(said.y))
    if spread > 0:
        yield "R², the share of the variance that is explained (higher is better)", number(1 - squares.mean() / spread)


def _mean(losses: Floats) -> str:
    if not np.isfinite(losses).all():
        return number(float(losses.mean()))
    low, high = mean_interval(losses)
    return _between(float(losses.mean()), max(low, 0.0), high)


def _between(value: float, low: float, high: float) -> str:
    return f"{number(value)} ({number(low)} to {number(high)})"
