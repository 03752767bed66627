"""Leave-one-out: what would have been said of each row by a model that has not seen it.

Some learners need not be fitted n times. With the hat matrix H of least squares, ŷ = Hy, a row that is left out has the
residual (y − ŷ) / (1 − h); neighbours are asked without the row itself; naive Bayes takes the row off its counts and
solves again. Rows for which that does not hold, such as the only one of its class, are left out by fitting again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from novacula.evaluate.intervals import standard_error
from novacula.evaluate.loss import Floats, LossFunction
from novacula.evaluate.printing import Printed
from novacula.evaluate.rows import Rows, loss_for, predictions, rows_for
from novacula.learner.work import WorkTable

Answer: TypeAlias = tuple[npt.NDArray[Any], npt.NDArray[np.bool_]]
"""Predictions for the rows, and which of them can be trusted."""

TRUSTED = 1e-5
"""How far from 1 a leverage must be: (y − ŷ) / (1 − h) has as many digits more wrong as 1 − h has zeros."""


@dataclass(frozen=True, eq=False)
class LeaveOneOut(Printed):
    """What models that have not seen a row say of it, and what that costs."""

    predictions: npt.NDArray[Any]  # (n, …), as the loss needs them
    losses: Floats  # (n,)
    loss: str
    method: str  # how it was found
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

    def table(self) -> WorkTable:
        """The error and how it was found."""
        header = ("loss", "rows", "error", "standard error", "method", "fits")
        row = (self.loss, len(self.losses), self.error, self.standard_error, self.method, self.n_fits)
        return WorkTable(header, (row,), "Leave-one-out error, lower is better")


def leave_one_out(
    learner: Any, X: Any, y: Any = None, *, loss: str | LossFunction | None = None, sample_weight: Any = None
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
    shortcut = closed_form(learner) if which.needs in ("labels", "numbers") and rows.weight is None else None
    if shortcut is None:
        said, losses = _refitted(learner, rows, which, np.arange(len(rows)))
        return LeaveOneOut(said, losses, which.name, "refitting", len(rows), rows.weight)
    method, answer = shortcut
    said, known = answer(learner, rows)
    losses = np.empty(len(rows))
    losses[known] = which(rows.y[known], said[known]) if known.any() else 0.0
    again = np.flatnonzero(~known)
    if len(again):
        said[again], losses[again] = _refitted(learner, rows, which, again)
    return LeaveOneOut(said, losses, which.name, method if known.any() else "refitting", 1 + len(again))


def _refitted(learner: Any, rows: Rows, which: LossFunction, places: Any) -> tuple[npt.NDArray[Any], Floats]:
    """Predictions and losses of these rows by models of all others."""
    said, losses, everyone = [], np.empty(len(places)), np.arange(len(rows))
    for i, place in enumerate(places):
        model, row = rows.take(np.delete(everyone, place)).fit(learner), rows.take(np.array([place]))
        said.append(predictions(model, row.X, which)[0])
        losses[i] = which(row.y, [said[-1]], getattr(model, "classes_", None))[0]
    if len({np.shape(one) for one in said}) > 1:  # a class was gone with its only row
        ragged = np.empty(len(said), object)
        ragged[:] = said
        return ragged, losses
    return np.array(said), losses


def closed_form(learner: Any) -> tuple[str, Callable[[Any, Rows], Answer]] | None:
    """The name and the function of a learner's shortcut, None where it has none."""
    from novacula.bayes import NaiveBayes
    from novacula.linear import LinearRegression, Ridge
    from novacula.neighbors import KNeighborsClassifier, KNeighborsRegressor

    kind = type(learner)
    if kind is LinearRegression or (kind is Ridge and _plain_ridge(learner)):
        return "hat matrix", by_hat_matrix
    if kind in (KNeighborsClassifier, KNeighborsRegressor) and _plain_neighbours(learner):
        return "neighbours without the row", by_neighbours
    if kind is NaiveBayes:
        from novacula.evaluate.naive_bayes_left_out import by_counts

        return "counts without the row", by_counts
    return None


def _plain_ridge(learner: Any) -> bool:
    """Whether the penalty is one number that no row can change."""
    return isinstance(learner.alpha, Real) and not learner.positive and learner.penalty_factor is None


def _plain_neighbours(learner: Any) -> bool:
    """Whether distances and k stay what they are when a row goes: scales would change with it."""
    return learner.scale is None and learner.metric != "heom" and not isinstance(learner.n_neighbors, str)


def by_hat_matrix(learner: Any, rows: Rows) -> Answer:
    """y − (y − ŷ) / (1 − h) for least squares and ridge."""
    model = rows.fit(learner)
    x = model._query(rows.X).to_chunk().dense()
    free = 1.0 - leverages(x, float(getattr(learner, "alpha", 0.0)), learner.fit_intercept)
    known = free > TRUSTED
    y = np.asarray(rows.y, np.float64)
    share = np.where(known, free, 1.0).reshape(-1, *(1 for _ in y.shape[1:]))
    return y - (y - model.predict(rows.X)) / share, known


def leverages(x: Floats, alpha: float, intercept: bool) -> Floats:
    """The diagonal of X(XᵀX + αI)⁻¹Xᵀ, with 1/n more for an intercept, from singular values."""
    from scipy.linalg import svd

    x = x - x.mean(axis=0) if intercept else x
    if alpha == 0.0:  # then the units of columns do not matter, but for which directions count as none
        lengths = np.linalg.norm(x, axis=0)
        x = x / np.where(lengths > 0.0, lengths, 1.0)
    u, s, _ = svd(x, full_matrices=False)
    none = s <= s.max(initial=0.0) * max(x.shape) * np.finfo(np.float64).eps
    kept = np.where(none, 0.0, s**2 / np.where(none, 1.0, s**2 + alpha))
    return np.asarray(u**2 @ kept + (1.0 / len(x) if intercept else 0.0))


def by_neighbours(learner: Any, rows: Rows) -> Answer:
    """What the nearest other rows say."""
    from novacula.learner.base import Classifier
    from novacula.neighbors.index import in_blocks
    from novacula.neighbors.votes import winners

    model = rows.fit(learner)
    held, k, own = model.examples_["rows"], model.n_neighbors_, np.arange(len(rows))
    model._require_places(k, left_out=True)

    def said(block: slice) -> Any:
        found = model._neighbours(held[block], k, own[block])
        if isinstance(model, Classifier):
            return model.classes_[winners(model._votes(found, k))]
        means = model._means(found, k)
        return means[:, 0] if rows.y.ndim == 1 else means

    return np.concatenate(in_blocks(said, len(rows), model._width(k + 1))), np.ones(len(rows), bool)
