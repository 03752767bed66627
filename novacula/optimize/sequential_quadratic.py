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

from novacula.arguments import Floats, as_point, as_symmetric, nonnegative_number, read_only, whole_number
from novacula.learner.iterate import Outcome
from novacula.optimize.affine import AffineSet
from novacula.optimize.differences import central_differences
from novacula.optimize.kkt import ConstrainedResult, largest, measured
from novacula.optimize.lagrange import article, kind_of, lower_merit
from novacula.optimize.objective import CountedObjective, DescentPoint, Function
from novacula.optimize.program import SmoothProgram
from novacula.optimize.quadratic_program import quadratic_program
from novacula.optimize.trace import Halt, follow
from novacula.words import counted

FLAT = 1e-8
"""The least curvature of a step, as a share of the largest."""
STIFFER = (1.0, 1e2, 1e4)
"""How much curvature is added across binding constraints, where there is too little along them."""
FAR = 1e12
"""A direction along which f falls this far, and as far as this, has no end."""
STUCK = 1e-8
"""A step that lowers what is missed by less than this share of it lowers nothing."""
FAINTLY = 1e-4
"""The curvature that keeps a step towards the constraints short where they say nothing of its length."""
DEAR, CLEARLY = 1e3, 1e-6
"""Constraints that pull this many times as hard as f, and are clearly missed, may contradict each other."""
BINDS = 1e-7
"""A multiplier above this share of the largest is not 0."""


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


@dataclass(frozen=True, eq=False, kw_only=True)
class HeldPoint(DescentPoint):
    """A point with the slope of f, the constraints h ≤ 0 and g = 0 with their Jacobians, and multipliers.

    Its gradient is that of the Lagrangian.
    """

    slope: Floats
    h: Floats
    H: Floats
    g: Floats
    A: Floats
    z: Floats
    alpha: Floats
    price: float = 1.0

    @property
    def missed(self) -> float:
        """By how much the constraints are missed, in sum."""
        return sum_missed(self.h, self.g)

    def is_settled(self, tol: float) -> bool:
        """Whether all conditions of Karush, Kuhn and Tucker hold."""
        residuals = measured(self.gradient, self.h, self.z, self.g)
        met = residuals.primal_feasibility <= tol * max(1.0, largest(self.x))
        slack = residuals.complementary_slackness <= tol * max(1.0, largest(self.z), abs(self.value))
        return met and slack and self.norm <= tol * max(1.0, abs(self.value), largest(self.slope))

    def is_dear(self, z: Floats, alpha: Floats) -> bool:
        """Whether constraints that are missed pull so hard that they may contradict each other."""
        pulls = np.append(z * np.linalg.norm(self.H, axis=1), alpha * np.linalg.norm(self.A, axis=1))
        is_missed = self.missed > CLEARLY * max(1.0, largest(self.x))
        return is_missed and largest(pulls) > DEAR * max(1.0, largest(self.slope))

    def binding(self) -> tuple[npt.NDArray[np.bool_], Floats]:
        """Which inequalities have a price, and the gradients of those and of the equalities."""
        binds = self.z > BINDS * max(1.0, largest(self.z))
        return binds, np.vstack([self.A, self.H[binds]])


def sum_missed(h: Floats, g: Floats) -> float:
    """Σ max(h, 0) + Σ |g|."""
    return float(np.maximum(h, 0.0).sum() + np.abs(g).sum())


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
        held = {"slope": here.gradient, "h": h, "H": H, "g": g, "A": A, "z": z, "alpha": alpha}
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
            directions = AffineSet.of(end.binding()[1], np.zeros(len(end.binding()[1]))).directions
            kind = kind_of(directions.T @ self.curvature(end) @ directions)
            iterations = counted(result.n_iter, "iteration")
            words = f"It converged after {iterations}: {article(kind)} where the constraints hold."
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


def positive(W: Floats, across: Floats) -> tuple[Floats, bool]:
    """W, if need be with more curvature across binding constraints, or else in all directions; whether it was changed.

    Across constraints that bind a step has no choice, so what is added there changes nothing in the end.
    """
    size = max(1.0, largest(W))
    for stiffer in (0.0, *STIFFER):
        B = W + stiffer * size * across.T @ across
        if np.linalg.eigvalsh(B)[0] > FLAT * size:
            return B, bool(stiffer)
        if not len(across):
            break
    eigenvalues, vectors = np.linalg.eigh(W)
    return (vectors * np.maximum(np.abs(eigenvalues), FLAT * size)) @ vectors.T, True


def nearest(point: HeldPoint, curvature: Floats) -> tuple[Floats, Floats, Floats]:
    """The step after which the linear constraints are missed least, in sum, and the weights of the constraints."""
    (m, d), p = point.H.shape, len(point.A)
    P = np.zeros((d + m + p, d + m + p))
    P[:d, :d] = curvature
    cost = np.append(np.zeros(d), np.ones(m + p))
    excess, gap = np.hstack([-np.eye(m), np.zeros((m, p))]), np.hstack([np.zeros((p, m)), -np.eye(p)])
    G = np.vstack(
        [
            np.hstack([point.H, excess]),
            np.hstack([np.zeros((m, d)), excess]),
            np.hstack([point.A, gap]),
            np.hstack([-point.A, gap]),
        ]
    )
    sides = np.concatenate([-point.h, np.zeros(m), -point.g, point.g])
    found = quadratic_program(P, cost, G, sides)
    z = np.maximum(found.inequality_multipliers, 0.0)
    return read_only(found.x[:d].copy()), z[:m], z[2 * m + p :] - z[2 * m : 2 * m + p]
