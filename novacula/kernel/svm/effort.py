"""How far a search for a machine goes, and who watches it."""

from __future__ import annotations

import math
import sys
import time
from dataclasses import dataclass
from typing import Any, Protocol

PAUSE = 1.0
"""Seconds between two lines about a search."""


class WatchedSearch(Protocol):
    """What can be seen of a search under way."""

    n_iter: int
    violation: float


class Watch:
    """Says on standard error how a search gets on: at most once a second, so that a short one says nothing."""

    def __init__(self) -> None:
        self.last = time.monotonic()

    def __call__(self, iteration: int, objective: float, search: WatchedSearch) -> None:
        """See a search after a round: a monitor of `iterate`."""
        if time.monotonic() - self.last >= PAUSE:
            self.last = time.monotonic()
            words = f"{search.n_iter} steps, dual objective {objective:.6g}, violation {search.violation:.3g}"
            sys.stderr.write(f"{words}\n")


@dataclass(frozen=True)
class Effort:
    """A tolerance, bytes for kernel rows, steps at most, and a time of `time.monotonic` at which to end."""

    tol: float = 1e-3
    cache_bytes: float = 200e6
    max_iter: float = math.inf
    deadline: float = math.inf
    watch: Watch | None = None

    def limits(self) -> dict[str, Any]:
        """What the driver of all iterations takes of it."""
        return {"max_iter": self.max_iter, "deadline": self.deadline}
