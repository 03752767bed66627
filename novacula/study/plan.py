"""What the race will cost, and what is done about it before it starts.

Each learner is tried on a thousand rows. Its card says how the time grows, seconds ∝ nᵃ, so the time for all its cells
can be reckoned. A learner that would take longer than its share of the time, where the quick leave theirs to the slow,
is given fewer rows, and the leaderboard says so.
"""

from __future__ import annotations

from collections.abc import Sequence

from novacula.study.cell import PROBED, Job, Measurement, probe
from novacula.study.contender import Contender
from novacula.study.question import Question
from novacula.table.crew import Crew

PATIENCE = 150.0
"""Seconds that a study may take where no budget is given: what would take longer gets fewer rows."""
MANY = 4 * PROBED
"""Rows up to which nothing needs to be reckoned."""


def plan(question: Question, contenders: Sequence[Contender], crew: Crew, seconds: float) -> None:
    """Give fewer rows to those that would take too long for so many seconds of all workers together; leave out those
    that would even then. Trials run on the crew; it is called once, before any cell is measured.
    """
    if question.extent.n_rows <= MANY:
        return
    entered = [contender for contender in contenders if not contender.obstacle]
    jobs = [Job(one.candidate.learner, one.candidate.sizes[-1], 0) for one in entered]
    trials = [crew.submit(probe, job) for job in jobs]
    growths = [
        (contender, TimeGrowth(quarter, whole, contender, question))
        for contender, (quarter, whole) in zip(entered, (trial.result() for trial in trials), strict=True)
        if not quarter.failure and not whole.failure  # else the race tells the reason
    ]
    left = seconds
    growths.sort(key=lambda pair: pair[1].whole())
    for done, (contender, growth) in enumerate(growths):  # what the quick ones do not need is the slow ones'
        left -= _allot(contender, growth, left / (len(growths) - done))


class TimeGrowth:
    """Time for a cell by its rows: seconds = fixed + slope · (n / PROBED)ᵃ, through the two trials."""

    def __init__(self, quarter: Measurement, whole: Measurement, contender: Contender, question: Question) -> None:
        card, held = contender.candidate.card, len(question.folds.pairs[0][1])
        self.exponent = card.cost_exponents.get("n", 1.0)
        self.slope = max(whole.fit_seconds - quarter.fit_seconds, 0.0) / (1.0 - 0.25**self.exponent)
        self.fixed = max(whole.fit_seconds - self.slope, 0.0)
        self.answers = whole.predict_seconds * held / min(held, PROBED)
        self.keeps_rows = card.uses == "arrays"  # then answers take the longer the more rows were kept
        self.n_rows = question.extent.n_rows
        self.cells = len(contender.candidate.sizes) * contender.n_folds

    def seconds(self, n: int) -> float:
        """Time for a cell of n rows."""
        growth = n / PROBED
        return self.fixed + self.slope * growth**self.exponent + self.answers * (growth if self.keeps_rows else 1.0)

    def whole(self) -> float:
        """Time for all cells of all rows."""
        return self.cells * self.seconds(self.n_rows)


def _allot(contender: Contender, growth: TimeGrowth, share: float) -> float:
    """Give a contender as many rows as its share allows, and tell what of that it will need."""
    if growth.whole() <= share:
        return growth.whole()
    steps = [PROBED * 2**power for power in range(20) if PROBED * 2**power < growth.n_rows]
    affordable = [step for step in steps if growth.cells * growth.seconds(step) <= share]
    needed = contender.n_folds * growth.seconds(PROBED)
    if not affordable and needed > share:
        contender.obstacle = f"even {PROBED:,} rows a fold would take about {needed:.0f} s, more than its {share:.0f} s"
        return 0.0
    contender.rows = max(affordable, default=PROBED)
    return growth.cells * growth.seconds(contender.rows)
