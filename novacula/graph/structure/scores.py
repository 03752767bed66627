"""How well a graph explains rows: a sum of one score per family, so that a change of an edge changes one or two terms.

    log_likelihood  Σ n_xu ln(n_xu / n_u)                      aic  ln L − k        bic  ln L − (k/2) ln N
    bdeu            Σ_u ln Γ(α/q) / Γ(α/q + n_u) + Σ_x ln Γ(α/qr + n_xu) / Γ(α/qr)

k counts a family's parameters. All scores are logarithms: higher is better. A continuous family has the likelihood
of its regression.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args

import numpy as np
from scipy.special import gammaln, xlogy

from novacula.errors import DataError, ParameterError
from novacula.graph.learning.estimates import solve_lines
from novacula.graph.learning.family_counts import FamilyCounts, GroupMoments
from novacula.graph.learning.family_layout import FamilyLayout, FamilyName
from novacula.graph.variables import Cells, Variables
from novacula.learner.information_criteria import aic, bic
from novacula.table import Table
from novacula.table.chunk import Floats

Score: TypeAlias = Literal["log_likelihood", "bic", "aic", "bdeu"]

BATCH = 2**22
"""Entries of families' tables that are counted in one pass."""
LARGEST = 2**20
"""Entries of a candidate's table: a larger one is not considered."""


def table_score(counts: Floats, score: str, n: float, sample_size: float) -> float:
    """The score of a discrete family with these counts (…, r), of n rows in all."""
    r = counts.shape[-1]
    counts = counts.reshape(-1, r)
    total = counts.sum(axis=1)
    if score == "bdeu":
        row, cell = sample_size / len(counts), sample_size / counts.size
        rows = gammaln(row) - gammaln(row + total)
        return float(rows.sum() + (gammaln(cell + counts) - gammaln(cell)).sum())
    likelihood = float(xlogy(counts, counts).sum() - xlogy(total, total).sum())
    return likelihood - penalty(score, len(counts) * (r - 1), n)


def line_score(moments: GroupMoments, floor: float, score: str, n: float) -> float:
    """The score of a continuous family with these moments, whose variance is at least `floor`."""
    q, p = moments.mean.shape
    _, weights, variance = solve_lines(moments, floor)
    spread = moments.squares(weights) / variance
    likelihood = float(-0.5 * (moments.weight * np.log(2.0 * np.pi * variance) + spread).sum())
    return likelihood - penalty(score, q * (p + 1), n)


def penalty(score: str, parameters: int, n: float) -> float:
    """What a score takes off the log-likelihood for its parameters."""
    return {"log_likelihood": 0.0, "aic": 0.5 * aic(0.0, parameters), "bic": 0.5 * bic(0.0, parameters, n)}[score]


def table_size(family: FamilyName, variables: Variables) -> int:
    """Entries of a family's table."""
    node, parents = family
    return math.prod(len(variables.states[name]) for name in (node, *parents) if name in variables.states)


def batches(families: Iterable[FamilyName], variables: Variables) -> Iterator[list[FamilyName]]:
    """Families in groups, each small enough to be counted in one pass."""
    batch: list[FamilyName] = []
    entries = 0
    for family in families:
        size = table_size(family, variables)
        if batch and entries + size > BATCH:
            yield batch
            batch, entries = [], 0
        batch.append(family)
        entries += size
    if batch:
        yield batch


@dataclass
class FamilyScores:
    """Scores of families, each counted once; `need` counts all that are new in as few passes as memory allows."""

    table: Table
    variables: Variables
    score: str
    sample_size: float = 10.0
    var_smoothing: float = 1e-9
    scores: dict[tuple[str, frozenset[str]], float] = field(default_factory=dict)
    n: float = 0.0

    def __post_init__(self) -> None:
        if self.score not in get_args(Score):
            raise ParameterError(f"score is {self.score!r}; it must be one of {', '.join(get_args(Score))}")
        if self.score == "bdeu" and self.variables.continuous:
            raise ParameterError(
                f"bdeu scores discrete nodes only, and {self.variables.continuous[0]!r} is continuous: take bic, or "
                "cut the column into intervals"
            )
        self.cells = Cells.of(self.variables, self.table.layout)
        self.order = {name: i for i, name in enumerate(self.variables.names)}
        alone = FamilyLayout.of([(name, ()) for name in self.variables.names], self.variables)
        single_counts = self._count(alone)
        self.n, self.left_out = single_counts.weight - single_counts.incomplete, single_counts.incomplete
        if not self.n > 0.0:
            raise DataError(
                "no row knows every cell, and the search for a structure needs rows that do: drop the emptiest columns"
            )
        variance = np.array([float(m.scatter[0, 0, 0]) / self.n for m in single_counts.moments])
        self.floor = self.var_smoothing * np.where(variance > 0.0, variance, 1.0)

    def __call__(self, node: str, parents: Iterable[str]) -> float:
        """The score of a family that was needed before; −∞ of one whose table is too large."""
        return self.scores[node, frozenset(parents)]

    def need(self, families: Iterable[tuple[str, Iterable[str]]]) -> None:
        """Count the families that are not known yet."""
        new: list[FamilyName] = []
        for node, parents in dict.fromkeys((node, frozenset(parents)) for node, parents in families):
            if (node, parents) not in self.scores:
                family = node, tuple(sorted(parents, key=self.order.__getitem__))
                if table_size(family, self.variables) > LARGEST:
                    self.scores[node, parents] = -math.inf
                else:
                    new.append(family)
        for batch in batches(new, self.variables):
            self._score(batch)

    def total(self, parents: Mapping[str, Iterable[str]]) -> float:
        """The score of a whole graph."""
        self.need(parents.items())
        return sum(self(node, above) for node, above in parents.items())

    def _count(self, layout: FamilyLayout) -> FamilyCounts:
        return self.table.reduce(FamilyCounts.observe, self.cells, layout, True)

    def _score(self, families: list[FamilyName]) -> None:
        layout = FamilyLayout.of(families, self.variables)
        family_counts = self._count(layout)
        for (node, parents), sums in zip(families, layout.each(family_counts), strict=True):
            if node in self.variables.states:
                score = table_score(sums, self.score, self.n, self.sample_size)
            else:
                score = line_score(sums, self.floor[self.variables.place[node]], self.score, self.n)
            self.scores[node, frozenset(parents)] = score
