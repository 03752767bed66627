"""Exact counts of what rejects every negative example, without listing it.

Once there is a positive example, all members of a version space lie above one conjunction s. A member frees each
constraint of s to some extent: a nominal one is kept or freed, an interval is widened at either end by some values.
So a member is a *step* on each of some *chains*, from 0 to the chain's room, and it rejects a negative x iff on some
chain its step is less than the *ease* of x there: how far x lies beyond s. With one step per chain this is the family
of hitting sets of the D(x) = {i : xᵢ ≠ sᵢ}.

Two exact methods serve. A table over all combinations of steps marks those that some x satisfies, and closes the marks
upwards one chain at a time. Where it would be too large, a frontier is carried from one dial to the next: how many
choices so far leave which negatives to be rejected.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from operator import and_
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from novacula.errors import DataError
from novacula.table.equal_rows import equal_rows

Ease: TypeAlias = npt.NDArray[np.int64]  # (negatives, chains)
Chain: TypeAlias = tuple[npt.NDArray[np.intp], list[int]]
"""The level of each negative, and the number of steps of each level."""
Dial: TypeAlias = Sequence[tuple[int, int]]
"""Independent choices: how many there are that let the same negatives through, and which, as bits."""

SMALL_TABLE = 1 << 16
"""Cells up to which a table is made at once, since to simplify first would take longer."""
LARGE_TABLE = 1 << 23
"""Cells up to which a table is made at all; they are bytes."""
MAX_STATES = 200_000
"""States beyond which a frontier is given up, for the memory that they take."""
STATE = 16
"""Cells of a table that take the time of one state of a frontier."""
ALLOWANCE = 1 << 26
"""Cells that one question may take, some seconds; see `CountingEffort`."""


class TooManyStatesError(DataError):
    """A frontier was given up."""


class CountingEffort:
    """What is left of the cells that a question may take, so that no count goes on for hours."""

    def __init__(self, allowance: int | None = None) -> None:
        self.allowance = self.left = ALLOWANCE if allowance is None else allowance

    def spend(self, cells: int) -> None:
        """Take cells from what is left, or say that it is used up."""
        self.left -= cells
        if self.left < 0:
            raise DataError(
                f"an exact count for these examples takes more than {self.allowance:,} steps, which is the limit: ask "
                f"about fewer rows at a time, add a positive example, or use fewer attributes or distinct numbers"
            )


def count_steps(ease: Ease, room: Ease, effort: CountingEffort) -> int:
    """How many combinations of steps, 0 to room (chains,), reject every row of ease (negatives, chains)."""
    if not ease.any(axis=1).all():
        return 0  # a negative that satisfies s is rejected by nothing above it
    used = ease.any(axis=0)
    free = math.prod((room[~used] + 1).tolist())
    if not len(ease):
        return free
    chains = _levels(ease[:, used], room[used])
    if _cells(chains) <= SMALL_TABLE:
        return free * _count_by_table(chains, effort)
    hardest = ease[minimal_rows(ease)]
    free = math.prod((room[~hardest.any(axis=0)] + 1).tolist())
    return free * math.prod(_count_component(part, room[chosen], effort) for part, chosen in _components(hardest))


def _count_component(ease: Ease, room: Ease, effort: CountingEffort) -> int:
    chains = _levels(ease, room)
    if _cells(chains) <= LARGE_TABLE:
        return _count_by_table(chains, effort)
    try:
        return count_choices([_dial(*chain) for chain in chains], len(ease), effort)
    except TooManyStatesError:
        return _count_by_branches(ease, room, effort)


def _count_by_branches(ease: Ease, room: Ease, effort: CountingEffort) -> int:
    """Take the levels of one chain one by one, until what is left fits a table."""
    ease = ease[minimal_rows(ease)]
    chains = _levels(ease, room)
    if _cells(chains) <= LARGE_TABLE:
        return count_steps(ease, room, effort)
    chain = int(np.argmax((ease > 0).sum(axis=0)))
    level, weights = chains[chain]
    ease, room = np.delete(ease, chain, axis=1), np.delete(room, chain)
    rows = (ease[level <= k] for k in range(len(weights)))
    branches = zip(weights, rows, strict=True)
    return sum(weight * _count_by_branches(left, room, effort) for weight, left in branches if left.any(axis=1).all())


def minimal_rows(ease: Ease) -> npt.NDArray[np.intp]:
    """Which rows no other row is at most equal to, each once: whoever rejects these rejects the others too."""
    first = equal_rows(ease).first
    first = first[np.argsort(ease[first].sum(axis=1), kind="stable")]
    rest, kept = ease[first], []
    while len(rest):
        kept.append(first[0])
        left = ~(rest >= rest[0]).all(axis=1)
        rest, first = rest[left], first[left]
    return np.array(kept, np.intp)


def _components(ease: Ease) -> Iterator[tuple[Ease, Any]]:
    """Rows and chains that have nothing to do with the others."""
    touched = ease > 0
    left = np.ones(len(ease), bool)
    while left.any():
        rows: Any = np.zeros(len(ease), bool)
        rows[np.argmax(left)] = True
        while True:
            chains = touched[rows].any(axis=0)
            grown = touched[:, chains].any(axis=1)
            if (grown == rows).all():
                break
            rows = grown
        yield ease[np.ix_(rows, chains)], chains
        left &= ~rows


# --- by a table -----------------------------------------------------------------------------------------------------


def _levels(ease: Ease, room: Ease) -> list[Chain]:
    """For each chain the level of each negative, and how many steps each level has.

    Steps that reject the same negatives are one level: at level k those of level k or below are let through.
    """
    chains = []
    for column, end in zip(ease.T, room.tolist(), strict=True):
        steps = np.unique(column[column > 0])
        weights = np.diff([0, *steps.tolist(), end + 1]).tolist()
        chains.append((np.searchsorted(steps, column, side="right"), weights))
    return chains


def _cells(chains: Sequence[Chain]) -> int:
    return math.prod(len(weights) for _, weights in chains)


def _count_by_table(chains: Sequence[Chain], effort: CountingEffort) -> int:
    effort.spend(_cells(chains))
    shape = [len(weights) for _, weights in chains]
    let_through: Any = np.zeros(shape, bool)
    let_through[tuple(level for level, _ in chains)] = True
    close_upwards(let_through)
    return _weighted_sum(~let_through, [weights for _, weights in chains])


def close_upwards(table: npt.NDArray[np.bool_]) -> None:
    """Mark every cell that is at least equal to a marked one, in place."""
    for axis, length in enumerate(table.shape):
        lines = table.reshape(math.prod(table.shape[:axis]), length, -1)
        for k in range(1, length):
            lines[:, k] |= lines[:, k - 1]


def _weighted_sum(cells: Any, weights: Sequence[Sequence[int]]) -> int:
    """Σ over true cells of the product of their weights, one axis after the other; integers of any size."""
    bound = 1
    for weight in weights:
        bound *= sum(weight)
        kind = np.int32 if bound < 2**31 else np.int64 if bound < 2**63 else object
        lines = cells.reshape(len(weight), -1)
        cells = np.zeros(lines.shape[1], kind)
        for w, line in zip(weight, lines, strict=True):
            cells += line if w == 1 else line.astype(kind) * w
    return int(cells[0])


# --- by a frontier --------------------------------------------------------------------------------------------------


def _dial(level: npt.NDArray[np.intp], weights: Sequence[int]) -> Dial:
    return [(weight, mask_of(level <= k)) for k, weight in enumerate(weights)]


def mask_of(flags: npt.NDArray[np.bool_]) -> int:
    """Flags as bits of an integer, the first one lowest."""
    return int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little")


def count_choices(dials: Sequence[Dial], n: int, effort: CountingEffort) -> int:
    """How many combinations of one choice a dial let none of n negatives through."""
    everything = (1 << n) - 1
    dials = _in_order(dials, everything)
    ways, certain = [1], [everything]  # choices on the dials to come, and negatives that they all let through
    for dial in reversed(dials):
        ways.append(ways[-1] * sum(weight for weight, _ in dial))
        certain.append(certain[-1] & always_passing(mask for _, mask in dial))
    if not n:
        return ways[-1]
    found, frontier = 0, {everything: 1}
    for dial, rest, hopeless in zip(dials, ways[-2::-1], certain[-2::-1], strict=True):
        effort.spend(STATE * len(frontier) * len(dial))
        reached: defaultdict[int, int] = defaultdict(int)
        for left, count in frontier.items():
            for weight, passing in dial:
                still = left & passing
                if not still:
                    found += count * weight * rest
                elif not still & hopeless:
                    reached[still] += count * weight
        frontier = reached
        if len(frontier) > MAX_STATES:
            raise TooManyStatesError(
                f"these examples leave more than {MAX_STATES:,} cases apart at once, which is the limit for an exact "
                f"count: add a positive example, or use fewer attributes or fewer distinct numbers"
            )
    return found


def always_passing(masks: Iterable[int]) -> int:
    """Negatives that every one of some choices lets through."""
    return reduce(and_, masks)


def _in_order(dials: Sequence[Dial], everything: int) -> list[Dial]:
    """Dials such that a negative's come close together: then few negatives are open at a time."""
    rejectable = [everything & ~always_passing(mask for _, mask in dial) for dial in dials]
    left, touched, order = set(range(len(dials))), 0, []
    while left:
        near = [i for i in left if rejectable[i] & touched] or left
        chosen = min(near, key=lambda i: ((rejectable[i] & ~touched).bit_count(), i))
        order.append(dials[chosen])
        touched |= rejectable[chosen]
        left.remove(chosen)
    return order
