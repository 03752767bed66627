"""Rows as showings: a row of weight s is shown s times, and a last showing that is a fraction counts its share.

Showings are numbered in the order of the rows, and cut into windows by their numbers. Each window gets an
order of its own and taught in batches. So the batches depend neither on how the rows are cut into chunks nor on
where they come from, and a row of weight 2 is two rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Self, TypeVar

import numpy as np
import numpy.typing as npt

from novacula.errors import DataError
from novacula.linear.online.passes import dense_blocks
from novacula.neural.training.targets import Targets
from novacula.statistics.base import Statistic
from novacula.table import Chunk, Table
from novacula.table.chunk import Floats
from novacula.table.recording import recorded, unrecorded
from novacula.table.row_keys import mixed

T = TypeVar("T")

WINDOW = 1 << 24
"""Numbers of a window of showings: 64 MB in single precision. What fits into one is shuffled as a whole."""
MANY, MOST_TIMES = 10_000_000, 100
"""Showings of an epoch, in all and for a row on average, that are too many if both are exceeded."""
ROUNDING = 1e-12
"""The share of a weight that may be rounding, for which a row is not shown once more."""


@dataclass(frozen=True, slots=True, eq=False)
class Tally(Statistic):
    """The weight of rows, how often they are shown, and how large they are: three numbers for any number of rows."""

    weight: float
    showings: float
    size: float  # Σ weight (Σ|x| + Σ|t|), which is not finite if some number is not

    @classmethod
    def zero(cls) -> Self:
        """No rows."""
        return cls(0.0, 0.0, 0.0)

    @classmethod
    def observe(cls, chunk: Chunk, targets: Targets) -> Self:
        """Count a chunk's rows; those without weight have no part in it."""
        chunk, size = chunk.counted(), 0.0
        weight = targets.weight(chunk)
        with np.errstate(over="ignore"):
            for x, piece in dense_blocks(chunk):
                sizes = np.abs(x).sum(axis=1) + np.abs(targets.of(piece)).sum(axis=1)
                size += float(piece.weight @ sizes)
        return cls(float(weight.sum()), float(times_shown(weight).sum()), size)

    def __add__(self, other: Self) -> Self:
        return type(self)(self.weight + other.weight, self.showings + other.showings, self.size + other.size)

    @property
    def share(self) -> float:
        """The mean share of a showing."""
        return self.weight / self.showings

    def require_few_showings(self, table: Table) -> None:
        """Refuse weights that would make epochs without end."""
        if self.showings > MANY and self.showings > MOST_TIMES * len(table):
            raise DataError(
                f"the weights sum to {self.weight:.3g} for {len(table)} rows, and a row is shown as often as its "
                "weight says: divide the weights by their mean, or take a solver of all rows such as 'lbfgs'"
            )


@dataclass(frozen=True, eq=False)
class NetworkShowings:
    """Showings: their rows (m, d), their targets (m, k) and their shares (m,), in the precision of the training."""

    x: npt.NDArray[Any]
    t: npt.NDArray[Any]
    share: npt.NDArray[Any]

    def __len__(self) -> int:
        return len(self.share)

    def part(self, start: int, stop: int) -> Self:
        """Showings start to stop."""
        return type(self)(self.x[start:stop], self.t[start:stop], self.share[start:stop])

    @classmethod
    def joined(cls, pieces: Sequence[Self]) -> Self:
        """One after the other."""
        if len(pieces) == 1:
            return pieces[0]
        return cls(*(np.concatenate([getattr(piece, name) for piece in pieces]) for name in ("x", "t", "share")))


@dataclass(frozen=True, eq=False)
class Feed:
    """How chunks become windows of showings; some may be held out, by their numbers and a seed."""

    targets: Targets
    dtype: str
    capacity: int  # showings of a window
    held_out: float = 0.0  # the share of the showings that is held out
    seed: int = 0
    aside: bool = False  # whether the windows are of those held out, rather than of the others

    def other(self) -> Self:
        """The same of the showings that are held out."""
        return replace(self, aside=True)

    def showings(self, x: Floats, chunk: Chunk, number: int) -> tuple[NetworkShowings, int]:
        """The showings of a chunk, with its columns x, that are wanted; and the number after the last of all.

        `number` is that of the first.
        """
        weight = self.targets.weight(chunk)
        times = times_shown(weight).astype(np.int64)
        row = np.repeat(np.arange(len(chunk)), times)
        share, some = np.ones(len(row)), times > 0
        share[np.cumsum(times)[some] - 1] = (weight - times + 1.0)[some]
        if self.held_out:
            wanted = held_out(number, len(row), self.seed, self.held_out) == self.aside
            row, share = row[wanted], share[wanted]
        made = (np.ascontiguousarray(array, self.dtype) for array in (x[row], self.targets.of(chunk)[row], share))
        return NetworkShowings(*made), number + int(times.sum())


def times_shown(weight: Floats) -> Floats:
    """How often a row of each weight is shown, a fraction at the end included: whole numbers."""
    return np.asarray(np.ceil(weight * (1.0 - ROUNDING)))


def held_out(start: int, count: int, seed: int, fraction: float) -> npt.NDArray[np.bool_]:
    """Which of the showings from number `start` on are held out."""
    key = mixed(np.full(count, seed, np.uint64), np.arange(start, start + count, dtype=np.uint64))
    return np.asarray((key >> np.uint64(11)).astype(np.float64) * 2.0**-53 < fraction)


def capacity(columns: int, batch: int) -> int:
    """Showings of a window: whole batches, as many as a window holds and at least one."""
    return max(1, WINDOW // max(1, columns * batch)) * batch


# --- windows of a table -------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Filling(Generic[T]):
    """The state of a pass: that of the step, showings that do not fill a window yet, and what was counted."""

    state: T
    pieces: tuple[NetworkShowings, ...] = ()
    number: int = 0  # of the next showing
    window: int = 0  # of the next window

    @property
    def count(self) -> int:
        """Showings that wait."""
        return sum(map(len, self.pieces))


def fill(filling: Filling[T], chunk: Chunk, feed: Feed, step: Callable[..., T], args: tuple[Any, ...]) -> Filling[T]:
    """Add a chunk's showings, and take a step with each window that they fill."""
    for x, piece in dense_blocks(chunk):
        piece_showings, number = feed.showings(x, piece, filling.number)
        filling, start = replace(filling, number=number), 0
        while filling.count + len(piece_showings) - start >= feed.capacity:
            stop = start + feed.capacity - filling.count
            filling = emptied(replace(filling, pieces=(*filling.pieces, piece_showings.part(start, stop))), step, args)
            start = stop
        if start < len(piece_showings):
            filling = replace(filling, pieces=(*filling.pieces, piece_showings.part(start, len(piece_showings))))
    return filling


def emptied(filling: Filling[T], step: Callable[..., T], args: tuple[Any, ...]) -> Filling[T]:
    """Take a step with what waits, if anything does."""
    if not filling.pieces:
        return filling
    state = step(filling.state, NetworkShowings.joined(filling.pieces), filling.window, *args)
    return replace(filling, state=state, pieces=(), window=filling.window + 1)


@dataclass(eq=False)
class Windows:
    """The windows of a table, in order; where one holds all, it is filled once and kept."""

    table: Table
    feed: Feed
    showings: int  # of the table, at most
    _kept: NetworkShowings | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        if self.showings <= self.feed.capacity:
            with unrecorded():  # it is the rows themselves
                self._kept = self.fold(keep, NetworkShowings(*np.empty((3, 0))))

    @property
    def kept(self) -> NetworkShowings | None:
        """The one window, where one holds all."""
        return self._kept

    def __len__(self) -> int:
        return self.fold(count, 0)

    def fold(self, step: Callable[..., T], state: T, *args: Any) -> T:
        """Apply `state = step(state, window, number, *args)` to the windows in order."""
        return recorded(step, (state, *args), lambda: self._fold(step, state, args))

    def _fold(self, step: Callable[..., T], state: T, args: tuple[Any, ...]) -> T:
        if self._kept is not None:
            return step(state, self._kept, 0, *args) if len(self._kept) else state
        filling = self.table.fold(fill, Filling(state), self.feed, step, args)
        return emptied(filling, step, args).state


def keep(_: NetworkShowings, window: NetworkShowings, __: int) -> NetworkShowings:
    """The window itself."""
    return window


def count(so_far: int, window: NetworkShowings, _: int) -> int:
    """Showings of windows."""
    return so_far + len(window)
