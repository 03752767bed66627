"""From a learner's parameters to what growing takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from novacula.ensemble.boosting.growth import LEAST_HESSIAN, GrowthRules
from novacula.ensemble.boosting.losses import BoostingLoss
from novacula.errors import ParameterError
from novacula.table.names import did_you_mean
from novacula.tree.attributes import Attribute
from novacula.tree.settings import least_weight

MANY_ROWS, FEW_STEPS = 10_000, 10.0
"""Where early_stopping='auto' holds rows out: above this weight of them, as scikit-learn does, and above this sum of
learning rates. So many rows are seldom overfitted by a hundred small steps, and a tenth of them is worth more as rows
to learn from."""


def growth_rules(learner: Any, attributes: Sequence[Attribute], loss: BoostingLoss) -> GrowthRules:
    """What limits a tree."""
    signs = monotone_signs(learner.monotonic_cst, attributes)
    if loss.by_medians and signs.any():
        raise ParameterError(
            f"loss={loss.name!r} with monotonic_cst is not possible, since leaves hold medians: "
            "use loss='squared_error'"
        )
    return GrowthRules(
        learner.max_leaf_nodes,
        learner.max_depth,
        least_weight(learner.min_samples_leaf, 1, 1.0),
        float(learner.l2_regularization),
        LEAST_HESSIAN if np.isfinite(loss.longest_step) else 0.0,
        loss.longest_step,
        signs,
        float(learner.max_features),
    )


def monotone_signs(given: Any, attributes: Sequence[Attribute]) -> npt.NDArray[np.int8]:
    """1, −1 or 0 for each attribute: whether answers must rise or fall along it."""
    names = [attribute.name for attribute in attributes]
    if given is None:
        return np.zeros(len(names), np.int8)
    if not isinstance(given, Mapping):
        values = list(np.asarray(given).ravel())
        if len(values) != len(names):
            raise ParameterError(f"monotonic_cst has {len(values)} entries for {len(names)} columns: give one for each")
        given = dict(zip(names, values, strict=True))
    signs = np.zeros(len(names), np.int8)
    for name, sign in given.items():
        if name not in names:
            raise ParameterError(f"monotonic_cst names {name!r}, which is not a column{did_you_mean(str(name), names)}")
        if isinstance(sign, str) or sign not in (-1, 0, 1):
            raise ParameterError(f"monotonic_cst of {name!r} is {sign!r}; it must be 1, -1 or 0")
        place = names.index(name)
        if sign and attributes[place].kind != "numeric":
            raise ParameterError(f"monotonic_cst names {name!r}, whose categories have no order: leave it out")
        signs[place] = sign
    return signs


def held_out_share(learner: Any, total: float) -> float:
    """The share of the rows that is held out; 0 where rounds are not to stop early."""
    stops = learner.early_stopping
    if stops == "auto":
        stops = total > MANY_ROWS and learner.max_iter * learner.learning_rate > FEW_STEPS
    return float(learner.validation_fraction) if stops else 0.0
