"""What the optimisers are given: points, matrices, positive numbers; each fault is told in one sentence."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from novacula.errors import ParameterError
from novacula.learner.figure import shortened

Floats: TypeAlias = npt.NDArray[np.float64]


def as_point(values: npt.ArrayLike, name: str = "x0") -> Floats:
    """A point as a flat array of finite numbers that cannot be written to; a number is a point on a line."""
    point = np.atleast_1d(as_numbers(values, name))
    if point.ndim != 1 or not point.size:
        raise ParameterError(f"{name} has shape {point.shape}; give a flat list of coordinates")
    refuse_strange(point, name)
    return frozen(point)


def as_vector(values: npt.ArrayLike, name: str, size: int) -> Floats:
    """A vector of a known length with finite numbers."""
    vector = np.atleast_1d(as_numbers(values, name))
    if vector.shape != (size,):
        raise ParameterError(f"{name} has shape {vector.shape}; it must have shape ({size},)")
    refuse_strange(vector, name)
    return vector


def as_matrix(values: npt.ArrayLike, name: str, n_columns: int) -> Floats:
    """A matrix of finite numbers with a known number of columns; a vector is its only row."""
    matrix = np.atleast_2d(as_numbers(values, name))
    if matrix.ndim != 2 or matrix.shape[1] != n_columns:
        raise ParameterError(f"{name} has shape {matrix.shape}; it must have {n_columns} columns, one a variable")
    refuse_strange(matrix, name)
    return matrix


def as_symmetric(values: npt.ArrayLike, name: str, size: int) -> Floats:
    """A symmetric matrix of a known size; what differs by rounding only is averaged."""
    matrix = as_matrix(values, name, size)
    if matrix.shape != (size, size):
        raise ParameterError(f"{name} has shape {matrix.shape}; it must have shape ({size}, {size})")
    gap = np.abs(matrix - matrix.T)
    if gap.max() > 1e-8 * np.abs(matrix).max():
        i, j = np.unravel_index(int(gap.argmax()), gap.shape)
        raise ParameterError(
            f"{name} is not symmetric: entry ({i}, {j}) is {matrix[i, j]:g}, entry ({j}, {i}) is {matrix[j, i]:g}; "
            f"give ({name} + {name}ᵀ) / 2 if its quadratic form is meant"
        )
    return (matrix + matrix.T) / 2


def as_numbers(values: npt.ArrayLike, name: str) -> Floats:
    """A copy as floats; texts that look like numbers are not taken for them."""
    try:
        array = np.asarray(values)
    except ValueError:
        raise ParameterError(f"{name} has rows of different lengths; give an array of numbers") from None
    if array.dtype.kind not in "biuf":
        raise ParameterError(f"{name} is of type {array.dtype}; give an array of numbers")
    return array.astype(np.float64)


def refuse_strange(array: Floats, name: str) -> None:
    """Refuse NaN and infinities, and say where the first is."""
    strange = np.argwhere(~np.isfinite(array))
    if len(strange):
        place = tuple(strange[0].tolist())
        where = f"coordinate {place[0]}" if len(place) == 1 else f"entry {place}"
        raise ParameterError(f"{name} has {array[place]} in {where}; all its numbers must be finite")


def frozen(array: Floats) -> Floats:
    """The array, made read-only: a user's function that writes to its argument is told so at once."""
    array.flags.writeable = False
    return array


def positive(value: Any, name: str, below: float = math.inf) -> float:
    """A number above 0 and below a limit."""
    if not isinstance(value, Real) or isinstance(value, bool) or not 0 < float(value) < below:
        limit = "" if below == math.inf else f" and below {below:g}"
        raise ParameterError(f"{name} is {shortened(repr(value))}; it must be a finite number above 0{limit}")
    return float(value)


def not_negative(value: Any, name: str, below: float = math.inf) -> float:
    """A number that is at least 0 and below a limit."""
    return (
        0.0 if isinstance(value, Real) and not isinstance(value, bool) and value == 0 else positive(value, name, below)
    )


def count(value: Any, name: str, least: int = 1) -> int:
    """A whole number that is not too small."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise ParameterError(f"{name} is {shortened(repr(value))}; it must be a whole number of at least {least}")
    return int(value)


def one_of(value: Any, name: str, choices: tuple[str, ...]) -> str:
    """One of a few words."""
    if not isinstance(value, str) or value not in choices:
        raise ParameterError(f"{name} is {shortened(repr(value))}; it must be one of {', '.join(map(repr, choices))}")
    return value
