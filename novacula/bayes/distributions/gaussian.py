"""Numbers by a normal density: P(x|t) = exp(−(x − μ_t)² / 2σ²_t) / √(2πσ²_t)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from novacula.bayes.distributions.base import ClassFactor, Group, Smoothing
from novacula.bayes.distributions.numeric import SHOWN_COLUMNS, NumericPart
from novacula.errors import DataError, overflow
from novacula.learner.worded_step import WordedStep as Step
from novacula.learner.work import Cell, WorkTable
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

    def steps(
        self, statistic: ClassMoments, classes: list[str], smoothing: Smoothing, path: tuple[str | int, ...]
    ) -> list[Step]:
        """Means and variances as a table, and one variance written out."""
        rows: list[tuple[Cell, ...]] = [
            (name, class_, float(self.mean[k, j]), float(self.var[k, j]))
            for j, name in enumerate(self.group.names[:SHOWN_COLUMNS])
            for k, class_ in enumerate(classes)
        ]
        table = WorkTable(("column", "class", "mean", "variance"), tuple(rows), self.left_out_columns)
        title = "Mean and variance of each number in each class"
        if not statistic.weight[0, 0] > 0:
            return [Step(title, table=table)]
        floor = float(variance_floor(pooled_moments(statistic)[1], smoothing))
        return [
            Step(
                title,
                formula="σ² = Σ w (x − μ)² / Σ w + ε",
                expression="ssd / n + floor",
                values={"ssd": statistic.ssd[0, 0], "n": statistic.weight[0, 0], "floor": floor},
                labels={"floor": f"ε, {smoothing.var_smoothing:g} of the largest variance of a column"},
                result=float(self.var[0, 0]),
                of=(*path, "var", 0, 0),
                table=table,
                note=f"Written out: {self.group.names[0]} in class {classes[0]}.",
            )
        ]

    def factor(self, k: int, j: int, x: float, mark: str) -> ClassFactor:
        """The density at x."""
        mean, var = float(self.mean[k, j]), float(self.var[k, j])
        numbers = {f"x{mark}": x, f"u{mark}": mean, f"v{mark}": var, f"pi{mark}": math.pi}
        expression = f"exp(-(x{mark} - u{mark})**2 / (2 * v{mark})) / sqrt(2 * pi{mark} * v{mark})"
        deviation = (x - mean) / math.sqrt(var)  # whose square may be infinite, which ** would refuse
        value = math.exp(-0.5 * deviation * deviation) / math.sqrt(2 * math.pi) / math.sqrt(var)
        return ClassFactor(f"{self.group.names[j]} = {x:g}", expression, numbers, value)


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
