"""The smallest tree that is right on every example: an exact search, which greedy growth only approximates.

A set of examples needs no test if they are of one class, and otherwise one test and what its branches need:

    f(S) = 0, or min over tests A of 1 + Σᵥ f(Sᵥ)

Branch and bound: each branch of two classes or more needs at least one test, so a test whose bound does not beat the
best so far is left; what a set of examples needs is found once. Of trees with equally few tests, one with the fewest
leaves is taken.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from novacula.arguments import whole_number
from novacula.errors import DataError
from novacula.learner.showing import ShowsWork, WorkOptions
from novacula.learner.work import Step, Work, WorkTable
from novacula.mathematics import Equation
from novacula.table import Chunk, Table
from novacula.tree.decision_tree import DecisionTreeClassifier
from novacula.tree.export.condition import digits
from novacula.words import counted

MOST_STEPS = 200_000
DEEPEST = 200
"""Tests one below the other that the search goes down at most."""
Need = tuple[int, int]  # tests and leaves


@dataclass(frozen=True)
class SplitChoice:
    """A test: its attribute, its threshold if that is numeric, and its branches as (code, examples)."""

    attribute: int
    threshold: float
    branches: tuple[tuple[int, int], ...]  # sets of examples are bits of an integer


@dataclass(frozen=True)
class SmallestTree(ShowsWork):
    """The result: tests and leaves of the smallest tree, its text, and the greedy tree beside it."""

    n_tests: int
    n_leaves: int
    text: str
    greedy: DecisionTreeClassifier = field(repr=False)
    sets: int
    branches: tuple[tuple[str, int], ...] = field(repr=False)
    """What each branch of the first test needs."""
    first: str = ""

    def __str__(self) -> str:
        return self.text

    def _derive(self, options: WorkOptions) -> Work:
        greedy = self.greedy.tree_
        tests = int((~greedy.is_leaf).sum())
        filled = int((greedy.is_leaf & (greedy.weight > 0)).sum())
        rows = (("smallest", self.n_tests, self.n_leaves), ("greedy, by gain", tests, filled))
        table = WorkTable(("tree", "tests", "leaves with examples"), rows)
        values: dict[str, Any] = {"f(S[v])": dict(self.branches)}
        where = {"f(S[v])": "tests that branch v needs at least", "S": "the examples"}
        right = "1 + sum(f(S[v]) for v in _)" if self.branches else "0"
        found = [Equation("f(S)", right, values if self.branches else {}, ("n_tests",), where if self.branches else {})]
        bound = Equation("f(S)", "n_greedy", {"f(S)": self.n_tests, "n_greedy": tests}, sign="≤", therefore=True)
        title = f"{self.first} is tested first" if self.first else "One class needs no test"
        note = f"What {counted(self.sets, 'set')} of examples need was found; every other test needs as many, or more."
        lines = WorkTable(
            ("the smallest tree",), tuple((line.replace("|   ", "· "),) for line in self.text.split("\n"))
        )
        return Work(
            "The smallest consistent tree",
            [Step(title, tuple(found), lines, note=note), Step("Beside greedy growth", bound, table)],
        )


def smallest_tree(X: Any, y: Any = None, *, max_steps: int = MOST_STEPS) -> SmallestTree:
    """Find the tree with the fewest tests that is right on every example; of those, one with the fewest leaves.

    It is for small tables: the search tries at most `max_steps` tests, over all sets of examples, and at most 200 one
    below the other, and refuses what takes more.

    >>> import novacula as nv
    >>> print(smallest_tree(nv.datasets.load("play_tennis")))
    Outlook = Overcast: Yes (4)
    Outlook = Rain
    |   Wind = Strong: No (2)
    |   Wind = Weak: Yes (3)
    Outlook = Sunny
    |   Humidity = High: No (3)
    |   Humidity = Normal: Yes (2)
    """
    most = whole_number(max_steps, "max_steps", 1)
    greedy = GreedyTree().fit(X, y)
    search = TreeSearch(greedy, greedy.examples, most)
    every = (1 << search.n) - 1
    need = search.need(every)
    choice = search.best.get(every)
    branches = (
        ()
        if choice is None
        else tuple((search.value(choice, code), search.need(part)[0]) for code, part in choice.branches)
    )
    first = "" if choice is None else search.attributes[choice.attribute].name
    return SmallestTree(*need, "\n".join(search.lines(every)), greedy, len(search.best), branches, first)


class GreedyTree(DecisionTreeClassifier):
    """A tree that keeps the examples it was grown from."""

    examples: Chunk

    def _learn(self, table: Table) -> None:
        super()._learn(table)
        self.examples = table.to_chunk()


class TreeSearch:
    """What sets of examples need, found once each."""

    def __init__(self, model: DecisionTreeClassifier, chunk: Chunk, most: int) -> None:
        self.attributes, self.classes = model.attributes_, model.classes_.tolist()
        self.n, self.most, self.tried, self.depth = len(chunk), most, 0, 0
        if (chunk.codes < 0).any() or not np.isfinite(chunk.numeric).all():
            raise DataError("the smallest tree is of examples without missing values: fill them in, or leave rows out")
        labels = np.asarray(chunk.target).tolist()
        self.of_class = [sum(1 << i for i, k in enumerate(labels) if k == c) for c in range(len(self.classes))]
        columns = [chunk.numeric if a.kind == "numeric" else chunk.codes for a in self.attributes]
        self.values = [c[:, a.place].tolist() for c, a in zip(columns, self.attributes, strict=True)]
        self.needs: dict[int, Need] = {}
        self.best: dict[int, SplitChoice] = {}
        seen: dict[tuple[Any, ...], int] = {}
        for i, row in enumerate(zip(*self.values, strict=True)):
            other = seen.setdefault(row, i)
            if labels[other] != labels[i]:
                raise DataError(f"rows {other + 1} and {i + 1} are alike but for their class: no tree is right on both")

    def is_pure(self, part: int) -> bool:
        """Whether examples are of one class."""
        return sum(bool(part & mask) for mask in self.of_class) < 2

    def need(self, part: int) -> Need:
        """The fewest tests, and leaves with examples, that are right on a set of examples."""
        if self.is_pure(part):
            return 0, 1
        if part in self.needs:
            return self.needs[part]
        self.depth += 1
        if self.depth > DEEPEST:
            raise DataError(f"the smallest tree is sought down to {DEEPEST} tests one below the other: take fewer rows")
        least, chosen = None, None
        # Tests whose branches are purest first, so that the bound is soon tight; the sort is stable.
        for choice in sorted(map(self.counted, self.choices(part)), key=self.bound):
            if least is None or self.bound(choice) < least:
                found = self.total(choice, least)
                if found is not None and (least is None or found < least):
                    least, chosen = found, choice
        if least is None or chosen is None:
            raise DataError("examples of two classes have the same values in every column: no tree is right on both")
        self.needs[part], self.best[part] = least, chosen
        self.depth -= 1
        return least

    def counted(self, choice: SplitChoice) -> SplitChoice:
        """A test that is tried, unless too many were."""
        self.tried += 1
        if self.tried > self.most:
            raise DataError(
                f"the search for the smallest tree has tried {self.most:,} tests: take fewer rows or columns, or a "
                "larger max_steps"
            )
        return choice

    def bound(self, choice: SplitChoice) -> Need:
        """What a test needs at least: one more test for each branch that is not of one class, which has two leaves."""
        mixed = sum(not self.is_pure(part) for _, part in choice.branches)
        return 1 + mixed, len(choice.branches) + mixed

    def total(self, choice: SplitChoice, least: Need | None) -> Need | None:
        """What a test and its branches need; None as soon as that is no better than what was found."""
        tests, leaves = self.bound(choice)
        for _, part in choice.branches:
            if not self.is_pure(part):
                more, ends = self.need(part)
                tests, leaves = tests + more - 1, leaves + ends - 2
                if least is not None and (tests, leaves) >= least:
                    return None
        return tests, leaves

    def choices(self, part: int) -> Iterator[SplitChoice]:
        """The tests that divide a set of examples."""
        rows = [i for i in range(self.n) if part >> i & 1]
        for f, (attribute, column) in enumerate(zip(self.attributes, self.values, strict=True)):
            by_value: dict[Any, int] = {}
            for i in rows:
                by_value[column[i]] = by_value.get(column[i], 0) | 1 << i
            values = sorted(by_value)
            if attribute.kind != "numeric":
                if len(values) > 1:
                    yield SplitChoice(f, np.nan, tuple((code, by_value[code]) for code in values))
                continue
            below = 0
            for low, high in pairwise(values):
                below |= by_value[low]
                middle = float(f"{low / 2 + high / 2:.12g}")
                yield SplitChoice(f, middle if low <= middle < high else low, ((0, below), (1, part & ~below)))

    def value(self, choice: SplitChoice, code: int) -> str:
        """A branch in words."""
        attribute = self.attributes[choice.attribute]
        if attribute.kind == "numeric":
            return f"{'≤' if code == 0 else '>'} {digits(choice.threshold)}"
        return str(attribute.labels[code])

    def lines(self, part: int, depth: int = 0) -> Iterator[str]:
        """The tree of a set of examples as indented lines."""
        choice = self.best.get(part)
        if choice is None:
            label = next(c for c, mask in zip(self.classes, self.of_class, strict=True) if part & mask)
            yield f"{label} ({part.bit_count()})"
            return
        attribute = self.attributes[choice.attribute]
        for code, below in choice.branches:
            sign = "" if attribute.kind == "numeric" else "= "
            head = f"{'|   ' * depth}{attribute.name} {sign}{self.value(choice, code)}"
            if self.is_pure(below):
                yield f"{head}: {next(self.lines(below))}"
            else:
                yield head
                yield from self.lines(below, depth + 1)
