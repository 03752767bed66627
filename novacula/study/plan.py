"""What the race will cost, and what is done about it before it starts.

Each learner is tried on a thousand rows, with every size; one that might be too slow for all rows on four times as
many, and so on. What a fit takes at least is measured apart. So the time for all rows is never guessed from much fewer.
A learner that would take longer than its share of the time gets the sizes that did best in its trial, and if that is
not enough fewer rows; the leaderboard says so. Time that quick learners do not need goes to the slow ones.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field

from novacula.learner.card import Uses
from novacula.study.cell import TrialRun, try_sizes
from novacula.study.contender import FEWER, FEWEST_ROWS, TIME_SHORT, Contender, fewer_rows
from novacula.study.question import Question
from novacula.table.crew import Crew

MANY = 4 * FEWEST_ROWS
"""Rows of a fold up to which no times need to be estimated."""
WANTED = 3
"""Sizes that a learner should be given on the same rows, rather than one on more."""
LEAST_TRIAL = 8.0
"""Seconds that a trial may take at least: its process may have to start, and to load what the learner needs."""
LEAST_PROMISE = 0.2
"""The part of the most promising contender's time that another has at least."""
SLACK = 0.8
"""The part of the time that is planned: cells may take longer than their trials say."""
TRIALS = 0.1
"""The part of its time that a learner may spend on a trial."""
MOST_TRIALS = 0.35
"""The part of the time after which no trial is begun."""
ENOUGH = 0.5
"""The part of a trial's time after which no further size is begun."""
QUICK = 1.0
"""Seconds that all cells of a learner may take, however little time there is."""
UNTRIED = 0.3
"""Seconds that a cell of the fewest rows is taken to need of what was not tried."""
ORDER: dict[Uses, int] = {"reduce": 0, "fold": 1, "arrays": 2}
"""How learners go through the data, the quickest first."""
NOTICED = 0.02
"""Seconds beyond those that a fit takes at least, from which its growth can be measured."""
STEEPEST = 3.0
"""The largest exponent by which the time of a learner is taken to grow with the rows."""


@dataclass
class TimeGrowth:
    """Time for a cell of each size by its rows: seconds = fixed + slope · rowsᵃ, through the trials."""

    contender: Contender
    trials: list[TrialRun] = field(default_factory=list)

    @property
    def sizes(self) -> list[int]:
        """The places of the sizes that worked: the best of the last trial, richer ones, which rows allow, others."""
        errors = {k: cell.error for k, cell in self.trials[-1].sizes.items() if not cell.failure}
        if not errors:
            return []
        best = min(errors, key=lambda k: errors[k])
        worked = [k for k, cell in self.trials[0].sizes.items() if not cell.failure]
        return sorted(worked, key=lambda k: (k < best, abs(k - best)))

    @property
    def exponent(self) -> float:
        """How the time grows with the rows: by the last two trials where they show it, else as the card says."""
        card = self.contender.candidate.card
        stated = card.cost_exponents.get("n", 1.0)
        if card.uses == "arrays":  # rows are kept, so that each answer takes longer too
            stated = max(stated, 2.0)
        if len(self.trials) < 2:
            return stated
        before, after = self.trials[-2:]
        both = set(before.sizes) & set(after.sizes)
        less, more = (sum(trial.sizes[k].seconds - trial.fixed_seconds for k in both) for trial in (before, after))
        if not (less > NOTICED and more > NOTICED):
            return stated
        return min(max(math.log(more / less) / math.log(after.rows / before.rows), 0.5), STEEPEST)

    def seconds(self, size: int, rows: int) -> float:
        """Time for a cell of so many rows."""
        trial = next(one for one in reversed(self.trials) if size in one.sizes)
        slope = max(trial.sizes[size].seconds - trial.fixed_seconds, 0.0)
        return trial.fixed_seconds + slope * (rows / trial.rows) ** self.exponent

    def whole(self, n_rows: int) -> float:
        """Time for all cells of all rows."""
        return self.contender.n_folds * sum(self.seconds(size, n_rows) for size in self.sizes)


def plan(question: Question, contenders: Sequence[Contender], crew: Crew, seconds: float) -> None:
    """Keep the race within this many seconds of all workers together.

    Contenders that would take too long get fewer sizes or rows; those that would even then are left out. The first one,
    the baseline, takes no time, nor do those that have cells of an earlier run. Trials run on the crew; it is called
    once, before any other cell is measured.
    """
    n_rows = question.extent.n_rows
    if n_rows <= MANY:
        return
    growths = [TimeGrowth(one) for one in contenders[1:] if not (one.obstacle or one.cells)]
    growths.sort(key=_expected)
    share = seconds / max(len(growths), 1)
    started = time.monotonic()
    wall = MOST_TRIALS * seconds / crew.places
    limit, end = max(share, min(LEAST_TRIAL, wall)), started + wall
    rows, tried = FEWEST_ROWS, growths
    while tried and rows < n_rows:
        _try(tried, crew, rows, n_rows, limit, end)
        rows *= FEWER
        tried = [one for one in tried if _may_be_slow(one, n_rows, share) and _is_worth(one, rows, share)]
        tried = tried if (time.monotonic() - started) * crew.places < TRIALS * seconds else []
    left = SLACK * seconds - (time.monotonic() - started) * crew.places
    known = sorted((one for one in growths if one.trials and one.sizes), key=lambda one: one.whole(n_rows))
    promise = _promise(known)
    for done, growth in enumerate(known):  # what quick ones do not need goes to slow ones
        left -= _allot(growth, n_rows, max(left * promise[done] / sum(promise[done:]), QUICK))


def _expected(growth: TimeGrowth) -> tuple[float, int, int]:
    """The order of trials: those that should be quick first."""
    card = growth.contender.candidate.card
    return card.cost_exponents.get("n", 1.0), ORDER[card.uses], len(growth.contender.candidate.sizes)


def _try(growths: Sequence[TimeGrowth], crew: Crew, rows: int, n_rows: int, limit: float, end: float) -> None:
    """A trial of each on so many rows, begun before the end: of every size at first, then of the most promising."""
    waiting, running = list(growths), dict[Future[TrialRun], TimeGrowth]()
    while waiting or running:
        while waiting and len(running) < crew.places and time.monotonic() < end:
            growth = waiting.pop(0)
            running[_trial(growth, crew, rows, limit)] = growth
        if not running:
            break
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            growth = running.pop(future)
            try:
                growth.trials.append(future.result())
            except Exception as error:  # its time was over, or its worker was lost
                if not growth.trials:
                    _leave_out(growth.contender, f"on {rows:,} rows of a fold {error}", limit * n_rows / rows)
    for growth in waiting:
        if not growth.trials:
            _leave_out(growth.contender, "it was not tried", UNTRIED * n_rows / rows)


def _trial(growth: TimeGrowth, crew: Crew, rows: int, limit: float) -> Future[TrialRun]:
    candidate = growth.contender.candidate
    places = sorted(growth.sizes[:WANTED]) if growth.trials else range(len(candidate.sizes))
    sizes = {k: candidate.sizes[k] for k in places}
    return crew.submit(try_sizes, candidate.learner, sizes, rows, ENOUGH * limit, seconds=limit)


def _leave_out(contender: Contender, why: str, cost: float) -> None:
    """Leave out a contender without a trial, a cell of which may take so long; it comes back if there is time."""
    contender.obstacle = f"{TIME_SHORT}: {why}"
    contender.costs = {len(contender.candidate.sizes) // 2: cost}


def _promise(growths: Sequence[TimeGrowth]) -> list[float]:
    """What part of the time a contender should have beside the others: less, the more it erred in its trial."""
    errors = [min(cell.error for cell in one.trials[0].sizes.values() if not cell.failure) for one in growths]
    least = min(errors, default=0.0)
    return [min(max((least / error) ** 2, LEAST_PROMISE), 1.0) if error > 0.0 else 1.0 for error in errors]


def _may_be_slow(growth: TimeGrowth, n_rows: int, share: float) -> bool:
    """Whether it is not certain that all cells of all rows fit into its share, even if times were badly guessed."""
    return bool(growth.trials) and bool(growth.sizes) and FEWER * growth.whole(n_rows) > share


def _is_worth(growth: TimeGrowth, rows: int, share: float) -> bool:
    """Whether a trial on so many rows would leave most of its share."""
    return sum(growth.seconds(size, rows) for size in growth.sizes[:WANTED]) <= TRIALS * share


def _allot(growth: TimeGrowth, n_rows: int, share: float) -> float:
    """Give a contender as many sizes and rows as its share of the time allows; return the seconds it will need."""
    contender, places = growth.contender, growth.sizes
    contender.costs = {k: growth.seconds(k, n_rows) for k in places}
    for rows in (n_rows, *fewer_rows(n_rows)):
        costs = {k: contender.n_folds * growth.seconds(k, rows) for k in places}
        taken, needed = _affordable(costs, share)
        is_enough = len(taken) >= min(WANTED, len(places)) or rows in (n_rows, FEWEST_ROWS)
        if taken and is_enough:
            contender.rows = None if rows == n_rows else rows
            for size in set(range(len(contender.candidate.sizes))) - set(taken):
                contender.give_up(size, _why_not(growth, size))
            contender.guesses = {size: costs[size] / contender.n_folds for size in taken}
            return needed
    least = contender.n_folds * min(growth.seconds(k, FEWEST_ROWS) for k in places)
    contender.obstacle = (
        f"{TIME_SHORT}: even {FEWEST_ROWS:,} rows of each fold would take about {_seconds(least)} s, and there "
        f"were {_seconds(share)} s for it"
    )
    return 0.0


def _seconds(number: float) -> str:
    return f"{number:.2g}" if number < 10.0 else f"{number:,.0f}"


def _affordable(costs: Mapping[int, float], share: float) -> tuple[list[int], float]:
    """The first sizes that fit into a share of the time, and what they take."""
    taken, needed = [], 0.0
    for place, cost in costs.items():
        if needed + cost > share:
            break
        taken.append(place)
        needed += cost
    return taken, needed


def _why_not(growth: TimeGrowth, size: int) -> str:
    """Why a size is not in the race: it failed in the trial, or time is short."""
    failures: Mapping[int, str] = {k: cell.failure for k, cell in growth.trials[0].sizes.items() if cell.failure}
    return failures.get(size, TIME_SHORT)
