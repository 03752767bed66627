"""The linear unit: o = b + Σ wⱼxⱼ, taught by the delta rule.

    w ← w + η(t − o)x        downhill on ½Σ(t − o)²

All rows at once (batch) it is gradient descent, and converges if η < 2/λ_max of XᵀX, the column of ones included. Row
by row (sgd) it is the rule of Widrow and Hoff; it ends near the solution, and the nearer the smaller η. Both end at the
normal equations' solution, which `solver="exact"` gives at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import ClassifierTags
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from novacula.errors import DataError, ModelFileError, ParameterError, warn_user
from novacula.learner.base import Classifier, Regressor
from novacula.learner.card import Admits, Card
from novacula.learner.figure import Figure
from novacula.learner.iterate import Outcome, Run, iterate, warn_unless_converged
from novacula.learner.labels import class_array
from novacula.learner.showing import WorkOptions
from novacula.learner.trace import FitPath, PathRecorder
from novacula.learner.work import Work
from novacula.linear.classes_figure import classes_figure
from novacula.linear.model import LinearModel
from novacula.linear.online.delta import Bowl, BowlDescent, DeltaCourse, DeltaPass, descend
from novacula.linear.online.derivation.linear_unit import ERROR, derive_outputs, derive_unit, derive_unit_step, rule_of
from novacula.linear.online.passes import (
    SCHEDULES,
    OrderedRows,
    largest_step,
    run_epochs,
)
from novacula.linear.online.start import STARTS, first_weights
from novacula.linear.online.trace import OnlineShowings, OnlineTrace, first_showings
from novacula.linear.problem import SumsProblem, observe_moments
from novacula.linear.rows import NUMBERS_CARD, is_flat, stored_precision
from novacula.linear.solve import NormalEquations
from novacula.state import State, each, flag, floats, labels, number, optional, record, whole, word
from novacula.statistics import CoMoments
from novacula.table import Column, Table
from novacula.table.admitting import require_classes
from novacula.table.chunk import Floats

MAX_ITER = {"batch": 10_000, "sgd": 1000, "exact": 1}
"""Steps or epochs, at most, unless stated."""
NEEDED = {"batch": ("eta_", "trace_"), "sgd": ("eta_", "trace_"), "exact": ("x_centre_",)}
"""Attributes that only some solvers give, and that their work is made of."""


class LinearUnit(LinearModel, Classifier):
    """A weighted sum taught by the delta rule; with a threshold, a classifier of two classes.

    Parameters
    ----------
    solver : {"batch", "sgd", "exact"}, default="batch"
        Gradient descent on the sums of all rows, correction row by row in their order, or the normal equations.
    eta0 : float or "auto", default="auto"
        The rate η. "auto" is 2/(λ_min + λ_max) of XᵀX for batch, the rate that converges fastest, and 1/max ‖x‖² for
        sgd, with which a row that is shown gets an error of at most what it had.
    schedule : {"constant", "decay", "robbins_monro"}, default="constant"
        The rate of step or epoch k = 0, 1, …: η, η/√(1 + k) or η/(1 + k/100). The last one makes sgd converge to
        the solution itself, slowly.
    start_weights : "zeros", "random" or array, default="zeros"
        Where batch and sgd begin: at zero, at random numbers from −0.05 to 0.05 by `random_state`, or at given weights,
        the bias w₀ first and then one per column, with several targets a row of them per target.
    max_iter : int, default=None
        Steps of batch (10,000 by default) or epochs of sgd (1000), at most.
    tol : float, default=1e-12
        It ends when a step would change no column's share of o by more than tol of the size of t (batch), or an epoch
        changes no weight by more than tol of the largest (sgd).
    threshold : bool, default=False
        Whether it is a classifier of two classes, taught t = −1 and +1, and o > 0 is the second one.
    fit_intercept : bool, default=True
        Whether there is a bias, learned as the weight of a column of ones.
    shuffle : bool, default=False
        For sgd: a new order of the rows each epoch, by `random_state`. All rows are then held in memory.
    random_state : int or RandomState, default=None
        For `shuffle` and random start weights.

    Attributes
    ----------
    coef_, intercept_
        The weights, (d,) or for k targets (k, d), and the bias.
    eta_, largest_rate_ : float
        The rate of the first step, and that from which on it cannot be stable: 2/λ_max for batch, 2/max ‖x‖² for sgd.
    history_, n_iter_, converged_
        ½Σ(t − o)²: for batch before each step and at the end, for sgd of each epoch, each row's as it was shown.
    classes_ : ndarray of shape (2,)
        With `threshold`.
    solver_, moments_, x_centre_, y_centre_
        How it was solved; the sums, with sgd None; and for exact the point that the plane passes through.
    trace_ : OnlineTrace
        The weights on their way and the rows with which the fit began, for `work`; not with exact.

    Examples
    --------
    >>> import numpy as np
    >>> x, t = np.array([[1], [3], [2], [1.5], [4]]), np.array([1, 2.2, 2, 1.9, 3.1])
    >>> model = LinearUnit().fit(x, t)
    >>> print(f"{model.coef_[0]:.6f} x + {model.intercept_:.6f}, η = {model.eta_:.4f} < {model.largest_rate_:.4f}")
    0.584483 x + 0.695690, η = 0.0537 < 0.0549
    >>> LinearUnit(eta0=0.06).fit(x, t)
    Traceback (most recent call last):
    ...
    novacula.errors.ParameterError: eta0=0.06 is too large and the weights would grow without end: ...
    """

    card: ClassVar[Card] = Card(
        name="Linear unit",
        task="regression",
        summary="A weighted sum of the columns, moved towards each target by a share of its error.",
        hypothesis_space="o = b + Σ wⱼxⱼ, for all real weights w and biases b; with a threshold, half-spaces o > 0.",
        inductive_bias="A unit of a column changes the target by the same amount, regardless of the others; where many "
        "weights fit equally well, those nearest to zero.",
        objective="½Σ(t − o)².",
        search="Gradient descent from w = 0, on the sums of all rows or row by row in their order; or exact.",
        noise="Normal errors of one variance in the target; a single outlier can move the plane far.",
        **NUMBERS_CARD,
        uses="fold",  # so does sgd; batch and exact would not depend on the order
        interpretability="High: one weight for each column.",
        answer_cost="d for each row.",
        cost="batch and exact: one pass of n·d², then d² per step or d³. sgd: n·d per epoch, in order, so that a "
        "cluster does not make it faster. Sparse rows are made dense block by block.",
        cost_exponents={"n": 1, "d": 2},
        needs=("scaled", "full_rank"),
        references=(
            "B. Widrow and M. E. Hoff, Adaptive switching circuits, IRE WESCON 4, 1960",
            "H. Robbins and S. Monro, A stochastic approximation method, Annals of Mathematical Statistics 22, 1951",
        ),
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "solver": [StrOptions(set(MAX_ITER))],
        "eta0": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
        "schedule": [StrOptions(set(SCHEDULES))],
        "start_weights": STARTS,
        "max_iter": [Interval(Integral, 1, None, closed="left"), None],
        "tol": [Interval(Real, 0, None, closed="left")],
        "threshold": ["boolean"],
        "fit_intercept": ["boolean"],
        "shuffle": ["boolean"],
        "random_state": ["random_state"],
    }
    state_types: ClassVar[tuple[type, ...]] = (FitPath, OnlineShowings, OnlineTrace)
    state: ClassVar[State] = {
        "classes_": optional(labels("classes")),
        "x_centre_": optional(floats("inputs")),
        "y_centre_": optional(floats("targets"), beside="x_centre_"),
        "solver_": word("batch", "sgd", "cholesky", "qr", "svd", "sums"),
        "eta_": optional(number(least=0.0)),
        "largest_rate_": optional(number(least=0.0, finite=False), beside="eta_"),  # infinite where all rows are 0
        "history_": each(number(least=0.0), "steps+1"),
        "n_iter_": whole(),
        "converged_": flag(),
        "trace_": optional(record(OnlineTrace, columns="inputs", targets="targets", classes="classes")),
    }
    remedy = "or use Ridge"
    notations: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "mitchell": {"b": "w_0", ERROR: "sum((t[d] - o[d])**2 for d in D) / 2"},
        "aima": {"b": "w_0", "η": "α"},
    }

    eta_: float
    largest_rate_: float
    history_: tuple[float, ...]
    n_iter_: int
    converged_: bool
    trace_: OnlineTrace

    def __init__(
        self,
        solver: str = "batch",
        *,
        eta0: float | str = "auto",
        schedule: str = "constant",
        start_weights: Any = "zeros",
        max_iter: int | None = None,
        tol: float = 1e-12,
        threshold: bool = False,
        fit_intercept: bool = True,
        shuffle: bool = False,
        random_state: Any = None,
    ) -> None:
        self.solver = solver
        self.eta0 = eta0
        self.schedule = schedule
        self.start_weights = start_weights
        self.max_iter = max_iter
        self.tol = tol
        self.threshold = threshold
        self.fit_intercept = fit_intercept
        self.shuffle = shuffle
        self.random_state = random_state

    # --- classifier or regressor ----------------------------------------------------------------------------

    # Of its two bases `super()` is the regressor, and `super(Regressor, self)` the next one, the classifier.

    def _targets_beside(self, source: Any, X: Any, y: Any, classes: Any) -> list[Column]:
        if self.threshold:
            return super(Regressor, self)._targets_beside(source, X, y, classes)
        return super()._targets_beside(source, X, y, classes)

    def _with_target(self, table: Table, classes: Any = None) -> Table:
        return super(Regressor, self)._with_target(table, classes) if self.threshold else super()._with_target(table)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """R² on X, or with a threshold the mean accuracy; a table brings its own target."""
        return (Classifier if self.threshold else Regressor).score(self, X, y, sample_weight)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.estimator_type = "classifier" if self.threshold else "regressor"
        tags.classifier_tags = ClassifierTags(multi_class=False) if self.threshold else None
        tags.regressor_tags = None if self.threshold else tags.regressor_tags
        tags.target_tags.multi_output = not self.threshold
        return tags

    def predict(self, X: Any) -> Any:
        """o = b + Σ wⱼxⱼ for each row; with a threshold, the class."""
        values = super().predict(X)
        return self.classes_[(values > 0.0).astype(int)] if self.threshold else values

    @available_if(lambda self: self.threshold)
    def decision_function(self, X: Any) -> Floats:
        """o = b + Σ wⱼxⱼ for each row (n,); there with a threshold only."""
        return np.asarray(super().predict(X))

    # --- fit ------------------------------------------------------------------------------------------------

    def _learn(self, table: Table) -> None:
        if self.solver == "sgd":
            self._fit_rows(table)
        else:
            self._fit_sums(table)

    def _keep_classes(self, table: Table) -> None:
        if not self.threshold:
            return
        self.classes_ = class_array(table.layout.target_columns[0].categories)
        require_classes(table, self.classes_.tolist(), Admits(classes=2))
        if len(self.classes_) > 2:
            raise DataError(
                f"Only binary classification is supported by LinearUnit with a threshold, and {table.source.name} has "
                f"{len(self.classes_)} classes: use Perceptron or LogisticRegression"
            )

    def _fit_sums(self, table: Table) -> None:
        moments, flat = observe_moments(table), is_flat(table)
        if self.threshold:
            moments = signed(moments)
        system = NormalEquations.of(moments, stored_precision(table), self.fit_intercept)
        # A second pass over the table would meet codes of classes in place of −1 and +1.
        problem = SumsProblem(moments, system, None if self.threshold else table, flat)
        if self.solver == "exact":
            solution = problem.solve()
            self._set(problem, solution.coef)
            self.solver_, self.n_iter_, self.converged_ = solution.solver, 1, True
            self.history_ = (0.5 * float(solution.error.sum()),)
            self._warn_of_rank(problem, solution)
            return
        self.solver_ = "batch"
        bowl = Bowl.of(moments, self.n_features_in_, self.fit_intercept)
        run = self._descend(bowl, table)
        d = self.n_features_in_
        bias = run.params.w[d] if self.fit_intercept else np.zeros(run.params.w.shape[1])
        self.moments_ = moments
        self._keep(run.params.w[:d].T, bias, flat)
        self._end(run, run.n_iter)
        warn_unless_converged(run, type(self).__name__)

    def _descend(self, bowl: Bowl, table: Table) -> Run[BowlDescent]:
        """Step by step downhill, at a rate that is stable."""
        self.largest_rate_ = bowl.largest_rate
        self.eta_ = bowl.best_rate if isinstance(self.eta0, str) else float(self.eta0)
        if self.schedule == "constant" and self.eta_ > self.largest_rate_:
            raise self._too_large("2/λ_max of XᵀX")
        step = partial(descend, bowl=bowl, eta=self.eta_, schedule=self.schedule, tol=self.tol)
        recorder = PathRecorder(lambda at: at.w)
        start = BowlDescent(self._first_weights()[:, : len(bowl.cross)].T)
        run = iterate(step, start, max_iter=self._limit, tol=None, monitor=recorder)
        if run.outcome is Outcome.DIVERGED:
            raise self._too_large("2/λ_max of XᵀX")
        self.trace_ = OnlineTrace.of_steps(recorder.kept(), table, bowl, rule_of(self))
        return run

    def _fit_rows(self, table: Table) -> None:
        self.solver_, self.moments_ = "sgd", None
        rows = OrderedRows(table, self.shuffle, self.random_state)
        self.largest_rate_ = largest_step(table, self.fit_intercept)
        auto = 0.5 * self.largest_rate_ if np.isfinite(self.largest_rate_) else 1.0
        self.eta_ = auto if isinstance(self.eta0, str) else float(self.eta0)
        showings = first_showings(rows.chunks(), ordered=not rows.shuffled)
        course = DeltaCourse(rows, self.eta_, self.schedule, self.fit_intercept, self.threshold, self.tol)
        start = DeltaPass(0, self._first_weights())
        recorder = PathRecorder(lambda epoch: epoch.weights)
        run = run_epochs(course.show, start, self._limit, recorder)
        self.trace_ = OnlineTrace.of(recorder.kept(), showings, partial(rule_of, self))
        if not run.params.sound:
            table.refuse_faults()
            if not isinstance(self.eta0, str):
                raise self._too_large("2/max ‖x‖², below which showing a row never makes its own error larger")
        if not run.params.sound or run.outcome is Outcome.DIVERGED:
            raise OverflowError("errors overflow, or their squares do")
        weights = run.params.weights
        self._keep(weights[:, :-1], weights[:, -1], is_flat(table))
        self._end(run, len(run.history))
        if not self.converged_:
            self._warn()

    def _first_weights(self) -> Floats:
        """Weights (targets, d + 1), the bias last."""
        targets, bias = len(self.target_names_), self.fit_intercept
        return first_weights(self.start_weights, targets, self.n_features_in_, bias, self.random_state)

    @property
    def _limit(self) -> int:
        return MAX_ITER[self.solver] if self.max_iter is None else int(self.max_iter)

    def _keep(self, coef: Floats, bias: Floats, flat: bool) -> None:
        """Keep weights (k, d) and biases (k,)."""
        self.coef_ = coef[0].copy() if flat else np.ascontiguousarray(coef)
        self.intercept_ = 0.0 if not self.fit_intercept else float(bias[0]) if flat else bias.copy()

    def _end(self, run: Run[Any], n_iter: int) -> None:
        """Keep how it went."""
        self.history_, self.n_iter_, self.converged_ = run.history, max(1, n_iter), run.converged

    def _warn(self) -> None:
        from sklearn.exceptions import ConvergenceWarning

        warn_user(
            f"LinearUnit: in epoch {self.n_iter_}, the last that max_iter allows, the weights still moved: raise "
            "max_iter, or tol if that precision is not needed; in a new order each epoch only a falling rate settles",
            ConvergenceWarning,
        )

    def _too_large(self, bound: str) -> ParameterError:
        return ParameterError(
            f"eta0={self.eta_:g} is too large and the weights would grow without end: the largest stable rate is "
            f"{self.largest_rate_:.6g}, {bound}; take a smaller eta0, or eta0='auto'"
        )

    def _check_state(self) -> None:
        super()._check_state()
        needed = [*NEEDED[self.solver], *["classes_"] * self.threshold]
        for name in needed:
            if not hasattr(self, name):
                raise ModelFileError(f"its {name} is missing, which solver={self.solver!r} or a threshold needs")
        if self.solver != "exact":
            _ = self.trace_.kept_showings  # raises where there are none
        if self.threshold and len(self.classes_) != 2:
            raise ModelFileError(f"its classes_ are {len(self.classes_)}, but a threshold separates two")

    # --- work -----------------------------------------------------------------------------------------------

    def figure(self, X: Any, y: Any) -> Figure:
        """The data and the line through them, or with a threshold rows of two columns and where the classes meet."""
        check_is_fitted(self)
        return classes_figure(self, self._query(X).to_chunk().dense(), y) if self.threshold else super().figure(X, y)

    def _derive(self, options: WorkOptions) -> Work:
        return derive_unit(self, options)

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        if not self.threshold:
            return super()._derive_answers(X, options)
        chunk, cut = self._first_rows(X, options.rows)
        return derive_outputs(self, chunk.dense(), cut)

    def _derive_iteration(self, iteration: int, options: WorkOptions) -> Work:
        if self.solver == "exact":
            return super()._derive_iteration(iteration, options)
        return derive_unit_step(self, iteration, options)


def signed(moments: CoMoments) -> CoMoments:
    """The moments of [X, 2y − 1] from those of [X, y], for a target y of 0 and 1."""
    scale = np.append(np.ones(len(moments.mean) - 1), 2.0)
    mean = moments.mean * scale
    mean[-1] -= 1.0
    return CoMoments(moments.weight, mean, moments.scatter * scale * scale[:, None])
