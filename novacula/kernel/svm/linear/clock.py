"""How long a solver may go on: steps and seconds, and what to say when they are used up."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import monotonic


@dataclass
class Clock:
    """Counts steps; `max_iter` −1 and `time_budget` None are no limit."""

    max_iter: int
    time_budget: float | None
    n_iter: int = 0
    started: float = field(default_factory=monotonic)

    def tick(self) -> None:
        """Count one step."""
        self.n_iter += 1

    def is_over(self) -> bool:
        """Whether steps or seconds are used up."""
        return self._no_steps() or self._no_time()

    def _no_steps(self) -> bool:
        return 0 <= self.max_iter <= self.n_iter

    def _no_time(self) -> bool:
        return self.time_budget is not None and monotonic() - self.started >= self.time_budget

    @property
    def reason(self) -> str:
        """Why it ended, where it did not converge."""
        if self._no_steps():
            return f"max_iter={self.max_iter} steps were made"
        if self._no_time():
            return f"the time_budget of {self.time_budget:g} seconds was spent"
        return f"after {self.n_iter} steps rounding kept it from the solution"
