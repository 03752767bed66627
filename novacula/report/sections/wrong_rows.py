"""The rows that the chosen model is most wrong on, with their values: mistakes in the data are often among them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from novacula.explain import Importance
from novacula.explain.labels import told_apart
from novacula.explain.rows import SeenRows
from novacula.learner.figure import few_digits
from novacula.learner.work import Cell
from novacula.report.blocks import Block, Paragraph, TableBlock
from novacula.report.reading import Reading
from novacula.study.answers import Answers
from novacula.table.names import name_of
from novacula.table.schema import time_words

ROWS = 10
"""Rows that are shown."""
COLUMNS = 6
"""Columns that are shown: those that matter most, else the first."""


WIDEST, LINE = 24, 90
"""Characters of a cell, and of all cells of a row together, where columns are few."""


def wrong_rows(reading: Reading) -> Iterator[Block]:
    """A table of rows, what they are, and what was said of them."""
    answers = reading.answers
    if answers is None or reading.blind:
        yield Paragraph("There are no answers for single rows to be looked at.")
        return
    worst = most_wrong(answers, reading.question.task)
    if not len(worst):
        yield Paragraph(f"It is right for all {len(answers):,} rows that were looked at.")
        return
    yield Paragraph(_which(reading, answers))
    caption = "The row" if len(worst) == 1 else f"The {len(worst)} rows"
    widest = max(WIDEST, LINE // len(_shown(reading)))
    yield TableBlock(_header(reading, answers), tuple(_rows(reading, answers, worst)), caption, widest)


def _which(reading: Reading, answers: Answers) -> str:
    how = "the farthest off first"
    if reading.question.task == "classification":
        how = "the surest first" if answers.probability is not None else "in their order"
    where = "the table that was read, counted from 1" if answers.numbers is not None else "these rows"
    which = "test rows" if answers.which == "test rows" else "training rows, each predicted by a model without it,"
    return (
        f"Of the {which} it is most wrong on these, {how}. The first column is the number of the row in {where}. Look "
        "whether what is written there is right: mistakes in the data are often found so."
    )


def most_wrong(answers: Answers, task: str) -> npt.NDArray[np.intp]:
    """The places of the rows: of numbers those farthest off, of classes the wrong ones, the surest first."""
    if task == "regression":
        off = np.abs(np.asarray(answers.y, np.float64) - np.asarray(answers.prediction, np.float64))
        return np.argsort(-off, kind="stable")[:ROWS]
    wrong = np.flatnonzero(~answers.is_right)
    if answers.probability is None:
        return wrong[:ROWS]
    true = _columns_of(answers.y, answers.classes)
    given = np.where(true >= 0, answers.probability[np.arange(len(answers)), true], 0.0)
    return wrong[np.argsort(given[wrong], kind="stable")][:ROWS]


def _columns_of(labels: Any, classes: Any) -> npt.NDArray[np.intp]:
    """The place of each label among the classes, -1 where it is not one of them."""
    places = {label: k for k, label in enumerate(np.asarray(classes).tolist())}
    return np.array([places.get(label, -1) for label in np.asarray(labels).tolist()], np.intp)


def _shown(reading: Reading) -> list[str]:
    names = [column.name for column in reading.question.table.layout.features if column.kind != "sparse"]
    if isinstance(reading.matters, Importance):
        order = [reading.matters.names[j] for j in reading.matters.order]
        names.sort(key=lambda name: order.index(name) if name in order else len(order))
    return names[:COLUMNS]


def _header(reading: Reading, answers: Answers) -> tuple[str, ...]:
    words: tuple[str, ...] = ("true", "predicted")
    if reading.question.task == "regression":
        words += ("off by",)
    elif answers.probability is not None:
        words = ("true (and its probability)", "predicted (and its)")
    return ("row", *words, *map(name_of, _shown(reading)))


def _rows(reading: Reading, answers: Answers, worst: npt.NDArray[np.intp]) -> Iterator[tuple[Cell, ...]]:
    test = reading.question.test
    table = test.X if answers.which == "test rows" and test is not None else reading.question.train.X
    part = table.take(answers.places[worst]).with_target(None).select(_shown(reading))
    seen = SeenRows(part.to_chunk(), part.layout)
    numbers = answers.places + 1 if answers.numbers is None else answers.numbers
    names = _names(answers) if reading.question.task == "classification" else {}
    for i, row in enumerate(worst.tolist()):
        values = (_cell(seen.cell(i, j), column.is_time) for j, column in enumerate(seen.columns))
        yield (str(int(numbers[row])), *_said(answers, row, names), *values)


def _names(answers: Answers) -> dict[Any, str]:
    """The classes as a cell has room for them, told apart."""
    labels = sorted({*np.asarray(answers.y).tolist(), *np.asarray(answers.prediction).tolist()}, key=str)
    room = WIDEST - (0 if answers.probability is None else len(" (100.0%)"))
    return dict(zip(labels, told_apart([name_of(label) for label in labels], room), strict=True))


def _said(answers: Answers, row: int, names: dict[Any, str]) -> tuple[Cell, ...]:
    """The truth and the prediction of a row: classes by their names, or numbers and how far they are apart."""
    if not names:
        truth, said = float(answers.y[row]), float(answers.prediction[row])
        return truth, said, abs(truth - said)
    labels = [np.asarray(values[row]).item() for values in (answers.y, answers.prediction)]
    if answers.probability is None:
        return tuple(names[label] for label in labels)
    places = _columns_of(labels, answers.classes).tolist()
    given = [f" ({100 * answers.probability[row, k]:.1f}%)" if k >= 0 else "" for k in places]
    return tuple(names[label] + words for label, words in zip(labels, given, strict=True))


def _cell(value: str | float, is_time: bool) -> str:
    """A value as the file has it, so that 1987 stays a year."""
    if isinstance(value, str):
        return value
    return time_words(value) if is_time else few_digits(value) if value % 1.0 else f"{value:.0f}".replace("-", "−")
