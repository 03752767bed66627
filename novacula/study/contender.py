"""A learner in the race: its sizes run fold by fold, and those that are clearly worse than its best drop out.

After each fold from the third on, a size drops out if Student's paired test says with 99.5% that it is behind the best
size so far, and it is behind by more than two standard errors of the best's own error: too far for any rule to take it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.special import stdtrit

from novacula.evaluate.intervals import standard_error
from novacula.evaluate.loss import Floats
from novacula.study.candidates import LearnerCandidate
from novacula.study.cell import Job, Measurement

ENOUGH = 3
"""Folds before a size may drop out."""
TIME_SHORT = "left out because time was short"
"""Why a size is given up to keep to a budget."""
SURE = 0.995
"""How sure the paired test must be."""


@dataclass
class Contender:
    """The cells of one learner: which are done, running, or given up."""

    candidate: LearnerCandidate
    n_folds: int
    rows: int | None = None  # the learner is given at most this many rows of each fold
    cells: dict[tuple[int, int], Measurement] = field(default_factory=dict)  # (size, fold): what was measured
    dropped: dict[int, str] = field(default_factory=dict)  # size: why it was given up
    obstacle: str = ""  # why the learner is not in the race at all
    _running: set[tuple[int, int]] = field(default_factory=set)

    def job(self, place: tuple[int, int]) -> Job:
        """The job of a cell."""
        return Job(self.candidate.learner, self.candidate.sizes[place[0]], place[1], self.rows)

    def take(self) -> tuple[int, int] | None:
        """The next cell to run, of the first fold that is not done; None: wait for those running, or all is done."""
        fold = self.fold
        if self.obstacle or fold is None:
            return None
        for size in self.alive:
            place = size, fold
            if place not in self.cells and place not in self._running:
                self._running.add(place)
                return place
        return None

    def put(self, place: tuple[int, int], measured: Measurement) -> None:
        """Take in what was measured; when a fold is done, drop sizes that are clearly worse."""
        self._running.discard(place)
        self.cells[place] = measured
        size, fold = place
        if measured.failure:
            self.dropped.setdefault(size, measured.failure)
        if all((other, fold) in self.cells for other in self.alive):
            self._race(fold + 1)

    def _race(self, done: int) -> None:
        alive = self.alive
        if done < ENOUGH or done == self.n_folds or len(alive) < 2:
            return
        errors = np.array([[self.cells[size, fold].error for fold in range(done)] for size in alive])
        best = int(errors.mean(axis=1).argmin())
        own, t = standard_error(errors[best]), float(stdtrit(done - 1, SURE))
        for size, row in zip(alive, errors, strict=True):
            behind = row - errors[best]
            if behind.mean() > max(t * standard_error(behind), 2 * own) and behind.mean() > 0:
                self.dropped[size] = f"clearly behind after {done} folds"

    def give_up(self, size: int, why: str) -> None:
        """Drop a size."""
        self.dropped.setdefault(size, why)

    @property
    def started(self) -> bool:
        """Whether a cell was run, or is running."""
        return bool(self.cells or self._running)

    @property
    def alive(self) -> list[int]:
        """Sizes that are still in the race."""
        return [size for size in range(len(self.candidate.sizes)) if size not in self.dropped]

    @property
    def fold(self) -> int | None:
        """The first fold that is not done for every size in the race; None: all are."""
        for fold in range(self.n_folds):
            if any((size, fold) not in self.cells for size in self.alive):
                return fold
        return None

    @property
    def waiting(self) -> int:
        """Cells that are still to be run, if no further size drops out."""
        if self.obstacle:
            return 0
        return sum((size, fold) not in self.cells for size in self.alive for fold in range(self.n_folds))

    def seconds(self, size: int) -> float:
        """The mean time of this size's cells so far, or of all; NaN where none is known."""
        own = [cell.seconds for (s, _), cell in self.cells.items() if s == size and not cell.failure]
        seconds = own or [cell.seconds for cell in self.cells.values() if not cell.failure]
        return float(np.mean(seconds)) if seconds else np.nan

    def seconds_left(self) -> float:
        """Time for what is waiting, as far as it is known."""
        if self.obstacle:
            return 0.0
        left = [
            self.seconds(size) for size in self.alive for fold in range(self.n_folds) if (size, fold) not in self.cells
        ]
        return float(np.nansum(left))

    def complete(self) -> list[int]:
        """Sizes whose every fold was measured."""
        sizes = range(len(self.candidate.sizes))
        return [s for s in sizes if all(self._ok(s, fold) for fold in range(self.n_folds))]

    def _ok(self, size: int, fold: int) -> bool:
        cell = self.cells.get((size, fold))
        return cell is not None and not cell.failure

    def matrix(self, of: str) -> Floats:
        """A number of each cell, (sizes, folds), NaN where it was not measured."""
        out = np.full((len(self.candidate.sizes), self.n_folds), np.nan)
        for (size, fold), cell in self.cells.items():
            out[size, fold] = getattr(cell, of)
        return out

    def failure(self) -> Any:
        """The sentence of the first cell that failed, or nothing."""
        return next((cell.failure for _, cell in sorted(self.cells.items()) if cell.failure), "")
