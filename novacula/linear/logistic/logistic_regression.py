"""Logistic regression: the log odds of a class are a weighted sum of the columns.

    two classes     P(second | x) = σ(m) = 1 / (1 + e⁻ᵐ),        m = b + Σ wⱼxⱼ
    more            P(k | x) = e^{m_k} / Σ e^{m_l},              one such sum per class

The weights make C Σ −log P(class of the row) + penalty smallest: without penalty, the maximum of the likelihood.
The gradient of the log-likelihood is Σ (t − h) x. Fitting needs the rows only through sums, pass by pass.
"""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any, ClassVar, Literal

import numpy as np
from scipy import special
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from novacula.errors import DataError, ModelFileError, ParameterError, RankWarning, warn_user
from novacula.learner.card import Admits, Card
from novacula.learner.class_weight import class_weights
from novacula.learner.iterate import Run, warn_unless_converged
from novacula.learner.showing import WorkOptions
from novacula.learner.trace import FitPath
from novacula.learner.work import Work
from novacula.linear.classifier import LinearClassifier
from novacula.linear.logistic.columns import ClassColumns
from novacula.linear.logistic.derivation import derive_logistic, derive_probabilities, derive_step
from novacula.linear.logistic.gradient_descent import GradientDescent, accuracy, safe_rate
from novacula.linear.logistic.lbfgs import GRAM_COLUMNS, LBFGS
from novacula.linear.logistic.newton import Newton, independent
from novacula.linear.logistic.objective import LogisticObjective, LogisticPoint
from novacula.linear.logistic.proximal import ProximalNewton
from novacula.linear.logistic.separation import SeparationWatch
from novacula.linear.logistic.summary import LogisticSummary, covariance, summarise
from novacula.linear.logistic.sums import Frame
from novacula.linear.logistic.trace import LogisticRecorder, LogisticTrace
from novacula.linear.online.passes import SCHEDULES, warn_of_rises
from novacula.linear.rows import NUMBERS_CARD, require_squares
from novacula.state import State, by_parameter, each, flag, floats, nullable, number, optional, record, whole, word
from novacula.table import Table
from novacula.table.chunk import Floats
from novacula.words import counted

FEW_PARAMETERS = 100
"""Parameters of several classes up to which their Hessian costs less than the passes it spares."""
INFORMATION = 2000
"""Parameters up to which standard errors are made."""


class LogisticRegression(LinearClassifier):
    """Classes whose log odds are weighted sums of the columns.

    `C` is the price of losses against the penalty: "l2" (½‖w‖²), "l1" (‖w‖₁, which makes weights zero), "elasticnet"
    (`l1_ratio` of l1, the rest of l2), or None, where C has no meaning. `solver`: "newton", "lbfgs" (many columns,
    sparse ones), "proximal" (l1 and elastic net); "auto" chooses. "gradient_descent" makes the steps of textbooks
    from weights of zero, at the rate `eta0` ("auto": one that never leads upwards) by a `schedule` ("constant",
    "decay", "robbins_monro": of step k = 0, 1, … η, η/√(1 + k) or η/(1 + k/100)).
    `loss="squared"` is the historical alternative for two classes, ½ Σ (t − o)², which is not convex: it descends from
    the cross-entropy's solution. `class_weight` multiplies the weights of rows by class. `tol` is the length of the
    last step in units of a standard deviation of one row; the default leaves nine digits of the weights.

    Fitted: `coef_` (planes, d), `intercept_` (planes,), `history_`, `n_iter_`, `converged_`, `solver_`, `rank_`
    (directions that the columns span, where there is no penalty), `separated_` ("complete", "quasi-complete" or None:
    looked for without a penalty only), `log_likelihood_`, `class_count_`, `covariance_` (of the estimates against the
    first class; None where it means nothing). With gradient descent also `eta_` and `accuracies_`, the share of rows
    that are right before each step and at the end. For `work`: `centre_` and `spread_` of the columns,
    `centred_intercept_`, `pull_` (the gradient of the losses) and `trace_`, the first rows and the path of the weights.
    Weights of rows are repetitions.

    >>> import numpy as np
    >>> hours = np.array([[0.5], [0.75], [1], [1.25], [1.5], [1.75], [1.75], [2], [2.25], [2.5], [2.75], [3], [3.25],
    ...                   [3.5], [4], [4.25], [4.5], [4.75], [5], [5.5]])
    >>> passed = np.array([0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 1, 1, 1, 1, 1])
    >>> model = LogisticRegression(penalty=None).fit(hours, passed)
    >>> print(f"log odds = {model.coef_[0, 0]:.4f} x − {-model.intercept_[0]:.4f}")
    log odds = 1.5046 x − 4.0777
    >>> model.predict_proba([[2.0], [4.0]])[:, 1].round(4).tolist()
    [0.2557, 0.8744]
    """

    card: ClassVar[Card] = Card(
        name="Logistic regression",
        task="classification",
        summary="The log odds of the classes are weighted sums of the columns.",
        hypothesis_space="P(class | x) = σ(b + Σ wⱼxⱼ), with more than two classes softmax of one such sum per class.",
        inductive_bias="A unit of a column multiplies the odds by the same factor, regardless of the others; small "
        "weights (l2) or few of them (l1), for which the units of columns matter.",
        objective="C Σ −log P(class of the row) + penalty; without penalty the likelihood. Or squared errors of σ.",
        search="Newton–Cholesky where parameters are few, L-BFGS with Böhning's bound where they are many, proximal "
        "Newton with a working set for l1. Convex, so the minimum is the only one; squared errors are not.",
        noise="Classes may overlap; a single row far on the wrong side has a bounded pull.",
        admits=Admits(classes=2),
        **NUMBERS_CARD,
        uses="reduce",
        interpretability="High: each weight is what a column adds to the logarithm of the odds.",
        answer_cost="d·K for each row.",
        cost="Some 5 to 10 passes of n·d² with Newton, 10 to 100 passes of n·d·K with L-BFGS; memory for the square "
        "of the number of parameters, or for 40 times that number.",
        cost_exponents={"n": 1, "d": 2},
        needs=("scaled",),
        size="C",
        sizes=(1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0),
        references=(
            "D. R. Cox, The regression analysis of binary sequences, JRSS B 20, 1958",
            "D. Böhning, Multinomial logistic regression algorithm, Ann. Inst. Statist. Math. 44, 1992",
            "A. Albert and J. A. Anderson, On the existence of maximum likelihood estimates, Biometrika 71, 1984",
        ),
    )
    state_types: ClassVar[tuple[type, ...]] = (FitPath, LogisticTrace)
    not_compared: ClassVar[Mapping[str, str]] = {
        f"trace_.{part}": "which rows are the first depends on their order and repetition"
        for part in ("rows", "classes", "weights", "complete", "losses", "gradients")
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "C": [Interval(Real, 0, None, closed="neither")],
        "penalty": [StrOptions({"l2", "l1", "elasticnet"}), None],
        "l1_ratio": [Interval(Real, 0, 1, closed="both")],
        "solver": [StrOptions({"auto", "newton", "lbfgs", "proximal", "gradient_descent"})],
        "eta0": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
        "schedule": [StrOptions(set(SCHEDULES))],
        "loss": [StrOptions({"cross_entropy", "squared"})],
        "fit_intercept": ["boolean"],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 0, None, closed="left")],
    }

    state: ClassVar[State] = {
        "history_": each(number(), "steps+1"),
        "n_iter_": whole(),
        "converged_": flag(),
        "solver_": word("newton", "lbfgs", "proximal", "gradient_descent"),
        "eta_": optional(number(above=0.0)),
        "accuracies_": optional(floats("steps+1", least=0.0, most=1.0), beside="eta_"),
        "separated_": nullable(word("complete", "quasi-complete")),
        "rank_": whole(most="inputs+1"),
        "log_likelihood_": number(),
        "class_count_": floats("classes", above=0.0),
        "covariance_": nullable(floats("estimates", "estimates")),
        "centre_": floats("inputs"),
        "spread_": floats("inputs", least=0.0),
        "pull_": by_parameter("fit_intercept", {True: floats("planes", "inputs+1"), False: floats("planes", "inputs")}),
        "centred_intercept_": floats("planes"),
        "trace_": record(LogisticTrace, columns="inputs", classes="classes"),
    }

    history_: tuple[float, ...]
    n_iter_: int
    converged_: bool
    solver_: str
    eta_: float
    accuracies_: Floats
    separated_: str | None
    rank_: int
    log_likelihood_: float
    class_count_: Floats
    covariance_: Floats | None
    centre_: Floats
    spread_: Floats
    pull_: Floats
    centred_intercept_: Floats
    trace_: LogisticTrace

    def __init__(
        self,
        C: float = 1.0,
        penalty: Literal["l2", "l1", "elasticnet"] | None = "l2",
        *,
        l1_ratio: float = 0.5,
        solver: Literal["auto", "newton", "lbfgs", "proximal", "gradient_descent"] = "auto",
        eta0: float | Literal["auto"] = "auto",
        schedule: str = "constant",
        loss: Literal["cross_entropy", "squared"] = "cross_entropy",
        fit_intercept: bool = True,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        tol: float = 1e-10,
        max_iter: int = 1000,
    ) -> None:
        self.C = C
        self.penalty = penalty
        self.l1_ratio = l1_ratio
        self.solver = solver
        self.eta0 = eta0
        self.schedule = schedule
        self.loss = loss
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter

    def _learn(self, table: Table) -> None:
        objective = self._objective(table)
        self.solver_ = self._solver(objective)
        is_watched = self.penalty is None and self.solver_ != "gradient_descent"
        watch = SeparationWatch(objective) if is_watched else None
        recorder = LogisticRecorder(objective.with_loss(self.loss), self.solver_ == "newton")
        run = self._minimise(objective, watch, recorder)
        self._keep(objective, run)
        self.trace_ = recorder.trace()
        self.separated_ = None if watch is None else watch.found
        self.covariance_ = self._inference(objective, run.params)
        self._warn(run, objective)

    # --- fitting --------------------------------------------------------------------------------------------

    def _objective(self, table: Table) -> LogisticObjective:
        columns = table.reduce(ClassColumns.observe, len(self.classes_))
        require_squares(table, columns.ssd)
        factor = class_weights(self.class_weight, self.classes_, columns.weight)
        for label, weight in zip(self.classes_.tolist(), columns.weight * factor, strict=True):
            if not weight > 0.0:
                raise DataError(f"the rows of class {label!r} have no weight: leave them out, or give them some")
        dense = len(table.layout.of_kind("numeric"))
        centre = np.zeros_like(columns.mean)
        if self.fit_intercept and self.solver != "gradient_descent":
            centre[:dense] = columns.mean[:dense]
        share = {"l2": 0.0, "l1": 1.0, "elasticnet": self.l1_ratio}
        l1 = 0.0 if self.penalty is None else share[self.penalty]
        l2 = 0.0 if self.penalty is None else 1.0 - l1
        C = 1.0 if self.penalty is None else float(self.C)
        return LogisticObjective(table, Frame(centre, self.fit_intercept, factor), columns, C, l1, l2)

    def _solver(self, objective: LogisticObjective) -> str:
        """The solver to use, and a refusal of those that do not serve."""
        planes, q = objective.shape
        if self.loss == "squared":
            if planes > 1:
                raise ParameterError(
                    f"loss='squared' separates two classes, and there are {planes}: use loss='cross_entropy'"
                )
            if objective.l1 > 0.0 or self.solver not in ("auto", "lbfgs", "gradient_descent"):
                raise ParameterError(
                    f"loss='squared' goes with penalty 'l2' or None and solver 'lbfgs', 'gradient_descent' or 'auto', "
                    f"not with penalty={self.penalty!r} and solver={self.solver!r}"
                )
            return "lbfgs" if self.solver == "auto" else self.solver
        if (objective.l1 > 0.0) != (self.solver == "proximal") and self.solver != "auto":
            wanted = "'proximal' or 'auto'" if objective.l1 > 0.0 else "'newton', 'lbfgs', 'gradient_descent' or 'auto'"
            raise ParameterError(f"penalty={self.penalty!r} needs solver {wanted}, not {self.solver!r}")
        if self.solver != "auto":
            return self.solver
        if objective.l1 > 0.0:
            return "proximal"
        few = q <= GRAM_COLUMNS if planes == 1 else planes * q <= FEW_PARAMETERS
        return "newton" if few and not objective.table.layout.of_kind("sparse") else "lbfgs"

    def _minimise(
        self, objective: LogisticObjective, watch: SeparationWatch | None, recorder: LogisticRecorder
    ) -> Run[LogisticPoint]:
        self.rank_ = len(objective.varies)

        def monitor(iteration: int, value: float, point: LogisticPoint) -> bool:
            recorder(iteration, value, point)
            return watch is not None and bool(watch(iteration, value, point))

        if self.solver_ == "gradient_descent":
            return self._descend(objective.with_loss(self.loss), recorder)
        if self.solver_ == "proximal":
            return ProximalNewton(objective, self.tol).run(self.max_iter, monitor)
        if self.solver_ == "lbfgs":
            if self.loss == "cross_entropy":
                return LBFGS(objective, self.tol).run(self.max_iter, monitor)
            start = LBFGS(objective, self.tol).run(self.max_iter, watch).params.theta
            return LBFGS(objective.with_loss("squared"), self.tol).run(self.max_iter, recorder, start)
        newton = Newton(objective, self.tol)
        run = newton.run(self.max_iter, monitor)
        if newton.basis is not None:
            self.rank_ = newton.basis.shape[1] // objective.shape[0]
        return run

    def _descend(self, objective: LogisticObjective, recorder: LogisticRecorder) -> Run[LogisticPoint]:
        """Step by step down, counting after each how many rows are right."""
        accuracies = list[float]()

        def monitor(iteration: int, value: float, point: LogisticPoint) -> None:
            recorder(iteration, value, point)
            accuracies.append(accuracy(objective, point.theta))

        self.eta_ = safe_rate(objective) if isinstance(self.eta0, str) else float(self.eta0)
        run = GradientDescent(objective, self.eta_, self.schedule, self.tol).run(self.max_iter, monitor)
        self.accuracies_ = np.array(accuracies)
        return run

    def _keep(self, objective: LogisticObjective, run: Run[LogisticPoint]) -> None:
        w = run.params.theta.reshape(objective.shape)
        d = len(objective.frame.centre)
        self.coef_ = w[:, :d].copy()
        self.centre_ = objective.frame.centre
        self.spread_ = np.sqrt(objective.columns.ssd / objective.columns.weight.sum())
        self.centred_intercept_ = w[:, d].copy() if self.fit_intercept else np.zeros(len(w))
        self.intercept_ = self.centred_intercept_ - self.coef_ @ self.centre_
        self.class_count_ = objective.columns.weight
        self.history_, self.n_iter_, self.converged_ = run.history, run.n_iter, run.converged
        held = run.params.theta * objective.charged
        self.log_likelihood_ = -run.params.loss
        self.pull_ = (objective.l2 * held - run.params.gradient).reshape(objective.shape)

    def _inference(self, objective: LogisticObjective, point: LogisticPoint) -> Floats | None:
        """The covariance of the estimates where it means something, for which it takes one more pass."""
        planes, q = objective.shape
        sound = self.penalty is None and self.class_weight is None and self.loss == "cross_entropy"
        if not sound or not self.converged_ or self.rank_ < q or planes * q > INFORMATION:
            return None
        hessian = objective.hessian(point.theta)
        basis = independent(hessian, objective)
        if basis is None:
            return covariance(hessian, objective)
        self.rank_ = basis.shape[1] // planes  # which L-BFGS had no need to know
        return None

    def _warn(self, run: Run[LogisticPoint], objective: LogisticObjective) -> None:
        if self.separated_ is not None:
            warn_user(
                f"LogisticRegression: the classes are separated ({self.separated_} separation), so without a penalty "
                f"the likelihood has no maximum and grows with the weights for ever; these are where it stopped after "
                f"{counted(self.n_iter_, 'iteration')}: use penalty='l2', or leave out the columns that give the class "
                "away",
                ConvergenceWarning,
            )
            return
        is_taught = self.solver_ == "gradient_descent"
        if not (is_taught and warn_of_rises(run.history, type(self).__name__, self.eta_, safe_rate(objective))):
            warn_unless_converged(run, type(self).__name__)
        full = self.n_features_in_ + int(self.fit_intercept)
        if self.penalty is None and self.rank_ < full:
            warn_user(
                f"LogisticRegression: the columns span {self.rank_} of {full} directions, the intercept's among them, "
                "so many weights fit equally well, and one choice of them is given: drop columns, or use a penalty",
                RankWarning,
            )

    # --- answers --------------------------------------------------------------------------------------------

    def predict_proba(self, X: Any) -> Floats:
        """The probability of each class (n, K)."""
        values = self.decision_function(X)
        if values.ndim == 1:
            return np.column_stack([special.expit(-values), special.expit(values)])
        return np.asarray(special.softmax(values, axis=1))

    def predict_log_proba(self, X: Any) -> Floats:
        """The logarithm of each probability (n, K), exact also where it would be 0 in floating point."""
        values = self.decision_function(X)
        if values.ndim == 1:
            return np.column_stack([special.log_expit(-values), special.log_expit(values)])
        return np.asarray(special.log_softmax(values, axis=1))

    def summary(self, level: float = 0.95) -> LogisticSummary:
        """Standard errors, z, p, confidence intervals and odds ratios, and how well the model fits."""
        check_is_fitted(self)
        return summarise(self, level)

    def _check_state(self) -> None:
        super()._check_state()
        if (self.solver_ == "gradient_descent") != hasattr(self, "eta_"):
            raise ModelFileError(f"its solver_ is {self.solver_!r}, and a rate eta_ belongs to gradient_descent alone")
        n_estimates = max(len(self.coef_) - 1, 1) * (self.n_features_in_ + int(self.fit_intercept))
        if self.covariance_ is not None and len(self.covariance_) != n_estimates:
            raise ModelFileError(
                f"its covariance_ is that of {len(self.covariance_)} estimates, of which there are {n_estimates}"
            )

    def _derive(self, options: WorkOptions) -> Work:
        return derive_logistic(self, options)

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        chunk, cut = self._first_rows(X, options.rows)
        return derive_probabilities(self, chunk.dense(), cut, options.is_full)

    def _derive_iteration(self, iteration: int, options: WorkOptions) -> Work:
        return derive_step(self, iteration, options)
