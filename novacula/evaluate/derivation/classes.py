"""Counts of right and wrong calls, and what is made of them: precision and recall, ROC, calibration."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.learner.derivation import SHOWN, cut_table, only_first
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Step, Work
from novacula.mathematics import Equation, word
from novacula.words import shortened

if TYPE_CHECKING:
    from novacula.evaluate.calibration import Calibration
    from novacula.evaluate.confusion import Confusion
    from novacula.evaluate.precision_recall import PrecisionRecall
    from novacula.evaluate.roc import RocCurve

COUNTS = {
    "TP": "positive and called so",
    "FN": "positive and missed",
    "FP": "negative and called positive",
    "TN": "negative and called so",
}


def derive_confusion(result: Confusion, options: WorkOptions) -> Work:
    """The error rate, and for each class what was found and what was right."""
    names, matrix = [str(label) for label in result.labels], result.matrix
    right = np.diagonal(matrix)
    error = Equation(
        "error",
        "1 - sum(n[c] for c in _) / N",
        {"n[c]": dict(zip(names, right, strict=True)), "N": float(matrix.sum())},
        of=("error",),
        where={"n[c]": "rows of class ⟦c⟧ that were called so", "N": "rows"},
    )
    steps = [Step("The error rate", error, table=result.table(), figure=result.plot())]
    most = len(names) if options.is_full else min(SHOWN, len(names))
    for k in range(most):
        steps.append(Step(f"Class {shortened(names[k])}", tuple(class_equations(result, k))))
    return Work("Confusion", steps, only_first(most, len(names), "class"))


def class_equations(result: Confusion, k: int) -> Iterator[Equation]:
    """Precision, recall and F1 of a class against the others, and its specificity."""
    matrix, c = result.matrix, word(str(result.labels[k]))
    found, total = float(matrix[k, k]), float(matrix.sum())
    missed, alarms = float(matrix[k].sum() - found), float(matrix[:, k].sum() - found)
    counts = {f"TP[{c}]": found, f"FN[{c}]": missed, f"FP[{c}]": alarms, f"TN[{c}]": total - found - missed - alarms}

    def share(name: str, right: str, of: tuple[str | int, ...] = ()) -> Equation:
        used = {key: value for key, value in counts.items() if key in right}
        return Equation(f"{name}[{c}]", right, used, of, {key: COUNTS[key[:2]] for key in used})

    if found + alarms:
        yield share("precision", f"TP[{c}] / (TP[{c}] + FP[{c}])", ("precision", k))
    if found + missed:
        yield share("recall", f"TP[{c}] / (TP[{c}] + FN[{c}])", ("recall", k))
    if total > found + missed:
        yield share("specificity", f"TN[{c}] / (TN[{c}] + FP[{c}])")
    if found + missed + alarms:
        yield share("F_1", f"2 * TP[{c}] / (2 * TP[{c}] + FP[{c}] + FN[{c}])", ("f1", k))


def derive_roc(result: RocCurve, options: WorkOptions) -> Work:
    """Counts at each threshold, sensitivity and specificity where both are best, and the area."""
    m, n = result.n_positive, result.n_negative
    tp, fp = result.true_positives, result.false_positives
    rows = [
        (float(t), float(a), float(b), float(n - b), float(m - a), float(a / m), float(1 - b / n))
        for t, a, b in zip(result.thresholds, tp, fp, strict=True)
    ]  # fmt: skip
    header = ("threshold", "TP", "FP", "TN", "FN", "sensitivity", "specificity")
    most = len(rows) if options.is_full else 20
    table = cut_table(header, rows, len(rows), "Rows are called positive from the threshold on.", most=most)
    shares = (
        Equation("TPR", "T / m", {"T": tp, "m": m}, ("tpr",), {"T": "TP by threshold", "m": "rows that are positive"}),
        Equation("FPR", "F / n", {"F": fp, "n": n}, ("fpr",), {"F": "FP by threshold", "n": "rows that are negative"}),
    )
    steps = [Step("Counts at each threshold", shares, table=table)]
    best = int(np.argmax(result.tpr - result.fpr))
    counts = {"TP": tp[best], "FN": m - tp[best], "FP": fp[best], "TN": n - fp[best]}

    def share(left: str, right: str, of: tuple[str | int, ...]) -> Equation:
        used = {key: float(value) for key, value in counts.items() if key in right}
        return Equation(left, right, used, of, {key: COUNTS[key] for key in used})

    steps.append(
        Step(
            f"At the threshold ⟦{float(result.thresholds[best])!r}⟧, where sensitivity and specificity add up to most",
            (
                share("sensitivity", "TP / (TP + FN)", ("tpr", best)),
                share("specificity", "TN / (TN + FP)", ()),
            ),
        )
    )
    widths, heights = np.diff(result.fpr), (result.tpr[1:] + result.tpr[:-1]) / 2
    area = Equation(
        "AUC",
        "sum(w[i] * h[i] for i in _)",
        {"w": widths, "h": heights},
        of=("auc",),
        where={"w": "steps of the false positive rate", "h": "mean true positive rate over each"},
    )
    steps.append(Step("The area under the curve", area, figure=result.plot()))
    return Work(f"ROC of {shortened(str(result.positive))}", steps)


def derive_precision_recall(result: PrecisionRecall) -> Work:
    """The average precision as a sum over the steps of recall."""
    area = Equation(
        "AP",
        "sum((R[i] - R[i + 1]) * p[i] for i in range(m))",
        {"R": result.recall, "p": result.precision, "m": len(result.thresholds)},
        of=("average_precision",),
        where={"R": "recall, falling", "p": "precision", "m": "thresholds"},
    )
    title = f"Precision and recall of {shortened(str(result.positive))}"
    return Work(title, [Step("The average precision", area, figure=result.plot())])


def derive_calibration(result: Calibration) -> Work:
    """The Brier score and its parts, from the bins."""
    n, p, o = result.count, result.predicted, result.observed
    base = float(n @ o / n.sum())
    bins: dict[str, Any] = {"n": n, "p": p, "o": o}
    where = {"n": "rows of each bin", "p": "mean prediction of each", "o": "share of each that came true"}
    every = "sum(n[b] for b in _)"
    of_all = {"n": where["n"], "o": where["o"], "ō": "share of all rows"}
    share = Equation("ō", f"sum(n[b] * o[b] for b in _) / {every}", {"n": n, "o": o}, where=of_all)
    gap = f"sum(n[b] * (p[b] - o[b]) ** 2 for b in _) / {every}"
    spread = f"sum(n[b] * (o[b] - ō) ** 2 for b in _) / {every}"
    parts = {name: getattr(result, name) for name in ("reliability", "resolution", "uncertainty", "within")}
    total = Equation(
        "Brier",
        "reliability - resolution + uncertainty + within",
        parts,
        of=("brier",),
        where={"within": "what predictions of one bin differ by"},
    )
    even = Equation("uncertainty", "ō * (1 - ō)", {"ō": base}, of=("uncertainty",))
    apart = Equation("resolution", spread, {"n": n, "o": o, "ō": base}, of=("resolution",))
    steps = [
        Step("The bins", share, table=result.table(), figure=result.plot()),
        Step(
            "Reliability: how far predictions are from what comes true",
            Equation("reliability", gap, bins, of=("reliability",), where=where),
        ),
        Step("Resolution: how far bins are from the share of all", apart),
        Step("Uncertainty: that of the share itself", even),
        Step("The Brier score", total),
    ]
    return Work(f"Calibration of {shortened(str(result.positive))}", steps)
