"""Counts of events by a rate: P(x|t) = λ_t^x e^(−λ_t) / x!, with λ_t = (Σx + m·λ₀) / (n_t + m), λ₀ the rate of all."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from novacula.bayes.distributions.bag import bag_totals
from novacula.bayes.distributions.base import Group, PartFacts, Smoothing
from novacula.bayes.distributions.numeric import WRITTEN, NumericPart
from novacula.errors import DataError
from novacula.learner.work import Step
from novacula.mathematics import Equation, word
from novacula.state import State, floats, record
from novacula.statistics import ClassTotals
from novacula.table.chunk import Chunk, Floats

MOST_FACTORIAL = 170.0
"""The largest number whose factorial can be held."""


@dataclass(frozen=True, slots=True, eq=False)
class PoissonPart(NumericPart):
    """A rate for each class and column; `m` counts as that many rows at the rate of all classes together."""

    name: ClassVar[str] = "poisson"

    state: ClassVar[State] = {
        "group": record(Group, columns="columns"),
        "rate": floats("classes", "columns", least=0.0),
    }

    group: Group
    rate: Floats  # (K, d)

    def fits(self, statistic: Any) -> bool:
        """Sums per class and column."""
        return isinstance(statistic, ClassTotals) and statistic.total.shape == self.rate.shape

    @property
    def n_classes(self) -> int:
        """Rows of the table of rates."""
        return len(self.rate)

    @property
    def n_parameters(self) -> int:
        """A rate for each class and column."""
        return self.rate.size

    @staticmethod
    def observe(chunk: Chunk, group: Group, n_classes: int) -> ClassTotals:
        """Sums per class."""
        return ClassTotals.observe_numeric(chunk, n_classes, group.places)

    @classmethod
    def solve(cls, statistic: ClassTotals, group: Group, smoothing: Smoothing) -> Self:
        """The rates, drawn towards the rate of all rows by m."""
        total, _ = bag_totals(statistic, group)
        overall = overall_rate(statistic)
        m = smoothing.pseudo_count(1)
        rows = statistic.known + m
        with np.errstate(over="ignore"):  # a rate that overflows is refused
            rate = np.divide(total + m * overall, rows, out=np.tile(overall, (len(total), 1)), where=rows > 0)
        if not np.isfinite(rate).all():
            name = group.names[int(np.argwhere(~np.isfinite(rate))[0, 1])]
            raise DataError(f"column {name!r} holds counts whose mean overflows: scale it")
        return cls(group, rate)

    def score(self, chunk: Chunk, out: Floats) -> None:
        """Add the log-probabilities, −∞ of a count below 0."""
        from scipy.special import gammaln, xlogy

        x = self.group.numeric(chunk).numeric
        shared = gammaln(x + 1.0)
        for k, rate in enumerate(self.rate):
            out[:, k] += np.nansum(np.where(x < 0.0, -np.inf, xlogy(x, rate) - rate - shared), axis=1)

    def steps(self, facts: PartFacts) -> list[Step]:
        """Rates as a table; the first, or all, written out."""
        m = facts.smoothing.pseudo_count(1)
        equations = [
            equation
            for k, j in self.shown_cells(facts, facts.statistic.known + m > 0)
            for equation in self._rate(facts, k, j, m)
        ]
        table = self.table_by_class(self.rate, facts.classes)
        return [Step("Rate of each count in each class", tuple(equations), table=table)]

    def _rate(self, facts: PartFacts, k: int, j: int, m: float) -> tuple[Equation, ...]:
        """The rate of all rows, and that of the class, which is drawn towards it."""
        statistic, at, column = facts.statistic, self.at(j, facts.classes[k]), self.group.places[j] + 1
        name, class_ = self.group.names[j], facts.classes[k]
        overall, known = f"λ[{column}]", statistic.known[:, j]
        sums = {f"S[{column}, t]": statistic.total[:, j], f"n[{column}, t]": known}
        of_all = Equation(overall, f"sum(S[{column}, t] for t in _) / sum(n[{column}, t] for t in _)", sums)
        of_class = Equation(
            f"λ{at}",
            f"(S{at} + m * {overall}) / (n{at} + m)",
            {f"S{at}": statistic.total[k, j], "m": m, overall: overall_rate(statistic)[j], f"n{at}": known[k]},
            of=(*facts.path, "rate", k, j),
            where={f"S{at}": f"{name}, added up in class {class_}", f"n{at}": f"known values in class {class_}"},
        )
        return (of_all, of_class) if known.sum() > 0 else (of_class,)

    def log_factor(self, k: int, j: int, x: float) -> float:
        """The logarithm of the probability of the count x, −∞ below 0."""
        from scipy.special import gammaln, xlogy

        if x < 0.0:
            return -math.inf
        rate = float(self.rate[k, j])
        return float(xlogy(x, rate) - rate - gammaln(x + 1.0))

    def factor(self, facts: PartFacts, k: int, j: int, x: float) -> Equation:
        """The probability of the count x."""
        at, value = self.at(j, facts.classes[k]), self.value_name(j)
        return Equation(
            f"P({value} | {word(facts.classes[k])})",
            f"λ{at} ** {value} * exp(-λ{at}) / factorial({value})",
            {value: x, f"λ{at}": self.rate[k, j]},
            where=self.meaning(j, k),
        )

    def is_moderate(self, k: int, j: int, x: float) -> bool:
        """Whether the power and the factorial can be held."""
        rate = float(self.rate[k, j])
        return 0 <= x <= MOST_FACTORIAL and rate < WRITTEN and (rate == 0 or abs(x * math.log(rate)) < WRITTEN)


def overall_rate(statistic: ClassTotals) -> Floats:
    """The rate of each column over all classes."""
    known = statistic.known.sum(axis=0)
    return np.divide(statistic.total.sum(axis=0), known, out=np.zeros_like(known), where=known > 0)
