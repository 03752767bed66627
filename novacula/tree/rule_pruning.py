"""Rule post-pruning: each path of a tree becomes a rule, and each rule loses the conditions that it does not need.

    IF c₁ AND … AND c_q THEN t     again and again lose the condition without which the estimated accuracy is
                                   highest, until it would fall; then order the rules by their estimates

The estimate is the accuracy on validation examples, or on the training examples the lower limit 1 − U(errors, n)
that C4.5's upper limit U of the error rate leaves. A rule covers examples that fulfil all of its conditions, so an
example without a value is covered only once the conditions on it are gone.
(T. M. Mitchell, Machine Learning, 1997, section 3.7.1.2; J. R. Quinlan, C4.5, 1993, chapter 5.)
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from novacula.errors import DataError
from novacula.learner.class_weight import class_weights
from novacula.statistics import ClassTotals
from novacula.statistics.base import weighted_counts
from novacula.table import Table
from novacula.table.chunk import Codes, Floats
from novacula.tree.attributes import Attribute, attribute_codes, cut_places
from novacula.tree.constants import NOISE
from novacula.tree.export.condition import Condition
from novacula.tree.export.rules import DecisionRule
from novacula.tree.pruning import upper_error
from novacula.tree.pruning.ranking import ranks
from novacula.tree.rule_structure import Conditions, RuleList, RuleTrace
from novacula.tree.structure import Integers, most_frequent

SHOWN, SHORT = 10, 32
"""Rules whose pruning is kept for their derivation, and the conditions that such a rule may have had."""

Mask = npt.NDArray[np.bool_]


def learn_rules(learner: Any, training: Table, validation: Table | None = None) -> tuple[RuleList, RuleTrace]:
    """The rules of a tree learner, pruned by the rows that it was grown on or by others, and how the first were."""
    totals = training.reduce(ClassTotals.observe_numeric, len(learner.classes_), ()).weight
    class_weight = class_weights(learner.class_weight, learner.classes_, totals)
    attributes, places = learner.attributes_, cut_places(learner.schema_, learner.attributes_)
    examples = ExampleColumns.of(training, attributes, places, class_weight)
    judge = examples if validation is None else ExampleColumns.of(validation, attributes, places, class_weight)
    if not judge.weight.sum() > 0.0:
        raise DataError("there are no validation examples to judge rules by: give more rows")
    pruner = RulePruner(judge, Estimates(learner.confidence if validation is None else None))
    return solve_rule_list(learner.to_rules(), attributes, examples, pruner)


def solve_rule_list(
    grown: Sequence[DecisionRule], attributes: Sequence[Attribute], examples: ExampleColumns, pruner: RulePruner
) -> tuple[RuleList, RuleTrace]:
    """Prune the rules that were grown; keep those that speak for most of the examples they cover; order them."""
    by_meaning: dict[tuple[frozenset[Condition], int], PrunedRule] = {}  # the first of equal rules
    for rule in grown:
        candidate = pruner.prune(rule)
        by_meaning.setdefault((frozenset(candidate.conditions), rule.class_index), candidate)
    candidates = list(by_meaning.values())
    counts = np.array([examples.counts(examples.covered(c.conditions)) for c in candidates])
    # With fewer conditions a rule may have come to cover more examples of another class than of its own.
    own = np.array([c.grown.class_index for c in candidates])
    sound = np.flatnonzero((counts.sum(axis=1) > 0.0) & (most_frequent(counts) == own))
    order = sound[_order([candidates[i] for i in sound], counts[sound].sum(axis=1))]
    rules = [candidates[i] for i in order]
    found = RuleList(
        Conditions.of([rule.conditions for rule in rules], attributes),
        np.array([rule.estimate for rule in rules]),
        np.vstack([counts[order], _default(rules, examples)]),
        pruner.estimates.confidence,
    )
    return found, _first_prunings(rules, attributes, pruner)


def _order(rules: Sequence[PrunedRule], covered: Floats) -> Integers:
    """The best estimate first, ties to the larger cover, then to the first; nothing after a rule that always holds."""
    estimate = np.array([rule.estimate for rule in rules])
    order = np.lexsort((ranks(covered, NOISE * covered), ranks(estimate, np.full(len(rules), NOISE))))
    always = [i for i, place in enumerate(order) if not rules[place].conditions]
    return order[: always[0] + 1] if always else order


def _default(rules: Iterable[PrunedRule], examples: ExampleColumns) -> Floats:
    """The classes (K,) of the examples that no rule covers; of all, if there are none."""
    free = np.ones(len(examples.weight), bool)
    for rule in rules:
        free &= ~examples.covered(rule.conditions)
    return examples.counts(free if examples.weight[free].sum() > 0.0 else np.ones_like(free))


def _first_prunings(rules: Sequence[PrunedRule], attributes: Sequence[Attribute], pruner: RulePruner) -> RuleTrace:
    """The pruning of the first rules that are short enough to be written out, repeated to record its steps."""
    parts = {i: split_ends(rule.grown.conditions) for i, rule in enumerate(rules)}
    numbers = [i for i in parts if len(parts[i]) <= SHORT][:SHOWN]
    counts = tuple(pruner.steps(parts[i], rules[i].grown.class_index) for i in numbers)
    return RuleTrace(np.array(numbers, np.int64), Conditions.of([parts[i] for i in numbers], attributes), counts)


# --- one rule -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PrunedRule:
    """A rule as it was grown, the conditions that it kept, and how accurate it is estimated to be."""

    grown: DecisionRule
    conditions: tuple[Condition, ...]
    estimate: float


@dataclass(frozen=True, slots=True)
class Estimates:
    """Accuracy estimated from covered and wrong weights; by a lower limit, if there is a confidence."""

    confidence: float | None

    def of(self, counts: Floats) -> Floats:
        """The estimates of counts (…, 2); 0 where nothing is covered."""
        covered, wrong = counts[..., 0], counts[..., 1]
        if self.confidence is not None:
            return 1.0 - upper_error(covered, wrong, self.confidence)
        return np.divide(covered - wrong, covered, out=np.zeros_like(covered), where=covered > 0.0)


class RulePruner:
    """Takes conditions from rules, one after the other, as examples advise."""

    def __init__(self, examples: ExampleColumns, estimates: Estimates) -> None:
        self.examples = examples
        self.estimates = estimates
        self._misses: dict[Condition, Mask] = {}

    def prune(self, rule: DecisionRule) -> PrunedRule:
        """The rule without the conditions that it does not need."""
        parts = split_ends(rule.conditions)
        last = self.steps(parts, rule.class_index)[-1]
        needed = (part for part, counts in zip(parts, last[1:], strict=True) if not math.isnan(counts[0]))
        return PrunedRule(rule, join_ends(needed), float(self.estimates.of(last[0])))

    def steps(self, parts: Sequence[Condition], class_index: int) -> Floats:
        """What is counted at each step, (steps, 1 + parts, 2) as in `RuleTrace`.

        An example that fails one condition only is what the rule would gain without it. So two numbers per example
        weigh every removal at once: how many conditions it fails, and the exclusive or of their numbers, which is
        the number of the condition where it fails one.
        """
        # Neighbouring rules share most of their path, so what the last rule needed is at hand for this one.
        self._misses = {p: self._misses[p] if p in self._misses else ~self.examples.fulfil(p) for p in parts}
        small = np.min_scalar_type(len(parts))
        failed, which = np.zeros((2, len(self.examples.weight)), small)
        for number, part in enumerate(parts, 1):
            failed += self._misses[part]
            which ^= self._misses[part] * small.type(number)
        left, counts = list(range(1, len(parts) + 1)), []
        while True:
            counts.append(self._weigh(failed, which, left, len(parts), class_index))
            lost = self._needless(counts[-1], left)
            if lost is None:
                return np.array(counts)
            left.remove(lost)
            failed -= self._misses[parts[lost - 1]]
            which ^= self._misses[parts[lost - 1]] * small.type(lost)

    def _weigh(self, failed: Any, which: Any, left: Sequence[int], size: int, class_index: int) -> Floats:
        """Covered and wrong weight with all the conditions that are left, and without each of them."""
        near = np.flatnonzero(failed <= 1)
        weight = self.examples.weight[near]
        wrong = np.where(self.examples.target[near] == class_index, 0.0, weight)
        gained = np.column_stack([weighted_counts(which[near], part, size + 1) for part in (weight, wrong)])
        counts = np.full((size + 1, 2), np.nan)
        counts[0] = gained[0]
        counts[left] = gained[0] + gained[left]
        return counts

    def _needless(self, counts: Floats, left: Sequence[int]) -> int | None:
        """The condition without which the estimate is highest; ties go to the first; None if it would be lower."""
        if not left:
            return None
        with_all, *without = self.estimates.of(counts[[0, *left]]).tolist()
        best = max(without)
        if best < with_all - NOISE:
            return None
        return next(part for part, estimate in zip(left, without, strict=True) if estimate >= best - NOISE)


def split_ends(conditions: Iterable[Condition]) -> tuple[Condition, ...]:
    """The conditions one by one: low < x ≤ high is two of them."""
    parts: list[Condition] = []
    for condition in conditions:
        if -math.inf < condition.low and condition.high < math.inf:
            parts += [replace(condition, high=math.inf), replace(condition, low=-math.inf)]
        else:
            parts.append(condition)
    return tuple(parts)


def join_ends(parts: Iterable[Condition]) -> tuple[Condition, ...]:
    """The conditions with one per column: the way back from `split_ends`."""
    by_name: dict[str, Condition] = {}
    for part in parts:
        name = part.attribute.name
        by_name[name] = by_name[name] & part if name in by_name else part
    return tuple(by_name.values())


# --- examples -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class ExampleColumns:
    """n examples by column, for conditions are tried on all of them at once."""

    numbers: Floats  # (columns, n)
    codes: Codes  # (columns, n)
    target: Codes  # (n,)
    weight: Floats  # (n,) above 0
    n_classes: int

    @classmethod
    def of(cls, table: Table, attributes: Sequence[Attribute], places: Sequence[int], class_weight: Floats) -> Self:
        """The rows of a table in memory that count."""
        chunk = table.to_chunk()
        target: Any = chunk.target
        weight = chunk.weight * class_weight[target]
        rows = weight > 0.0
        numbers = np.ascontiguousarray(chunk.numeric[rows].T)
        codes = np.ascontiguousarray(attribute_codes(chunk, attributes, places)[rows].T)
        return cls(numbers, codes, target[rows], weight[rows], len(class_weight))

    def fulfil(self, condition: Condition) -> Mask:
        """Whether each example fulfils a condition."""
        columns = self.numbers if condition.attribute.kind == "numeric" else self.codes
        return condition.holds(columns[condition.attribute.place])

    def covered(self, conditions: Iterable[Condition]) -> Mask:
        """Whether each example fulfils all of the conditions."""
        holds = np.ones(len(self.weight), bool)
        for condition in conditions:
            holds &= self.fulfil(condition)
        return holds

    def counts(self, rows: Mask) -> Floats:
        """The weight (K,) of each class among some of the examples."""
        return weighted_counts(self.target[rows], self.weight[rows], self.n_classes)
