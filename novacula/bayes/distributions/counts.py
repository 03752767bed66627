"""Bags of counts: words of a message, columns of a sparse matrix, or several numeric columns taken as one bag.

multinomial   P(x|t) ∝ Π_v P(v|t)^x_v              P(v|t) = (n_vt + m·p) / (n_t + m)     n_t: all counts of t
bernoulli     P(x|t) = Π_v P(v|t) or 1 − P(v|t)     P(v|t) = (rows of t with v + m/2) / (rows of t + m)
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from operator import lt
from typing import Any, ClassVar, Self

import numpy as np

from novacula.bayes.distributions.base import ClassFactor, DistributionPart, Group, Smoothing
from novacula.bayes.distributions.categorical import Arithmetic, pseudo
from novacula.bayes.distributions.categorical import estimate as m_estimate
from novacula.errors import DataError
from novacula.learner.worded_step import WordedStep as Step
from novacula.learner.work import Cell, WorkTable
from novacula.state import State, each, nullable, probabilities, record, text
from novacula.statistics import ClassTotals, Vocabulary
from novacula.table.chunk import Chunk, Floats, without_duplicates
from novacula.table.schema import Kind

_SHOWN = 10  # entries in the table of a derivation


def observe_bag(chunk: Chunk, group: Group, n_classes: int, presence: bool) -> ClassTotals | Vocabulary:
    """Sums per class of what is in the bag, or of the rows that have it at all."""
    if group.kind == "text":
        analyzer = group.words.vectorizer().build_analyzer()
        return Vocabulary.observe_words(chunk, n_classes, group.places[0], analyzer, presence)
    if group.kind == "sparse":
        return ClassTotals.observe(chunk, n_classes, presence)
    return ClassTotals.observe_numeric(chunk, n_classes, group.places, presence)


def bag_totals(statistic: ClassTotals | Vocabulary, group: Group) -> tuple[Floats, Any]:
    """Sums (K, V), and the words that the V stand for (None: columns of a sparse block)."""
    if isinstance(statistic, Vocabulary):
        return statistic.weight, statistic.values
    names = group.names if group.kind == "numeric" else None
    if (statistic.low < 0).any():
        at = int(np.argmax(statistic.low < 0))
        raise DataError(f"{_entry(names, at)} holds negative values, and counts cannot be negative")
    if not np.isfinite(statistic.total).all():
        at = int(np.argwhere(~np.isfinite(statistic.total))[0, 1])
        raise DataError(f"{_entry(names, at)} holds numbers whose sum overflows: scale it")
    return statistic.total, names


def _entry(names: Any, at: int) -> str:
    return f"column {names[at]!r}" if names is not None else f"sparse column {at}"


class Bag(DistributionPart):
    """What the two models of a bag share: from a chunk to its CSR matrix."""

    __slots__ = ()
    kinds: ClassVar[tuple[Kind, ...]] = ("text", "sparse", "numeric")
    heading: ClassVar[str]
    prob: Floats
    entries: tuple[str, ...] | None

    def fits(self, statistic: Any) -> bool:
        """A probability per class and entry of the bag, and as many sums; words rise, so none stands twice."""
        group, entries = self.group, self.entries
        if group.kind == "text":
            counted = isinstance(statistic, Vocabulary) and statistic.weight.shape == self.prob.shape
            return counted and entries is not None and all(map(lt, entries, entries[1:]))
        counted = isinstance(statistic, ClassTotals) and statistic.total.shape == self.prob.shape
        if group.kind == "sparse":
            return counted and entries is None and self.prob.shape[1] == group.width
        return counted and entries == group.names

    @property
    def n_classes(self) -> int:
        """Rows of the table of probabilities."""
        return len(self.prob)

    def matrix(self, chunk: Chunk) -> tuple[Any, Any, Any]:
        """The group's columns as CSR data, indices and pointers; a word that was not there at fit is not in it."""
        group = self.group
        if group.kind == "text":
            texts = ["" if text is None else text for text in chunk.text[group.places[0]]]
            place = {word: v for v, word in enumerate(self.entries or ())}
            if not place or not texts:
                return np.empty(0), np.empty(0, np.int32), np.zeros(len(texts) + 1, np.int32)
            rows = group.words.vectorizer(place).transform(texts)
        elif group.kind == "sparse":
            rows = without_duplicates(chunk.sparse)
        else:
            from scipy.sparse import csr_matrix

            rows = csr_matrix(group.numeric(chunk).numeric)
        return rows.data, rows.indices.astype(np.int32, copy=False), rows.indptr.astype(np.int32, copy=False)

    def entry(self, v: int) -> str:
        """What the v-th entry is called."""
        return str(v) if self.entries is None else self.entries[v]

    @abstractmethod
    def estimate(self, statistic: Any, smoothing: Smoothing, k: int, v: int, mark: str) -> Arithmetic:
        """The estimate of entry v in class k as arithmetic."""

    def steps(
        self, statistic: Any, classes: list[str], smoothing: Smoothing, path: tuple[str | int, ...]
    ) -> list[Step]:
        """The telling entries as a table, and the first entry's estimate written out."""
        if not self.prob.shape[1]:
            return []
        expression, numbers = self.estimate(statistic, smoothing, 0, 0, "")
        return [
            Step(
                f"{self.heading} each of {self.prob.shape[1]} entries of {', '.join(self.group.names[:3])}",
                formula="P(v|t) = (n_vt + m·p) / (n_t + m)",
                expression=expression,
                values=numbers,
                result=float(self.prob[0, 0]),
                of=(*path, "prob", 0, 0),
                table=self._telling(classes),
                note=f"Written out: P({self.entry(0)} | {classes[0]}).",
            )
        ]

    def _telling(self, classes: list[str]) -> WorkTable:
        """The entries that distinguish the classes most."""
        spread = np.ptp(np.log(np.maximum(self.prob, 1e-300)), axis=0)
        top = np.argsort(-spread, kind="stable")[:_SHOWN]
        rows: list[tuple[Cell, ...]] = [(self.entry(int(v)), *self.prob[:, v].tolist()) for v in top]
        caption = f"The {len(top)} of {len(spread)} that differ most." if len(spread) > len(top) else ""
        return WorkTable(("entry", *classes), tuple(rows), caption)


@dataclass(frozen=True, slots=True, eq=False)
class MultinomialPart(Bag):
    """A probability for each class and entry of the bag."""

    name: ClassVar[str] = "multinomial"
    heading: ClassVar[str] = "Share of all counts of a class that belongs to"

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

    def estimate(self, statistic: Any, smoothing: Smoothing, k: int, v: int, mark: str) -> Arithmetic:
        """The m-estimate of an entry's share of all counts."""
        return m_estimate(bag_totals(statistic, self.group)[0], smoothing, k, v, mark)

    def factors(self, chunk: Chunk, statistic: Any, smoothing: Smoothing, k: int, mark: str) -> list[ClassFactor]:
        """A factor an entry of the bag, to the power of its count."""
        data, indices, _ = self.matrix(chunk)
        found = []
        for x, v in zip(data.tolist(), indices.tolist(), strict=True):
            if x > 0:
                expression, numbers = self.estimate(statistic, smoothing, k, v, f"{mark}{v}")
                value = float(self.prob[k, v]) ** x
                if x != 1:
                    expression, numbers = f"({expression}) ** x{mark}{v}", numbers | {f"x{mark}{v}": x}
                found.append(ClassFactor(f"{self.entry(v)} × {x:g}", expression, numbers, value))
        return found


@dataclass(frozen=True, slots=True, eq=False)
class BernoulliPart(Bag):
    """For each class and entry the probability that a row has it at all."""

    name: ClassVar[str] = "bernoulli"
    heading: ClassVar[str] = "Share of the rows of a class that have"

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
        """The prior estimate of having an entry: one half, or as often as in all classes together."""
        if smoothing.prior_estimate == "uniform":
            return np.full(there.shape[1], 0.5)
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

    def estimate(self, statistic: Any, smoothing: Smoothing, k: int, v: int, mark: str) -> Arithmetic:
        """The m-estimate of the share of rows that have an entry."""
        there, rows, _ = self.tallies(statistic, self.group)
        m, n, total = smoothing.pseudo_count(2), float(there[k, v]), float(rows[k, v])
        if total + m == 0:
            return f"1 / c{mark}", {f"c{mark}": 2.0}
        if m == 0:
            return f"n{mark} / N{mark}", {f"n{mark}": n, f"N{mark}": total}
        p = float(self.prior_share(there, rows, smoothing)[v])
        names = {f"n{mark}": n, f"m{mark}": m, f"p{mark}": p, f"N{mark}": total}
        return f"(n{mark} + m{mark} * p{mark}) / (N{mark} + m{mark})", names

    def factors(self, chunk: Chunk, statistic: Any, smoothing: Smoothing, k: int, mark: str) -> list[ClassFactor]:
        """A factor an entry: having it, or not having it."""
        if self.group.kind == "text" and chunk.text[self.group.places[0]][0] is None:
            return []
        data, indices, _ = self.matrix(chunk)
        row = dict(zip(indices.tolist(), data.tolist(), strict=True))
        found = []
        for v in range(self.prob.shape[1]):
            x = row.get(v, 0.0)
            if x == x:
                expression, numbers = self.estimate(statistic, smoothing, k, v, f"{mark}{v}")
                p = float(self.prob[k, v])
                word = "has" if x else "lacks"
                found.append(
                    ClassFactor(
                        f"{word} {self.entry(v)}",
                        expression if x else f"1 - {expression}",
                        numbers,
                        p if x else 1 - p,
                    )
                )
        return found
