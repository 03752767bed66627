"""The work of Bayesian linear regression, continued: the noise, the evidence, and the precisions that it chooses."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import gammaln

from novacula.learner.worded_step import WordedStep as Step
from novacula.learner.work import WorkTable
from novacula.linear.bayesian.evidence import EvidenceProfile
from novacula.linear.bayesian.figure import evidence_figure
from novacula.linear.bayesian.noise import require_evidence
from novacula.linear.bayesian.posterior import EXACT, WeightPosterior
from novacula.linear.derivation import DIGITS, FEW, ROUNDING, eliminated
from novacula.linear.plane import TERMS, weighted_sum

if TYPE_CHECKING:
    from novacula.linear.bayesian.regression import BayesianLinearRegression


def energy_step(posterior: WeightPosterior) -> Step:
    """What misfit and distance from the prior come to at the mean."""
    system, prior = posterior.system, posterior.prior
    gap = system.cross[:, 0] - system.gram @ prior.mean
    moved = posterior.coef - prior.mean
    total, values = weighted_sum("u", moved, "g", gap)
    squares = float(system.squares[-1]) - float(prior.mean @ (system.cross[:, 0] + gap))
    held = trusted(posterior)
    return Step(
        "Misfit and distance from the prior, together",
        formula="E = Σ(y − ŷ)² + (m − m₀)ᵀP(m − m₀) = |y − Xm₀|² − Σ uⱼgⱼ,  u = m − m₀,  g = Xᵀ(y − Xm₀)",
        expression=f"S - ({total})",
        values={"S": squares, **values},
        result=posterior.misfit + posterior.penalty if held else None,
        note="" if held else f"{ROUNDING}; the model says {posterior.misfit + posterior.penalty:.9g}.",
    )


def trusted(posterior: WeightPosterior) -> bool:
    """Whether misfit and penalty have the digits that are compared, being what is left of larger squares."""
    system, prior = posterior.system, posterior.prior
    lengths = np.sqrt(np.diagonal(system.gram))
    size = math.sqrt(system.squares[-1]) + float(lengths @ np.abs(prior.mean))
    noise = np.where(system.varies, system.noise, 0.0)
    uncertain = size * (EXACT * size + float((noise * lengths) @ np.abs(posterior.coef)))
    return posterior.doubt <= DIGITS and uncertain <= DIGITS * (posterior.misfit + posterior.penalty)


def noise_steps(model: BayesianLinearRegression, posterior: WeightPosterior) -> Iterator[Step]:
    """The inverse gamma posterior of the noise variance."""
    yield Step(
        "Shape of the noise",
        formula="a = a₀ + (N − flat directions) / 2",
        expression="a_0 + (N - f) / 2",
        values={"a_0": model.shape, "N": model.weight_, "f": posterior.prior.flat},
        of=("shape_",),
    )
    yield Step(
        "Scale of the noise",
        formula="b = b₀ + E / 2",
        expression="b_0 + E / 2",
        values={"b_0": model.scale, "E": posterior.misfit + posterior.penalty},
        of=("scale_",),
    )
    if model.shape_ > 1.0:
        yield Step(
            "Mean of the noise variance",
            formula="E[σ²] = b / (a − 1)",
            expression="b / (a - 1)",
            values={"a": model.shape_, "b": model.scale_},
            of=("noise_variance_",),
        )


def evidence_steps(model: BayesianLinearRegression, posterior: WeightPosterior) -> Iterator[Step]:
    """The logarithm of the probability of the rows, term by term."""
    before, after = posterior.log_volumes
    if len(posterior.coef) <= FEW and posterior.doubt <= DIGITS:
        pivots = np.diagonal(eliminated(posterior.prior.precision + posterior.system.gram))
        values = {f"p_{j + 1}": float(pivot) for j, pivot in enumerate(pivots)}
        values |= {"k": posterior.pivot} if math.isfinite(posterior.pivot) else {}
        yield Step(
            "Volume of the posterior, from the pivots of V",
            formula="ln|V| = Σ ln pⱼ" + (" + ln k" if "k" in values else ""),
            expression=" + ".join(f"log({name})" for name in values),
            values=values,
            result=after,
            note="k is the number of rows, and of those that a prior of the intercept is worth."
            if "k" in values
            else "",
        )
    energy, n = posterior.misfit + posterior.penalty, posterior.count
    values = {"lnP": before, "lnV": after, "n": n, "pi": math.pi}
    if hasattr(model, "shape_"):
        yield unknown_noise_step(model, posterior, values)
        return
    noise = model.noise_variance_
    values |= {"v": noise, "E": energy}
    terms = [
        ("½ ln|P|, how narrow the prior was", before / 2),
        ("−½ ln|V|, how narrow the posterior is", -after / 2),
        ("−½ n ln 2πσ², the noise", -n / 2 * math.log(2 * math.pi * noise)),
        ("−½ E/σ², misfit and distance from the prior", -energy / noise / 2),
    ]
    yield Step(
        "The log evidence",
        formula="ln p(y) = ½ (ln|P| − ln|V| − n ln 2πσ² − E/σ²)",
        expression="(lnP - lnV - n * log(2 * pi * v) - E / v) / 2",
        values=values,
        of=("log_evidence_",),
        table=WorkTable(("term", "value"), tuple(terms)),
        note=flat_note(posterior),
    )


def unknown_noise_step(model: BayesianLinearRegression, posterior: WeightPosterior, values: dict[str, float]) -> Step:
    """The log evidence with the noise variance integrated out."""
    proper = model.shape > 0.0 and model.scale > 0.0
    values |= {"a": model.shape_, "b": model.scale_, "G": float(gammaln(model.shape_))}
    values |= {"a_0": model.shape, "b_0": model.scale, "G_0": float(gammaln(model.shape))} if proper else {}
    known = " + a_0 * log(b_0) - G_0" if proper else ""
    return Step(
        "The log evidence",
        formula="ln p(y) = ½ (ln|P| − ln|V| − n ln 2π) + ln Γ(a) − a ln b"
        + (" + a₀ ln b₀ − ln Γ(a₀)" if proper else ""),
        expression=f"(lnP - lnV - n * log(2 * pi)) / 2 + G - a * log(b){known}",
        values=values,
        of=("log_evidence_",),
        note=flat_note(posterior),
    )


def flat_note(posterior: WeightPosterior) -> str:
    """What the evidence means where the prior is not a distribution."""
    if posterior.prior.flat == 0:
        return "The prior is a distribution, so this is the logarithm of a probability density of y."
    return (
        f"The prior is flat in {posterior.prior.flat} directions, which count with density 1 and take as many rows "
        "from n: only differences between models with the same flat parts mean something."
    )


def precision_choice_steps(model: BayesianLinearRegression, posterior: WeightPosterior) -> Iterator[Step]:
    """MacKay's equations, which hold where the evidence is largest."""
    require_evidence(posterior.system, model._prior())
    profile = EvidenceProfile.of(posterior.system, model._prior())
    ratio = model.alpha_ * model.noise_variance_
    gamma, n = profile.determined(ratio), profile.count
    yield determined_step(profile, ratio)
    held = model.converged_ and model.tol <= DIGITS and trusted(posterior)
    note = "" if held else f"{ROUNDING}, or the evidence has no maximum; "
    if posterior.penalty > 0.0:
        yield Step(
            "The size of the prior",
            formula="α = γ / Δ,  Δ = (m − m₀)ᵀΛ₀(m − m₀)",
            expression="gamma / D",
            values={"gamma": gamma, "D": posterior.penalty / ratio},
            of=("alpha_",) if held else (),
            note=note and f"{note}the model says {model.alpha_:.9g}.",
        )
    if n - gamma > 1e-2 * n:  # otherwise the difference has not the digits
        yield Step(
            "The noise variance",
            formula="σ² = Σ(y − ŷ)² / (n − γ)",
            expression="SSE / (n - gamma)",
            values={"SSE": posterior.misfit, "n": n, "gamma": gamma},
            of=("noise_variance_",) if held else (),
            note=note and f"{note}the model says {model.noise_variance_:.9g}.",
        )


def determined_step(profile: EvidenceProfile, ratio: float) -> Step:
    """How many weights the rows determine, the largest terms written out."""
    order = np.argsort(-profile.values, kind="stable")
    values = {f"l_{i + 1}": float(profile.values[j]) for i, j in enumerate(order[:TERMS])}
    terms = [f"{name} / ({name} + r)" for name in values]
    values["r"] = ratio
    if len(order) > TERMS:
        terms.append("rest")
        values["rest"] = float((profile.values / (profile.values + ratio))[order[TERMS:]].sum())
    return Step(
        "Weights that the rows rather than the prior determine",
        formula="γ = Σ λⱼ / (λⱼ + r),  r = ασ²,  λ the eigenvalues of XᵀX beside Λ₀",
        expression=" + ".join(terms),
        values=values,
        result=profile.determined(ratio),
        figure=evidence_figure(profile, ratio) if profile.values.any() else None,
    )
