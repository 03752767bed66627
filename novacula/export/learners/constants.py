"""The baselines: one answer for every row."""

from __future__ import annotations

from typing import Any

import numpy as np

from novacula.export.inputs import Inputs
from novacula.export.said import Said
from novacula.export.vectors import constant


def plurality(model: Any, _: Inputs) -> Said:
    """The class of the largest share."""
    return Said(constant(int(np.argmax(model.share_))), constant(*model.share_.tolist()))


def mean(model: Any, _: Inputs) -> Said:
    """The mean of each target."""
    return Said(constant(*np.atleast_1d(model.mean_).tolist()))


CONSTANTS = {"plurality-classifier": plurality, "mean-regressor": mean}
