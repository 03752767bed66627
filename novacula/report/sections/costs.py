"""Where to cut if one mistake costs more than the other."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from novacula.evaluate.roc import roc
from novacula.report.blocks import Block, Paragraph, TableBlock, number
from novacula.report.reading import Reading
from novacula.table.names import quoted_name

COSTS = ((1, 10), (1, 3), (1, 1), (3, 1), (10, 1))
"""The costs of a false alarm and of a miss."""


def costs(reading: Reading) -> Iterator[Block]:
    """The thresholds of least cost."""
    if reading.score is None:
        several = "there is no probability or score of two classes"
        yield Paragraph(f"No thresholds are compared, since {'nothing is ranked' if reading.blind else several}.")
        return
    answers, score, positive = reading.score
    curve, name = roc(answers.y, score, positive), quoted_name(positive)
    what = "its probability is" if answers.probability is not None else "the decision value is"
    rows = []
    for alarm, miss in COSTS:
        point = curve.operating_point(alarm, miss)
        cut = "never" if np.isinf(point.threshold) else f"{number(point.threshold)} or more"
        always = min(alarm * curve.n_negative, miss * curve.n_positive) / len(answers)
        found, alarms = (f"{100 * share:.1f}%" for share in (point.tpr, point.fpr))
        rows.append((f"{miss} to {alarm}", cut, found, alarms, point.cost, always))
    yield Paragraph(
        f"Where to cut depends on what mistakes cost: if missing a {name} costs more or less than a false alarm, rows "
        f"should be called so where {what} at least another number. These thresholds were found on the rows that they "
        "are measured on, so new rows cost a little more. A CostMatrix as metric= has the model decide so by itself."
    )
    header = (
        "cost of a miss to a false alarm",
        f"call it {name} where {what}",
        f"share of {name} found",
        "false alarms among the others",
        "cost of a row",
        "of the better constant answer",
    )
    yield TableBlock(header, tuple(rows), f"Thresholds of least cost on the {answers.which}")
