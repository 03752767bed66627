"""The three things that can be known of the noise variance σ², and the posterior that follows from each."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import special

from novacula.errors import DataError, ParameterError
from novacula.learner.iterate import Outcome
from novacula.linear.bayesian.evidence import EvidenceProfile, EvidenceTrace, maximise_evidence
from novacula.linear.bayesian.posterior import EXACT, WeightPosterior, solve_posterior
from novacula.linear.bayesian.prior import WeightPrior
from novacula.linear.solve import NormalEquations
from novacula.linear.summary import require_level
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.linear.bayesian.regression import BayesianLinearRegression


@dataclass(frozen=True)
class Belief:
    """A posterior, the noise that goes with it, and how probable the rows were."""

    posterior: WeightPosterior
    noise_variance: float  # or its mean, infinite where it has none
    unit: float  # what the relative precision is divided by to be the requested one
    log_evidence: float
    attributes: Mapping[str, Any] = field(default_factory=dict)  # what only this kind of noise has
    complaint: str = ""  # how an iteration fell short

    def covariance(self) -> Floats:
        """The covariance of intercept and weights, infinite where the noise has no mean."""
        relative = self.posterior.covariance()
        infinite = math.isinf(self.noise_variance)
        return np.full_like(relative, math.inf) if infinite else self.noise_variance * relative


def scale_variance(model: BayesianLinearRegression) -> float:
    """The noise variance of a fitted model; with inverse gamma noise β/a, by which Student's t is scaled."""
    return float(model.scale_ / model.shape_ if hasattr(model, "shape_") else model.noise_variance_)


def reach(model: BayesianLinearRegression, level: float) -> float:
    """How many scales to either side an interval of this probability reaches."""
    require_level(level)
    tail = 0.5 + level / 2.0
    return float(special.stdtrit(2.0 * model.shape_, tail) if hasattr(model, "shape_") else special.ndtri(tail))


def believe_known(system: NormalEquations, prior: WeightPrior, variance: float) -> Belief:
    """σ² is given, and the prior is relative to it."""
    posterior = solve_posterior(system, prior)
    return Belief(posterior, float(variance), float(variance), posterior.log_evidence(variance), {"n_iter_": 1})


def believe_inverse_gamma(system: NormalEquations, prior: WeightPrior, shape: float, scale: float) -> Belief:
    """σ² ~ IG(shape, scale), and the posterior of it is inverse gamma again."""
    posterior = solve_posterior(system, prior)
    a, b = posterior.noise(shape, scale)
    n = system.weight
    if a <= 0.0:
        raise DataError(
            f"{n:g} rows (n_samples = {n:g}) leave nothing to estimate the noise from besides what is flat in the "
            "prior: give more rows, or raise shape or prior_precision"
        )
    if scale == 0.0 and 2.0 * b <= EXACT * system.squares[-1]:
        raise DataError("the plane meets every target up to rounding, so with scale=0 there is no noise: raise scale")
    mean = b / (a - 1.0) if a > 1.0 else math.inf
    log_evidence = posterior.log_evidence_of_unknown_noise(shape, scale)
    return Belief(posterior, mean, 1.0, log_evidence, {"shape_": a, "scale_": b, "n_iter_": 1})


def believe_likeliest(system: NormalEquations, prior: WeightPrior, max_iter: int, tol: float) -> Belief:
    """σ² and the size α of the prior are those under which the rows were most probable."""
    require_evidence(system, prior)
    profile = EvidenceProfile.of(system, prior)
    recorder = EvidenceTrace.recorder()
    ratio, run = maximise_evidence(profile, max_iter, tol, recorder)
    noise = float(profile.noise(ratio))
    if not ratio / noise > 0.0:
        what = f"the target, with a noise of {noise:.3g}, is so large beside the columns that alpha_ is 0"
        raise DataError(f"{what}: divide the target by some unit, or multiply the columns")
    posterior = solve_posterior(system, prior.times(ratio))
    attributes = {
        "alpha_": ratio / noise,
        "history_": run.history,
        "n_iter_": run.n_iter,
        "converged_": run.converged,
        "trace_": EvidenceTrace(recorder.kept()),
    }
    complaint = "" if run.converged else run.sentence
    if run.outcome is Outcome.STALLED:
        complaint = _endless(profile, ratio)
    return Belief(posterior, noise, noise, posterior.log_evidence(noise), attributes, complaint)


def _endless(profile: EvidenceProfile, ratio: float) -> str:
    """Why the evidence has no maximum."""
    if profile.determined(ratio) < 0.5:
        return (
            "the evidence grows without end as the prior narrows, for the columns say nothing of the target: the "
            "weights are the prior's mean"
        )
    return (
        "the evidence grows without end as the noise vanishes, for the plane meets every target: its variance was "
        f"held at {profile.noise(ratio):.3g}; use noise='known' or noise='inverse_gamma'"
    )


def require_evidence(system: NormalEquations, prior: WeightPrior) -> None:
    """Refuse a prior that is flat somewhere, and rows that say nothing of the noise."""
    flat, n = len(prior.mean) - prior.rank, system.weight
    if flat:
        raise ParameterError(
            f"prior_precision is flat in {flat} of {len(prior.mean)} directions, but noise='evidence' chooses the size "
            "of a prior: give positive precisions"
        )
    if n <= int(prior.intercept == 0.0):
        raise DataError(
            f"{n:g} rows (n_samples = {n:g}) say nothing of the noise besides a flat intercept: give more rows, or use "
            "noise='known'"
        )
    if system.squares[-1] <= system.floor[0]:
        raise DataError("the target does not vary, so the evidence finds no noise: use noise='known'")
