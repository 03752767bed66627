"""What a fit keeps of its way, so that single iterations can be derived afterwards: the first ones and the last.

>>> path = PathRecorder(first=2, last=1)
>>> for i, x in enumerate([1.0, 1.5, 1.4167, 1.4142]):
...     path(i, 0.0, x)
>>> path.kept().iterations.tolist(), path.kept().at(1)
([0, 1, 3], array(1.5))
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from novacula.errors import ModelFileError, ParameterError
from novacula.state import State, floats, wholes
from novacula.table.chunk import Floats
from novacula.words import counted

FIRST, LAST = 20, 5
MOST_NUMBERS = 2**16
"""Numbers of one state above which only the first and the last state are kept."""


@dataclass(frozen=True)
class FitPath:
    """The states of a fit by the number of their iteration, 0 is the start: at most FIRST + LAST of m numbers."""

    state: ClassVar[State] = {"iterations": wholes("kept", least=0), "states": floats("kept", "m", finite=False)}

    iterations: npt.NDArray[np.int64]  # (k,), rising
    states: Floats  # (k, m)

    def at(self, iteration: int, shape: tuple[int, ...] = ()) -> Floats:
        """The state after so many iterations, in a shape; a sentence says why where there is none."""
        last = int(self.iterations[-1]) if len(self.iterations) else 0
        if not isinstance(iteration, int) or isinstance(iteration, bool) or not 0 <= iteration <= last:
            raise ParameterError(
                f"iteration is {iteration!r}; the fit made {counted(last, 'iteration')}, counted from 1"
            )
        place = int(np.searchsorted(self.iterations, iteration))
        if place == len(self.iterations) or self.iterations[place] != iteration:
            first, later = place, len(self.iterations) - place
            raise ParameterError(
                f"iteration {iteration} of {last} was not kept: this fit keeps its first {counted(first, 'state')} and "
                f"its last {later}; fit with max_iter={iteration} to see it"
            )
        state = self.states[place]
        if math.prod(shape) != state.size:
            raise ModelFileError(f"its path holds states of {state.size} numbers, where {math.prod(shape)} belong")
        return state.reshape(shape)

    def step(self, iteration: int, shape: tuple[int, ...] = ()) -> tuple[Floats, Floats]:
        """The states before and after an iteration, which are counted from 1."""
        if iteration == 0:
            raise ParameterError("iteration is 0; iterations are counted from 1, and 0 is the start")
        after = self.at(iteration, shape)
        return self.at(iteration - 1, shape), after


class PathRecorder:
    """A monitor of `iterate` that keeps the first states and the last; `array` makes numbers of a state."""

    def __init__(self, array: Callable[[Any], Any] = np.asarray, *, first: int = FIRST, last: int = LAST) -> None:
        self.array, self.first = array, first
        self.early: list[tuple[int, Floats]] = []
        self.late: deque[tuple[int, Floats]] = deque(maxlen=last)

    def __call__(self, iteration: int, objective: float, params: Any) -> None:
        """Note a state."""
        state = np.array(self.array(params), float).ravel()
        if len(self.early) < self.first and (not self.early or state.size <= MOST_NUMBERS):
            self.early.append((iteration, state))
        elif state.size > MOST_NUMBERS:
            self.late.clear()
            self.late.append((iteration, state))
        else:
            self.late.append((iteration, state))

    def kept(self) -> FitPath:
        """The states that were kept."""
        kept = [*self.early, *self.late]
        return FitPath(np.array([i for i, _ in kept], np.int64), np.array([state for _, state in kept]))


FEW_ROWS, FEW_NUMBERS = 6, 96


@dataclass(frozen=True)
class FewRows:
    """The rows of a fit that had so few that they can be written out: centred, times the root of their weights."""

    state: ClassVar[State] = {"rows": floats("kept", "columns")}

    rows: Floats  # (n, columns)

    @staticmethod
    def are_few(n_rows: int, n_columns: int) -> bool:
        """Whether so many rows are few."""
        return n_rows <= FEW_ROWS and n_rows * n_columns <= FEW_NUMBERS
