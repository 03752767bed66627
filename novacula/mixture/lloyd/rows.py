"""The rows that k-means goes over again and again: in memory with what is known of each, or as a stream.

Between two steps centres move a little. Bounds that follow from the triangle inequality prove of most rows that their
nearest centre is still the same, without looking at the others (Elkan, 2003; Hamerly, 2010). Where they prove nothing,
distances decide as without them, so the labels are those of plain Lloyd.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from novacula.errors import DataError
from novacula.mixture.lloyd.assignment import EPS, Assignment, Centres, Space, rows_per_block
from novacula.mixture.lloyd.sums import ClusterSums
from novacula.table import Chunk, Table
from novacula.table.chunk import Floats
from novacula.table.parallel import Addable, map_ordered, tree_sum

S = TypeVar("S", bound=Addable)
T = TypeVar("T")

LARGEST_BOUNDS = 2**30
"""Numbers that Elkan's bounds may hold, one per row and centre: 4 GB."""
MOST = 0.6
"""The share of doubtful rows from which on a test costs more than it spares."""
SINGLE = 2.0**-22
"""What a bound gives up each step, so that rounding to single precision cannot make it wrong."""


class LloydRows(Protocol):
    """Rows that can be reduced, and assigned to centres."""

    def reduce(self, observe: Callable[..., S], *args: Any) -> S:
        """Add what `observe` says of the chunks."""

    def sums(self, centres: Centres) -> ClusterSums:
        """The sums of the clusters around centres."""


@dataclass(frozen=True, slots=True)
class StreamedRows:
    """Rows of files or of a cluster: each pass compares every row with every centre."""

    table: Table

    def reduce(self, observe: Callable[..., S], *args: Any) -> S:
        """One pass."""
        return self.table.reduce(observe, *args)

    def sums(self, centres: Centres) -> ClusterSums:
        """One pass."""
        return self.table.reduce(ClusterSums.observe, centres)


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
    """How centres moved since the last step, and how far they are from each other now."""

    moved: Floats  # (K,)
    fall: Floats  # (K,): the way of the fastest other centre
    between: Floats  # (K, K): half the distances
    apart: Floats  # (K,): half the distance to the next
    slack: float  # the share that distances may be off by rounding, and bounds give up each step

    @classmethod
    def of(cls, before: Centres, centres: Centres) -> Motion:
        """From one step to the next."""
        from scipy.spatial.distance import cdist

        slack = 4.0 * (centres.offset.shape[1] + 8) * EPS
        with np.errstate(over="ignore"):  # from endlessly far off: then no bound holds
            moved = np.sqrt(((centres.offset - before.offset) ** 2).sum(axis=1)) * (1.0 + slack)
        between = cdist(centres.offset, centres.offset) * 0.5 * (1.0 - slack)
        np.fill_diagonal(between, np.inf)
        fastest = np.argmax(moved)
        others = np.delete(moved, fastest).max(initial=0.0)
        fall = np.where(np.arange(len(moved)) == fastest, others, moved[fastest])
        return cls(moved, fall, between, between.min(axis=1), slack)


@dataclass(frozen=True, slots=True, eq=False)
class LloydBlock:
    """Some rows, offsets from the origin, with what is known of each; `bounds` are Elkan's, one per row and centre."""

    x: Floats  # (n, d)
    weight: Floats  # (n,)
    assignment: Assignment
    bounds: npt.NDArray[np.float32] | None  # (n, K)
    every: npt.NDArray[np.int64]  # (n,): the number of each row

    def assign(self, centres: Centres, motion: Motion | None) -> int:
        """Find the nearest centre of each row, without motion from scratch; return how many were in doubt."""
        if motion is not None and self.bounds is not None:
            self._relabel(centres, motion)
            return len(self.x)
        rows = self.every if motion is None else self._doubtful(centres, motion)
        if len(rows):
            # To pick out more than half of the rows takes longer than to process all.
            self.assignment.assign(self.x, centres, rows if 2 * len(rows) <= len(self.x) else self.every)
        return len(rows)

    def _doubtful(self, centres: Centres, motion: Motion) -> npt.NDArray[np.int64]:
        """The rows whose centre may have changed."""
        from novacula.mixture.lloyd._kernels import doubtful

        rows, assignment = np.empty(len(self.x), np.int64), self.assignment
        count = doubtful(
            self.x, centres.offset, motion.apart, motion.fall, motion.slack,
            assignment.label, assignment.square, assignment.lower, rows,
        )  # fmt: skip
        return rows[:count]

    def _relabel(self, centres: Centres, motion: Motion) -> None:
        from novacula.mixture.lloyd._kernels import relabel

        slack, assignment = max(motion.slack, SINGLE), self.assignment
        relabel(
            self.x,
            centres.offset,
            motion.between,
            motion.moved,
            slack,
            assignment.label,
            assignment.square,
            self.bounds,
        )


@dataclass(frozen=True, slots=True, eq=False)
class LloydPiece:
    """A chunk in memory, in blocks small enough for a cache."""

    assignment: Assignment
    blocks: tuple[LloydBlock, ...]
    doubtful: npt.NDArray[np.int64]  # (1,): of how many rows the last pass had to find the centre

    @classmethod
    def of(cls, chunk: Chunk, space: Space, n_clusters: int, elkan: bool) -> LloydPiece:
        """Nothing is known of its rows yet."""
        x, assignment, step = space.offsets(chunk.numeric), Assignment.empty(len(chunk)), rows_per_block(n_clusters)
        bounds = np.zeros((len(chunk), n_clusters), np.float32) if elkan else None
        every = np.arange(min(step, len(chunk)))
        blocks = []
        for start in range(0, len(chunk), step):
            rows = slice(start, start + step)
            part, part_bounds = x[rows], None if bounds is None else bounds[rows]
            blocks.append(
                LloydBlock(
                    part, chunk.weight[rows], assignment.rows(start, start + step), part_bounds, every[: len(part)]
                )
            )
        return cls(assignment, tuple(blocks), np.zeros(1, np.int64))

    def sums(self, centres: Centres, motion: Motion | None) -> ClusterSums:
        """Assign the rows and add them up."""
        total = ClusterSums.zero(*centres.offset.shape)
        self.doubtful[0] = 0
        for block in self.blocks:
            self.doubtful[0] += block.assign(centres, motion)
            total.add_rows(block.x, block.weight, block.assignment)
        return total

    def forget(self) -> None:
        """Before another start: no bound is known."""
        for block in self.blocks:
            if block.bounds is not None:
                block.bounds.fill(0.0)


class HeldRows:
    """Rows in memory, cut as the table cuts them, so that sums have the bits of a stream's.

    It also holds a label, a distance and a bound per row.
    """

    def __init__(self, table: Table, n_clusters: int, bounds: str) -> None:
        self.chunks = list(table.chunks())
        self.n_clusters = n_clusters
        self.bounds = chosen_bounds(bounds, sum(map(len, self.chunks)), n_clusters)
        self.pieces: list[LloydPiece] = []
        self.before: Centres | None = None

    def reduce(self, observe: Callable[..., S], *args: Any) -> S:
        """One pass."""
        return self._total(lambda chunk: observe(chunk, *args), self.chunks)

    def sums(self, centres: Centres) -> ClusterSums:
        """One pass, which remembers what it learned of each row."""
        if not self.pieces:
            elkan = self.bounds == "elkan"
            self.pieces = [LloydPiece.of(chunk, centres.space, self.n_clusters, elkan) for chunk in self.chunks]
        motion = None if self.before is None else Motion.of(self.before, centres)
        total = self._total(lambda piece: piece.sums(centres, motion), self.pieces)
        self.before = centres if self.bounds == "elkan" or self._bounds_pay(motion) else None
        return total

    def _bounds_pay(self, motion: Motion | None) -> bool:
        """Whether to put Hamerly's bounds to the test next time: not right after they said nothing of most rows."""
        if self.bounds == "none":
            return False
        doubtful = sum(int(piece.doubtful[0]) for piece in self.pieces)
        return motion is None or doubtful < MOST * sum(map(len, self.chunks))

    def _total(self, function: Callable[[T], S], parts: list[T]) -> S:
        with closing(map_ordered(function, parts)) as sums:
            return tree_sum(sums)

    def labels(self) -> npt.NDArray[np.int32]:
        """The cluster of each row after the last pass."""
        return np.concatenate([piece.assignment.label for piece in self.pieces])

    def forget(self) -> None:
        """Before another start: nothing is known of any row."""
        self.before = None
        for piece in self.pieces:
            piece.forget()


def chosen_bounds(bounds: str, n: int, n_clusters: int) -> str:
    """The requested bounds, or the faster ones.

    Hamerly's were faster than Elkan's on all that was measured, up to 200 columns and 500 clusters: a product costs
    about as much as it costs to keep a bound.
    """
    if bounds == "auto":
        return "hamerly" if n_clusters > 1 else "none"
    if bounds == "elkan" and n * n_clusters > LARGEST_BOUNDS:
        raise DataError(
            f"bounds='elkan' holds a number for each row and cluster, {4e-9 * n * n_clusters:.0f} GB here: "
            "take 'hamerly', which holds one per row"
        )
    return bounds
