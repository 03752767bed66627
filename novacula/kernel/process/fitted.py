"""What a fitted Gaussian process can do: predict, draw functions, say how probable its targets were, show itself."""

from __future__ import annotations

import math
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from scipy import special
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from novacula.errors import DataError, ModelFileError, ParameterError
from novacula.kernel.algebra import KERNELS
from novacula.kernel.process.derivation.posterior import derive_posterior
from novacula.kernel.process.derivation.predictions import derive_predictions
from novacula.kernel.process.derivation.search import derive_search_step
from novacula.kernel.process.evidence import ConditionedProcess, ProcessEvidence
from novacula.kernel.process.figure import posterior_figure
from novacula.kernel.process.kept_rows import TARGETS, KeepsRows, kept
from novacula.kernel.process.posterior import ProcessLeaveOneOut, ProcessPosterior, draws, left_out
from novacula.kernel.process.search import Climb, ProcessTrace
from novacula.learner.base import Regressor
from novacula.learner.figure import Figure
from novacula.learner.showing import WorkOptions
from novacula.learner.trace import FitPath
from novacula.learner.work import Work
from novacula.state import State, each, flag, floats, number, record, whole
from novacula.table.chunk import Floats


class FittedProcess(Regressor, KeepsRows):
    """A process whose kernel and noise are known, from the user or from a search."""

    state: ClassVar[State] = {
        **kept(TARGETS),
        "y_mean_": floats("means"),
        "y_std_": floats("means", above=0.0),
        "noise_": number(least=0.0),
        "jitter_": number(least=0.0),
        "log_marginal_likelihood_": number(),
        "history_": each(number()),
        "n_iter_": whole(),
        "converged_": flag(),
        "trace_": record(ProcessTrace),
    }
    state_types: ClassVar[tuple[type, ...]] = (*KERNELS, ProcessTrace, FitPath)

    normalize_y: bool
    noise_: float
    jitter_: float
    log_marginal_likelihood_: float
    y_mean_: Floats
    y_std_: Floats
    history_: tuple[float, ...]
    n_iter_: int
    converged_: bool
    trace_: ProcessTrace

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    @property
    def _scaled_targets(self) -> Floats:
        return (self._targets - self.y_mean_) / self.y_std_

    def _evidence(self) -> ProcessEvidence:
        return ProcessEvidence(self.examples_["rows"], self.examples_["weight"], self._scaled_targets, self.jitter_)

    def _conditioned_process(self) -> ConditionedProcess:
        """L and α, which are computed at fit, and again after loading."""
        check_is_fitted(self)
        if "_conditioned" not in vars(self):
            conditioned = self._evidence().at(self.kernel_, self.noise_)
            if conditioned is None:
                raise DataError("the kernel matrix of the rows is not positive definite: raise noise")
            self._conditioned = conditioned
        return self._conditioned

    def _posterior(self) -> ProcessPosterior:
        process = self._conditioned_process()
        return ProcessPosterior(process.kernel, self.examples_["rows"], process.factor, process.dual)

    def _check_state(self) -> None:
        super()._check_state()
        if len(self.y_mean_) != self._targets.shape[1]:
            raise ModelFileError("its y_mean_ and y_std_ are not one number for each target")
        moved = len(self.trace_.start)
        if moved not in (0, len(self.kernel_.free), len(self.theta_)) or self.trace_.path.states.shape[1] != moved + 1:
            raise ModelFileError("its trace_ is the way of other parameters than its kernel_ and noise_ have")

    # --- the likelihood -------------------------------------------------------------------------------------

    @property
    def theta_names_(self) -> tuple[str, ...]:
        """The parameters that ln p(y) is a function of: the kernel's and, unless it is 0, the noise."""
        check_is_fitted(self)
        return (*self.kernel_.free, *(["noise"] if self.noise_ > 0.0 else []))

    @property
    def theta_(self) -> Floats:
        """Their logarithms."""
        check_is_fitted(self)
        return np.append(self.kernel_.log_parameters, [math.log(self.noise_)] if self.noise_ > 0.0 else [])

    def log_marginal_likelihood(self, theta: Any = None, return_gradient: bool = False) -> Any:
        """ln p(y) at other logarithms of `theta_names_`; with `return_gradient` also its gradient by them."""
        here = self.theta_
        at = here if theta is None else np.asarray(theta, np.float64)
        if at.shape != here.shape or not np.isfinite(at).all():
            raise ParameterError(
                f"theta must be {len(here)} finite numbers, the logarithms of {', '.join(self.theta_names_)}"
            )
        p = len(self.kernel_.free)
        noise = math.exp(at[p]) if len(at) > p else 0.0
        evidence = self._evidence()
        if theta is None:
            point: ConditionedProcess | None = self._conditioned_process()
        else:
            point = evidence.at(self.kernel_.with_log_parameters(at[:p]), noise)
        if point is None:
            return (-math.inf, np.full(len(at), np.nan)) if return_gradient else -math.inf
        if not return_gradient:
            return point.log_likelihood
        return point.log_likelihood, evidence.gradient(point)[: len(at)]

    # --- predict --------------------------------------------------------------------------------------------

    def predict(self, X: Any, return_std: bool = False, return_cov: bool = False, *, with_noise: bool = False) -> Any:
        """The mean of the function at each row; also its standard deviation, or the covariance between all rows.

        `with_noise` makes them those of new targets, which differ from the function by the noise.
        """
        if return_std and return_cov:
            raise ParameterError("return_std and return_cov are both set: ask for one; the variances are in the other")
        check_is_fitted(self)
        noise = self.noise_ if with_noise else 0.0
        if return_cov:
            rows = self._few_query_rows(X)
            covariance = self._posterior().covariance(rows) + noise * np.eye(rows.shape[0])
            spread = covariance[:, :, None] * self.y_std_**2
            return self._in_units(self._posterior().means(rows)), self._shaped(spread)
        if not return_std:
            return self._in_units(self._row_answers(X, self._posterior().means))
        found = self._row_answers(X, self._posterior().means_and_variances)
        std = np.sqrt(found[:, -1:] + noise) * self.y_std_
        return self._in_units(found[:, :-1]), self._shaped(std)

    def predict_interval(self, X: Any, level: float = 0.95) -> Floats:
        """Low and high (m, 2), between which a row's target is with probability `level`; (m, k, 2) for k targets."""
        if not 0.0 < level < 1.0:
            raise ParameterError(f"level is {level!r}; it must be between 0 and 1, as 0.95 is")
        mean, std = self.predict(X, return_std=True, with_noise=True)
        half = special.ndtri(0.5 + level / 2.0) * std
        return np.stack([mean - half, mean + half], axis=-1)

    def sample_y(self, X: Any, n_samples: int = 1, random_state: Any = None) -> Floats:
        """Draw functions from the posterior, seen at the rows of X: (m, n_samples), or (m, k, n_samples)."""
        check_is_fitted(self)
        if not isinstance(n_samples, Integral) or n_samples < 1:
            raise ParameterError(f"n_samples is {n_samples!r}; draw at least one function")
        rows = self._few_query_rows(X)
        centred, covariance = self._posterior().means(rows), self._posterior().covariance(rows)
        drawn = draws(centred, covariance, int(n_samples), check_random_state(random_state))
        drawn = self.y_mean_[:, None] + self.y_std_[:, None] * drawn
        return drawn[:, 0] if self._flat else drawn

    def _few_query_rows(self, X: Any) -> Any:
        rows = self._all_query_rows(X)
        if rows.shape[0] > self.largest:
            m = rows.shape[0]
            raise DataError(
                f"the covariance of {m:,} rows would take {8e-9 * m * m:.1f} GB: ask for up to {self.largest:,} rows, "
                "or with return_std for variances alone"
            )
        return rows

    def _in_units(self, means: Floats) -> Floats:
        with np.errstate(over="ignore", invalid="ignore"):
            values = self.y_mean_ + self.y_std_ * means
        if not np.isfinite(values).all():
            raise DataError("an answer overflows: scale the target, or ask for rows nearer to those of the fit")
        return self._shaped(values)

    def alpha(self) -> Floats:
        """α = C⁻¹y, (n,) or (n, k)."""
        return self._shaped(self._conditioned_process().dual)

    def cholesky(self) -> Floats:
        """The lower triangle L with C = LLᵀ."""
        return np.tril(self._conditioned_process().factor)

    def leave_one_out(self) -> ProcessLeaveOneOut:
        """What the others say of each row that has weight; of a row of weight 2 one repetition is left out."""
        process = self._conditioned_process()
        weight = self.examples_["weight"]
        mean, variance = left_out(process.factor, process.dual, self._scaled_targets, weight, self.noise_)
        return ProcessLeaveOneOut(self._in_units(mean), self._shaped(np.sqrt(variance)[:, None] * self.y_std_))

    # --- explain --------------------------------------------------------------------------------------------

    def _derive(self, options: WorkOptions) -> Work:
        """Matrix, Cholesky factor, α and likelihood."""
        return derive_posterior(self, options)

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        """The predictions of the first rows of X."""
        return derive_predictions(self, *self._first_query_rows(X, options.rows))

    def _derive_iteration(self, iteration: int, options: WorkOptions) -> Work:
        """One step of the search for the parameters."""
        self.trace_.path.step(iteration, (len(self.trace_.start) + 1,))
        start, p = self.trace_.start, len(self.kernel_.free)
        moves_noise = len(start) > p
        noise = math.exp(start[p]) if moves_noise else self.noise_
        climb = Climb(self._evidence(), self.kernel_.with_log_parameters(start[:p]), noise, moves_noise)
        return derive_search_step(self, climb, iteration)

    @property
    def has_figure(self) -> bool:
        """Whether the posterior can be drawn: of one target over one column."""
        return self.n_features_in_ == 1 and self._flat and not self.kernel_.precomputed

    def figure(self, n_samples: int = 3, random_state: Any = 0) -> Figure:
        """For one column: the mean with its band, a few functions of the posterior, and the rows."""
        check_is_fitted(self)
        if not self.has_figure:
            raise ParameterError("a figure shows one target over one column: fit the process on one of each")
        return posterior_figure(self, n_samples, random_state)
