"""What the leaderboards of mixtures and of k-means share: scores that may be missing, and what a fit warned of."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable


def score_cell(value: float) -> float | str:
    """A score as a cell of a table: a dash where there is none."""
    return value if math.isfinite(value) else "–"


def warning_note(caught: Iterable[warnings.WarningMessage]) -> str:
    """What a fit warned of, each sentence once and without the name of the learner."""
    return "; ".join(dict.fromkeys(str(warning.message).partition(": ")[2] for warning in caught))
