"""Concepts over categories and numbers, by the domains of the rows and by a space that is given."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from novacula.concept import (
    CandidateElimination,
    ConjunctiveSpace,
    FindS,
    ListThenEliminate,
    RoteLearner,
    UnbiasedLearner,
)

ROWS = pa.table(
    {
        "sky": ["sunny", "sunny", "rainy", "sunny", "cloudy", "sunny"],
        "degrees": [20.0, 25.0, 5.0, 20.0, 10.0, 25.0],
        "wind": ["strong", "strong", "strong", "weak", "weak", "weak"],
    }
)
LABELS = np.array(["yes", "yes", "no", "yes", "no", "yes"])
SPACE = ConjunctiveSpace(
    {"sky": ["cloudy", "rainy", "sunny"], "degrees": [5.0, 10.0, 15.0, 20.0, 25.0], "wind": ["strong", "weak"]},
    ordered=["degrees"],
)


def variants() -> Iterator[tuple[str, Any, Any, Any]]:
    """See the package."""
    for kind in (CandidateElimination, FindS, ListThenEliminate, RoteLearner, UnbiasedLearner):
        name = kind.__name__.lower()
        yield f"{name}-mixed", kind(), ROWS, LABELS
        yield f"{name}-space", kind(space=SPACE, positive="no"), ROWS, LABELS
    yield "rote-default", RoteLearner(default="no"), ROWS, LABELS
