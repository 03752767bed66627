"""Counts of events by a rate: P(x|t) = λ_t^x e^(−λ_t) / x!, with λ_t = (Σx + m·λ₀) / (n_t + m), λ₀ the rate of all."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from novacula.bayes.distributions.base import ClassFactor, Group, Smoothing
from novacula.bayes.distributions.counts import bag_totals
from novacula.bayes.distributions.numeric import NumericPart
from novacula.errors import DataError
from novacula.learner.worded_step import WordedStep as Step
from novacula.state import State, floats, record
from novacula.statistics import ClassTotals
from novacula.table.chunk import Chunk, Floats


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

    def steps(
        self, statistic: ClassTotals, classes: list[str], smoothing: Smoothing, path: tuple[str | int, ...]
    ) -> list[Step]:
        """Rates as a table, and the first one written out."""
        m = smoothing.pseudo_count(1)
        numbers = {
            "s": statistic.total[0, 0],
            "m": m,
            "r": overall_rate(statistic)[0],
            "n": statistic.known[0, 0],
        }
        written = numbers["n"] + m > 0
        return [
            Step(
                "Rate of each count in each class",
                formula="λ_t = (Σx + m·λ₀) / (n_t + m)",
                expression="(s + m * r) / (n + m)" if written else "",
                values=numbers if written else {},
                result=float(self.rate[0, 0]) if written else None,
                of=(*path, "rate", 0, 0) if written else (),
                table=self.table_by_class(self.rate, classes),
                note=f"Written out: {self.group.names[0]} in class {classes[0]}.",
            )
        ]

    def factor(self, k: int, j: int, x: float, mark: str) -> ClassFactor:
        """The probability of the count x, which none below 0 has."""
        rate = float(self.rate[k, j])
        factorial = math.gamma(x + 1.0) if 0 <= x < 170 else math.inf
        value = math.exp(math.log(rate) * x - rate - math.lgamma(x + 1.0)) if rate > 0 and x >= 0 else float(x == 0)
        numbers = {f"r{mark}": rate, f"x{mark}": x, f"f{mark}": factorial}
        expression = f"r{mark} ** x{mark} * exp(-r{mark}) / f{mark}"
        return ClassFactor(f"{self.group.names[j]} = {x:g}", expression, numbers, value)


def overall_rate(statistic: ClassTotals) -> Floats:
    """The rate of each column over all classes."""
    known = statistic.known.sum(axis=0)
    return np.divide(statistic.total.sum(axis=0), known, out=np.zeros_like(known), where=known > 0)
