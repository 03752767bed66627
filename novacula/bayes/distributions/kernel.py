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

from novacula.bayes.distributions.base import Group, PartFacts, Smoothing
from novacula.bayes.distributions.numeric import LARGEST, NumericPart
from novacula.learner.derivation import heaviest
from novacula.learner.work import Step
from novacula.mathematics import Equation, word
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
        cells = cells_of(statistic)
        width = np.array([silverman(*cell) for cell in cells]).reshape(statistic.level.shape)
        width = np.maximum(width, least_widths(width, smoothing))
        sizes = np.cumsum([0, *(len(values) for values, _ in cells)]).astype(np.int64)
        weight = np.concatenate([weights / weights.sum() for _, weights in cells])
        return cls(group, width, sizes, np.concatenate([v for v, _ in cells]), weight)

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

    def steps(self, facts: PartFacts) -> list[Step]:
        """Widths as a table; the first, or all, written out."""
        statistic = facts.statistic
        has_points = [len(statistic.points(k, j)[0]) > 0 for k, j in np.ndindex(self.width.shape)]
        widths = np.array([silverman(*cell) for cell in cells_of(statistic)]).reshape(self.width.shape)
        least = least_widths(widths, facts.smoothing)
        written = np.reshape(has_points, self.width.shape)
        equations = tuple(self._width(facts, k, j, least[j]) for k, j in self.shown_cells(facts, written))
        title = "Width of the kernels of each number in each class"
        return [Step(title, equations, table=self.table_by_class(self.width, facts.classes))]

    def _width(self, facts: PartFacts, k: int, j: int, least: float) -> Equation:
        """Silverman's rule, and what no width is below."""
        at, class_, name = self.at(j, facts.classes[k]), facts.classes[k], self.group.names[j]
        low = f"h[{self.group.places[j] + 1}]"
        n, deviation, quartiles = spreads(*facts.statistic.points(k, j))
        spread = f"min(σ{at}, R{at} / 1.34)" if quartiles > 0 else f"σ{at}"
        values = {f"σ{at}": deviation, f"n{at}": n, low: least} | ({f"R{at}": quartiles} if quartiles > 0 else {})
        meanings = {
            f"σ{at}": f"the standard deviation of {name} in class {class_}",
            f"R{at}": f"the range of its middle half in class {class_}",
            f"n{at}": f"known values of {name} in class {class_}",
            low: f"the least width of {name}",
        }
        return Equation(
            f"h{at}",
            f"max(0.9 * {spread} * n{at} ** (-1 / 5), {low})",
            values,
            of=(*facts.path, "width", k, j),
            where={symbol: words for symbol, words in meanings.items() if symbol in values},
        )

    def log_factor(self, k: int, j: int, x: float) -> float:
        """The logarithm of the density at x."""
        from novacula.bayes._kernels import kernel_scores

        cell, score = self._cell(k, j), np.zeros(1)
        with np.errstate(divide="ignore"):
            weight = np.log(self.weight[cell])
        kernel_scores(np.array([x]), self.points[cell], weight, float(self.width[k, j]), score)
        return float(score[0])

    def factor(self, facts: PartFacts, k: int, j: int, x: float) -> Equation:
        """The density at x: a bell over each point."""
        at, value, cell = self.at(j, facts.classes[k]), self.value_name(j), self._cell(k, j)
        points, shares, h = self.points[cell], self.weight[cell], float(self.width[k, j])
        kept, rest = heaviest(shares * np.exp(-((x - points) ** 2) / (2.0 * h**2)), "i")
        weight, point = (f"{letter}[{self.group.places[j] + 1}, {word(facts.classes[k])}, i]" for letter in "wa")
        return Equation(
            f"P({value} | {word(facts.classes[k])})",
            f"sum({weight} * exp(-({value} - {point}) ** 2 / (2 * h{at} ** 2)) for i in _) / (h{at} * sqrt(2 * π))",
            {value: x, weight: shares[kept], point: points[kept], f"h{at}": h},
            where=self.meaning(j, k),
            rest=rest,
        )

    def is_moderate(self, k: int, j: int, x: float) -> bool:
        """Whether squares of distances and of the width can be held."""
        reach = float(np.abs(self.points[self._cell(k, j)]).max())
        return abs(x) < LARGEST and reach < LARGEST and 1.0 / LARGEST < float(self.width[k, j]) < LARGEST


def silverman(values: Floats, weights: Floats) -> float:
    """Silverman's rule of thumb for weighted points, weights being repetitions."""
    n, deviation, quartiles = spreads(values, weights)
    return 0.9 * (min(deviation, quartiles / 1.34) if quartiles > 0 else deviation) * n ** (-0.2)


def spreads(values: Floats, weights: Floats) -> tuple[float, float, float]:
    """The number of weighted points, their standard deviation, and the range of their middle half."""
    n = float(weights.sum())
    mean = float(np.average(values, weights=weights))
    deviation = math.sqrt(float(np.average((values - mean) ** 2, weights=weights)))
    rising = np.argsort(values, kind="stable")
    quarter, three = np.searchsorted(np.cumsum(weights[rising]), [0.25 * n, 0.75 * n]).clip(max=len(values) - 1)
    return n, deviation, float(values[rising[three]] - values[rising[quarter]])


def cells_of(statistic: QuantileSketch) -> list[tuple[Floats, Floats]]:
    """The weighted points of each class and column; a class without any takes those of all classes in the column."""
    shape = statistic.level.shape
    cells = [statistic.points(k, j) for k, j in np.ndindex(shape)]
    for k, j in np.ndindex(shape):
        if not len(cells[k * shape[1] + j][0]):
            others = [cells[c * shape[1] + j] for c in range(shape[0])]
            values, weights = (np.concatenate(parts) for parts in zip(*others, strict=True))
            cells[k * shape[1] + j] = (values, weights) if len(values) else (np.zeros(1), np.ones(1))
    return cells


def least_widths(width: Floats, smoothing: Smoothing) -> Floats:
    """What no width of a column is below (d,): a share of the largest in any class."""
    least: Floats = np.maximum(width.max(axis=0), 1.0) * max(smoothing.var_smoothing, 1e-12) ** 0.5
    return least
