"""Lagrange's method: stationary points of f where g(x) = 0.

    L(x, α) = f(x) − Σ αᵢ gᵢ(x)        ∇f = Σ αᵢ ∇gᵢ,  g = 0

α is the price of a constraint: for g(x) = ε the stationary value is f + αε. For linear equalities Ax = b, g is
Ax − b. A quadratic with linear equalities is one linear system. Otherwise Newton's method on the Lagrangian solves
such a system in each step, and a merit function, f + ν‖g‖₁, decides how far to go.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from novacula.arguments import (
    Floats,
    as_matrix,
    as_point,
    as_symmetric,
    as_vector,
    nonnegative_number,
    read_only,
    whole_number,
)
from novacula.errors import InputTypeError, ParameterError
from novacula.learner.iterate import Outcome
from novacula.optimize.affine import AffineSet
from novacula.optimize.differences import central_differences
from novacula.optimize.kkt import ConstrainedResult, largest, measured, solved_at_once
from novacula.optimize.newton import SMALLEST, solve_newton
from novacula.optimize.objective import CountedObjective, DescentPoint, Function
from novacula.optimize.program import Quadratic, QuadraticProgram, SmoothProgram, paired
from novacula.optimize.trace import Halt, follow
from novacula.words import counted, quoted

HALVINGS = 40
SLACK = 1e-13
"""Differences of the merit function below this share of its size are rounding."""


def lagrange(
    objective: Quadratic | tuple[Any, Any] | Function,
    equalities: tuple[Any, Any] | Function,
    x0: npt.ArrayLike | None = None,
    *,
    gradient: Function | None = None,
    jacobian: Function | None = None,
    hessian: Callable[[Floats, Floats], Any] | None = None,
    tol: float = 1e-9,
    max_iter: int = 200,
) -> ConstrainedResult:
    """Find a stationary point of the objective under equalities, its multipliers, and what kind of point it is.

    The objective is a `Quadratic`, a pair (P, q) for ½xᵀPx + qᵀx, or a function of x. The equalities are a pair
    (A, b) for Ax = b, or a function g that must be 0. A quadratic with linear equalities needs no start and is
    solved exactly; other problems need x0, and go downhill from there. `gradient` is that of the objective,
    `jacobian` that of g, `hessian(x, multipliers)` that of the Lagrangian in x; what is left out is replaced by
    central differences. Redundant equalities share their price; contradictory linear ones raise.

    >>> found = lagrange(Quadratic([[2, 1], [1, 4]]), ([1, -2], [3]))  # x² + 2y² + xy where x − 2y = 3
    >>> found.x.round(12), found.multipliers.round(12), found.kind
    (array([ 1.125 , -0.9375]), array([1.3125]), 'minimum')
    """
    if isinstance(objective, tuple):
        objective = Quadratic(*objective)
    if isinstance(objective, Quadratic) and not callable(equalities):
        return lagrange_quadratic(objective, *equalities)
    if x0 is None:
        raise ParameterError("x0 is missing; a problem that is not quadratic with linear equalities needs a start")
    start = as_point(x0)
    if isinstance(objective, Quadratic):
        gradient = gradient or objective.gradient
    if not callable(objective):
        raise InputTypeError(f"the objective is {quoted(objective)}; give a Quadratic, (P, q) or a function")
    if not callable(equalities):
        A, b = paired(*equalities, ("A", "b"), len(start))
        equalities, jacobian = (lambda x: A @ x - b), (lambda _: A)
    problem = LagrangeProblem(CountedObjective(objective, gradient, size=len(start)), equalities, jacobian, hessian)
    return lagrange_smooth(problem, start, nonnegative_number(tol, "tol"), whole_number(max_iter, "max_iter", 0))


def kind_of(curvature: Floats) -> str:
    """What a stationary point is, by the Hessian of the Lagrangian within the constraints (k, k)."""
    if not curvature.size:
        return "only point"
    eigenvalues = np.linalg.eigvalsh(curvature)
    flat = SMALLEST * max(np.abs(eigenvalues).max(), np.finfo(float).tiny)
    if (np.abs(eigenvalues) <= flat).any():
        return "degenerate point"
    if (eigenvalues > 0).all():
        return "minimum"
    return "maximum" if (eigenvalues < 0).all() else "saddle point"


# --- quadratics with linear equalities ----------------------------------------------------------------------


def lagrange_quadratic(f: Quadratic, A: npt.ArrayLike, b: npt.ArrayLike) -> ConstrainedResult:
    """Solve the linear system of a quadratic under Ax = b."""
    P, q = f.matrices
    rows, sides = paired(as_matrix(A, "A", len(q)), b, ("A", "b"), len(q))
    plane = AffineSet.of(rows, as_vector(sides, "b", len(rows)))
    if plane.contradiction is not None:
        worst = int(np.abs(plane.contradiction).argmax())
        raise ParameterError(f"no x satisfies all equalities: row {worst} of A contradicts others; correct A or b")
    u, unbounded = solve_stationary(
        plane.directions.T @ P @ plane.directions, plane.directions.T @ f.gradient(plane.point)
    )
    if unbounded is not None:
        raise ParameterError(
            "there is no stationary point: along a direction that satisfies the equalities the objective is linear "
            "and not constant, so it has no bound; add equalities, or curvature to P"
        )
    x = read_only(plane.point + plane.directions @ u)
    slope = f.gradient(x)
    alpha = plane.multipliers(slope)
    lagrangian, kind = slope - rows.T @ alpha, kind_of(plane.directions.T @ P @ plane.directions)
    spare = len(rows) - plane.rank
    redundant = f" Redundant equalities: {spare}; the multipliers are those of least length." if spare else ""
    return solved_at_once(
        "Lagrange's method",
        f,
        x,
        lagrangian,
        reason=f"The linear system was solved: {article(kind)} where the equalities hold.{redundant}",
        multipliers=alpha,
        inequality_multipliers=np.empty(0),
        residuals=measured(lagrangian, np.empty(0), np.empty(0), rows @ x - sides),
        kind=kind,
        program=QuadraticProgram(P, q, A=rows, b=sides),
    )


def solve_stationary(P: Floats, q: Floats) -> tuple[Floats, Floats | None]:
    """The u of least length with Pu = −q, and a direction along which ½uᵀPu + qᵀu is linear, if there is one."""
    eigenvalues, vectors = np.linalg.eigh(P)
    parts, curved = vectors.T @ q, np.abs(eigenvalues) > 1e-12 * np.abs(eigenvalues).max(initial=0.0)
    u = -vectors[:, curved] @ (parts[curved] / eigenvalues[curved])
    linear = vectors[:, ~curved] @ parts[~curved]
    return u, -linear if np.linalg.norm(linear) > 1e-9 * (np.linalg.norm(q) or 1.0) else None


def article(kind: str, *, nearby: bool = False) -> str:
    """The kind with its article; `nearby`: places far away are not known."""
    if kind == "only point":
        return "the only point nearby" if nearby else "the only point"
    return f"a {kind}"


# --- smooth functions ---------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, kw_only=True)
class Balanced(DescentPoint):
    """A point with the slope of f, the values of g, its Jacobian, the multipliers and the price of the merit function.

    Its gradient is that of the Lagrangian.
    """

    slope: Floats
    constraints: Floats
    jacobian: Floats
    multipliers: Floats
    price: float

    def is_settled(self, tol: float) -> bool:
        """Whether the Lagrangian has no slope and the equalities hold."""
        return super().is_settled(tol) and largest(self.constraints) <= tol * max(1.0, largest(self.x))


@dataclass(frozen=True)
class LagrangeProblem:
    """f and g with their derivatives, as far as they are given."""

    objective: CountedObjective
    equalities: Function
    jacobian: Function | None
    hessian: Callable[[Floats, Floats], Any] | None

    def at(self, x: Floats, price: float = 1.0, step: float = 0.0, modified: bool = False) -> Balanced:
        """The point at x, with the multipliers that leave the least slope."""
        here = self.objective.start(x)
        g, J = self.program.zero(x)
        alpha = AffineSet.of(J, g).multipliers(here.gradient)
        lagrangian = here.gradient - J.T @ alpha
        return Balanced(
            x,
            here.value,
            lagrangian,
            step,
            modified=modified,
            slope=here.gradient,
            constraints=g,
            jacobian=J,
            multipliers=alpha,
            price=price,
        )

    @property
    def program(self) -> SmoothProgram:
        """The same as a program, whose equalities are checked."""
        return SmoothProgram(self.objective.gradient, equalities=self.equalities, equality_jacobian=self.jacobian)

    def curvature(self, point: Balanced) -> Floats:
        """The Hessian of the Lagrangian in x."""
        self.objective.n_hessians += 1
        if self.hessian is not None:
            return as_symmetric(self.hessian(point.x, point.multipliers), "hessian", len(point.x))

        def slope(x: Floats) -> Floats:
            return self.objective.gradient(x) - self.program.zero(x)[1].T @ point.multipliers

        matrix = central_differences(slope, point.x)
        return (matrix + matrix.T) / 2

    def merit(self, x: Floats, price: float) -> float:
        """f + ν‖g‖₁, infinite where it is not defined."""
        with np.errstate(all="ignore"):
            total = self.objective.value(x) + price * float(np.abs(self.equalities(x)).sum())
        return total if math.isfinite(total) else math.inf


def lagrange_smooth(problem: LagrangeProblem, start: Floats, tol: float, max_iter: int) -> ConstrainedResult:
    """Newton's method on the Lagrangian from a start."""
    result = follow(
        "Newton's method on the Lagrangian",
        problem.objective,
        lambda point: newton_on_lagrangian(problem, point),
        problem.at(start),
        tol=tol,
        max_iter=max_iter,
    )
    end = problem.at(result.x)
    plane = AffineSet.of(end.jacobian, end.constraints)
    kind = (
        kind_of(plane.directions.T @ problem.curvature(end) @ plane.directions) if result.converged else "not settled"
    )
    if result.converged:
        iterations = counted(result.n_iter, "iteration")
        words = f"It converged after {iterations}: {article(kind, nearby=True)} where the equalities hold."
        result = replace(result, reason=words)
    residuals = measured(end.gradient, np.empty(0), np.empty(0), end.constraints)
    more: dict[str, Any] = {
        "multipliers": end.multipliers,
        "inequality_multipliers": np.empty(0),
        "residuals": residuals,
        "kind": kind,
        "program": problem.program,
    }
    return ConstrainedResult(**{**vars(result), **more})


def newton_on_lagrangian(problem: LagrangeProblem, point: Balanced) -> Balanced | Halt:
    """One step: onto the linearised equalities, and within them to the minimum of the quadratic model."""
    W, plane = problem.curvature(point), AffineSet.of(point.jacobian, -point.constraints)
    Z, onto = plane.directions, plane.point
    along, modified = np.zeros(len(onto)), False
    reduced = Z.T @ (point.slope + W @ onto)
    if reduced.any():
        within, modified = solve_newton(Z.T @ W @ Z, reduced)
        along = Z @ within
    move, missed = onto + along, float(np.abs(point.constraints).sum())
    gain = float(point.slope @ move)
    curved = max(0.0, float(move @ W @ move)) / 2
    price = max(point.price, 2 * (gain + curved) / missed) if missed > 0 else point.price
    move_and_step = lower_merit(
        lambda x: problem.merit(x, price),
        point.x,
        point.value,
        move,
        gain - price * missed,
        lambda place: place - plane.inverse @ np.atleast_1d(np.asarray(problem.equalities(place))),
    )
    if move_and_step is None:
        return Halt(
            Outcome.STALLED,
            f"It stalled: no step improves f and the equalities together; these are missed by {missed:.3g}: "
            "they may contradict each other, or their gradients vanish there; try another start.",
        )
    x, step = move_and_step
    return problem.at(x, price, step, modified)


def lower_merit(
    merit: Function,
    x: Floats,
    value: float,
    move: Floats,
    promised: float,
    bend: Callable[[Floats], Floats],
) -> tuple[Floats, float] | None:
    """The end and the length of the longest step that lowers the merit function sufficiently, if there is one.

    `value` is f at x. A whole step that fails is tried once more, bent back onto the constraints: near the solution
    curved ones would refuse good steps (Maratos).
    """
    before = merit(x)
    slack = SLACK * max(1.0, abs(value), abs(before))
    step = 1.0
    for _ in range(HALVINGS):
        place = x + step * move
        tries = [place]
        if step == 1.0:
            tries.append(bend(read_only(place.copy())))
        for end in tries:
            if merit(read_only(end)) <= before + 1e-4 * step * min(promised, 0.0) + slack:
                return read_only(end), step
        step /= 2
    return None
