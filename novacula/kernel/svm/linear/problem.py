"""The problem of a linear support vector machine, for classes and for numbers in one form.

    classes   ½‖w‖² + Σ cᵢ ℓ(1 − tᵢf(xᵢ))            f(x) = w·x + b,  ℓ(e) = max(0, e) or its square
    numbers   ½‖w‖² + Σ cᵢ ℓ(|tᵢ − f(xᵢ)| − ε)

Each row has one side (classes) or two (numbers); a side has a sign s and a limit p, and costs c ℓ(p − s·f). The dual
has one signed multiplier per row, β = Σ s·α over its sides, and w = Σ βᵢxᵢ:

    minimise ½‖Σ βᵢxᵢ‖² − Σ tᵢβᵢ + ε Σ|βᵢ| + ½ Σ δᵢβᵢ²,   Σ βᵢ = 0,   low ≤ β ≤ high

For the plain loss 0 ≤ α ≤ c and δ = 0; for the squared one α has no upper limit and δ = 1/2c.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from novacula.kernel.svm.linear.products import Rows, combined, values
from novacula.learner.iterate import Outcome, Run
from novacula.table.chunk import Floats

Search: TypeAlias = Generator[float, bool | None, Floats]
"""A search for β: yields an objective before each step, makes no more steps once True is sent, and returns β."""
ROUNDING = 1e-14
"""The share of Σ|β| that Σ β may be off zero by rounding alone."""


@dataclass(frozen=True)
class LinearSolution:
    """A plane with its multipliers: α of each row for classes, the signed β for numbers."""

    coef: Floats  # (d,)
    intercept: float
    alpha: Floats  # (n,)
    dual_objective: float
    primal_objective: float
    kkt_violation: float
    run: Run[Any]


@dataclass(frozen=True)
class PlaneProblem:
    """Rows (n, d), targets and costs (n,), all costs positive; `epsilon` is None where targets are classes ±1.

    A plane is held as v = (w, b′) with f(x) = w·(x − centre) + b′, so that columns far from zero lose no digits.
    """

    X: Rows
    target: Floats
    cost: Floats
    squared: bool
    epsilon: float | None
    centre: Floats  # (d,)

    @cached_property
    def sign(self) -> Floats:
        """s of each side and row (sides, n)."""
        if self.epsilon is None:
            return self.target[None]
        return np.repeat([[1.0], [-1.0]], len(self.target), axis=1)

    @cached_property
    def limit(self) -> Floats:
        """p of each side and row (sides, n)."""
        return self.sign * self.target - (self.epsilon or 0.0)

    @cached_property
    def high(self) -> Floats:
        """The largest β of each row."""
        return np.where((self.sign > 0.0).any(axis=0), self._most, 0.0)

    @cached_property
    def low(self) -> Floats:
        """The least β of each row."""
        return np.where((self.sign < 0.0).any(axis=0), -self._most, 0.0)

    @property
    def _most(self) -> Floats:
        return np.full(len(self.cost), np.inf) if self.squared else self.cost

    @cached_property
    def ridge(self) -> Floats:
        """δ of each row."""
        return 0.5 / self.cost if self.squared else np.zeros(len(self.cost))

    def of_rows(self, rows: Any, cost: Floats) -> PlaneProblem:
        """The problem of some rows, at other costs."""
        return replace(self, X=self.X[rows], target=self.target[rows], cost=cost)

    def plane(self, v: Floats) -> Floats:
        """The values f (n,) of a plane."""
        return values(self.X, v[:-1]) + float(v[-1] - v[:-1] @ self.centre)

    def shortfall(self, f: Floats) -> Floats:
        """p − s·f of each side and row: what is missing where positive, what is to spare where negative."""
        return self.limit - self.sign * f

    def primal(self, w: Floats, f: Floats) -> float:
        """The primal objective of a plane whose values are f (n,)."""
        missed = np.maximum(self.shortfall(f), 0.0)
        return 0.5 * float(w @ w) + float(((missed**2 if self.squared else missed) @ self.cost).sum())

    def dual(self, beta: Floats, w: Floats) -> float:
        """The dual objective, as it is maximised, of β with w = Σ βx."""
        price = self.epsilon * float(np.abs(beta).sum()) if self.epsilon else 0.0
        price += 0.5 * float(self.ridge @ beta**2) if self.squared else 0.0
        return float(self.target @ beta) - price - 0.5 * float(w @ w)

    def pressures(self, beta: Floats, sums: Floats) -> tuple[Floats, Floats]:
        """The intercepts at which each β would begin to rise, and to fall; ∓∞ where it cannot. sums = X w (n,).

        β is the solution if some b is above all of the first and below all of the second.
        """
        epsilon = self.epsilon or 0.0
        at = self.target - sums - self.ridge * beta
        rising = np.where(beta < self.high, at - np.where(beta >= 0.0, epsilon, -epsilon), -np.inf)
        falling = np.where(beta > self.low, at - np.where(beta > 0.0, epsilon, -epsilon), np.inf)
        return rising, falling

    def balanced(self, beta: Floats, sums: Floats) -> Floats:
        """β with Σ β = 0: the excess is taken from the rows that it affects least, those nearest to their limit."""
        excess = float(beta.sum())
        if abs(excess) <= ROUNDING * float(np.abs(beta).sum()):
            return beta
        rising, falling = self.pressures(beta, sums)
        b = (rising.max() + falling.min()) / 2.0
        if excess > 0.0:
            room, distance = np.where(beta > 0.0, beta, beta - self.low), np.abs(falling - b)
        else:
            room, distance = np.where(beta < 0.0, -beta, self.high - beta), np.abs(rising - b)
        order = np.argsort(distance, kind="stable")
        room = np.minimum(room[order], abs(excess))
        before = np.cumsum(room) - room
        moved = beta.copy()
        moved[order] -= np.sign(excess) * np.clip(abs(excess) - before, 0.0, room)
        return moved

    def solution(self, beta: Floats, run: Run[Any], tol: float) -> LinearSolution:
        """What the multipliers of a run come to: the plane, the objectives, and a violation that has the last word."""
        beta = self.balanced(beta, values(self.X, combined(self.X, beta)))
        w = combined(self.X, beta)
        sums = values(self.X, w)
        rises, falls = self.pressures(beta, sums)
        rising, falling = float(rises.max()), float(falls.min())
        violation, b = max(rising - falling, 0.0), (rising + falling) / 2.0
        outcome = Outcome.CONVERGED if violation <= tol else Outcome.STALLED if run.converged else run.outcome
        return LinearSolution(
            coef=w,
            intercept=b,
            alpha=beta * self.target if self.epsilon is None else beta,
            dual_objective=self.dual(beta, w),
            primal_objective=self.primal(w, sums + b),
            kkt_violation=violation,
            run=replace(run, outcome=outcome, params=None),
        )
