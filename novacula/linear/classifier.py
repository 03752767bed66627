"""What linear classifiers share: a row is given to the class on whose side of the planes b + Σ wⱼxⱼ = 0 it lies.

With two classes there is one plane, and its positive side is the second class; with more there is one a class, and
the largest value wins. `coef_` is (planes, d) and `intercept_` (planes,), as in scikit-learn.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from novacula.learner.base import Classifier
from novacula.learner.work import Work
from novacula.linear.finite import FiniteOnly
from novacula.linear.rows import count_weights, weighted_sums
from novacula.table import Table
from novacula.table.chunk import Floats


class LinearClassifier(FiniteOnly, Classifier):
    """Classes told apart by planes."""

    fit_intercept: bool
    coef_: Floats
    intercept_: Floats

    def decision_function(self, X: Any) -> Floats:
        """b + Σ wⱼxⱼ for each row: (n,) with two classes, (n, classes) with more."""
        table = self._query(X)
        coef, intercept = self.coef_.T, self.intercept_
        if len(self.classes_) == 2:
            coef, intercept = coef[:, 0], intercept[0]
        values: Floats = table.map(weighted_sums, coef, intercept)
        if not np.isfinite(values).all():
            self._refuse_not_finite(X, table)
        return values

    def predict(self, X: Any) -> Any:
        """The class of each row; on the plane itself the first of two."""
        values = self.decision_function(X)
        return self.classes_[(values > 0.0).astype(int) if values.ndim == 1 else values.argmax(axis=1)]

    def work(self, X: Any = None) -> Work:
        """Derive the planes with the numbers put in; with X, the predictions for its first rows."""
        check_is_fitted(self)
        if X is None:
            return self._derivation()
        return self._prediction_work(*self._first_rows(X))

    def _derivation(self) -> Work:
        raise NotImplementedError(f"{type(self).__name__} must derive its planes")

    def _prediction_work(self, rows: Floats, cut: bool) -> Work:
        """Derive the predictions for rows (n, d); `cut`: there were more."""
        raise NotImplementedError(f"{type(self).__name__} must derive its predictions")

    @property
    def n_parameters_(self) -> int:
        """Weights and intercepts that are not 0."""
        return count_weights(self.coef_, self.intercept_)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "coef_")

    def _start(self, X: Any, y: Any, sample_weight: Any) -> Table:
        """Begin a fit: what was passed as a table, with its schema and its classes kept."""
        self._validate_params()
        self._forget()
        table = self._ingest(X, y, sample_weight)
        self._remember(table)
        self.classes_ = self._told_apart(table)
        return table
