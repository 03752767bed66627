"""Bayesian linear regression: not one plane but a distribution over planes, narrowed by each row.

    y | w ~ N(b + Xw, σ²),  w ~ N(m₀, Λ₀⁻¹)        Λ = Λ₀ + XᵀX/σ²,  Λm = Λ₀m₀ + Xᵀy/σ²

The prior is conjugate, so the posterior is normal again, and today's posterior is tomorrow's prior. It needs the rows
only through their sums: one pass. The noise variance σ² is known, or has an inverse gamma prior and is integrated out,
or is chosen together with the size of Λ₀ so that the rows were most probable (the evidence).
"""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from novacula.errors import DataError, ParameterError, warn_user
from novacula.learner import ingest
from novacula.learner.card import Card
from novacula.learner.showing import WorkOptions
from novacula.learner.trace import FitPath
from novacula.learner.work import Work
from novacula.linear.bayesian.derivation import derive_intervals, derive_posterior, derive_search
from novacula.linear.bayesian.evidence import EvidenceTrace
from novacula.linear.bayesian.noise import (
    Belief,
    believe_inverse_gamma,
    believe_known,
    believe_likeliest,
    reach,
    scale_variance,
)
from novacula.linear.bayesian.posterior import plane_variances, system_about
from novacula.linear.bayesian.prior import WeightPrior, prior_of
from novacula.linear.bayesian.summary import PosteriorSummary, summarise_posterior
from novacula.linear.model import NAMED, LinearModel
from novacula.linear.plane import derive_predictions
from novacula.linear.problem import SumsProblem
from novacula.linear.rows import NUMBERS_CARD
from novacula.linear.solve import LeastSquaresSolution, NormalEquations
from novacula.state import State, by_parameter, each, flag, floats, number, optional, record, whole
from novacula.statistics import CoMoments
from novacula.table import Table
from novacula.table.chunk import Floats

NOISE_ATTRIBUTES = ("shape_", "scale_", "alpha_", "history_", "n_iter_", "converged_", "trace_")
"""What only some kinds of noise have."""


class PosteriorDraws(NamedTuple):
    """Planes drawn from a posterior, with the noise variance of each."""

    intercept: Floats  # (n,)
    coef: Floats  # (n, d)
    noise_variance: Floats  # (n,)


class BayesianLinearRegression(LinearModel):
    """A normal posterior over the weights of a plane, with predictions that say how sure they are.

    `noise` says what is known of the variance σ² of the errors, and with it what `prior_precision` Λ₀ means:

    - "known": σ² is `noise_variance`, and w ~ N(m₀, Λ₀⁻¹). The posterior mean is `Ridge` with α = Λ₀σ².
    - "inverse_gamma": σ² ~ IG(`shape`, `scale`), and w | σ² ~ N(m₀, σ²Λ₀⁻¹), relative to the noise. Predictions are
      Student's t. All of them zero is the classical theory: the intervals are those of `LinearRegression`.
    - "evidence": w ~ N(m₀, (αΛ₀)⁻¹), and α and σ² are those under which the rows were most probable.

    `prior_precision` is a number, one per column, or a matrix (d, d); zero is flat, and `prior_mean` m₀ a number or one
    a column. The intercept has a flat prior, or with `intercept_precision` τ > 0 it is N(0, 1/τ) for known noise and
    N(0, σ²/τ) otherwise. `max_iter` and `tol`, the relative change of ασ² to stop at, are for "evidence".

    Fitted: `coef_` and `intercept_`, the posterior mean; `covariance_` and `precision_` of [intercept, coef]; both
    without an intercept if there is none, and `precision_` with inverse gamma noise relative to it, as Λ₀ is;
    `noise_variance_` (with inverse gamma noise its mean, infinite for `shape_` ≤ 1, and so is `covariance_` then),
    `shape_` and `scale_`; with "evidence" `alpha_`, and `history_`, `n_iter_` and `converged_` of the search (`n_iter_`
    is 1 where there is none) and for `work` its path `trace_`; `weight_`, the number of rows; and the sums `moments_`,
    to which `partial_fit` adds. Weights are repetitions.

    `log_evidence_` is ln p(y) of all rows. A flat prior enters it with density 1, which is not a distribution, so then
    only differences between models with the same flat parts mean something.

    >>> import numpy as np
    >>> x, y = np.array([[1], [3], [2], [1.5], [4]]), np.array([1, 2.2, 2, 1.9, 3.1])
    >>> model = BayesianLinearRegression(prior_precision=1e-9, noise_variance=0.1).fit(x, y)
    >>> print(f"{model.coef_[0]:.6f} x + {model.intercept_:.6f}")
    0.584483 x + 0.695690
    >>> mean, std = model.predict([[2.0], [10.0]], return_std=True)
    >>> mean.round(3).tolist(), std.round(3).tolist()
    ([1.865, 6.541], [0.349, 1.069])
    """

    card: ClassVar[Card] = Card(
        name="Bayesian linear regression",
        task="regression",
        summary="A distribution over planes: the most probable one, and how sure it is of weights and predictions.",
        hypothesis_space="ŷ = b + Σ wⱼxⱼ, for all real weights w and intercepts b, each with its probability.",
        inductive_bias="Weights near the prior mean, as near as the prior precision says; the units of columns matter.",
        objective="p(w | rows) ∝ p(rows | w) p(w), exact; with noise='evidence' also ln p(rows) over both precisions.",
        search="None: the posterior is a formula. For the evidence a grid and Newton's steps in one dimension.",
        noise="Normal errors of one variance in the target: known, integrated out, or chosen by the evidence.",
        **NUMBERS_CARD,
        uses="reduce",
        interpretability="High: one weight for each column, with its distribution.",
        answer_cost="d for each row; d² with its deviation.",
        cost="One pass of n·d² and d³ to solve, in memory for d² numbers, also with fewer rows than columns. "
        "A standard deviation costs d² for each row. Sparse columns are made dense chunk by chunk.",
        cost_exponents={"n": 1, "d": 2},
        needs=("scaled",),
        study_settings={"noise": "evidence"},  # nobody knows the noise of a table that is new
        references=(
            "D. J. C. MacKay, Bayesian interpolation, Neural Computation 4, 1992",
            "C. M. Bishop, Pattern Recognition and Machine Learning, 2006, chapter 3",
        ),
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "prior_precision": [Interval(Real, 0, None, closed="left"), "array-like"],
        "noise": [StrOptions({"known", "inverse_gamma", "evidence"})],
        "noise_variance": [Interval(Real, 0, None, closed="neither")],
        "prior_mean": [Interval(Real, None, None, closed="neither"), "array-like"],
        "shape": [Interval(Real, 0, None, closed="left")],
        "scale": [Interval(Real, 0, None, closed="left")],
        "fit_intercept": ["boolean"],
        "intercept_precision": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 0, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
    }
    state_types: ClassVar[tuple[type, ...]] = (FitPath, EvidenceTrace)
    state: ClassVar[State] = {
        "coef_": floats("inputs"),
        "intercept_": number(),
        "moments_": record(CoMoments, columns="inputs+targets"),
        # Infinite where the noise has no mean, which is for a shape_ of 1 or less.
        "covariance_": by_parameter(
            "fit_intercept",
            {
                True: floats("inputs+1", "inputs+1", finite=False),
                False: floats("inputs", "inputs", finite=False),
            },
        ),
        "precision_": by_parameter(
            "fit_intercept", {True: floats("inputs+1", "inputs+1"), False: floats("inputs", "inputs")}
        ),
        "noise_variance_": number(above=0.0, finite=False),
        "root_": floats("inputs", "inputs"),
        "pivot_": number(above=0.0, finite=False),  # infinite without an intercept
        "weight_": number(above=0.0),
        "log_evidence_": number(),
        "n_iter_": whole(),
        "shape_": optional(number(above=0.0)),
        "scale_": optional(number(above=0.0), beside="shape_"),
        "alpha_": optional(number(above=0.0)),
        "history_": optional(each(number()), beside="alpha_"),
        "converged_": optional(flag(), beside="alpha_"),
        "trace_": optional(record(EvidenceTrace), beside="alpha_"),
    }
    remedy = "or raise prior_precision"

    moments_: CoMoments
    covariance_: Floats
    precision_: Floats
    trace_: EvidenceTrace
    noise_variance_: float
    shape_: float
    scale_: float
    alpha_: float
    log_evidence_: float
    weight_: float
    root_: Floats
    pivot_: float
    history_: tuple[float, ...]
    n_iter_: int
    converged_: bool

    def __init__(
        self,
        prior_precision: Any = 1.0,
        noise: str = "known",
        *,
        noise_variance: float = 1.0,
        prior_mean: Any = 0.0,
        shape: float = 1.0,
        scale: float = 1.0,
        fit_intercept: bool = True,
        intercept_precision: float = 0.0,
        max_iter: int = 100,
        tol: float = 1e-10,
    ) -> None:
        self.prior_precision = prior_precision
        self.noise = noise
        self.noise_variance = noise_variance
        self.prior_mean = prior_mean
        self.shape = shape
        self.scale = scale
        self.fit_intercept = fit_intercept
        self.intercept_precision = intercept_precision
        self.max_iter = max_iter
        self.tol = tol

    # --- fit ------------------------------------------------------------------------------------------------

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Take the posterior so far for the prior of more rows: it becomes that of all rows."""
        return self._fit_more(X, y, sample_weight)

    def _learn(self, table: Table) -> None:
        self._learn_more(table, first=True)

    def _learn_more(self, table: Table, first: bool) -> None:
        self._keep(self._grown_problem(table, first).moments)

    def _ingest(self, X: Any, y: Any, sample_weight: Any, **how: Any) -> Table:
        table = super()._ingest(X, y, sample_weight, **how)
        ingest.require_one_number(table, type(self).__name__)
        return table

    def _keep(self, moments: CoMoments) -> None:
        prior = prior_of(self)
        system = system_about(moments, prior.intercept)
        self._require_determined(system, prior)
        belief = self._believe(system, prior)
        posterior, coef = belief.posterior, belief.posterior.coef[:, None]
        problem = SumsProblem(moments, system, None, True)
        self._set(problem, coef)
        self.weight_, self.pivot_, self.root_ = moments.weight, posterior.pivot, posterior.root
        self.noise_variance_, self.log_evidence_ = belief.noise_variance, belief.log_evidence
        self.covariance_, self.precision_ = belief.covariance(), posterior.precision() / belief.unit
        for name in NOISE_ATTRIBUTES:
            if name in belief.attributes:
                setattr(self, name, belief.attributes[name])
            elif hasattr(self, name):  # another kind of noise was set since the last rows
                delattr(self, name)
        error = np.array([posterior.misfit])
        self._warn_of_rank(
            problem, LeastSquaresSolution(coef, error, len(coef), posterior.doubt, posterior.root, "cholesky")
        )
        if belief.complaint:
            warn_user(f"{type(self).__name__}: {belief.complaint}", ConvergenceWarning)

    def _believe(self, system: NormalEquations, prior: WeightPrior) -> Belief:
        if self.noise == "known":
            return believe_known(system, prior, self.noise_variance)
        if self.noise == "inverse_gamma":
            return believe_inverse_gamma(system, prior, self.shape, self.scale)
        return believe_likeliest(system, prior, self.max_iter, self.tol)

    def _require_determined(self, system: NormalEquations, prior: WeightPrior) -> None:
        """Refuse columns of whose weights neither rows nor prior say anything."""
        undetermined = np.flatnonzero(~system.varies & (np.diagonal(prior.precision) == 0.0))
        if len(undetermined):
            names = ", ".join(map(repr, self.schema_.column_names(undetermined[:NAMED])))
            raise DataError(
                f"{names}{', …' if len(undetermined) > NAMED else ''} {'does' if len(undetermined) == 1 else 'do'} "
                "not vary, and prior_precision says nothing of the weight: drop the column, or raise prior_precision"
            )

    # --- predict --------------------------------------------------------------------------------------------

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """The mean of each row's target; with `return_std` also its standard deviation, noise included.

        With inverse gamma noise it is that of Student's t, which is infinite for `shape_` ≤ 1.
        """
        mean = super().predict(X)
        if not return_std:
            return mean
        return mean, np.sqrt(self.noise_variance_ * (1.0 + self._plane_variances(X)))

    def predict_interval(self, X: Any, level: float = 0.95) -> Floats:
        """Low and high (n, 2), between which a row's target lies with probability `level`: exact, normal or t."""
        check_is_fitted(self)
        scales = reach(self, level)
        mean = super().predict(X)
        half = scales * np.sqrt(scale_variance(self) * (1.0 + self._plane_variances(X)))
        return np.column_stack([mean - half, mean + half])

    def sample_posterior(self, n: int = 1, random_state: Any = None) -> PosteriorDraws:
        """Draw n planes, each with its noise variance, from the posterior."""
        check_is_fitted(self)
        if not isinstance(n, Integral) or n < 1:
            raise ParameterError(f"n is {n!r}; draw at least one plane")
        rng = check_random_state(random_state)
        noise = np.full(n, self.noise_variance_)
        if hasattr(self, "shape_"):
            noise = self.scale_ / rng.gamma(self.shape_, size=n)
        spread = np.sqrt(noise)[:, None]
        coef = self.coef_ + spread * (rng.standard_normal((n, len(self.coef_))) @ self.root_.T)
        at_centre = self.y_centre_ + spread[:, 0] / math.sqrt(self.pivot_) * rng.standard_normal(n)
        return PosteriorDraws(at_centre - coef @ self.x_centre_, coef, noise)

    def summary(self, level: float = 0.95) -> PosteriorSummary:
        """Posterior mean, standard deviation and credible interval of each weight."""
        check_is_fitted(self)
        return summarise_posterior(self, level, reach(self, level) * math.sqrt(scale_variance(self)))

    def _plane_variances(self, X: Any) -> Floats:
        return np.asarray(self._answers(X, plane_variances, self.x_centre_, self.root_, self.pivot_, propagates=True))

    # --- work -----------------------------------------------------------------------------------------------

    def _derive(self, options: WorkOptions) -> Work:
        return derive_posterior(self, options)

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        chunk, cut = self._first_rows(X, options.rows)
        return derive_intervals(self, chunk.dense(), derive_predictions(self, chunk.dense(), cut, options.is_full))

    def _derive_iteration(self, iteration: int, options: WorkOptions) -> Work:
        if not hasattr(self, "trace_"):
            return super()._derive_iteration(iteration, options)
        return derive_search(self, iteration)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = False
        return tags
