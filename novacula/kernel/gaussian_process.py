"""Gaussian process regression: a distribution over functions, narrowed by each row.

    f ~ GP(0, k),  y = f(x) + ε,  ε ~ N(0, σ²)        C = K + σ²I = LLᵀ,  α = C⁻¹y
    mean(x) = Σ αᵢ k(x, xᵢ)        var(x) = k(x, x) − ‖L⁻¹k(X, x)‖²

The kernel says how much the function at one place says about it at another. Its parameters and the noise are those
under which the targets are most probable.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from novacula.errors import ParameterError, warn_user
from novacula.kernel.algebra import Gaussian, Kernel, as_kernel
from novacula.kernel.process.cholesky import few_threads, needed_jitter, warn_of_jitter
from novacula.kernel.process.fitted import FittedProcess
from novacula.kernel.process.kept_rows import finite_matrix
from novacula.kernel.process.search import ProcessTrace, search
from novacula.learner.card import Card
from novacula.learner.left_out import LeftOut
from novacula.table import Table

NOISE_SHARE = 0.1
"""The noise to start from where none is given, as a share of the mean square of the targets."""
SAME = 1e-14
"""A spread of the targets below this share of their size is rounding: they are all the same."""
SCATTER = math.log(100.0)
"""How far ln θ of a restart may be from the start given."""


class GaussianProcessRegressor(FittedProcess):
    """Regression by a Gaussian process, with predictions that say how sure they are.

    Parameters
    ----------
    kernel : Kernel or str, default=None
        The covariance of the function between two rows: any expression of kernels. By default q * Gaussian("scale"),
        where q is the mean square of the targets.
    noise : float, default=None
        σ², the variance of the noise in the targets; 0 says that there is none. By default a tenth of q. A row of
        weight w counts as w rows, so its noise is σ²/w.
    optimize : bool or "kernel", default=True
        Whether the kernel's parameters and the noise are only where the search for the most probable ones starts. A
        noise of 0 stays; "kernel" leaves any noise as it is. No parameter leaves 1e±5 times its start.
    normalize_y : bool, default=False
        Whether the targets are brought to mean 0 and variance 1 first. Kernel, noise and likelihood are then those of
        the targets on that scale; predictions are not. Without it the process has mean 0.
    n_restarts : int, default=0
        Further searches, from parameters up to a hundred times larger or smaller than those given.
    tol, max_iter : float and int, default=1e-6 and 100
        A search ends when the slope of ln p(y)/n by the logarithms of the parameters is no longer than this, or after
        this many steps.
    random_state : int, RandomState or None, default=None
        For restarts.

    Attributes
    ----------
    kernel_, noise_
        The kernel with all its parameters, and σ².
    log_marginal_likelihood_ : float
        ln p(y), the sum over targets if there are several.
    y_mean_, y_std_ : arrays (k,)
        What the targets were centred and scaled by: 0 and 1 unless `normalize_y`.
    jitter_ : float
        What had to be added to the diagonal of C against rounding: 0 as a rule, and a `RankWarning` otherwise.
    history_, n_iter_, converged_
        ln p(y) at each step of the best search, the number of steps, and whether it came to its end.
    trace_ : ProcessTrace
        The parameters on the way of that search, its first 20 and last 5 steps: what `work(iteration=1)` derives.
    examples_ : dict
        The rows, weights and targets of the fit.

    Examples
    --------
    >>> from novacula.kernel import Gaussian, GaussianProcessRegressor
    >>> model = GaussianProcessRegressor(Gaussian(width=1.0), noise=0.1, optimize=False)
    >>> mean, std = model.fit([[0.0], [1.0], [3.0]], [0.0, 1.0, -1.0]).predict([[1.0], [4.0]], return_std=True)
    >>> mean.round(4).tolist(), std.round(4).tolist()
    ([0.8511, -0.6413], [0.2944, 0.8128])
    """

    card: ClassVar[Card] = Card(
        name="Gaussian process regression",
        task="regression",
        summary="A normal distribution over functions: the most probable one, and how sure it is of it at each place.",
        hypothesis_space="ŷ = Σ αᵢ k(x, xᵢ) and its limits: the functions whose smoothness the kernel states.",
        inductive_bias="Rows that the kernel calls alike have like targets; far from all rows, the prior.",
        objective="p(f | rows) ∝ p(rows | f) p(f), exact; ln p(rows) over the kernel's parameters and the noise.",
        search="None for the function: a Cholesky decomposition. L-BFGS with exact gradients for the parameters.",
        noise="Normal errors of one variance in the target, found with the kernel or given.",
        missing="Not taken: a missing or infinite value raises, with its column and row.",
        unseen="Not taken: categories have to be encoded as numbers first.",
        takes=("numeric", "sparse"),
        scales=("memory",),
        uses="arrays",
        interpretability="Middling: an answer is a sum over all rows, with a deviation that says how sure it is.",
        answer_cost="n·d for each row; n² with its deviation.",
        cost="n³ for each step of the search and four n × n matrices; n² for each standard deviation. Sensible up to "
        "10,000 rows; beyond, Nystroem and BayesianLinearRegression.",
        cost_exponents={"n": 3, "d": 1},
        needs=("scaled",),
        study_settings={"normalize_y": True, "max_iter": 50},
        references=("C. E. Rasmussen and C. K. I. Williams, Gaussian Processes for Machine Learning, 2006",),
    )
    matrices: ClassVar[int] = 4
    largest: ClassVar[int] = 10_000
    instead: ClassVar[str] = (
        "fit a sample of the rows, or make_pipeline(Nystroem(kernel), BayesianLinearRegression(noise='evidence'))"
    )

    not_compared: ClassVar[Mapping[str, str]] = {
        "trace_.path.states": "rounding grows from step to step of the search, whose end is the same"
    }

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "kernel": [Kernel, str, None],
        "noise": [Interval(Real, 0, None, closed="left"), None],
        "optimize": ["boolean", StrOptions({"kernel"})],
        "normalize_y": ["boolean"],
        "n_restarts": [Interval(Integral, 0, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 0, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        kernel: Kernel | str | None = None,
        *,
        noise: float | None = None,
        optimize: bool | str = True,
        normalize_y: bool = False,
        n_restarts: int = 0,
        tol: float = 1e-6,
        max_iter: int = 100,
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.noise = noise
        self.optimize = optimize
        self.normalize_y = normalize_y
        self.n_restarts = n_restarts
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    # --- fit ------------------------------------------------------------------------------------------------

    def _learn(self, table: Table) -> None:
        """Find the process given the rows with their targets."""
        self.__dict__.pop("_conditioned", None)
        kernel_of_user = Gaussian() if self.kernel is None else as_kernel(self.kernel)
        if kernel_of_user.positive is False:
            raise ParameterError(
                f"{kernel_of_user!r} is not positive semi-definite, so it is not a covariance: take another kernel"
            )
        self._keep(table, kernel_of_user)
        self._scale_targets()
        kernel, noise = self._start()
        self.jitter_ = self._needed_jitter(kernel, noise)
        warn_of_jitter(self.jitter_, type(self).__name__)
        self._search(kernel, noise)
        self.log_marginal_likelihood_ = self._conditioned_process().log_likelihood

    def left_out(self, X: Any, y: Any) -> LeftOut | None:
        """What the other rows of the fit say of each, if kernel, noise and scale are given and not found from rows."""
        settled = self.kernel is not None and self.noise is not None and not self.optimize and not self.normalize_y
        if not settled or not self._kernel_stays() or self.jitter_ > 0.0:
            return None
        mean = self.leave_one_out().mean
        return LeftOut(mean, np.ones(len(mean), bool), "inverse of the kernel matrix")

    def _scale_targets(self) -> None:
        targets, weight = self._targets, self.examples_["weight"]
        self.y_mean_, self.y_std_ = np.zeros(targets.shape[1]), np.ones(targets.shape[1])
        if self.normalize_y:
            self.y_mean_ = np.average(targets, axis=0, weights=weight)
            spread = np.sqrt(np.average((targets - self.y_mean_) ** 2, axis=0, weights=weight))
            self.y_std_ = np.where(spread > SAME * np.abs(targets).max(axis=0), spread, 1.0)

    def _start(self) -> tuple[Kernel, float]:
        """The kernel and the noise as given, or as the size of the targets suggests them."""
        targets = self._scaled_targets
        square = float(np.average(np.square(targets).mean(axis=1), weights=self.examples_["weight"])) or 1.0
        kernel = square * self.kernel_ if self.kernel is None else self.kernel_
        return kernel, NOISE_SHARE * square if self.noise is None else float(self.noise)

    def _needed_jitter(self, kernel: Kernel, noise: float) -> float:
        self.jitter_ = 0.0
        evidence = self._evidence()
        with few_threads(len(evidence.weight)):  # as in the search, so that both see the same bits
            return needed_jitter(lambda jitter: finite_matrix(evidence.covariance(kernel, noise, jitter), kernel))

    def _search(self, kernel: Kernel, noise: float) -> None:
        """Set the kernel and the noise: those given, or the most probable ones."""
        self.kernel_, self.noise_ = kernel, noise
        self.history_, self.n_iter_, self.converged_ = (), 0, True
        self.trace_ = ProcessTrace.of(np.empty(0), np.empty((1, 0)), np.zeros(1))
        moves_noise = self.optimize is True and noise > 0.0
        moving = len(kernel.free) + moves_noise
        if not self.optimize or not moving:
            return
        rng = check_random_state(self.random_state)
        starts = [rng.uniform(-SCATTER, SCATTER, moving) for _ in range(self.n_restarts)]
        best = search(self._evidence(), kernel, noise, moves_noise, starts, self.tol, self.max_iter)
        self.kernel_, self.noise_, self.trace_ = best.kernel, best.noise, best.trace
        self.history_, self.n_iter_, self.converged_ = best.history, best.n_iter, best.converged
        if not best.converged:
            warn_user(f"{type(self).__name__}: {best.reason}", ConvergenceWarning)
        if best.at_end:
            warn_user(
                f"{type(self).__name__}: ln p(y) kept rising until {' and '.join(best.at_end)} had gone as far as the "
                "search goes, 1e±5 times the start, so the rows do not say how large it is: drop that part of the "
                "kernel, or give the number with optimize=False; noise=0 says that there is none",
                ConvergenceWarning,
            )
