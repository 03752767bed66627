"""Leave-one-out: the prediction for each row by a model that has not seen it.

Some learners need not be fitted n times: their `left_out` says what they would answer without each row of their fit.
Rows for which that does not hold, such as the only one of its class, are left out by fitting again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from novacula.evaluate.derivation.errors import derive_left_out
from novacula.evaluate.intervals import standard_error
from novacula.evaluate.loss import Floats, LossFunction, LossLike, metric_name
from novacula.evaluate.printing import TabularResult
from novacula.evaluate.rows import SupervisedRows, loss_for, predictions, rows_for
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Work, WorkTable


@dataclass(frozen=True, eq=False)
class LeaveOneOut(TabularResult):
    """The predictions for each row by models that have not seen it, and their losses."""

    predictions: npt.NDArray[Any]  # (n, …), as the loss needs them
    losses: Floats  # (n,)
    loss: str
    method: str  # how it was measured
    n_fits: int  # models that were fitted
    weight: Floats | None = None

    @property
    def error(self) -> float:
        """The mean loss, by weight."""
        return float(np.average(self.losses, weights=self.weight))

    @property
    def standard_error(self) -> float:
        """The standard error of the mean loss, as if the rows' losses were independent."""
        return standard_error(self.losses)

    def _derive(self, options: WorkOptions) -> Work:
        return derive_left_out(self)

    def table(self) -> WorkTable:
        """The error and how it was measured."""
        header = ("rows", metric_name(self.loss), "standard error", "method", "fits")
        row = (len(self.losses), self.error, self.standard_error, self.method, self.n_fits)
        return WorkTable(header, (row,), "Leave-one-out error, lower is better")


def leave_one_out(
    learner: Any, X: Any, y: Any = None, *, loss: LossLike | None = None, sample_weight: Any = None
) -> LeaveOneOut:
    """Leave out each row once, in closed form where the learner has one.

    >>> import numpy as np
    >>> from novacula.linear import LinearRegression
    >>> x, y = np.array([[1.0], [3.0], [2.0], [1.5], [4.0]]), np.array([1, 2.2, 2, 1.9, 3.1])
    >>> result = leave_one_out(LinearRegression(), x, y)
    >>> round(result.error, 4), result.method, result.n_fits
    (0.1457, 'hat matrix', 1)
    """
    rows, which = rows_for(learner, X, y, sample_weight), loss_for(learner, loss)
    everyone = np.arange(len(rows))
    if not _may_have_shortcut(learner) or which.needs not in ("labels", "numbers") or rows.weight is not None:
        answers, losses = _refit_without(learner, rows, which, everyone)
        return LeaveOneOut(answers, losses, which.name, "refitting", len(rows), rows.weight)
    shortcut = rows.fit(learner).left_out(rows.X, rows.y)
    if shortcut is None or not shortcut.trusted.any():
        answers, losses = _refit_without(learner, rows, which, everyone)
        return LeaveOneOut(answers, losses, which.name, "refitting", 1 + len(rows))
    trusted, answers, losses = shortcut.trusted, shortcut.predictions.copy(), np.empty(len(rows))
    losses[trusted] = which(rows.y[trusted], answers[trusted])
    again = np.flatnonzero(~trusted)
    if len(again):
        answers[again], losses[again] = _refit_without(learner, rows, which, again)
    return LeaveOneOut(answers, losses, which.name, shortcut.method, 1 + len(again))


def _may_have_shortcut(learner: Any) -> bool:
    """Whether a learner has a `left_out` of its own, so that a fit to call it is worth its time."""
    from novacula.learner.base import Learner

    return isinstance(learner, Learner) and type(learner).left_out is not Learner.left_out


def _refit_without(
    learner: Any, rows: SupervisedRows, which: LossFunction, places: Any
) -> tuple[npt.NDArray[Any], Floats]:
    """Predictions and losses of these rows by models of all others."""
    answers, losses, everyone = [], np.empty(len(places)), np.arange(len(rows))
    for i, place in enumerate(places):
        model, row = rows.take(np.delete(everyone, place)).fit(learner), rows.take(np.array([place]))
        answers.append(predictions(model, row.X, which)[0])
        losses[i] = which(row.y, [answers[-1]], getattr(model, "classes_", None))[0]
    if len({np.shape(one) for one in answers}) > 1:  # a class lost its only row
        ragged = np.empty(len(answers), object)
        ragged[:] = answers
        return ragged, losses
    return np.array(answers), losses
