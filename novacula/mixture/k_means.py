"""K-means: K centres such that rows are close to the nearest of them.

    J = Σ w ‖x − c‖²      c of x: the nearest centre      c ← Σwx / Σw over the rows that have it

J, the inertia, never rises from step to step (Lloyd, 1957). It is what EM for equal spherical Gaussians becomes when
their variance goes to zero: each row belongs to one cluster only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from novacula.errors import DataError, DataWarning, ModelFileError, ParameterError, warn_user
from novacula.learner import information_criteria, ingest
from novacula.learner.base import Unsupervised
from novacula.learner.card import Card
from novacula.learner.first_rows import FirstRows
from novacula.learner.iterate import warn_unless_converged
from novacula.learner.showing import WorkOptions
from novacula.learner.trace import FitPath
from novacula.learner.work import Work
from novacula.mixture.lloyd.assignment import Centres, Space, centres_at
from novacula.mixture.lloyd.derivation import derive_iteration, derive_model, derive_rows
from novacula.mixture.lloyd.descent import LloydDescent, LloydResult
from novacula.mixture.lloyd.queries import distances_of, labels_of, squares_of
from novacula.mixture.lloyd.rows import HeldRows, LloydRows, StreamedRows
from novacula.mixture.lloyd.search import ClusterSearch, search_sizes
from novacula.mixture.lloyd.silhouette import Silhouette, mean_silhouette
from novacula.mixture.lloyd.start import ClusterOverview, LloydStarts
from novacula.mixture.lloyd.sums import ClusterSums
from novacula.mixture.lloyd.trace import LloydTrace
from novacula.state import State, flag, floats, nullable, number, record, text, whole
from novacula.table import Table
from novacula.table.chunk import Floats

RESTARTS = 10
"""Starts of "random" and "random_partition" where n_init is "auto"."""


class KMeans(TransformerMixin, ClassNamePrefixFeaturesOutMixin, ClusterMixin, Unsupervised):
    """Clusters by Lloyd's algorithm, with bounds that spare most distances and change nothing.

    Parameters
    ----------
    n_clusters : int, default=8
    init : {"k-means++", "random_partition", "random"} or array (n_clusters, n_columns), default="k-means++"
        Rows spread over the data; the means of a random partition of the rows; random rows; or the centres.
    n_init : int or "auto", default="auto"
        Starts, of which the one with the least inertia is kept. "auto": 10 for random rows and partitions, else 1.
    bounds : {"auto", "none", "hamerly", "elkan"}, default="auto"
        What is remembered of each row in memory: nothing, one bound, or one for each centre. The result is the same
        to the bit. Rows of files and clusters are not remembered.
    max_iter : int, default=300
    tol : float, default=1e-4
        It ends when the squared way of all centres is no more than this share of the columns' mean variance, and in
        any case when assignments stop to change; 0 waits for that.
    random_state : int, RandomState or None, default=0
        Chooses the starts; the same for any order, files or chunks. None: others each time.

    Attributes
    ----------
    cluster_centers_ : array (n_clusters, n_columns)
    labels_ : array
        The cluster of each row of the fit, where these were in memory; for others there is `predict`.
    inertia_, history_ : float, array
        J at the end, and from the start on.
    cluster_weight_, cluster_inertia_ : arrays (n_clusters,)
        Rows, by weight, and inertia of each cluster.
    n_iter_, converged_, outcome_
        Moves of the centres, whether they came to rest, and why it ended.
    n_reseeded_ : int
        How often a cluster without rows was started again from the farthest row, which a warning reports as well.
    start_ : array (n_clusters, n_columns)
        The centres at the start.
    sums_ : ClusterSums or None
        Weight and sum of the rows, seen from `origin_`, that each centre is the mean of; None if no centre moved.
    trace_ : LloydTrace
        The way of the centres, the first rows, and sums of the others, from which `work(iteration=k)` is derived.

    Examples
    --------
    >>> model = KMeans(2).fit([[1.0], [2.0], [3.0], [10.0], [11.0]])
    >>> sorted(model.cluster_centers_.ravel().tolist()), model.inertia_
    ([2.0, 10.5], 2.5)
    >>> bool(model.predict([[4.0]]) == model.labels_[0])
    True
    """

    card: ClassVar[Card] = Card(
        name="K-means",
        task="clustering",
        summary="K centres, each the mean of the rows that are nearest to it.",
        hypothesis_space="K points; each row belongs to the nearest, so clusters are Voronoi cells.",
        inductive_bias="Clusters are round, equally wide, and far from each other on the scale of the columns.",
        objective="Inertia: the sum of squared distances of rows from their centres.",
        search="Lloyd's algorithm, which never rises, from one start or several; it may end in a local minimum.",
        noise="Outliers pull centres, or take one of their own.",
        missing="Not taken: a row without a value has no distance. Gaussian mixtures take them.",
        unseen="Not taken: categories have to be encoded as numbers first.",
        takes=("numeric",),
        scales=("memory", "stream", "cluster"),
        uses="reduce",
        interpretability="High: a cluster is its centre.",
        answer_cost="K·d for each row.",
        cost="n·K·d per iteration at most, one pass over the rows each, and two before. In memory bounds spare most "
        "of it once centres move little.",
        cost_exponents={"n": 1, "K": 1, "d": 1},
        needs=("scaled",),
        size="n_clusters",
        sizes=tuple(range(1, 11)),
        references=(
            "Lloyd, Least squares quantization in PCM (1982; written in 1957)",
            "Arthur and Vassilvitskii, k-means++: the advantages of careful seeding (2007)",
            "Elkan, Using the triangle inequality to accelerate k-means (2003)",
            "Hamerly, Making k-means even faster (2010)",
            "Bachem, Lucic and Krause, Scalable k-means clustering via lightweight coresets (2018)",
        ),
        expected_failures={
            "check_sample_weights_shape": "it fits eight clusters to four distinct rows, which is refused",
            "check_sample_weights_not_overwritten": "it does so, too",
        },
    )
    state_types: ClassVar[tuple[type, ...]] = (ClusterSums, LloydTrace, FirstRows, FitPath)
    not_compared: ClassVar[Mapping[str, str]] = {
        "trace_.rows": "the first rows depend on the order of the rows",
        "trace_.others": "so do the other rows",
    }
    state: ClassVar[State] = {
        "n_features_in_": whole(least=1, size="numeric"),
        "cluster_centers_": floats("clusters", "columns"),
        "origin_": floats("columns"),
        "start_": floats("clusters", "columns"),
        "cluster_weight_": floats("clusters", least=0.0),
        "cluster_inertia_": floats("clusters", least=0.0),
        "inertia_": number(least=0.0),
        "history_": floats("moves+1", least=0.0),
        "n_iter_": whole(),
        "converged_": flag(),
        "outcome_": text(),
        "n_reseeded_": whole(),
        "sums_": nullable(record(ClusterSums, clusters="clusters", columns="columns")),
        "trace_": record(LloydTrace, columns="columns"),
    }

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "init": [StrOptions({"k-means++", "random_partition", "random"}), "array-like"],
        "n_init": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
        "bounds": [StrOptions({"auto", "none", "hamerly", "elkan"})],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state"],
    }

    cluster_centers_: Floats
    inertia_: float
    history_: Floats
    cluster_weight_: Floats
    cluster_inertia_: Floats
    n_iter_: int
    converged_: bool
    outcome_: str
    n_reseeded_: int
    start_: Floats
    sums_: ClusterSums | None
    origin_: Floats
    trace_: LloydTrace

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        init: Any = "k-means++",
        n_init: int | str = "auto",
        bounds: str = "auto",
        max_iter: int = 300,
        tol: float = 1e-4,
        random_state: Any = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.bounds = bounds
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    # --- fit ---------------------------------------------------------------------------------------------------

    def _learn(self, table: Table) -> None:
        """Find the centres."""
        self._labels: npt.NDArray[np.int32] | None = None
        rows: LloydRows = HeldRows(table, self.n_clusters, self.bounds) if table.is_local else StreamedRows(table)
        overview = ClusterOverview.of(rows, self._names())
        seed = check_random_state(self.random_state).randint(2**31)
        starts = LloydStarts(rows, overview, self.init, self.n_clusters, seed)
        descent = LloydDescent(rows, overview, self.tol * float(overview.variance.mean()))
        best: LloydResult | None = None
        for place in range(self._n_starts()):
            start = starts.offsets(place)
            result = descent.descend(start, self.max_iter)
            if best is None or result.inertia < best.inertia:
                best, self.start_ = result, overview.space.origin + start
        self._keep(table, best, overview.space)

    def _n_starts(self) -> int:
        if self.n_init == "auto":
            return RESTARTS if isinstance(self.init, str) and self.init != "k-means++" else 1
        if not isinstance(self.init, str) and self.n_init != 1:
            raise ParameterError(f"n_init is {self.n_init}, but init gives the centres of one start: leave n_init at 1")
        return int(self.n_init)

    def _keep(self, table: Table, best: LloydResult | None, space: Space) -> None:
        if best is None or not best.run.history:
            raise DataError("rows and centres are so far apart that squared distances overflow: scale the columns")
        run, origin = best.run, space.origin
        self.cluster_centers_, self.origin_ = origin + run.params.offset, origin
        self.inertia_, self.history_ = best.inertia, np.array(run.history)
        self.cluster_weight_, self.cluster_inertia_ = best.sums.weight, best.sums.inertia
        self.n_iter_, self.converged_, self.outcome_ = run.n_iter, run.converged, run.sentence
        self.n_reseeded_, self.sums_ = best.reseeded, run.params.sums
        self._labels = best.labels
        self.trace_ = LloydTrace.of(table, best, space)
        warn_unless_converged(run, type(self).__name__)
        if best.reseeded:
            warn_user(
                f"{type(self).__name__}: clusters that were left without rows were started again from the row farthest "
                f"from its centre, {best.reseeded} in all (n_reseeded_): a lower n_clusters or another init may fit "
                "better",
                DataWarning,
            )

    @property
    def labels_(self) -> npt.NDArray[np.int32]:
        """The cluster of each row of the fit."""
        labels: npt.NDArray[np.int32] | None = vars(self).get("_labels")
        if labels is None:
            raise AttributeError("labels_ is kept only for rows in memory, by the model fitted on them: call predict")
        return labels

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Find the centres, and give the cluster of each row."""
        self.fit(X, sample_weight=sample_weight)
        return self.predict(X) if self._labels is None else self._labels

    @classmethod
    def search(
        cls,
        X: Any,
        n_clusters: Iterable[int] = range(2, 11),
        *,
        criterion: str = "silhouette",
        sample_weight: Any = None,
        **parameters: Any,
    ) -> ClusterSearch:
        """Fit every number of clusters and compare them by inertia, silhouette and BIC.

        `criterion` says by which `best` is chosen: "silhouette", "bic" or "elbow". Other parameters are those of
        k-means. The result prints as a table.
        """
        return search_sizes(cls, X, tuple(n_clusters), criterion, sample_weight, parameters)

    # --- predict -----------------------------------------------------------------------------------------------

    def predict(self, X: Any) -> npt.NDArray[np.int32]:
        """The nearest centre of each row; ties go to the first."""
        check_is_fitted(self)
        return np.asarray(self._answers(X, labels_of, self._centres()))

    def transform(self, X: Any) -> Floats:
        """The distance of each row to each centre."""
        check_is_fitted(self)
        return np.asarray(self._answers(X, distances_of, self._centres()))

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Minus the inertia of X, so that more is better; a table brings its own weights."""
        if isinstance(X, Table):
            sample_weight = ingest.weight_values(X)
        check_is_fitted(self)
        squares = self._answers(X, squares_of, self._centres())
        weight = ingest.weights_of(sample_weight, squares)
        return -float(squares.sum() if weight is None else weight @ squares)

    # --- explain -----------------------------------------------------------------------------------------------

    @property
    def n_parameters_(self) -> int:
        """The coordinates of the centres."""
        return self.cluster_centers_.size

    def bic(self) -> float:
        """p ln N − 2 ln L of equal spherical Gaussians, each row drawn from its own cluster's; lower is better.

        ln L = Σ nₖ ln(nₖ/N) − (Nd/2)(ln 2πσ² + 1) with σ² = J / Nd. The Gaussians have p = Kd + K parameters: besides
        the centres, which are all that `n_parameters_` counts, K − 1 shares and σ², which no prediction needs.
        Minus infinity where the inertia is 0.
        """
        check_is_fitted(self)
        sizes, d = self.cluster_weight_[self.cluster_weight_ > 0.0], self.cluster_centers_.shape[1]
        total = sizes.sum()
        if self.inertia_ == 0.0:
            return -np.inf
        spread = np.log(2.0 * np.pi * self.inertia_ / (total * d)) + 1.0
        log_likelihood = float(sizes @ np.log(sizes / total)) - 0.5 * total * d * spread
        return information_criteria.bic(log_likelihood, self.n_parameters_ + len(self.cluster_centers_), total)

    def silhouette(self, X: Any, sample_weight: Any = None) -> Silhouette:
        """How much nearer rows are to their own cluster than to the next, from −1 to 1: the mean over X.

        It is over all pairs of rows where these are in memory and few (`exact`), else over distances to centres.
        """
        check_is_fitted(self)
        return mean_silhouette(self._ingest(X, None, sample_weight, first=False), self._centres())

    def _derive(self, options: WorkOptions) -> Work:
        return derive_model(self, options)

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        chunk, cut = self._first_rows(X, options.rows)
        return derive_rows(self, chunk.numeric, cut, options)

    def _derive_iteration(self, iteration: int, options: WorkOptions) -> Work:
        return derive_iteration(self, iteration, options)

    def _centres(self) -> Centres:
        return centres_at(self.origin_, self.cluster_centers_)

    def _names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.schema_.features)

    @property
    def _n_features_out(self) -> int:
        return len(self.cluster_centers_)

    def _check_state(self) -> None:
        n_centres = len(self.cluster_centers_)
        if n_centres != self.n_clusters:
            raise ModelFileError(f"its cluster_centers_ are {n_centres}, but n_clusters={self.n_clusters}")
        if not self.cluster_weight_.any():
            raise ModelFileError("its clusters are of no row: all of cluster_weight_ is 0")
