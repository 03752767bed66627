"""What linear classifiers share: a row gets the class on whose side of the planes b + Σ wⱼxⱼ = 0 it is.

With two classes there is one plane, and its positive side is the second class; with more there is one per class, and
the largest value wins. `coef_` is (planes, d) and `intercept_` (planes,), as in scikit-learn.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from novacula.errors import ModelFileError
from novacula.learner import ingest
from novacula.learner.base import Classifier, require_target
from novacula.learner.figure import Figure
from novacula.linear.classes_figure import classes_figure
from novacula.linear.plane import PLANE
from novacula.linear.rows import count_weights, weighted_sums
from novacula.state import State, floats, whole
from novacula.table import Table
from novacula.table.chunk import Floats


class LinearClassifier(Classifier):
    """Classes separated by planes."""

    notations: ClassVar[Mapping[str, Mapping[str, str]]] = PLANE
    state: ClassVar[State] = {
        "n_features_in_": whole(least=1, size="numbers"),
        "coef_": floats("planes", "inputs"),
        "intercept_": floats("planes"),
    }

    fit_intercept: bool
    coef_: Floats
    intercept_: Floats

    def decision_function(self, X: Any) -> Floats:
        """b + Σ wⱼxⱼ for each row: (n,) with two classes, (n, classes) with more."""
        check_is_fitted(self)
        coef, intercept = self.coef_.T, self.intercept_
        if len(self.classes_) == 2:
            coef, intercept = coef[:, 0], intercept[0]
        return np.asarray(self._answers(X, weighted_sums, coef, intercept, propagates=True))

    def predict(self, X: Any) -> Any:
        """The class of each row; on the plane itself the first of two."""
        values = self.decision_function(X)
        return self.classes_[self._is_second(values).astype(int) if values.ndim == 1 else values.argmax(axis=1)]

    def _is_second(self, values: Floats) -> Any:
        """Which values of two classes speak for the second."""
        return values > 0.0

    def figure(self, X: Any, y: Any = None) -> Figure:
        """Rows of two columns, some of every class, and where the classes meet; a table brings its own target."""
        check_is_fitted(self)
        if isinstance(X, Table):
            y = ingest.target_values(self._with_target(X if y is None else X.with_target(y)))
        require_target(self, y)
        return classes_figure(self, self._query(X).to_chunk().dense(), y)

    @property
    def n_parameters_(self) -> int:
        """Weights and intercepts that are not 0."""
        return count_weights(self.coef_, self.intercept_)

    def _check_state(self) -> None:
        n_classes, n_planes = len(self.classes_), len(self.coef_)
        if n_classes < 2 or n_planes != (1 if n_classes == 2 else n_classes):
            raise ModelFileError(f"its coef_ has {n_planes} planes, which do not separate {n_classes} classes_")

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "coef_")
