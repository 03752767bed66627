"""Where teaching begins: at weights of zero, at small random ones, or at given ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import StrOptions

from novacula.arguments import as_numbers
from novacula.errors import ParameterError
from novacula.table.chunk import Floats

STARTS: list[Any] = [StrOptions({"zeros", "random"}), "array-like"]
"""What the parameter `start_weights` may be."""
SMALL = 0.05
"""The size up to which random weights go, on both sides of zero."""


def first_weights(given: Any, planes: int, columns: int, bias: bool, random_state: Any) -> Floats:
    """The weights of each plane (planes, columns + 1) with the bias last, which `given` has first, as books write it.

    >>> first_weights([-0.8, 0.5, 0.5], 1, 2, True, None)
    array([[ 0.5,  0.5, -0.8]])
    """
    if isinstance(given, str) and given == "zeros":
        return np.zeros((planes, columns + 1))
    q = columns + bias
    if isinstance(given, str):
        weights = check_random_state(random_state).uniform(-SMALL, SMALL, (planes, q))
    else:
        weights = _as_numbers(given, planes, q, "the bias first and then one per column" if bias else "one per column")
    return np.column_stack([weights[:, 1:], weights[:, 0]] if bias else [weights, np.zeros(planes)])


def _as_numbers(given: Any, planes: int, q: int, order: str) -> Floats:
    weights = as_numbers(given, "start_weights")
    shapes = [(planes, q), *[(q,)] * (planes == 1)]
    if weights.shape not in shapes:
        wanted = " or ".join(map(str, reversed(shapes)))
        raise ParameterError(f"start_weights have shape {weights.shape}; they must have shape {wanted}: {order}")
    if not np.isfinite(weights).all():
        raise ParameterError("start_weights hold a missing or infinite number: give all of them")
    return weights.reshape(planes, q)
