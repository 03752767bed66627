"""A list of rules as arrays: the first rule whose conditions a row fulfils speaks for it, the default for the rest.

A missing value, or a category that was not there at fit, fulfils no condition.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from novacula.errors import ParameterError
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

    def is_sound(self, sizes: Codes) -> bool:
        """Whether the arrays are conditions on attributes with these numbers of codes (0: numeric)."""
        if not (_rise_to(self.start, len(self.feature)) and _rise_to(self.code_start, len(self.code))):
            return False
        if not (len(self.low) == len(self.high) == len(self.feature) == len(self.code_start) - 1):
            return False
        if not ((self.feature >= 0) & (self.feature < len(sizes))).all() or np.isnan([self.low, self.high]).any():
            return False
        domain = np.repeat(np.asarray(sizes)[self.feature], np.diff(self.code_start))
        return bool(((self.code >= 0) & (self.code < domain)).all())


@dataclass(frozen=True, slots=True, eq=False)
class Pruning:
    """How the first rules of a list lost conditions: what was counted at each step, for each that could go.

    The counts of a rule are (steps, 1 + conditions, 2): the weight that is covered and that is wrong, with every
    condition that is left and without each of them; NaN for those that had gone before.
    """

    rule: Integers  # (S,) which rules of the list they are
    conditions: Conditions  # of these rules as they were grown
    counts: tuple[Floats, ...]


@dataclass(frozen=True, slots=True, eq=False)
class RuleList:
    """R rules over K classes in the order in which they are tried, and after them the default."""

    conditions: Conditions
    estimate: Floats  # (R,) the accuracy by which the rules are ordered, falling
    counts: Floats  # (R + 1, K) weight of the training examples that each rule covers; last, the default's
    confidence: float | None  # of the estimates, None where they are accuracies on validation examples
    pruning: Pruning

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

    def check(self, sizes: Codes, n_classes: int) -> None:
        """Raise if the arrays are not rules over attributes of these sizes and this number of classes."""
        pruning = self.pruning
        fits = (
            self.conditions.is_sound(sizes)
            and pruning.conditions.is_sound(sizes)
            and len(self.conditions) == len(self)
            and self.counts.shape == (len(self) + 1, n_classes)
            and bool((self.counts >= 0).all() and (self.counts.sum(axis=1) > 0).all())
            and len(pruning.conditions) == len(pruning.counts) == len(pruning.rule)
            and bool(((pruning.rule >= 0) & (pruning.rule < len(self))).all())
            and all(
                counts.ndim == 3 and counts.shape[1:] == (1 + int(size), 2) and len(counts) > 0
                for counts, size in zip(pruning.counts, np.diff(pruning.conditions.start), strict=True)
            )
        )
        if not fits:
            raise ParameterError("the arrays of the rules do not fit each other")


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


def _rise_to(start: Integers, end: int) -> bool:
    """Whether places begin at 0, never fall, and end where the values end."""
    return len(start) > 0 and start[0] == 0 and start[-1] == end and bool((np.diff(start) >= 0).all())
