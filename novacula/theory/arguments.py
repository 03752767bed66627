"""What the functions of this room are given: whole numbers, shares between 0 and 1, points."""

from __future__ import annotations

from decimal import Decimal
from numbers import Real
from operator import index
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from novacula.errors import DataError, ParameterError
from novacula.learner.figure import shortened

Floats: TypeAlias = npt.NDArray[np.float64]
Labels: TypeAlias = npt.NDArray[np.bool_]


def whole(value: Any, name: str, least: int = 0) -> int:
    """A whole number that is not too small."""
    try:
        number = index(value)
    except TypeError:
        number = least - 1
    if number < least or isinstance(value, bool):
        raise ParameterError(f"{name} is {shown(value)}; it must be a whole number of at least {least}")
    return number


def share(value: Any, name: str) -> Decimal:
    """A number between 0 and 1, both excluded, as it was typed: 0.1 is a tenth."""
    if not isinstance(value, Real) or not 0 < float(value) < 1:
        raise ParameterError(f"{name} is {shown(value)}; it must be a number above 0 and below 1")
    return as_typed(value)


def as_typed(value: Real) -> Decimal:
    """The decimal that a float was typed as, which is the shortest that rounds to it."""
    return Decimal(repr(float(value)))


def as_points(points: npt.ArrayLike) -> Floats:
    """Points as rows (P, N); a flat list holds points on a line."""
    array = as_numbers(points, "the points")
    array = array[:, None] if array.ndim == 1 else array
    if array.ndim != 2 or not array.shape[1]:
        raise DataError(f"the points have shape {array.shape}; give one row a point and one column a dimension")
    strange = np.argwhere(~np.isfinite(array))
    if len(strange):
        row, column = strange[0].tolist()
        raise DataError(
            f"the point in row {row + 1} has {array[row, column]} in column {column + 1}; leave it out or mend it"
        )
    return array


def as_numbers(values: npt.ArrayLike, what: str) -> Floats:
    """An array of numbers; texts that look like numbers are not taken for them."""
    try:
        array = np.asarray(values)
    except ValueError:
        raise DataError(f"{what} have rows of different lengths; give an array of numbers") from None
    if array.dtype.kind not in "biuf":
        raise DataError(f"{what} are of type {array.dtype}; give an array of numbers")
    return array.astype(np.float64)


def shown(value: Any) -> str:
    """A value as it stands in a message, however long it is."""
    if isinstance(value, int) and value.bit_length() > 64:
        return f"a number of {value.bit_length()} bits"
    return shortened(repr(value))
