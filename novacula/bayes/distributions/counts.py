"""Bags of counts: words of a message, columns of a sparse matrix, or several numeric columns taken as one bag.

multinomial   P(x|t) ∝ Π_v P(v|t)^x_v              P(v|t) = (n_vt + m·p) / (n_t + m)     n_t: all counts of t
bernoulli     P(x|t) = Π_v P(v|t) or 1 − P(v|t)     P(v|t) = (rows of t with v + m/2) / (rows of t + m)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np

from novacula.bayes.distributions.bag import Bag, bag_totals, observe_bag
from novacula.bayes.distributions.base import (
    ClassFactor,
    Group,
    PartFacts,
    Smoothing,
    logarithm,
)
from novacula.bayes.distributions.categorical import (
    ShareNumbers,
    pseudo,
)
from novacula.bayes.distributions.prior_estimate import estimate_of
from novacula.mathematics import Equation, word
from novacula.state import State, each, nullable, probabilities, record, text
from novacula.statistics import ClassTotals, Vocabulary
from novacula.table.chunk import Chunk, Floats


@dataclass(frozen=True, slots=True, eq=False)
class MultinomialPart(Bag):
    """A probability for each class and entry of the bag."""

    name: ClassVar[str] = "multinomial"
    heading: ClassVar[str] = "Share of all counts of a class that belongs to"
    counted: ClassVar[str] = "how often it was counted in rows"
    of_rows: ClassVar[bool] = False

    state: ClassVar[State] = {
        "group": record(Group),
        "prob": probabilities("classes", "entries"),
        "entries": nullable(each(text(), "entries")),
    }

    group: Group
    prob: Floats  # (K, V)
    entries: tuple[str, ...] | None

    @property
    def n_parameters(self) -> int:
        """For each class one less than there are entries: their shares sum to 1."""
        return len(self.prob) * max(self.prob.shape[1] - 1, 0)

    @staticmethod
    def observe(chunk: Chunk, group: Group, n_classes: int) -> ClassTotals | Vocabulary:
        """Sums of counts per class."""
        return observe_bag(chunk, group, n_classes, presence=False)

    @classmethod
    def solve(cls, statistic: ClassTotals | Vocabulary, group: Group, smoothing: Smoothing) -> Self:
        """The m-estimate of each entry's share."""
        counts, entries = bag_totals(statistic, group)
        m, p = pseudo(counts, smoothing)
        total = counts.sum(axis=1, keepdims=True) + m
        even = np.full_like(counts, 1.0 / max(counts.shape[1], 1))
        return cls(group, np.divide(counts + m * p, total, out=even, where=total > 0), entries)

    def score(self, chunk: Chunk, out: Floats) -> None:
        """Add Σ count · log P."""
        from novacula.bayes._kernels import count_scores

        with np.errstate(divide="ignore"):
            log_prob = np.log(np.ascontiguousarray(self.prob.T))
        count_scores(*self.matrix(chunk), log_prob, out)

    def numbers(self, facts: PartFacts, k: int, v: int) -> ShareNumbers:
        """The parts of the m-estimate of an entry's share of all counts."""
        counts = bag_totals(facts.statistic, self.group)[0]
        m, p = pseudo(counts, facts.smoothing)
        return ShareNumbers(float(counts[k, v]), float(counts[k].sum()), m, float(p[v]), counts.shape[1])

    def factors(self, chunk: Chunk, facts: PartFacts, k: int) -> list[ClassFactor]:
        """A factor an entry of the bag, to the power of its count."""
        data, indices, _ = self.matrix(chunk)
        found = []
        for x, v in zip(data.tolist(), indices.tolist(), strict=True):
            if x > 0:
                log = x * logarithm(float(self.prob[k, v]))
                equation = partial(self._power, facts, k, v, x)
                found.append(ClassFactor(f"{self.entry(v)} × {x:g}", log, equation, facts.has_plain_shares))
        return found

    def _power(self, facts: PartFacts, k: int, v: int, x: float) -> Equation:
        """The probability of an entry to the power of its count."""
        once = self.estimate(facts, k, v)
        if x == 1:
            return once
        return replace(once, left=f"{once.left} ** {x!r}", right=f"({once.right[0]}) ** {x!r}", of=())


@dataclass(frozen=True, slots=True, eq=False)
class BernoulliPart(Bag):
    """For each class and entry the probability that a row has it at all."""

    name: ClassVar[str] = "bernoulli"
    heading: ClassVar[str] = "Share of the rows of a class that have"
    counted: ClassVar[str] = "rows that have it"
    of_rows: ClassVar[bool] = True

    state: ClassVar[State] = {
        "group": record(Group),
        "prob": probabilities("classes", "entries", whole=False),
        "entries": nullable(each(text(), "entries")),
    }

    group: Group
    prob: Floats  # (K, V)
    entries: tuple[str, ...] | None

    @property
    def n_parameters(self) -> int:
        """A probability for each class and entry."""
        return self.prob.size

    @staticmethod
    def observe(chunk: Chunk, group: Group, n_classes: int) -> ClassTotals | Vocabulary:
        """Rows per class that have each entry."""
        return observe_bag(chunk, group, n_classes, presence=True)

    @classmethod
    def solve(cls, statistic: ClassTotals | Vocabulary, group: Group, smoothing: Smoothing) -> Self:
        """The m-estimate of having and not having: two values."""
        there, rows, entries = cls.tallies(statistic, group)
        m = smoothing.pseudo_count(2)
        share = cls.prior_share(there, rows, smoothing)
        total = rows + m
        even = np.full_like(there, 0.5)
        prob = np.divide(there + m * share, total, out=even, where=total > 0)
        return cls(group, np.minimum(prob, 1.0), entries)  # sums of weights in another order may differ by a rounding

    @staticmethod
    def tallies(statistic: ClassTotals | Vocabulary, group: Group) -> tuple[Floats, Floats, Any]:
        """Rows that have each entry, and rows where it is known, both (K, V); and what the entries are."""
        there, entries = bag_totals(statistic, group)
        if isinstance(statistic, Vocabulary):
            return there, np.broadcast_to(statistic.documents[:, None], there.shape), entries
        return there, statistic.known, entries

    @staticmethod
    def prior_share(there: Floats, rows: Floats, smoothing: Smoothing) -> Any:
        """The prior estimate of having an entry: one half, as often as in all classes together, or as stated."""
        estimate = estimate_of(smoothing.prior_estimate, None)
        if estimate != "empirical":
            return np.full(there.shape[1], 0.5 if estimate == "uniform" else float(estimate))
        total = rows.sum(axis=0)
        return np.divide(there.sum(axis=0), total, out=np.full(there.shape[1], 0.5), where=total > 0)

    def score(self, chunk: Chunk, out: Floats) -> None:
        """Add log P for what a row has and log (1 − P) for what it has not."""
        from novacula.bayes._kernels import presence_scores

        with np.errstate(divide="ignore"):
            there = np.log(np.ascontiguousarray(self.prob.T))
            gone = np.log1p(-np.ascontiguousarray(self.prob.T))
        scores = np.zeros_like(out)
        presence_scores(*self.matrix(chunk), there, gone, scores)
        if self.group.kind == "text":  # a missing message says nothing, an empty one says what it lacks
            scores[[text is None for text in chunk.text[self.group.places[0]]]] = 0.0
        out += scores

    def numbers(self, facts: PartFacts, k: int, v: int) -> ShareNumbers:
        """The parts of the m-estimate of the share of rows that have an entry."""
        there, rows, _ = self.tallies(facts.statistic, self.group)
        p = float(self.prior_share(there, rows, facts.smoothing)[v])
        return ShareNumbers(float(there[k, v]), float(rows[k, v]), facts.smoothing.pseudo_count(2), p, 2)

    def factors(self, chunk: Chunk, facts: PartFacts, k: int) -> list[ClassFactor]:
        """A factor an entry: having it, or not having it."""
        if self.group.kind == "text" and chunk.text[self.group.places[0]][0] is None:
            return []
        data, indices, _ = self.matrix(chunk)
        row = dict(zip(indices.tolist(), data.tolist(), strict=True))
        found = []
        for v in range(self.prob.shape[1]):
            x = row.get(v, 0.0)
            if x == x:
                p = float(self.prob[k, v])
                equation = partial(self.estimate if x else self._lacking, facts, k, v)
                label = f"{'has' if x else 'lacks'} {self.entry(v)}"
                found.append(ClassFactor(label, logarithm(p if x else 1.0 - p), equation, facts.has_plain_shares))
        return found

    def _lacking(self, facts: PartFacts, k: int, v: int) -> Equation:
        """The probability that a row does not have an entry."""
        having = self.estimate(facts, k, v)
        left = f"P((not {self.event(facts, v)}) | {word(facts.classes[k])})"
        return replace(having, left=left, right=f"(1 - {having.right[0]})", of=())
