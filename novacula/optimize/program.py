"""Problems with constraints, as data: quadratics, quadratic programs, and smooth programs given by functions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from novacula.arguments import Floats, as_matrix, as_numbers, as_symmetric, as_vector, read_only, require_finite
from novacula.errors import ParameterError
from novacula.optimize.differences import central_differences
from novacula.optimize.objective import Function


@dataclass(frozen=True, eq=False)
class Quadratic:
    """f(x) = ½ xᵀPx + qᵀx + r, with a symmetric P (d, d) and q (d,), which is 0 if it is left out.

    >>> f = Quadratic([[2, 1], [1, 4]])  # x² + 2y² + xy
    >>> f([1.0, 1.0]), f.gradient([1.0, 1.0])
    (4.0, array([3., 5.]))
    """

    P: npt.ArrayLike
    q: npt.ArrayLike | None = None
    r: float = 0.0

    def __post_init__(self) -> None:
        size = np.atleast_2d(as_numbers(self.P, "P")).shape[-1]
        object.__setattr__(self, "P", read_only(as_symmetric(self.P, "P", size)))
        q = np.zeros(size) if self.q is None else as_vector(self.q, "q", size)
        object.__setattr__(self, "q", read_only(q))

    @property
    def matrices(self) -> tuple[Floats, Floats]:
        """P and q as arrays."""
        return np.asarray(self.P), np.asarray(self.q)

    def __call__(self, x: npt.ArrayLike) -> float:
        """The value at x."""
        P, q = self.matrices
        place = np.asarray(x, dtype=np.float64)
        return float(place @ P @ place / 2 + q @ place + self.r)

    def gradient(self, x: npt.ArrayLike) -> Floats:
        """Px + q."""
        P, q = self.matrices
        return P @ np.asarray(x, dtype=np.float64) + q


@dataclass(frozen=True, eq=False)
class SmoothProgram:
    """min f(x) subject to h(x) ≤ 0 and g(x) = 0, given by the gradient of f, by h and g, and by their Jacobians.

    A Jacobian that is left out is replaced by central differences.
    """

    gradient: Function
    inequalities: Function | None = None
    equalities: Function | None = None
    inequality_jacobian: Function | None = None
    equality_jacobian: Function | None = None

    def slope(self, x: Floats) -> Floats:
        """The gradient of f."""
        return as_vector(self.gradient(x), "what gradient gives", len(x))

    def at_most_zero(self, x: Floats) -> tuple[Floats, Floats]:
        """h(x) and its Jacobian."""
        return with_jacobian(self.inequalities, self.inequality_jacobian, x, "inequalities")

    def zero(self, x: Floats) -> tuple[Floats, Floats]:
        """g(x) and its Jacobian."""
        return with_jacobian(self.equalities, self.equality_jacobian, x, "equalities")

    def levels(self, x: Floats) -> tuple[Floats, Floats]:
        """h(x) and g(x)."""
        return values_of(self.inequalities, x, "inequalities"), values_of(self.equalities, x, "equalities")


def values_of(function: Function | None, x: Floats, name: str) -> Floats:
    """The values (m,) of a function; no function has no values."""
    return np.empty(0) if function is None else np.atleast_1d(as_numbers(function(x), f"what {name} gives"))


def with_jacobian(function: Function | None, jacobian: Function | None, x: Floats, name: str) -> tuple[Floats, Floats]:
    """The values (m,) of a function, and its Jacobian (m, d); no function has no values."""
    if function is None:
        return np.empty(0), np.empty((0, len(x)))

    values = values_of(function, x, name)
    slopes: Any = (
        central_differences(lambda place: values_of(function, place, name), x) if jacobian is None else jacobian(x)
    )
    matrix = as_matrix(slopes, f"the Jacobian of the {name}", len(x))
    if matrix.shape[0] != len(values):
        raise ParameterError(f"the Jacobian of the {name} has {matrix.shape[0]} rows for {len(values)} of them")
    return values, matrix


@dataclass(frozen=True, eq=False)
class QuadraticProgram:
    """min ½ xᵀPx + qᵀx subject to Gx ≤ h and Ax = b.

    P None is a linear program. Entries of h may be +∞, which says nothing, or −∞, which nothing satisfies.
    """

    P: npt.ArrayLike | None
    q: npt.ArrayLike
    G: npt.ArrayLike | None = None
    h: npt.ArrayLike | None = None
    A: npt.ArrayLike | None = None
    b: npt.ArrayLike | None = None

    def __post_init__(self) -> None:
        q = np.atleast_1d(as_numbers(self.q, "q"))
        P = np.zeros((q.size, q.size)) if self.P is None else self.P
        objective = Quadratic(P, q)
        G, h = paired(self.G, self.h, ("G", "h"), q.size)
        A, b = paired(self.A, self.b, ("A", "b"), q.size)
        require_finite(b, "b")
        for name, array in zip("PqGhAb", (*objective.matrices, G, h, A, b), strict=True):
            object.__setattr__(self, name, read_only(np.asarray(array)))

    @property
    def arrays(self) -> tuple[Floats, Floats, Floats, Floats, Floats, Floats]:
        """P, q, G, h, A, b as arrays; constraints that are not there have no rows."""
        P, q, G, h, A, b = (np.asarray(part) for part in (self.P, self.q, self.G, self.h, self.A, self.b))
        return P, q, G, h, A, b

    def slope(self, x: Floats) -> Floats:
        """The gradient of the objective."""
        return np.asarray(self.P) @ x + np.asarray(self.q)

    def at_most_zero(self, x: Floats) -> tuple[Floats, Floats]:
        """Gx − h and G."""
        G = np.asarray(self.G)
        return G @ x - np.asarray(self.h), G

    def zero(self, x: Floats) -> tuple[Floats, Floats]:
        """Ax − b and A."""
        A = np.asarray(self.A)
        return A @ x - np.asarray(self.b), A

    def levels(self, x: Floats) -> tuple[Floats, Floats]:
        """Gx − h and Ax − b."""
        return self.at_most_zero(x)[0], self.zero(x)[0]


def paired(
    matrix: npt.ArrayLike | None, limits: npt.ArrayLike | None, names: tuple[str, str], size: int
) -> tuple[Floats, Floats]:
    """A matrix of constraints (m, d) with its right-hand sides (m,)."""
    if (matrix is None) != (limits is None):
        raise ParameterError(f"of {names[0]} and {names[1]} only one is given; give both or neither")
    if matrix is None or limits is None:
        return np.empty((0, size)), np.empty(0)
    rows, sides = as_matrix(matrix, names[0], size), np.atleast_1d(as_numbers(limits, names[1]))
    if sides.shape != (len(rows),):
        raise ParameterError(f"{names[1]} has shape {sides.shape}; {names[0]} has {len(rows)} rows")
    if np.isnan(sides).any():
        raise ParameterError(f"{names[1]} is NaN in row {int(np.flatnonzero(np.isnan(sides))[0]) + 1}; give a number")
    return rows, sides
