"""Categories by the m-estimate: P(x|t) = (n_xt + m·p) / (n_t + m)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from novacula.bayes.distributions.base import ClassFactor, DistributionPart, Group, Smoothing, conditional
from novacula.learner.worded_step import WordedStep as Step
from novacula.learner.work import Cell, WorkTable
from novacula.state import State, offsets, probabilities, record
from novacula.statistics import Contingency
from novacula.table.chunk import Chunk, Floats
from novacula.table.schema import Kind

Arithmetic: TypeAlias = tuple[str, dict[str, float]]
"""An expression, and what its names stand for."""

_SHOWN = 6  # columns whose estimates are written out in full


@dataclass(frozen=True, slots=True, eq=False)
class CategoricalPart(DistributionPart):
    """A probability for each class, column and category."""

    name: ClassVar[str] = "categorical"
    kinds: ClassVar[tuple[Kind, ...]] = ("categorical",)

    state: ClassVar[State] = {
        "group": record(Group, columns="columns"),
        "prob": probabilities("classes", "entries", whole=False),
        "offsets": offsets("columns+1", "entries"),
    }

    group: Group
    prob: Floats  # (K, Σc), columns side by side
    offsets: npt.NDArray[np.int64]  # (d + 1,)

    def fits(self, statistic: Any) -> bool:
        """Columns side by side, each as wide as its categories."""
        ends = np.cumsum([0, *map(len, self.group.categories)])
        counted = isinstance(statistic, Contingency) and statistic.counts.shape == self.prob.shape
        return counted and np.array_equal(self.offsets, ends) and np.array_equal(statistic.offsets, ends)

    @property
    def n_classes(self) -> int:
        """Rows of the table of probabilities."""
        return len(self.prob)

    @property
    def n_parameters(self) -> int:
        """For each class and column one less than there are categories."""
        return len(self.prob) * int(np.maximum(np.diff(self.offsets) - 1, 0).sum())

    @staticmethod
    def observe(chunk: Chunk, group: Group, n_classes: int) -> Contingency:
        """Count the categories of each column in each class."""
        return Contingency.observe(group.categorical(chunk), n_classes, tuple(map(len, group.categories)))

    @classmethod
    def solve(cls, statistic: Contingency, group: Group, smoothing: Smoothing) -> Self:
        """The m-estimate of each probability; missing values are in neither count."""
        prob = np.empty_like(statistic.counts)
        for j in range(len(group.names)):
            held = slice(statistic.offsets[j], statistic.offsets[j + 1])
            counts = statistic.column(j)
            m, p = pseudo(counts, smoothing)
            total = counts.sum(axis=1, keepdims=True) + m
            # A class without a known value in this column, and m = 0: the column says nothing about it.
            even = np.full_like(counts, 1.0 / max(counts.shape[1], 1))
            prob[:, held] = np.divide(counts + m * p, total, out=even, where=total > 0)
        return cls(group, prob, statistic.offsets)

    def score(self, chunk: Chunk, out: Floats) -> None:
        """Add the log-probabilities of the categories."""
        from novacula.bayes._kernels import category_scores

        with np.errstate(divide="ignore"):
            log_prob = np.log(np.ascontiguousarray(self.prob.T))
        category_scores(self.group.categorical(chunk).codes, self.offsets, log_prob, out)

    def steps(
        self, statistic: Contingency, classes: list[str], smoothing: Smoothing, path: tuple[str | int, ...]
    ) -> list[Step]:
        """A table of estimates per column, and the first estimate of each written out."""
        found = []
        for j, name in enumerate(self.group.names[:_SHOWN]):
            values = self.group.categories[j]
            rows: list[tuple[Cell, ...]] = [
                (str(value), *(float(self.prob[k, self.offsets[j] + v]) for k in range(len(classes))))
                for v, value in enumerate(values)
            ]
            expression, numbers = estimate(statistic.column(j), smoothing, 0, 0, "")
            found.append(
                Step(
                    f"{name}: how often each value occurs in each class",
                    formula="P(x|t) = (n_xt + m·p) / (n_t + m)",
                    expression=expression,
                    values=numbers,
                    result=float(self.prob[0, self.offsets[j]]),
                    of=(*path, "prob", 0, int(self.offsets[j])),
                    table=WorkTable((name, *classes), tuple(rows)),
                    note=f"Written out: {conditional(name, values[0], classes[0])}.",
                )
            )
        return found

    def factors(
        self, chunk: Chunk, statistic: Contingency, smoothing: Smoothing, k: int, mark: str
    ) -> list[ClassFactor]:
        """A factor per column whose value is known."""
        found = []
        for j, code in enumerate(self.group.categorical(chunk).codes[0].tolist()):
            if code >= 0:
                value = self.group.categories[j][code]
                expression, numbers = estimate(statistic.column(j), smoothing, k, code, f"{mark}{j}")
                label = f"{self.group.names[j]} = {value}"
                found.append(ClassFactor(label, expression, numbers, float(self.prob[k, self.offsets[j] + code])))
        return found


def pseudo(counts: Any, smoothing: Smoothing) -> tuple[float, Any]:
    """m, and the prior estimate p of each value: all alike, or as often as in all classes together."""
    size = max(counts.shape[1], 1)
    m = smoothing.pseudo_count(size)
    total = counts.sum()
    if smoothing.prior_estimate == "uniform" or total == 0:
        return m, np.full(counts.shape[1], 1.0 / size)
    return m, counts.sum(axis=0) / total


def estimate(counts: Any, smoothing: Smoothing, k: int, v: int, mark: str) -> Arithmetic:
    """The m-estimate of value v in class k as arithmetic; with m = 0 it is a plain share."""
    m, p = pseudo(counts, smoothing)
    n, total = float(counts[k, v]), float(counts[k].sum())
    if total + m == 0:
        return f"1 / c{mark}", {f"c{mark}": float(counts.shape[1])}
    if m == 0:
        return f"n{mark} / N{mark}", {f"n{mark}": n, f"N{mark}": total}
    names = {f"n{mark}": n, f"m{mark}": m, f"p{mark}": float(p[v]), f"N{mark}": total}
    return f"(n{mark} + m{mark} * p{mark}) / (N{mark} + m{mark})", names
