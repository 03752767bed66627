"""How far targets are from predictions: an interval that new rows like those of the fit are in as often as it says.

Split conformal prediction: of n residuals y − ŷ of rows that the model had not seen, the ⌊(n + 1)·α/2⌋-th from below
and the ⌈(n + 1)·(1 − α/2)⌉-th are added to a prediction. If rows come in any order with equal probability, the target
of the next one is inside with a probability of at least 1 − α, whatever the model.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from novacula.errors import DataError, ParameterError
from novacula.state import State, number, whole
from novacula.table.chunk import Floats

ROUNDING = 1e-9
"""What a whole number may be off by, as a product."""


@dataclass(frozen=True)
class ResidualInterval:
    """What is added to a prediction: from `below` to `above`, for a share `level` of new rows.

    >>> ResidualInterval.of(np.arange(-50.0, 50.0), level=0.9)
    ResidualInterval(level=0.9, below=-46.0, above=45.0, n_rows=100)
    """

    state: ClassVar[State] = {
        "level": number(above=0.0, most=1.0),
        "below": number(),
        "above": number(),
        "n_rows": whole(least=1),
    }

    level: float
    below: float
    above: float
    n_rows: int  # residuals that it was found from

    @classmethod
    def of(cls, residuals: Any, level: float = 0.9) -> Self:
        """From residuals y − ŷ of rows that the model had not seen."""
        if not 0.0 < level < 1.0:
            raise ParameterError(f"level is {level!r}; it must be between 0 and 1")
        ordered, half = np.sort(np.asarray(residuals, np.float64)), (1.0 - level) / 2.0
        n = len(ordered)
        low, high = math.floor((n + 1) * half + ROUNDING), math.ceil((n + 1) * (1.0 - half) - ROUNDING)
        if low < 1:
            least = math.ceil(1.0 / half - ROUNDING) - 1
            raise DataError(f"{n} residuals are too few for an interval of {level:.0%}: {least} are needed")
        return cls(level, float(ordered[low - 1]), float(ordered[high - 1]), n)

    def around(self, prediction: Floats) -> Floats:
        """The two ends (n, 2) for each prediction."""
        return np.column_stack([prediction + self.below, prediction + self.above])

    def coverage(self, y: Any, prediction: Floats) -> float:
        """The share of rows whose target is inside."""
        residual = np.asarray(y, np.float64) - prediction
        return float(np.mean((residual >= self.below) & (residual <= self.above)))
