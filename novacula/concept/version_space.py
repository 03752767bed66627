"""The version space of some examples: every conjunction that says yes to the positives and no to the negatives.

It is kept as two things: the box s of the positives, which is the one member of S, and the negatives that matter. From
these come the exact size, votes, both boundaries and the members one by one. The members that accept an instance x are
the version space with x as one more positive, so a vote is a size.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from operator import or_
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from novacula.concept.boundary import MAX_BOUNDARY, Cut, minimal_cuts
from novacula.concept.conjunction import Conjunction, Positions, Range, boxed, inside, join
from novacula.concept.counting import (
    ALLOWANCE,
    CountingEffort,
    Dial,
    Ease,
    always_passing,
    count_choices,
    count_steps,
    mask_of,
    minimal_rows,
)
from novacula.concept.space import ConjunctiveSpace
from novacula.table.equal_rows import equal_rows

Box: TypeAlias = tuple[Positions, Positions]  # lowest and highest positions (d,)
Flags: TypeAlias = npt.NDArray[np.bool_]

_BLOCK = 1 << 22  # comparisons made at a time
_PER_ROW = 1 << 17  # cells of tables that each row asked about adds to what a question may take


@dataclass(frozen=True, eq=False)
class VersionSpace:
    """The conjunctions of a space that fit positives with the given box, None if there are none, and negatives."""

    space: ConjunctiveSpace
    box: Box | None
    negatives: Positions  # (n, d), distinct

    @classmethod
    def of(cls, space: ConjunctiveSpace, positives: Positions, negatives: Positions) -> VersionSpace:
        """The version space of examples given as positions (n, d)."""
        return cls(space, box_of(space, positives), negatives[equal_rows(negatives).first])

    # --- what it holds ---------------------------------------------------------------------------------------------

    @cached_property
    def size(self) -> int:
        """How many members it has."""
        if self.box is None:
            return 1 + count_choices(self._dials(), len(self.negatives), CountingEffort())
        return self._count(*self.box, CountingEffort())

    @cached_property
    def is_empty(self) -> bool:
        """Whether no conjunction fits: a negative lies in the box of the positives."""
        return self.box is not None and bool(inside(*self.box, self.negatives).any())

    @cached_property
    def specific(self) -> tuple[Conjunction, ...]:
        """S: the most specific members."""
        if self.is_empty:
            return ()
        if self.box is None:
            return (self.space.most_specific,)
        return (boxed(self.space, self.box[0][None], self.box[1][None]),)

    @cached_property
    def general(self) -> tuple[Conjunction, ...]:
        """G: the most general members, in order."""
        return self.most_general(MAX_BOUNDARY)

    def most_general(self, limit: int) -> tuple[Conjunction, ...]:
        """G, or a DataError if it has more members than the limit."""
        if self.is_empty:
            return ()
        cuts = self._cuts(self.hardest)
        found = minimal_cuts(cuts, len(self.hardest), limit)
        return self._cut_down(cuts, found) if found else (self.space.most_specific,)

    def members(self) -> Iterator[Conjunction]:
        """Every member, one by one; ∅ first where it is one."""
        if self.is_empty:
            return
        if self.box is None:
            yield self.space.most_specific
        negatives = self.hardest
        options = [self._options(j, negatives) for j in range(len(self.space.names))]
        everything = (1 << len(negatives)) - 1
        always = [everything]  # what the attributes from j on let through under any of their constraints
        for choices in reversed(options):
            always.append(always[-1] & always_passing(mask for _, mask in choices))
        yield from self._walk(options, always[::-1], (), everything)

    def _walk(
        self,
        options: Sequence[list[tuple[Range, int]]],
        always: Sequence[int],
        chosen: tuple[Range, ...],
        left: int,
    ) -> Iterator[Conjunction]:
        if left & always[len(chosen)]:
            return
        if len(chosen) == len(options):
            yield Conjunction.of_ranges(self.space, chosen)
            return
        for constraint, passing in options[len(chosen)]:
            yield from self._walk(options, always, (*chosen, constraint), left & passing)

    # --- instances -------------------------------------------------------------------------------------------------

    def votes(self, rows: Positions) -> list[int]:
        """How many members each row of positions (n, d) satisfies."""
        low, high = join(self.space, self.box, rows, rows)
        same = equal_rows(np.hstack([low, high]))
        effort = CountingEffort(ALLOWANCE + _PER_ROW * len(same.first))
        counts = [self._count(low[i], high[i], effort) for i in same.first]
        return [counts[k] for k in same.kind.tolist()]

    def decide(self, rows: Positions) -> npt.NDArray[np.int64]:
        """Give 1 where every member says yes, −1 where none does, and 0 where they differ."""
        yes = np.zeros(len(rows), bool) if self.box is None else inside(*self.box, rows)
        return np.where(yes, 1, np.where(self._rejected(rows), -1, 0))

    def _rejected(self, rows: Positions) -> Flags:
        """Whether s, widened to let a row in, lets in a negative as well: then no member does without."""
        low, high = join(self.space, self.box, rows, rows)
        negatives, found = self.hardest, np.zeros(len(rows), bool)
        step = max(1, _BLOCK // max(1, negatives.size))
        for start in range(0, len(rows), step):
            block = slice(start, start + step)
            found[block] = inside(low[block, None], high[block, None], negatives).any(axis=1)
        return found

    def n_decided(self) -> tuple[int, int]:
        """How many instances of the space are certain: those every member accepts, and those none does."""
        if self.box is None:
            return 0, len(self.negatives)
        low, high = self.box
        yes = math.prod(np.where(low < 0, self.space.sizes, (high - low) // 2 + 1).tolist())
        dials = [self._beyond(j) for j in range(len(self.space.names))]
        return yes, self.space.n_instances - count_choices(dials, len(self.hardest), CountingEffort())

    def _beyond(self, attribute: int) -> Dial:
        """For each value the negatives that s lets in on this attribute once it lets in the value."""
        places = 2 * np.arange(self.space.sizes[attribute])
        rows = np.zeros((len(places), len(self.space.names)), np.int64)
        rows[:, attribute] = places
        low, high = join(self.space, self.box, rows, rows)
        column = self.hardest[:, attribute]
        passing = (low[:, attribute, None] <= column) & (column <= high[:, attribute, None])
        return [(count, mask) for mask, count in Counter(map(mask_of, passing)).items()]

    # --- parts of its size -------------------------------------------------------------------------------------------

    def n_accepting(self, rows: Positions) -> npt.NDArray[np.int64]:
        """How many constraints on each attribute (d,) the positives meet, and these rows (n, d) of the space too."""
        sizes, low, high = self.space.sizes, rows // 2, rows // 2
        if self.box is not None:
            free = self.box[0] < 0
            low = np.vstack([low, np.where(free, 0, self.box[0] // 2)])
            high = np.vstack([high, np.where(free, sizes - 1, self.box[1] // 2)])
        if not len(low):
            return np.array(self.space.constraint_counts)
        first, last = low.min(axis=0), high.max(axis=0)
        return np.where(self.space.is_ordered, (first + 1) * (sizes - last), np.where(first == last, 2, 1))

    def by_one_constraint(self) -> list[tuple[int, int]]:
        """The members but ∅ by what they ask of one attribute: how many such constraints, and of all the others.

        Constraints that let the same negatives in are counted together.
        """
        if self.box is None:
            first, *others = self._dials()
            effort = CountingEffort()
            return [(weight, _others(others, left, effort)) for weight, left in first]
        ease, room = self.chains(*self.box, self.hardest)
        used = [int(c) for c in np.flatnonzero(ease.any(axis=0))]
        chain = min(used, key=lambda c: len(np.unique(ease[:, c])))
        steps = [0, *np.unique(ease[:, chain][ease[:, chain] > 0]).tolist(), int(room[chain]) + 1]
        kept, effort = np.delete(ease, chain, axis=1), CountingEffort()
        return [
            (stop - start, count_steps(kept[ease[:, chain] <= start], np.delete(room, chain), effort))
            for start, stop in pairwise(steps)
        ]

    # --- how ----------------------------------------------------------------------------------------------------------

    @cached_property
    def hardest(self) -> Positions:
        """The negatives that matter: whoever rejects these rejects all. Before a positive all of them matter."""
        if self.box is None or not len(self.negatives):
            return self.negatives
        ease, _ = self.chains(*self.box, self.negatives)
        return self.negatives[np.sort(minimal_rows(ease))]

    def _count(self, low: Positions, high: Positions, effort: CountingEffort) -> int:
        return count_steps(*self.chains(low, high, self.hardest), effort)

    def chains(self, low: Positions, high: Positions, negatives: Positions) -> tuple[Ease, Ease]:
        """How far each negative lies beyond a box on each chain (n, 2d), and the chains' room (2d,).

        The first d chains widen intervals downwards, or free nominal constraints; the others widen upwards.
        """
        ordered, top = self.space.is_ordered, 2 * self.space.sizes - 2
        kept = low >= 0
        low, high = np.maximum(low, 0), np.minimum(high, top)
        below = np.where(ordered, np.maximum(low - negatives, 0) // 2, (negatives < low) | (negatives > high))
        above = np.where(ordered, np.maximum(negatives - high, 0) // 2, 0)
        room = np.hstack([np.where(ordered, low // 2, kept), np.where(ordered, (top - high) // 2, 0)])
        return np.hstack([below, above]), room

    def _options(self, attribute: int, negatives: Positions) -> list[tuple[Range, int]]:
        """The constraints on an attribute that positives allow, and the negatives that each lets through."""
        options = self.space.ranges(attribute)
        if self.box is not None:
            low, high = int(self.box[0][attribute]), int(self.box[1][attribute])
            options = [(a, b) for a, b in options if a <= low and high <= b]
        column = negatives[:, attribute]
        return [((a, b), mask_of((a <= column) & (column <= b))) for a, b in options]

    def _dials(self) -> list[Dial]:
        """Before a positive: for each attribute its constraints, those that let the same negatives through as one."""
        dials: list[Dial] = []
        for j, ordered in enumerate(self.space.is_ordered):
            column = self.negatives[:, j]
            at = [mask_of(column == 2 * k) for k in range(self.space.sizes[j])]
            if ordered:
                masks = Counter(mask for a in range(len(at)) for mask in accumulate(at[a:], or_))
            else:
                masks = Counter([*at, (1 << len(column)) - 1])
            dials.append([(count, mask) for mask, count in masks.items()])
        return dials

    def _cuts(self, negatives: Positions) -> list[Cut]:
        return [cut for j in range(len(self.space.names)) for cut in self._cuts_on(j, negatives[:, j]) if cut.exactly]

    def _cuts_on(self, attribute: int, column: Positions) -> Iterator[Cut]:
        """The cuts on one attribute that positives allow."""
        least, most = self.space.any_range(attribute)
        low, high = (most, least) if self.box is None else (int(self.box[0][attribute]), int(self.box[1][attribute]))
        if not self.space.is_ordered[attribute]:
            values = range(0, most, 2) if self.box is None else [low] if low >= 0 else []
            for value in values:
                rejected = mask_of(column != value)
                yield Cut(attribute, "value", value, value, rejected, rejected)
            return
        for place in np.unique(column).tolist():
            if place < low and place + 2 < most:
                yield Cut(attribute, "low", place + 2, most, mask_of(column <= place), mask_of(column == place))
            if place > high and place - 2 > least:
                yield Cut(attribute, "high", least, place - 2, mask_of(column >= place), mask_of(column == place))

    def _cut_down(self, cuts: Sequence[Cut], chosen: Sequence[Sequence[int]]) -> tuple[Conjunction, ...]:
        """⟨?, …, ?⟩ with each of the chosen sets of cuts made, in order; there may be very many."""
        top = 2 * self.space.sizes - 2
        low, high = np.full((len(chosen), len(top)), -1), np.tile(top + 1, (len(chosen), 1))
        row = np.repeat(np.arange(len(chosen)), [len(each) for each in chosen])
        cut = np.array([i for each in chosen for i in each], np.intp)
        at = row, np.array([c.attribute for c in cuts], np.intp)[cut]
        np.maximum.at(low, at, np.array([c.low for c in cuts], np.int64)[cut])
        np.minimum.at(high, at, np.array([c.high for c in cuts], np.int64)[cut])
        cut_off = (low >= 0) | (high <= top)
        low, high = np.where(cut_off, np.maximum(low, 0), -1), np.where(cut_off, np.minimum(high, top), top + 1)
        keys = [key for j in range(len(top)) for key in (low[:, j] < 0, low[:, j], high[:, j])]
        order = np.lexsort(keys[::-1])
        rows = zip(low[order].tolist(), high[order].tolist(), strict=True)
        return tuple(Conjunction(self.space, tuple(a), tuple(b)) for a, b in rows)


def _others(dials: Sequence[Dial], left: int, effort: CountingEffort) -> int:
    """How many combinations of one choice a dial let none of some negatives, as bits, through."""
    if not left:
        return math.prod(sum(weight for weight, _ in dial) for dial in dials)
    kept = [[(weight, mask & left) for weight, mask in dial] for dial in dials]
    return count_choices(kept, left.bit_length(), effort)


def box_of(space: ConjunctiveSpace, positives: Positions) -> Box | None:
    """The least constraints that accept every row of positions (n, d); None where there is none."""
    if not len(positives):
        return None
    low, high = join(space, None, positives.min(axis=0)[None], positives.max(axis=0)[None])
    return low[0], high[0]
