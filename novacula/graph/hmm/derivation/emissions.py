"""The M-steps of emissions with their numbers: symbols, normal distributions, counts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np

from novacula.graph.hmm.derivation.chain_step import ChainStep, share_equation
from novacula.graph.hmm.derivation.passage import STATES
from novacula.learner.derivation import cut_table
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Cell, Step
from novacula.mathematics import Equation, word
from novacula.mixture.gaussian.density import GaussianComponents, MixtureDensity
from novacula.mixture.gaussian.m_step import GaussianStep
from novacula.mixture.gaussian.trace import RowShares, parted
from novacula.table.chunk import Floats
from novacula.words import shortened

SYMBOLS, COLUMNS = 3, 3
"""Written out of each state, unless everything is asked for."""


class EmissionStep(ABC):
    """How an iteration made the emission of each state from what was seen."""

    def __init__(self, step: ChainStep, options: WorkOptions) -> None:
        self.step, self.is_full = step, options.is_full
        self.model: Any = step.model
        self.columns = [column.name for column in step.model.schema_.features]
        self.states = step.names if self.is_full else step.names[:STATES]

    @abstractmethod
    def steps(self) -> Iterator[Step]:
        """The steps of a work."""

    def shown(self, count: int, most: int) -> range:
        """What is written out."""
        return range(count if self.is_full else min(count, most))

    def others(self, place: int) -> dict[str, float]:
        """What other sequences add to a sum, the place of which is given."""
        return {} if self.step.others is None else {"t": float(self.step.others[self.step.first_sum + place])}

    def shares(self, k: int, where: Any = slice(None)) -> dict[str, float]:
        """γ of a state at the steps of the kept sequence that are asked for, by number."""
        assert self.step.passage is not None  # noqa: S101  (the caller checked it)
        steps = np.arange(len(self.step.passage.gamma))[where]
        return {str(t + 1): float(self.step.passage.gamma[t, k]) for t in steps}


class SymbolStep(EmissionStep):
    """Shares of expected counts of symbols; those of one column are shares of each other."""

    def steps(self) -> Iterator[Step]:
        """The table of emissions, and the first of its cells."""
        labels, offsets = self.model.symbols_, self.model.offsets_
        owner = np.repeat(np.arange(len(self.columns)), np.diff(offsets))
        alone = len(self.columns) == 1
        names = [str(v) if alone else f"{self.columns[c]} = {v}" for c, v in zip(owner, labels, strict=True)]
        emission, m = self.step.after.emission.probability, float(self.model.m)
        rows: list[tuple[Cell, ...]] = [(names[v], *map(float, emission[:, v])) for v in range(len(names))]
        table = cut_table(("symbol", *map(str, self.model.states_)), rows, len(rows), "⟦P(v | k)⟧")
        rule = Equation("P(v | k)", "Ñ_x[k, v] / sum(Ñ_x[k, u] for u in _)", where={"Ñ_x[k, v]": "how often k shows v"})
        yield Step("What each state shows", rule, table)
        first, size = self.step.first_sum, len(names)
        keys = [f"{v + 1}" if len(set(names)) < size else name for v, name in enumerate(names)]
        for k, state in enumerate(self.states):
            counts = self.step.counts[first + k * size : first + (k + 1) * size]
            for v in self.shown(size, SYMBOLS):
                equations, cell = [], f"Ñ_x[{word(state)}, {word(shortened(keys[v], 20))}]"
                if self.step.passage is not None:
                    seen = self.step.values[:, owner[v]] == v - offsets[owner[v]]
                    share = {f"γ[t, {word(state)}]": self.shares(k, seen), **self.step.weights}
                    right = f"sum({self.step.times}γ[t, {word(state)}] for t in _)"
                    of, rest = self.step.tie("emission_counts_", k, v), self.others(k * size + v)
                    equations.append(Equation(cell, right, share, of, rest=rest))
                own = np.flatnonzero(owner == owner[v])
                named = {keys[u]: float(counts[u]) for u in own}
                of = self.step.tie("emission_", k, v) or self.step.path(first + k * size + v)
                left = f"P({word(shortened(keys[v], 20))} | {word(state)})"
                row = f"Ñ_x[{word(state)}, k]"
                found = share_equation(left, cell, row, named, keys[v], m, emission[k, own], int(v - own[0]), of)
                note = found if isinstance(found, str) else ""
                equations += [] if isinstance(found, str) else [found]
                yield Step(f"{names[v]} in {state}", tuple(equations), note=note)


class NormalStep(EmissionStep):
    """Means and covariances as those of a mixture, with γ in place of responsibilities."""

    def steps(self) -> Iterator[Step]:
        """Means, and where the family has one for each state and column, variances."""
        gaussians = self._gaussians()
        family = self.model.covariance_type
        for k, state in enumerate(self.states):
            if gaussians.n[k] <= 0.0 and not self.model.m:
                yield Step(f"What {state} shows", note="The state was never visited, so it stays as it was.")
                continue
            yield Step(f"Expected steps in {state}", gaussians.count(k, self.step.tie("moments_", "weight", k)))
            for j in self.shown(len(self.columns), COLUMNS):
                yield Step(f"Mean of {self.columns[j]} in {state}", self._mean(gaussians, k, j))
                if family in ("full", "diag") and not self.model.m:
                    yield self._variance(gaussians, k, j, state)

    def _gaussians(self) -> GaussianStep:
        before, after = (parameters.emission.components for parameters in (self.step.before, self.step.after))
        shape, first = before.covariances.shape, self.step.first_sum
        others = None if self.step.others is None else parted(self.step.others[first:], shape)
        passage = self.step.passage
        gamma = np.zeros((0, shape[0])) if passage is None else passage.gamma
        rows = _expected_rows(self.step.values, gamma, before)
        weight = np.full(len(gamma), self.step.weight)
        names = tuple(self.columns)
        means = after.means
        return GaussianStep(rows, weight, others, before.means, means, names, "γ", "t", "state", "step")

    def _mean(self, gaussians: GaussianStep, k: int, j: int) -> Equation:
        d = len(self.columns)
        of = self.step.tie("means_", k, j) or self.step.path(self.step.first_sum + k * d + j)
        plain = gaussians.mean(k, j, () if self.model.m else of)
        if not self.model.m:
            return plain
        right = plain.right[0].removesuffix(f" / n[{k}]")
        values = {**(plain.values or {}), "m": float(self.model.m), "μ_0": float(self.model.overall_mean_[j])}
        where = {**plain.where, "m": "what the prior counts as", "μ_0": "the mean of all steps"}
        return Equation(plain.left, f"({right} + m * μ_0) / (n[{k}] + m)", values, of, where, plain.rest)

    def _variance(self, gaussians: GaussianStep, k: int, j: int, state: str) -> Step:
        title, full = f"Variance of {self.columns[j]} in {state}", self.model.covariance_type == "full"
        d, after = len(self.columns), self.step.after.emission.components
        if _on_floor(after, k, self.model.floor_):
            return Step(title, note="It is held at the floor of reg_covar in some direction.")
        inside = (k * d + j) * d + j if full else k * d + j
        of = self.step.tie("covariances_", *((k, j, j) if full else (k, j)))
        of = of or self.step.path(self.step.first_sum + after.means.size + inside)
        return Step(title, gaussians.covariance(f"{gaussians.symbol('σ', k, j)}**2", k, j, j, of))


class RateStep(EmissionStep):
    """Mean counts."""

    def steps(self) -> Iterator[Step]:
        """The rates."""
        size, m, first = self.step.after.emission.rate.size, float(self.model.m), self.step.first_sum
        visits, totals = self.step.counts[first:].reshape(2, -1, len(self.columns))
        for k, state in enumerate(self.states):
            for j in self.shown(len(self.columns), COLUMNS):
                w, place = (
                    f"{word(state)}, {j + 1}" if len(self.columns) > 1 else word(state),
                    k * len(self.columns) + j,
                )
                equations = []
                if self.step.passage is not None:
                    known = ~np.isnan(self.step.values[:, j])
                    counts = {str(t + 1): float(self.step.values[t, j]) for t in np.flatnonzero(known)}
                    share, times = {f"γ[t, {word(state)}]": self.shares(k, known)}, self.step.times
                    body = f"{times}γ[t, {word(state)}]"
                    values, of = {**share, **self.step.weights}, self.step.tie("emission_counts_", 0, k, j)
                    equations.append(
                        Equation(f"n[{w}]", f"sum({body} for t in _)", values, of, rest=self.others(place))
                    )
                    of = self.step.tie("emission_counts_", 1, k, j)
                    equations.append(
                        Equation(f"S[{w}]", f"sum({body} * x[t] for t in _)", {**values, "x[t]": counts}, of,
                                 rest=self.others(size + place))
                    )  # fmt: skip
                of = self.step.tie("rates_", k, j) or self.step.path(first + place)
                title = f"Rate of {self.columns[j]} in {state}"
                values = {f"S[{w}]": totals[k, j], f"n[{w}]": visits[k, j]}
                if visits[k, j] + m == 0.0:
                    note = "The state was never visited, so it has the rate of all."
                    yield Step(title, tuple(equations), note=note)
                    continue
                right, where = f"S[{w}] / n[{w}]", {f"S[{w}]": "expected sum of counts", f"n[{w}]": "expected steps"}
                if m:
                    values |= {"m": m, "λ_0": float(totals[:, j].sum() / visits[:, j].sum())}
                    right = f"(S[{w}] + m * λ_0) / (n[{w}] + m)"
                    where |= {"λ_0": "the rate of all steps", "m": "what the prior counts as"}
                yield Step(title, (*equations, Equation(f"λ[{w}]", right, values, of, where)))


def _on_floor(components: GaussianComponents, k: int, floor: Floats) -> bool:
    """Whether a covariance is held at the floor in some direction."""
    from novacula.mixture.gaussian.covariance import CovarianceFamily

    return CovarianceFamily("diag" if components.diagonal else "full", None, floor).on_floor(components.covariances[k])


def _expected_rows(values: Floats, gamma: Floats, components: GaussianComponents) -> RowShares:
    """What the steps of a sequence are expected to hold in each state, where some of it is missing."""
    k, d = components.means.shape
    x = np.repeat(values[: len(gamma), None], k, axis=1)
    spread = np.zeros((len(x), k, components.covariances.shape[1], d))
    for t in np.flatnonzero(np.isnan(values[: len(gamma)]).any(axis=1)):
        known = ~np.isnan(values[t])
        if not known.any():
            x[t] = components.means
            spread[t] = components.covariances
            continue
        slope, left = MixtureDensity.of(components).regression(known)
        gap = values[t, known] - components.means[:, known]
        x[t][:, ~known] = components.means[:, ~known] + np.einsum("kmo,ko->km", slope, gap)
        if components.diagonal:
            spread[t][:, :, ~known] = components.covariances[:, :, ~known]
        else:
            spread[t][np.ix_(np.arange(k), ~known, ~known)] = left
    return RowShares(gamma, x, spread)
