"""A list of rules as arrays: the first rule whose conditions a row fulfils speaks for it, the default for the rest.

A missing value, or a category that was not there at fit, fulfils no condition.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from novacula.state import State, codes, each, floats, indices, nullable, number, offsets, record
from novacula.table import Chunk, Schema
from novacula.table.chunk import Codes, Floats
from novacula.table.names import printable
from novacula.tree.attributes import Attribute, attribute_codes, cut_places
from novacula.tree.export.condition import Condition, amount
from novacula.tree.export.rules import DecisionRule, all_hold
from novacula.tree.structure import Integers, most_frequent


@dataclass(frozen=True, slots=True, eq=False)
class Conditions:
    """The conditions of R rules, one after the other; rule i has those from start[i] to start[i + 1]."""

    state: ClassVar[State] = {
        "start": offsets("rules+1", "conditions"),
        "feature": codes("conditions", below="attributes"),
        "low": floats("conditions", finite=False),  # −∞ where there is no lower end
        "high": floats("conditions", finite=False),  # ∞ where there is no upper end
        "code_start": offsets("conditions+1", "codes"),
        "code": codes("codes"),
    }

    start: Integers  # (R + 1,)
    feature: Codes  # (C,) the attribute that is asked
    low: Floats  # (C,) low < x ≤ high, for numbers
    high: Floats  # (C,)
    code_start: Integers  # (C + 1,) where the codes of each condition begin, for categories
    code: Codes  # rising within a condition

    @classmethod
    def of(cls, rules: Sequence[Sequence[Condition]], attributes: Sequence[Attribute]) -> Self:
        """Lay the conditions of rules down as arrays."""
        place = {attribute.name: i for i, attribute in enumerate(attributes)}
        flat = [condition for conditions in rules for condition in conditions]
        return cls(
            _starts([len(conditions) for conditions in rules]),
            np.array([place[c.attribute.name] for c in flat], np.int32),
            np.array([c.low for c in flat], np.float64),
            np.array([c.high for c in flat], np.float64),
            _starts([len(c.codes) for c in flat]),
            np.array([code for c in flat for code in c.codes], np.int32),
        )

    def __len__(self) -> int:
        return len(self.start) - 1

    def named(self, attributes: Sequence[Attribute]) -> Iterator[tuple[Condition, ...]]:
        """The conditions of each rule, as things that speak and can be tried on rows."""
        ends, codes = self.code_start.tolist(), self.code.tolist()
        numbers = zip(self.feature.tolist(), self.low.tolist(), self.high.tolist(), strict=True)
        flat = [
            Condition(attributes[f], low, high, tuple(codes[ends[i] : ends[i + 1]]))
            for i, (f, low, high) in enumerate(numbers)
        ]
        for rule in range(len(self)):
            yield tuple(flat[self.start[rule] : self.start[rule + 1]])

    def ask(self, attributes: Sequence[Attribute]) -> bool:
        """Whether every condition is one on its attribute: an interval of numbers, or some of its codes."""
        by_number = np.array([a.kind == "numeric" for a in attributes], bool)[self.feature]
        size = np.array([a.size for a in attributes], np.int64)[self.feature]
        n_codes = np.diff(self.code_start)
        has_ends = (self.low < self.high) & ((self.low > -np.inf) | (self.high < np.inf))
        return bool(np.where(by_number, has_ends & (n_codes == 0), n_codes > 0).all()) and bool(
            (self.code < np.repeat(size, n_codes)).all()
        )


@dataclass(frozen=True, slots=True, eq=False)
class RuleTrace:
    """How the first rules of a list lost conditions: what was counted at each step, for each that could go.

    The counts of a rule are (steps, 1 + conditions, 2): the weight that is covered and that is wrong, with every
    condition that is left and without each of them; NaN for those that had gone before.
    """

    state: ClassVar[State] = {
        "rule": indices("rules", "pruned"),
        "conditions": record(Conditions, rules="pruned", attributes="attributes"),
        "counts": each(floats("any", "any", 2, finite=False), "pruned"),  # NaN for conditions that had gone before
    }
    only_drawn: ClassVar[tuple[str, ...]] = ("conditions",)  # they are named in words

    rule: Integers  # (S,) which rules of the list they are
    conditions: Conditions  # of these rules as they were grown
    counts: tuple[Floats, ...]

    def asks(self, attributes: Sequence[Attribute]) -> bool:
        """Whether conditions fit the attributes, and what was counted at each pruning fits its conditions."""
        sizes = np.diff(self.conditions.start).tolist()
        return self.conditions.ask(attributes) and all(map(is_trace, self.counts, sizes))


@dataclass(frozen=True, slots=True, eq=False)
class RuleList:
    """R rules over K classes in the order in which they are tried, and after them the default."""

    state: ClassVar[State] = {
        "conditions": record(Conditions, rules="rules", attributes="attributes"),
        "estimate": floats("rules", most=1.0),
        "counts": floats("rules+1", "classes", least=0.0),
        "confidence": nullable(number(above=0.0, most=0.5)),
    }

    conditions: Conditions
    estimate: Floats  # (R,) the accuracy by which the rules are ordered, falling
    counts: Floats  # (R + 1, K) weight of the training examples that each rule covers; last, the default's
    confidence: float | None  # of the estimates, None where they are accuracies on validation examples

    def __len__(self) -> int:
        return len(self.estimate)

    @property
    def n_parameters(self) -> int:
        """The tests, and for each rule and the default one share less than there are classes."""
        return len(self.conditions.feature) + len(self.counts) * (self.counts.shape[1] - 1)

    @property
    def classes(self) -> Integers:
        """The class of each rule and of the default: the most frequent among its examples."""
        return most_frequent(self.counts)

    @property
    def accuracy(self) -> Floats:
        """The share of its training examples of which each rule is right; last, the default's."""
        return self.counts[np.arange(len(self) + 1), self.classes] / self.counts.sum(axis=1)

    def distributions(self, m: float) -> Floats:
        """Class probabilities of each rule and of the default: m-estimates (n_k + m/K) / (n + m)."""
        return (self.counts + m / self.counts.shape[1]) / (self.counts.sum(axis=1, keepdims=True) + m)

    def rules(self, attributes: Sequence[Attribute], labels: Sequence[Any]) -> tuple[DecisionRule, ...]:
        """The rules without the default, with their words."""
        best, covered = self.classes.tolist(), self.counts.sum(axis=1).tolist()
        return tuple(
            DecisionRule(conditions, best[i], labels[best[i]], covered[i], float(self.counts[i, best[i]]))
            for i, conditions in enumerate(self.conditions.named(attributes))
        )

    def lines(self, attributes: Sequence[Attribute], labels: Sequence[Any]) -> list[str]:
        """The rules and the default in words, one per line."""
        best, covered = int(self.classes[-1]), float(self.counts[-1].sum())
        weights = f"({amount(float(self.counts[-1, best]))}/{amount(covered)})"
        default = f"OTHERWISE {printable(str(labels[best]))} {weights}"
        return [*map(str, self.rules(attributes, labels)), default]

    def asks(self, attributes: Sequence[Attribute]) -> bool:
        """Whether conditions fit the attributes; asked of arrays that are as they are declared.

        Every rule covers examples, and so does the default.
        """
        return self.conditions.ask(attributes) and bool((self.counts.sum(axis=1) > 0).all())


def is_trace(counts: Floats, n_conditions: int) -> bool:
    """Whether these are the counts of a pruning: weights that are covered and wrong, and that at its end are there."""
    if not len(counts) or counts.shape[1] != 1 + n_conditions:
        return False
    covered, wrong = counts[..., 0], counts[..., 1]
    gone = np.isnan(covered) & np.isnan(wrong)
    return not gone[:, 0].any() and bool((gone | ((wrong >= 0.0) & (wrong <= covered) & np.isfinite(covered))).all())


# --- which rule speaks for a row ----------------------------------------------------------------------------------


class Matcher:
    """Rules with what is needed to try them on chunks of rows."""

    def __init__(self, rule_list: RuleList, schema: Schema, attributes: Sequence[Attribute]) -> None:
        self.conditions = tuple(rule_list.conditions.named(attributes))
        self.attributes = tuple(attributes)
        self.cut_places = cut_places(schema, attributes)

    def codes(self, chunk: Chunk) -> Codes:
        """The codes of nominal and cut attributes of a chunk."""
        return attribute_codes(chunk, self.attributes, self.cut_places)

    def match(self, chunk: Chunk) -> Integers:
        """The first rule that each row fulfils; the number of rules where there is none."""
        codes = self.codes(chunk)
        first = np.full(len(chunk), len(self.conditions), np.int64)
        free = np.ones(len(chunk), bool)
        for rule, conditions in enumerate(self.conditions):
            holds = free & all_hold(conditions, chunk.numeric, codes)
            first[holds] = rule
            free ^= holds
            if not free.any():
                break
        return first


def first_matches(chunk: Chunk, matcher: Matcher) -> Integers:
    """The number of the first rule that each row fulfils, or the number of rules."""
    return matcher.match(chunk)


def _starts(sizes: Sequence[int]) -> Integers:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
