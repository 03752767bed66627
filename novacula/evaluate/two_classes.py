"""A target of two sides, one class and the rest, and the score of each row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from novacula.arguments import as_numbers
from novacula.errors import DataError, ParameterError
from novacula.evaluate.loss import Floats, hits
from novacula.words import quoted

T = TypeVar("T")


def sides(y: Any, score: Any, positive: Any = None) -> tuple[npt.NDArray[np.bool_], Floats, Any]:
    """Which rows are of the positive class, their scores, and that class: by default the second of two."""
    target, scores = np.asarray(y), as_numbers(score, "the scores", DataError)
    if target.ndim != 1 or not len(target):
        raise DataError(f"the classes have shape {target.shape}; give one per row")
    if scores.shape != target.shape:
        raise DataError(
            f"scores of shape {scores.shape} were given for {len(target)} rows: give one number per row; of "
            "probabilities, the column of the positive class"
        )
    if np.isnan(scores).any():
        raise DataError(f"the score of row {int(np.argmax(np.isnan(scores))) + 1} is NaN")
    classes = np.unique(target)
    if len(classes) < 2:
        raise DataError(f"all rows are of the class {quoted(classes.tolist()[0])}: a curve needs rows of two classes")
    if positive is None:
        if len(classes) > 2:
            raise ParameterError(f"there are {len(classes)} classes: say which is positive, or use one_vs_rest")
        positive = classes.tolist()[1]
    is_positive = hits(target, np.array([positive]))[:, 0]
    if not is_positive.any():
        raise ParameterError(f"no row is of the class {quoted(positive)}, so it cannot be the positive one")
    return is_positive, scores, positive


def one_vs_rest(curve: Callable[..., T], y: Any, scores: Any, classes: Any = None) -> dict[Any, T]:
    """Give a curve for each class against all others: `one_vs_rest(roc, y, model.predict_proba(X), model.classes_)`.

    `curve` is `roc`, `precision_recall` or `calibration`. `classes` names the columns of the scores; without it they
    are the distinct values of y. A class without rows has no curve and is left out.

    >>> from novacula.evaluate import roc
    >>> shares = [[0.8, 0.1, 0.1], [0.2, 0.5, 0.3], [0.1, 0.3, 0.6], [0.4, 0.3, 0.3]]
    >>> {label: curve.auc for label, curve in one_vs_rest(roc, ["a", "b", "c", "b"], shares).items()}
    {'a': 1.0, 'b': 0.875, 'c': 1.0}
    """
    target = np.asarray(y)
    names = np.unique(target) if classes is None else np.asarray(classes)
    table = as_numbers(scores, "the scores", DataError)
    if table.ndim != 2 or table.shape[1] != len(names):
        raise DataError(f"scores of shape {table.shape} do not fit {len(names)} classes: give one column per class")
    columns = zip(names.tolist(), table.T, hits(target, names).T, strict=True)
    return {name: curve(target, column, positive=name) for name, column, mine in columns if mine.any()}
