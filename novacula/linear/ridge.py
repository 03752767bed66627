"""Ridge regression: least squares with a price on large weights.

    minimise Σ (y − b − Σ wⱼxⱼ)² + α Σ fⱼwⱼ²        (XᵀX + αF) w = Xᵀy for columns about their means, F = diag(f)

The intercept is free of charge, and so are columns with fⱼ = 0; as a rule all fⱼ are 1, and F is I. Then these are
the most probable weights if a priori they are normal with variance
σ²/α. With fewer rows than columns the equations (XXᵀ + αI) a = y, w = Xᵀa are smaller and say the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.utils._param_validation import Interval, StrOptions

from novacula.errors import DataError, ParameterError
from novacula.learner.card import Card
from novacula.learner.left_out import LeftOut
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Work
from novacula.linear.derivation import derive_ridge
from novacula.linear.model import by_target
from novacula.linear.penalised import PenalisedModel
from novacula.linear.penalties import as_grid, one_per_target
from novacula.linear.penalty_path import PenaltyPath, choose_penalty
from novacula.linear.problem import (
    LeastSquaresProblem,
    leave_one_out,
    observe_problem,
    solve_positive,
    solve_prices,
    spectrum_of,
)
from novacula.linear.rows import NUMBERS_CARD
from novacula.state import State, floats, optional, word
from novacula.table import Table
from novacula.table.chunk import Floats

LEFT_OUT = by_target(
    floats("penalties+1", least=0.0, finite=False), floats("penalties+1", "targets", least=0.0, finite=False)
)
"""Errors for each penalty; infinite where a row is met by itself alone, so that it cannot be left out."""


class Ridge(PenalisedModel):
    """Least squares with a penalty of α on the squares of the weights.

    `alpha` is a number that is not negative, one number per target, or "loo": that of `alphas` with the least
    leave-one-out error, or with choice="one_standard_error" the largest that is as good within the error of that
    error. `alpha=0` is `LinearRegression`. `positive` allows no weight below zero. `penalty_factor` multiplies the
    penalty of each column: a list, or a mapping from names, 1 elsewhere; 0 leaves a column free of charge.

    Fitted: `coef_`, `intercept_`, `alpha_`, `solver_`; with "loo" also `loo_error_`, the mean squared error of rows
    left out for each of `alphas_`, and its `loo_std_error_`; `x_centre_`, `y_centre_`; and the sums `moments_`, to
    which `partial_fit` adds, None where there were fewer rows than columns. Weights of rows are repetitions.

    >>> import numpy as np
    >>> x, y = np.array([[1], [3], [2], [1.5], [4]]), np.array([1, 2.2, 2, 1.9, 3.1])
    >>> model = Ridge(alpha=1.0).fit(x, y)
    >>> print(f"{model.coef_[0]:.6f} x + {model.intercept_:.6f}")
    0.498529 x + 0.893382
    >>> Ridge(alpha="loo", alphas=[0.01, 0.1, 1.0]).fit(x, y).alpha_
    0.01
    """

    card: ClassVar[Card] = Card(
        name="Ridge regression",
        task="regression",
        summary="A plane through the data whose slopes are held small by a penalty on their squares.",
        hypothesis_space="ŷ = b + Σ wⱼxⱼ, for all real weights w and intercepts b.",
        inductive_bias="Small weights, shared among columns that say the same; the units of columns matter.",
        objective="Σ (y − ŷ)² + α Σ fⱼwⱼ², the negative log posterior under normal errors and normal weights.",
        search="Exact: (XᵀX + αI) w = Xᵀy by Cholesky, by singular values where ill-conditioned; α from "
        "a grid by the leave-one-out error in closed form; weights that must not be negative by coordinate descent.",
        noise="Normal errors of one variance in the target; the penalty does not help against outliers.",
        **NUMBERS_CARD,
        uses="reduce",
        interpretability="High: one weight for each column, shrunk towards 0.",
        answer_cost="d for each row.",
        cost="One pass of n·d² and d³ to solve, in memory for d² numbers; one more pass to leave rows out. "
        "With fewer rows than columns all rows are taken at once (the dual form): n·d numbers, n²·d steps. "
        "Sparse columns are made dense chunk by chunk.",
        cost_exponents={"n": 1, "d": 2},
        needs=("scaled",),
        size="alpha",
        sizes=lambda extent: tuple(extent.n_rows * share for share in (10.0, 1.0, 0.1, 0.01, 1e-3, 1e-4)),
        references=("A. E. Hoerl and R. W. Kennard, Ridge regression, Technometrics 12, 1970",),
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "alpha": [Interval(Real, 0, None, closed="left"), "array-like", StrOptions({"loo"})],
        "fit_intercept": ["boolean"],
        "alphas": ["array-like"],
        "positive": ["boolean"],
        "penalty_factor": ["array-like", dict, None],
        "choice": [StrOptions({"best", "one_standard_error"})],
    }
    state: ClassVar[State] = {
        "solver_": word("cholesky", "qr", "svd", "sums", "dual", "spectrum", "coordinate"),
        "alphas_": optional(floats("penalties+1", least=0.0), beside="loo_error_"),
        "loo_error_": optional(LEFT_OUT),
        "loo_std_error_": optional(LEFT_OUT, beside="loo_error_"),
    }

    alphas_: Floats
    loo_error_: Floats
    loo_std_error_: Floats

    def __init__(
        self,
        alpha: Any = 1.0,
        *,
        fit_intercept: bool = True,
        alphas: Sequence[float] | Floats = (1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0, 1e3),
        positive: bool = False,
        penalty_factor: Any = None,
        choice: str = "best",
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.alphas = alphas
        self.positive = positive
        self.penalty_factor = penalty_factor
        self.choice = choice

    def _learn(self, table: Table) -> None:
        problem = observe_problem(table, self.fit_intercept)
        self._keep(problem, self._penalties(problem))

    def _learn_more(self, table: Table, first: bool) -> None:
        problem = self._grown_problem(table, first)
        self._keep(problem, self._penalties(problem))

    def _keep(self, problem: LeastSquaresProblem, penalties: Floats) -> None:
        solve = solve_positive if self.positive else solve_prices
        solutions = {alpha: solve(problem, float(alpha), self.column_factors()) for alpha in np.unique(penalties)}
        self._set(problem, np.column_stack([solutions[alpha].coef[:, k] for k, alpha in enumerate(penalties)]))
        self._keep_few_rows(problem)
        hardest = solutions[penalties.min()]
        self.solver_ = hardest.solver
        self._warn_of_rank(problem, hardest)
        self.alpha_ = float(penalties[0]) if (penalties == penalties[0]).all() else penalties.copy()

    def _penalties(self, problem: LeastSquaresProblem) -> Floats:
        """One α per target (k,)."""
        k = len(self.target_names_)
        if not isinstance(self.alpha, str):
            return one_per_target(self.alpha, k)
        self._require_closed_form("alpha='loo'")
        self.alphas_ = as_grid(self.alphas)
        spectrum = spectrum_of(problem, self.alphas_.min(), self.column_factors())
        both = leave_one_out(problem, spectrum, self.alphas_, self.fit_intercept)
        if not np.isfinite(both[0]).any():
            raise DataError("alpha='loo' can leave out no row, as with one sample: give more rows")
        self.loo_error_, self.loo_std_error_ = (e[:, 0] if problem.flat else e for e in both)
        error, std_error = (e.mean(axis=1) for e in both)
        return np.full(k, self.alphas_[choose_penalty(self.alphas_, error, std_error, self.choice)])

    def left_out(self, X: Any, y: Any) -> LeftOut | None:
        """What the other rows of the fit say of each, from its leverage, if no row can change the penalty."""
        one_price = isinstance(self.alpha, Real) and self.penalty_factor is None
        return self._left_out_of_plane(X, y, float(self.alpha)) if one_price and not self.positive else None

    def _require_closed_form(self, what: str) -> None:
        if self.positive:
            raise ParameterError(
                f"{what} has no closed form with positive=True: give alpha as a number, "
                "or use Lasso(l1_ratio=0, positive=True, alpha='cv', alphas=…)"
            )

    def path(self, X: Any, y: Any = None, alphas: Any = None, sample_weight: Any = None) -> RidgePath:
        """The coefficients for each of `alphas`, from one decomposition; the learner stays as it is."""
        self._require_closed_form("a path")
        learner = clone(self)
        grid = as_grid(self.alphas if alphas is None else alphas)
        problem = observe_problem(learner.begin_fit(X, y, sample_weight), self.fit_intercept)
        spectrum = spectrum_of(problem, grid.min(), learner.column_factors())
        coef = spectrum.coefficients(grid).swapaxes(1, 2)  # (m, k, d)
        error, std_error = leave_one_out(problem, spectrum, grid, self.fit_intercept)
        centre = problem.columns.centre
        intercept = centre[coef.shape[2] :] - coef @ centre[: coef.shape[2]]
        names = learner.schema_.column_names()
        if problem.flat:
            return RidgePath(grid, coef[:, 0], intercept[:, 0], names, error[:, 0], std_error[:, 0])
        return RidgePath(grid, coef, intercept, names, error, std_error)

    def _derive(self, options: WorkOptions) -> Work:
        return derive_ridge(self, options)


@dataclass(frozen=True, eq=False)
class RidgePath(PenaltyPath):
    """Ridge regression for m penalties; arrays have an axis k after the first if y had columns."""

    loo_error: Floats  # (m,) or (m, k), mean squared error of rows that were left out
    loo_std_error: Floats  # (m,) or (m, k), its standard error

    def errors(self) -> tuple[Floats, Floats]:
        """The leave-one-out errors and their standard errors."""
        return self.loo_error, self.loo_std_error
