"""What fitted principal components can do: project rows and back, measure what is lost, and show themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted

from novacula.errors import DataError, ModelFileError, ParameterError
from novacula.learner import ingest
from novacula.learner.base import Unsupervised
from novacula.learner.figure import Figure
from novacula.learner.in_our_words import in_our_words
from novacula.learner.showing import WorkOptions
from novacula.learner.trace import FewRows, FitPath
from novacula.learner.work import Work
from novacula.projection.derivation.components import derive_components, derive_projection
from novacula.projection.figures import biplot_figure, scree_figure
from novacula.projection.gaussian import FLOOR, Normal
from novacula.projection.projecting import View, fill_rows, log_density, scores, squared_errors
from novacula.projection.trace import FillingTrace
from novacula.state import State, floats, nullable, number, one_of, optional, record, whole, word
from novacula.statistics import CoMoments
from novacula.table import Table
from novacula.table.chunk import Floats

LARGEST_FILLED = 5_000
"""Columns up to which rows that miss values are filled: the model of d × d numbers is 0.2 GB."""


class ComponentLearner(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Unsupervised):
    """Directions with their variances, however they were found."""

    state_types: ClassVar[tuple[type, ...]] = (FewRows, FillingTrace, FitPath)
    state: ClassVar[State] = {
        "n_features_in_": whole(least=1, size="numbers"),
        "components_": floats("components", "inputs"),
        "explained_variance_": floats("components", least=0.0),
        "explained_variance_ratio_": floats("components", least=0.0),
        "eigenvalues_": floats("eigenvalues+1", least=0.0),
        "mean_": floats("inputs"),
        "noise_variance_": number(least=0.0),
        "total_variance_": number(least=0.0),
        "n_samples_": number(above=1.0),
        "moments_": nullable(record(CoMoments, columns="inputs")),
        "trace_": optional(one_of(record(FewRows, columns="inputs"), record(FillingTrace, columns="inputs"))),
        "method_": word("covariance", "dual", "svd", "randomized", "em"),
    }

    whiten: bool
    components_: Floats  # (k, d)
    explained_variance_: Floats  # (k,)
    explained_variance_ratio_: Floats  # (k,)
    eigenvalues_: Floats
    mean_: Floats  # (d,)
    noise_variance_: float
    total_variance_: float
    n_samples_: float
    moments_: CoMoments | None
    trace_: FewRows | FillingTrace
    method_: str

    # --- rows to scores and back ----------------------------------------------------------------------------

    def transform(self, X: Any) -> Floats:
        """z = V(x − μ) of each row, over √λ if `whiten`; missing values count as what the model expects of them."""
        found = self._see(self._query(X, propagates=True), scores)
        if not self.whiten:
            return found
        deviations = self._deviations()
        with np.errstate(over="ignore"):
            white = found / deviations
        if np.isinf(white).any():
            i, j = np.argwhere(np.isinf(white))[0].tolist()
            what = f"score {j + 1} of row {i + 1}, {found[i, j]:.3g}, overflows over its deviation, {deviations[j]:.3g}"
            raise DataError(f"{what}: scale the columns before the fit, or take whiten=False")
        return white

    def inverse_transform(self, X: Any) -> Floats:
        """x̂ = μ + Vᵀz of each row of scores (n, k)."""
        check_is_fitted(self)
        with in_our_words():
            z = check_array(X, dtype=np.float64, input_name="X")
        if z.shape[1] != len(self.components_):
            raise DataError(f"X has {z.shape[1]} columns, but there are {len(self.components_)} components")
        return np.asarray((z * self._deviations() if self.whiten else z) @ self.components_ + self.mean_)

    def reconstruction_error(self, X: Any, sample_weight: Any = None) -> float:
        """The mean of ‖x − x̂‖² over rows, from their known values.

        On the rows of the fit it is (N−1)/N times the sum of the eigenvalues left out.
        """
        table = self._query(X, propagates=True)
        weight = ingest.weight_values(X) if isinstance(X, Table) else sample_weight
        return float(np.average(self._see(table, squared_errors), weights=weight))

    def _deviations(self) -> Floats:
        """√λ (k,), and 1 where there is no variance: such scores stay as they are."""
        variance = self.explained_variance_
        return np.sqrt(np.where(variance > 0.0, variance, 1.0))

    @property
    def n_parameters_(self) -> int:
        """The directions and the mean."""
        return self.components_.size + self.mean_.size

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    # --- as a density ---------------------------------------------------------------------------------------

    def score_samples(self, X: Any) -> Floats:
        """Log density of each row under probabilistic PCA; of its known values, where some are missing."""
        table = self._query(X, propagates=True)
        if not self._has_density():
            raise ParameterError(
                f"there is no density: the {len(self.mean_)} columns do not vary in every direction; keep so few "
                "n_components that the variance of others is not 0"
            )
        return self._see(table, log_density)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Mean log density of the rows: higher is better."""
        weight = ingest.weight_values(X) if isinstance(X, Table) else sample_weight
        return float(np.average(self.score_samples(X), weights=weight))

    def get_covariance(self) -> Floats:
        """The model's covariance, C = V diag(λ) Vᵀ + σ²(I − VVᵀ)."""
        return self._normal(floor=0.0).covariance

    def get_precision(self) -> Floats:
        """The inverse of the model's covariance, V diag(1/λ) Vᵀ + (I − VVᵀ)/σ²."""
        check_is_fitted(self)
        if not self._has_density():
            raise ParameterError("the model's covariance has no inverse: keep fewer n_components")
        rest = 1.0 / self.noise_variance_ if len(self.components_) < len(self.mean_) else 0.0
        precision = (self.components_.T * (1.0 / self.explained_variance_ - rest)) @ self.components_
        return np.asarray(precision + rest * np.eye(len(self.mean_)))

    def _has_density(self) -> bool:
        whole = len(self.components_) == len(self.mean_)
        return bool(self.explained_variance_[-1] > 0.0 and (whole or self.noise_variance_ > 0.0))

    def _normal(self, floor: float = FLOOR) -> Normal:
        check_is_fitted(self)
        if len(self.mean_) > LARGEST_FILLED:
            raise DataError(
                f"the model's covariance has {len(self.mean_):,} × {len(self.mean_):,} numbers; it is made for up to "
                f"{LARGEST_FILLED:,} columns: impute missing values first"
            )
        least = floor * max(float(self.explained_variance_[0]), np.finfo(float).tiny)
        return Normal.of(self.mean_, self.components_, self.explained_variance_, self.noise_variance_, least)

    # --- through a table ------------------------------------------------------------------------------------

    def _see(self, table: Table, function: Callable[..., Floats]) -> Floats:
        """An array per row; rows are filled only where the answers show that values are missing."""
        view = self._view(None)
        with np.errstate(invalid="ignore", over="ignore"):  # what is not finite is looked for next
            found = table.map(function, view)
        if not np.isfinite(found).all():
            found = table.map(function, self._view(self._normal()))
        return np.asarray(found)

    def _view(self, normal: Normal | None) -> View:
        return View(self.mean_, self.components_, self.explained_variance_, self.noise_variance_, normal)

    # --- explain --------------------------------------------------------------------------------------------

    def _derive(self, options: WorkOptions) -> Work:
        return derive_components(self, options)

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        chunk, cut = self._first_rows(X, options.rows)
        x = chunk.dense()
        complete = fill_rows(x, self._view(self._normal()) if np.isnan(x).any() else self._view(None))
        return derive_projection(self, x, complete, cut, options)

    def scree(self) -> Figure:
        """The share of the variance of each direction, and of the first ones together."""
        check_is_fitted(self)
        return scree_figure(self.eigenvalues_, self.total_variance_, len(self.components_))

    def biplot(self, X: Any, first: int = 0, second: int = 1) -> Figure:
        """Rows as points along two directions, and columns as arrows: how much each adds to them."""
        check_is_fitted(self)
        for place in (first, second):
            if not 0 <= place < len(self.components_):
                raise ParameterError(f"there is no component {place}: they are 0 to {len(self.components_) - 1}")
        found = self._see(self._query(X, propagates=True), scores)[:, [first, second]]
        return biplot_figure(self, found, (first, second))

    def _check_state(self) -> None:
        if self.moments_ is not None and not self.moments_.weight > 1.0:
            raise ModelFileError(
                f"its moments_ have a weight of {self.moments_.weight:g}, of which no variance follows"
            )

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "components_")
