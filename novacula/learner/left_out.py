"""What a learner would say of each row of its fit, had it not seen that row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Answers for the rows of a fit, each by a model of all others, without fitting it."""

    predictions: npt.NDArray[Any]  # (n, …), as `predict` gives them
    trusted: npt.NDArray[np.bool_]  # (n,); for the other rows the model must be fitted without them
    method: str  # how it was found, in a few words
