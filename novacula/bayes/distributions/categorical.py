"""Categories by the m-estimate: P(x|t) = (n_xt + m·p) / (n_t + m)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from novacula.bayes.distributions.base import (
    ClassFactor,
    DistributionPart,
    Group,
    PartFacts,
    Smoothing,
    logarithm,
)
from novacula.bayes.distributions.prior_estimate import estimate_of, stated_values
from novacula.bayes.probabilities import SUM
from novacula.learner.work import Cell, Step, WorkTable
from novacula.mathematics import Equation, word
from novacula.state import State, offsets, probabilities, record
from novacula.statistics import Contingency
from novacula.table.chunk import Chunk, Floats
from novacula.table.schema import Kind
from novacula.words import counted

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
            m, p = pseudo(counts, smoothing, group.names[j], group.categories[j])
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

    def steps(self, facts: PartFacts) -> list[Step]:
        """A table of counts and estimates per column; the first estimate, or all, written out."""
        shown = len(self.group.names) if facts.is_full else _SHOWN
        columns = [j for j in range(len(self.group.names)) if self.group.categories[j]]
        return [self._column_step(facts, j, is_first=j == columns[0]) for j in columns[:shown]]

    def _column_step(self, facts: PartFacts, j: int, is_first: bool) -> Step:
        name, values, counts = self.group.names[j], self.group.categories[j], facts.statistic.column(j)
        classes = list(enumerate(facts.classes[: facts.n_shown]))
        rows: list[tuple[Cell, ...]] = [
            (
                str(value),
                *(float(counts[k, v]) for k, _ in classes),
                *(float(self.prob[k, self.offsets[j] + v]) for k, _ in classes),
            )
            for v, value in enumerate(values)
        ]
        header = (name, *(f"⟦n⟧ in {c}" for _, c in classes), *(f"⟦P⟧ in {c}" for _, c in classes))
        written = [(k, v) for k, _ in classes for v in range(len(values))] if facts.is_full else [(0, 0)]
        equations = [self._estimate(facts, j, k, v) for k, v in written]
        if is_first:
            equations[0] = self._explained(equations[0], facts, j)
        title = f"{name}: how often each value occurs in each class"
        return Step(title, tuple(equations), table=WorkTable(header, tuple(rows)))

    def _estimate(self, facts: PartFacts, j: int, k: int, v: int) -> Equation:
        """The estimate of value v of column j in class k."""
        column, class_ = word(self.group.names[j]), word(facts.classes[k])
        event, counts = f"{column} == {word(self.group.categories[j][v])}", facts.statistic.column(j)
        total = float(counts[k].sum())
        is_known = total == facts.class_count[k]  # in every row of the class
        whole = f"n[{class_}]" if is_known else f"n[{column}, {class_}]"
        m, p = pseudo(counts, facts.smoothing, self.group.names[j], self.group.categories[j])
        of = (*facts.path, "prob", k, int(self.offsets[j]) + v) if facts.path else ()
        prior = facts.prior(column, event, self.group.names[j])
        names = ShareNames(f"n[{event}, {class_}]", whole, facts.strength(column), prior, f"c[{column}]")
        numbers = ShareNumbers(float(counts[k, v]), total, m, float(p[v]), counts.shape[1])
        return share(f"P({event} | {class_})", names, numbers, of)

    def _explained(self, equation: Equation, facts: PartFacts, j: int) -> Equation:
        """The first estimate with what its names mean."""
        column, class_ = word(self.group.names[j]), word(facts.classes[0])
        event = f"{column} == {word(self.group.categories[j][0])}"
        meanings = {
            f"n[{event}, {class_}]": f"rows of class {facts.classes[0]} with that value",
            f"n[{class_}]": f"rows of class {facts.classes[0]}",
            f"n[{column}, {class_}]": f"rows of class {facts.classes[0]} in which the value is known",
            facts.strength(column): M_WORDS,
            facts.prior(column, event, self.group.names[j]): prior_words(
                facts.smoothing, self.group.names[j], n_values=len(self.group.categories[j])
            ),
        }
        used = equation.values or {}
        return replace(equation, where={name: words for name, words in meanings.items() if name in used})

    def factors(self, chunk: Chunk, facts: PartFacts, k: int) -> list[ClassFactor]:
        """A factor per column whose value is known."""
        found = []
        for j, code in enumerate(self.group.categorical(chunk).codes[0].tolist()):
            if code >= 0:
                label = f"{self.group.names[j]} = {self.group.categories[j][code]}"
                log = logarithm(float(self.prob[k, self.offsets[j] + code]))
                found.append(
                    ClassFactor(label, log, partial(self._estimate, facts, j, k, code), is_share=facts.has_plain_shares)
                )
        return found


class ShareNames(NamedTuple):
    """How the parts of an m-estimate are written: the count, the count of all, m, p, and the number of values."""

    found: str
    total: str
    m: str
    p: str
    values: str


class ShareNumbers(NamedTuple):
    """The parts of an m-estimate."""

    found: float
    total: float
    m: float
    p: float
    values: int


def pseudo(
    counts: Any, smoothing: Smoothing, column: str | None = None, values: Sequence[Any] | None = None
) -> tuple[float, Any]:
    """m, and the prior estimate p of each value: all alike, as often as in all classes together, or as stated."""
    size = max(counts.shape[1], 1)
    m = smoothing.pseudo_count(size)
    if values is not None and (stated := stated_values(smoothing.prior_estimate, column, values)) is not None:
        return m, stated
    total = counts.sum()
    if estimate_of(smoothing.prior_estimate, column) != "empirical" or total == 0:
        return m, np.full(counts.shape[1], 1.0 / size)
    return m, counts.sum(axis=0) / total


def share(left: str, names: ShareNames, of: ShareNumbers, path: tuple[str | int, ...] = ()) -> Equation:
    """The m-estimate; with m = 0 it is a plain share, and of nothing at all every value has the same."""
    if of.total + of.m == 0.0:
        return Equation(left, f"1 / {names.values}", {names.values: of.values}, path)
    if of.m == 0.0:
        return Equation(left, f"{names.found} / {names.total}", {names.found: of.found, names.total: of.total}, path)
    values = {names.found: of.found, names.m: of.m, names.p: of.p, names.total: of.total}
    return Equation(left, f"({names.found} + {names.m} * {names.p}) / ({names.total} + {names.m})", values, path)


M_WORDS = "the weight of the prior estimate"


def prior_words(
    smoothing: Smoothing, column: str | None = None, is_share: bool = False, n_values: int | None = None
) -> str:
    """What the p of the m-estimate is; shares that sum to 1 take no single number.

    Of `n_values` a single number is said not to sum to 1 where it does not, since the estimates then do not either.
    """
    words = {"uniform": "one over the number of values", "empirical": "its share in all classes together"}
    estimate = estimate_of(smoothing.prior_estimate, column)
    known = estimate if isinstance(estimate, str) else "uniform" if is_share else ""
    told = f"the prior estimate, {words.get(known, 'as stated')}"
    if n_values is None or isinstance(estimate, (str, Mapping)) or abs(n_values * estimate - 1.0) <= SUM:
        return told
    return (
        f"{told}; of {counted(n_values, 'value')} it sums to {n_values * estimate:.6g} and not to 1, and so the "
        "probabilities of the column do not either"
    )
