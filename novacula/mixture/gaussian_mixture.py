"""Gaussian mixtures: rows drawn from one of K normal distributions, but nobody noted from which.

    p(x) = Σₖ wₖ N(x; μₖ, Σₖ)      pₖ = wₖ N(x; μₖ, Σₖ) / p(x)
    μ ← Σpx / n      Σ ← Σp(x − μ)(x − μ)ᵀ / n      w ← n / N      n = Σp

Responsibilities p are the E-step, the three sums over rows the M-step; log-likelihood rises from step to step. With
equal weights and a known variance it is the M-means model, and where that variance goes to zero, k-means.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import deepcopy
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import DensityMixin
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from novacula.arguments import whole_number
from novacula.errors import DataWarning, ModelFileError, ParameterError, warn_user
from novacula.learner import information_criteria, ingest
from novacula.learner.base import Unsupervised
from novacula.learner.card import Admits, Card
from novacula.learner.expectation_maximization import Restart
from novacula.learner.first_rows import FirstRows
from novacula.learner.showing import WorkOptions
from novacula.learner.trace import FitPath
from novacula.learner.work import Work
from novacula.mixture.gaussian.covariance import CovarianceFamily, CovarianceType
from novacula.mixture.gaussian.density import (
    GaussianComponents,
    MixtureDensity,
    imputed_rows,
    lower_factors,
    posteriors,
)
from novacula.mixture.gaussian.derivation import NOTATIONS, derive_iteration, derive_model, derive_predictions
from novacula.mixture.gaussian.maximisation import MaximisedMixture, maximise, report_trouble
from novacula.mixture.gaussian.rows import MixtureRows, RowFold
from novacula.mixture.gaussian.search import MixtureSearch, search_mixtures
from novacula.mixture.gaussian.sums import ExpectedSums, Moments
from novacula.mixture.gaussian.trace import MixtureTrace
from novacula.state import (
    State,
    by_parameter,
    each,
    flag,
    floats,
    number,
    probabilities,
    record,
    text,
    whole,
)
from novacula.table import Table
from novacula.table.chunk import Floats


class GaussianMixture(DensityMixin, Unsupervised):
    """A density that is a sum of Gaussians, fitted by expectation-maximization.

    Parameters
    ----------
    n_components : int, default=1
    covariance_type : {"full", "tied", "diag", "spherical"}, default="full"
        A matrix per component, one for all, a variance per column, or one variance per component.
    weights : {"free", "equal"}, default="free"
    variance : "free" or float, default="free"
        A number is the known variance of every column in every component: covariances are then that times I.
    reg_covar : float, default=1e-6
        The least variance in any direction, as a share of the columns' own variances; a column that does not vary
        counts as one of variance 1. It is a floor, not an addition: what is above it is left alone.
    init : {"k-means++", "random"} or array (n_components, n_columns), default="k-means++"
        Clusters of a sample of rows; random rows; or the means. The last two start with equal weights and the columns'
        variances.
    init_weights : array (n_components,), default=None
        Weights of the components to start with, in place of those of `init`.
    init_covariances : array of the shape of `covariances_`, default=None
        Covariances to start with, in place of those of `init`.
    n_init : int, default=1
        Starts, of which the one with the largest likelihood is kept.
    tol : float, default=1e-4
        It ends when the mean log-likelihood of a row changes by no more.
    max_iter : int, default=200
        With 0 the start is the result.
    random_state : int, RandomState or None, chooses the starts, and what `sample` gives

    Attributes
    ----------
    weights_, means_, covariances_
        What was learned; covariances have the shape (K, d, d), (d, d), (K, d) or (K,) by their type.
    moments_ : Moments
        Expected rows, means and covariances of the last E-step, from which the parameters were solved.
    history_, n_iter_, converged_, outcome_, restarts_
        Mean log-likelihood of a row from the start on, updates made, and why it ended; of every start, how it ended.
    log_likelihood_ : float
        Of all rows.
    floor_ : array (n_columns,)
        The least variance of each column, by `reg_covar`.
    collapsed_ : tuple of int
        Components that lie on the floor of `reg_covar`, which a warning reports as well.
    trace_ : MixtureTrace
        The way of the parameters, the first rows, and sums of the others, from which `work(iteration=k)` is derived.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[-1.2], [-1.0], [-0.9], [-0.7], [0.8], [1.1], [1.3]])
    >>> model = GaussianMixture(2, weights="equal", variance=0.1, random_state=0).fit(x)
    >>> np.sort(model.means_.ravel()).round(4).tolist()
    [-0.95, 1.0667]
    >>> model.predict([[-2.0], [np.nan], [2.0]]).shape
    (3,)
    """

    card: ClassVar[Card] = Card(
        name="Gaussian mixture",
        task="density",
        summary="A density that is a weighted sum of Gaussians; each row belongs to each of them by a probability.",
        hypothesis_space="Weights, means and covariances of K Gaussians, of one of four families.",
        inductive_bias="Rows come from few clusters, each an ellipsoid.",
        objective="Likelihood of the known values, with no variance below a floor.",
        search="Expectation-maximization, which never falls, from one start or several; it may end in a local maximum.",
        noise="Outliers pull means and widen covariances, or take a component of their own.",
        missing="Integrated out: a row counts by its known values, as an exact E-step. A row without any "
        "changes nothing but is counted; a column without any raises.",
        admits=Admits(missing=True),
        unseen="Not taken: categories have to be encoded as numbers first.",
        takes=("numeric",),
        scales=("memory", "stream", "cluster"),
        uses="reduce",
        interpretability="Middling: each component has a mean and a shape, and each row its shares.",
        answer_cost="K·d² for each row (K·d for diag and spherical).",
        cost="n·K·d² per iteration (n·K·d for diag and spherical), one pass over the rows each, and one before. "
        "Missing values add K·d³ for each pattern of them in a chunk.",
        cost_exponents={"n": 1, "K": 1, "d": 2},
        size="n_components",
        sizes=tuple(range(1, 11)),
        references=(
            "Dempster, Laird and Rubin, Maximum likelihood from incomplete data via the EM algorithm (1977)",
            "Ghahramani and Jordan, Supervised learning from incomplete data via an EM approach (1994)",
        ),
    )
    state_types: ClassVar[tuple[type, ...]] = (Moments, Restart, MixtureTrace, FirstRows, FitPath)
    not_compared: ClassVar[Mapping[str, str]] = {
        "trace_.rows": "the first rows depend on the order of the rows",
        "trace_.others": "so do the other rows",
    }
    notations: ClassVar[Mapping[str, Mapping[str, str]]] = NOTATIONS
    state: ClassVar[State] = {
        "n_features_in_": whole(least=1, size="numeric"),
        "weights_": probabilities("components"),
        "means_": floats("components", "columns"),
        # That matrices are definite is found where they are factored, since that takes longer than to read them.
        "covariances_": by_parameter(
            "covariance_type",
            {
                "full": floats("components", "columns", "columns"),
                "tied": floats("columns", "columns"),
                "diag": floats("components", "columns", above=0.0),
                "spherical": floats("components", above=0.0),
            },
        ),
        "floor_": floats("columns", least=0.0),
        "moments_": record(Moments, components="components", columns="columns"),
        "history_": floats("updates+1"),
        "n_iter_": whole(),
        "converged_": flag(),
        "outcome_": text(),
        "restarts_": each(record(Restart)),
        "log_likelihood_": number(),
        "collapsed_": each(whole(most="components-1")),
        "trace_": record(MixtureTrace, columns="columns"),
    }

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "covariance_type": [StrOptions({"full", "tied", "diag", "spherical"})],
        "weights": [StrOptions({"free", "equal"})],
        "variance": [Interval(Real, 0, None, closed="neither"), StrOptions({"free"})],
        "reg_covar": [Interval(Real, 0, None, closed="left")],
        "init": [StrOptions({"k-means++", "random"}), "array-like"],
        "init_weights": ["array-like", None],
        "init_covariances": ["array-like", None],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 0, None, closed="left")],
        "random_state": ["random_state"],
    }

    weights_: Floats
    means_: Floats
    covariances_: Floats
    floor_: Floats
    moments_: Moments
    history_: Floats
    n_iter_: int
    converged_: bool
    outcome_: str
    restarts_: tuple[Restart, ...]
    log_likelihood_: float
    collapsed_: tuple[int, ...]
    trace_: MixtureTrace

    def __init__(
        self,
        n_components: int = 1,
        *,
        covariance_type: CovarianceType = "full",
        weights: str = "free",
        variance: float | str = "free",
        reg_covar: float = 1e-6,
        init: Any = "k-means++",
        init_weights: Any = None,
        init_covariances: Any = None,
        n_init: int = 1,
        tol: float = 1e-4,
        max_iter: int = 200,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.covariance_type = covariance_type
        self.weights = weights
        self.variance = variance
        self.reg_covar = reg_covar
        self.init = init
        self.init_weights = init_weights
        self.init_covariances = init_covariances
        self.n_init = n_init
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    # --- fit ---------------------------------------------------------------------------------------------------

    def _learn(self, table: Table) -> None:
        best = maximise(self, MixtureRows(table), check_random_state(self.random_state))
        self._keep(best)
        self.trace_ = MixtureTrace.of(table, best.run)
        report_trouble(self, best)

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Fit the mixture, and give the most probable component of each row."""
        return self.fit(X, sample_weight=sample_weight).predict(X)

    def _keep(self, best: MaximisedMixture) -> None:
        run, components = best.run, best.components
        self.weights_, self.means_, self.floor_ = components.weights, components.means, best.family.floor
        self.covariances_ = best.family.compact(components.covariances)
        self.moments_ = best.moments
        self.history_ = np.array(run.history)
        self.n_iter_, self.converged_, self.outcome_ = run.n_iter, run.converged, run.sentence
        self.restarts_ = run.restarts
        self.log_likelihood_ = run.log_likelihood * best.total
        self.collapsed_ = tuple(best.family.collapsed(components.covariances))

    @classmethod
    def search(
        cls,
        X: Any,
        n_components: Iterable[int] = range(1, 10),
        covariance_types: Iterable[CovarianceType] = ("full", "tied", "diag", "spherical"),
        *,
        criterion: str = "bic",
        folds: int = 5,
        sample_weight: Any = None,
        **parameters: Any,
    ) -> MixtureSearch:
        """Fit every number of components with every family of covariances, and rank them; lower is better.

        `criterion` is "bic", "aic", or "cv": the mean −ln p of rows that were left out, over `folds` folds. Other
        parameters are those of the mixture. The result prints as a table; `best` is the fitted winner.
        """
        return search_mixtures(
            cls, X, tuple(n_components), tuple(covariance_types), criterion, folds, sample_weight, parameters
        )

    def cross_entropy(self, X: Any, *, folds: int = 5, sample_weight: Any = None) -> float:
        """The mean −ln p of rows, each under a mixture of the rows of other folds; lower is better.

        The mixtures have the parameters of this one, which is fitted, and stays as it is.
        """
        check_is_fitted(self)
        count, table = whole_number(folds, "folds", 2), self._ingest(X, None, sample_weight, first=False)
        seed = check_random_state(self.random_state).randint(2**31)
        loss = total = 0.0
        for fold in range(count):
            rng = check_random_state(deepcopy(self.random_state))  # every fold starts where the model would
            best = maximise(self, MixtureRows(table, RowFold(fold, count, seed)), rng)
            report_trouble(self, best)
            left_out = MixtureRows(table, RowFold(fold, count, seed, without=False))
            sums = left_out.reduce(ExpectedSums.observe, MixtureDensity.of(best.components))
            loss, total = loss - sums.log_likelihood, total + float(sums.weight.sum())
        return loss / total

    # --- predict -----------------------------------------------------------------------------------------------

    def predict_proba(self, X: Any) -> Floats:
        """The responsibility of each component for each row."""
        posteriors = self._posteriors(X)
        lost = np.isneginf(posteriors[:, -1])
        if lost.any():
            warn_user(
                f"{int(lost.sum())} rows, the first of them row {int(np.argmax(lost)) + 1}, are so far off that every "
                "density is 0, so the components' weights are given for them",
                DataWarning,
            )
            posteriors[lost, :-1] = self.weights_
        return posteriors[:, :-1]

    def predict(self, X: Any) -> Any:
        """The most probable component of each row; ties go to the first."""
        return np.argmax(self.predict_proba(X), axis=1)

    def score_samples(self, X: Any) -> Floats:
        """ln p(x) of each row, of its known values where some are missing; a row without any has 0."""
        return self._posteriors(X)[:, -1]

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The mean of ln p(x); a table brings its own weights."""
        if isinstance(X, Table):
            sample_weight = ingest.weight_values(X)
        log_density = self.score_samples(X)
        return float(np.average(log_density, weights=ingest.weights_of(sample_weight, log_density)))

    def impute(self, X: Any) -> Floats:
        """The rows with each missing value replaced by its mean given the known ones."""
        check_is_fitted(self)
        return np.asarray(self._answers(X, imputed_rows, self._density()))

    def sample(self, n_samples: int = 1) -> tuple[Floats, Any]:
        """Rows drawn from the mixture, and the component that each came from."""
        check_is_fitted(self)
        if not isinstance(n_samples, Integral) or n_samples < 1:
            raise ParameterError(f"n_samples is {n_samples!r}; it must be a whole number of at least 1")
        rng = check_random_state(self.random_state)
        label = rng.choice(len(self.weights_), size=int(n_samples), p=self.weights_)
        lower = lower_factors(self._components().matrices())
        noise = rng.standard_normal((int(n_samples), self.means_.shape[1]))
        return self.means_[label] + np.einsum("nij,nj->ni", lower[label], noise), label

    # --- explain -----------------------------------------------------------------------------------------------

    @property
    def n_parameters_(self) -> int:
        """Free parameters: means, covariances, and weights but the last."""
        check_is_fitted(self)
        free = len(self.weights_) - 1 if self.weights == "free" else 0
        return self.means_.size + self.family(self.floor_).n_parameters(len(self.weights_)) + free

    def bic(self, X: Any = None) -> float:
        """p ln N − 2 ln L, of X or of the rows of the fit; lower is better."""
        log_likelihood, n = self._likelihood(X)
        return information_criteria.bic(log_likelihood, self.n_parameters_, n)

    def aic(self, X: Any = None) -> float:
        """2p − 2 ln L, of X or of the rows of the fit; lower is better."""
        return information_criteria.aic(self._likelihood(X)[0], self.n_parameters_)

    def _derive(self, options: WorkOptions) -> Work:
        return derive_model(self, options)

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        chunk, cut = self._first_rows(X, options.rows)
        return derive_predictions(self, chunk.numeric, cut, options)

    def _derive_iteration(self, iteration: int, options: WorkOptions) -> Work:
        return derive_iteration(self, iteration, options)

    def _likelihood(self, X: Any) -> tuple[float, float]:
        check_is_fitted(self)
        if X is None:
            return self.log_likelihood_, float(self.moments_.weight.sum())
        log_density = self.score_samples(X)
        weight = ingest.weight_values(X) if isinstance(X, Table) else None
        weight = np.ones(len(log_density)) if weight is None else weight
        return float(weight @ log_density), float(weight.sum())

    def _posteriors(self, X: Any) -> Floats:
        check_is_fitted(self)
        return np.asarray(self._answers(X, posteriors, self._density()))

    def _names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.schema_.features)

    def family(self, floor: Floats) -> CovarianceFamily:
        """The family of covariances that the parameters name, with a least variance of each column (d,)."""
        variance = None if isinstance(self.variance, str) else float(self.variance)
        return CovarianceFamily(self.covariance_type, variance, floor)

    def _components(self) -> GaussianComponents:
        covariances = self.family(self.floor_).expanded(self.covariances_, len(self.weights_))
        return GaussianComponents(self.weights_, self.means_, covariances)

    def _density(self) -> MixtureDensity:
        return MixtureDensity.of(self._components())

    def _check_state(self) -> None:
        if len(self.weights_) != self.n_components:
            raise ModelFileError(f"its weights_ are {len(self.weights_)}, but n_components={self.n_components}")
        matrices = self.covariance_type in ("full", "tied")
        if matrices and not (np.diagonal(self.covariances_, axis1=-2, axis2=-1) > 0.0).all():
            raise ModelFileError("its covariances_ hold a variance that is not above 0")
        if not self.moments_.weight.any():
            raise ModelFileError("its moments_ are of no row: all their weights are 0")
