"""The work of a posterior on a grid: Bayes' theorem at one cell, and sums over all cells for what is read off."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.bayes.derivation.names import called
from novacula.bayes.derivation.posterior import TINY
from novacula.learner.derivation import MEASURED, SHOWN, heaviest
from novacula.learner.work import Cell, Step, Work, WorkTable
from novacula.mathematics import Equation, word
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.bayes.grid_posterior import GridPosterior

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
"""Where the table of densities looks, as shares of the posterior below."""
LEVEL = 0.95
"""Probability within the interval that is shown."""


def derive_grid(posterior: GridPosterior) -> Work:
    """Bayes' theorem at the highest cell, the evidence, the mean and the spread."""
    rules = (
        Equation("p(θ | D)", "p(θ) * P(D | θ) / P(D)"),
        Equation("p(θ)", "f(θ) / Z"),
        Equation("P(D | θ)", "product(P(d[i] | θ) for i in _)"),
    )
    steps = [
        Step("Bayes' theorem for a density", rules, table=_densities(posterior), figure=posterior.plot()),
        Step("Evidence", _evidence(posterior)),
        Step("The density at the highest cell", tuple(_highest(posterior))),
    ]
    for k in range(posterior.grid.n_dimensions):
        steps.append(_moments_step(posterior, k))
    if posterior.before is not None and posterior.before.data:
        steps.append(_chained_step(posterior, posterior.before))
    steps.append(_spikes_step(posterior))
    low, high = np.reshape(posterior.credible_interval(LEVEL), (-1, 2)).T.tolist()
    rows = tuple(
        (_number(posterior, k), float(best), a, b)
        for k, (best, a, b) in enumerate(zip(np.ravel(posterior.map), low, high, strict=True))
    )
    header = ("", "most probable", f"⟦{LEVEL}⟧ lies above", "and below")
    note = "The most probable value is looked for once more on a finer grid about the highest cell."
    steps.append(Step("Read off", table=WorkTable(header, rows), note=note))
    cells = posterior.grid.points**posterior.grid.n_dimensions
    notes = f"Sums are over {cells} cells; each density is taken at the middle of its cell."
    return Work("Posterior on a grid", steps, notes)


def _chained_step(posterior: GridPosterior, before: GridPosterior) -> Step:
    """The last update by itself: what was believed before is its prior, and the result is that of all data at once."""
    place = np.unravel_index(int(np.argmax(posterior.density)), posterior.density.shape)
    at = [axis[i] for axis, i in zip(posterior.grid.axes, place, strict=True)]
    logs = posterior.weight * posterior.log_likelihoods_at(at)
    early, late = float(logs[: len(before.data)].sum()), float(logs[len(before.data) :].sum())
    prior = float(posterior.log_prior[place])
    title = "Update after update is the same as all data at once"
    if max(map(abs, (prior, early, late, before.log_evidence, posterior.log_evidence))) > TINY:
        return Step(title, Equation("p(θ | D_1, D_2)", "p(θ | D_1) * P(D_2 | θ) / P(D_2 | D_1)"))
    first = {"p(θ)": math.exp(prior), "P(D_1 | θ)": math.exp(early), "P(D_1)": before.evidence}
    was = first["p(θ)"] * first["P(D_1 | θ)"] / first["P(D_1)"]
    whole = {"P(D_1, D_2)": posterior.evidence, "P(D_1)": before.evidence}
    new = {"p(θ | D_1)": was, "P(D_2 | θ)": math.exp(late), "P(D_2 | D_1)": posterior.evidence / before.evidence}
    of: tuple[str | int, ...] = ("density", *map(int, place))
    at_once = first | new | {"P(D_1, D_2)": posterior.evidence}
    return Step(
        title,
        (
            Equation("p(θ | D_1)", "p(θ) * P(D_1 | θ) / P(D_1)", first, where={"θ": "the highest cell"}),
            Equation("P(D_2 | D_1)", "P(D_1, D_2) / P(D_1)", whole),
            Equation(
                "p(θ | D_1, D_2)",
                ("p(θ | D_1) * P(D_2 | θ) / P(D_2 | D_1)", "p(θ) * P(D_1 | θ) * P(D_2 | θ) / P(D_1, D_2)"),
                {name: value for name, value in at_once.items() if name != "P(D_1)"},
                of,
            ),
        ),
    )


def _spikes_step(posterior: GridPosterior) -> Step:
    """Where the density is higher than all around: one place, or several."""
    found = posterior.spikes()
    count = "One spike" if len(found) == 1 else f"{len(found)} spikes"
    rows = tuple((*np.ravel(place).tolist(), height) for place, height in found[:SHOWN])
    numbers = tuple(_number(posterior, k) for k in range(posterior.grid.n_dimensions))
    return Step(count, table=WorkTable((*numbers, "⟦p(θ | D)⟧"), rows, "Places that are higher than all around."))


def _number(posterior: GridPosterior, k: int) -> str:
    return f"⟦{_theta(posterior, k)}⟧"


def _theta(posterior: GridPosterior, k: int) -> str:
    """How one of the numbers is written."""
    return "θ" if posterior.grid.n_dimensions == 1 else f"θ_{k + 1}"


def _densities(posterior: GridPosterior) -> WorkTable:
    """Prior, likelihood and posterior at a few cells: at quantiles of θ, or of two numbers at the highest."""
    density, prior, likelihood = (
        np.ravel(values) for values in (posterior.density, posterior.log_prior, posterior.log_likelihood)
    )
    if posterior.grid.n_dimensions == 1:
        below = np.cumsum(posterior.probabilities)
        at = np.searchsorted(below / below[-1], QUANTILES).tolist()
    else:
        at = np.argsort(-density, kind="stable")[: len(QUANTILES)].tolist()
    places = [np.ravel(axis) for axis in posterior.grid.mesh]
    is_tiny = bool(np.abs(likelihood[at]).max() > TINY)
    rows: list[tuple[Cell, ...]] = [
        (
            *(float(place[c]) for place in places),
            math.exp(prior[c]),
            float(likelihood[c]) if is_tiny else math.exp(likelihood[c]),
            float(density[c]),
        )
        for c in at
    ]
    numbers = tuple(_number(posterior, k) for k in range(posterior.grid.n_dimensions))
    header = (*numbers, "⟦p(θ)⟧", "⟦log(P(D | θ))⟧" if is_tiny else "⟦P(D | θ)⟧", "⟦p(θ | D)⟧")
    return WorkTable(header, tuple(rows))


def _evidence(posterior: GridPosterior) -> Equation:
    """Σ p(θ) · P(D|θ) · Δ over the cells, or its logarithm, with the largest term taken out of the sum."""
    prior, likelihood = np.ravel(posterior.log_prior), np.ravel(posterior.log_likelihood)
    joint, cell = prior + likelihood, math.exp(posterior.grid.log_cell)
    meanings = {"Δ": "the length of a cell" if posterior.grid.n_dimensions == 1 else "the area of a cell"}
    if float(np.abs(joint.max())) < TINY and float(np.abs(likelihood[np.argmax(joint)])) < TINY:
        terms = np.exp(joint)
        kept, rest = heaviest(terms * cell, "c")
        values = {"p(θ[c])": np.exp(prior[kept]), "P(D | θ[c])": np.exp(likelihood[kept]), "Δ": cell}
        right = "sum(p(θ[c]) * P(D | θ[c]) * Δ for c in _)"
        return Equation("P(D)", right, values, ("evidence",), meanings, rest)
    peak = float(joint.max())
    kept, rest = heaviest(np.exp(joint - peak) * cell, "c")
    return Equation(
        "log(P(D))",
        "L + log(sum(exp(log(p(θ[c])) + log(P(D | θ[c])) - L) * Δ for c in _))",
        {"L": peak, "log(p(θ[c]))": prior[kept], "log(P(D | θ[c]))": likelihood[kept], "Δ": cell},
        of=("log_evidence",),
        where={"L": "the largest logarithm in the sum, which is taken out of it"} | meanings,
        rest=rest,
    )


def _highest(posterior: GridPosterior) -> list[Equation]:
    """Prior, likelihood and posterior at the cell with the largest density."""
    place = np.unravel_index(int(np.argmax(posterior.density)), posterior.density.shape)
    at = [axis[i] for axis, i in zip(posterior.grid.axes, place, strict=True)]
    point = f"({', '.join(repr(float(x)) for x in at)})" if len(at) > 1 else repr(float(at[0]))
    constant, logs = posterior.log_constant, posterior.log_likelihoods_at(at)
    log_prior, log_likelihood = float(posterior.log_prior[place]), float(posterior.log_likelihood[place])
    of: tuple[str | int, ...] = ("density", *map(int, place))
    found = []
    if max(abs(constant), abs(log_prior + constant)) < TINY:
        values = {f"f({point})": posterior.prior_at(at), "Z": math.exp(constant), f"p({point})": math.exp(log_prior)}
        where = {"Z": "the sum of the prior's values over all cells, times the size of a cell"}
        found.append(Equation(f"p({point})", f"f({point}) / Z", values, where=where))
    if len(logs):
        found.append(_likelihood(posterior, point, logs, log_likelihood))
    if max(map(abs, (log_likelihood, log_prior, posterior.log_evidence))) < TINY:
        values = {
            f"p({point})": math.exp(log_prior),
            f"P(D | {point})": math.exp(log_likelihood),
            "P(D)": posterior.evidence,
        }
        right = f"p({point}) * P(D | {point}) / P(D)"
    else:
        values = {
            f"log(p({point}))": log_prior,
            f"log(P(D | {point}))": log_likelihood,
            "log(P(D))": posterior.log_evidence,
        }
        right = f"exp(log(p({point})) + log(P(D | {point})) - log(P(D)))"
    return [*found, Equation(f"p({point} | D)", right, values, of)]


def _likelihood(posterior: GridPosterior, point: str, logs: Floats, total: float) -> Equation:
    """P(D | θ) = Π P(d | θ) at a point, or its logarithm."""
    weight, term = posterior.weight, f"P(d[i] | {point})"
    is_even = bool(np.all(weight == 1.0))
    weights: Mapping[str, Any] = {} if is_even else {"w[i]": weight[:MEASURED]}
    beyond = float(weight[MEASURED:] @ logs[MEASURED:])
    meanings = {} if is_even else {"w[i]": "how often the datum was seen"}
    if any(TINY < abs(log) < math.inf for log in (total, beyond, *logs[:MEASURED])):
        right = f"sum({'' if is_even else 'w[i] * '}log({term}) for i in _)"
        values = {**weights, f"log({term})": logs[:MEASURED], f"log(P(D | {point}))": total}
        return Equation(f"log(P(D | {point}))", right, values, where=meanings, rest={"i": beyond} if beyond else {})
    right = f"product({term}{'' if is_even else ' ** w[i]'} for i in _)"
    values = {**weights, term: np.exp(logs[:MEASURED]), f"P(D | {point})": math.exp(total)}
    rest = {"i": math.exp(beyond)} if len(logs) > MEASURED else {}
    return Equation(f"P(D | {point})", right, values, where=meanings, rest=rest)


def _moments_step(posterior: GridPosterior, k: int) -> Step:
    """The mean and the standard deviation of one of the numbers."""
    theta, path = _theta(posterior, k), () if posterior.grid.n_dimensions == 1 else (k,)
    axis, share = posterior.grid.axes[k], posterior.grid.marginals(posterior.probabilities)[k]
    mean = float(np.ravel(posterior.mean)[k])
    probability = "q" if posterior.grid.n_dimensions == 1 else f"q_{k + 1}"
    kept, rest = heaviest(axis * share, "c")
    expected = Equation(
        f"E({theta} | D)",
        f"sum({theta}[c] * {probability}[c] for c in _)",
        {f"{theta}[c]": axis[kept], f"{probability}[c]": share[kept]},
        of=("mean", *path),
        where={f"{probability}[c]": "the probability of the cell"},
        rest=rest,
    )
    kept, rest = heaviest((axis - mean) ** 2 * share, "c")
    spread = Equation(
        f"σ({theta} | D)",
        f"sqrt(sum(({theta}[c] - E({theta} | D)) ** 2 * {probability}[c] for c in _))",
        {f"{theta}[c]": axis[kept], f"{probability}[c]": share[kept], f"E({theta} | D)": mean},
        of=("std", *path),
        rest=rest,
    )
    return Step(f"Mean and standard deviation of ⟦{theta}⟧", (expected, spread))


def derive_next_datum(posterior: GridPosterior, x: Any) -> Work:
    """Σ P(x|θ) · q over the cells."""
    share, likelihood = np.ravel(posterior.probabilities), np.exp(np.ravel(posterior.log_likelihood_of(x)))
    kept, rest = heaviest(likelihood * share, "c")
    datum = word(called(x))
    term = f"P({datum} | θ[c])"
    predicted = Equation(
        f"P({datum} | D)",
        f"sum({term} * q[c] for c in _)",
        {term: likelihood[kept], "q[c]": share[kept]},
        of=("predictive",),
        where={"q[c]": "the probability of the cell"},
        rest=rest,
    )
    return Work(f"Prediction of {called(x)}", [Step("All cells, each by its probability", predicted)])
