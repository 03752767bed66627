"""Pictures of a posterior: the line with its band, a weight before and after, and the evidence over the prior."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from novacula.learner.figure import Figure, curve_figure
from novacula.linear.bayesian.evidence import EvidenceProfile
from novacula.linear.bayesian.noise import reach, scale_variance
from novacula.linear.bayesian.posterior import WeightPosterior, variances_at
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.linear.bayesian.regression import BayesianLinearRegression

PLACES = 121
"""Points of a curve."""


def line_figure(model: BayesianLinearRegression, level: float) -> Figure:
    """The mean line of one column, with the band in which targets lie with probability `level`."""
    moments = model.moments_
    width = 3.0 * math.sqrt(moments.scatter[0, 0] / moments.weight)
    x = np.linspace(moments.mean[0] - width, moments.mean[0] + width, PLACES)
    y = model.intercept_ + model.coef_[0] * x
    relative = variances_at(x[:, None], model.x_centre_, model.root_, model.pivot_)
    half = reach(model, level) * np.sqrt(scale_variance(model) * (1.0 + relative))
    [name], target = model.schema_.column_names(), model.target_names_[0]
    return curve_figure(
        x,
        {"mean": y},
        bands={"mean": np.column_stack([y - half, y + half])},
        title=f"The line for {target}, and where {level:.0%} of new targets are expected",
        xlabel=name,
        ylabel=target,
    )


def density_figure(model: BayesianLinearRegression, posterior: WeightPosterior) -> Figure:
    """The density of the slope before and after the rows, for a prior that has one."""
    t = hasattr(model, "shape_")
    noise = model.scale / model.shape if t else model.noise_variance_
    degrees = (2.0 * model.shape, 2.0 * model.shape_) if t else (math.inf, math.inf)
    before, after = noise / posterior.prior.precision[0, 0], scale_variance(model) * model.root_[0, 0] ** 2
    # All of the posterior, and as much of a wide prior as leaves it more than a spike.
    width = math.sqrt(after) * min(max(6.0, 3.0 * math.sqrt(before / after)), 25.0)
    x = np.linspace(model.coef_[0] - width, model.coef_[0] + width, 2 * PLACES - 1)
    curves = {
        "prior": density(x, float(posterior.prior.mean[0]), before, degrees[0]),
        "posterior": density(x, model.coef_[0], after, degrees[1]),
    }
    [name] = model.schema_.column_names()
    title = f"What is believed of the weight of {name}, before and after"
    return curve_figure(x, curves, title=title, xlabel="weight", ylabel="density")


def density(x: Floats, mean: float, variance: float, degrees: float) -> Floats:
    """Student's t, scaled and moved; normal for infinitely many degrees of freedom."""
    z2 = (x - mean) ** 2 / variance
    if math.isinf(degrees):
        return np.exp(-z2 / 2.0) / math.sqrt(2.0 * math.pi * variance)
    constant = special.gammaln((degrees + 1.0) / 2.0) - special.gammaln(degrees / 2.0)
    logarithm = constant - (degrees + 1.0) / 2.0 * np.log1p(z2 / degrees)
    return np.asarray(np.exp(logarithm) / math.sqrt(degrees * math.pi * variance))


def evidence_figure(profile: EvidenceProfile, ratio: float) -> Figure:
    """The log evidence over the size of the prior, four decades to either side of the one that was chosen."""
    ratios = ratio * np.logspace(-4.0, 4.0, PLACES)
    return curve_figure(
        np.log10(ratios),
        {"log evidence": [profile.log_evidence(r) for r in ratios]},
        title=f"The log evidence over the size of the prior; ασ² = {ratio:.4g} was chosen",
        xlabel="log₁₀ ασ², with the best σ² for each",
        ylabel="ln p(y)",
    )
