"""What fine-tuning keeps of its way: places, gradients and lengths of steps, beside the system of the weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from novacula.learner.trace import FitPath, PathRecorder
from novacula.state import State, floats, nullable, record
from novacula.table.chunk import Floats

MOST_NUMBERS = 2**20
"""Numbers of a whole way above which it is not kept."""


@dataclass(frozen=True, eq=False)
class TuningTrace:
    """Up to 25 places of L-BFGS with their gradients, and the equations of the weights where units are few."""

    state: ClassVar[State] = {
        "path": record(FitPath),
        "gradients": record(FitPath),
        "steps": record(FitPath),
        "rows": nullable(floats("kept", "columns")),
    }

    path: FitPath  # centres in mean widths from their start, and ln σ: (K·d + K,)
    gradients: FitPath  # of the error over its start
    steps: FitPath  # t of the step to each place; 0 at the start
    rows: Floats | None

    @classmethod
    def of(cls, places: Floats, gradients: list[Floats], steps: Floats) -> TuningTrace:
        """Keep the first steps and the last."""
        recorders = PathRecorder(), PathRecorder(), PathRecorder()
        for i, numbers in enumerate(zip(places, gradients, np.nan_to_num(steps), strict=True)):
            for recorder, part in zip(recorders, numbers, strict=True):
                recorder(i, 0.0, part)
        path, slopes, lengths = (recorder.kept() for recorder in recorders)
        return cls(path, slopes, lengths, None)
