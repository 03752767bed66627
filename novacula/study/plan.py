"""What the race will cost, and what is done about it before it starts.

Each learner is tried on a thousand rows. Its card says how the time grows, seconds ∝ nᵃ, so the time for all its cells
can be estimated. A learner that would take longer than its share of the time gets fewer rows, and the leaderboard says
so. Time that quick learners do not need goes to the slow ones.
"""

from __future__ import annotations

from collections.abc import Sequence

from novacula.study.cell import PROBE_ROWS, Job, Measurement, probe
from novacula.study.contender import Contender
from novacula.study.question import Question
from novacula.table.crew import Crew

PATIENCE = 150.0
"""Seconds that a study may take where no budget is given: what would take longer gets fewer rows."""
MANY = 4 * PROBE_ROWS
"""Rows up to which no times need to be estimated."""


def plan(question: Question, contenders: Sequence[Contender], crew: Crew, seconds: float) -> None:
    """Keep the race within this many seconds of all workers together.

    Contenders that would take too long get fewer rows; those that would even then are left out. Trials run on the crew;
    it is called once, before any cell is measured.
    """
    if question.extent.n_rows <= MANY:
        return
    entered = [contender for contender in contenders if not contender.obstacle]
    jobs = [Job(one.candidate.learner, one.candidate.sizes[-1], 0) for one in entered]
    trials = [crew.submit(probe, job) for job in jobs]
    growths = [
        (contender, TimeGrowth(quarter, whole, contender, question))
        for contender, (quarter, whole) in zip(entered, (trial.result() for trial in trials), strict=True)
        if not quarter.failure and not whole.failure  # else the race gives the reason
    ]
    left = seconds
    growths.sort(key=lambda pair: pair[1].whole())
    for done, (contender, growth) in enumerate(growths):  # what quick ones do not need goes to slow ones
        left -= _allot(contender, growth, left / (len(growths) - done))


class TimeGrowth:
    """Time for a cell by its rows: seconds = fixed + slope · (n / PROBED)ᵃ, through the two trials."""

    def __init__(self, quarter: Measurement, whole: Measurement, contender: Contender, question: Question) -> None:
        card, n_held_out = contender.candidate.card, len(question.folds.pairs[0][1])
        self.exponent = card.cost_exponents.get("n", 1.0)
        self.slope = max(whole.fit_seconds - quarter.fit_seconds, 0.0) / (1.0 - 0.25**self.exponent)
        self.fixed = max(whole.fit_seconds - self.slope, 0.0)
        self.answers = whole.predict_seconds * n_held_out / min(n_held_out, PROBE_ROWS)
        self.keeps_rows = card.uses == "arrays"  # then answers take longer the more rows were kept
        self.n_rows = question.extent.n_rows
        self.cells = len(contender.candidate.sizes) * contender.n_folds

    def seconds(self, n: int) -> float:
        """Time for a cell of n rows."""
        growth = n / PROBE_ROWS
        return self.fixed + self.slope * growth**self.exponent + self.answers * (growth if self.keeps_rows else 1.0)

    def whole(self) -> float:
        """Time for all cells of all rows."""
        return self.cells * self.seconds(self.n_rows)


def _allot(contender: Contender, growth: TimeGrowth, share: float) -> float:
    """Give a contender as many rows as its share of the time allows, and return the seconds it will need."""
    if growth.whole() <= share:
        return growth.whole()
    steps = [PROBE_ROWS * 2**power for power in range(20) if PROBE_ROWS * 2**power < growth.n_rows]
    affordable = [step for step in steps if growth.cells * growth.seconds(step) <= share]
    needed = contender.n_folds * growth.seconds(PROBE_ROWS)
    if not affordable and needed > share:
        contender.obstacle = (
            f"even {PROBE_ROWS:,} rows per fold would take about {needed:.0f} s, more than its {share:.0f} s"
        )
        return 0.0
    contender.rows = max(affordable, default=PROBE_ROWS)
    return growth.cells * growth.seconds(contender.rows)
