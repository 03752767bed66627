"""Quadratic programs: min ½xᵀPx + qᵀx subject to Gx ≤ h and Ax = b, for P without negative eigenvalues.

The equalities are eliminated, x = x₀ + Zu, and the interior-point method solves what is left. If it cannot, two
linear programs say why. No x satisfies the constraints: there are z ≥ 0 and α with Gᵀz = Aᵀα and hᵀz < bᵀα. Or the
objective has no bound: there is a direction d with Pd = 0, Gd ≤ 0, Ad = 0 and qᵀd < 0.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from novacula.arguments import Floats, read_only, whole_number
from novacula.errors import ParameterError
from novacula.optimize.affine import AffineSet
from novacula.optimize.interior_point import Inequalities, InteriorSolution, solve_inequalities
from novacula.optimize.kkt import ConstrainedResult, KKTResiduals, largest, measured, solved_at_once
from novacula.optimize.lagrange import solve_stationary
from novacula.optimize.program import Quadratic, QuadraticProgram
from novacula.words import counted

SOLVED_AT_ONCE = "The linear system was solved; no inequality was left."
INFEASIBLE = "No x satisfies the constraints; the certificate has multipliers that prove it."
UNBOUNDED = "The objective has no bound below; the certificate has a direction along which it falls without end."
CONVEX = 1e-10
"""A negative eigenvalue below this share of the largest is rounding."""
CLEAR = 1e-7
"""By how much a certificate must be clear of 0, for rows and objectives of length 1."""


def quadratic_program(
    P: npt.ArrayLike | None,
    q: npt.ArrayLike,
    G: npt.ArrayLike | None = None,
    h: npt.ArrayLike | None = None,
    A: npt.ArrayLike | None = None,
    b: npt.ArrayLike | None = None,
    *,
    max_iter: int = 100,
) -> ConstrainedResult:
    """Minimise ½xᵀPx + qᵀx subject to Gx ≤ h and Ax = b; P None is a linear program.

    `inequality_multipliers` are the z ≥ 0 of Gx ≤ h, `multipliers` the α of Ax = b, with Px + q + Gᵀz = Aᵀα (see
    `kkt_residuals`). A problem without solution has `converged=False`, x NaN, a `reason`, and a `certificate` with
    "inequalities" (z) and "equalities" (α), or "direction" (d). The path is that of the interior points.

    >>> found = quadratic_program([[2, 0], [0, 2]], [-2, -5], G=[[1, 2], [-1, 0], [0, -1]], h=[3, 0, 0])
    >>> found.x.round(9), found.inequality_multipliers.round(9)
    (array([0.4, 1.3]), array([1.2, 0. , 0. ]))
    """
    program, max_iter = QuadraticProgram(P, q, G, h, A, b), whole_number(max_iter, "max_iter", 1)
    refuse_concave(program.arrays[0])
    return EqualityElimination.of(program).solve(max_iter)


def refuse_concave(P: Floats) -> None:
    """Refuse a P with a negative eigenvalue: local minima would not be global."""
    eigenvalues = np.linalg.eigvalsh(P)
    if eigenvalues[0] < -CONVEX * np.abs(eigenvalues).max():
        raise ParameterError(
            f"P has the negative eigenvalue {eigenvalues[0]:.6g}, so the problem is not convex; "
            "give a P without negative eigenvalues, or see lagrange for stationary points"
        )


@dataclass(frozen=True, eq=False)
class EqualityElimination:
    """A program without its equalities and without rows that say nothing, and the way back."""

    program: QuadraticProgram
    plane: AffineSet
    kept: npt.NDArray[np.bool_]  # (m,), rows of G that are left
    lengths: Floats  # of these rows
    scale: float  # of the objective
    inner: Inequalities
    impossible: npt.NDArray[np.intp]  # rows of G that no x can satisfy

    @classmethod
    def of(cls, program: QuadraticProgram) -> EqualityElimination:
        """Eliminate, and scale rows and objective to length 1."""
        P, q, G, h, A, b = program.arrays
        plane = AffineSet.of(A, b)
        Z, point = plane.directions, plane.point
        rows, sides = G @ Z, h - G @ point
        lengths, whole = np.linalg.norm(rows, axis=1), np.linalg.norm(G, axis=1)
        empty = lengths <= 1e-12 * np.where(whole > 0, whole, 1.0)  # such a row does not depend on u
        limit = -1e-9 * (1 + np.abs(G @ point))
        impossible = np.flatnonzero((empty & (sides < limit)) | (h == -np.inf))
        used = ~empty & np.isfinite(h)
        flat, tilt = Z.T @ P @ Z, Z.T @ (P @ point + q)
        scale = max(largest(flat), largest(tilt)) or 1.0
        unit = lengths[used]
        inner = Inequalities(flat / scale, tilt / scale, rows[used] / unit[:, None], sides[used] / unit)
        return cls(program, plane, used, unit, scale, inner, impossible)

    def solve(self, max_iter: int) -> ConstrainedResult:
        """Solve what is left, or find out why it has no solution."""
        proof = self.plain_contradiction()
        if proof is not None:
            return self.without_solution(INFEASIBLE, proof)
        if not self.inner.G.size:
            u, unbounded = solve_stationary(self.inner.P, self.inner.q)
            if unbounded is not None:
                return self.without_solution(UNBOUNDED, {"direction": self.plane.directions @ unbounded})
            return self.with_solution(u, np.empty(len(self.lengths)), None)
        solution = solve_inequalities(self.inner, max_iter)
        if not solution.solved:
            proof = self.infeasible(max_iter)
            if proof is not None:
                return self.without_solution(INFEASIBLE, proof)
            proof = self.unbounded(max_iter)
            if proof is not None:
                return self.without_solution(UNBOUNDED, proof)
        return self.with_solution(solution.x, solution.z, solution)

    def plain_contradiction(self) -> dict[str, Floats] | None:
        """Equalities that contradict each other, or a row of G that no x with Ax = b satisfies."""
        G = np.asarray(self.program.G)
        if self.plane.contradiction is not None:
            return {"inequalities": np.zeros(len(G)), "equalities": self.plane.contradiction}
        if len(self.impossible):
            z = np.zeros(len(G))
            z[self.impossible[0]] = 1.0
            return {"inequalities": z, "equalities": self.plane.multipliers(G.T @ z)}
        return None

    def infeasible(self, max_iter: int) -> dict[str, Floats] | None:
        """Minimise the largest violation t; its multipliers prove that it cannot be 0."""
        G, h = self.inner.G, self.inner.h
        m, d = G.shape
        rows = np.block([[G, -np.ones((m, 1))], [np.zeros((1, d)), -np.ones((1, 1))]])
        lengths = np.linalg.norm(rows, axis=1)
        cost = np.append(np.zeros(d), 1.0)
        problem = Inequalities(np.zeros((d + 1, d + 1)), cost, rows / lengths[:, None], np.append(h, 0.0) / lengths)
        found = solve_inequalities(problem, max_iter)
        if not found.solved or found.x[-1] <= CLEAR * (1 + largest(h)):
            return None
        z = self.outer_multipliers(found.z[:-1] / lengths[:-1])
        return {"inequalities": z, "equalities": self.plane.multipliers(np.asarray(self.program.G).T @ z)}

    def unbounded(self, max_iter: int) -> dict[str, Floats] | None:
        """Look for the steepest direction of descent without curvature or constraint, in a box."""
        eigenvalues, vectors = np.linalg.eigh(self.inner.P)
        flat = vectors[:, np.abs(eigenvalues) <= 1e-11]
        rows = self.inner.G @ flat
        lengths = np.linalg.norm(rows, axis=1)
        rows = rows[lengths > 1e-12] / lengths[lengths > 1e-12, None]
        k = flat.shape[1]
        if not k:
            return None
        box = np.vstack([rows, np.eye(k), -np.eye(k)])
        sides = np.append(np.zeros(len(rows)), np.ones(2 * k))
        problem = Inequalities(np.zeros((k, k)), flat.T @ self.inner.q, box, sides)
        found = solve_inequalities(problem, max_iter)
        falls = found.solved and problem.q @ found.x < -CLEAR
        return {"direction": self.plane.directions @ flat @ found.x} if falls else None

    # --- the way back ---------------------------------------------------------------------------------------

    def outer_multipliers(self, z: Floats) -> Floats:
        """Multipliers of all rows of G from those of the scaled rows that were kept."""
        whole = np.zeros(len(self.kept))
        whole[self.kept] = z / self.lengths
        return whole

    def with_solution(self, u: Floats, inner_z: Floats, solution: InteriorSolution | None) -> ConstrainedResult:
        """The result in the variables of the program."""
        P, q, G, h, A, b = self.program.arrays
        x, z = read_only(self.plane.point + self.plane.directions @ u), self.outer_multipliers(inner_z * self.scale)
        alpha = self.plane.multipliers(P @ x + q + G.T @ z)
        lagrangian = P @ x + q + G.T @ z - A.T @ alpha
        residuals = measured(lagrangian, G @ x - h, z, A @ x - b)
        result = self.outcome(
            x, lagrangian, multipliers=alpha, inequality_multipliers=z, residuals=residuals, kind="minimum"
        )
        return result if solution is None else self.with_path(result, solution)

    def with_path(self, result: ConstrainedResult, solution: InteriorSolution) -> ConstrainedResult:
        """The result with the interior points that led to it."""
        run = solution.run
        path = self.plane.point + np.asarray(run.path) @ self.plane.directions.T
        values = np.array([result.objective(place) for place in path])
        # The polished end replaces the last interior point, from which it differs by less than can be seen.
        path[-1], values[-1] = result.x, result.value
        solved = (
            f"It was solved to {result.residuals.worst:.1g} after {counted(run.n_iter, 'iteration')} and polishing."
        )
        return replace(
            result,
            path=path,
            values=values,
            gradient_norms=self.scale * run.gradient_norms,
            steps=run.steps,
            converged=solution.solved,
            reason=solved if solution.solved else run.reason,
            kind="minimum" if solution.solved else "not settled",
        )

    def without_solution(self, reason: str, certificate: dict[str, Floats]) -> ConstrainedResult:
        """The result that says why there is none."""
        d, m, p = len(np.asarray(self.program.q)), len(self.kept), len(np.asarray(self.program.b))
        nowhere = np.full(d, np.nan)
        return self.outcome(
            nowhere,
            nowhere,
            reason=reason,
            converged=False,
            multipliers=np.full(p, np.nan),
            inequality_multipliers=np.full(m, np.nan),
            residuals=KKTResiduals(np.inf, np.inf, np.inf, np.inf),
            kind="no solution",
            certificate=certificate,
        )

    def outcome(self, x: Floats, gradient: Floats, reason: str = SOLVED_AT_ONCE, **more: Any) -> ConstrainedResult:
        """A result without its path."""
        f = Quadratic(*self.program.arrays[:2])
        more["program"] = self.program
        return solved_at_once("Quadratic program", f, x, gradient, reason=reason, **more)
