"""What a fit keeps of its way: the first states and the last as they are, and then as rows of numbers."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

import numpy as np

from novacula.learner.trace import FIRST, LAST, FitPath

T = TypeVar("T")

LARGE = 2**12
"""Numbers of a state above which only the start and the last two states are kept."""


def flat_path(states: Sequence[Any], array: Callable[[Any], Any]) -> FitPath:
    """States that know their `iteration` as rows of numbers, which `array` makes of each."""
    first = np.ravel(array(states[0]))
    kept = list(states) if first.size <= LARGE or len(states) < 4 else [states[0], *states[-2:]]
    rows = [first, *(np.ravel(array(state)) for state in kept[1:])]
    return FitPath(np.array([state.iteration for state in kept], np.int64), np.array(rows, float))


class KeptStates(Generic[T]):
    """The first states of a way and the last; nothing is copied."""

    def __init__(self) -> None:
        self.early: list[T] = []
        self.late: deque[T] = deque(maxlen=LAST)

    def append(self, state: T) -> None:
        """Note a state."""
        (self.early if len(self.early) < FIRST else self.late).append(state)

    def states(self) -> tuple[T, ...]:
        """Those that were kept, in order."""
        return (*self.early, *self.late)
