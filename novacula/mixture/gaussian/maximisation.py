"""The most likely mixture of some rows, by expectation-maximization from one start or several."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.arguments import as_numbers
from novacula.errors import DataError, DataWarning, ParameterError, warn_user
from novacula.learner.expectation_maximization import EMResult, expectation_maximization
from novacula.learner.iterate import Outcome
from novacula.mixture.gaussian.covariance import CovarianceFamily
from novacula.mixture.gaussian.density import GaussianComponents, MixtureDensity
from novacula.mixture.gaussian.rows import MixtureRows
from novacula.mixture.gaussian.start import MixtureOverview
from novacula.mixture.gaussian.sums import Expectation, ExpectedSums, Moments
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.mixture.gaussian_mixture import GaussianMixture

EMPTY = 1e-9
"""The share of the rows below which a component holds none."""


@dataclass(frozen=True, slots=True, eq=False)
class MaximisedMixture:
    """Components that EM ended at, the moments that they were solved from, and how it went."""

    run: EMResult[GaussianComponents, Expectation]
    moments: Moments
    family: CovarianceFamily
    total: float  # the weight of the rows

    @property
    def components(self) -> GaussianComponents:
        """Weights, means and covariances."""
        return self.run.params


def maximise(model: GaussianMixture, rows: MixtureRows, rng: Any) -> MaximisedMixture:
    """Climb the likelihood of rows by the parameters of a model that knows their schema, which stays as it is."""
    if not isinstance(model.init, str) and model.n_init > 1:
        raise ParameterError(f"n_init is {model.n_init}, but init gives the means of one start: leave n_init at 1")
    overview = MixtureOverview.of(rows, model.n_components, rng.randint(2**31), tuple(model.schema_.column_names()))
    family, starts = model.family(model.reg_covar * overview.variance), rng.randint(2**31, size=model.n_init)

    def weighed(components: GaussianComponents) -> GaussianComponents:
        """The components with the weights they may have."""
        if model.weights == "free":
            return components
        equal = np.full(model.n_components, 1.0 / model.n_components)
        return GaussianComponents(equal, components.means, components.covariances)

    def start(i: int) -> GaussianComponents:
        components = overview.start(model.init, model.n_components, family, int(starts[i]))
        return weighed(started(components, model, family))

    def e_step(components: GaussianComponents) -> tuple[Expectation, float]:
        density = MixtureDensity.of(components)
        sums = rows.reduce(ExpectedSums.observe, density)
        return Expectation.of(sums, components, density), sums.log_likelihood / overview.total

    def m_step(expected: Expectation) -> GaussianComponents:
        moments = expected.moments
        share = moments.weight / moments.weight.sum()
        return weighed(GaussianComponents(share, moments.mean, family.solve(moments)))

    run = expectation_maximization(
        e_step, m_step, start, n_init=model.n_init, tol=0.0, atol=model.tol, max_iter=model.max_iter
    )
    if run.statistics is None and model.max_iter == 0:
        return MaximisedMixture(run, e_step(run.params)[0].moments, family, overview.total)
    if run.statistics is None:
        raise DataError(f"{type(model).__name__} could not make a step from its start: {run.sentence}")
    return MaximisedMixture(run, run.statistics.moments, family, overview.total)


def started(components: GaussianComponents, model: GaussianMixture, family: CovarianceFamily) -> GaussianComponents:
    """The start with the weights and covariances that the model states, if it does."""
    weights, covariances = components.weights, components.covariances
    if model.init_weights is not None:
        if model.weights == "equal":
            raise ParameterError("weights are equal, so they have no start: leave init_weights out")
        weights = as_numbers(model.init_weights, "init_weights")
        if weights.shape != components.weights.shape or not (weights > 0).all() or abs(weights.sum() - 1.0) > 1e-9:
            raise ParameterError(
                f"init_weights is {model.init_weights!r}; give {model.n_components} numbers above 0 that sum to 1"
            )
    if model.init_covariances is not None:
        if not isinstance(model.variance, str):
            raise ParameterError("the variance is known, so covariances have no start: leave init_covariances out")
        given = as_numbers(model.init_covariances, "init_covariances")
        expected = family.compact(components.covariances).shape
        if given.shape != expected:
            raise ParameterError(f"init_covariances has shape {given.shape}; {expected} belongs to the covariance_type")
        covariances = np.ascontiguousarray(family.expanded(given, model.n_components))
        require_definite(covariances, family.diagonal)
    return GaussianComponents(weights, components.means, covariances)


def require_definite(covariances: Floats, is_diagonal: bool) -> None:
    """Refuse covariances (K, d or 1, d) that no Gaussian has."""
    for k, matrix in enumerate(covariances):
        is_even = is_diagonal or np.allclose(matrix, matrix.T)
        least = float(matrix.min() if is_diagonal else np.linalg.eigvalsh(matrix).min() if is_even else -1.0)
        if not np.isfinite(matrix).all() or not is_even or not least > 0:
            raise ParameterError(f"init_covariances of component {k} is not symmetric and definite: no covariance")


def report_trouble(model: GaussianMixture, best: MaximisedMixture) -> None:
    """Warn of what a user should know: no convergence, components that collapsed, components without rows."""
    name, names = type(model).__name__, model.schema_.column_names()
    if best.run.outcome is not Outcome.CONVERGED and model.max_iter > 0:
        from sklearn.exceptions import ConvergenceWarning

        warn_user(f"{name}: {best.run.sentence}", ConvergenceWarning)
    collapsed = best.family.collapsed(best.components.covariances)
    if collapsed:
        places = [f"{k} along {_few([repr(names[j]) for j in columns])}" for k, columns in collapsed.items()]
        warn_user(
            f"{name}: collapsed components, whose variance is held at the floor of reg_covar: {_few(places)}; lower "
            "n_components, raise reg_covar, or drop columns that do not vary or depend on each other",
            DataWarning,
        )
    empty = [str(k) for k in np.flatnonzero(best.components.weights < EMPTY)] if model.weights == "free" else []
    if empty:
        warn_user(f"{name}: components without rows: {_few(empty)}; lower n_components", DataWarning)


def _few(words: list[str], most: int = 4) -> str:
    """The first few words in a row."""
    return ", ".join(words[:most]) + (f" and {len(words) - most} more" if len(words) > most else "")
