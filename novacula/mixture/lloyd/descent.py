"""Lloyd's algorithm: assign each row to its nearest centre, put each centre in the mean of its rows, and again.

Neither half can raise the inertia Σw‖x − c‖², and there are finitely many ways to assign rows, so it ends. A cluster
that lost all its rows is started again from the row that is farthest from its centre, which lowers the inertia too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from novacula.learner.em.path import KeptStates
from novacula.learner.iterate import Outcome, Run, iterate
from novacula.mixture.lloyd.assignment import Assignment, Centres
from novacula.mixture.lloyd.least_rows import LeastRows
from novacula.mixture.lloyd.rows import HeldRows, LloydRows
from novacula.mixture.lloyd.start import ClusterOverview, too_few
from novacula.mixture.lloyd.sums import ClusterSums
from novacula.table.chunk import Floats

EMPTIED = 1e-9
"""The share of a cluster's weight that is rounding, where a row is taken out of it."""


@dataclass(frozen=True, slots=True, eq=False)
class Position:
    """Centres as offsets from the origin, the sums they are the means of, and whether they hardly moved to get here."""

    offset: Floats  # (K, d)
    sums: ClusterSums | None = None
    settled: bool = False
    iteration: int = 0
    before: Floats | None = None  # the offsets around which the sums were taken


@dataclass(frozen=True, slots=True, eq=False)
class LloydResult:
    """How one start ended: `sums` are those of the rows around the centres of `run.params`."""

    run: Run[Position]
    sums: ClusterSums
    reseeded: int
    labels: npt.NDArray[np.int32] | None  # for rows in memory
    path: tuple[Position, ...]

    @property
    def inertia(self) -> float:
        """What is minimised."""
        return float(self.sums.inertia.sum())


class LloydDescent:
    """Lloyd's steps over some rows; `tol` is the squared way of all centres together that counts as none."""

    def __init__(self, rows: LloydRows, overview: ClusterOverview, tol: float) -> None:
        self.rows, self.overview, self.tol = rows, overview, tol
        self.reseeded = 0
        self._last: tuple[Position, ClusterSums] | None = None

    def descend(self, offset: Floats, max_iter: int) -> LloydResult:
        """Go down from centres (K, d)."""
        if isinstance(self.rows, HeldRows):
            self.rows.forget()
        self.reseeded, self._last = 0, None
        path = KeptStates[Position]()
        run = iterate(
            self.step,
            Position(offset),
            max_iter=max_iter,
            tol=None,
            monotone=True,
            monitor=lambda _iteration, _inertia, position: path.append(position),
        )
        if self._last is not None and self._last[0] is run.params:
            sums = self._last[1]
        else:  # the step that was refused has left its own labels
            sums = self.rows.sums(self._centres(run.params))
        labels = self.rows.labels() if isinstance(self.rows, HeldRows) else None
        return LloydResult(run, sums, self.reseeded, labels, path.states())

    def step(self, position: Position) -> tuple[Position | Outcome, float]:
        """From centres to the means of their rows, with the inertia around the centres."""
        centres = self._centres(position)
        sums = self.rows.sums(centres)
        self._last = position, sums
        inertia = float(sums.inertia.sum())
        if position.settled:
            return Outcome.CONVERGED, inertia
        filled = self._filled(sums, centres)
        offset = filled.means()
        way = offset - position.offset
        # Means of the same rows have the same bits; a start at the rows themselves may be off by rounding.
        if (np.abs(way) <= self.overview.rounding).all():
            return Outcome.CONVERGED, inertia
        with np.errstate(over="ignore"):  # from a start so far off the inertia is infinite, which is refused
            settled = bool((way**2).sum() <= self.tol)
        return Position(offset, filled, settled, position.iteration + 1, position.offset), inertia

    def _centres(self, position: Position) -> Centres:
        return Centres.of(self.overview.space, position.offset)

    def _filled(self, sums: ClusterSums, centres: Centres) -> ClusterSums:
        """The sums once each cluster without rows has taken the farthest row that its own cluster can spare."""
        empty = np.flatnonzero(sums.weight == 0.0).tolist()
        if not empty:
            return sums
        # Of K distinct rows at most one per cluster cannot be spared, so there is one for each that is empty.
        far = self.rows.reduce(LeastRows.observe_far, centres, len(sums.weight))
        if len(far) < len(sums.weight):
            raise too_few(len(sums.weight), len(far))
        self.reseeded += len(empty)
        weight, total = sums.weight.copy(), sums.total.copy()
        offsets = centres.space.offsets(far.rows)
        owner = Assignment.of(offsets, centres).label
        for row, w, k in zip(offsets, far.weight, owner, strict=True):
            if not empty or weight[k] - w <= EMPTIED * weight[k]:
                continue
            taker = empty.pop(0)
            weight[k] -= w
            total[k] -= w * row
            weight[taker], total[taker] = w, w * row
        return ClusterSums(weight, total, sums.inertia)
