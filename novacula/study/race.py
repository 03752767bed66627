"""The race: cells of all contenders handed to a crew, one fold of a contender after the other, within a budget.

The baseline runs first and to its end. Then every contender shows by one cell how long it takes, and the quickest run
all their folds before any slow one. When time is short, contenders that are behind give up sizes first, then the
slowest; a cell that would take so long that its size cannot be finished is ended.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from typing import Any

import numpy as np

from novacula.evaluate.metric import Metric, MetricLike, metric
from novacula.study.cell import Job, Measurement, message_line, run
from novacula.study.contender import TIME_SHORT, Contender
from novacula.study.ledger import LOST, Ledger
from novacula.study.plan import SLACK
from novacula.study.second_chance import second_chances
from novacula.table.crew import Crew
from novacula.table.interruption import Interruption
from novacula.table.time_limit import TimeLimitError

AHEAD = 2
"""Jobs that are handed out to each place of a crew before one comes back."""
LEAST = 3.0
"""Seconds that a cell may always take."""
LOADING = 5.0
"""Seconds more for the first cells of a learner, in which its process loads what it needs."""
BEHIND = 0.05
"""The share by which a contender's error is larger than the least, from which it is behind."""
LESS_WANTED = 4.0
"""How much more a second of a contender that is behind counts, where some must be saved."""


@dataclass(frozen=True)
class Standing:
    """How far a race is, for whoever watches."""

    done: int
    waiting: int
    seconds_left: float
    contender: Contender
    measure: Metric


Watch = Callable[[Standing], None]
Cell = tuple[Contender, tuple[int, int], Job, float | None]


class Race:
    """Runs contenders to the end, to a deadline, or to Ctrl-C; what was measured until then stays.

    The first contender is the baseline. `patience` is how long a cell may take in a crew that is this process alone,
    before it is left to another crew.
    """

    def __init__(
        self,
        contenders: Sequence[Contender],
        ledger: Ledger,
        deadline: float | None,
        n_rows: int = 0,
        measure: MetricLike = "error_rate",
        interruption: Interruption | None = None,
    ) -> None:
        self.contenders, self.ledger, self.deadline, self.n_rows = contenders, ledger, deadline, n_rows
        self.measure = metric(measure)
        self.stopped = ""
        self.interrupted = False
        self.interruption = Interruption() if interruption is None else interruption
        self.patience: float | None = None
        self.has_slow_cells = False  # one took longer than the patience allows
        self._running: dict[Future[Any], Cell] = {}

    def recall(self) -> None:
        """Take what an earlier run has measured: of each learner the cells on the rows that most of them are of.

        Without a deadline every learner has all rows, whatever it had before.
        """
        for contender in self.contenders:
            if self.deadline is not None:
                contender.rows = self.ledger.rows_of(contender.candidate.learner)
            for fold in range(contender.n_folds):
                for size in contender.alive:
                    earlier = self.ledger.find(contender.job((size, fold)))
                    if earlier is not None:
                        contender.put((size, fold), earlier)

    def run(self, crew: Crew, watch: Watch | None = None, until: Callable[[], bool] | None = None) -> None:
        """Run what is not in the ledger."""
        self.crew = crew
        try:
            self._run(watch, until)
            if self._is_out_of_time():
                self._finish_baseline(crew)
        except KeyboardInterrupt:
            self.interrupt(crew)

    def interrupt(self, crew: Crew) -> None:
        """End the race."""
        self.stopped = "The study was interrupted: the leaderboard holds what was finished until then."
        self.interrupted = True
        self._finish_baseline(crew)

    def _finish_baseline(self, crew: Crew) -> None:
        """Run what is left of the baseline, which is quick: without it there is nothing to show."""
        baseline = self.contenders[0]
        while (place := baseline.take()) is not None:
            baseline.put(place, _result(crew.submit(run, baseline.job(place))))

    def _run(self, watch: Watch | None, until: Callable[[], bool] | None) -> None:
        try:
            while not (until is not None and until()) and (self._hand_out() or self._running or self._give_back()):
                self._take_in(watch)
        finally:
            for future, (contender, place, *_) in list(self._running.items()):
                if future.done() and not future.cancelled():
                    self._enter(future)
                else:
                    future.cancel()
                    contender.put_back(place)
            self._running.clear()

    # --- handing out ------------------------------------------------------------------------------------------

    def _hand_out(self) -> bool:
        """Give the crew something to do; False if there is nothing to give now."""
        has_given = False
        while len(self._running) < AHEAD * self.crew.places and not self._is_out_of_time():
            next_cell = next(((c, place) for c in self._in_order() if (place := c.take()) is not None), None)
            if next_cell is None:
                break
            contender, place = next_cell
            job = contender.job(place)
            earlier = self.ledger.find(job)
            if earlier is not None:
                contender.put(place, earlier)
            else:
                limit = self._limit(contender)
                try:
                    future = self.crew.submit(run, job, seconds=limit)
                except KeyboardInterrupt:  # of a crew that does the job at once
                    contender.put_back(place)
                    raise
                self._running[future] = contender, place, job, limit
            has_given = True
        return has_given

    def _in_order(self) -> list[Contender]:
        """The baseline alone, then those that have not shown how long they take, the quickest, last those behind."""
        baseline, *others = self.contenders
        if baseline.waiting:
            return [baseline]
        behind = {id(one): self._is_behind(one) for one in others if one.waiting}
        others = [one for one in others if id(one) in behind]
        return sorted(others, key=lambda one: (not one.is_unknown, behind[id(one)], one.seconds_left()))

    def _limit(self, contender: Contender) -> float | None:
        """Seconds that a cell may take: with more, its size could not be finished in every fold."""
        if contender is self.contenders[0]:
            return None
        limits = [] if self.patience is None else [self.patience]
        if self.deadline is not None:
            left = self.deadline - time.monotonic()
            loading = LOADING if len(contender.cells) < AHEAD * self.crew.places else 0.0
            limits.append(max(left * self.crew.places / contender.n_folds, min(left, LEAST)) + loading)
        return max(min(limits), 1e-3) if limits else None

    # --- taking in --------------------------------------------------------------------------------------------

    def _take_in(self, watch: Watch | None) -> None:
        if not self._running:
            return
        left = None if self.deadline is None else max(self.deadline - time.monotonic(), 0.0)
        done = wait(self._running, timeout=left, return_when=FIRST_COMPLETED).done
        if not done:
            for future, (contender, place, *_) in list(self._running.items()):
                future.cancel()
                contender.put_back(place)
            self._running.clear()
        if self.interruption.happened:
            raise KeyboardInterrupt
        entered = [self._enter(future) for future in list(self._running) if future in done]  # as they were handed out
        self._keep_to_budget()
        for contender in entered:
            if watch is not None:
                n_done = sum(len(c.cells) for c in self.contenders)
                watch(Standing(n_done, self.waiting, self.seconds_left(), contender, self.measure))

    def _enter(self, future: Future[Any]) -> Contender:
        """Write down the result of a job."""
        contender, place, job, limit = self._running.pop(future)
        if job.rows != contender.rows:  # the contender has begun again with fewer rows
            contender.put_back(place)
        elif isinstance(future.exception(), TimeLimitError):
            self._take_late(contender, place, limit)
        else:
            measured = _result(future)
            self.ledger.enter(job, measured)
            contender.put(place, measured)
        return contender

    def _take_late(self, contender: Contender, place: tuple[int, int], limit: float | None) -> None:
        """A cell was ended since its time was over: another crew may have more, or the size is given up."""
        if limit == self.patience:
            contender.put_back(place)
            self.has_slow_cells = True
            return
        contender.take_too_long(place, f"a fit takes longer than {limit:.0f} s", self.n_rows)

    @property
    def waiting(self) -> int:
        """Cells that are still to be run."""
        return sum(contender.waiting for contender in self.contenders)

    def knows_times(self) -> bool:
        """Whether a cell of every contender was run, so that times can be estimated."""
        return all(one.cells or one.guesses or one.obstacle for one in self.contenders)

    def seconds_left(self) -> float:
        """Time for all that is waiting, with every place of the crew at work."""
        return sum(contender.seconds_left() for contender in self.contenders) / self.crew.places

    def _is_out_of_time(self) -> bool:
        if self.deadline is None or time.monotonic() < self.deadline:
            return False
        if self.waiting:
            self.stopped = "The budget of time was used up: what was not finished is left out."
        return True

    # --- when time is short -----------------------------------------------------------------------------------

    def _keep_to_budget(self) -> None:
        """Give up sizes, and then learners, as long as what is waiting takes too long."""
        if self.deadline is None or not self.knows_times():
            return
        left = max(self.deadline - time.monotonic(), 0.0)
        while self.seconds_left() > left:
            waiting = [one for one in self.contenders[1:] if one.waiting and one.seconds_left() > 0.0]
            if not waiting:
                return
            several = [one for one in waiting if len(one.alive) > 1]
            taken = max(several or waiting, key=self._saving)
            if taken in several:
                taken.give_up(taken.least_promising(), TIME_SHORT)
            else:
                taken.take_fewer_rows("", self.n_rows)

    def _saving(self, contender: Contender) -> float:
        """What giving something up would save: seconds, which count for more where the contender is behind."""
        return contender.seconds_left() * (LESS_WANTED if self._is_behind(contender) else 1.0)

    def _give_back(self) -> bool:
        """Let time that is left over go to what was given up; False if there is nothing, or no time for it."""
        if self.deadline is None:
            return False
        left = (self.deadline - time.monotonic()) * self.crew.places
        chances = second_chances(self.contenders[1:], self.n_rows, SLACK * left)
        for chance in chances:
            chance.take()
        return bool(chances)

    def _is_behind(self, contender: Contender) -> bool:
        """Whether another contender has clearly less error on the folds that both have done."""
        own = contender.fold_errors()
        for other in self.contenders:
            theirs = other.fold_errors()
            both = ~np.isnan(own) & ~np.isnan(theirs)
            if both.any() and own[both].mean() > (1.0 + BEHIND) * theirs[both].mean():
                return True
        return False


def _result(future: Future[Any]) -> Measurement:
    try:
        measured: Measurement = future.result()
    except Exception as error:  # a worker that died, for instance
        return Measurement(failure=f"{LOST}: {message_line(error)}")
    return measured
