"""A decision-tree learner in plain Python, straight from the definitions: the oracle of the tests in this folder.

Rows are dicts, weights are numbers, None or a value outside its column's domain is missing. It tries every question
at every node and recurses, so it is for small tables. Where the definitions leave room:

- A question must have two branches with known values. One without gain is asked too, as long as min_gain is 0.
- Gains below 1e-12 are 0. A later candidate wins only if it is better by more than a part in 10⁹: ties go to the first
  column, within a column to the lowest threshold.
- A threshold lies halfway between neighbouring values at the node, a/2 + b/2, or at a if rounding leaves [a, b).
  Of a number of at most 12 digits, rounding is taken away.
  Within a column the question of largest gain stands, for any criterion; the criterion decides between columns.
- gain_ratio compares the columns whose gain is at least the mean of the positive ones.
- Missing values, "fractional": gain on known values × their share of the weight; they are one more group in the split
  information; their examples go down every branch by its share of the known weight. "most_common": they take the
  branch with most known weight, "most_common_in_class": with most of their class (of all, if it has none).
- min_samples_leaf: two branches must weigh as much, those with missing values counted in. The least values, 2 to split
  and 1 in a leaf, never bind. Below 1 both are shares of the weight of all.
- min_gain and chi2_alpha judge the question that was chosen; χ² is of its branches' final weights.
- A value of the domain that no example at the node has: a leaf with the node's distribution; in subset splits the
  branch of most known weight. That branch is also where a missing value goes when predicting, if not everywhere.
- Subset splits may ask for the same column again below.
- release_8: two branches must weigh 2, both sides of a threshold a tenth of the known weight over the number of
  classes too, though not below 2 nor above 25; a threshold's gain is less log₂(thresholds allowed) / weight, and a
  question must gain something.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, pairwise
from typing import Any

from scipy.stats import chi2_contingency

NOISE = 1e-9
NO_GAIN = 1e-12

Row = Mapping[str, Any]
Domain = tuple[Hashable, ...] | None  # the values of a column, None for numbers


@dataclass(frozen=True)
class Example:
    """A row, its class and how much it counts."""

    row: Row
    label: Any
    weight: float


@dataclass(frozen=True)
class Question:
    """x ≤ threshold (branch 0) or not (branch 1), or which group of values holds x."""

    column: str
    threshold: float | None = None
    groups: tuple[frozenset[Hashable], ...] = ()
    rivals: bool = False  # whether another grouping gains as much
    charge: float = 0.0  # what a threshold pays for having been chosen among many

    @property
    def arity(self) -> int:
        return len(self.groups) or 2

    def branch(self, row: Row) -> int | None:
        """The branch that a row takes; None where its value is missing or in no group."""
        value = row.get(self.column)
        if self.threshold is not None:
            return None if value is None else int(value > self.threshold)
        return next((b for b, group in enumerate(self.groups) if value in group), None)


@dataclass(frozen=True)
class Node:
    """What a node knows of its examples, and below a question what its branches know."""

    counts: tuple[float, ...]  # weight of each class
    question: Question | None = None
    gain: float = 0.0
    branches: tuple[Node, ...] = ()
    default: int = -1  # the branch of most known weight

    def __iter__(self) -> Iterator[Node]:
        yield self
        for branch in self.branches:
            yield from branch


def weight(examples: Iterable[Example]) -> float:
    return math.fsum(example.weight for example in examples)


def shares(weights: Sequence[float]) -> list[float]:
    total = math.fsum(weights)
    return [w / total for w in weights if w > 0]


def entropy(weights: Sequence[float]) -> float:
    """−Σ p log₂ p of weights."""
    return -math.fsum(p * math.log2(p) for p in shares(weights))


def gini(weights: Sequence[float]) -> float:
    """1 − Σ p² of weights."""
    return 1.0 - math.fsum(p * p for p in shares(weights))


def first_largest(values: Sequence[float]) -> int:
    """The place of the largest value, of those that are equal up to noise the first."""
    best = 0
    for place, value in enumerate(values):
        if value > values[best] * (1.0 + NOISE):
            best = place
    return best


def midpoint(a: float, b: float) -> float:
    middle = a / 2 + b / 2
    short = float(f"{middle:.12g}")
    if a <= short < b and 1e-10 < abs(middle) < 1e11 and math.isclose(short, middle, rel_tol=1e-15):
        return short
    return middle if a <= middle < b else a


def interval(value: float | None, edges: Sequence[float]) -> int | None:
    """Which of the intervals … ≤ e₀ < … ≤ e₁ < … holds a number: a cut column is one of intervals."""
    return None if value is None else sum(value > edge for edge in edges)


@dataclass
class PlainTree:
    """The learner; `columns` gives each column's domain, in the order that decides ties."""

    columns: Mapping[str, Domain]
    criterion: str = "gain"
    missing: str = "fractional"
    nominal: str = "multiway"
    costs: Mapping[str, float] = field(default_factory=dict)
    cost_weight: float = 1.0
    chi2_alpha: float | None = None
    max_depth: float = math.inf
    min_samples_split: float = 2
    min_samples_leaf: float = 1
    min_gain: float = 0.0
    m: float = 0.0
    class_weight: Mapping[Any, float] = field(default_factory=dict)
    release_8: bool = False

    def fit(self, rows: Sequence[Row], labels: Sequence[Any], weights: Sequence[float] | None = None) -> PlainTree:
        self.classes = sorted(set(labels))
        every = [
            Example(row, label, w * self.class_weight.get(label, 1.0))
            for row, label, w in zip(rows, labels, weights or [1.0] * len(rows), strict=True)
        ]
        examples = [example for example in every if example.weight > 0]
        self.total = weight(examples)
        self.root = self.grow(examples, tuple(self.columns), 0)
        return self

    # --- growing ---------------------------------------------------------------------------------------------------

    def grow(self, examples: Sequence[Example], columns: tuple[str, ...], depth: int) -> Node:
        leaf = Node(self.counts(examples))
        if sum(count > 0 for count in leaf.counts) < 2 or depth >= self.max_depth:
            return leaf
        if weight(examples) < self.least(self.min_samples_split, free=2):
            return leaf
        question = self.choose(examples, columns)
        if question is None or not self.worthwhile(question, examples):
            return leaf
        if self.columns[question.column] is not None and self.nominal == "multiway":
            columns = tuple(column for column in columns if column != question.column)
        branches = self.divide(question, examples)
        return replace(
            leaf,
            question=question,
            gain=self.gain(question, examples),
            branches=tuple(self.grow(branch, columns, depth + 1) for branch in branches),
            default=first_largest([weight(known) for known in self.divide(question, answered(question, examples))]),
        )

    def choose(self, examples: Sequence[Example], columns: Iterable[str]) -> Question | None:
        """The question with the best score of those that are best in their column."""
        found = [question for column in columns if (question := self.best_of(column, examples))]
        if not found:
            return None
        gains = [self.gain(question, examples) for question in found]
        if self.criterion == "gain_ratio" and any(gains):
            mean = math.fsum(gains) / sum(gain > 0 for gain in gains)
            found = [q for q, gain in zip(found, gains, strict=True) if gain >= mean * (1.0 - NOISE)]
        return found[first_largest([self.score(question, examples) for question in found])]

    def best_of(self, column: str, examples: Sequence[Example]) -> Question | None:
        found = [q for q in self.questions(column, examples) if self.leaves_enough(q, examples)]
        if not found:
            return None
        gains = [self.gain(question, examples) for question in found]
        best = first_largest(gains)
        equal = sum(gain >= gains[best] * (1.0 - NOISE) for gain in gains)
        chosen = replace(found[best], rivals=bool(found[best].groups) and equal > 1)
        if not self.release_8:
            return chosen
        if chosen.threshold is not None:
            chosen = replace(chosen, charge=math.log2(len(found)) / weight(examples))
        return chosen if self.gain(chosen, examples) > NO_GAIN else None

    def questions(self, column: str, examples: Sequence[Example]) -> list[Question]:
        """Every question about a column that splits the known values of a node."""
        domain = self.columns[column]
        if domain is None:
            values = sorted({e.row[column] for e in examples if e.row[column] is not None})
            return [Question(column, midpoint(a, b)) for a, b in pairwise(values)]
        present = [value for value in domain if any(e.row[column] == value for e in examples)]
        if len(present) < 2:
            return []
        if self.nominal == "multiway":
            return [Question(column, groups=tuple(frozenset({value}) for value in present))]
        first, *others = present
        return [
            Question(column, groups=(frozenset({first, *with_first}), frozenset(others) - frozenset(with_first)))
            for size in range(len(others))
            for with_first in combinations(others, size)
        ]

    def leaves_enough(self, question: Question, examples: Sequence[Example]) -> bool:
        limit = self.least(self.min_samples_leaf, free=1)
        if self.release_8:
            limit = max(limit, 2.0 * (1.0 - NOISE))
            if question.threshold is not None:
                share = 0.1 * weight(answered(question, examples)) / len(self.classes)
                limit = max(limit, min(share, 25.0) * (1.0 - NOISE))
        return sum(weight(branch) >= limit for branch in self.divide(question, examples)) >= 2

    def least(self, limit: float, free: int) -> float:
        """A limit as a weight, a little less for noise; the least that may be set is none."""
        if limit == free:
            return 0.0
        return (limit * self.total if limit < 1 else limit) * (1.0 - NOISE)

    def worthwhile(self, question: Question, examples: Sequence[Example]) -> bool:
        if self.gain(question, examples) < self.min_gain * (1.0 - NOISE):
            return False
        if self.chi2_alpha is None:
            return True
        table = [self.counts(branch) for branch in self.divide(question, examples)]
        present = [column for column in zip(*table, strict=True) if sum(column) > 0]
        return bool(chi2_contingency(present, correction=False).pvalue <= self.chi2_alpha)

    # --- what a question is worth ----------------------------------------------------------------------------------

    def gain(self, question: Question, examples: Sequence[Example]) -> float:
        impurity = gini if self.criterion == "gini" else entropy
        judged = answered(question, examples) if self.missing == "fractional" else examples
        total = weight(judged)
        branches = self.divide(question, judged)
        after = math.fsum(weight(branch) / total * impurity(self.counts(branch)) for branch in branches)
        gain = (impurity(self.counts(judged)) - after) * total / weight(examples)
        return (gain if gain >= NO_GAIN else 0.0) - question.charge

    def split_information(self, question: Question, examples: Sequence[Example]) -> float:
        if self.missing != "fractional":
            return entropy([weight(branch) for branch in self.divide(question, examples)])
        known = answered(question, examples)
        return entropy([*map(weight, self.divide(question, known)), weight(examples) - weight(known)])

    def score(self, question: Question, examples: Sequence[Example]) -> float:
        gain, cost = self.gain(question, examples), self.costs.get(question.column, 1.0)
        match self.criterion:
            case "gain_ratio" | "plain_gain_ratio":
                return gain / self.split_information(question, examples)
            case "tan_schlimmer":
                return gain**2 / cost
            case "nunez":
                return (2.0**gain - 1.0) / (cost + 1.0) ** self.cost_weight
            case _:
                return gain

    def counts(self, examples: Sequence[Example]) -> tuple[float, ...]:
        return tuple(weight(e for e in examples if e.label == label) for label in self.classes)

    def divide(self, question: Question, examples: Sequence[Example]) -> list[list[Example]]:
        """The examples of each branch, those with a missing value where the strategy sends them."""
        branches: list[list[Example]] = [[] for _ in range(question.arity)]
        unanswered = []
        for example in examples:
            branch = question.branch(example.row)
            (unanswered if branch is None else branches[branch]).append(example)
        known = [self.counts(branch) for branch in branches] if unanswered else []
        for example in unanswered:
            for place, share in self.portions(example, known):
                branches[place].append(replace(example, weight=example.weight * share))
        return branches

    def portions(self, example: Example, known: Sequence[tuple[float, ...]]) -> list[tuple[int, float]]:
        """Where an example with a missing value goes and how much of it, by what is known in each branch."""
        weights = [math.fsum(counts) for counts in known]
        if self.missing == "fractional":
            return [(branch, w / math.fsum(weights)) for branch, w in enumerate(weights)]
        in_class = [counts[self.classes.index(example.label)] for counts in known]
        by_class = self.missing == "most_common_in_class" and any(in_class)
        return [(first_largest(in_class if by_class else weights), 1.0)]

    # --- predicting ------------------------------------------------------------------------------------------------

    def predict_proba(self, row: Row) -> list[float]:
        return self.mixture(row, self.root)

    def mixture(self, row: Row, node: Node) -> list[float]:
        """The distribution of the leaf that a row reaches, or the mixture of several."""
        question = node.question
        if question is None:
            return self.estimate(node)
        branch = question.branch(row)
        if branch is None and row[question.column] in (self.columns[question.column] or ()):
            if self.nominal == "multiway":
                return self.estimate(node)
            branch = node.default
        if branch is None and self.missing != "fractional":
            branch = node.default
        if branch is not None:
            return self.mixture(row, node.branches[branch])
        mixed = [self.mixture(row, below) for below in node.branches]
        total = math.fsum(node.counts)
        parts = [math.fsum(below.counts) / total for below in node.branches]
        return [
            math.fsum(part * p for part, p in zip(parts, of_class, strict=True))
            for of_class in zip(*mixed, strict=True)
        ]

    def estimate(self, node: Node) -> list[float]:
        """(n_k + m/K) / (n + m)."""
        k = len(self.classes)
        return [(count + self.m / k) / (math.fsum(node.counts) + self.m) for count in node.counts]


def answered(question: Question, examples: Sequence[Example]) -> list[Example]:
    """The examples whose value is known."""
    return [example for example in examples if question.branch(example.row) is not None]
