"""A test at a node in numbers: the examples of each branch, and where those without a value go."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from novacula.table.chunk import Floats
from novacula.tree.criterion import Criterion
from novacula.tree.export import Condition
from novacula.tree.missing import Strategy
from novacula.tree.structure import most_frequent


@dataclass(frozen=True, eq=False)
class ExaminedSplit:
    """b branches over K classes: class weights of the examples whose value is known, and of the others."""

    conditions: tuple[Condition, ...]  # what each branch asks
    known: Floats  # (b, K)
    missing: Floats  # (K,)
    strategy: Strategy

    @property
    def total(self) -> Floats:
        """The class weights of the node (K,)."""
        return self.known.sum(axis=0) + self.missing

    @property
    def is_reduced(self) -> bool:
        """Whether the gain is that of known examples only, times their share."""
        return self.strategy.is_fractional and bool(self.missing.any())

    @cached_property
    def counts(self) -> Floats:
        """The class weights of the branches (b, K) with the examples that have no value."""
        weight = self.known.sum(axis=1)
        if self.strategy.is_fractional:
            return self.known + self.missing * (weight / weight.sum())[:, None]
        to = np.full(len(self.missing), most_frequent(weight[None, :])[0])
        if self.strategy.name == "most_common_in_class":
            to = np.where(self.known.any(axis=0), most_frequent(self.known.T), to)
        joined = self.known.copy()
        joined[to, np.arange(len(to))] += self.missing
        return joined

    @property
    def judged(self) -> Floats:
        """The class weights of branches (b, K) by which the test is judged."""
        return self.known if self.strategy.is_fractional else self.counts

    @property
    def start(self) -> Floats:
        """The class weights (K,) that the test divides: of known examples, or of all if the others join a branch."""
        return self.judged.sum(axis=0)

    def gain(self, criterion: Criterion) -> float:
        """What the test gains, before anything is paid for its threshold."""
        spread = self.judged.sum(axis=1) @ criterion.impurities(self.judged)
        return float((self.start.sum() * criterion.impurities(self.start) - spread) / self.total.sum())

    @property
    def expected(self) -> Floats:
        """The class weights of branches (b, K) if the test said nothing about the class."""
        return self.counts.sum(axis=1)[:, None] * self.total / self.total.sum()

    @property
    def degrees(self) -> int:
        """Degrees of freedom of χ²."""
        return (int(self.counts.any(axis=1).sum()) - 1) * (int(self.total.astype(bool).sum()) - 1)

    @cached_property
    def deviations(self) -> Floats:
        """(observed − expected)² / expected for each branch and class (b, K): they sum to χ²."""
        squares = (self.counts - self.expected) ** 2
        return np.divide(squares, self.expected, out=np.zeros_like(squares), where=self.expected > 0)
