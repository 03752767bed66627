"""The kernel density: a small hill on every row, and their mean (Rosenblatt 1956, Parzen 1962).

    p̂(x) = (1/W) Σ wⱼ K(x − xⱼ)        K(u) = c · k(‖A⁻¹u‖) / det A

k is the shape of the hill, A its width, c what makes it integrate to one; for the Gaussian kernel of width h in d
dimensions K(u) = (2πh²)^(−d/2) exp(−‖u‖²/2h²).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import DensityMixin
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from novacula.errors import ModelFileError, ParameterError, overflow
from novacula.learner.base import Unsupervised
from novacula.learner.card import Card
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Work
from novacula.neighbors.kernel_density.bandwidth import RULES, BandwidthSpread, ruled_root, widths_of
from novacula.neighbors.kernel_density.boundary import read_bounds, require_within
from novacula.neighbors.kernel_density.density import RowsDensity
from novacula.neighbors.kernel_density.grid import GridDensity, KernelGrid
from novacula.neighbors.kernel_density.likelihood import BandwidthTrials, likeliest, require_few
from novacula.neighbors.kernel_density.shapes import SHAPES
from novacula.neighbors.kernel_density.sheather_jones import FixedPoint
from novacula.neighbors.kernel_density.sums import FARTHEST
from novacula.state import State, floats, keyed, number, optional, record
from novacula.table import Table
from novacula.table.answering import unbounded
from novacula.table.chunk import Chunk, Floats
from novacula.table.names import printable

CHOOSING_RTOL = 1e-10
"""The precision of sums while a width is chosen."""
MOST_POINTS = 2**24
"""Points of `density_on_grid`, at most."""


class KernelDensity(DensityMixin, Unsupervised):
    """Estimates a density as the mean of kernels, one on each row.

    Parameters
    ----------
    bandwidth : float, array of one number per column, or {"scott", "silverman", "cv_ml", "isj"}, default=1.0
        The width of the kernel. "scott" and "silverman" multiply the spread of the data by a power of n, as for a
        normal density; "isj" solves the improved Sheather–Jones equation, column by column; "cv_ml" takes the multiple
        of Scott's width under which rows that are left out are likeliest, over all pairs of at most 30 000 rows.
    kernel : {"gaussian", "epanechnikov", "tophat", "exponential", "linear", "cosine"}, default="gaussian"
        The shape of the hill. Rules give the kernel's deviation, and so the same smoothness for every shape.
    spread : {"diagonal", "full"}, default=None
        What the width is a multiple of: the columns' deviations or, as in SciPy, their covariance. None takes a number
        in the columns' own units, and the deviations for a rule.
    algorithm : {"auto", "tree", "exact", "grid"}, default="auto"
        "tree" lets boxes of rows stand for their rows where `rtol` and `atol` allow; "exact" sums up all that does not
        vanish; "grid" is for one column and fastest for many rows. "auto" is the tree.
    rtol, atol : float, default=1e-10 and 0
        Guaranteed: |p̃ − p̂| ≤ rtol · p̂ + atol. The grid has `atol` only; without it, its error is as
        `density_on_grid` says.
    boundary : {"reflect"}, default=None
        Fold the kernels back at `bounds`, so that the density within them integrates to one.
    bounds : pair (low, high), or one for each column, default=None
        None or infinity leaves a side open. Beyond bounds the density is 0.

    Attributes
    ----------
    bandwidth_ : array of shape (d,)
        The width along each column.
    root_ : array of shape (d, d)
        A, lower triangular.
    log_norm_ : float
        ln (c / det A), the logarithm of the kernel's top.
    trial_ : BandwidthTrials
        With "cv_ml", the multiples of Scott's width that were tried, and the mean log density of rows left out.
    bounds_ : array of shape (d, 2)
        With `boundary`, the least and the largest value of each column; infinite where a side is open.
    examples_ : dict
        The rows of the fit that weigh something, and their weights.

    Examples
    --------
    >>> import numpy as np
    >>> model = KernelDensity(bandwidth=0.5).fit([[0.0], [1.0], [1.5]])
    >>> np.exp(model.score_samples([[1.0]])).round(6).tolist()
    [0.463269]
    """

    card: ClassVar[Card] = Card(
        name="Kernel density",
        task="density",
        summary="The mean of small hills, one on each row.",
        hypothesis_space="(1/W) Σ w K(x − xⱼ), with one shape and one width for all rows of the fit.",
        inductive_bias="The density changes little within a width.",
        objective="None for a width that is given; the least mean integrated squared error for a normal density "
        "('scott', 'silverman') or for any ('isj'); the likelihood of rows left out ('cv_ml').",
        search="None at fit but for the width. Sums by a k-d tree whose boxes stand for their rows within rtol.",
        noise="Averages out within a width.",
        missing="Refused with column and row.",
        unseen="Not taken: categories have no density.",
        takes=("numeric",),
        scales=("memory",),
        uses="arrays",
        interpretability="Middling: the density is a sum of equal bumps, one at each row.",
        answer_cost="n·d for each row at worst, far less with the tree or the grid.",
        cost="n·log n·d to fit, n·d numbers kept twice; n·d per query at worst. 'cv_ml' takes n²·d, thirty times.",
        cost_exponents={"n": 1, "d": 1},
        needs=("scaled",),
        references=(
            "Parzen, On estimation of a probability density function and mode (1962)",
            "Silverman, Density Estimation for Statistics and Data Analysis (1986)",
            "Botev, Grotowski and Kroese, Kernel density estimation via diffusion (2010)",
            "Gray and Moore, Nonparametric density estimation: toward computational tractability (2003)",
        ),
    )
    state_types: ClassVar[tuple[type, ...]] = (BandwidthTrials,)
    state: ClassVar[State] = {
        "examples_": keyed({"rows": floats("examples", "columns"), "weight": floats("examples", above=0.0)}),
        "root_": floats("columns", "columns"),
        "bandwidth_": floats("columns", above=0.0),
        "log_norm_": number(),
        "bounds_": optional(floats("columns", 2, finite=False)),  # infinite where a side is open
        "trial_": optional(record(BandwidthTrials)),
    }
    kept_rows: ClassVar[Mapping[str, tuple[str, ...]]] = {"examples_": ("weight",)}
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "bandwidth": [
            Interval(Real, 0, None, closed="neither"),
            "array-like",
            StrOptions({*RULES, "cv_ml", "isj"}),
        ],
        "kernel": [StrOptions(set(SHAPES))],
        "spread": [StrOptions({"diagonal", "full"}), None],
        "algorithm": [StrOptions({"auto", "tree", "exact", "grid"})],
        "rtol": [Interval(Real, 0, None, closed="left")],
        "atol": [Interval(Real, 0, None, closed="left")],
        "boundary": [StrOptions({"reflect"}), None],
        "bounds": ["array-like", None],
    }

    bandwidth_: Floats
    root_: Floats
    log_norm_: float
    trial_: BandwidthTrials
    bounds_: Floats
    examples_: dict[str, Floats]

    def __init__(
        self,
        bandwidth: Any = 1.0,
        *,
        kernel: str = "gaussian",
        spread: str | None = None,
        algorithm: str = "auto",
        rtol: float = 1e-10,
        atol: float = 0.0,
        boundary: str | None = None,
        bounds: Any = None,
    ) -> None:
        self.bandwidth = bandwidth
        self.kernel = kernel
        self.spread = spread
        self.algorithm = algorithm
        self.rtol = rtol
        self.atol = atol
        self.boundary = boundary
        self.bounds = bounds

    # --- fit ---------------------------------------------------------------------------------------------------

    def _learn(self, table: Table) -> None:
        """Keep the rows and choose the width."""
        self._drop_caches()
        self._keep(table.to_chunk())
        self.root_ = self._choose_root()
        self.bandwidth_ = widths_of(self.root_)
        self.log_norm_ = self._density().log_norm
        if self.algorithm == "grid":
            self._require_one_column()

    def _keep(self, chunk: Chunk) -> None:
        """Store the rows that weigh something."""
        rows, weight = chunk.numeric, chunk.weight
        if (self.boundary is None) != (self.bounds is None):
            raise ParameterError("boundary='reflect' and bounds go together: give both or neither")
        if self.boundary is not None:
            self.bounds_ = read_bounds(self.bounds, self._names)
            require_within(rows, self.bounds_, self._names)
        if not weight.min() > 0.0:
            counted = weight > 0.0
            rows, weight = rows[counted], weight[counted]
        require_numbers(rows, self._names)
        self.examples_ = {"rows": _own(rows), "weight": _own(weight)}

    @property
    def _names(self) -> list[str]:
        return [column.name for column in self.schema_.features]

    def _choose_root(self) -> Floats:
        """A (d, d), as given or by a rule."""
        shape, full = SHAPES[self.kernel], self.spread == "full"
        if not isinstance(self.bandwidth, str):
            given = self._given_widths()
            return np.diag(given) if self.spread is None else given[:, None] * self._spread().root(full)
        if self.bandwidth == "isj":
            if full:
                raise ParameterError("bandwidth='isj' finds a width for each column: spread='full' does not go with it")
            return np.diag([point.width for point in self._fixed_points()]) / shape.deviation(len(self._names))
        if self.bandwidth == "cv_ml":
            return self._likeliest_root(ruled_root("scott", self._spread(), full, shape))
        return ruled_root(self.bandwidth, self._spread(), full, shape)

    def _given_widths(self) -> Floats:
        d = len(self._names)
        try:
            widths = np.broadcast_to(np.asarray(self.bandwidth, np.float64), (d,))
        except (TypeError, ValueError):
            raise ParameterError(
                f"bandwidth is {self.bandwidth!r}; it must be a number, one for each of {d} columns, or the name of a "
                f"rule"
            ) from None
        for name, width in zip(self._names, widths, strict=True):
            if not 0.0 < width < np.inf:
                raise ParameterError(
                    f"the bandwidth of {printable(name)!r} is {width:g}; it must be positive and finite"
                )
        return widths

    def _spread(self) -> BandwidthSpread:
        return BandwidthSpread.of(self.examples_["rows"], self.examples_["weight"], self._names)

    def _fixed_points(self) -> list[FixedPoint]:
        rows, weight = self.examples_["rows"], self.examples_["weight"]
        return [FixedPoint.of(rows[:, j].copy(), weight, name) for j, name in enumerate(self._names)]

    def _likeliest_root(self, scott: Floats) -> Floats:
        """The multiple of Scott's A under which rows that are left out are likeliest."""
        weight = self.examples_["weight"]
        require_few(len(weight))

        def mean_log_density(multiple: float) -> float:
            scores = self._density_of(multiple * scott).log_density_left_out(CHOOSING_RTOL)
            return float(weight @ scores / weight.sum())

        self.trial_ = likeliest(mean_log_density)
        return self.trial_.best * scott

    # --- densities ---------------------------------------------------------------------------------------------

    def _density_of(self, root: Floats) -> RowsDensity:
        """The density of the rows for a width."""
        bounds = None if self.boundary is None else self.bounds_
        return RowsDensity(SHAPES[self.kernel], self.examples_["rows"], self.examples_["weight"], root, bounds)

    def _density(self) -> RowsDensity:
        """The density of the model; its tree is built at the first question, and again after loading."""
        if "_held_density" not in vars(self):
            self._held_density = self._density_of(self.root_)
        return self._held_density

    def _grid(self) -> KernelGrid:
        """The density on a grid, made at the first question."""
        if "_held_grid" not in vars(self):
            self._require_one_column()
            self._held_grid = self._density().grid(self.atol)
        return self._held_grid

    @property
    def n_parameters_(self) -> int:
        """The values of the rows, which are kept."""
        return int(self.examples_["rows"].size)

    def _drop_caches(self) -> None:
        self.__dict__.pop("_held_density", None)
        self.__dict__.pop("_held_grid", None)

    def _require_one_column(self) -> None:
        if len(self._names) != 1:
            raise ParameterError(f"a grid is for one column, not for {len(self._names)}: take algorithm='tree'")

    @unbounded
    def _score_chunk(self, chunk: Chunk) -> Floats:
        if self.algorithm == "grid":
            return self._density().log_density_by(self._grid(), chunk.numeric)
        rtol, atol = (0.0, 0.0) if self.algorithm == "exact" else (self.rtol, self.atol)
        return self._density().log_density(chunk.numeric, rtol, atol)

    def score_samples(self, X: Any) -> Floats:
        """Give ln p̂ of each row: −∞ beyond bounds, and where no kernel with an end reaches.

        Of the Gaussian and the exponential kernel it is finite up to 1e150 widths away; from a grid it is −∞ where its
        density rounds to 0, about nine (forty) widths from all rows.
        """
        check_is_fitted(self)
        _ = self._grid() if self.algorithm == "grid" else self._density().sums  # once, before threads ask for it
        return np.asarray(self._answers(X, self._score_chunk))

    def score(self, X: Any, y: Any = None) -> float:
        """Give the log-likelihood of all rows together."""
        return float(self.score_samples(X).sum())

    def density_on_grid(self, n_points: int = 1024, low: float | None = None, high: float | None = None) -> GridDensity:
        """Give the density of one column at equally spaced points, by a fast Fourier transform, with an error bound.

        Points go from low to high: without these from and to four widths beyond the rows, or to where a kernel or the
        bounds end. `atol`, where it is positive, makes the grid behind them so fine that the error is no more.
        """
        check_is_fitted(self)
        if not isinstance(n_points, Integral) or not 2 <= n_points <= MOST_POINTS:
            raise ParameterError(f"n_points is {n_points!r}; it must be a whole number from 2 to {MOST_POINTS}")
        grid, shown = self._grid(), self._density().shown_range(0)
        start, stop = (given if given is not None else end for given, end in zip((low, high), shown, strict=True))
        if not -np.inf < start < stop < np.inf:
            raise ParameterError(f"points from {start!r} to {stop!r} do not make a grid: low must be less than high")
        return self._density().on_points(grid, np.linspace(start, stop, int(n_points)))

    def sample(self, n_samples: int = 1, random_state: Any = None) -> Floats:
        """Draw rows from the density: a row of the fit by its weight, then a step by its kernel, folded at bounds."""
        check_is_fitted(self)
        if not isinstance(n_samples, Integral) or n_samples < 1:
            raise ParameterError(f"n_samples is {n_samples!r}; it must be a whole number of at least 1")
        seed = check_random_state(random_state).randint(2**31 - 1)
        return self._density().draw(int(n_samples), np.random.default_rng(int(seed)))

    # --- words -------------------------------------------------------------------------------------------------

    def _derive(self, options: WorkOptions) -> Work:
        """The width from the rows."""
        from novacula.neighbors.kernel_density.derivation import derive_model

        given = None if isinstance(self.bandwidth, str) else self._given_widths()
        points = self._fixed_points() if isinstance(self.bandwidth, str) and self.bandwidth == "isj" else []
        return derive_model(self, self._density(), given, points, options)

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        """The density of each row from those nearest to it."""
        from novacula.neighbors.kernel_density.derivation import derive_densities

        chunk, is_cut = self._first_rows(X, options.rows)
        scores = self._score_chunk(chunk)
        return derive_densities(self, self._density(), chunk.numeric, scores, is_cut, options)

    def _check_state(self) -> None:
        """What the declaration cannot say: rows that weigh something, within their bounds, and a width that is one."""
        rows, root = self.examples_["rows"], self.root_
        with np.errstate(over="ignore"):
            total = self.examples_["weight"].sum()
        if not 0.0 < total < np.inf or not -FARTHEST < rows.min() <= rows.max() < FARTHEST:
            raise ModelFileError("its examples_ are no rows, or rows or weights too large to be squared or added up")
        if self.boundary is not None:
            self._check_bounds()
        if not (np.diag(root) > 0.0).all() or np.triu(root, 1).any():
            raise ModelFileError("its root_ is not a lower triangle with positive numbers on its diagonal")
        if not np.allclose(self.bandwidth_, widths_of(root)) or not np.isclose(
            self.log_norm_, self._density().log_norm
        ):
            raise ModelFileError("its bandwidth_ or log_norm_ does not follow from its root_")
        tried = len(self.trial_.multiple) if "trial_" in vars(self) else 0
        if isinstance(self.bandwidth, str) and self.bandwidth == "cv_ml" and not tried:
            raise ModelFileError("its trial_ is missing or empty, which bandwidth='cv_ml' asks for")

    def _check_bounds(self) -> None:
        low, high = self.bounds_.T if "bounds_" in vars(self) else (np.inf, -np.inf)
        rows = self.examples_["rows"]
        if not np.all(low < high) or not (low <= rows).all() or not (rows <= high).all():
            raise ModelFileError("its bounds_ are missing, or its rows are beyond them")


def _own(array: Floats) -> Floats:
    """An array that no one else can change: a copy where it is a view of what was passed."""
    return np.ascontiguousarray(array) if array.flags.owndata else array.copy(order="C")


def require_numbers(rows: Floats, names: Sequence[str]) -> None:
    """Refuse numbers in rows (n, d) that are too large to be squared, with their column."""
    if rows.min(initial=0.0) <= -FARTHEST or rows.max(initial=0.0) >= FARTHEST:
        raise overflow(names[int(np.argmax((np.abs(rows) >= FARTHEST).any(axis=0)))])
