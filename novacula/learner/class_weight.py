"""The factor by which the examples of each class count, as a learner's `class_weight` says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from novacula.errors import ParameterError
from novacula.table.chunk import Floats
from novacula.table.names import did_you_mean


def class_weights(given: Mapping[Any, float] | str | None, classes: Any, counts: Floats) -> Floats:
    """The factor of each class's examples; `balanced` gives all classes that occur the same weight in sum."""
    if given is None:
        return np.ones(len(classes))
    if isinstance(given, str):
        present = counts > 0
        return np.divide(counts.sum(), present.sum() * counts, out=np.ones(len(counts)), where=present)
    labels = classes.tolist()
    factor = np.ones(len(labels))
    for label, weight in given.items():
        if label not in labels:
            raise ParameterError(
                f"class_weight names {label!r}, which is not a class"
                f"{did_you_mean(str(label), map(str, labels), 'classes')}"
            )
        if isinstance(weight, (str, bool)) or not np.isfinite(weight) or weight < 0:
            raise ParameterError(
                f"the weight of class {label!r} is {weight!r}; it must be a number that is not negative"
            )
        factor[labels.index(label)] = weight
    if not (factor * counts).sum() > 0:
        raise ParameterError("class_weight gives every class that occurs a weight of zero")
    return factor
