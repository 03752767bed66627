"""Numbers by a kernel density: P(x|t) = Σ_i w_i N(x; x_i, h_t²), h_t = 0.9·min(σ_t, IQR_t / 1.34)·n_t^(−1/5).

The rows are kept as a sketch of weighted points: exact up to 8192 distinct values per class and column, and beyond that
values that share a bucket (see `QuantileSketch`) are placed in its middle. So the density streams, and the sum is
over points rather than rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from novacula.bayes.distributions.base import ClassFactor, Group, Smoothing
from novacula.bayes.distributions.numeric import NumericPart
from novacula.learner.worded_step import WordedStep as Step
from novacula.state import State, floats, offsets, record
from novacula.statistics import QuantileSketch
from novacula.table.chunk import Chunk, Floats

LEAST = float(np.finfo(np.float64).tiny)
"""The smallest width, by which a number can still be divided."""


@dataclass(frozen=True, slots=True, eq=False)
class KernelPart(NumericPart):
    """Weighted points and a width for each class and column; cells lie side by side, class by class."""

    name: ClassVar[str] = "kernel"

    state: ClassVar[State] = {
        "group": record(Group, columns="columns"),
        "width": floats("classes", "columns", least=LEAST),
        "offsets": offsets("cells+1", "values"),
        "points": floats("values"),
        "weight": floats("values", least=0.0),
    }

    group: Group
    width: Floats  # (K, d)
    offsets: npt.NDArray[np.int64]  # (K·d + 1,)
    points: Floats  # (offsets[-1],)
    weight: Floats  # (offsets[-1],), summing to 1 within a cell

    def fits(self, statistic: Any) -> bool:
        """A run of points for each class and column, none of them empty, and a sketch of as many cells."""
        runs = len(self.offsets) == self.width.size + 1 and bool((np.diff(self.offsets) > 0).all())
        sketched = isinstance(statistic, QuantileSketch) and statistic.level.shape == self.width.shape
        # A sketch keeps values of rows that count, so their weights are above 0, and means can be taken.
        return (
            runs
            and sketched
            and len(statistic.offsets) == statistic.level.size + 1
            and bool((statistic.weight > 0.0).all())
        )

    @property
    def n_classes(self) -> int:
        """Rows of the table of widths."""
        return len(self.width)

    @property
    def n_parameters(self) -> int:
        """The points, and a width for each class and column."""
        return self.points.size + self.width.size

    @staticmethod
    def observe(chunk: Chunk, group: Group, n_classes: int) -> QuantileSketch:
        """Weighted points per class and column."""
        return QuantileSketch.observe(chunk, n_classes, group.places)

    @classmethod
    def solve(cls, statistic: QuantileSketch, group: Group, smoothing: Smoothing) -> Self:
        """Silverman's width; a cell without spread takes a share of the column's largest width.

        A class without a known value in a column takes the points of all classes there.
        """
        shape = statistic.level.shape
        cells = [statistic.points(k, j) for k, j in np.ndindex(shape)]
        for k, j in np.ndindex(shape):
            if not len(cells[k * shape[1] + j][0]):
                others = [cells[c * shape[1] + j] for c in range(shape[0])]
                values, weights = (np.concatenate(parts) for parts in zip(*others, strict=True))
                cells[k * shape[1] + j] = (values, weights) if len(values) else (np.zeros(1), np.ones(1))
        width = np.array([silverman(*cell) for cell in cells]).reshape(shape)
        least = np.maximum(width.max(axis=0), 1.0) * max(smoothing.var_smoothing, 1e-12) ** 0.5
        sizes = np.cumsum([0, *(len(values) for values, _ in cells)]).astype(np.int64)
        weight = np.concatenate([weights / weights.sum() for _, weights in cells])
        return cls(group, np.maximum(width, least), sizes, np.concatenate([v for v, _ in cells]), weight)

    def score(self, chunk: Chunk, out: Floats) -> None:
        """Add the log-densities."""
        from novacula.bayes._kernels import kernel_scores

        x = self.group.numeric(chunk).numeric
        with np.errstate(divide="ignore"):
            log_weight = np.log(self.weight)
        for k, j in np.ndindex(self.width.shape):
            cell = self._cell(k, j)
            scores = np.zeros(len(x))
            column = np.ascontiguousarray(x[:, j])
            kernel_scores(column, self.points[cell], log_weight[cell], float(self.width[k, j]), scores)
            out[:, k] += scores

    def _cell(self, k: int, j: int) -> slice:
        at = k * self.width.shape[1] + j
        return slice(self.offsets[at], self.offsets[at + 1])

    def steps(
        self,
        statistic: QuantileSketch,
        classes: list[str],
        smoothing: Smoothing,
        path: tuple[str | int, ...],
    ) -> list[Step]:
        """Widths as a table."""
        return [
            Step(
                "Width of the kernels of each number in each class",
                formula="h = 0.9 · min(σ, IQR / 1.34) · n^(−1/5)",
                table=self.table_by_class(self.width, classes),
            )
        ]

    def factor(self, k: int, j: int, x: float, mark: str) -> ClassFactor:
        """The density at x, whose sum over points is one number here."""
        cell, h = self._cell(k, j), float(self.width[k, j])
        total = float((self.weight[cell] * np.exp(-0.5 * ((x - self.points[cell]) / h) ** 2)).sum())
        numbers = {f"s{mark}": total, f"h{mark}": h, f"pi{mark}": math.pi}
        value = total / (h * math.sqrt(2 * math.pi))
        return ClassFactor(
            f"{self.group.names[j]} = {x:g}", f"s{mark} / (h{mark} * sqrt(2 * pi{mark}))", numbers, value
        )


def silverman(values: Floats, weights: Floats) -> float:
    """Silverman's rule of thumb for weighted points, weights being repetitions."""
    n = float(weights.sum())
    mean = float(np.average(values, weights=weights))
    sd = math.sqrt(float(np.average((values - mean) ** 2, weights=weights)))
    rising = np.argsort(values, kind="stable")
    quarter, three = np.searchsorted(np.cumsum(weights[rising]), [0.25 * n, 0.75 * n]).clip(max=len(values) - 1)
    spread = float(values[rising[three]] - values[rising[quarter]]) / 1.34
    return 0.9 * (min(sd, spread) if spread > 0 else sd) * n ** (-0.2)
