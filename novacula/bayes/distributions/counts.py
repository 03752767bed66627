"""Bags of counts: words of a message, columns of a sparse matrix, or several numeric columns taken as one bag.

multinomial   P(x|t) ∝ Π_v P(v|t)^x_v              P(v|t) = (n_vt + m·p) / (n_t + m)     n_t: all counts of t
bernoulli     P(x|t) = Π_v P(v|t) or 1 − P(v|t)     P(v|t) = (rows of t with v + m/2) / (rows of t + m)
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import partial
from operator import lt
from typing import Any, ClassVar, Self

import numpy as np

from novacula.bayes.distributions.base import (
    ClassFactor,
    DistributionPart,
    Group,
    PartFacts,
    Smoothing,
    logarithm,
)
from novacula.bayes.distributions.categorical import (
    M_WORDS,
    ShareNames,
    ShareNumbers,
    prior_words,
    pseudo,
    share,
)
from novacula.errors import DataError
from novacula.learner.work import Cell, Step, WorkTable
from novacula.mathematics import Equation, word
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
    counted: ClassVar[str]
    of_rows: ClassVar[bool]  # whether rows are counted, rather than what is in them
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
    def numbers(self, facts: PartFacts, k: int, v: int) -> ShareNumbers:
        """The parts of the estimate of entry v in class k."""

    def event(self, facts: PartFacts, v: int) -> str:
        """How an entry is written in an expression."""
        return word(f"{self.group.names[0]}: {self.entry(v)}" if facts.is_qualified else self.entry(v))

    def estimate(self, facts: PartFacts, k: int, v: int) -> Equation:
        """The estimate of entry v in class k."""
        key, class_, event = word(self.group.names[0]), word(facts.classes[k]), self.event(facts, v)
        numbers = self.numbers(facts, k, v)
        is_known = self.of_rows and numbers.total == facts.class_count[k]
        whole = f"n[{class_}]" if is_known else f"N[{f'{event}, ' if self.of_rows else ''}{class_}]"
        if facts.is_qualified and not self.of_rows:
            whole = f"N[{key}, {class_}]"
        names = ShareNames(f"n[{event}, {class_}]", whole, facts.strength(key), facts.prior(key, event), f"c[{key}]")
        of = (*facts.path, "prob", k, v) if facts.path else ()
        return share(f"P({event} | {class_})", names, numbers, of)

    def steps(self, facts: PartFacts) -> list[Step]:
        """The telling entries as a table; the first entry's estimate, or those of the table, written out."""
        if not self.prob.shape[1]:
            return []
        telling = self._telling(_SHOWN * 10 if facts.is_full else _SHOWN)
        written = [(k, v) for v in telling for k in range(facts.n_shown)] if facts.is_full else [(0, telling[0])]
        first, *others = (self.estimate(facts, k, v) for k, v in written)
        values, key = first.values or {}, word(self.group.names[0])
        event, class_ = self.event(facts, written[0][1]), facts.classes[written[0][0]]
        meanings = {
            f"n[{event}, {word(class_)}]": f"{self.counted} of class {class_}",
            f"n[{word(class_)}]": f"rows of class {class_}",
            f"N[{word(class_)}]": f"all that was counted in class {class_}",
            f"N[{key}, {word(class_)}]": f"all that was counted of it in class {class_}",
            f"N[{event}, {word(class_)}]": f"rows of class {class_} in which it is known",
            facts.strength(key): M_WORDS,
            facts.prior(key, event): prior_words(facts.smoothing),
        }
        first = replace(first, where={name: words for name, words in meanings.items() if name in values})
        title = f"{self.heading} each of {self.prob.shape[1]} entries of {', '.join(self.group.names[:3])}"
        return [Step(title, (first, *others), table=self._table(facts, telling))]

    def _telling(self, most: int) -> list[int]:
        """The entries that distinguish the classes most."""
        spread = np.ptp(np.log(np.maximum(self.prob, 1e-300)), axis=0)
        return np.argsort(-spread, kind="stable")[:most].tolist()

    def _table(self, facts: PartFacts, telling: list[int]) -> WorkTable:
        n = facts.n_shown
        rows: list[tuple[Cell, ...]] = [
            (self.entry(v), *(self.numbers(facts, k, v).found for k in range(n)), *self.prob[:n, v].tolist())
            for v in telling
        ]
        header = ("entry", *(f"⟦n⟧ in {c}" for c in facts.classes[:n]), *(f"⟦P⟧ in {c}" for c in facts.classes[:n]))
        total = self.prob.shape[1]
        caption = f"The {len(telling)} of {total} that differ most." if total > len(telling) else ""
        return WorkTable(header, tuple(rows), caption)


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
