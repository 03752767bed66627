"""Learning curves: the error over the number of examples, on those that were learned from and on others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from novacula.errors import ParameterError
from novacula.evaluate.cross_validation import fold_errors, folds_of
from novacula.evaluate.error_curve import ErrorCurve
from novacula.evaluate.folds import Places
from novacula.evaluate.loss import LossLike
from novacula.evaluate.rows import is_classifier, loss_for, rows_for
from novacula.words import quoted

SHARES = (0.1, 0.2, 0.4, 0.6, 0.8, 1.0)


@dataclass(frozen=True, eq=False)
class LearningCurve(ErrorCurve):
    """Errors for m numbers of examples and k folds."""


def learning_curve(
    learner: Any,
    X: Any,
    y: Any = None,
    sizes: Sequence[float] | None = None,
    folds: int | Iterable[Any] = 5,
    *,
    loss: LossLike | None = None,
    sample_weight: Any = None,
    random_state: Any = 0,
) -> LearningCurve:
    """Measure the error after more and more examples, in each of the folds.

    `sizes` are numbers of examples, or shares of a fold's training rows. The examples of a size are among those of the
    next, and classes keep their shares in each of them.

    >>> import numpy as np
    >>> from novacula.linear import LinearRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 5))
    >>> curve = learning_curve(LinearRegression(), X, X @ np.arange(5) + rng.normal(size=200), [10, 40, 160])
    >>> curve.validation_mean.round(1).tolist()
    [1.7, 1.1, 1.0]
    """
    rows, which = rows_for(learner, X, y, sample_weight), loss_for(learner, loss)
    parts, rng = folds_of(learner, rows, folds, random_state), np.random.default_rng(random_state)
    numbers = counts_of(SHARES if sizes is None else sizes, min(len(train) for train, _ in parts))
    errors = np.empty((len(numbers), len(parts), 2))
    for j, (train, held_out) in enumerate(parts):
        order = train[mixed_order(rows.y[train] if is_classifier(learner) else np.zeros(len(train)), rng)]
        for i, n in enumerate(numbers):
            errors[i, j] = np.ravel(fold_errors(learner, rows, (order[:n], held_out), [which]))
    return LearningCurve("examples", numbers, errors[:, :, 0], errors[:, :, 1], which.name)


def counts_of(sizes: Sequence[float], available: int) -> tuple[int, ...]:
    """Numbers of examples, rising; shares are of those available."""
    numbers: list[int] = []
    for size in sizes:
        share = isinstance(size, float) and size <= 1.0
        n = round(size * available) if share else size
        if not isinstance(n, Real) or n != int(n) or not 1 <= n <= available:
            raise ParameterError(
                f"a size is {quoted(size)}; give shares above 0 and at most 1, or numbers from 1 to {available}, "
                "the training rows of the smallest fold"
            )
        numbers.append(int(n))
    if not numbers or len(set(numbers)) != len(numbers):
        raise ParameterError("sizes must be at least one number of examples, each different")
    return tuple(sorted(numbers))


def mixed_order(classes: Any, rng: np.random.Generator) -> Places:
    """A random order of rows in which every prefix has the classes in about their shares."""
    codes, count = np.unique(classes, return_inverse=True, return_counts=True)[1:]
    place = np.empty(len(codes))
    for c, n in enumerate(count):
        place[codes == c] = (rng.permutation(n) + rng.random()) / n
    return np.argsort(place, kind="stable")
