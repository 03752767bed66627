"""The race: cells of all contenders handed to a crew, one fold of a contender after the other, within a budget.

When time is short, the richest sizes of the slowest contenders are dropped first, by the times measured so far.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from typing import Any

from novacula.study.cell import Measurement, message_line, run
from novacula.study.contender import TIME_SHORT, Contender
from novacula.study.ledger import Ledger
from novacula.table.crew import Crew

AHEAD = 2
"""Jobs that are handed out to each place of a crew before one comes back."""


@dataclass(frozen=True)
class Standing:
    """How far a race is, for whoever watches."""

    done: int
    waiting: int
    seconds_left: float
    contender: Contender


Watch = Callable[[Standing], None]


class Race:
    """Runs contenders to the end, to a deadline, or to Ctrl-C; what was measured until then stays."""

    def __init__(self, contenders: Sequence[Contender], ledger: Ledger, deadline: float | None) -> None:
        self.contenders, self.ledger, self.deadline = contenders, ledger, deadline
        self.stopped = ""
        self._running: dict[Future[Any], tuple[Contender, tuple[int, int]]] = {}

    def run(self, crew: Crew, watch: Watch | None = None, until: Callable[[], bool] | None = None) -> None:
        """Run what is not in the ledger."""
        self.crew = crew
        try:
            self._run(watch, until)
        except KeyboardInterrupt:
            self.stopped = "The study was interrupted: the leaderboard holds what was finished until then."
            if not any(contender.complete() for contender in self.contenders):
                raise  # there is nothing to show

    def _run(self, watch: Watch | None, until: Callable[[], bool] | None) -> None:
        try:
            while not (until is not None and until()) and (self._hand_out() or self._running):
                self._take_in(watch)
        finally:
            for future in list(self._running):
                if future.cancel() or not future.done():
                    continue
                self._enter(future)

    def _hand_out(self) -> bool:
        """Give the crew something to do; False if there is nothing to give now."""
        has_given = False
        while len(self._running) < AHEAD * self.crew.places and not self._out_of_time():
            # The baseline gives the first row; the first cell of every other contender shows how long it takes.
            order = sorted(self.contenders, key=lambda one: one is not self.contenders[0] and one.started)
            next_cell = next(((c, place) for c in order if (place := c.take()) is not None), None)
            if next_cell is None:
                break
            contender, place = next_cell
            job = contender.job(place)
            earlier = self.ledger.find(job)
            if earlier is not None:
                contender.put(place, earlier)
            else:
                self._running[self.crew.submit(run, job)] = next_cell
            has_given = True
        return has_given

    def _take_in(self, watch: Watch | None) -> None:
        if not self._running:
            return
        for future in wait(self._running, return_when=FIRST_COMPLETED).done:
            contender = self._enter(future)
            self._keep_to_budget()
            if watch is not None:
                done = sum(len(c.cells) for c in self.contenders)
                watch(Standing(done, self.waiting, self.seconds_left(), contender))

    def _enter(self, future: Future[Any]) -> Contender:
        """Write down the result of a job."""
        contender, place = self._running.pop(future)
        measured = _result(future)
        self.ledger.enter(contender.job(place), measured)
        contender.put(place, measured)
        return contender

    @property
    def waiting(self) -> int:
        """Cells that are still to be run."""
        return sum(contender.waiting for contender in self.contenders)

    def knows_times(self) -> bool:
        """Whether a cell of every contender was run, so that times can be estimated."""
        return all(contender.cells or contender.obstacle for contender in self.contenders)

    def seconds_left(self) -> float:
        """Time for all that is waiting, with every place of the crew at work."""
        return sum(contender.seconds_left() for contender in self.contenders) / self.crew.places

    def _out_of_time(self) -> bool:
        if self.deadline is None or time.monotonic() < self.deadline:
            return False
        self.stopped = "The budget of time was used up: sizes that were not finished are left out."
        return True

    def _keep_to_budget(self) -> None:
        """Give up the richest size of the slowest contender, as long as what is waiting takes too long."""
        if self.deadline is None:
            return
        left = self.deadline - time.monotonic()
        while self.seconds_left() > max(left, 0.0):
            costly = [c for c in self.contenders if len(c.alive) > 1 and c.waiting]
            if not costly:
                return
            slowest = max(costly, key=Contender.seconds_left)
            slowest.give_up(slowest.alive[-1], TIME_SHORT)


def _result(future: Future[Any]) -> Measurement:
    try:
        measured: Measurement = future.result()
    except Exception as error:  # a worker that died, for instance
        return Measurement(failure=f"a worker was lost: {message_line(error)}")
    return measured
