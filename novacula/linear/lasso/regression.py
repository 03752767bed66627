"""The lasso and the elastic net: least squares with a price on the size of weights that makes most of them zero.

    minimise Σ (y − b − Σ wⱼxⱼ)² / 2n + α·ρ Σ fⱼ|wⱼ| + ½α(1 − ρ) Σ fⱼwⱼ²        ρ = l1_ratio, n = total weight

A weight is not zero only if its column goes along with the residual: |xⱼᵀr|/n = αρfⱼ for those that are not zero, and
at most that for the others. The intercept is free of charge, and so are columns with fⱼ = 0.
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from novacula.learner.card import Card
from novacula.learner.iterate import Run, warn_unless_converged
from novacula.learner.showing import WorkOptions
from novacula.learner.trace import FitPath
from novacula.learner.work import Work
from novacula.linear.lasso.derivation import derive_lasso, derive_round
from novacula.linear.lasso.path import LassoPath, LassoTerms, largest_penalties, penalty_grid
from novacula.linear.lasso.problem import DealtFolds, LassoProblem
from novacula.linear.lasso.sums import GramSums, RowsSums
from novacula.linear.lasso.working_set import LassoSolution, LassoState, LassoTrace, WorkingSet, solve_sparse
from novacula.linear.model import by_target
from novacula.linear.penalised import PenalisedModel
from novacula.linear.penalties import as_grid, as_penalties, one_per_target
from novacula.linear.penalty_path import choose_penalty
from novacula.linear.rows import NUMBERS_CARD
from novacula.state import State, flag, floats, indices, number, optional, record, whole, word
from novacula.table import Table
from novacula.table.chunk import Floats

FEW = 512
"""Columns up to which one fit makes all of their products, rather than those that it needs."""
FEW_OF_A_PATH = 2048
"""The same for many fits."""

LEFT_OUT = by_target(floats("penalties+1", least=0.0), floats("penalties+1", "targets", least=0.0))
"""Errors for each penalty."""
LISTS_OF_ROWS = "it sets cv to lists of rows, but here folds follow from what rows hold, and cv is their number"


class Lasso(PenalisedModel):
    """Least squares with a penalty of α on the absolute values of the weights, most of which become zero.

    `alpha` is a number, one number per target, or "cv": chosen from `alphas`, or from `n_alphas` that fall from the
    least α that makes all weights zero to a share `eps` of it, by `cv`-fold cross-validation; `choice` says how. With
    `l1_ratio` below 1 it is the elastic net. `positive` allows no weight below zero. `penalty_factor` multiplies the
    penalty of each column: a list, or a mapping from names, 1 elsewhere; 0 leaves a column free of charge.

    Fitted: `coef_`, `intercept_`, `active_` (columns with a weight), `alpha_`, `alpha_max_` (the least α that makes
    all weights zero), `dual_gap_` (the objective is at most that far above its minimum), `history_`, `n_iter_`,
    `converged_`, `solver_`; of each column `squares_`, Σx²/n, and `correlation_`, how it goes along with the residual,
    of which `error_` is the mean square; `trace_`, the rounds of the first target, for
    `work`; `x_centre_`, `y_centre_` and `moments_` as for `Ridge`; with "cv" also `alphas_`, `cv_error_`,
    `cv_std_error_`. Several targets are solved each for itself, and `history_` adds them up.
    Weights of rows are repetitions.

    >>> import numpy as np
    >>> X = np.array([[1, 1, 0], [2, -1, 1], [3, 1, 0], [4, -1, -1], [5, 0, 0]])
    >>> model = Lasso(alpha=0.5).fit(X, [1, 2, 3, 4, 6])
    >>> model.coef_.round(6).tolist(), model.active_.tolist()
    ([0.95, 0.0, 0.0], [0])
    """

    card: ClassVar[Card] = Card(
        name="Lasso and elastic net",
        task="regression",
        summary="A plane through the data that uses few columns: a penalty on absolute weights makes the others zero.",
        hypothesis_space="ŷ = b + Σ wⱼxⱼ, for all real weights w and intercepts b.",
        inductive_bias="Few columns matter; of columns that say the same, one is taken (the elastic net shares). "
        "The units of columns matter.",
        objective="Σ (y − ŷ)²/2n + αρ Σ fⱼ|wⱼ| + ½α(1 − ρ) Σ fⱼwⱼ², the negative log posterior under normal errors "
        "and double-exponential weights.",
        search="Coordinate descent and the equations of the signs on a working set of columns, until the duality gap "
        "is below tol of the objective; α from a grid by cross-validation.",
        noise="Normal errors of one variance in the target; the penalty does not help against outliers.",
        **NUMBERS_CARD,
        uses="reduce",
        interpretability="Very high: few columns have a weight.",
        answer_cost="d for each row.",
        cost="Up to 512 columns (2048 for a path) and no more than rows: one pass of n·d² and d² numbers. Otherwise "
        "some passes of n·d, and d numbers besides the products of the columns that are used; sparse columns stay "
        "sparse. With alpha='cv' and more columns than that, the rows are held in memory.",
        cost_exponents={"n": 1, "d": 1},
        needs=("scaled",),
        size="alpha",
        sizes=lambda extent: tuple(extent.target_spread * share for share in (1.0, 0.3, 0.1, 0.03, 0.01, 3e-3, 1e-3)),
        references=(
            "R. Tibshirani, Regression shrinkage and selection via the lasso, JRSS B 58, 1996",
            "H. Zou and T. Hastie, Regularization and variable selection via the elastic net, JRSS B 67, 2005",
        ),
        expected_failures={
            "check_sample_weight_equivalence_on_dense_data": LISTS_OF_ROWS,
            "check_sample_weight_equivalence_on_sparse_data": LISTS_OF_ROWS,
        },
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "alpha": [Interval(Real, 0, None, closed="left"), "array-like", StrOptions({"cv"})],
        "l1_ratio": [Interval(Real, 0, 1, closed="both")],
        "fit_intercept": ["boolean"],
        "positive": ["boolean"],
        "penalty_factor": ["array-like", dict, None],
        "alphas": ["array-like", None],
        "n_alphas": [Interval(Integral, 1, None, closed="left")],
        "eps": [Interval(Real, 0, 1, closed="neither")],
        "cv": [Interval(Integral, 2, None, closed="left")],
        "choice": [StrOptions({"best", "one_standard_error"})],
        "tol": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 0, None, closed="left")],
        "random_state": ["random_state"],
    }
    state_types: ClassVar[tuple[type, ...]] = (FitPath, LassoTrace)
    state: ClassVar[State] = {
        "solver_": word("sums", "rows"),
        "alpha_max_": by_target(number(least=0.0), floats("targets", least=0.0)),
        "active_": indices("inputs", "active"),
        "squares_": floats("inputs", least=0.0),
        "correlation_": by_target(floats("inputs"), floats("targets", "inputs")),
        "error_": by_target(number(least=0.0), floats("targets", least=0.0)),
        "dual_gap_": by_target(number(), floats("targets")),
        "history_": floats("rounds+1"),
        "n_iter_": whole(size="rounds"),
        "converged_": flag(),
        "trace_": record(LassoTrace, columns="inputs"),
        "alphas_": optional(floats("penalties+1", least=0.0), beside="cv_error_"),
        "cv_error_": optional(LEFT_OUT),
        "cv_std_error_": optional(LEFT_OUT, beside="cv_error_"),
    }

    alpha_max_: Any
    dual_gap_: Any
    trace_: LassoTrace

    def __init__(
        self,
        alpha: Any = 1.0,
        l1_ratio: float = 1.0,
        *,
        fit_intercept: bool = True,
        positive: bool = False,
        penalty_factor: Any = None,
        alphas: Any = None,
        n_alphas: int = 100,
        eps: float = 1e-3,
        cv: int = 5,
        choice: str = "best",
        tol: float = 1e-10,
        max_iter: int = 100,
        random_state: Any = None,
    ) -> None:
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.positive = positive
        self.penalty_factor = penalty_factor
        self.alphas = alphas
        self.n_alphas = n_alphas
        self.eps = eps
        self.cv = cv
        self.choice = choice
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def _learn(self, table: Table) -> None:
        many = isinstance(self.alpha, str)
        self._solve(problem_of(self, table, folds=many, few=FEW_OF_A_PATH if many else FEW))

    def _learn_more(self, table: Table, first: bool) -> None:
        grown = self._grown_problem(table, first)
        self._solve(LassoProblem(GramSums(grown.moments, grown.system, grown.flat), terms_of(self), self.fit_intercept))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        largest = 0.0 if isinstance(self.alpha, str) else as_penalties(self.alpha, "alpha").max(initial=0.0)
        # From α = 1 on no weight is left where the target has variance 1.
        tags.regressor_tags.poor_score = bool(largest >= 1.0)
        return tags

    # --- solve ----------------------------------------------------------------------------------------------

    def _solve(self, problem: LassoProblem) -> None:
        sums, terms, working = problem.sums, problem.terms, WorkingSet(problem.sums)
        starts, largest = largest_penalties(working, terms)
        alphas = self._penalties(problem, largest)
        recorder = LassoTrace.recorder()
        solved = [
            solve_sparse(working, k, terms.price(alpha), start, terms.tol, terms.max_iter, None if k else recorder)
            for k, (alpha, start) in enumerate(zip(alphas.tolist(), starts, strict=True))
        ]
        self._set(sums, np.column_stack([part.state.coef for part in solved]))
        self.solver_ = "sums" if isinstance(sums, GramSums) else "rows"
        self._keep_states(sums, solved)
        self.alpha_ = float(alphas[0]) if (alphas == alphas[0]).all() else alphas.copy()
        self.alpha_max_ = float(largest[0]) if sums.flat else largest
        self.trace_ = LassoTrace(recorder.kept())
        self._keep_runs([part.run for part in solved])

    def _keep_states(self, sums: GramSums | RowsSums, solved: list[LassoSolution]) -> None:
        """What the derivation needs: nothing of it grows with the rows, nor with the square of the columns."""
        states, gaps = [part.state for part in solved], [part.gap for part in solved]
        self.active_ = np.flatnonzero(np.any([state.coef != 0.0 for state in states], axis=0))
        self.squares_ = sums.squares.copy()
        correlation, error = np.array([s.correlation for s in states]), np.array([s.error for s in states])
        self.correlation_ = correlation[0] if sums.flat else correlation
        self.error_ = float(error[0]) if sums.flat else error
        self.dual_gap_ = float(gaps[0]) if sums.flat else np.array(gaps)

    def _keep_runs(self, runs: list[Run[LassoState]]) -> None:
        if not all(run.history for run in runs):
            raise OverflowError("the objective has no finite value at the start")
        rounds = max(len(run.history) for run in runs)
        padded = [np.pad(run.history, (0, rounds - len(run.history)), mode="edge") for run in runs]
        self.history_, self.n_iter_ = np.sum(padded, axis=0), rounds - 1
        self.converged_ = all(run.converged for run in runs)
        worst = next((run for run in runs if not run.converged), runs[0])
        warn_unless_converged(worst, type(self).__name__)

    def _penalties(self, problem: LassoProblem, largest: Floats) -> Floats:
        """One α per target (k,)."""
        if not isinstance(self.alpha, str):
            return one_per_target(self.alpha, len(self.target_names_))
        self.alphas_ = self._grid(self.alphas, problem.terms, largest)
        error, std_error = problem.validate(self.alphas_)
        self.cv_error_, self.cv_std_error_ = (e[:, 0] if problem.sums.flat else e for e in (error, std_error))
        chosen = [choose_penalty(self.alphas_, *both, self.choice) for both in zip(error.T, std_error.T, strict=True)]
        return self.alphas_[chosen]

    def _grid(self, alphas: Any, terms: LassoTerms, largest: Floats) -> Floats:
        return penalty_grid(largest, terms, self.n_alphas, self.eps) if alphas is None else as_grid(alphas)

    def path(
        self, X: Any, y: Any = None, alphas: Any = None, sample_weight: Any = None, *, cross_validate: bool = False
    ) -> LassoPath:
        """The coefficients for each of `alphas`, or for the learner's own grid; the learner stays as it is."""
        learner = clone(self)
        table = learner.begin_fit(X, y, sample_weight)
        problem = problem_of(learner, table, folds=cross_validate, few=FEW_OF_A_PATH)
        _, largest = largest_penalties(WorkingSet(problem.sums), problem.terms)
        grid = self._grid(self.alphas if alphas is None else alphas, problem.terms, largest)
        return problem.path(grid, learner.schema_.column_names(), type(self).__name__)

    def _derive(self, options: WorkOptions) -> Work:
        return derive_lasso(self, options)

    def _derive_iteration(self, iteration: int, options: WorkOptions) -> Work:
        return derive_round(self, iteration, options)


def problem_of(model: Lasso, table: Table, *, folds: bool, few: int) -> LassoProblem:
    """What a lasso that has begun a fit solves on the rows of a table, with folds if it is to be cross-validated."""
    dealt = DealtFolds(model.cv, seed_of(model.random_state)) if folds else None
    return LassoProblem.of(table, terms_of(model), model.fit_intercept, dealt, few)


def terms_of(model: Lasso) -> LassoTerms:
    """Its parameters but for α, with the factor of each column."""
    return LassoTerms(
        float(model.l1_ratio), model.column_factors(), bool(model.positive), float(model.tol), int(model.max_iter)
    )


def seed_of(random_state: Any) -> int:
    """The seed of the folds, which are the same each time without a random state."""
    return 0 if random_state is None else int(check_random_state(random_state).randint(2**31))
