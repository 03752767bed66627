"""Hidden Markov models of numbers: p(xₜ | zₜ = k) = N(xₜ; μₖ, Σₖ)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from novacula.errors import DataWarning, ModelFileError, ParameterError, overflow, warn_user
from novacula.graph.hmm.base import IN_TIME, HiddenMarkovModel
from novacula.graph.hmm.derivation.emissions import EmissionStep, NormalStep
from novacula.graph.hmm.emissions.gaussian import GaussianEmission, GaussianOverview
from novacula.graph.hmm.parameters import numeric_columns
from novacula.learner.card import Admits, Card
from novacula.mixture.gaussian.covariance import CovarianceFamily, CovarianceType
from novacula.mixture.gaussian.start import as_means
from novacula.mixture.gaussian.sums import Moments
from novacula.state import (
    State,
    by_parameter,
    each,
    floats,
    optional,
    record,
    whole,
)
from novacula.table import Chunk
from novacula.table.chunk import Floats


class GaussianHMM(HiddenMarkovModel):
    """A chain of hidden states, each of which shows numbers with a normal distribution of its own.

    Parameters
    ----------
    n_states : int, default=None
        None means as many as `y` names, and 2 without y.
    covariance_type : {"full", "tied", "diag", "spherical"}, default="full"
        One matrix per state, one for all, one variance per column, or one variance per state.
    reg_covar : float, default=1e-6
        The least variance in any direction, as a share of the columns' own variances: a floor, not an addition.
    init : {"kmeans", "random"} or dict, default=None
        Where EM starts: clusters of the steps, random steps, or a dict with any of "start" (K,), "transition" (K, K),
        "means" (K, d) and "covariances", in the shape of the type. None is "kmeans".
    n_init, m, tol, max_iter, transition_mask, random_state
        As those of `CategoricalHMM`; m counts as m more steps in each state, with the mean and the variances of
        all steps.

    Attributes
    ----------
    start_, transition_, means_, covariances_
        What was learned; covariances have the shape (K, d, d), (d, d), (K, d) or (K,) by their type.
    moments_ : Moments
        Expected steps, means and covariances from which the emission was solved.
    floor_, overall_mean_ : arrays (d,)
        The least variance of each column, and its mean over all steps.
    collapsed_ : tuple of int
        States whose variance is at the floor of `reg_covar`; a warning names them as well.
    states_, start_counts_, transition_counts_, log_likelihood_, history_, n_iter_, converged_, outcome_, restarts_
    n_steps_, n_free_
        As those of `CategoricalHMM`.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> level = np.repeat([0.0, 5.0, 0.0, 5.0], 50)
    >>> model = GaussianHMM(2).fit(level + rng.normal(size=200))
    >>> np.sort(model.means_.ravel()).round(1).tolist()
    [0.1, 5.0]
    >>> model.transition_.diagonal().round(2).tolist()
    [0.99, 0.98]
    """

    card: ClassVar[Card] = Card(
        name="Hidden Markov model of numbers",
        task="sequence",
        summary="A chain of hidden states, each of which shows numbers with a normal distribution of its own.",
        hypothesis_space="Starts, transitions, means and covariances of K states; covariances of one of four families.",
        inductive_bias="What comes depends on the present state alone, and each state is an ellipsoid.",
        objective="Likelihood of the known values, times a prior if m > 0, with no variance below a floor.",
        search="Baum–Welch (EM), which never falls, from one start or several; counting where states are known.",
        noise="Outliers pull means and widen covariances, or take a state of their own.",
        missing="Integrated out: a step counts by its known values; one without any says nothing, but time goes on.",
        admits=Admits(missing=True),
        unseen="Not taken: categories have to be encoded as numbers first.",
        takes=("numeric",),
        uses="arrays",
        interpretability="Middling: means and spreads of each state can be read, the path of states is inferred.",
        answer_cost="K² + K·d² for each step of a sequence.",
        cost="n·K² + n·K·d² per iteration (n·K·d for diag and spherical).",
        cost_exponents={"n": 1, "K": 2, "d": 2},
        size="n_states",
        references=("Rabiner, A tutorial on hidden Markov models (1989)",),
        expected_failures=IN_TIME,
    )
    emission_names: ClassVar[tuple[str, ...]] = ("means", "covariances")
    state_types: ClassVar[tuple[type, ...]] = (*HiddenMarkovModel.state_types, Moments)
    emission_step: ClassVar[type[EmissionStep]] = NormalStep

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **HiddenMarkovModel._parameter_constraints,
        "covariance_type": [StrOptions({"full", "tied", "diag", "spherical"})],
        "reg_covar": [Interval(Real, 0, None, closed="left")],
    }
    state: ClassVar[State] = {
        "means_": floats("states", "numeric"),
        # That matrices are definite is found where they are factored, since that takes longer than to read them.
        "covariances_": by_parameter(
            "covariance_type",
            {
                "full": floats("states", "numeric", "numeric"),
                "tied": floats("numeric", "numeric"),
                "diag": floats("states", "numeric", above=0.0),
                "spherical": floats("states", above=0.0),
            },
        ),
        "floor_": floats("numeric", least=0.0),
        "overall_mean_": optional(floats("numeric"), beside="history_"),
        "moments_": optional(record(Moments, components="states", columns="numeric"), beside="history_"),
        "collapsed_": optional(each(whole(most="states-1")), beside="history_"),
    }

    means_: Floats
    covariances_: Floats
    floor_: Floats
    overall_mean_: Floats
    moments_: Moments
    collapsed_: tuple[int, ...]

    def __init__(
        self,
        n_states: int | None = None,
        *,
        covariance_type: CovarianceType = "full",
        reg_covar: float = 1e-6,
        init: Any = None,
        n_init: int = 1,
        m: float = 0.0,
        tol: float = 1e-8,
        max_iter: int = 500,
        transition_mask: Any = None,
        random_state: Any = 0,
    ) -> None:
        super().__init__(
            n_states, init=init, n_init=n_init, m=m, tol=tol, max_iter=max_iter, transition_mask=transition_mask,
            random_state=random_state,
        )  # fmt: skip
        self.covariance_type = covariance_type
        self.reg_covar = reg_covar

    @classmethod
    def from_parameters(
        cls,
        start: Any,
        transition: Any,
        means: Any,
        covariances: Any,
        *,
        states: Sequence[Any] | None = None,
        columns: Sequence[str] | None = None,
        **parameters: Any,
    ) -> Self:
        """A model of known parameters, of which questions can be asked without a fit."""
        shape = np.shape(means)
        if len(shape) != 2:
            raise ParameterError(f"means has shape {shape}; it must be a table with one row per state")
        features = numeric_columns(columns, shape[1], "means")
        model = cls(shape[0], **parameters)
        model.floor_ = np.zeros(shape[1])
        emission = model._emission_of(as_means(means, *shape), covariances)
        return model.set_parameters(start, transition, emission, features, states)

    # --- what an emission adds ---------------------------------------------------------------------------------

    def _values(self, chunk: Chunk) -> Floats:
        return chunk.numeric

    def _overview(self, values: Floats, weight: Floats, seed: int) -> GaussianOverview:
        self._require_known(values, "value")
        overview = GaussianOverview.of(values, weight, self.covariance_type, self.reg_covar, seed)
        if not np.isfinite(overview.rows.variance).all():
            name = self.schema_.features[int(np.argmin(np.isfinite(overview.rows.variance)))].name
            raise overflow(name)
        self.floor_, self.overall_mean_ = overview.family.floor, overview.rows.mean
        return overview

    def _given_emission(self, given: Mapping[str, Any], n_states: int) -> GaussianEmission:
        for name, other in (("means", "covariances"), ("covariances", "means")):
            if name not in given:
                raise ParameterError(f"init has {other}, but no {name}: give both")
        return self._emission_of(as_means(given["means"], n_states, len(self.floor_)), given["covariances"])

    def _emission_of(self, means: Floats, covariances: Any) -> GaussianEmission:
        """Means, and covariances in the shape of their type."""
        k, d = means.shape
        shape = {"full": (k, d, d), "tied": (d, d), "diag": (k, d), "spherical": (k,)}[self.covariance_type]
        compact = np.array(covariances, np.float64)
        if compact.shape != shape:
            raise ParameterError(f"covariances has shape {compact.shape}, but {self.covariance_type} ones have {shape}")
        covariance = self._family().expanded(compact, k)
        lowest = covariance.min() if covariance.shape[1] == 1 else np.linalg.eigvalsh(covariance).min()
        if not lowest > 0.0 or not np.allclose(
            covariance, covariance.swapaxes(1, 2) if covariance.shape[1] == d else covariance
        ):
            raise ParameterError("covariances must be symmetric and have positive variances in every direction")
        return GaussianEmission.of(means, np.ascontiguousarray(covariance))

    def _family(self) -> CovarianceFamily:
        return CovarianceFamily(self.covariance_type, None, self.floor_)

    def _emission(self) -> GaussianEmission:
        return GaussianEmission.of(self.means_, self._family().expanded(self.covariances_, len(self.means_)))

    def _keep_emission(self, emission: GaussianEmission, sums: Any) -> None:
        self.means_ = emission.components.means
        self.covariances_ = np.ascontiguousarray(self._family().compact(emission.components.covariances))
        if sums is not None:
            self.moments_ = sums.moments
            self._report_collapsed(self._family().collapsed(emission.components.covariances))

    def _report_collapsed(self, collapsed: dict[int, list[int]]) -> None:
        """Warn of states whose variance is at the floor."""
        self.collapsed_ = tuple(collapsed)
        if collapsed:
            names = [str(self.states_[k]) for k in collapsed]
            warn_user(
                f"GaussianHMM: states whose variance is held at the floor of reg_covar: {', '.join(names[:10])}; lower "
                "n_states, raise reg_covar, or drop columns that do not vary or depend on each other",
                DataWarning,
            )

    def _check_state(self) -> None:
        super()._check_state()
        d = self.means_.shape[1]
        rows = 1 if self._family().diagonal else d
        if hasattr(self, "moments_") and self.moments_.covariance.shape[1:] != (rows, d):
            raise ModelFileError(f"its moments_ are not those of {self.covariance_type} covariances")
