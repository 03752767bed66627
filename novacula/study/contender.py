"""A learner in the race: its sizes run fold by fold, and those that are clearly worse than its best drop out.

After each fold from the third on, a size drops out if Student's paired test says with 99.5% that it is behind the best
size so far, and it is behind by more than two standard errors of the best's own error: too far for any rule to take it.
"""

from __future__ import annotations

from collections.abc import Mapping
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
FEWEST_ROWS = 1000
"""Rows of a fold that a learner is given at least, however slow it is."""
FEWER = 4
"""A learner that is too slow gets one of so many rows."""


def fewer_rows(n_rows: int) -> list[int]:
    """How many rows of a fold a slow learner may be given, the most first.

    >>> fewer_rows(20_000), fewer_rows(900)
    ([16000, 4000, 1000], [])
    """
    steps = [FEWEST_ROWS]
    while steps[-1] < n_rows:
        steps.append(FEWER * steps[-1])
    return [rows for rows in reversed(steps) if rows < n_rows]


@dataclass
class Contender:
    """The cells of one learner: which are done, running, or given up."""

    candidate: LearnerCandidate
    n_folds: int
    rows: int | None = None  # the learner is given at most this many rows of each fold
    cells: dict[tuple[int, int], Measurement] = field(default_factory=dict)  # (size, fold): what was measured
    dropped: dict[int, str] = field(default_factory=dict)  # size: why it was given up
    obstacle: str = ""  # why the learner is not in the race at all
    guesses: dict[int, float] = field(default_factory=dict)  # size: seconds that a cell should take, from trials
    costs: dict[int, float] = field(default_factory=dict)  # the same on all rows; the most promising size first
    came_back: set[tuple[int | None, int]] = field(default_factory=set)  # (rows, size) that had a second chance
    _running: set[tuple[int, int]] = field(default_factory=set)
    _on_fewer: tuple[int | None, dict[tuple[int, int], Measurement], dict[int, str]] | None = None

    def job(self, place: tuple[int, int]) -> Job:
        """The job of a cell."""
        return Job(self.candidate.learner, self.candidate.sizes[place[0]], place[1], self.rows)

    def take(self) -> tuple[int, int] | None:
        """The next cell to run, of the first fold that is not done; None: wait for those running, or all is done.

        One size alone has nobody to drop out against, so it runs all its folds.
        """
        fold, alive = self.fold, self.alive
        if self.obstacle or fold is None:
            return None
        last = fold if len(alive) > 1 else self.n_folds - 1
        for place in ((size, k) for k in range(fold, last + 1) for size in alive):
            if place not in self.cells and place not in self._running:
                self._running.add(place)
                return place
        return None

    def put_back(self, place: tuple[int, int]) -> None:
        """A cell that was taken was not run."""
        self._running.discard(place)

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

    # --- when time is short -----------------------------------------------------------------------------------

    def give_up(self, size: int, why: str) -> None:
        """Drop a size."""
        self.dropped.setdefault(size, why)

    def take_too_long(self, place: tuple[int, int], why: str, n_rows: int) -> None:
        """A cell was ended because of its time: so would be those of richer sizes; if none is left, take fewer rows."""
        self._running.discard(place)
        unmeasured = [size for size in self.alive if size >= place[0] and not self._measured(size)]
        for size in {place[0], *unmeasured}:
            self.dropped.setdefault(size, TIME_SHORT)
        if not self.alive and not self.complete():
            self.take_fewer_rows(why, n_rows)

    def take_fewer_rows(self, why: str, n_rows: int) -> None:
        """Begin again with fewer rows, or leave the learner out where there are too few for that."""
        rows = (self.rows or n_rows) // FEWER
        if rows < FEWEST_ROWS:
            self.obstacle = f"{TIME_SHORT}: {why}" if why else TIME_SHORT
            return
        late = [size for size, reason in self.dropped.items() if reason == TIME_SHORT]
        self.rows, self.cells = rows, {}
        self.guesses = {size: seconds / FEWER for size, seconds in self.guesses.items()}
        if late:
            del self.dropped[min(late)]

    def come_back(self, seconds: Mapping[int, float], rows: int | None) -> None:
        """Run sizes after all, whose cells take about so long: beside the others, or again on more rows.

        What was measured on fewer rows stays for the case that this does not come to its end.
        """
        self.came_back |= {(rows, size) for size in seconds}
        if rows != self.rows or self.obstacle:
            if self.complete() and not self.obstacle:
                self._on_fewer = self.rows, self.cells, self.dropped
            if rows != self.rows:
                self.cells, self.guesses = {}, {}
            every = range(len(self.candidate.sizes))
            self.dropped = {size: self.dropped.get(size, TIME_SHORT) for size in every if size not in seconds}
            self.rows, self.obstacle = rows, ""
        for size, cost in seconds.items():
            self.dropped.pop(size, None)
            self.guesses[size] = cost

    def settle(self) -> None:
        """At the end of a race: where more rows did not come to an end, what was measured on fewer counts."""
        if self._on_fewer is not None and not self.complete():
            self.rows, self.cells, self.dropped = self._on_fewer
            self.obstacle = ""

    def best_first(self) -> list[int]:
        """Sizes that did not fail, by the mean error so far; those that were not measured last, as trials rank them."""
        every = [*self.costs, *(size for size in range(len(self.candidate.sizes)) if size not in self.costs)]
        broken = {size for (size, _), cell in self.cells.items() if cell.failure}
        kept = [size for size in every if size not in broken and self.dropped.get(size, TIME_SHORT) == TIME_SHORT]
        return sorted(kept, key=lambda size: self._mean_error(size) if self._measured(size) else np.inf)

    def seconds_on(self, size: int, rows: int | None, n_rows: int) -> float:
        """About how long a cell of a size takes on some rows of a fold, of n in all; infinite where nothing says so."""
        if self._measured(size) or size not in self.costs:
            exponent = max(self.candidate.card.cost_exponents.get("n", 1.0), 1.0)
            growth = 1.0 if rows == self.rows else (rows or n_rows) / (self.rows or n_rows)
            seconds = self.seconds(size) * growth**exponent
        else:
            seconds = self.costs[size] * (rows or n_rows) / n_rows
        return float(seconds) if np.isfinite(seconds) else np.inf

    def least_promising(self) -> int:
        """The size to give up first: one that was not measured, the richest, or the one with the largest error."""
        whole = self.complete()
        waiting = [size for size in self.alive if size not in whole]
        unmeasured = [size for size in waiting if not self._measured(size)]
        if unmeasured:
            return unmeasured[-1]
        return max(waiting, key=lambda size: (self._mean_error(size), size))

    def _measured(self, size: int) -> bool:
        return any(s == size for s, _ in self.cells)

    def _mean_error(self, size: int) -> float:
        """To twelve digits, so that equal errors are equal whatever the number of folds."""
        return round(float(np.mean([cell.error for (s, _), cell in self.cells.items() if s == size])), 12)

    # --- how far it is ----------------------------------------------------------------------------------------

    @property
    def is_unknown(self) -> bool:
        """Whether nothing says yet how long it takes, and no cell is running that will."""
        return not (self.cells or self._running or self.guesses)

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
        """The mean time of this size's cells so far; else a guess, or that of all; NaN where none is known."""
        own = [cell.seconds for (s, _), cell in self.cells.items() if s == size and not cell.failure]
        if not own and size in self.guesses:
            return self.guesses[size]
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

    def fold_errors(self) -> Floats:
        """The error of the best size in each fold, NaN where it was not measured."""
        errors = self.matrix("error")
        measured = [row for row in errors if not np.isnan(row).all()]
        return min(measured, key=lambda row: float(np.nanmean(row)), default=np.full(self.n_folds, np.nan))

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
