"""A function to be minimised, as the optimisers see it: it counts its calls and checks what comes back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from novacula.arguments import Floats, as_numbers, read_only, require_function
from novacula.errors import ParameterError
from novacula.optimize.differences import central_differences

Function: TypeAlias = Callable[[Floats], Any]


@dataclass(frozen=True, eq=False)
class DescentPoint:
    """A place on the way: x (d,), the value and the gradient there, and the step that led to it."""

    x: Floats
    value: float
    gradient: Floats
    step: float = 0.0
    direction: Floats | None = None
    modified: bool = False  # whether the step was not Newton's own, since the Hessian was not positive definite

    @property
    def norm(self) -> float:
        """Length of the gradient."""
        return float(np.linalg.norm(self.gradient))

    def is_settled(self, tol: float) -> bool:
        """Whether the gradient vanishes, measured by the size of the value."""
        return self.norm <= tol * max(1.0, abs(self.value))


class CountedObjective:
    """f with its gradient and Hessian; what is missing is replaced by central differences.

    With `sign` −1 it is −f, so that to minimise it is to climb f. Values that are not finite are handed on: a
    search takes them for a step too long.
    """

    def __init__(
        self, f: Function, gradient: Function | None = None, hessian: Any = None, *, size: int, sign: float = 1.0
    ) -> None:
        for name, function in (("f", f), ("gradient", gradient)):
            if name == "f" or function is not None:
                require_function(function, name, "x")
        self.f, self.given_gradient, self.given_hessian = f, gradient, hessian
        self.size, self.sign = size, sign
        self.n_values = self.n_gradients = self.n_hessians = 0

    def start(self, x: Floats) -> DescentPoint:
        """The point where a run begins, where f must be defined."""
        value = self.value(x)
        if not np.isfinite(value):
            raise ParameterError(f"f is {self.sign * value} at the start x0; start where f is finite")
        return self.at(x, value)

    def at(self, x: Floats, value: float | None = None, **more: Any) -> DescentPoint:
        """The point at x; its gradient is NaN where the value is not finite, since nobody may go there."""
        value = self.value(x) if value is None else value
        gradient = self.gradient(x) if np.isfinite(value) else np.full(self.size, np.nan)
        return DescentPoint(x, value, gradient, **more)

    def value(self, x: Floats) -> float:
        """The value at x; a number too large for a float is infinite."""
        self.n_values += 1
        with np.errstate(all="ignore"):
            try:
                result = np.asarray(self.f(x), dtype=np.float64)
            except OverflowError:
                result = np.array(self.sign * np.inf)
        if result.size != 1:
            raise ParameterError(f"f gave an array of shape {result.shape}; it must give one number")
        return self.sign * float(result.reshape(()))

    def gradient(self, x: Floats) -> Floats:
        """The gradient at x, shape (d,)."""
        self.n_gradients += 1
        if self.given_gradient is None:
            return self._checked(central_differences(self.value, x), "the gradient by central differences", x)
        with np.errstate(all="ignore"):
            gradient = as_numbers(self.given_gradient(x), "what gradient gives")
        return self.sign * self._checked(np.atleast_1d(gradient), "gradient", x)

    def hessian(self, x: Floats) -> Any:
        """The Hessian at x, an array (d, d) or anything that can be multiplied with a vector."""
        self.n_hessians += 1
        given = self.given_hessian
        if given is None:
            matrix = central_differences(self.gradient, x)
            return (matrix + matrix.T) / 2
        with np.errstate(all="ignore"):
            matrix = given(x) if callable(given) and not hasattr(given, "shape") else given
        matrix = matrix if hasattr(matrix, "shape") else np.asarray(matrix, dtype=np.float64)
        if matrix.shape != (self.size, self.size):
            raise ParameterError(f"hessian has shape {matrix.shape}; it must have shape ({self.size}, {self.size})")
        return self.sign * matrix

    def _checked(self, gradient: Floats, name: str, x: Floats) -> Floats:
        if gradient.shape != (self.size,):
            raise ParameterError(f"{name} gave shape {gradient.shape} at a point of {self.size} coordinates")
        strange = np.flatnonzero(~np.isfinite(gradient))
        if len(strange):
            j = int(strange[0])
            raise ParameterError(
                f"{name} is {gradient[j]} in place {j + 1}, where x is {x[j]:g} and f is finite: correct the gradient"
            )
        return read_only(gradient)
