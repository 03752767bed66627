"""Mistakes about classes: which are confused, how well rows are ranked, and whether probabilities come true."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from novacula.evaluate.calibration import calibration
from novacula.evaluate.confusion import confusion
from novacula.evaluate.loss import Floats
from novacula.evaluate.precision_recall import precision_recall
from novacula.evaluate.roc import RocCurve, roc
from novacula.report.blocks import (
    Block,
    FigureBlock,
    FigureRow,
    FoldedBlock,
    Paragraph,
    TableBlock,
    name_of,
    quoted_name,
)
from novacula.report.reading import Answers, Reading

MANY = 12
"""Classes beyond which the table of the confusion matrix is left out, and curves of single classes."""
FEW = 5
"""Classes up to which each has its curves drawn."""
A_BIN = 10
"""Rows that a bin of the calibration should have."""


def class_mistakes(reading: Reading, answers: Answers) -> Iterator[Block]:
    """The confusion matrix, and the curves where there are probabilities."""
    if reading.blind:
        yield Paragraph(
            f"{reading.chosen.name} uses no column and predicts the same for every row: there is nothing to draw."
        )
        return
    matrix = confusion(answers.y, answers.prediction, sample_weight=answers.weight)
    picture = FigureBlock.of(matrix.plot())
    if reading.score is not None:
        yield from both_sides(*reading.score, picture)
    else:
        yield picture
    if len(matrix.labels) <= MANY:
        yield FoldedBlock("The confusion matrix as a table", (TableBlock.of(matrix.table(), "Counts"),))
    if answers.probability is None:
        yield Paragraph(f"{reading.chosen.name} gives no probabilities, so there are no curves.")
    elif reading.score is None:
        yield from one_by_one(answers, answers.probability)


def both_sides(answers: Answers, score: Floats, positive: Any, confused: FigureBlock) -> Iterator[Block]:
    """Two classes: everything side by side."""
    yield Paragraph(
        f"{quoted_name(positive)} counts as positive. The ROC curve and the curve of precision and recall show how "
        "well rows are ranked, for any threshold; the calibration shows whether the probabilities come true."
    )
    yield FigureRow((confused, *curves(answers.y, score, positive)))


def one_by_one(answers: Answers, probability: Floats) -> Iterator[Block]:
    """Each class against the rest: areas in a table, and curves where the classes are few."""
    there = [k for k, label in enumerate(answers.classes) if 0 < (answers.y == label).sum() < len(answers.y)]
    if not there or len(answers.classes) > MANY:
        yield Paragraph(
            f"There are {len(answers.classes):,} classes: their curves, each against the rest, are not drawn."
        )
        return
    roc_curves = [roc(answers.y, probability[:, k], answers.classes[k]) for k in there]
    rows = tuple((name_of(curve.positive), curve.n_positive, curve.auc, *curve.interval()) for curve in roc_curves)
    header = ("class", "rows", "area under the ROC curve", "95% from", "to")
    yield TableBlock(header, rows, "Each class against the rest, with DeLong's interval; an area of 0.5 is chance")
    if len(there) <= FEW:
        for k, curve in zip(there, roc_curves, strict=True):
            title = f"{quoted_name(curve.positive)} against the rest"
            yield FoldedBlock(title, (FigureRow(curves(answers.y, probability[:, k], answers.classes[k], curve)),))


def curves(y: Any, score: Floats, positive: Any, curve: RocCurve | None = None) -> tuple[FigureBlock, ...]:
    """ROC, precision and recall, and calibration of one class."""
    bins = int(np.clip(len(y) // A_BIN, 1, 10))
    results = (
        roc(y, score, positive) if curve is None else curve,
        precision_recall(y, score, positive),
        calibration(y, score, positive, bins=bins),
    )
    return tuple(FigureBlock.of(one.plot()) for one in results)
