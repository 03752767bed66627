"""The confusion matrix: how many rows of each class were predicted as which class."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from novacula.errors import DataError, ParameterError
from novacula.evaluate.derivation.classes import derive_confusion
from novacula.evaluate.loss import Floats, hits
from novacula.evaluate.printing import TabularResult
from novacula.learner.figure import INK, Figure, few_digits, literal
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Work, WorkTable
from novacula.words import quoted, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MANY_LABELS, SIDE = 30, 4.0
"""Classes beyond which cells are drawn without their numbers and names."""


@dataclass(frozen=True, eq=False)
class Confusion(TabularResult):
    """Counts of rows: a row of the matrix is the true class, a column the predicted one."""

    labels: tuple[Any, ...]
    matrix: Floats  # (K, K)

    @property
    def support(self) -> Floats:
        """Rows of each class."""
        return np.asarray(self.matrix.sum(axis=1))

    @property
    def precision(self) -> Floats:
        """For each class, the share of the rows predicted as it that are; NaN where none was predicted so."""
        return _over(np.diagonal(self.matrix), self.matrix.sum(axis=0))

    @property
    def recall(self) -> Floats:
        """For each class, the share of its rows that were predicted as it; NaN where it has no rows."""
        return _over(np.diagonal(self.matrix), self.support)

    @property
    def f1(self) -> Floats:
        """The harmonic mean of both: 2·right / (rows of the class + rows predicted as it)."""
        return _over(2 * np.diagonal(self.matrix), self.support + self.matrix.sum(axis=0))

    @property
    def error(self) -> float:
        """The error rate: the share of rows that were predicted wrong."""
        return 1.0 - float(np.trace(self.matrix) / self.matrix.sum())

    def _derive(self, options: WorkOptions) -> Work:
        return derive_confusion(self, options)

    def table(self) -> WorkTable:
        """The matrix, with precision, recall and F1 of each class."""
        names = [str(label) for label in self.labels]
        measures = np.column_stack([self.precision, self.recall, self.f1])
        rows = [
            (name, *counts, *("" if np.isnan(v) else v for v in values))
            for name, counts, values in zip(names, self.matrix.tolist(), measures.tolist(), strict=True)
        ]
        header = ("true", *(f"predicted {name}" for name in names), "precision", "recall", "F1")
        return WorkTable(
            header, tuple(rows), f"{100 * self.error:.3g}% of {_rows(float(self.matrix.sum()))} rows are wrong"
        )

    def plot(self) -> Figure:
        """The matrix, each cell shaded by its share of the rows of its class."""
        k = len(self.labels)
        worst = self._worst()
        alt = f"Confusion matrix of {k} classes over {_rows(float(self.matrix.sum()))} rows, of which {worst}."
        size = 2.2 + (0.62 * k if k <= MANY_LABELS else SIDE)
        return Figure(self._draw, alt, "Confusion matrix", (size + 1.0, size))

    def _worst(self) -> str:
        wrong = self.matrix - np.diag(np.diagonal(self.matrix))
        if not wrong.any():
            return "none is wrong"
        i, j = np.unravel_index(int(wrong.argmax()), wrong.shape)
        often = "once" if wrong[i, j] == 1 else f"{_rows(float(wrong[i, j]))} times"
        return (
            f"{100 * self.error:.3g}% are wrong; most often {self.labels[i]} is predicted as {self.labels[j]}, {often}"
        )

    def _draw(self, axes: Axes) -> None:
        shares = np.nan_to_num(_over(self.matrix, self.support[:, None]))
        axes.imshow(shares, cmap="Blues", vmin=0.0, vmax=1.0)
        axes.spines[:].set_visible(False)
        axes.tick_params(length=0)
        axes.set_xlabel("predicted")
        axes.set_ylabel("true")
        places = np.arange(len(self.labels))
        if len(places) > MANY_LABELS:
            axes.set_xticks([])
            axes.set_yticks([])
            return
        names = [literal(shortened(str(label), 16)) for label in self.labels]
        upright = max(map(len, names)) > 6
        axes.set_xticks(places, names, rotation=45 if upright else 0, ha="right" if upright else "center")
        axes.set_yticks(places, names)
        for i, j in np.ndindex(self.matrix.shape):
            colour = "white" if shares[i, j] > 0.6 else INK
            axes.text(j, i, _rows(float(self.matrix[i, j])), ha="center", va="center", color=colour)


def _rows(count: float) -> str:
    """A number of rows, which weights may make a fraction."""
    return few_digits(count) if count % 1.0 else f"{count:,.0f}"


def confusion(y: Any, prediction: Any, labels: Any = None, sample_weight: Any = None) -> Confusion:
    """Count the predicted classes of the rows of each class; `labels` gives the classes and their order.

    >>> print(confusion(["a", "a", "b", "b", "b"], ["a", "b", "b", "b", "a"]))
    40% of 5 rows are wrong
    true  predicted a  predicted b  precision    recall        F1
    ────  ───────────  ───────────  ─────────  ────────  ────────
    a               1            1        0.5       0.5       0.5
    b               1            2   0.666667  0.666667  0.666667
    """
    truth, predicted = np.asarray(y), np.asarray(prediction)
    if truth.ndim != 1 or truth.shape != predicted.shape or not len(truth):
        raise DataError(
            f"classes of shape {truth.shape} and predictions of shape {predicted.shape} do not fit: give one per row"
        )
    names = _names(truth, predicted) if labels is None else np.asarray(labels)
    doubled = [label for label, times in Counter(names.tolist()).items() if times > 1]
    if doubled:
        raise ParameterError(f"labels holds {quoted(doubled[0])} twice: name each class once")
    weight = np.ones(len(truth)) if sample_weight is None else np.asarray(sample_weight, np.float64)
    if weight.shape != truth.shape or not weight.sum() > 0:
        raise DataError(f"weights of shape {weight.shape} do not fit {len(truth)} rows, or sum to zero")
    i, j = (_codes(values, names) for values in (truth, predicted))
    matrix = np.zeros((len(names), len(names)))
    np.add.at(matrix, (i, j), weight)
    return Confusion(tuple(names.tolist()), matrix)


def _names(truth: npt.NDArray[Any], predicted: npt.NDArray[Any]) -> npt.NDArray[Any]:
    if (truth.dtype.kind in "iufb") != (predicted.dtype.kind in "iufb"):
        raise DataError("the classes are words and the predictions numbers, or vice versa: give both in the same form")
    return np.unique(np.concatenate([truth, predicted]))


def _codes(values: npt.NDArray[Any], names: npt.NDArray[Any]) -> npt.NDArray[np.intp]:
    matches = hits(values, names)
    if not matches.any(axis=1).all():
        strange = values.tolist()[int(np.argmin(matches.any(axis=1)))]
        raise ParameterError(f"labels do not name the class {quoted(strange)}, which occurs: name every class")
    return matches.argmax(axis=1)


def _over(part: npt.ArrayLike, whole: npt.ArrayLike) -> Floats:
    """Shares; NaN where the whole is 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.asarray(part, np.float64) / np.asarray(whole, np.float64))
