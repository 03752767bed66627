"""Cross-validation: the errors of models on the rows that they were fitted on, and on rows that they have not seen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from novacula.arguments import as_vector
from novacula.errors import ParameterError
from novacula.evaluate.derivation.errors import derive_cross_validation
from novacula.evaluate.folds import Folds
from novacula.evaluate.folds import folds as cut
from novacula.evaluate.intervals import standard_error
from novacula.evaluate.loss import Floats, LossFunction, LossLike, metric_name
from novacula.evaluate.printing import TabularResult
from novacula.evaluate.rows import SupervisedRows, is_classifier, loss_for, rows_for
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Work, WorkTable
from novacula.words import counted


@dataclass(frozen=True, eq=False)
class CrossValidation(TabularResult):
    """The errors of each fold, by the name of the loss: on the rows of the fit, and on those held out."""

    train: Mapping[str, Floats]  # (k,) each
    validation: Mapping[str, Floats]  # (k,) each
    reason: str = ""  # why the folds are not those requested, if they are not

    @classmethod
    def of_errors(cls, validation: npt.ArrayLike, train: npt.ArrayLike | None = None, name: str = "error") -> Self:
        """The errors of folds that are known already, on the rows held out and, if at hand, on the rows of the fit.

        >>> print(CrossValidation.of_errors([5.1, 3.7, 4.6, 4.6, 3.3]))
        5 folds, lower is better
        measure     in training  in validation  standard error
        ──────────  ───────────  ─────────────  ──────────────
        mean error                        4.26        0.329545
        """
        held_out = as_vector(validation, "validation", np.size(validation))
        if len(held_out) < 2:
            raise ParameterError(f"there is {counted(len(held_out), 'error')}; give that of each fold, of two at least")
        own = {} if train is None else {name: as_vector(train, "train", len(held_out))}
        return cls(own, {name: held_out})

    def mean(self, name: str) -> float:
        """The mean validation error of a loss over the folds."""
        return float(self.validation[name].mean())

    @property
    def means(self) -> dict[str, float]:
        """The mean validation error of each loss."""
        return {name: self.mean(name) for name in self.validation}

    @property
    def train_means(self) -> dict[str, float]:
        """The mean error of each loss on the rows of the fit."""
        return {name: float(errors.mean()) for name, errors in self.train.items()}

    @property
    def standard_errors(self) -> dict[str, float]:
        """The standard error of each mean validation error."""
        return {name: self.standard_error(name) for name in self.validation}

    def standard_error(self, name: str) -> float:
        """The standard error of that mean, as if folds were independent."""
        return standard_error(self.validation[name])

    def _derive(self, options: WorkOptions) -> Work:
        return derive_cross_validation(self)

    def table(self) -> WorkTable:
        """Mean training and validation errors, with the standard error of the latter."""
        rows = [
            (metric_name(name), self.train_means.get(name, ""), self.mean(name), self.standard_error(name))
            for name in self.validation
        ]
        k = len(next(iter(self.validation.values())))
        header = ("measure", "in training", "in validation", "standard error")
        return WorkTable(header, tuple(rows), f"{k} folds, lower is better{self.reason and f': {self.reason}'}")


def cross_validate(
    learner: Any,
    X: Any,
    y: Any = None,
    folds: int | Iterable[Any] = 10,
    loss: LossLike | Sequence[LossLike] | None = None,
    *,
    sample_weight: Any = None,
    random_state: Any = 0,
) -> CrossValidation:
    """Fit on all folds but one and measure on that one, for each of them.

    `folds` is a number, a result of `novacula.evaluate.folds`, pairs of row numbers, or a scikit-learn splitter.
    `loss` is one loss or several.

    >>> import novacula as nv
    >>> from novacula.bayes import NaiveBayes
    >>> print(cross_validate(NaiveBayes(), nv.datasets.load("play_tennis"), folds=5))
    5 folds, lower is better
    measure     in training  in validation  standard error
    ──────────  ───────────  ─────────────  ──────────────
    error rate    0.0893939       0.266667        0.124722
    """
    rows = rows_for(learner, X, y, sample_weight)
    parts = folds_of(learner, rows, folds, random_state)
    listed = [loss] if loss is None or isinstance(loss, str) or callable(loss) else loss
    chosen = [loss_for(learner, entry) for entry in listed]
    names = [entry.name for entry in chosen]
    if len(set(names)) != len(names):
        raise ParameterError(f"two losses have the same name, of {', '.join(names)}: give each a name of its own")
    errors = np.array([fold_errors(learner, rows, pair, chosen) for pair in parts])  # (k, 2, losses)
    train, validation = ({name: errors[:, side, j] for j, name in enumerate(names)} for side in (0, 1))
    return CrossValidation(train, validation, parts.reason)


def fold_errors(
    learner: Any, rows: SupervisedRows, pair: tuple[Any, Any], losses: Sequence[LossFunction]
) -> tuple[list[float], list[float]]:
    """The mean losses on the rows of the fit and on those held out, of one fold."""
    train, held_out = rows.take(pair[0]), rows.take(pair[1])
    model = train.fit(learner)
    return [train.loss(model, entry) for entry in losses], [held_out.loss(model, entry) for entry in losses]


def folds_of(learner: Any, rows: SupervisedRows, folds: Any, random_state: Any = 0) -> Folds:
    """Folds of the rows from a number, pairs of row numbers, or a splitter; classes are stratified."""
    if isinstance(folds, Folds):
        return folds
    if hasattr(folds, "split"):
        return Folds(tuple(folds.split(rows.y, rows.y)))
    if isinstance(folds, Iterable):
        pairs = tuple((np.asarray(train), np.asarray(held_out)) for train, held_out in folds)
        if not pairs:
            raise ParameterError("there are no folds: give a number of at least 2, or pairs of row numbers")
        return Folds(pairs)
    return cut(rows.y, folds, is_classifier(learner), random_state)
