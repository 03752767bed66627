"""Smooth problems with inequalities: min f(x) where g(x) ≥ 0, and e(x) = 0, by sequential quadratic programs.

    L(x, z, α) = f(x) − Σ zⱼ gⱼ(x) − Σ αᵢ eᵢ(x)        ∇f = Σ zⱼ∇gⱼ + Σ αᵢ∇eᵢ,  z ≥ 0,  g ≥ 0,  zⱼgⱼ = 0,  e = 0

Each step solves the quadratic program that f and the constraints look like from where it is: the curvature of the
Lagrangian, and constraints made linear. A merit function, f plus a price for what is missed, decides how far to go.
Where the linear constraints contradict each other, a step only lowers what is missed; if none does, no x nearby
satisfies the constraints, and weights of their gradients that cancel prove it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from novacula.arguments import Floats, as_point, as_symmetric, nonnegative_number, require_function, whole_number
from novacula.learner.iterate import Outcome
from novacula.optimize.affine import AffineSet
from novacula.optimize.differences import central_differences
from novacula.optimize.held_point import FAINTLY, HeldPoint, nearest, positive, sum_missed
from novacula.optimize.kkt import ConstrainedResult, largest, measured
from novacula.optimize.lagrange import article, kind_of, lower_merit
from novacula.optimize.objective import CountedObjective, Function
from novacula.optimize.program import SmoothProgram
from novacula.optimize.quadratic_program import quadratic_program
from novacula.optimize.trace import Halt, follow
from novacula.words import counted

FAR = 1e12
"""A direction along which f falls this far, and as far as this, has no end."""
STUCK = 1e-8
"""A step that lowers what is missed by less than this share of it lowers nothing."""


def sequential_quadratic(
    f: Function,
    inequalities: Function | None,
    x0: npt.ArrayLike,
    *,
    gradient: Function | None = None,
    jacobian: Function | None = None,
    equalities: Function | None = None,
    equality_jacobian: Function | None = None,
    hessian: Callable[[Floats, Floats, Floats], Any] | None = None,
    tol: float = 1e-9,
    max_iter: int = 200,
) -> ConstrainedResult:
    """Minimise f where `inequalities`, a function g of x, is at least 0, and `equalities`, a function e, is 0.

    It goes downhill from x0, which need not satisfy the constraints, to a local minimum. `gradient` is that of f,
    `jacobian` and `equality_jacobian` those of g and e; `hessian(x, z, α)` is that of L in x. What is left out is
    replaced by central differences. `inequality_multipliers` are the z ≥ 0 of g, `multipliers` the α of e. Where no x
    nearby satisfies the constraints, `certificate` has the weights of "inequalities" and "equalities" whose gradients
    cancel though the constraints are missed; where f has no bound, a "direction" along which it falls.

    >>> found = sequential_quadratic(lambda x: x[0] + x[1], lambda x: 2 - x @ x, [0.0, 0.0])
    >>> found.x.round(6), found.inequality_multipliers.round(6), found.kind
    (array([-1., -1.]), array([0.5]), 'minimum')
    """
    start = as_point(x0)
    functions = {"inequalities": inequalities, "equalities": equalities}
    for name, function in (functions | {"jacobian": jacobian, "equality_jacobian": equality_jacobian}).items():
        if function is not None:
            require_function(function, name, "x")
    objective = CountedObjective(f, gradient, size=len(start))
    program = SmoothProgram(
        objective.gradient,
        inequalities=None if inequalities is None else negative(inequalities),
        equalities=equalities,
        inequality_jacobian=None if jacobian is None else negative(jacobian),
        equality_jacobian=equality_jacobian,
    )
    problem = SmoothProblem(objective, program, hessian)
    return problem.solve(start, nonnegative_number(tol, "tol"), whole_number(max_iter, "max_iter", 0))


def negative(function: Function) -> Function:
    """Minus a function."""
    return lambda x: -np.asarray(function(x), dtype=np.float64)


@dataclass(frozen=True)
class SmoothProblem:
    """f with its derivatives, and its constraints."""

    objective: CountedObjective
    program: SmoothProgram
    hessian: Callable[[Floats, Floats, Floats], Any] | None

    def at(self, x: Floats, z: Floats | None = None, alpha: Floats | None = None, **more: Any) -> HeldPoint:
        """The point at x; at the start no inequality has a price."""
        here = self.objective.start(x)
        (h, H), (g, A) = self.program.at_most_zero(x), self.program.zero(x)
        z = np.zeros(len(h)) if z is None else z
        alpha = AffineSet.of(A, g).multipliers(here.gradient) if alpha is None else alpha
        lagrangian = here.gradient + H.T @ z - A.T @ alpha
        held: dict[str, Any] = {"slope": here.gradient, "h": h, "H": H, "g": g, "A": A, "z": z, "alpha": alpha}
        return HeldPoint(x, here.value, lagrangian, **held, **more)

    def curvature(self, point: HeldPoint) -> Floats:
        """The Hessian of the Lagrangian in x."""
        self.objective.n_hessians += 1
        if self.hessian is not None:
            return as_symmetric(self.hessian(point.x, point.z, point.alpha), "hessian", len(point.x))

        matrix = central_differences(lambda x: self.objective.gradient(x) + self.pull(x, point), point.x)
        return (matrix + matrix.T) / 2

    def bend_of_constraints(self, point: HeldPoint) -> Floats:
        """The part of that Hessian that comes from the constraints."""
        matrix = central_differences(lambda x: self.pull(x, point), point.x)
        return (matrix + matrix.T) / 2

    def pull(self, x: Floats, point: HeldPoint) -> Floats:
        """The gradient of the constraints' part of the Lagrangian."""
        return self.program.at_most_zero(x)[1].T @ point.z - self.program.zero(x)[1].T @ point.alpha

    def merit(self, x: Floats, price: float, share: float = 1.0) -> float:
        """f times its share, and ν times what is missed; infinite where it is not defined."""
        with np.errstate(all="ignore"):
            total = price * sum_missed(*self.program.levels(x))
            if share and math.isfinite(total):
                total += share * self.objective.value(x)
        return total if math.isfinite(total) else math.inf

    # --- the run ----------------------------------------------------------------------------------------------

    def solve(self, start: Floats, tol: float, max_iter: int) -> ConstrainedResult:
        """Follow the steps from a start, and say what the end is."""
        proof, points = dict[str, Floats](), [self.at(start)]

        def advance(point: HeldPoint) -> HeldPoint | Halt:
            following = self.advance(point, proof)
            if isinstance(following, HeldPoint):
                points[0] = following
            return following

        result = follow("Sequential quadratic programs", self.objective, advance, points[0], tol=tol, max_iter=max_iter)
        end = points[0]
        kind = "no solution" if proof else "not settled"
        if result.converged:
            gradients = end.binding()[1]
            directions = AffineSet.of(gradients, np.zeros(len(gradients))).directions
            kind = kind_of(directions.T @ self.curvature(end) @ directions)
            if kind == "only point" and AffineSet.of(end.A, end.g).directions.size:
                kind = "minimum"  # a corner: f rises wherever the constraints allow to go
            iterations = counted(result.n_iter, "iteration")
            words = f"It converged after {iterations}: {article(kind, nearby=True)} where the constraints hold."
            result = replace(result, reason=words)
        more: dict[str, Any] = {
            "multipliers": end.alpha,
            "inequality_multipliers": end.z,
            "residuals": measured(end.gradient, end.h, end.z, end.g),
            "kind": kind,
            "certificate": proof,
            "program": self.program,
        }
        return ConstrainedResult(**{**vars(result), **more})

    def advance(self, point: HeldPoint, proof: dict[str, Floats]) -> HeldPoint | Halt:
        """One step: by the quadratic program, or if that leads nowhere, towards the constraints alone."""
        B, modified = positive(self.curvature(point), point.binding()[1])
        local = quadratic_program(B, point.slope, G=point.H, h=-point.h, A=point.A, b=-point.g)
        move, z, alpha = local.x, np.maximum(local.inequality_multipliers, 0.0), local.multipliers
        if local.converged and not point.is_dear(z, alpha):
            if self.is_endless(point, move):
                proof["direction"] = move / np.linalg.norm(move)
                return Halt(
                    Outcome.DIVERGED,
                    "f has no bound where the constraints hold: the certificate has a direction along which it falls.",
                )
            price = max(point.price, 1.5 * largest(np.append(z, alpha)))
            promised = float(point.slope @ move) - price * point.missed
            better = lower_merit(
                lambda x: self.merit(x, price), point.x, point.value, move, promised, self.bent(point, z)
            )
            if better is not None:
                x, step = better
                return self.at(x, z, alpha, price=price, step=step, modified=modified, direction=move)
        if point.missed > 0.0:
            return self.restored(point, proof)
        return Halt(Outcome.STALLED, "It stalled: no step lowers f where the constraints hold.")

    def bent(self, point: HeldPoint, z: Floats) -> Callable[[Floats], Floats]:
        """How a place is bent back onto the constraints that bind."""
        binds, gradients = replace(point, z=z).binding()
        back = AffineSet.of(gradients, np.zeros(len(gradients))).inverse

        def bend(place: Floats) -> Floats:
            h, g = self.program.levels(place)
            return place - back @ np.append(g, h[binds])

        return bend

    def is_endless(self, point: HeldPoint, move: Floats) -> bool:
        """Whether f falls along a step that goes far, however far, without leaving what is allowed."""
        length = float(np.linalg.norm(move))
        if length <= 1e3 * max(1.0, largest(point.x)):
            return False
        places = [point.x + reach * move / length for reach in np.geomspace(1e4, FAR, 5)]
        values = np.array([point.value, *(self.objective.value(place) for place in places)])
        allowed = all(sum_missed(*self.program.levels(place)) <= 1e-9 * largest(place) for place in places)
        return allowed and bool((np.diff(values) < 0.0).all()) and values[-1] < -FAR * 1e-6 * max(1.0, abs(values[0]))

    def restored(self, point: HeldPoint, proof: dict[str, Floats]) -> HeldPoint | Halt:
        """A step that lowers what is missed, whatever becomes of f; or weights that prove that there is none."""
        _, z, alpha = nearest(point, FAINTLY * np.eye(len(point.x)))
        bend = self.bend_of_constraints(replace(point, z=z, alpha=alpha))
        move, z, alpha = nearest(point, positive(bend, point.A)[0] + FAINTLY * np.eye(len(point.x)))
        left = sum_missed(point.h + point.H @ move, point.g + point.A @ move)
        if point.missed - left > STUCK * max(1.0, point.missed):
            better = lower_merit(
                lambda x: self.merit(x, 1.0, share=0.0),
                point.x,
                point.missed,
                move,
                left - point.missed,
                self.bent(point, z),
            )
            if better is not None:
                x, step = better
                return self.at(x, point.z, point.alpha, price=point.price, step=step, direction=move)
        proof.update(inequalities=z, equalities=alpha)
        return Halt(
            Outcome.STALLED,
            f"No x nearby satisfies the constraints: they are missed by {point.missed:.6g} in sum, and no step lowers "
            "that; the certificate has weights with which their gradients cancel. Try another start.",
        )
