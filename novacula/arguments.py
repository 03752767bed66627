"""What functions are given, checked: points, matrices, numbers in a range. Each fault is reported in one sentence."""

from __future__ import annotations

import math
from decimal import Decimal
from numbers import Real
from operator import index
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from novacula.errors import DataError, InputTypeError, ParameterError
from novacula.words import quoted

Floats: TypeAlias = npt.NDArray[np.float64]


def as_numbers(values: npt.ArrayLike, name: str, error: type[ValueError] = ParameterError) -> Floats:
    """A copy as floats; strings that look like numbers are refused."""
    try:
        array = np.asarray(values)
    except ValueError:
        raise error(f"{name} must be an array of numbers, not rows that differ in length") from None
    if array.dtype.kind not in "biuf":
        raise error(f"{name} must be an array of numbers, not of type {array.dtype}")
    return array.astype(np.float64)


def as_point(values: npt.ArrayLike, name: str = "x0") -> Floats:
    """A point as a flat, read-only array of finite numbers; a number is a point on a line."""
    point = np.atleast_1d(as_numbers(values, name))
    if point.ndim != 1 or not point.size:
        raise ParameterError(f"{name} has shape {point.shape}; give a flat list of coordinates")
    require_finite(point, name)
    return read_only(point)


def as_points(points: npt.ArrayLike) -> Floats:
    """Points as rows (P, N); a flat list holds points on a line."""
    array = as_numbers(points, "the points", DataError)
    array = array[:, None] if array.ndim == 1 else array
    if array.ndim != 2 or not array.shape[1]:
        raise DataError(f"the points have shape {array.shape}; give one row per point and one column per dimension")
    strange = np.argwhere(~np.isfinite(array))
    if len(strange):
        row, column = strange[0].tolist()
        raise DataError(
            f"the point in row {row + 1} has {array[row, column]} in column {column + 1}; leave it out or correct it"
        )
    return array


def as_vector(values: npt.ArrayLike, name: str, size: int) -> Floats:
    """A vector of a known length with finite numbers."""
    vector = np.atleast_1d(as_numbers(values, name))
    if vector.shape != (size,):
        raise ParameterError(f"{name} has shape {vector.shape}; it must have shape ({size},)")
    require_finite(vector, name)
    return vector


def as_matrix(values: npt.ArrayLike, name: str, n_columns: int) -> Floats:
    """A matrix of finite numbers with a known number of columns; a vector is its only row."""
    matrix = np.atleast_2d(as_numbers(values, name))
    if matrix.ndim != 2 or matrix.shape[1] != n_columns:
        raise ParameterError(f"{name} has shape {matrix.shape}; it must have {n_columns} columns, one per variable")
    require_finite(matrix, name)
    return matrix


def as_symmetric(values: npt.ArrayLike, name: str, size: int) -> Floats:
    """A symmetric matrix of a known size; entries that differ only by rounding are averaged."""
    matrix = as_matrix(values, name, size)
    if matrix.shape != (size, size):
        raise ParameterError(f"{name} has shape {matrix.shape}; it must have shape ({size}, {size})")
    gap = np.abs(matrix - matrix.T)
    if gap.max() > 1e-8 * np.abs(matrix).max():
        i, j = np.unravel_index(int(gap.argmax()), gap.shape)
        raise ParameterError(
            f"{name} is not symmetric: row {i + 1}, column {j + 1} has {matrix[i, j]:g}, and row {j + 1}, column "
            f"{i + 1} has {matrix[j, i]:g}; give ({name} + {name}ᵀ) / 2 if its quadratic form is meant"
        )
    return (matrix + matrix.T) / 2


def require_finite(array: Floats, name: str) -> None:
    """Refuse NaN and infinity, and say where the first is."""
    strange = np.argwhere(~np.isfinite(array))
    if len(strange):
        place = tuple(strange[0].tolist())
        at = [k + 1 for k in place]
        where = f"row {at[0]}, column {at[1]}" if len(at) == 2 else f"place {', '.join(map(str, at))}"
        raise ParameterError(f"{name} has {array[place]} in {where}; all its numbers must be finite")


def require_function(value: Any, name: str, of: str) -> None:
    """Refuse what cannot be called."""
    if not callable(value):
        raise InputTypeError(f"{name} is {quoted(value)}; it must be a function of {of}")


def read_only(array: Floats) -> Floats:
    """The array, made read-only: a user's function that writes to its argument gets an error at once."""
    array.flags.writeable = False
    return array


def positive_number(value: Any, name: str, below: float = math.inf) -> float:
    """A number above 0 and below a limit."""
    if not isinstance(value, Real) or isinstance(value, bool) or not 0 < float(value) < below:
        limit = "" if below == math.inf else f" and below {below:g}"
        raise ParameterError(f"{name} is {quoted(value)}; it must be a finite number above 0{limit}")
    return float(value)


def nonnegative_number(value: Any, name: str, below: float = math.inf) -> float:
    """A number that is at least 0 and below a limit."""
    is_zero = isinstance(value, Real) and not isinstance(value, bool) and value == 0
    return 0.0 if is_zero else positive_number(value, name, below)


def whole_number(value: Any, name: str, least: int = 0) -> int:
    """A whole number that is not too small."""
    try:
        number = index(value)
    except TypeError:
        number = least - 1
    if number < least or isinstance(value, bool):
        raise ParameterError(f"{name} is {quoted(value)}; it must be a whole number of at least {least}")
    return number


def proportion(value: Any, name: str) -> Decimal:
    """A number between 0 and 1, both excluded, as it was typed: 0.1 is a tenth."""
    if not isinstance(value, Real) or not 0 < float(value) < 1:
        raise ParameterError(f"{name} is {quoted(value)}; it must be a number above 0 and below 1")
    return as_decimal(value)


def as_decimal(value: Real) -> Decimal:
    """The decimal that a float was typed as, which is the shortest that rounds to it."""
    return Decimal(repr(float(value)))


def one_of(value: Any, name: str, choices: tuple[str, ...]) -> str:
    """One of a few words."""
    if not isinstance(value, str) or value not in choices:
        raise ParameterError(f"{name} is {quoted(value)}; it must be one of {', '.join(map(repr, choices))}")
    return value
