"""Ordered passes: the rows of a table one after the other, epoch by epoch, and how an epoch's rate is chosen."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from functools import reduce
from typing import Any, Protocol, TypeVar

import numpy as np
from sklearn.utils import check_random_state

from novacula.errors import DataError, warn_user
from novacula.learner.iterate import ROUNDING, Outcome, Run, iterate
from novacula.table import Chunk, Table
from novacula.table.chunk import Floats
from novacula.table.recording import recorded

T = TypeVar("T")

SCHEDULES = {"constant": (1.0, 0.0), "decay": (1.0, 0.5), "robbins_monro": (100.0, 1.0)}
"""m and p of the rate of step or epoch k = 0, 1, …, which is η / (1 + k/m)ᵖ.

Robbins and Monro ask that the rates add up to infinity and their squares do not. Their sequence is slow where it starts
too small, which m = 100 keeps off.
"""
HELD = 1 << 26
"""Bytes of rows that are held in memory rather than read again for each epoch."""
BLOCK = 1 << 19
"""Numbers of a block of rows: few enough to stay in the cache while several planes use them."""
MOST_SHOWINGS = 1e6
"""How often a row may be shown in an epoch, which is what its weight says."""


def rate(eta: float, schedule: str, k: int) -> float:
    """The rate of step or epoch k = 0, 1, …"""
    span, power = SCHEDULES[schedule]
    return float(eta / (1.0 + k / span) ** power)


class OrderedRows:
    """The rows of a table in an order: as they come, or in a new one each epoch. What is small is read once.

    A learner calls `table.refuse_faults` where what it computes of the first epoch is not finite.
    """

    def __init__(self, table: Table, shuffle: bool, random_state: Any) -> None:
        self.table = table
        self._random = check_random_state(random_state) if shuffle else None
        self._chunk = table.to_chunk(propagates=True) if shuffle or is_small(table) else None
        self._order: Any = None
        self.next_epoch()

    @property
    def shuffled(self) -> bool:
        """Whether each epoch has its own order."""
        return self._random is not None

    def next_epoch(self) -> None:
        """Put the rows into the order of the next epoch."""
        if self._random is not None and self._chunk is not None:
            self._order = self._random.permutation(len(self._chunk))

    def fold(self, step: Callable[..., T], state: T, *args: Any) -> T:
        """Apply `state = step(state, chunk, *args)` to the rows in order."""
        if self._chunk is None:
            return self.table.fold(step, state, *args)
        held = self._held(self._chunk)
        return recorded(step, (state, *args), lambda: reduce(lambda now, chunk: step(now, chunk, *args), held, state))

    def chunks(self) -> Generator[Chunk, None, None]:
        """The rows in order, as chunks."""
        return self.table.chunks() if self._chunk is None else self._held(self._chunk)

    def _held(self, chunk: Chunk) -> Generator[Chunk, None, None]:
        if self._order is None:
            yield chunk
            return
        size = rows_in_block(chunk)
        for start in range(0, len(chunk), size):
            yield chunk.take(self._order[start : start + size])


def is_small(table: Table) -> bool:
    """Whether rows are in this process's memory, or few enough to be brought there."""
    columns = sum(column.width for column in table.layout.features)
    return table.is_local or len(table) * columns * 8 <= HELD


def rows_in_block(chunk: Chunk) -> int:
    """As many rows as make a block of numbers."""
    width = chunk.numeric.shape[1] + (0 if chunk.sparse is None else chunk.sparse.shape[1])
    return max(1, BLOCK // max(width, 1))


def dense_blocks(chunk: Chunk) -> Iterator[tuple[Floats, Chunk]]:
    """The rows of a chunk in blocks of dense arrays, each with its part of the chunk."""
    size = rows_in_block(chunk)
    if 0 < len(chunk) <= size:
        yield chunk.dense(), chunk
        return
    for start in range(0, len(chunk), size):
        piece = chunk.rows(start, start + size)
        yield piece.dense(), piece


def require_showable(chunk: Chunk, factor: float = 1.0) -> None:
    """Refuse weights of more showings than anyone waits for: a row is shown as often as its weight says."""
    if (largest := factor * float(chunk.weight.max(initial=0.0))) > MOST_SHOWINGS:
        advice = "divide the weights by some unit"
        raise DataError(f"a weight of {largest:.3g} would have its row shown as often in each epoch: {advice}")


def longest_row(chunk: Chunk) -> Floats:
    """The largest Σ xⱼ² of the rows that count, as an array of one."""
    squares = [
        float(np.einsum("ij,ij->i", x, x)[piece.weight > 0.0].max(initial=0.0)) for x, piece in dense_blocks(chunk)
    ]
    return np.array([max(squares, default=0.0)])


def largest_step(table: Table, intercept: bool) -> float:
    """2 / max ‖x‖², the bias column included: with a rate below that no row's own error grows when it is shown."""
    longest = float(table.map(longest_row).max()) + (1.0 if intercept else 0.0)
    return 2.0 / longest if longest > 0.0 else np.inf


def warn_of_rises(losses: Sequence[float], learner: str, eta: float, safe: float) -> bool:
    """Warn where steps ended at a greater loss than they had met, and say whether they did; `safe` leads only down."""
    if not losses or losses[-1] <= (least := min(losses)) + ROUNDING * abs(least):
        return False
    from sklearn.exceptions import ConvergenceWarning

    warn_user(
        f"{learner}: eta0={eta:g} is too large, since steps led up as well as down: the loss was {losses[0]:.4g} at "
        f"the start, {least:.4g} at best and {losses[-1]:.4g} at the end; with an eta0 of at most {safe:.3g} no step "
        "leads up",
        ConvergenceWarning,
    )
    return True


# --- epochs -------------------------------------------------------------------------------------------------


class OnlineEpoch(Protocol):
    """What a pass over the rows came to."""

    @property
    def number(self) -> int:
        """The first is 1."""

    @property
    def objective(self) -> float:
        """What is counted of an epoch."""

    @property
    def done(self) -> bool:
        """Whether no further epoch is needed."""


E = TypeVar("E", bound=OnlineEpoch)


def run_epochs(
    show: Callable[[E], E], start: E, max_iter: int, note: Callable[[int, float, E], None] | None = None
) -> Run[E]:
    """Show the rows again and again; the history holds the objective of each epoch, which `note` sees by its number."""
    if note is not None:
        note(0, start.objective, start)

    def monitor(_: int, objective: float, epoch: E) -> None:
        if note is not None:
            note(epoch.number, objective, epoch)

    def step(epoch: E) -> tuple[E | Outcome, float]:
        if epoch.done or epoch.number == max_iter:
            return Outcome.CONVERGED if epoch.done else Outcome.MAX_ITER, epoch.objective
        return show(epoch), epoch.objective

    return iterate(step, show(start), max_iter=max_iter, tol=None, monitor=monitor)
