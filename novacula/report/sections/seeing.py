"""What the chosen model looks at: importance, dependence of the columns that matter, and a tree that stands for it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from novacula.errors import DataError
from novacula.evaluate.rows import SupervisedRows
from novacula.explain import Importance, Surrogate, dependence, importance, surrogate
from novacula.explain.result import SeenResult
from novacula.report.blocks import (
    Block,
    Code,
    FigureBlock,
    FigureRow,
    FoldedBlock,
    Fragment,
    Paragraph,
    TableBlock,
    name_of,
    plain,
)
from novacula.report.reading import Reading
from novacula.report.sections.model import work_html
from novacula.study.question import subsample

PATIENCE = 4.0
"""Seconds that predictions for one part of the section may take."""
ROWS, FEWEST = 2000, 30
"""Rows that are looked at, at most and at least."""
REPEATS, DRAWN = 5, 4
"""Permutations of each column, and columns whose dependence is drawn."""
LEAVES = 20
"""Leaves up to which a surrogate is drawn; larger ones are text."""
TRIED = 200
"""Rows by which the time of a prediction is measured."""
GRID = 20
TESTED = 100
"""Test rows from which they are looked at; of fewer, other rows would say other things."""
READABLE = (
    "novacula.tree.",
    "novacula.linear.",
    "novacula.concept.",
    "novacula.baseline.",
    "novacula.bayes.naive_bayes",
)
"""Where models are that people can read: no tree stands for them."""


def seeing(reading: Reading) -> Iterator[Block]:
    """Importance first, then the dependence of the columns that matter most, and where it helps a surrogate."""
    if reading.blind:
        yield Paragraph(f"{reading.chosen.name} uses no column: there is nothing to see into.")
        return
    model, rows, which = reading.study.best_, *_rows(reading)
    cost = _seconds_per_row(model, rows)
    n_columns = len(model.schema_.features)
    many = int(min(ROWS, PATIENCE / (cost * REPEATS * n_columns)))
    if many < min(FEWEST, len(rows)):
        yield Paragraph("Predictions take too long to ask the model about what it looks at.")
        return
    matters = _importance(reading, model, subsample(rows, many, reading.question.seed).X)
    yield Paragraph(
        f"A column matters if predictions get worse where its values are permuted over the rows. Measured on {which}; "
        "columns that say the same can stand in for each other, and then none of them seems to matter."
    )
    yield from blocks_of(matters)
    yield from _dependences(reading, model, rows, matters, cost)
    if not type(model.model_).__module__.startswith(READABLE):
        few = subsample(rows, int(np.clip(PATIENCE / cost, FEWEST, 5 * ROWS)), reading.question.seed)
        stands = surrogate(model, few.X, random_state=reading.question.seed)
        yield Paragraph(f"{reading.chosen.name} is hard to read. Here is the smallest tree that says nearly the same.")
        yield from blocks_of(stands)


def _rows(reading: Reading) -> tuple[SupervisedRows, str]:
    """The rows that are asked about, and which they are."""
    test = reading.question.test
    if test is not None and len(test) >= TESTED:
        return test, "test rows"
    return reading.question.train, "training rows, which the model has seen"


def _seconds_per_row(model: Any, rows: SupervisedRows) -> float:
    few = subsample(rows, TRIED, 0).X
    model.predict(few)  # what is compiled or loaded at the first call is not counted
    start = time.perf_counter()
    model.predict(few)
    return (time.perf_counter() - start) / min(TRIED, len(rows))


def _importance(reading: Reading, model: Any, table: Any) -> Importance:
    """By the measure of the study; where that is infinite, by the usual one."""
    how: dict[str, Any] = {"repeats": REPEATS, "random_state": reading.question.seed}
    try:
        return importance(model, table, metric=reading.question.metric, **how)
    except DataError:
        return importance(model, table, **how)


def _dependences(
    reading: Reading, model: Any, rows: SupervisedRows, matters: Importance, cost: float
) -> Iterator[Block]:
    """The dependence of the columns that matter most, side by side."""
    n = int(min(ROWS // 5, PATIENCE / (cost * DRAWN * GRID)))
    if n < min(FEWEST, len(rows)):
        return
    kinds = {column.name: column.kind for column in model.schema_.features}
    first = [matters.names[j] for j in matters.order if matters.rise[j] > 0 and kinds[matters.names[j]] != "text"]
    few, pictures = subsample(rows, n, reading.question.seed).X, []
    for name in first[:DRAWN]:
        try:
            pictures.append(FigureBlock.of(dependence(model, few, [name], grid=GRID).figure()))
        except DataError:  # such as a column that is empty in these rows
            continue
    if pictures:
        names = ", ".join(name_of(name) for name in first[:DRAWN])
        yield Paragraph(
            f"How its answers move with what matters most ({names}): means over {min(n, len(rows)):,} rows, in each of "
            "which the column is set to a value and the others stay as they are."
        )
        yield FigureRow(tuple(pictures))


def blocks_of(result: SeenResult) -> Iterator[Block]:
    """A result as a page shows it: its figure, what has to be known of it, its table and its work."""
    notes = plain(" ".join(result.notes))
    if isinstance(result, Surrogate) and result.n_leaves > LEAVES:
        yield Paragraph(notes)
        yield FoldedBlock("The tree", (Code(result.to_text()),))
    else:
        yield FigureBlock.of(result.figure(), notes)
    inner = (TableBlock.of(result.table()), Fragment(work_html(result.work()), "The work"))
    yield FoldedBlock("As a table, and the work", inner)
