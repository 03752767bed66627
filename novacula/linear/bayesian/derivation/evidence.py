"""The work of Bayesian linear regression, continued: the noise, the evidence, and the precisions that it chooses."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.learner.work import Step, WorkTable
from novacula.linear.bayesian.evidence import EvidenceProfile
from novacula.linear.bayesian.figure import evidence_figure
from novacula.linear.bayesian.noise import require_evidence
from novacula.linear.bayesian.posterior import EXACT, WeightPosterior
from novacula.linear.bayesian.prior import prior_of
from novacula.linear.derivation.normal_equations import DIGITS, ROUNDING, rounded
from novacula.mathematics import Equation
from novacula.words import counted

if TYPE_CHECKING:
    from novacula.linear.bayesian.regression import BayesianLinearRegression

VOLUMES = {"v_0": "the log determinant of the prior's precision over the noise", "v": "that of the posterior"}
COUNT = {"N": "rows, less one for each flat direction"}


def energy_step(posterior: WeightPosterior) -> Step:
    """What misfit and distance from the prior come to at the mean."""
    system, prior = posterior.system, posterior.prior
    cross, known = system.cross[:, 0], posterior.misfit + posterior.penalty
    squares = {"T": float(system.squares[-1])}
    rule = Equation("E", "sum((y[i] - ŷ[i])**2 for i in _) + dot(w - m_0, P @ (w - m_0))")
    if prior.mean.any():
        gap = Equation("g", "c - A @ m_0", {"c": cross, "A": system.gram, "m_0": prior.mean})
        moved = Equation("u", "w - m_0", {"w": posterior.coef, "m_0": prior.mean})
        values = {**squares, "m_0": prior.mean, "c": cross, "g": gap.value, "u": moved.value}
        right = "T - sum(m_0[j] * (c[j] + g[j]) for j in _) - sum(u[j] * g[j] for j in _)"
        found: tuple[Equation, ...] = (rule, gap, moved, Equation("E", right, values))
    else:
        right = "T - sum(w[j] * c[j] for j in _)"
        found = (rule, Equation("E", right, {**squares, "w": posterior.coef, "c": cross}))
    note = "" if trusted(posterior) else rounded(known)
    return Step("Misfit and distance from the prior, together", found, note=note)


def trusted(posterior: WeightPosterior) -> bool:
    """Whether misfit and penalty have the digits that are compared, being what is left of larger squares."""
    system, prior = posterior.system, posterior.prior
    lengths = np.sqrt(np.diagonal(system.gram))
    size = math.sqrt(system.squares[-1]) + float(lengths @ np.abs(prior.mean))
    noise = np.where(system.varies, system.noise, 0.0)
    uncertain = size * (EXACT * size + float((noise * lengths) @ np.abs(posterior.coef)))
    return posterior.doubt <= DIGITS and uncertain <= DIGITS * (posterior.misfit + posterior.penalty)


def noise_steps(model: BayesianLinearRegression, posterior: WeightPosterior, energy: float) -> Iterator[Step]:
    """The inverse gamma posterior of the noise variance."""
    count = Equation("N", "n - k", {"n": model.weight_, "k": float(posterior.prior.flat)}, where=COUNT)
    shape = Equation("a", "a_0 + N / 2", {"a_0": model.shape, "N": count.value}, ("shape_",))
    yield Step("Shape of the noise", (count, shape), note="⟦k⟧ directions are flat in the prior.")
    scale = Equation("β", "β_0 + E / 2", {"β_0": model.scale, "E": energy}, ("scale_",))
    yield Step("Scale of the noise", scale)
    if model.shape_ > 1.0:
        values = {"a": model.shape_, "β": model.scale_}
        yield Step("Mean of the noise variance", Equation("mean(σ**2)", "β / (a - 1)", values, ("noise_variance_",)))


def evidence_steps(model: BayesianLinearRegression, posterior: WeightPosterior, energy: float) -> Iterator[Step]:
    """The logarithm of the probability of the rows, term by term."""
    before, after = posterior.log_volumes
    if posterior.doubt <= DIGITS:
        volume = volume_equation(posterior)
        after = volume.value
        yield Step("Volume of the posterior, from the pivots of ⟦V⟧", volume)
    n = posterior.count
    values: dict[str, Any] = {"v_0": before, "v": after, "N": n}
    meanings = {**VOLUMES, **COUNT}
    if hasattr(model, "shape_"):
        right = "(v_0 - v - N * log(2 * π)) / 2 + lgamma(a) - a * log(β)"
        values |= {"a": model.shape_, "β": model.scale_}
        if model.shape > 0.0 and model.scale > 0.0:
            right += " + a_0 * log(β_0) - lgamma(a_0)"
            values |= {"a_0": model.shape, "β_0": model.scale}
        found = Equation("log(p(y))", right, values, ("log_evidence_",), meanings)
        yield Step("The log evidence", found, note=flat_note(posterior))
        return
    noise = model.noise_variance_
    terms = (
        ("⟦v_0 / 2⟧, how narrow the prior was", before / 2),
        ("⟦-v / 2⟧, how narrow the posterior is", -after / 2),
        ("⟦-N / 2 * log(2 * π * σ**2)⟧, the noise", -n / 2 * math.log(2 * math.pi * noise)),
        ("⟦-E / (2 * σ**2)⟧, misfit and distance from the prior", -energy / noise / 2),
    )
    right = "(v_0 - v - N * log(2 * π * σ**2) - E / σ**2) / 2"
    found = Equation("log(p(y))", right, {**values, "σ**2": noise, "E": energy}, ("log_evidence_",), meanings)
    yield Step("The log evidence", found, WorkTable(("term", "value"), terms), note=flat_note(posterior))


def volume_equation(posterior: WeightPosterior) -> Equation:
    """The log determinant of the posterior's precision, the intercept's part with it."""
    pivots = np.diagonal(np.linalg.cholesky(posterior.prior.precision + posterior.system.gram)) ** 2
    if math.isinf(posterior.pivot):
        return Equation("v", "sum(log(p[j]) for j in _)", {"p": pivots})
    values = {"p": pivots, "n": posterior.system.weight, "τ": posterior.prior.intercept}
    meaning = {"τ": "the precision of the intercept's prior, over that of the noise"}
    return Equation("v", "sum(log(p[j]) for j in _) + log(n + τ)", values, where=meaning)


def flat_note(posterior: WeightPosterior) -> str:
    """What the evidence means where the prior is not a distribution."""
    if posterior.prior.flat == 0:
        return "The prior is a distribution, so this is the logarithm of a probability density of ⟦y⟧."
    return (
        f"The prior is flat in {counted(posterior.prior.flat, 'direction')}, which count with density 1 and take as "
        "many rows from ⟦N⟧: only differences between models with the same flat parts mean something."
    )


def precision_choice_steps(model: BayesianLinearRegression, posterior: WeightPosterior) -> Iterator[Step]:
    """MacKay's equations, which hold where the evidence is largest."""
    prior, system = prior_of(model), posterior.system
    require_evidence(system, prior)
    profile = EvidenceProfile.of(system, prior)
    product = Equation("r", "α * σ**2", {"α": model.alpha_, "σ**2": model.noise_variance_})
    gamma = Equation("γ", "sum(λ[j] / (λ[j] + r) for j in _)", {"λ": profile.values, "r": product.value})
    yield Step(
        "Weights that the rows rather than the prior determine",
        (product, gamma),
        figure=evidence_figure(profile, product.value) if profile.values.any() else None,
        note="⟦λ[j]⟧ are the eigenvalues of ⟦A⟧ beside ⟦Λ__0⟧.",
    )
    held = model.converged_ and model.tol <= DIGITS and trusted(posterior)
    doubt = "" if held else f"{ROUNDING}, or the evidence has no maximum; the model says "
    if posterior.penalty > 0.0:
        known = {"w": posterior.coef, "m_0": prior.mean, "Λ__0": prior.precision}
        distance = Equation("Δ", "dot(w - m_0, Λ__0 @ (w - m_0))", known)
        size = Equation("α", "γ / Δ", {"γ": gamma.value, "Δ": distance.value}, ("alpha_",) if held else ())
        yield Step("The size of the prior", (distance, size), note=doubt and f"{doubt}⟦{model.alpha_!r}⟧.")
    if profile.count - gamma.value > 1e-2 * profile.count:  # otherwise the difference has not the digits
        left = "sum((y[i] - ŷ[i])**2 for i in _)"
        values = {left: posterior.misfit, "N": profile.count, "γ": gamma.value}
        noise = Equation("σ**2", f"{left} / (N - γ)", values, ("noise_variance_",) if held else (), COUNT)
        yield Step("The noise variance", noise, note=doubt and f"{doubt}⟦{model.noise_variance_!r}⟧.")
