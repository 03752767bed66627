"""Growth from rows in memory: columns are sorted once, nodes of many rows are split one by one, the others whole.

A node is split by one thread, and nodes are shared out among threads: those of many rows level by level, and then all
subtrees of fewer rows. The tree does not depend on who grew what.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from novacula.table.chunk import Codes, Floats
from novacula.table.parallel import map_ordered
from novacula.tree.constants import GONE, ROW, TIE
from novacula.tree.growing.candidates import Candidates
from novacula.tree.growing.kinds import GrowthKind
from novacula.tree.growing.problem import UNLIMITED, Assembly, Features, Longs, Rules
from novacula.tree.structure import Tree

Entries = npt.NDArray[np.uint32]
T = TypeVar("T")
R = TypeVar("R")

LARGE = 20_000
"""Rows above which a node is split alone, so that its branches can go to different threads."""
FEW = 1_000
"""Rows up to which all is done sooner than threads are started."""
SORTED = 1 << 16
"""Values that are sorted at once: many columns of few rows, or one of many."""
LEVELS = 64
"""Levels down to which that is done: chains are not followed level by level."""


@dataclass(frozen=True)
class TreeExamples:
    """Rows in memory: numbers (n, d), codes (n, C), targets and weights (n,)."""

    numeric: Floats
    codes: Codes
    y: Codes | Floats
    weight: Floats

    def __len__(self) -> int:
        return len(self.y)


@dataclass(frozen=True)
class Task:
    """A leaf of the tree so far that may be split: its place, and its examples in arena[:, start:stop]."""

    node: int
    arena: Entries
    masses: Floats
    start: int
    stop: int
    depth: int
    total: Floats


class Grower:
    """Grows one tree; `n_cuts` is how many thresholds each sorted column offers."""

    def __init__(self, examples: TreeExamples, features: Features, kind: GrowthKind, rules: Rules) -> None:
        rows = np.flatnonzero(examples.weight > 0).astype(np.uint32)
        self.examples, self.features, self.kind, self.rules = examples, features, kind, rules
        self.arena = sorted_lists(examples.numeric, rows, features.sorted_columns)
        self.n_cuts = [int(np.count_nonzero(entries < GONE)) - 1 for entries in self.arena[1:]]
        if kind.lists_targets:
            targets = np.asarray(examples.y, np.float64)[:, None]
            self.arena = np.vstack([self.arena, sorted_lists(targets, rows, np.zeros(1, np.int64))[1:]])
        missing = bool((self.arena[1:, -1:] & GONE).any()) or bool(examples.codes.min(initial=0) < 0)
        self.splits_rows = rules.strategy.is_fractional and missing
        weight = examples.weight[rows]
        unit = not self.splits_rows and bool((weight == 1.0).all())
        self.masses = np.zeros(0) if unit else weight
        self.total = kind.total(examples.y[rows], weight)
        self.settings = kind.settings(rules, features, len(rows) if unit else 0)
        self.assembly = Assembly(self.total)
        self.record = kind.record()
        self.whole = features.data(examples.y, examples.codes, examples.numeric, np.zeros(0, np.int64))

    def grow(self) -> tuple[Tree, Candidates]:
        """The tree, and what was found for each attribute at its first nodes."""
        root = Task(0, self.arena, self.masses, 0, self.arena.shape[1], 0, self.total)
        level = [root] if self.kind.may_split(self.rules, self.total, 0) else []
        small: list[Task] = []
        for _ in range(LEVELS):
            recorded = self.record.takes(len(level))
            alone = [task for task in level if recorded or task.stop - task.start > LARGE]
            small += [task for task in level if not (recorded or task.stop - task.start > LARGE)]
            level = self._split(alone, recorded)
            if not level:
                break
        self._finish(small + level)
        return self.assembly.tree(self.kind.tree), self.record.candidates(self.features)

    def _split(self, tasks: Sequence[Task], recorded: bool) -> list[Task]:
        """Split each node once; gives its branches that may be split again."""
        following = []
        with closing(self._each(lambda task: self._grow(task, 1, recorded), tasks)) as results:
            for task, result in zip(tasks, results, strict=True):
                nodes, numbers, counts, arms, waiting, arena, masses, candidates, table = result
                first = self.assembly.add(task.node, nodes, numbers, counts, arms)
                if recorded:
                    self.record.add(task.node, candidates, table, counts[0])
                for node, start, stop, depth in waiting.tolist():
                    total = counts[node]
                    if self.splits_rows:  # branches may need more room than there is between their siblings
                        held, mass = arena[:, start:stop].copy(), masses[start:stop].copy()
                        following.append(Task(first + node - 1, held, mass, 0, stop - start, depth, total))
                    else:
                        following.append(Task(first + node - 1, arena, masses, start, stop, depth, total))
        return following

    def _finish(self, tasks: Sequence[Task]) -> None:
        tasks = sorted(tasks, key=lambda task: task.start - task.stop)  # large ones first: threads end together
        with closing(self._each(self._grow_whole, tasks)) as results:
            for task, part in zip(tasks, results, strict=True):
                self.assembly.add(task.node, *part)

    def _each(self, function: Callable[[Task], Any], tasks: Sequence[Task]) -> Generator[Any, None, None]:
        return each(function, tasks, self.arena.shape[1])

    def _grow_whole(self, task: Task) -> Any:
        """A subtree; of many rows over new numbers for its own, so that what belongs together lies together."""
        if self.arena.shape[1] <= FEW:
            return self._grow(task, UNLIMITED, False)[:4]
        entries = task.arena[:, task.start : task.stop]
        rows = entries[0] & ROW
        number = np.empty(len(self.examples), np.uint32)
        number[rows] = np.arange(len(rows), dtype=np.uint32)
        arena = number[entries & ROW] | (entries & ~ROW)
        masses = task.masses[task.start : task.stop].copy()
        local = Task(task.node, arena, masses, 0, len(rows), task.depth, task.total)
        return self._grow(local, UNLIMITED, False, rows.astype(np.int64))[:4]

    def _grow(self, task: Task, splits: int, record: bool, origin: Longs | None = None) -> Any:
        rows = self.examples
        if origin is None:
            data = self.whole
        else:
            data = self.features.data(rows.y[origin], rows.codes[origin], rows.numeric, origin)
        place = task.arena, task.masses, task.start, task.stop, task.depth, task.total
        return self.kind.grow(*place, splits, record, data, self.settings)


def each(function: Callable[[T], R], items: Sequence[T], n_rows: int) -> Generator[R, None, None]:
    """Results in order, by threads where there are rows enough to be worth starting them."""
    yield from map(function, items) if n_rows <= FEW else map_ordered(function, items)


def sorted_lists(numeric: Floats, rows: Entries, columns: Longs) -> Entries:
    """List 0 has the rows in order, each further one those of a column, sorted by value, missing ones last."""
    arena = np.empty((1 + len(columns), len(rows)), np.uint32)
    arena[0] = rows

    def fill(start: int) -> None:
        values = np.ascontiguousarray(numeric[np.ix_(rows, columns[start : start + block])].T)
        order = np.argsort(values, axis=1)
        values = np.take_along_axis(values, order, axis=1)
        entries = rows[order]
        entries[:, 1:] |= np.where(values[:, 1:] == values[:, :-1], TIE, np.uint32(0))
        if np.isnan(values[:, -1:]).any():  # those that are missing come last
            entries[np.isnan(values)] |= GONE
        arena[1 + start : 1 + start + len(values)] = entries

    block = max(SORTED // max(len(rows), 1), 1)
    with closing(each(fill, range(0, len(columns), block), len(rows))) as filled:
        for _ in filled:
            pass
    return arena
