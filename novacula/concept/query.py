"""What to ask next: the instance on which the members of a version space are most divided, and a dialogue of such.

A yes keeps the members that accept the instance, a no the others, so an even division halves the version space. A
question that always divides evenly identifies the concept in ⌈log₂ size⌉ questions, and no strategy can do with fewer
for every concept.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from novacula.concept.conjunction import Conjunction, Positions
from novacula.concept.counting import close_upwards
from novacula.concept.derivation.questions import derive_questions, halving_figure
from novacula.concept.space import all_places
from novacula.concept.version_space import Box, VersionSpace
from novacula.errors import DataError
from novacula.learner.figure import Figure
from novacula.learner.showing import ShowsWork, WorkOptions
from novacula.learner.work import Work
from novacula.words import counted

MAX_PATTERNS = 1 << 20
"""Patterns of agreement with s up to which the search is exact, once there is a positive."""
MAX_INSTANCES = 4096
"""Instances up to which it is exact before."""


@dataclass(frozen=True)
class Identification(ShowsWork):
    """What was found by asking: the hypothesis, each instance with its answer, and how many members each left."""

    hypothesis: Conjunction
    queries: tuple[tuple[Mapping[str, Any], bool], ...]
    sizes: tuple[int, ...]

    @property
    def size_before(self) -> int:
        """Members of the version space before the first question."""
        return self.sizes[0]

    @property
    def size_after(self) -> int:
        """Members that are left."""
        return self.sizes[-1]

    @property
    def n_queries(self) -> int:
        """How many questions were asked."""
        return len(self.queries)

    @property
    def bound(self) -> int:
        """⌈log₂ of the members there were before⌉: what the best questions would have taken at most."""
        return (self.size_before - 1).bit_length()

    def _derive(self, options: WorkOptions) -> Work:
        return derive_questions(self)

    def plot(self) -> Figure:
        """Draw the members that are left after each question, beside what even divisions would leave."""
        return halving_figure(self.sizes)

    def __str__(self) -> str:
        left = (
            "is left"
            if self.size_after == 1
            else f"is the most specific of {self.size_after:,} that no question divides"
        )
        questions = counted(self.n_queries, "question")
        return f"{self.hypothesis} {left} after {questions}; ⌈log₂ {self.size_before:,}⌉ = {self.bound}"


def truth_of(answer: Any, classes: Any, positive: Any) -> bool:
    """Whether an oracle said yes: its answer is one of the classes, of which `positive` is the concept's, or a bool."""
    for label in classes.tolist():
        if type(answer) is type(label) and answer == label:
            return bool(label == positive)
    if isinstance(answer, (bool, np.bool_)):
        return bool(answer)
    raise DataError(f"the oracle answered {answer!r}, which is neither true or false nor a label")


def nearest_half(members: VersionSpace, rows: Positions) -> int | None:
    """The number of the row whose vote is nearest one half; ties go to the first; None if none is divided."""
    gaps = [abs(2 * yes - members.size) for yes in members.votes(rows)]
    best = min(range(len(gaps)), key=gaps.__getitem__, default=None)
    return None if best is None or gaps[best] == members.size else best


def most_divided(members: VersionSpace) -> Positions | None:
    """The instance of the whole space whose vote is nearest one half; None if none is divided."""
    space = members.space
    if members.box is not None:
        _, room = members.chains(*members.box, members.negatives)
        if math.prod((room + 1).tolist()) <= MAX_PATTERNS:
            return _by_patterns(members, members.box)
    elif space.n_instances <= MAX_INSTANCES:
        rows = 2 * all_places(space.sizes)
        best = nearest_half(members, rows)
        return None if best is None else rows[best]
    return _by_exchange(members)


def _by_patterns(members: VersionSpace, box: Box) -> Positions | None:
    """Votes for every pattern at once: sums over a table of members, one cell per combination of steps."""
    ease, room = members.chains(*box, members.negatives)
    used = room > 0  # NumPy has no more than 64 axes
    fails = np.zeros((room[used] + 1).tolist(), bool)
    fails[tuple(ease[:, used].T)] = True
    close_upwards(fails)
    votes = _upper_sums(~fails).ravel()
    strides = np.cumprod([1, *(room[:0:-1] + 1)])[::-1]
    choices = [_choices(members, box, j, strides) for j in range(len(box[0]))]
    cells = np.zeros(1, np.int64)
    for _, offsets in choices:
        cells = (cells[:, None] + offsets).ravel()
    gaps = np.abs(2 * votes[cells] - votes[0])
    best = int(np.argmin(gaps))
    if gaps[best] == votes[0]:
        return None
    picked = np.unravel_index(best, [len(offsets) for _, offsets in choices])
    return np.array([positions[k] for (positions, _), k in zip(choices, picked, strict=True)], np.int64)


def _choices(members: VersionSpace, box: Box, attribute: int, strides: Any) -> tuple[Positions, Any]:
    """Values of an attribute that votes distinguish, and where each leads in the flat table."""
    values = 2 * np.arange(members.space.sizes[attribute])
    rows = np.tile(np.maximum(box[0], 0), (len(values), 1))
    rows[:, attribute] = values
    ease, _ = members.chains(*box, rows)
    _, first = np.unique(ease, axis=0, return_index=True)
    first.sort()
    return values[first], ease[first] @ strides


def _upper_sums(table: Any) -> Any:
    """For each cell the sum of those that are at least equal to it."""
    sums = table.astype(np.int64)
    for axis in range(sums.ndim):
        sums = np.flip(np.cumsum(np.flip(sums, axis), axis=axis), axis)
    return sums


def _by_exchange(members: VersionSpace) -> Positions | None:
    """Change one value at a time for as long as the vote comes nearer to one half."""
    row = _start(members)
    if row is None:
        return None
    gap, better = abs(2 * members.votes(row[None])[0] - members.size), True
    while better:
        better = False
        for j, m in enumerate(members.space.sizes.tolist()):
            rows = np.tile(row, (m, 1))
            rows[:, j] = 2 * np.arange(m)
            gaps = [abs(2 * yes - members.size) for yes in members.votes(rows)]
            if min(gaps) < gap:
                gap, row, better = min(gaps), rows[int(np.argmin(gaps))], True
    return None if gap == members.size else row


def _start(members: VersionSpace) -> Positions | None:
    """An instance that S accepts; before the first positive, one that is not a negative."""
    if members.box is not None:
        return np.maximum(members.box[0], 0)
    negatives = {row.tobytes() for row in members.negatives}
    rows = (np.array(members.space.instance(x)) for x in members.space.instances())
    return next((row for row in islice(rows, len(negatives) + 1) if row.tobytes() not in negatives), None)
