"""One step of the search for the evidence's maximum: Newton's, over the logarithm of the ratio r = ασ²."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.learner.work import Step, Work
from novacula.linear.bayesian.evidence import EvidenceProfile
from novacula.linear.bayesian.posterior import EXACT, system_about
from novacula.linear.bayesian.prior import prior_of
from novacula.mathematics import Equation

if TYPE_CHECKING:
    from novacula.linear.bayesian.regression import BayesianLinearRegression


def derive_search(model: BayesianLinearRegression, iteration: int) -> Work:
    """From one ratio to the next: the evidence, its slope and its bend there, and where they lead."""
    path = model.trace_.path
    (place, *_), (after, low, high) = path.step(iteration, (3,))
    row = int(np.searchsorted(path.iterations, iteration))
    prior = prior_of(model)
    profile = EvidenceProfile.of(system_about(model.moments_, prior.intercept), prior)
    ratio = Equation("r", "exp(θ)", {"θ": place}, where={"θ": "where the search is, a logarithm of ⟦α * σ**2⟧"})
    r = ratio.value
    sums: dict[str, Any] = {"k": profile.along, "λ": profile.values, "r": r}
    where = {
        "k": "squares of what the columns say of the target, along the eigenvectors of their products beside ⟦Λ__0⟧",
        "λ": "the eigenvalues",
        "T": "the squares of the target about the prior's plane",
        "N": "rows, less one for a flat intercept",
    }
    steps = [Step("What goes in", ratio)]
    energy = Equation("E", "max(T - sum(k[j] / (λ[j] + r) for j in _), ε * T)",
                      {**sums, "T": profile.total, "ε": EXACT}, where={n: where[n] for n in "kλT"})  # fmt: skip
    evidence = Equation(
        "log(p(y))",
        "v - (sum(log(1 + λ[j] / r) for j in _) + N * (log(2 * π * E / N) + 1)) / 2",
        {"v": profile.constant, "λ": profile.values, "r": r, "N": profile.count, "E": energy.value},
        ("history_", iteration - 1),
        {"N": where["N"], "v": "what the intercept adds"},
    )
    steps.append(Step("The evidence there, with the best noise variance", (energy, evidence)))
    pull = Equation("a", "r * sum(k[j] / (λ[j] + r)**2 for j in _) / E", {**sums, "E": energy.value})
    more = Equation("c", "2 * r**2 * sum(k[j] / (λ[j] + r)**3 for j in _) / E", {**sums, "E": energy.value})
    gamma = Equation("γ", "sum(λ[j] / (λ[j] + r) for j in _)", {"λ": profile.values, "r": r})
    slope = Equation("L′", "(γ - N * a) / 2", {"γ": gamma.value, "N": profile.count, "a": pull.value})
    bend = Equation(
        "L′′",
        "-(sum(λ[j] * r / (λ[j] + r)**2 for j in _) + N * (a - c - a**2)) / 2",
        {"λ": profile.values, "r": r, "N": profile.count, "a": pull.value, "c": more.value},
    )
    steps.append(Step("Its first and second derivative by ⟦θ⟧", (pull, more, gamma, slope, bend)))
    steps.append(move_step(place, (float(low), float(high)), (slope.value, bend.value), after, row))
    return Work(f"Step {iteration} to the greatest evidence", steps)


def move_step(
    place: float,
    bracket: tuple[float, float],
    derivatives: tuple[float, float],
    after: float,
    row: int,
) -> Step:
    """Newton's step, the middle of the bracket where that leaves it, and half of it where the evidence would fall."""
    (low, high), (slope, bend), of = bracket, derivatives, ("trace_", "path", "states", row, 0)
    newton = Equation("θ_1", "θ - L′ / L′′", {"θ": place, "L′": slope, "L′′": bend}) if bend < 0.0 else None
    found = [] if newton is None else [newton]
    if newton is None or not low <= newton.value <= high:
        found.append(Equation("θ_1", "(l + h) / 2", {"l": low, "h": high}, where={"l": "from", "h": "to, a bracket"}))
    target = found[-1].value
    halvings = round(math.log2(abs((target - place) / (after - place)))) if after != place else 0
    half = Equation("θ__new", "θ + (θ_1 - θ) / 2**m", {"θ": place, "θ_1": target, "m": halvings}, of)
    whole = Equation("θ__new", "θ_1", {"θ_1": target}, of)
    title = "Where they lead" if newton in found[-1:] else "They lead out of the bracket, so its middle is taken"
    return Step(title, (*found, half if halvings else whole))
