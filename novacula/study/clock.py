"""What a study's time is spent on: the race, then the fit of the choice, then the report."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

RACE = 0.7
"""The part of a budget after which the race ends."""
GRACE = 5.0
"""Seconds that are left after Ctrl-C."""
REFIT = 0.5
"""The part of what is left that fitting the choice to all rows may take."""


@dataclass(frozen=True)
class Clock:
    """Seconds since a study began, and how many there are; None: as many as it takes."""

    budget: float | None
    started: float = field(default_factory=time.monotonic)
    interrupted: bool = False

    def interrupt(self) -> Clock:
        """The clock of somebody who has pressed Ctrl-C: there is little time left for what makes a study whole."""
        left = self.seconds + GRACE
        return Clock(left if self.budget is None else min(self.budget, left), self.started, True)

    @property
    def now(self) -> float:
        """The clock that never goes back."""
        return time.monotonic()

    @property
    def seconds(self) -> float:
        """Seconds since the beginning."""
        return time.monotonic() - self.started

    @property
    def left(self) -> float:
        """Seconds until the budget is used up."""
        return float("inf") if self.budget is None else max(self.budget - self.seconds, 0.0)

    @property
    def end_of_race(self) -> float | None:
        """When the race must be over, by the clock that never goes back."""
        return None if self.budget is None else self.started + RACE * self.budget

    @property
    def for_refit(self) -> float:
        """Seconds that the choice may take to be fitted."""
        return REFIT * self.left
