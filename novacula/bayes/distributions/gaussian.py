"""Numbers by a normal density: P(x|t) = exp(−(x − μ_t)² / 2σ²_t) / √(2πσ²_t)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from novacula.bayes.distributions.base import Group, PartFacts, Smoothing
from novacula.bayes.distributions.numeric import LARGEST, SHOWN_COLUMNS, NumericPart
from novacula.errors import DataError, overflow
from novacula.learner.work import Cell, Step, WorkTable
from novacula.mathematics import Equation, word
from novacula.state import State, floats, record
from novacula.statistics import ClassMoments
from novacula.table.chunk import Chunk, Floats

LEAST = float(np.finfo(np.float64).tiny)
"""The smallest variance, whose inverse is still finite."""


@dataclass(frozen=True, slots=True, eq=False)
class GaussianPart(NumericPart):
    """A mean and a variance for each class and column."""

    name: ClassVar[str] = "gaussian"

    state: ClassVar[State] = {
        "group": record(Group, columns="columns"),
        "mean": floats("classes", "columns"),
        "var": floats("classes", "columns", least=LEAST),
    }

    group: Group
    mean: Floats  # (K, d)
    var: Floats  # (K, d)

    def fits(self, statistic: Any) -> bool:
        """Moments per class and column."""
        return isinstance(statistic, ClassMoments) and statistic.weight.shape == self.mean.shape

    @property
    def n_classes(self) -> int:
        """Rows of the table of means."""
        return len(self.mean)

    @property
    def n_parameters(self) -> int:
        """A mean and a variance for each class and column."""
        return self.mean.size + self.var.size

    @staticmethod
    def observe(chunk: Chunk, group: Group, n_classes: int) -> ClassMoments:
        """Moments of each column in each class."""
        return ClassMoments.observe(group.numeric(chunk), n_classes)

    @classmethod
    def solve(cls, statistic: ClassMoments, group: Group, smoothing: Smoothing) -> Self:
        """Maximum likelihood, and every variance raised by a share of the largest variance of any column.

        A class without a known value in a column takes the moments of all classes there.
        """
        require_finite(statistic, group)
        pooled_mean, pooled_var = pooled_moments(statistic)
        known = statistic.weight > 0
        mean = np.where(known, statistic.mean, pooled_mean)
        var = np.divide(statistic.ssd, statistic.weight, out=np.zeros_like(mean), where=known)
        var = np.where(known, var, pooled_var) + variance_floor(pooled_var, smoothing)
        flat = ~(var > 0)
        require_finite(replace(statistic, ssd=var), group)
        if flat.any():
            name = group.names[int(np.argwhere(flat)[0, 1])]
            raise DataError(f"column {name!r} does not vary within a class: set var_smoothing above 0")
        return cls(group, mean, np.maximum(var, LEAST))

    def score(self, chunk: Chunk, out: Floats) -> None:
        """Add the log-densities."""
        from novacula.bayes._kernels import gaussian_scores

        constant = -0.5 * np.log(2.0 * np.pi * self.var)
        gaussian_scores(self.group.numeric(chunk).numeric, self.mean, 0.5 / self.var, constant, out)

    def steps(self, facts: PartFacts) -> list[Step]:
        """Means and variances as a table; one variance, or all, written out."""
        statistic = facts.statistic
        rows: list[tuple[Cell, ...]] = [
            (name, class_, float(self.mean[k, j]), float(self.var[k, j]))
            for j, name in enumerate(self.group.names[:SHOWN_COLUMNS])
            for k, class_ in enumerate(facts.classes[: facts.n_shown])
        ]
        table = WorkTable(("column", "class", "mean ⟦μ⟧", "variance ⟦σ**2⟧"), tuple(rows), self.left_out_columns)
        pooled = pooled_moments(statistic)[1]
        floor = float(variance_floor(pooled, facts.smoothing))
        cells = self.shown_cells(facts, (statistic.weight > 0) & (self.var > LEAST))
        varies = pooled.max(initial=0.0) > 0
        raised = Equation(
            "ε",
            "s * max(V[j] for j in _)" if varies else "s",
            {"s": facts.smoothing.var_smoothing} | ({"V[j]": pooled} if varies else {}),
            where={"s": "var_smoothing"} | ({"V[j]": "variances of the columns"} if varies else {}),
        )
        equations = [self._variance(facts, k, j, floor) for k, j in cells]
        return [Step("Mean and variance of each number in each class", (raised, *equations), table=table)]

    def _variance(self, facts: PartFacts, k: int, j: int, floor: float) -> Equation:
        at, statistic = self.at(j, facts.classes[k]), facts.statistic
        words = f"of {self.group.names[j]} in class {facts.classes[k]}"
        return Equation(
            f"σ{at} ** 2",
            f"Q{at} / n{at} + ε",
            {f"Q{at}": statistic.ssd[k, j], f"n{at}": statistic.weight[k, j], "ε": floor},
            of=(*facts.path, "var", k, j),
            where={f"Q{at}": f"the squared deviations {words}, added up", f"n{at}": f"known values {words}"},
        )

    def log_factor(self, k: int, j: int, x: float) -> float:
        """The logarithm of the density at x."""
        var = float(self.var[k, j])
        deviation = (x - float(self.mean[k, j])) / math.sqrt(var)  # whose square may be infinite
        return -0.5 * (deviation * deviation + math.log(2.0 * math.pi) + math.log(var))

    def factor(self, facts: PartFacts, k: int, j: int, x: float) -> Equation:
        """The density at x."""
        at, value = self.at(j, facts.classes[k]), self.value_name(j)
        return Equation(
            f"P({value} | {word(facts.classes[k])})",
            f"1 / sqrt(2 * π * σ{at} ** 2) * exp(-({value} - μ{at}) ** 2 / (2 * σ{at} ** 2))",
            {value: x, f"μ{at}": self.mean[k, j], f"σ{at} ** 2": self.var[k, j]},
            where=self.meaning(j, k),
        )

    def is_moderate(self, k: int, j: int, x: float) -> bool:
        """Whether the square of the distance from the mean, and the variance, can be held."""
        var = float(self.var[k, j])
        return abs(x) < LARGEST and abs(float(self.mean[k, j])) < LARGEST and 1.0 / LARGEST < var < LARGEST


def pooled_moments(statistic: ClassMoments) -> tuple[Floats, Floats]:
    """Mean and variance of each column over all classes."""
    total = statistic.weight.sum(axis=0)
    some = total > 0
    mean = np.divide((statistic.weight * statistic.mean).sum(axis=0), total, out=np.zeros_like(total), where=some)
    ssd = (statistic.ssd + statistic.weight * (statistic.mean - mean) ** 2).sum(axis=0)
    return mean, np.divide(ssd, total, out=np.zeros_like(total), where=some)


def variance_floor(pooled_var: Floats, smoothing: Smoothing) -> float:
    """What every variance is raised by; where no column varies at all, `var_smoothing` itself."""
    largest = float(pooled_var.max(initial=0.0))
    return smoothing.var_smoothing * (largest if largest > 0 else 1.0)


def require_finite(statistic: ClassMoments, group: Group) -> None:
    """Refuse numbers whose squares are infinite."""
    wrong = ~np.isfinite(statistic.mean) | ~np.isfinite(statistic.ssd)
    if wrong.any():
        raise overflow(group.names[int(np.argwhere(wrong)[0, 1])])
