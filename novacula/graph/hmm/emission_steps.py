"""The M-steps of emissions with their numbers: symbols, normal distributions, counts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.graph.hmm.derivation import STATES, share_step
from novacula.learner.worded_step import WordedStep as Step
from novacula.learner.work import Cell, WorkTable

if TYPE_CHECKING:
    from novacula.graph.hmm.categorical import CategoricalHMM
    from novacula.graph.hmm.gaussian import GaussianHMM
    from novacula.graph.hmm.poisson import PoissonHMM

SYMBOLS = 3  # written out of each state
COLUMNS = 3  # written out of each state
TABLED = 20  # rows of a table


def symbol_steps(model: CategoricalHMM) -> Iterator[Step]:
    """The table of emissions, and the first of its cells; those of one column are shares of each other."""
    labels, columns = model.symbols_, [column.name for column in model.schema_.features]
    owner = np.repeat(np.arange(len(columns)), np.diff(model.offsets_))
    names = [f"{columns[c]} = {label}" for c, label in zip(owner, labels, strict=True)]
    rows: list[tuple[Cell, ...]] = [(names[v], *map(float, model.emission_[:, v])) for v in range(len(names))[:TABLED]]
    cut = f", the first {TABLED} of {len(names)}" if len(names) > TABLED else ""
    table = WorkTable(("symbol", *map(str, model.states_)), tuple(rows), f"P(symbol | state){cut}")
    yield Step("What each state shows", formula="P(v | k) = Ñ(k, v) / Σ Ñ(k, ·)", table=table)
    for k, state in enumerate(model.states_[:STATES]):
        for v in range(min(SYMBOLS, len(names))):
            own = owner == owner[v]
            counts, chance = model.emission_counts_[k], model.emission_[k]
            inside = int(v - model.offsets_[owner[v]])
            title, of = f"{names[v]} in {state}", ("emission_", k, v)
            formula = "P(v | k) = Ñ(k, v) / Σ Ñ(k, ·)"
            yield share_step(title, formula, float(counts[v]), counts[own], chance[own], inside, float(model.m), of)


def normal_steps(model: GaussianHMM) -> Iterator[Step]:
    """Means, and where the family has one for each state and column, variances."""
    moments, names = model.moments_, [column.name for column in model.schema_.features]
    overall, m = model.overall_mean_, float(model.m)
    for k, state in enumerate(model.states_[:STATES]):
        for j, name in enumerate(names[:COLUMNS]):
            n, mean = float(moments.weight[k]), float(model.means_[k, j])
            title, of = f"Mean of {name} in {state}", ("means_", k, j)
            if n == 0.0 and m == 0.0:
                yield Step(title, result=mean, of=of, note="The state was never visited, so it stays where it was.")
            elif m == 0.0:
                values = {"S": n * mean, "n": n}
                yield Step(title, "μ = Σγx / Σγ", "S / n", values, mean, of, {"S": "Σγx", "n": "Σγ"})
            else:
                values = {"S": n * float(moments.mean[k, j]), "n": n, "m": m, "u": float(overall[j])}
                formula, expression = "μ = (Σγx + m·μ₀) / (Σγ + m)", "(S + m * u) / (n + m)"
                yield Step(title, formula, expression, values, mean, of, {"S": "Σγx", "n": "Σγ", "u": "μ₀"})
            yield from _variance_step(model, k, j, name)


def _variance_step(model: GaussianHMM, k: int, j: int, name: str) -> Iterator[Step]:
    kind, moments = model.covariance_type, model.moments_
    if kind not in ("full", "diag") or model.m:
        return
    of: tuple[Any, ...] = ("covariances_", k, j, j) if kind == "full" else ("covariances_", k, j)
    held = float(model.covariances_[of[1:]])
    own = float(moments.covariance[(k, j, j) if kind == "full" else (k, 0, j)])
    title, n = f"Variance of {name} in {model.states_[k]}", float(moments.weight[k])
    if n == 0.0 or not np.isclose(held, own, rtol=1e-9, atol=0.0):
        yield Step(title, result=held, of=of, note="Held by the floor of reg_covar, or never visited.")
        return
    values, labels = {"S": n * own, "n": n}, {"S": "Σγ(x − μ)²", "n": "Σγ"}
    yield Step(title, "σ² = Σγ(x − μ)² / Σγ", "S / n", values, held, of, labels)


def rate_steps(model: PoissonHMM) -> Iterator[Step]:
    """The rates."""
    steps, total = model.emission_counts_
    names, m = [column.name for column in model.schema_.features], float(model.m)
    for k, state in enumerate(model.states_[:STATES]):
        for j, name in enumerate(names[:COLUMNS]):
            n, rate = float(steps[k, j]), float(model.rates_[k, j])
            title, of = f"Rate of {name} in {state}", ("rates_", k, j)
            if n + m == 0.0:
                yield Step(title, result=rate, of=of, note="The state was never visited, so it has the rate of all.")
            elif m == 0.0:
                values = {"S": float(total[k, j]), "n": n}
                yield Step(title, "λ = Σγx / Σγ", "S / n", values, rate, of, {"S": "Σγx", "n": "Σγ"})
            else:
                overall = float(total[:, j].sum() / steps[:, j].sum())
                values = {"S": float(total[k, j]), "n": n, "m": m, "u": overall}
                labels = {"S": "Σγx", "n": "Σγ", "u": "λ₀"}
                yield Step(title, "λ = (Σγx + m·λ₀) / (Σγ + m)", "(S + m * u) / (n + m)", values, rate, of, labels)
