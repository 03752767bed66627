"""What linear models share: ŷ = b + Σ wⱼxⱼ, and one way from a table to a system of equations."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from novacula.errors import DataError, ModelFileError, ParameterError, RankWarning, warn_user
from novacula.learner.base import Regressor
from novacula.learner.figure import Figure
from novacula.learner.left_out import LeftOut
from novacula.learner.showing import WorkOptions
from novacula.learner.trace import FewRows
from novacula.learner.work import Work
from novacula.linear.hat_matrix import left_out_of_plane
from novacula.linear.line_figure import line_figure
from novacula.linear.plane import PLANE, derive_predictions
from novacula.linear.problem import LeastSquaresProblem, ObservedColumns, RowsProblem, SumsProblem, observe_moments
from novacula.linear.rows import count_weights, is_flat, stored_precision, weighted_sums
from novacula.linear.solve import TRUSTED, CentredColumns, LeastSquaresSolution, NormalEquations
from novacula.state import Form, State, each, floats, nullable, number, one_of, optional, record, text, whole
from novacula.statistics import CoMoments
from novacula.table import Table
from novacula.table.chunk import Floats

NAMED = 5
"""Columns that a message names."""


def by_target(one: Form, several: Form) -> Form:
    """What a model has for one target that is given as such, and for targets in columns: all of it in one way."""
    return one_of(one, several, alike="layout of targets")


def require_observed(moments: CoMoments) -> None:
    """Refuse sums from a file that no rows can have: without weight, or with squares below zero."""
    if not moments.weight > 0.0 or np.diagonal(moments.scatter).min(initial=0.0) < 0.0:
        raise ModelFileError("its moments_ are not those of any rows: a weight or a sum of squares is too small")


class LinearModel(Regressor):
    """A weighted sum of columns and an intercept; for k targets `coef_` is (k, d) and `intercept_` (k,)."""

    remedy: ClassVar[str]
    """What helps against columns that are dependent."""
    notations: ClassVar[Mapping[str, Mapping[str, str]]] = PLANE

    state_types: ClassVar[tuple[type, ...]] = (FewRows,)
    state: ClassVar[State] = {
        "n_features_in_": whole(least=1, size="numbers"),
        "target_names_": each(text(), "targets"),
        "coef_": by_target(floats("inputs"), floats("targets", "inputs")),
        "intercept_": one_of(number(), floats("targets")),  # without an intercept, 0 for all targets
        "x_centre_": floats("inputs"),
        "y_centre_": floats("targets"),
        "moments_": nullable(record(CoMoments, columns="inputs+targets")),
        "trace_": optional(record(FewRows, columns="inputs+targets")),
    }

    fit_intercept: bool
    coef_: Any
    intercept_: Any
    x_centre_: Floats
    y_centre_: Floats
    moments_: CoMoments | None
    trace_: Any
    solver_: str
    target_names_: list[str]

    def predict(self, X: Any) -> Any:
        """ŷ = b + Σ wⱼxⱼ for each row."""
        check_is_fitted(self)
        return self._answers(X, weighted_sums, self.coef_.T, self.intercept_, propagates=True)

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        chunk, cut = self._first_rows(X, options.rows)
        return derive_predictions(self, chunk.dense(), cut, options.is_full)

    def figure(self, X: Any, y: Any) -> Figure:
        """The data and the line through them, of a model of one column and one target."""
        check_is_fitted(self)
        if self.n_features_in_ != 1 or len(self.target_names_) != 1:
            raise ParameterError(
                f"a line is drawn for one column and one target, not for {self.n_features_in_} and "
                f"{len(self.target_names_)}"
            )
        x, target = self._query(X).to_chunk().dense()[:, 0], np.asarray(y, np.float64).ravel()
        if len(x) != len(target):
            raise DataError(f"X has {len(x)} rows and y {len(target)}: give one target for each")
        [name], title = self.schema_.column_names([0]), f"{self.target_names_[0]}: the data and the line"
        return line_figure(
            x, target, {"ŷ": lambda at: self.predict(at[:, None]).ravel()}, name, self.target_names_[0], title
        )

    @property
    def n_parameters_(self) -> int:
        """Weights and intercepts that are not 0."""
        return count_weights(self.coef_, self.intercept_)

    def _left_out_of_plane(self, X: Any, y: Any, alpha: float) -> LeftOut:
        """What the other rows of the fit say of each, from its leverage."""
        x = self._query(X).to_chunk().dense()
        return left_out_of_plane(x, np.asarray(y, np.float64), self.predict(X), alpha, self.fit_intercept)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "coef_")

    def _check_state(self) -> None:
        n_targets = len(self.target_names_)
        if n_targets == 0 or (self.coef_.ndim == 1 and n_targets > 1):
            raise ModelFileError(f"its coef_ of shape {self.coef_.shape} does not fit its {n_targets} target_names_")
        if self.moments_ is not None:
            require_observed(self.moments_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    # --- in -------------------------------------------------------------------------------------------------

    def _remember(self, table: Table) -> None:
        super()._remember(table)
        self.target_names_ = list(table.layout.target)

    def begin_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Table:
        """Check the parameters, forget the last fit, and give the table that a new one would learn from."""
        return self._begun(X, y, sample_weight)

    def _grown_problem(self, table: Table, first: bool) -> SumsProblem:
        """The sums of a table and of all rows before, of any shape."""
        if first:
            moments, flat = observe_moments(table), is_flat(table)
        else:
            moments, flat = self._sums_of(table) + observe_moments(table), self.coef_.ndim == 1
        system = NormalEquations.of(moments, stored_precision(table), self.fit_intercept)
        return SumsProblem(moments, system, None, flat)

    def _sums_of(self, table: Table) -> CoMoments:
        """The sums so far, if there are any to which those of the table can be added."""
        if self.moments_ is None:
            raise ParameterError(
                f"this {type(self).__name__} was fitted on fewer rows than columns and kept no sums: "
                "fit it on all rows at once, or begin with partial_fit"
            )
        n_targets, k = len(self.target_names_), len(table.layout.target)
        if n_targets != k:
            raise DataError(f"y has {k} targets, but {type(self).__name__} was fitted on {n_targets}")
        return self.moments_

    # --- out ------------------------------------------------------------------------------------------------

    def _set(self, problem: ObservedColumns, coef: Floats) -> None:
        """Keep coefficients (d, k), and the intercept that makes the plane pass through the means."""
        centre, d = problem.columns.centre, len(coef)
        self.moments_, self.x_centre_, self.y_centre_ = problem.moments, centre[:d], centre[d:]
        intercept = self.y_centre_ - self.x_centre_ @ coef
        self.coef_ = coef[:, 0].copy() if problem.flat else np.ascontiguousarray(coef.T)
        self.intercept_ = 0.0 if not self.fit_intercept else float(intercept[0]) if problem.flat else intercept

    def _keep_few_rows(self, problem: LeastSquaresProblem) -> None:
        """Keep rows that are fewer than columns, and so few that they can be written out."""
        if isinstance(problem, RowsProblem) and FewRows.are_few(*problem.rows.shape):
            self.trace_ = FewRows(problem.rows.copy())

    def _warn_of_rank(self, problem: LeastSquaresProblem, solution: LeastSquaresSolution) -> None:
        """Say where coefficients are one choice of many, or have few digits."""
        d, columns = self.n_features_in_, problem.columns
        if solution.rank < d:
            words = (
                f"the columns span {solution.rank} of {d} directions{self._constant(columns)}, so many "
                "coefficients fit equally well, and those of least norm are given: drop columns, "
            )
        elif solution.doubt > TRUSTED:
            digits = max(0, math.floor(-math.log10(solution.doubt)))
            words = (
                f"the columns are so nearly dependent that about {digits} digits of the coefficients can "
                f"be trusted: {'fit all rows at once' if solution.solver == 'sums' else 'drop columns'}, "
            )
        else:
            return
        warn_user(f"{type(self).__name__}: {words}{self.remedy}", RankWarning)

    def _constant(self, columns: CentredColumns) -> str:
        still = np.flatnonzero(~columns.varies)
        if not len(still):
            return ""
        names = ", ".join(map(repr, self.schema_.column_names(still[:NAMED])))
        return f" ({names}{', …' if len(still) > NAMED else ''} {'does' if len(still) == 1 else 'do'} not vary)"
