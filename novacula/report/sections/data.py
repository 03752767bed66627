"""The data at a glance: rows, columns by kind, what is missing, and how the target is spread."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from novacula.learner.figure import COLOURS, Figure, bar_figure, few_digits, literal
from novacula.report.blocks import Block, FigureBlock, FoldedBlock, Paragraph, TableBlock
from novacula.report.reading import Reading
from novacula.report.wording import series
from novacula.study.trouble.columns import percent
from novacula.table.names import name_of, quoted_name
from novacula.table.schema import Column

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MANY = 12
"""Columns beyond which their table is folded away."""
SHOWN = 100
"""Columns that are listed; a quarter as many classes are drawn."""


def data(reading: Reading) -> Iterator[Block]:
    """Counts, the target, and the columns one by one."""
    schema = reading.question.table.schema
    yield Paragraph(_row_counts(reading, schema.features))
    yield Paragraph(missing_in_words(schema.features, len(reading.question.train)))
    yield FigureBlock.of(target_figure(reading))
    grid = column_grid(schema.features, "Columns, in the rows to learn from")
    yield grid if len(schema.features) <= MANY else FoldedBlock(f"All {len(schema.features):,} columns", (grid,))


def _row_counts(reading: Reading, columns: Sequence[Column]) -> str:
    question = reading.question
    aside = "" if question.test is None else f" and {len(question.test):,} put aside for the test"
    weight = " Rows have weights." if question.train.weight is not None else ""
    return (
        f"There are {len(question.train):,} rows to learn from{aside}. The target is {quoted_name(question.target)}. "
        f"Besides it: {kinds_in_words(columns)}{weight}"
    )


def kinds_in_words(columns: Sequence[Column]) -> str:
    """How many columns of each kind there are."""
    kinds = Counter(column.kind for column in columns)
    return f"{series([f'{count:,} {kind} column' + 's' * (count != 1) for kind, count in kinds.items()])}."


def missing_in_words(columns: Sequence[Column], n: int) -> str:
    """How many values are missing, and which column lacks the most."""
    holes = {column.name: column.missing for column in columns if column.missing}
    if not holes:
        return "No value is missing."
    total, most = sum(holes.values()), max(holes, key=lambda name: holes[name])
    there = "1 value is" if total == 1 else f"{total:,} values are"
    share = f"{percent(holes[most] / n)} of the rows"
    if len(holes) == 1:
        return f"{there} missing, in {quoted_name(most)} only: {share}."
    return f"{there} missing, in {len(holes):,} columns; {quoted_name(most)} lacks the most, {holes[most]:,}: {share}."


def column_grid(columns: Sequence[Column], caption: str) -> TableBlock:
    """The columns one by one."""
    rows = [(name_of(c.name), c.kind, c.missing or 0, c.describe()) for c in columns[:SHOWN]]
    left = len(columns) - SHOWN
    more = f"; {left:,} more are not listed" if left > 0 else ""
    return TableBlock(("column", "kind", "missing", "values"), tuple(rows), f"{caption}{more}")


def target_figure(reading: Reading) -> Figure:
    """How often each class comes, or how the numbers are spread."""
    question = reading.question
    title, y = f"The target, {quoted_name(question.target)}", question.train.y
    if question.task == "regression":
        return histogram(np.asarray(y, np.float64), title, "rows to learn from", name_of(question.target))
    names, counts = np.unique(y, return_counts=True)
    order = np.argsort(-counts, kind="stable")[: SHOWN // 4]
    left = len(names) - len(order)
    note = f" ({left:,} rarer classes are not drawn)" if left else ""
    labels = [f"{name_of(names[k])} ({counts[k]:,})" for k in order]
    alt = f"Rows of {len(names):,} classes, the most frequent first: {', '.join(labels[:10])}."
    shares = 100 * counts[order] / len(y)
    return bar_figure(labels, shares, title=f"{title}{note}", xlabel="% of the rows to learn from", alt=alt)


def histogram(values: np.ndarray, title: str, ylabel: str, xlabel: str) -> Figure:
    """Numbers in bins of equal width."""
    bins = int(np.clip(2 * len(values) ** (1 / 3), 5, 40))

    def draw(axes: Axes) -> None:
        axes.hist(values, bins=bins, color=COLOURS[0], edgecolor="white", linewidth=0.5)
        axes.set_xlabel(literal(xlabel))
        axes.set_ylabel(literal(ylabel))
        axes.grid(axis="y")

    low, middle, high = np.quantile(values, [0.0, 0.5, 1.0])
    alt = f"Histogram of {xlabel} in {bins} bins, from {few_digits(low)} to {few_digits(high)}, "
    return Figure(draw, f"{alt}with the median at {few_digits(middle)}.", title, (6.4, 3.2))
