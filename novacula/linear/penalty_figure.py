"""Why absolute values make zeros: the balls of Lq penalties, and where least squares first touches them.

All weights with Σ |wⱼ|^q ≤ 1 cost no more than 1. For q ≤ 1 this set has corners, and they lie on the axes, where other
weights are zero. The contours of the squared error are ellipses about the least squares solution; the first that
touches the set touches it at the best weights, and a corner that sticks out is easily met.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from novacula.errors import ParameterError
from novacula.learner.figure import COLOURS, FAINT, INK, LINES, Figure, few_digits, finite
from novacula.learner.work import Step, Work
from novacula.mathematics import Equation
from novacula.table.chunk import Floats
from novacula.theory.results import DerivedFloat
from novacula.words import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

EXPONENTS = (0.5, 1.0, 2.0, 4.0)
CENTRE = np.array([0.55, 1.8])
"""The least squares solution of the example."""
HESSIAN = np.array([[1.0, 0.3], [0.3, 1.0]])
"""The curvature of its squared error."""


def penalty_figure(exponents: Sequence[float] = EXPONENTS) -> Figure:
    """The unit balls of |w₁|^q + |w₂|^q for up to seven q, and least squares as it touches each of them.

    >>> figure = penalty_figure()
    >>> "q = 1 at (0, 1)" in figure.alt
    True
    """
    if not 0 < len(exponents) <= len(COLOURS):
        raise ParameterError(f"{len(exponents)} exponents cannot be drawn: give one to {len(COLOURS)}")
    touched = ", ".join(
        f"q = {q:g} at ({', '.join(few_digits(w) for w in touching_point(q).round(3))})" for q in exponents
    )
    return Figure(
        partial(draw_penalties, exponents=tuple(exponents)),
        f"Curves of equal penalty; the ellipses of the squared error first touch that of {touched}.",
        "A ball with corners is touched at a corner, where a weight is zero",
        (6.0, 5.4),
    )


def complexity(w: npt.ArrayLike, q: float) -> DerivedFloat:
    """Σ |wⱼ|^q, what weights cost under the penalty of an exponent q above 0; its `work()` writes the sum.

    >>> complexity([3.0, -4.0], 2), complexity([3.0, -4.0], 1), complexity([4.0, 0.0], 0.5)
    (25.0, 7.0, 2.0)
    """
    weights, power = np.atleast_1d(finite(w, "a weight")).ravel(), require_exponent(q)
    return DerivedFloat(float((np.abs(weights) ** power).sum()), partial(derive_complexity, weights, power))


def derive_complexity(w: Floats, q: float, cost: float) -> Work:
    """The cost of weights (d,), term by term."""
    total = Equation("c", "sum(abs(w[j]) ** q for j in _)", {"w": w, "q": q}, ("value",))
    shape = "convex" if q >= 1.0 else "not convex, since ⟦q⟧ is below 1"
    note = f"The set of all weights that cost no more is {shape}."
    return Work(f"{counted(len(w), 'weight')} of cost {cost:.6g}", [Step("Complexity", total, note=note)])


def require_exponent(q: float) -> float:
    """The exponent of a penalty, which is above 0."""
    if isinstance(q, bool) or not isinstance(q, Real) or not 0.0 < q < np.inf:
        raise ParameterError(f"q is {q!r}; it must be a number above 0")
    return float(q)


def unit_ball(q: float, n: int = 721) -> Floats:
    """The border of |w₁|^q + |w₂|^q ≤ 1, (n, 2).

    >>> (unit_ball(1.0, 5).round(6) + 0.0).tolist()
    [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0], [1.0, 0.0]]
    """
    angle = np.linspace(0.0, 2.0 * np.pi, n)
    points = np.column_stack([np.cos(angle), np.sin(angle)])
    return np.asarray(np.sign(points) * np.abs(points) ** (2.0 / require_exponent(q)))


def touching_point(q: float) -> Floats:
    """The point of the unit ball with the least squared error (2,).

    >>> (touching_point(1.0).round(3) + 0.0).tolist()
    [0.0, 1.0]
    """
    border = unit_ball(q, 100_001)
    gap = border - CENTRE
    return np.asarray(border[np.argmin(np.einsum("ij,jk,ik->i", gap, HESSIAN, gap))])


def draw_penalties(axes: Axes, exponents: Sequence[float] = EXPONENTS) -> None:
    """Draw the balls, and the contours that touch them, at the points where they do."""
    root = np.linalg.inv(np.linalg.cholesky(HESSIAN)).T
    circle = unit_ball(2.0) @ root.T
    for i, q in enumerate(exponents):
        label = f"q = {'½' if q == 0.5 else f'{q:g}'}"
        axes.plot(*unit_ball(q).T, color=COLOURS[i], linestyle=LINES[i % len(LINES)], label=label)
        point = touching_point(q)
        radius = np.sqrt((point - CENTRE) @ HESSIAN @ (point - CENTRE))
        axes.plot(*(CENTRE + radius * circle).T, color=FAINT, linewidth=0.8, zorder=0)
        axes.plot(*point, "o", color=COLOURS[i], markersize=7)
    axes.plot(*CENTRE, "+", color=INK, markersize=10)
    axes.annotate("least squares", (CENTRE[0], CENTRE[1]), (0, 8), textcoords="offset points", ha="center")
    axes.axhline(0.0, color=INK, linewidth=0.6)
    axes.axvline(0.0, color=INK, linewidth=0.6)
    axes.set(xlabel="w₁", ylabel="w₂", xlim=(-1.25, 1.9), ylim=(-1.25, 3.0))
    axes.set_aspect("equal")
    axes.legend(loc="upper left")
