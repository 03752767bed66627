"""What the models of a bag share: sums of what is in it, its CSR matrix, and how its entries are derived."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from operator import lt
from typing import Any, ClassVar

import numpy as np

from novacula.bayes.distributions.base import (
    DistributionPart,
    Group,
    PartFacts,
)
from novacula.bayes.distributions.categorical import (
    M_WORDS,
    ShareNames,
    ShareNumbers,
    prior_words,
    share,
)
from novacula.errors import DataError
from novacula.learner.work import Cell, Step, WorkTable
from novacula.mathematics import Equation, word
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
            facts.prior(key, event): prior_words(facts.smoothing, is_share=not self.of_rows),
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
