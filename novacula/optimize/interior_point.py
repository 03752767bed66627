"""The interior-point method of Mehrotra for min ½xᵀPx + qᵀx subject to Gx ≤ h, and a last step that gives all digits.

Slack s = h − Gx > 0 and multipliers z > 0 are led along sⱼzⱼ = μ with μ → 0. Each step is Newton's, made twice
with one factorisation: the first says how far μ can fall, the second corrects for what the first left out.
At the end the constraints with z > s are taken to be active, and their linear system is solved: polishing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from novacula.arguments import Floats, read_only
from novacula.learner.iterate import Outcome
from novacula.optimize.kkt import largest, measured
from novacula.optimize.objective import CountedObjective, DescentPoint
from novacula.optimize.program import Quadratic
from novacula.optimize.result import Result
from novacula.optimize.trace import Halt, follow

INNER = 1e-10
"""How well the interior point meets its conditions before it is polished."""
POLISHED = 1e-8
"""How well a solution meets its conditions to count as one; data and rows are scaled to 1."""
RIDGE = 1e-13
"""Added to the diagonal, as a share of it, where a linear program leaves it empty."""
SHARE = 0.995
"""How much of the way to the boundary is gone."""
HUGE = 1e14
"""Numbers beyond this are on their way to infinity: the problem has no solution, or no bound."""
CENTRAL, SHORTENINGS = 1e-3, 20
"""How far below their mean a product of slack and multiplier may be, and how often a step is shortened for it."""
EXCHANGES = 10


@dataclass(frozen=True, eq=False)
class Inequalities:
    """The problem: P (d, d), q (d,), G (m, d) with rows of length 1, h (m,)."""

    P: Floats
    q: Floats
    G: Floats
    h: Floats

    def error(self, x: Floats, z: Floats) -> float:
        """The worst of the conditions of a minimum, relative to the sizes that they are made of."""
        curved = self.P @ x
        missed = measured(curved + self.q + self.G.T @ z, self.G @ x - self.h, z, np.empty(0))
        dual, primal = 1 + largest(self.q) + largest(curved), 1 + largest(x) + largest(self.h)
        return max(
            missed.stationarity / dual,
            missed.primal_feasibility / primal,
            missed.dual_feasibility / dual,
            missed.complementary_slackness / (dual * primal),
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class Interior(DescentPoint):
    """A point with the slack s > 0 and the multipliers z > 0 of its inequalities, and the error of all conditions."""

    slack: Floats
    multipliers: Floats
    error: float

    def is_settled(self, tol: float) -> bool:
        """Whether all conditions hold."""
        return self.error <= tol


@dataclass(frozen=True, eq=False)
class InteriorSolution:
    """x and z of a problem, whether they solve it, and the way to them."""

    x: Floats
    z: Floats
    solved: bool
    run: Result


def solve_inequalities(problem: Inequalities, max_iter: int) -> InteriorSolution:
    """Solve by the interior-point method, and polish."""
    multipliers = list[Floats]()
    f = Quadratic(problem.P, problem.q)

    def interior(x: Floats, s: Floats, z: Floats, step: float = 0.0) -> Interior:
        error = max(problem.error(x, z), largest(problem.G @ x + s - problem.h) / (1 + largest(problem.h)))
        multipliers.append(z)
        return Interior(x, f(x), f.gradient(x) + problem.G.T @ z, step, slack=s, multipliers=z, error=error)

    def advance(point: Interior) -> Interior | Halt:
        try:
            dx, ds, dz = predict_and_correct(problem, point)
        except (LinAlgError, ValueError):  # the numbers have left the range of floats
            return Halt(Outcome.STALLED, "It stalled: the linear system of a step cannot be solved.")
        if max(map(largest, (dx, ds, dz))) > HUGE:
            return Halt(Outcome.DIVERGED, "It diverged: the steps of the interior points grew beyond all measure.")
        step = central_step(point.slack, ds, point.multipliers, dz)
        return interior(read_only(point.x + step * dx), point.slack + step * ds, point.multipliers + step * dz, step)

    objective = CountedObjective(f, f.gradient, size=len(problem.q))
    run = follow("Interior point", objective, advance, interior(*start(problem)), tol=INNER, max_iter=max_iter)
    x, z = polish(problem, run.x, multipliers[run.n_iter])
    return InteriorSolution(x, z, problem.error(x, z) <= POLISHED, run)


def start(problem: Inequalities) -> tuple[Floats, Floats, Floats]:
    """The least-squares guess, with slack and multipliers shifted to be positive."""
    P, q, G, h = problem.P, problem.q, problem.G, problem.h
    x: Floats = np.asarray(np.linalg.lstsq(P + G.T @ G, G.T @ h - q, rcond=None)[0], dtype=np.float64)
    gap = G @ x - h
    s, z = (-gap + max(0.0, 1 + gap.max())), (gap + max(0.0, 1 - gap.min()))
    return read_only(x), s, z


def predict_and_correct(problem: Inequalities, point: Interior) -> tuple[Floats, Floats, Floats]:
    """Mehrotra's step in x, s and z."""
    s, z, G = point.slack, point.multipliers, problem.G
    missed = G @ point.x + s - problem.h
    system = problem.P + G.T @ ((z / s)[:, None] * G)
    ridge = RIDGE * max(1.0, float(np.diag(problem.P).max(initial=0.0)))
    factor = cho_factor(system + ridge * np.eye(len(system)))

    def move(product: Floats) -> tuple[Floats, Floats, Floats]:
        dx = cho_solve(factor, -point.gradient - G.T @ ((z * missed - product) / s))
        ds = -missed - G @ dx
        return dx, ds, -(product + z * ds) / s

    mu = float(s @ z) / len(s)
    _, ds, dz = move(s * z)
    reach = min(1.0, room(s, ds), room(z, dz))
    target = float((s + reach * ds) @ (z + reach * dz)) / len(s)
    # Far from where it can be reached the correction misleads, even into cycles: it counts as far as the reach does.
    return move(s * z + reach**2 * ds * dz - mu * (target / mu) ** 3)


def central_step(s: Floats, ds: Floats, z: Floats, dz: Floats) -> float:
    """The longest step that leaves no product sⱼzⱼ far below their mean: from there steps may run in circles."""
    step = min(1.0, SHARE * room(s, ds), SHARE * room(z, dz))
    for _ in range(SHORTENINGS):
        products = (s + step * ds) * (z + step * dz)
        if products.min() >= CENTRAL * products.mean():
            break
        step *= 0.8
    return step


def room(values: Floats, change: Floats) -> float:
    """How many times a change fits before a positive value becomes 0."""
    falling = change < 0
    return float((-values[falling] / change[falling]).min(initial=math.inf))


def polish(problem: Inequalities, x: Floats, z: Floats) -> tuple[Floats, Floats]:
    """Correct x and z so that the active constraints hold exactly, exchanging those that were judged wrongly."""
    best, error = (x, np.maximum(z, 0.0)), problem.error(x, z)
    active = z > problem.h - problem.G @ x
    for _ in range(EXCHANGES):
        x, z = solve_active(problem, active, x, z)
        now = problem.error(x, z)
        if now < error:
            best, error = (x, np.maximum(z, 0.0)), now
        violated = problem.G @ x - problem.h > 1e-12 * (1 + largest(problem.h))
        changed = (active | violated) & ~(z < -1e-12 * (1 + largest(z)))
        if (changed == active).all() or not np.isfinite(now):
            break
        active = changed
    return best


def solve_active(problem: Inequalities, active: npt.NDArray[np.bool_], x: Floats, z: Floats) -> tuple[Floats, Floats]:
    """The nearest x and z with the active constraints as equalities and no other multipliers."""
    P, G, d = problem.P, problem.G[active], len(x)
    system = np.block([[P, G.T], [G, np.zeros((len(G), len(G)))]])
    target = np.concatenate([-(P @ x + problem.q + G.T @ z[active]), problem.h[active] - G @ x])
    move = np.linalg.lstsq(system, target, rcond=1e-13)[0]
    multipliers = np.zeros_like(z)
    multipliers[active] = z[active] + move[d:]
    return read_only(x + move[:d]), multipliers
