"""Newton's method on the rows that bend: few columns, any number of rows.

The squared loss c·e² of a shortfall e is a quadratic wherever e > 0. The plain loss c·e is made one near its corner,

    c·e²/2h for 0 < e < h,    c·(e − h/2) for e ≥ h,

and h goes to zero: at the minimum no row then misses its Karush-Kuhn-Tucker condition by more than h. While the zones
of the rows stay the same, the objective is one quadratic and its minimum the solution of d + 1 equations,

    (J + Σ cᵢzᵢzᵢᵀ/h) v = Σ cᵢsᵢpᵢzᵢ/h + Σ cⱼsⱼzⱼ        z = (x, 1),  v = (w, b),  J = I but for a 0 at the intercept,

i over the sides that bend (0 < e < h) and j over those beyond. A step goes there, or part of the way.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np
from scipy import linalg

from novacula.kernel.svm.linear.problem import PlaneProblem
from novacula.kernel.svm.linear.products import combined_rows, moments
from novacula.linear.solve import cholesky
from novacula.table.chunk import Floats

ENOUGH = 1e-4
"""The share of the decrease that the slope promises which a step must bring."""
SHORTEST = 1e-10
"""The shortest step that is tried."""
ROUNDING = 1e-14
"""The share of the objective that is rounding: a step that promises less is the last."""
SINGULAR = 1e-12
"""What is added to the diagonal, a column of ones, of equations whose matrix is not positive by rounding."""
MOST_STEPS = 100
"""Steps at one width: it takes a few, unless the rows set aside pull so hard that there is no minimum without them."""
FEW = 1_000
"""Rows that bend, up to which their sums are made again at each step."""


class ZoneDescent:
    """The state of the method: the rows that take part, a plane v with their values f, and the sums of their zones."""

    def __init__(self, problem: PlaneProblem, v: Floats, width: float) -> None:
        q = len(v)
        self.problem, self.width = problem, width
        self.reach, self.adrift = width, False
        self.v, self.f = v, problem.plane(v)
        self.aside = np.zeros(q)  # Σ c·s·z of the rows set aside that are beyond
        self.bend, self.pull, self.beyond = np.zeros((q, q)), np.zeros(q), np.zeros(q)
        self.zones = np.zeros(problem.sign.shape, np.int8)
        self.enter(self.current_zones())

    @property
    def edge(self) -> float:
        """The shortfall at which the loss ceases to bend."""
        return np.inf if self.problem.squared else self.width

    @property
    def bends(self) -> bool:
        """Whether any side does."""
        return bool(self.bend[-1, -1] > 0.0)

    def current_zones(self) -> Any:
        """0 where nothing is missed, 1 where the loss bends, 2 beyond."""
        short = self.problem.shortfall(self.f)
        return (short > 0.0).astype(np.int8) + (short >= self.edge)

    def shares(self) -> Floats:
        """The multiplier of each side as a share of its cost (sides, n)."""
        share = np.maximum(self.problem.shortfall(self.f), 0.0) / self.width
        return share if self.problem.squared else np.minimum(share, 1.0)

    def objective(self, v: Floats, f: Floats) -> float:
        """The smoothed objective of a plane v with values f, up to a constant for the rows set aside."""
        e = np.maximum(self.problem.shortfall(f), 0.0)
        bent = np.minimum(e, self.edge)
        loss = float(((bent * (0.5 * bent / self.width) + (e - bent)) @ self.problem.cost).sum())
        return 0.5 * float(v[:-1] @ v[:-1]) - float(self.aside @ v) + loss

    # --- steps ----------------------------------------------------------------------------------------------

    def settle(self, width: float) -> Generator[float, bool | None, bool]:
        """Go to the minimum at a width, beginning with the zones as they are.

        Yields the objective before each step, makes none once True is sent, and returns whether it was cut short so.
        """
        self.width = width
        fresh = False  # at first the zones are those of the last width, whose minimum is a good guess
        for _ in range(MOST_STEPS):
            before = self.objective(self.v, self.f)
            if (yield before):
                return True
            aim = self.minimum()
            ahead = self.problem.plane(aim)
            slope = self.slope(aim - self.v, ahead - self.f)
            last = -slope <= ROUNDING * abs(before)
            size = float(fresh) if last else self.step_size(aim, ahead, before, slope)
            self.v, self.f = self.v + size * (aim - self.v), self.f + size * (ahead - self.f)
            zones = self.current_zones()
            whole = size == 1.0 and not self.adrift and bool((zones == self.zones).all())
            self.enter(zones)
            if whole or (fresh and (last or size < SHORTEST)):
                return False
            fresh = True
        return False

    def minimum(self) -> Floats:
        """The minimum of the quadratic of these zones; where no row bends it has none in b, which moves by `reach`."""
        matrix, right = self.bend / self.width, self.pull / self.width + self.beyond
        matrix[np.diag_indices(len(right) - 1)] += 1.0
        force = abs(float(right[-1] - matrix[-1] @ self.v))
        self.adrift = not self.bends and force > ROUNDING * float(self.problem.cost.sum())
        if not self.bends:
            curve = force / self.reach if self.adrift else 1.0
            matrix[-1, -1] += curve
            right[-1] += curve * self.v[-1]
        scale = 1.0 / np.sqrt(np.diagonal(matrix))
        matrix *= scale * scale[:, None]
        upper, rcond = cholesky(matrix)
        if rcond == 0.0:  # by rounding only
            matrix[np.diag_indices_from(matrix)] += SINGULAR
            upper, _ = cholesky(matrix)
        return np.asarray(scale * linalg.cho_solve((upper, False), scale * right, check_finite=False))

    def slope(self, dv: Floats, df: Floats) -> float:
        """The derivative of the objective along a step."""
        beta = (self.problem.sign * self.shares()).sum(axis=0) * self.problem.cost
        return float(self.v[:-1] @ dv[:-1]) - float(self.aside @ dv) - float(beta @ df)

    def step_size(self, aim: Floats, ahead: Floats, before: float, slope: float) -> float:
        """The first of 1, ½, ¼ … at which the objective falls by a share of what the slope promises."""
        size = 1.0
        while size > SHORTEST:
            after = self.objective(self.v + size * (aim - self.v), self.f + size * (ahead - self.f))
            if after <= before + ENOUGH * size * slope:
                break
            size /= 2.0
        return size

    # --- sums over zones ------------------------------------------------------------------------------------

    def enter(self, zones: Any) -> None:
        """Bring the sums to new zones, by the rows that change zone or, if they are fewer, by those that bend."""
        p = self.problem
        old, new = self.zones == 1, zones == 1
        changed = (old != new).any(axis=0)
        if new.sum() <= max(FEW, changed.sum()):
            changed = new.any(axis=0)
            self.bend, self.pull = np.zeros_like(self.bend), np.zeros_like(self.pull)
            old = np.zeros_like(new)
        rows = np.flatnonzero(changed)
        gain = p.cost[rows] * (new[:, rows].astype(np.float64) - old[:, rows])
        self.bend = self.bend + moments(p.X, rows, gain.sum(axis=0), p.centre)
        self.pull = self.pull + self.sum_over(rows, (gain * p.sign[:, rows] * p.limit[:, rows]).sum(axis=0))
        rows = np.flatnonzero(((self.zones == 2) != (zones == 2)).any(axis=0))
        gain = p.cost[rows] * ((zones[:, rows] == 2).astype(np.float64) - (self.zones[:, rows] == 2))
        self.beyond = self.beyond + self.sum_over(rows, (gain * p.sign[:, rows]).sum(axis=0))
        self.zones = zones

    def sum_over(self, rows: Any, weight: Floats) -> Floats:
        """Σ weight · z over some rows."""
        total = float(weight.sum())
        return np.append(combined_rows(self.problem.X, rows, weight) - total * self.problem.centre, total)

    def set_aside(self, stays: Any) -> None:
        """Go on with some rows only, by a mask that holds all that bend; the others stay in their zones."""
        p, out = self.problem, np.flatnonzero(~stays)
        weight = ((self.zones[:, out] == 2) * p.sign[:, out]).sum(axis=0) * p.cost[out]
        self.aside = self.aside + self.sum_over(out, weight)
        self.problem = p.of_rows(stays, p.cost[stays])
        self.f, self.zones = self.f[stays], self.zones[:, stays]
