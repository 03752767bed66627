"""Mistakes about classes: which are confused, how well rows are ranked, and whether probabilities come true."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from novacula.evaluate.calibration import Calibration, calibration
from novacula.evaluate.confusion import Confusion, confusion
from novacula.evaluate.intervals import proportion_interval
from novacula.evaluate.loss import Floats
from novacula.evaluate.precision_recall import precision_recall
from novacula.evaluate.roc import RocCurve, roc
from novacula.report.blocks import Block, FigureBlock, FigureRow, FoldedBlock, Paragraph, TableBlock
from novacula.report.reading import Reading
from novacula.study.answers import Answers
from novacula.study.trouble.columns import percent
from novacula.table.names import name_of, quoted_name

MANY = 12
"""Classes beyond which a table names the pairs that are confused most, and single classes have no curves."""
FEW = 5
"""Classes up to which each has its curves drawn."""
A_BIN = 10
"""Rows that a bin of the calibration should have."""
LEVEL = 0.95
"""How sure it must be that probabilities do not come true, over all bins together."""
PAIRS = 12
"""Pairs of classes that are confused most."""


def class_mistakes(reading: Reading, answers: Answers) -> Iterator[Block]:
    """The confusion matrix, and the curves where there are probabilities or decision values."""
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
    else:
        yield confused_pairs(matrix)
    if answers.probability is None and answers.decision is None:
        yield Paragraph(f"{reading.chosen.name} gives no probabilities or scores, so there are no curves.")
    elif reading.score is None:
        yield from one_by_one(answers)
    yield from _calibrated(reading, answers)


def confused_pairs(matrix: Confusion) -> TableBlock:
    """The classes that are taken for another most often."""
    wrong = matrix.matrix - np.diag(np.diagonal(matrix.matrix))
    order = np.argsort(-wrong, axis=None, kind="stable")[:PAIRS]
    rows = []
    for i, j in zip(*np.unravel_index(order, wrong.shape), strict=True):
        if wrong[i, j] > 0:
            share = 100.0 * wrong[i, j] / matrix.matrix[i].sum()
            rows.append((name_of(matrix.labels[i]), name_of(matrix.labels[j]), float(wrong[i, j]), f"{share:.0f}%"))
    header = ("true", "predicted as", "rows", "of the rows of the true class")
    return TableBlock(header, tuple(rows), "The pairs that are confused most often")


def both_sides(answers: Answers, score: Floats, positive: Any, confused: FigureBlock) -> Iterator[Block]:
    """Two classes: everything side by side."""
    by = (
        "the calibration shows whether the probabilities come true"
        if answers.probability is not None
        else "they are drawn from decision values, since the model gives no probabilities"
    )
    yield Paragraph(
        f"{quoted_name(positive)} counts as positive. The ROC curve and the curve of precision and recall show how "
        f"well rows are ranked, for any threshold; {by}."
    )
    yield FigureRow((confused, *curves(answers, score, positive)))


def one_by_one(answers: Answers) -> Iterator[Block]:
    """Each class against the rest: areas in a table, and curves where the classes are few."""
    there = [k for k, label in enumerate(answers.classes) if 0 < (answers.y == label).sum() < len(answers.y)]
    if not there or len(answers.classes) > MANY:
        yield Paragraph(
            f"There are {len(answers.classes):,} classes: their curves, each against the rest, are not drawn."
        )
        return
    scores = {k: score for k in there if (score := answers.scores(k)) is not None}
    roc_curves = [roc(answers.y, score, answers.classes[k]) for k, score in scores.items()]
    rows = tuple((name_of(curve.positive), curve.n_positive, curve.auc, *curve.interval()) for curve in roc_curves)
    header = ("class", "rows", "AUC", "95% from", "to")
    yield TableBlock(header, rows, "Each class against the rest, with DeLong's interval; an area of 0.5 is chance")
    if len(there) <= FEW:
        for (k, score), curve in zip(scores.items(), roc_curves, strict=True):
            title = f"{quoted_name(curve.positive)} against the rest"
            yield FoldedBlock(title, (FigureRow(curves(answers, score, answers.classes[k], curve)),))


def curves(answers: Answers, score: Floats, positive: Any, curve: RocCurve | None = None) -> tuple[FigureBlock, ...]:
    """ROC, precision and recall, and of probabilities the calibration of one class."""
    y = answers.y
    ranked = roc(y, score, positive) if curve is None else curve
    drawn = [FigureBlock.of(ranked.plot()), FigureBlock.of(precision_recall(y, score, positive).plot())]
    if answers.probability is not None:
        drawn.append(FigureBlock.of(reliability(y, score, positive).plot()))
    return tuple(drawn)


def reliability(y: Any, score: Floats, positive: Any) -> Calibration:
    """Whether probabilities come true, in bins of enough rows."""
    return calibration(y, score, positive, bins=int(np.clip(len(y) // A_BIN, 1, 10)))


def _calibrated(reading: Reading, answers: Answers) -> Iterator[Block]:
    """Whether two classes' probabilities can be taken as they are, and whether the model corrects them."""
    if reading.score is not None and answers.probability is not None:
        yield Paragraph(calibration_sentence(reliability(*_truth_and_score(reading))))
    sureness = getattr(reading.study.best_, "sureness_", None)
    if sureness is not None:
        made = "made of decision values" if sureness.of_decision else "corrected"
        what = "those" if sureness.of_decision else "their logarithms"
        sure = "" if sureness.of_decision else f", so that it is {'less' if sureness.factor < 1 else 'more'} sure"
        yield Paragraph(
            f"The probabilities here are {made} as the model file does it: {what} are multiplied by a = "
            f"{sureness.factor:.3g}{sure}. The factor was found from the training rows, each predicted by a model that "
            "had not seen it."
        )


def _truth_and_score(reading: Reading) -> tuple[Any, Floats, Any]:
    assert reading.score is not None  # noqa: S101  (whoever asks has looked)
    answers, score, positive = reading.score
    return answers.y, score, positive


def calibration_sentence(bins: Calibration) -> str:
    """The bin in which the probability is farthest from what came true, if chance does not explain that.

    Each bin is judged by the exact interval of its count, so much wider that all of them together hold with LEVEL.
    """
    level = 1.0 - (1.0 - LEVEL) / len(bins.count)
    true = np.round(bins.observed * bins.count)
    pairs = zip(true.tolist(), bins.count.tolist(), strict=True)
    low, high = np.array([proportion_interval(k, n, level, "clopper_pearson") for k, n in pairs]).T
    outside = (bins.predicted < low) | (bins.predicted > high)
    if not outside.any():
        return (
            "Its probabilities can be taken as they are: of rows that it gave about the same, about as many came true "
            "as was said."
        )
    gap = np.where(outside, np.abs(bins.predicted - bins.observed), -1.0)
    worst = int(gap.argmax())
    said, came = (percent(float(share[worst])) for share in (bins.predicted, bins.observed))
    return (
        f"Its probabilities do not come true everywhere: of {bins.count[worst]:,.0f} rows that it gave about "
        f"{said} for {quoted_name(bins.positive)}, {came} were so."
    )
