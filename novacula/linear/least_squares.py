"""Least squares: the weights that make Σ (y − b − Σ wⱼxⱼ)² smallest.

The minimum is where the gradient is zero: XᵀX w = Xᵀy (the normal equations) for columns about their means,
and b = ȳ − Σ wⱼx̄ⱼ. With normal errors of one variance it is the maximum of the likelihood, with variance
Σ (y − ŷ)² / n. One pass over the rows gives the sums; a second one is made only where they cannot be trusted.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from scipy import linalg
from sklearn.utils.validation import check_is_fitted

from novacula.learner.card import Card
from novacula.learner.left_out import LeftOut
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Work
from novacula.linear.derivation import derive_least_squares
from novacula.linear.model import LinearModel, by_target
from novacula.linear.problem import LeastSquaresProblem, observe_problem
from novacula.linear.rows import NUMBERS_CARD
from novacula.linear.solve import CentredColumns, LeastSquaresSolution
from novacula.linear.summary import RegressionSummary, summarise
from novacula.state import State, floats, number, whole, word
from novacula.table import Table
from novacula.table.chunk import Floats


class LinearRegression(LinearModel):
    """Ordinary least squares, with the inference that belongs to it.

    Fitted: `coef_`, `intercept_`, `sigma_` (the standard deviation of the errors by maximum likelihood),
    `r2_`, `rank_` and `singular_` of the centred columns, `solver_`, `x_centre_` and `y_centre_` (the point that the
    plane passes through), `weight_` (that of all rows), `unit_errors_` (standard errors of intercept and coefficients
    for a σ of 1, NaN where columns are dependent), and the sums `moments_`, to which `partial_fit` adds; None where
    there were fewer rows than columns. `summary()` has standard errors, t, p and intervals. Weights are repetitions.
    Where columns are dependent, the coefficients are those of least norm, and a `RankWarning` says so.

    >>> import numpy as np
    >>> x, y = np.array([[1], [3], [2], [1.5], [4]]), np.array([1, 2.2, 2, 1.9, 3.1])
    >>> model = LinearRegression().fit(x, y)
    >>> print(f"{model.coef_[0]:.6f} x + {model.intercept_:.6f}")
    0.584483 x + 0.695690
    >>> origin = LinearRegression(fit_intercept=False).fit(x, y)
    >>> print(f"{origin.coef_[0]:.6f} x, variance {origin.sigma_ ** 2:.6f}")
    0.832558 x, variance 0.141163
    """

    card: ClassVar[Card] = Card(
        name="Linear regression",
        task="regression",
        summary="A plane through the data: the target is a weighted sum of the columns plus an intercept.",
        hypothesis_space="ŷ = b + Σ wⱼxⱼ, for all real weights w and intercepts b.",
        inductive_bias="A unit of a column changes the target by the same amount, regardless of the others.",
        objective="Σ (y − ŷ)², the negative log-likelihood under normal errors of equal variance.",
        search="Exact: the normal equations by Cholesky, by singular values where they are ill-conditioned.",
        noise="Normal errors of one variance in the target; a single outlier can move the plane far.",
        **NUMBERS_CARD,
        uses="reduce",
        interpretability="High: one weight for each column, with its deviation.",
        answer_cost="d for each row.",
        cost="One pass of n·d² and d³ to solve, in memory for d² numbers. Where columns are nearly "
        "dependent, a second pass of 2·n·d². With fewer rows than columns all rows are taken at once, n·d "
        "numbers. Sparse columns are made dense chunk by chunk.",
        cost_exponents={"n": 1, "d": 2},
        needs=("full_rank",),
        references=(
            "C. F. Gauss, Theoria motus corporum coelestium, 1809",
            "Å. Björck, Numerical Methods for Least Squares Problems, 1996",
        ),
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"fit_intercept": ["boolean"]}
    state: ClassVar[State] = {
        "sigma_": by_target(number(least=0.0), floats("targets", least=0.0)),
        "r2_": by_target(number(), floats("targets")),
        "weight_": number(above=0.0),
        "rank_": whole(most="inputs"),
        "singular_": floats("directions", least=0.0),
        "unit_errors_": floats("inputs+1", finite=False),  # NaN where columns are dependent
        "solver_": word("cholesky", "qr", "svd", "sums"),
    }
    remedy = "or use Ridge"
    sigma_: Any
    r2_: Any
    rank_: int
    singular_: Floats
    weight_: float
    unit_errors_: Floats

    def __init__(self, *, fit_intercept: bool = True) -> None:
        self.fit_intercept = fit_intercept

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Add rows to the fit: the sums are those of all rows so far, and so is the model."""
        return self._fit_more(X, y, sample_weight)

    def _learn(self, table: Table) -> None:
        problem = observe_problem(table, self.fit_intercept)
        self._keep(problem, problem.solve())

    def _learn_more(self, table: Table, first: bool) -> None:
        problem = self._grown_problem(table, first)
        self._keep(problem, problem.solve())

    def _keep(self, problem: LeastSquaresProblem, solution: LeastSquaresSolution) -> None:
        columns = problem.columns
        self._set(problem, solution.coef)
        self._keep_few_rows(problem)
        sigma, r2 = np.sqrt(solution.error / columns.weight), determination(columns, solution.error)
        self.sigma_, self.r2_ = (float(sigma[0]), float(r2[0])) if problem.flat else (sigma, r2)
        self.weight_, self.rank_, self.solver_ = columns.weight, solution.rank, solution.solver
        self.singular_ = linalg.svdvals(solution.factor)
        self.unit_errors_ = unit_errors(columns, solution, self.fit_intercept)
        self._warn_of_rank(problem, solution)

    def left_out(self, X: Any, y: Any) -> LeftOut:
        """What the other rows of the fit say of each, from its leverage."""
        return self._left_out_of_plane(X, y, alpha=0.0)

    def summary(self, level: float = 0.95) -> RegressionSummary:
        """Standard errors, t, p and confidence intervals of the coefficients, and how well the plane fits."""
        check_is_fitted(self)
        return summarise(self, level)

    def _derive(self, options: WorkOptions) -> Work:
        return derive_least_squares(self, options)


def determination(columns: CentredColumns, error: Floats) -> Floats:
    """R² = 1 − Σ (y − ŷ)² / Σ (y − ȳ)²; of a target that does not vary 1 if it is met, else 0."""
    varies = columns.spread > columns.floor
    share = np.divide(error, columns.spread, out=np.ones_like(error), where=varies)
    return np.where(~varies & (error <= columns.floor), 1.0, 1.0 - share)


def unit_errors(columns: CentredColumns, solution: LeastSquaresSolution, intercept: bool) -> Floats:
    """Standard errors of intercept and coefficients for σ = 1 (1 + d,): roots of the diagonal of (XᵀX)⁻¹.

    NaN where the columns are dependent, so that no coefficient has a value of its own.
    """
    d = len(columns.noise)
    if solution.rank < d:
        return np.full(1 + d, np.nan)
    root, _ = linalg.lapack.dtrtri(np.linalg.qr(solution.factor, mode="r"))  # root rootᵀ = (XᵀX)⁻¹
    lever = 1.0 / columns.weight + ((columns.centre[:d] @ root) ** 2).sum() if intercept else 0.0
    return np.sqrt(np.append(lever, (root**2).sum(axis=1)))
