"""Principal components: the orthogonal directions along which rows vary most.

    C = (1/(P−1)) Σ (x − μ)(x − μ)ᵀ        Cv = λv        z = V(x − μ)        x̂ = μ + Vᵀz

The first k directions leave out the least: the mean of ‖x − x̂‖² over the P rows is (P−1)/P times the sum of the
other eigenvalues. C comes from the sums of one pass; `spectrum` has the other ways to the same directions.
"""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions
from sklearn.utils.metaestimators import available_if

from novacula.errors import DataError, ParameterError
from novacula.learner.card import Admits, Card
from novacula.learner.iterate import warn_unless_converged
from novacula.learner.showing import WorkOptions
from novacula.learner.trace import FewRows
from novacula.learner.work import Work
from novacula.projection.columns import require_known
from novacula.projection.components import ComponentLearner
from novacula.projection.derivation.filling import derive_filling
from novacula.projection.dimension import chosen_dimension, requested_dimension
from novacula.projection.em import likeliest_normal, observe_known
from novacula.projection.randomized import solve_randomized
from novacula.projection.rows import centred_rows, still_columns
from novacula.projection.spectrum import CovarianceSpectrum, solve_covariance, solve_dual, solve_rows, solve_triangle
from novacula.projection.sums import FeatureSpread, observe_scatter
from novacula.projection.trace import FillingTrace
from novacula.state import State, each, flag, floats, number, optional, whole
from novacula.statistics import Triangle
from novacula.table import Table
from novacula.table.chunk import Floats

LARGEST_COVARIANCE = 10_000
"""Columns up to which d × d numbers are summed: 0.8 GB, and as much for each thread."""
LARGEST_GRAM = 20_000
"""Rows up to which n × n numbers are held: 3.2 GB."""
ACCURATE = 1e-8
"""Eigenvalues below this share of the largest lose digits when they come from squares."""


class PCA(ComponentLearner):
    """Principal component analysis.

    Parameters
    ----------
    n_components : int, float, "mle" or None, default=None
        How many directions to keep: a number, as many as explain at least this share of the variance (0 to 1), the
        likeliest number (Minka's), or all: min(rows, columns).
    method : {"auto", "covariance", "dual", "svd", "randomized", "em"}, default="auto"
        The way to them; `method_` is the one taken.
        "covariance": eigenvectors of the covariance, from one pass.
        "dual": eigenvectors of the Gram matrix of the rows, for fewer rows than columns.
        "svd": singular values of the centred rows, by a second pass where there are many; exact where eigenvalues are
        tiny, too.
        "randomized": the first few, by subspace iteration.
        "em": maximum likelihood where values are missing; rows that miss values are fitted so by every method.
        "auto": "dual" if rows are fewer than columns, else "covariance"; from both it goes on to "svd" if an
        eigenvalue that is kept lies below 1e-8 of the largest, where squares have lost digits. Beyond 20,000 rows and
        10,000 columns it is "randomized".
    whiten : bool, default=False
        Divide scores by their standard deviations, so that each has variance 1; those without variance stay as they
        are.
    n_oversamples, iterated_power : int, default=10 and 7
        For "randomized": directions carried besides the requested ones, and products that sharpen them, one pass each.
    tol, max_iter : float and int, default=1e-8 and 1000
        For "em": it ends when the mean log-likelihood of a row changes by no more than this share of itself or, where
        it is below 1, by this.
    random_state : int, RandomState or None, default=None
        For "randomized": the start.

    Attributes
    ----------
    components_ : array (k, d)
        The directions, orthonormal. The largest entry of each is positive, the first of those equal to 1e-6. Where
        there is no variance left they are axes, made orthogonal to the others.
    explained_variance_, explained_variance_ratio_, singular_values_ : arrays (k,)
        λ, its share of the whole, and √(λ(N−1)). N is the sum of the weights: a weight counts repetitions.
    mean_, noise_variance_, total_variance_, n_samples_, n_components_, method_
        The centre; the variance of each direction left out, on average; that of all together; N; k; the way taken.
    eigenvalues_ : array
        All that are known, also of directions left out.
    moments_ : CoMoments or None
        The sums behind the covariance, to which `partial_fit` adds; with "em" the expected ones.
    n_iter_, converged_, history_
        Of "em": iterations, whether it settled, and the mean log-likelihood of a row at each. Otherwise `n_iter_` is 1.

    Examples
    --------
    >>> import novacula as nv
    >>> from novacula.projection import PCA
    >>> model = PCA(n_components=2).fit(nv.datasets.load("iris"))
    >>> model.explained_variance_.round(4).tolist(), model.explained_variance_ratio_.round(4).tolist()
    ([4.2282, 0.2427], [0.9246, 0.0531])
    >>> model.components_[0].round(4).tolist()
    [0.3614, -0.0845, 0.8567, 0.3583]
    """

    card: ClassVar[Card] = Card(
        name="Principal components",
        task="transform",
        summary="The orthogonal directions along which the rows vary most, and the rows seen along them.",
        hypothesis_space="Linear subspaces of k dimensions through the mean; as a density, normal with k variances of "
        "their own and one for all other directions.",
        inductive_bias="What varies most matters most; the units of columns decide what that is.",
        objective="The mean of ‖x − x̂‖², least; or, the same, the variance of the scores, largest.",
        search="Exact: an eigenvalue or singular value decomposition; EM with closed steps where values are missing.",
        noise="One variance in every direction left out; squares make it prone to outliers.",
        missing="Estimated within the model by EM (the rows' known values count, nothing is imputed beforehand); rows "
        "to transform are filled with what the model expects.",
        admits=Admits(missing=True),
        unseen="Not taken: categories have to be encoded as numbers first.",
        takes=("numeric", "sparse"),
        scales=("memory", "stream", "cluster"),
        uses="reduce",
        interpretability="Middling: a component is a mixture of all columns.",
        answer_cost="d·k for each row.",
        cost="One pass of n·d² and d³ to solve, in memory for d² numbers; 'svd' one more pass. 'dual' takes all rows "
        "at once: n·d + n² numbers, n²·d steps. 'randomized' takes nine passes of n·d·(k + 10) and holds d·(k + 10) "
        "numbers. 'em' inverts a matrix for each pattern of missing values in a chunk: up to n·d³ per pass.",
        cost_exponents={"n": 1, "d": 2},
        size="n_components",
        references=(
            "K. Pearson, On lines and planes of closest fit, 1901",
            "M. Tipping and C. Bishop, Probabilistic principal component analysis, 1999",
            "N. Halko, P. Martinsson and J. Tropp, Finding structure with randomness, 2011",
            "T. Minka, Automatic choice of dimensionality for PCA, 2000",
        ),
    )

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_components": [
            Interval(Integral, 1, None, closed="left"),
            Interval(RealNotInt, 0, 1, closed="neither"),
            StrOptions({"mle"}),
            None,
        ],
        "method": [StrOptions({"auto", "covariance", "dual", "svd", "randomized", "em"})],
        "whiten": ["boolean"],
        "n_oversamples": [Interval(Integral, 0, None, closed="left")],
        "iterated_power": [Interval(Integral, 0, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }
    state: ClassVar[State] = {
        "n_components_": whole(least=1, size="components"),
        "singular_values_": floats("components", least=0.0),
        "n_iter_": whole(),
        "converged_": optional(flag(), beside="history_"),
        "history_": optional(each(number())),
    }

    def __init__(
        self,
        n_components: int | float | str | None = None,
        *,
        method: str = "auto",
        whiten: bool = False,
        n_oversamples: int = 10,
        iterated_power: int = 7,
        tol: float = 1e-8,
        max_iter: int = 1000,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.method = method
        self.whiten = whiten
        self.n_oversamples = n_oversamples
        self.iterated_power = iterated_power
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def _learn(self, table: Table) -> None:
        """Find the directions."""
        self.n_iter_, self.moments_ = 1, None
        self.method_ = self._route(table)
        spectrum = self._solve(table)
        if spectrum is None:
            self.method_, spectrum = "em", self._solve_missing(table)
        self._keep(spectrum)

    @available_if(lambda self: self._needs_sums_only())
    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Add rows: the directions are those of all rows so far. Tiny eigenvalues keep fewer digits than by `fit`."""
        return self._fit_more(X, y, sample_weight)

    def _learn_more(self, table: Table, first: bool) -> None:
        if first:
            self.moments_ = None
        elif self.moments_ is None or self.method_ == "em":
            raise ParameterError(
                f"this PCA was fitted by {self.method_!r} and kept no sums of rows: fit it on all rows at once, or "
                "begin with partial_fit"
            )
        self._require_memory("covariance", self.n_features_in_, LARGEST_COVARIANCE)
        moments = table.reduce(observe_scatter)
        if not self._is_complete(table, moments.weight, moments.scatter):
            raise DataError("partial_fit adds sums and takes no missing values: use fit on all rows")
        self.n_iter_, self.method_ = 1, "covariance"
        self.moments_ = moments if self.moments_ is None else self.moments_ + moments
        self._keep(solve_covariance(self.moments_))

    def _needs_sums_only(self) -> bool:
        if self.method not in ("auto", "covariance"):
            raise AttributeError(f"method={self.method!r} needs all rows at once: use fit, or method='covariance'")
        return True

    def _route(self, table: Table) -> str:
        """The method, given or by the shape of the table."""
        n, d = len(table), self.n_features_in_
        route = self.method
        if route == "auto":
            route = "covariance" if n >= d else "dual"
            if (d if n >= d else n) > (LARGEST_COVARIANCE if n >= d else LARGEST_GRAM):
                route = "randomized"
        if route in ("covariance", "em") or (route == "svd" and n >= d):
            self._require_memory(route, d, LARGEST_COVARIANCE)
        elif route == "dual":
            self._require_memory(route, n, LARGEST_GRAM)
        return route

    def _require_memory(self, route: str, size: int, largest: int) -> None:
        if size > largest:
            raise DataError(
                f"method={route!r} would hold {size:,} × {size:,} numbers, {8e-9 * size**2:.1f} GB, and is meant for "
                f"up to {largest:,}: use method='randomized' with a small n_components"
            )

    def _solve(self, table: Table) -> CovarianceSpectrum | None:
        """The eigenvalues and directions by the route taken; None where values are missing and EM is to find them."""
        if self.method_ == "em":
            return None
        if self.method_ == "randomized":
            return self._solve_randomized(table)
        if self.method_ == "dual" or (self.method_ == "svd" and len(table) < self.n_features_in_):
            return self._solve_rows(table)
        moments = table.reduce(observe_scatter)
        if not self._is_complete(table, moments.weight, moments.scatter):
            return None
        self.moments_ = moments
        spectrum = solve_covariance(moments)
        moving = ~still_columns(moments.weight, moments.mean, np.diagonal(moments.scatter))
        if self.method_ == "svd" or self._loses_digits(spectrum, int(moving.sum())):
            self.method_ = "svd"
            triangle = table.reduce(Triangle.observe, moments.mean, np.ones_like(moments.mean))
            return solve_triangle(moments, triangle)
        return spectrum

    def _solve_rows(self, table: Table) -> CovarianceSpectrum | None:
        rows = centred_rows(table.to_chunk())
        if not self._is_complete(table, rows.weight, rows.mean):
            return None
        if FewRows.are_few(len(table), self.n_features_in_):
            self.trace_ = FewRows(rows.dense().copy())
        if self.method_ == "svd":
            return solve_rows(rows)
        spectrum = solve_dual(rows)
        if self._loses_digits(spectrum, len(table) - 1):
            self.method_ = "svd"
            return solve_rows(rows)
        return spectrum

    def _solve_randomized(self, table: Table) -> CovarianceSpectrum | None:
        spread = table.reduce(FeatureSpread.observe)
        if not self._is_complete(table, spread.weight, spread.ssd):
            return None
        k, d = requested_dimension(self.n_components, spread.weight, self.n_features_in_), self.n_features_in_
        if k is None:
            raise ParameterError(
                f"method='randomized' does not know all eigenvalues, so n_components={self.n_components!r} cannot be "
                "decided: give a number"
            )
        directions = min(k + self.n_oversamples, d)
        return solve_randomized(table, spread, directions, self.iterated_power, check_random_state(self.random_state))

    def _solve_missing(self, table: Table) -> CovarianceSpectrum:
        """By EM; a number of components makes the model of that many directions, otherwise it is a full normal."""
        self._require_memory("em", self.n_features_in_, LARGEST_COVARIANCE)
        moments = table.reduce(observe_known)
        d, most = self.n_features_in_, float(moments.weight.max(initial=0.0))
        self._require_rows(table, most)
        require_known(table, moments)
        k = requested_dimension(self.n_components, most, d)
        run, trace = likeliest_normal(table, moments, d if k is None else k, max_iter=self.max_iter, tol=self.tol)
        warn_unless_converged(run, "PCA")
        self.n_iter_, self.converged_, self.history_ = run.n_iter, run.converged, list(run.history)
        assert run.params.expected is not None  # noqa: S101  (max_iter is at least 1)
        self.moments_ = run.params.expected.moments
        if trace is not None:
            self.trace_ = trace
        return solve_covariance(self.moments_)

    def _derive_iteration(self, iteration: int, options: WorkOptions) -> Work:
        trace = getattr(self, "trace_", None)
        if not isinstance(trace, FillingTrace):
            return super()._derive_iteration(iteration, options)
        return derive_filling(self, trace, iteration, options)

    def _loses_digits(self, spectrum: CovarianceSpectrum, most: int) -> bool:
        """Whether "auto" is to go on to singular values, for the sake of an eigenvalue that is kept."""
        if self.method != "auto" or not spectrum.total > 0.0:
            return False
        k = min(self._count(spectrum), most)
        return bool(k and spectrum.first(k)[-1] < ACCURATE * spectrum.values[0])

    def _count(self, spectrum: CovarianceSpectrum) -> int:
        k = requested_dimension(self.n_components, spectrum.weight, self.n_features_in_)
        return chosen_dimension(self.n_components, spectrum) if k is None else k

    def _is_complete(self, table: Table, weight: float, sums: Floats) -> bool:
        """Whether sums show no missing value; what cannot be used at all raises."""
        self._require_rows(table, weight)
        if np.isfinite(sums).all():
            return True
        require_known(table, table.reduce(observe_known))
        return False

    def _require_rows(self, table: Table, weight: float) -> None:
        if weight <= 1.0:
            raise DataError(
                f"{table.source.name} counts as n_samples={weight:g} (one sample or less), but a variance needs more "
                "than one: give more rows, or weights that count repetitions"
            )

    def _keep(self, spectrum: CovarianceSpectrum) -> None:
        k = self._count(spectrum)
        variance = spectrum.first(k)
        self.components_ = spectrum.directions(k)
        self.n_components_ = k
        self.explained_variance_ = variance
        self.explained_variance_ratio_ = variance / spectrum.total if spectrum.total > 0.0 else np.zeros(k)
        self.singular_values_ = np.sqrt(variance * (spectrum.weight - 1.0))
        self.mean_, self.n_samples_ = spectrum.mean, spectrum.weight
        self.noise_variance_, self.total_variance_ = spectrum.noise(k), spectrum.total
        self.eigenvalues_ = spectrum.first(min(self.n_features_in_, math.ceil(spectrum.weight)))
        if not spectrum.whole:
            self.eigenvalues_ = spectrum.values.copy()
